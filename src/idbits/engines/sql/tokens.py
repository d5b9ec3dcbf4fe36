"""Splits a query into tokens as the database does.

Checking a query is useless if the database reads its text differently. So this is the strict part of each database's
lexical rules; text that settings or versions read differently is refused.
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
    """The kind of a token."""

    NAME = "name"
    QUOTED_NAME = "quoted name"
    TEXT = "text"
    NUMBER = "number"
    OPERATOR = "operator"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query: its text as written, and the value of names and texts."""

    kind: TokenKind
    written: str
    start: int
    value: str = ""

    @property
    def end(self) -> int:
        """The position after the token."""
        return self.start + len(self.written)

    def is_word(self, *words: str) -> bool:
        """Return whether this is one of some keywords, given in capitals."""
        return self.kind is TokenKind.NAME and self.written.upper() in words


_OPERATORS = ("<=>", "->>", "<=", ">=", "<>", "!=", "==", "<<", ">>", "||", "&&", "->", *"+-*/%=<>&|^~!")


@dataclass(frozen=True, slots=True)
class LexicalRules:
    """How a database splits a query into tokens.

    Attributes:
        text_quotes: the quotes of texts.
        name_quotes: the opening and closing quotes of names.
        backslash: its meaning in a text: ``"itself"``, ``"escape"``, or ``"refused"`` if that depends on settings.
        nested_comments: whether a comment may contain another.
        hash_comments: whether # begins a comment.
        blank_after_dashes: whether -- begins a comment only before a space.
        tripled_quotes: whether three quotes begin another kind of text.
        text_prefixes: prefixes of quoted texts, with the meaning of a backslash in them.
        operators: all operators; None if users can define their own.
        ascii_only: whether other letters need quotes, because the database reads some of them as spaces.
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
# Double quotes are left out if a setting decides whether they enclose texts or names.
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
    """Raise the error that a query cannot be checked."""
    raise InputError(f"--query must be one SELECT or the name of a view: {why}")


def tokenize(text: str, rules: LexicalRules) -> list[Token]:
    """Return the tokens of a query, without spaces and comments.

    >>> [token.written for token in tokenize("SELECT a -- all\\nFROM t", RULES["postgresql"])]
    ['SELECT', 'a', 'FROM', 't']
    """
    return _Tokenizer(text, rules).tokens()


class _Tokenizer:
    def __init__(self, text: str, rules: LexicalRules) -> None:
        self.text = text
        self.rules = rules

    def tokens(self) -> list[Token]:
        tokens: list[Token] = []
        index = 0
        while (index := self.after_blanks(index)) < len(self.text):
            token = self.token(index)
            tokens.append(token)
            index = token.end
        return tokens

    def after_blanks(self, index: int) -> int:
        while index < len(self.text):
            blanks = _BLANKS.match(self.text, index)
            if blanks is not None:
                index = blanks.end()
            elif self.text.startswith("/*", index):
                index = self.after_comment(index)
            elif self.begins_line_comment(index):
                index = self.text.find("\n", index) + 1 or len(self.text)
            else:
                break
        return index

    def begins_line_comment(self, index: int) -> bool:
        if self.rules.hash_comments and self.text[index] == "#":
            return True
        if not self.text.startswith("--", index):
            return False
        return not self.rules.blank_after_dashes or self.text[index + 2 : index + 3] in ("", " ", "\t", "\n", "\r")

    def after_comment(self, index: int) -> int:
        # MySQL and MariaDB execute the text in /*! and /*M!; Oracle and others read hints in /*+.
        if re.compile(r"/\*(?:[Mm]?!|\+)").match(self.text, index):
            refuse_text("it must not contain a comment that the database executes")
        depth, index = 1, index + 2
        while depth:
            mark = re.compile(r"/\*|\*/").search(self.text, index)
            if mark is None:
                refuse_text("a comment is not closed")
            index = mark.end()
            if mark.group() == "*/":
                depth -= 1
            elif self.rules.nested_comments:
                depth += 1
            else:
                # Databases disagree on whether this begins a nested comment.
                refuse_text("a comment must not contain another comment")
        return index

    def token(self, index: int) -> Token:
        mark = self.text[index]
        if mark in self.rules.text_quotes:
            return self.quoted(index, index, mark, self.rules.backslash)
        if mark in self.rules.name_quotes:
            return self.quoted_name(index, self.rules.name_quotes[mark])
        if (number := _NUMBER.match(self.text, index)) is not None:
            if _NAME.match(self.text, number.end()):
                refuse_text("a name follows a number without a space")
            return Token(TokenKind.NUMBER, number.group(), index)
        if (name := _NAME.match(self.text, index)) is not None:
            if self.rules.ascii_only and not name.group().isascii():
                refuse_text("put names with non-ASCII letters in quotes")
            return self.name(index, name.group())
        if mark in _OPERATOR_SIGNS:
            return self.operator(index)
        if mark in _MARKS:
            return Token(TokenKind.MARK, mark, index)
        refuse_text("it contains a character that a plain SELECT does not have")

    def name(self, index: int, name: str) -> Token:
        after = index + len(name)
        following = self.text[after : after + 1]
        if following and following in self.rules.text_quotes and _ANY_PREFIXED.fullmatch(name):
            # r'..', q'[..]', U&'..': an unknown prefix may change where the text ends.
            if name.lower() not in self.rules.text_prefixes:
                refuse_text("a literal has a prefix; write it without one, in single quotes")
            return self.quoted(index, after, following, self.rules.text_prefixes[name.lower()])
        if name.lower() == "u" and re.compile(r"&['\"]").match(self.text, after):
            refuse_text("a literal or a name has the prefix U&")
        return Token(TokenKind.NAME, name, index, name)

    def quoted(self, start: int, index: int, quote: str, backslash: str) -> Token:
        """Return a text; ``start`` is where its prefix begins."""
        if self.rules.tripled_quotes and self.text.startswith(quote * 3, index):
            refuse_text("a literal begins with three quotes")
        value: list[str] = []
        index += 1
        while True:
            sign = self.text[index : index + 1]
            if not sign or sign == "\0":
                refuse_text("a literal is not closed")
            if sign == quote:
                if self.text[index + 1 : index + 2] != quote:
                    break
                index += 1
            elif sign == "\\" and backslash != "itself":
                if backslash == "refused":
                    refuse_text("a literal contains a backslash, which is ambiguous; filter with --where instead")
                value.append(sign)
                index += 1
                sign = self.text[index : index + 1]
            value.append(sign)
            index += 1
        return Token(TokenKind.TEXT, self.text[start : index + 1], start, "".join(value))

    def quoted_name(self, start: int, closing: str) -> Token:
        index = start + 1
        while True:
            index = self.text.find(closing, index)
            if index < 0:
                refuse_text("a name has no closing quote")
            if self.text[index + 1 : index + 2] != closing:
                break
            index += 2
        written = self.text[start : index + 1]
        value = written[1:-1].replace(closing * 2, closing)
        if not value or "\0" in value:
            refuse_text("a name in quotes is empty")
        return Token(TokenKind.QUOTED_NAME, written, start, value)

    def operator(self, start: int) -> Token:
        if self.rules.operators is not None:
            known = next((sign for sign in self.rules.operators if self.text.startswith(sign, start)), None)
            if known is None or self.text.startswith(("--", "//"), start):
                refuse_text("it contains a character that a plain SELECT does not have")
            return Token(TokenKind.OPERATOR, known, start)
        index = start
        while index < len(self.text) and self.text[index] in _OPERATOR_SIGNS:
            if index > start and (self.text.startswith("/*", index) or self.begins_line_comment(index)):
                break
            index += 1
        return Token(TokenKind.OPERATOR, self.text[start:index], start)
