"""Checks that a --query is one SELECT, and sends exactly what was checked.

The query becomes part of other statements, in parentheses. Its text is split into tokens by the rules of the database
(``tokens.py``), and only these are sent: no comment, no second statement, no parenthesis that closes the outer one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from idbits.engines.sql.tokens import LexicalRules, Token, TokenKind, refuse_text, tokenize
from idbits.engines.where import Node, silent_parser

if TYPE_CHECKING:
    from idbits.engines.sql.connection import DatabaseConnection

__all__ = ["OneSelect", "checked_query", "parse_one_select"]

_DIALECTS = {"postgresql": "postgres", "mssql": "tsql", "mariadb": "mysql"}
_PARSERS_MOST = 200_000
# Row locks, by all their names.
_LOCKS = {"FOR": ("UPDATE", "SHARE", "NO", "KEY"), "LOCK": ("IN",)}


@dataclass(frozen=True)
class OneSelect:
    """A query of one SELECT.

    Attributes:
        tokens: its tokens.
        text: the text that is sent.
        tree: sqlglot's parse tree.
    """

    tokens: tuple[Token, ...]
    text: str
    tree: Node

    @cached_property
    def called(self) -> tuple[Token, ...]:
        """The names before a parenthesis: functions, types and some keywords."""
        return tuple(first for first, second in self._pairs() if _is_name(first) and second.written == "(")

    @cached_property
    def calls(self) -> tuple[Token, ...]:
        """Those that are not an alias with column names, as in ``AS t (a, b)`` and ``w (a) AS (SELECT``."""
        return tuple(token for token in self.called if not self._is_alias(self.tokens.index(token)))

    def _is_alias(self, index: int) -> bool:
        if index and self.tokens[index - 1].is_word("AS"):
            return True
        depth, end = 0, index + 1
        for end in range(index + 1, len(self.tokens)):
            depth += _depth(self.tokens[end])
            if not depth:
                break
        after = self.tokens[end + 1 : end + 4]
        begins = len(after) == 3 and (after[2].is_word("SELECT", "WITH", "VALUES") or after[2].written == "(")
        return begins and after[0].is_word("AS") and after[1].written == "("

    @cached_property
    def names(self) -> tuple[Token, ...]:
        """All names and keywords."""
        return tuple(token for token in self.tokens if _is_name(token))

    @cached_property
    def members(self) -> tuple[Token, ...]:
        """The names after a point: mostly columns."""
        return tuple(second for first, second in self._pairs() if first.written == "." and _is_name(second))

    @cached_property
    def operators(self) -> tuple[str, ...]:
        """The operators as written."""
        return tuple(token.written for token in self.tokens if token.kind is TokenKind.OPERATOR)

    def _pairs(self) -> Iterator[tuple[Token, Token]]:
        return pairwise(self.tokens)

    def without_literals(self, prefix: str = ":query") -> str:
        """Return the text with a placeholder for each text and number in it."""
        return _joined(self.tokens, self.text, prefix)


def checked_query(connection: DatabaseConnection, text: str) -> OneSelect | None:
    """Return a query that only reads, or None if the text is the name of a view."""
    name = connection.engine.dialect.name
    query = parse_one_select(text, "mysql" if name == "mariadb" else name, connection.dialect.lexical_rules(connection))
    if query is not None:
        connection.dialect.check_query(connection, query)
    return query


def parse_one_select(text: str, dialect: str, rules: LexicalRules) -> OneSelect | None:
    """Return a checked query, or None if the text is the name of a view."""
    if "\0" in text or len(text) > _PARSERS_MOST or not _is_unicode(text):
        refuse_text("it is not plain text")
    tokens = tokenize(text, rules)
    while tokens and tokens[-1].written == ";":
        tokens.pop()
    sent = _sent(text, tokens, dialect)
    tree = _tree(sent, _DIALECTS.get(dialect, dialect))
    if tree is None:
        return None
    _must_stay_inside(tokens)
    _must_only_read(tokens, dialect)
    return OneSelect(tuple(tokenize(sent, rules)), sent, tree)


def _is_name(token: Token) -> bool:
    return token.kind in (TokenKind.NAME, TokenKind.QUOTED_NAME)


def _depth(token: Token) -> int:
    return {"(": 1, ")": -1}.get(token.written, 0) if token.kind is TokenKind.MARK else 0


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _sent(text: str, tokens: list[Token], dialect: str) -> str:
    parts: list[str] = []
    end = tokens[0].start if tokens else 0
    for token in tokens:
        gap = text[end : token.start]
        parts.append(gap if not gap.strip(" \t\n\r\f\v") else " ")
        parts.append(_unambiguous(token, dialect))
        end = token.end
    return "".join(parts)


def _unambiguous(token: Token, dialect: str) -> str:
    """Return a token as it is sent, written so that the database cannot misread it."""
    if dialect == "postgresql":
        return _same_under_all_settings(token)
    if dialect == "sqlite" and token.kind is TokenKind.QUOTED_NAME:
        # SQLite reads a name in double quotes as a text if the column does not exist.
        return "`" + token.value.replace("`", "``") + "`"
    return token.written


def _same_under_all_settings(token: Token) -> str:
    """Return a PostgreSQL literal that does not depend on standard_conforming_strings."""
    if token.kind is not TokenKind.TEXT or not token.written.startswith("'") or "\\" not in token.value:
        return token.written
    escaped = token.value.replace("\\", "\\\\").replace("'", "''")
    return f"E'{escaped}'"


def _tree(text: str, dialect: str) -> Node:
    """Return sqlglot's parse tree of a SELECT; None if the text is a name."""
    import sqlglot
    from sqlglot import exp

    try:
        with silent_parser():
            statements = [item for item in sqlglot.parse(text, read=dialect) if item is not None]
    except (sqlglot.errors.SqlglotError, ValueError):
        refuse_text("create a view for any other query")
    except RecursionError:
        refuse_text("it is nested too deeply")
    if len(statements) != 1:
        refuse_text("create a view for any other query")
    if isinstance(statements[0], exp.Column | exp.Identifier | exp.Dot | exp.Alias | exp.Literal):
        return None
    if not isinstance(statements[0], exp.Query):
        refuse_text("create a view for any other query")
    changing = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Into, exp.Lock, exp.Command, exp.DDL)
    if any(isinstance(node, changing) and not isinstance(node, exp.Query) for node in statements[0].walk()):
        refuse_text("it must not write or lock anything")
    return statements[0]


def _must_stay_inside(tokens: list[Token]) -> None:
    depth = 0
    for token in tokens:
        depth += _depth(token)
        if depth < 0 or (token.kind is TokenKind.MARK and token.written == ";"):
            refuse_text("create a view for any other query")
    if depth:
        refuse_text("a parenthesis is not closed")


def _must_only_read(tokens: list[Token], dialect: str) -> None:
    if any(token.is_word("INTO") for token in tokens):
        refuse_text("it must not write anything (INTO)")
    for first, second in pairwise(tokens):
        if any(first.is_word(word) and second.is_word(*following) for word, following in _LOCKS.items()):
            refuse_text("it must not lock anything")
        # In PostgreSQL this is a column, or a function in its catalog.
        member = dialect != "postgresql" and first.written == "." and second.is_word("NEXTVAL")
        if member or (first.is_word("NEXT") and second.is_word("VALUE")):
            refuse_text("it must not use a sequence")
        # A second literal continues the first, and the first one's prefix applies to both.
        both = first.kind is second.kind is TokenKind.TEXT
        if both and dialect == "postgresql":
            refuse_text("two literals are next to each other; join them")


def _joined(tokens: tuple[Token, ...], text: str, prefix: str) -> str:
    parts: list[str] = []
    end, number = 0, 0
    for token in tokens:
        parts.append(text[end : token.start])
        end = token.end
        if token.kind in (TokenKind.TEXT, TokenKind.NUMBER):
            number += 1
            parts.append(f"{prefix}{number}")
        else:
            parts.append(token.written)
    return "".join(parts)
