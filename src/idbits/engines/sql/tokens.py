"""The tokens of a query, cut as the database cuts them.

A check of a query is worth nothing if the database reads its text otherwise than the check did. This is therefore the
strict part of each database's own lexical rules; whatever is cut differently by settings or versions is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NoReturn

from idbits.errors import InputError

__all__ = ["RULES", "LexicalRules", "Token", "TokenKind", "refuse_text", "tokenize"]


class TokenKind(Enum):
    """What a token is."""

    NAME = "name"
    QUOTED_NAME = "quoted name"
    TEXT = "text"
    NUMBER = "number"
    OPERATOR = "operator"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query: its text as written, and for names and texts what that means."""

    kind: TokenKind
    written: str
    start: int
    value: str = ""

    @property
    def end(self) -> int:
        """Where the next token may begin."""
        return self.start + len(self.written)

    def is_word(self, *words: str) -> bool:
        """Return whether this is one of some words of the language, in capitals here."""
        return self.kind is TokenKind.NAME and self.written.upper() in words


_OPERATORS = ("<=>", "->>", "<=", ">=", "<>", "!=", "==", "<<", ">>", "||", "&&", "->", *"+-*/%=<>&|^~!")


@dataclass(frozen=True, slots=True)
class LexicalRules:
    """How a database cuts a query.

    Attributes:
        text_quotes: what encloses texts.
        name_quotes: what encloses names, and what closes them.
        backslash: what one means in a text: ``"itself"``, ``"escape"``, or ``"refused"`` where that depends.
        nested_comments: whether a comment may hold another.
        hash_comments: whether # begins a comment.
        blank_after_dashes: whether -- is a comment only before a blank.
        tripled_quotes: whether three quotes begin another kind of text.
        text_prefixes: names that change what follows in quotes, with how a backslash is read there.
        operators: the operators there are; None where a database may have its own.
        ascii_only: whether other letters stand in quotes only, as some of them are blanks there.
    """

    text_quotes: str = "'"
    name_quotes: Mapping[str, str] = field(default_factory=lambda: {'"': '"'})
    backslash: str = "itself"
    nested_comments: bool = False
    hash_comments: bool = False
    blank_after_dashes: bool = False
    tripled_quotes: bool = False
    text_prefixes: Mapping[str, str] = field(default_factory=dict)
    operators: tuple[str, ...] | None = _OPERATORS
    ascii_only: bool = False


_NAMES_ITSELF = {"n": "itself"}
_BACKQUOTES = {"`": "`"}
_MYSQL = {"b": "escape", "x": "escape", "n": "escape"}
# A double quote is left out where a setting says whether it encloses texts or names.
RULES: Mapping[str, LexicalRules] = {
    "postgresql": LexicalRules(
        nested_comments=True,
        text_prefixes={"e": "escape", "b": "itself", "x": "itself", "n": "refused"},
        operators=None,
    ),
    "mysql": LexicalRules(
        "'\"", _BACKQUOTES, "escape", hash_comments=True, blank_after_dashes=True, text_prefixes=_MYSQL
    ),
    "sqlite": LexicalRules("'", {'"': '"', "`": "`", "[": "]"}, text_prefixes={"x": "itself"}),
    "mssql": LexicalRules("'", {"[": "]"}, nested_comments=True, text_prefixes=_NAMES_ITSELF, ascii_only=True),
    "oracle": LexicalRules(text_prefixes=_NAMES_ITSELF, ascii_only=True),
    "snowflake": LexicalRules(backslash="refused", ascii_only=True),
    "bigquery": LexicalRules("'\"", _BACKQUOTES, "refused", hash_comments=True, tripled_quotes=True, ascii_only=True),
    "trino": LexicalRules(ascii_only=True),
    "databricks": LexicalRules("'", _BACKQUOTES, "refused", ascii_only=True),
}

_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
_NAME = re.compile(r"[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_$\u0080-\U0010ffff]*")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_OPERATOR_SIGNS = "+-*/<>=~!%^&|@#?`"
_MARKS = "(),.;[]:"
_ANY_PREFIXED = re.compile(r"[A-Za-z]{1,2}", re.ASCII)


def refuse_text(why: str) -> NoReturn:
    """Say that a query cannot be checked."""
    raise InputError(f"a --query is one SELECT, or the name of a view: {why}")


def tokenize(text: str, rules: LexicalRules) -> list[Token]:
    """Return the tokens of a query, without blanks and comments.

    >>> [token.written for token in tokenize("SELECT a -- all\\nFROM t", RULES["postgresql"])]
    ['SELECT', 'a', 'FROM', 't']
    """
    return _Cutter(text, rules).tokens()


class _Cutter:
    def __init__(self, text: str, rules: LexicalRules) -> None:
        self.text = text
        self.rules = rules

    def tokens(self) -> list[Token]:
        found: list[Token] = []
        place = 0
        while (place := self.after_blanks(place)) < len(self.text):
            token = self.token(place)
            found.append(token)
            place = token.end
        return found

    def after_blanks(self, place: int) -> int:
        while place < len(self.text):
            blanks = _BLANKS.match(self.text, place)
            if blanks is not None:
                place = blanks.end()
            elif self.text.startswith("/*", place):
                place = self.after_comment(place)
            elif self.begins_line_comment(place):
                place = self.text.find("\n", place) + 1 or len(self.text)
            else:
                break
        return place

    def begins_line_comment(self, place: int) -> bool:
        if self.rules.hash_comments and self.text[place] == "#":
            return True
        if not self.text.startswith("--", place):
            return False
        return not self.rules.blank_after_dashes or self.text[place + 2 : place + 3] in ("", " ", "\t", "\n", "\r")

    def after_comment(self, place: int) -> int:
        # MySQL and MariaDB run what stands in /*! and /*M!; Oracle and others read hints in /*+.
        if re.compile(r"/\*(?:[Mm]?!|\+)").match(self.text, place):
            refuse_text("it must not hold a comment that a database runs")
        depth, place = 1, place + 2
        while depth:
            mark = re.compile(r"/\*|\*/").search(self.text, place)
            if mark is None:
                refuse_text("a comment has no end")
            place = mark.end()
            if mark.group() == "*/":
                depth -= 1
            elif self.rules.nested_comments:
                depth += 1
            else:
                # Whether this begins a comment within the comment is read in two ways.
                refuse_text("a comment must not hold another")
        return place

    def token(self, place: int) -> Token:
        mark = self.text[place]
        if mark in self.rules.text_quotes:
            return self.quoted(place, place, mark, self.rules.backslash)
        if mark in self.rules.name_quotes:
            return self.quoted_name(place, self.rules.name_quotes[mark])
        if (number := _NUMBER.match(self.text, place)) is not None:
            if _NAME.match(self.text, number.end()):
                refuse_text("a number runs into a name")
            return Token(TokenKind.NUMBER, number.group(), place)
        if (name := _NAME.match(self.text, place)) is not None:
            if self.rules.ascii_only and not name.group().isascii():
                refuse_text("a name with such letters stands in quotes")
            return self.name(place, name.group())
        if mark in _OPERATOR_SIGNS:
            return self.operator(place)
        if mark in _MARKS:
            return Token(TokenKind.MARK, mark, place)
        refuse_text("a sign in it has no place in a plain SELECT")

    def name(self, place: int, name: str) -> Token:
        after = place + len(name)
        following = self.text[after : after + 1]
        if following and following in self.rules.text_quotes and _ANY_PREFIXED.fullmatch(name):
            # r'..', q'[..]', U&'..': a prefix that is not known may change where the text ends.
            if name.lower() not in self.rules.text_prefixes:
                refuse_text("a literal has a prefix; write it in single quotes")
            return self.quoted(place, after, following, self.rules.text_prefixes[name.lower()])
        if name.lower() == "u" and re.compile(r"&['\"]").match(self.text, after):
            refuse_text("a literal or a name has the prefix U&")
        return Token(TokenKind.NAME, name, place, name)

    def quoted(self, start: int, place: int, quote: str, backslash: str) -> Token:
        """Return a text; ``start`` is where its prefix begins."""
        if self.rules.tripled_quotes and self.text.startswith(quote * 3, place):
            refuse_text("a literal begins with three quotes")
        value: list[str] = []
        place += 1
        while True:
            sign = self.text[place : place + 1]
            if not sign or sign == "\0":
                refuse_text("a literal has no end")
            if sign == quote:
                if self.text[place + 1 : place + 2] != quote:
                    break
                place += 1
            elif sign == "\\" and backslash != "itself":
                if backslash == "refused":
                    refuse_text("a literal holds a backslash, which is read in two ways; compare by --where")
                value.append(sign)
                place += 1
                sign = self.text[place : place + 1]
            value.append(sign)
            place += 1
        return Token(TokenKind.TEXT, self.text[start : place + 1], start, "".join(value))

    def quoted_name(self, start: int, closing: str) -> Token:
        place = start + 1
        while True:
            place = self.text.find(closing, place)
            if place < 0:
                refuse_text("a name has no closing quote")
            if self.text[place + 1 : place + 2] != closing:
                break
            place += 2
        written = self.text[start : place + 1]
        value = written[1:-1].replace(closing * 2, closing)
        if not value or "\0" in value:
            refuse_text("a name in quotes is empty")
        return Token(TokenKind.QUOTED_NAME, written, start, value)

    def operator(self, start: int) -> Token:
        if self.rules.operators is not None:
            known = next((sign for sign in self.rules.operators if self.text.startswith(sign, start)), None)
            if known is None or self.text.startswith(("--", "//"), start):
                refuse_text("a sign in it has no place in a plain SELECT")
            return Token(TokenKind.OPERATOR, known, start)
        place = start
        while place < len(self.text) and self.text[place] in _OPERATOR_SIGNS:
            if place > start and (self.text.startswith("/*", place) or self.begins_line_comment(place)):
                break
            place += 1
        return Token(TokenKind.OPERATOR, self.text[start:place], start)
