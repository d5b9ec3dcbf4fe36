"""The filter grammar: comparisons, and/or/not, in, between, is null, like, on columns and literals.

sqlglot parses the text; a whitelist converts its result to the small tree below, which each engine compiles. Everything
else (functions, subqueries, casts, arithmetic) is an error, so no filter can read or write a file.

Implements: SPEC section 12. Null behaves as in SQL: a comparison with a null value is neither true nor false.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache, reduce
from typing import Any, NoReturn

from idbits.errors import InputError
from idbits.values.attributes import Kind
from idbits.wording import near_names

__all__ = [
    "And",
    "Between",
    "FilterColumn",
    "FilterComparison",
    "In",
    "IsNull",
    "Like",
    "Literal",
    "Not",
    "Or",
    "Where",
    "columns_named",
    "columns_of",
    "like_expression",
    "like_pattern",
    "parse",
    "silent_parser",
]  # fmt: skip

# A node of sqlglot's tree; its classes differ between versions.
Node = Any
Literal = str | int | Decimal | bool | date | datetime


@dataclass(frozen=True, slots=True)
class FilterColumn:
    """A column, and whether its text is read as numbers."""

    name: str
    kind: Kind
    as_number: bool = False


@dataclass(frozen=True, slots=True)
class FilterComparison:
    """``column operator operand`` with an operator of = <> < <= > >=."""

    column: FilterColumn
    operator: str
    operand: Literal | FilterColumn


@dataclass(frozen=True, slots=True)
class In:
    """``column in (literals)``."""

    column: FilterColumn
    literals: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """``column between low and high``, both ends included."""

    column: FilterColumn
    low: Literal
    high: Literal


@dataclass(frozen=True, slots=True)
class IsNull:
    """``column is null``."""

    column: FilterColumn


@dataclass(frozen=True, slots=True)
class Like:
    """``column like pattern``: % is any text, _ is one character; case matters."""

    column: FilterColumn
    pattern: str


@dataclass(frozen=True, slots=True)
class Not:
    """The negation of a condition; unknown stays unknown."""

    operand: Where


@dataclass(frozen=True, slots=True)
class And:
    """Both conditions."""

    left: Where
    right: Where


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of two conditions."""

    left: Where
    right: Where


Where = FilterComparison | In | Between | IsNull | Like | Not | And | Or


def parse(filters: str | Sequence[str], columns: Mapping[str, Kind]) -> Where:
    """Parse a filter; rows must satisfy all filters if there are several.

    Each text is parsed by itself, so that none can close the parentheses of another.

    >>> parse("age >= 18 and sex = 'F'", {"age": Kind.INTEGER, "sex": Kind.TEXT}).right.operand
    'F'
    """
    texts = [filters] if isinstance(filters, str) else list(filters)
    if not texts:
        raise InputError("the list of filters is empty; give at least one filter")
    return reduce(And, (_parsed(text, columns) for text in texts))


def _parsed(text: str, columns: Mapping[str, Kind]) -> Where:
    import sqlglot
    from sqlglot.errors import SqlglotError
    from sqlglot.tokens import TokenType  # type: ignore[attr-defined,unused-ignore]

    try:
        with silent_parser():
            tokens = sqlglot.tokenize(text, "duckdb")
            if any(token.token_type is TokenType.SEMICOLON or token.comments for token in tokens):
                raise InputError("the filter must be one condition, without semicolons or comments")
            found = _FilterReader(columns).where(sqlglot.parse_one(text, dialect="duckdb"))
    except SqlglotError:
        raise InputError(
            "the filter cannot be parsed; write it like \"age >= 18 and sex = 'F'\", "
            "with special column names in double quotes"
        ) from None
    except RecursionError:
        raise InputError(_TOO_DEEP) from None
    if _is_deep(found):
        raise InputError(_TOO_DEEP)
    return found


def _is_deep(filter_: Where) -> bool:
    """Whether a filter is nested more deeply than every engine can read, whatever Python's limit of recursion is."""
    nodes: list[tuple[Where, int]] = [(filter_, 1)]
    while nodes:
        node, depth = nodes.pop()
        if depth > _DEEPEST:
            return True
        match node:
            case And(left, right) | Or(left, right):
                nodes += [(left, depth + 1), (right, depth + 1)]
            case Not(operand):
                nodes.append((operand, depth + 1))
    return False


def columns_named(text: str) -> set[str]:
    """Return the columns that a filter names, without knowing the table; empty if the text is not a filter.

    >>> sorted(columns_named("age >= 18 and sex = 'F'"))
    ['age', 'sex']
    """
    import sqlglot
    from sqlglot import expressions as exp

    try:
        with silent_parser():
            return {node.name for node in sqlglot.parse_one(text, dialect="duckdb").find_all(exp.Column)}
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        return set()


def columns_of(node: Where) -> set[FilterColumn]:
    """Return the columns that a filter uses."""
    match node:
        case And(left, right) | Or(left, right):
            return columns_of(left) | columns_of(right)
        case Not(operand):
            return columns_of(operand)
        case FilterComparison(column, _, FilterColumn() as other):
            return {column, other}
        case _:
            return {node.column}


_BEYOND = 5_000
_DEEPEST = 450
_TOO_DEEP = "the filter is nested too deeply; write alternatives with in (...)"
_LONG = 40
_QUOTES = "; put texts in single quotes and column names in double quotes"
_FLIPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class _FilterReader:
    def __init__(self, columns: Mapping[str, Kind]) -> None:
        from sqlglot import expressions as exp

        self.columns = columns
        self.exp = exp
        self.operators = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
        self.readers: dict[type, Callable[[Node], Where]] = {
            exp.Paren: lambda node: self.where(node.this),
            exp.And: lambda node: And(self.where(node.left), self.where(node.right)),
            exp.Or: lambda node: Or(self.where(node.left), self.where(node.right)),
            exp.Not: lambda node: Not(self.where(node.this)),
            exp.In: self.membership,
            exp.Between: self.between,
            exp.Is: self.is_null,
            exp.Like: self.like,
        }

    def where(self, node: Node) -> Where:
        if type(node) in self.operators:
            return self.comparison(node)
        reader = self.readers.get(type(node))
        if reader is None or node is None:
            self.refuse(node)
        return reader(node)

    def refuse(self, node: Node) -> NoReturn:
        kinds = ((self.exp.Select, "a query"), (self.exp.Func, "a function"), (self.exp.Binary, "a calculation"))
        what = next((words for kind, words in kinds if isinstance(node, kind)), "something else")
        raise InputError(
            "the filter may compare columns with texts and numbers (and, or, not, in, between, is null, like), but has "
            f"{what} in it; put special column names in double quotes"
        )

    def comparison(self, node: Node) -> Where:
        operator, left, right = self.operators[type(node)], node.this, node.expression
        if not isinstance(left, self.exp.Column) and isinstance(right, self.exp.Column):
            operator, left, right = _FLIPPED[operator], right, left
        column = self.column(left)
        if isinstance(right, self.exp.Column):
            other = self.column(right)
            if other.kind is not column.kind:
                raise InputError(
                    f'columns "{column.name}" and "{other.name}" have different kinds and cannot be compared'
                )
            return FilterComparison(column, operator, other)
        column, (literal,) = self.operands(column, [right])
        return FilterComparison(column, operator, literal)

    def membership(self, node: Node) -> Where:
        if not node.expressions or node.args.get("query") or node.args.get("unnest") or node.args.get("field"):
            self.refuse(node.args.get("query"))
        column, literals = self.operands(self.column(node.this), node.expressions)
        return In(column, literals)

    def between(self, node: Node) -> Where:
        column, (low, high) = self.operands(self.column(node.this), [node.args["low"], node.args["high"]])
        return Between(column, low, high)

    def is_null(self, node: Node) -> Where:
        if not isinstance(node.expression, self.exp.Null):
            self.refuse(node.expression)
        return IsNull(self.column(node.this))

    def like(self, node: Node) -> Where:
        column = self.column(node.this)
        if column.kind is not Kind.TEXT:
            raise InputError(f'like compares text, but column "{column.name}" is {column.kind}')
        pattern = node.expression
        if not (isinstance(pattern, self.exp.Literal) and pattern.is_string):
            self.refuse(pattern)
        return Like(column, pattern.this)

    def column(self, node: Node) -> FilterColumn:
        if not isinstance(node, self.exp.Column) or len(node.parts) != 1:
            self.refuse(node)
        if node.name not in self.columns:
            # The name is not repeated: it may be a text in the wrong quotes, and texts of a filter may be values.
            near = "" if getattr(self.columns, "may_be_data", False) else near_names(node.name, self.columns)
            end = getattr(self.columns, "suspicion", str)() or near or _QUOTES
            raise InputError(f"the filter names a column that the table does not have{end}")
        return FilterColumn(node.name, self.columns[node.name])

    def operands(self, column: FilterColumn, nodes: list[Node]) -> tuple[FilterColumn, tuple[Literal, ...]]:
        literals = [self.literal(node) for node in nodes]
        numbers = all(isinstance(item, int | Decimal) and not isinstance(item, bool) for item in literals)
        if column.kind is Kind.TEXT and numbers:
            return FilterColumn(column.name, column.kind, as_number=True), tuple(literals)
        return column, tuple(_fit(column, item) for item in literals)

    def literal(self, node: Node) -> Literal:
        negative = isinstance(node, self.exp.Neg)
        value = node.this if negative else node
        if isinstance(value, self.exp.Boolean) and not negative:
            return bool(value.this)
        if isinstance(value, self.exp.Null):
            raise InputError("to compare with null, write is null or is not null")
        if not isinstance(value, self.exp.Literal) or (negative and value.is_string):
            self.refuse(node)
        if value.is_string:
            return str(value.this)
        number = Decimal(value.this)
        if not -_BEYOND < number.adjusted() < _BEYOND:
            raise InputError("a number in the filter is too large")
        exact = int(number) if number.adjusted() < _LONG and number == number.to_integral_value() else number
        return -exact if negative else exact


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _fit(column: FilterColumn, literal: Literal) -> Literal:
    """Convert a literal to the kind of its column."""
    kind, is_bool = column.kind, isinstance(literal, bool)
    if kind in (Kind.TEXT, Kind.OTHER) and isinstance(literal, str):
        return literal
    if kind is Kind.BOOLEAN and is_bool:
        return literal
    if kind in (Kind.INTEGER, Kind.NUMBER) and isinstance(literal, int | Decimal) and not is_bool:
        return literal
    if kind in (Kind.DATE, Kind.TIMESTAMP) and isinstance(literal, str):
        try:
            return date.fromisoformat(literal) if kind is Kind.DATE else _in_utc(datetime.fromisoformat(literal))
        except ValueError:
            raise InputError(f"write dates in the filter like '2005-01-31' (column \"{column.name}\")") from None
    wanted = {Kind.INTEGER: "a number", Kind.NUMBER: "a number", Kind.BOOLEAN: "true or false"}.get(
        kind, "text in quotes"
    )
    raise InputError(f'column "{column.name}" is {kind}: compare it with {wanted}')


def like_expression(pattern: str) -> str:
    """Return a regular expression for the whole text that means the same in Python and Java.

    The first match of a part between two % is as good as any later one. An atomic group keeps it, so that even a very
    long text causes no backtracking.

    >>> like_expression("a%b_%c")
    'a(?>.*?b.).*c'
    """
    first, *rest = map(_fixed, pattern.split("%"))
    if not rest:
        return first
    *middle, last = rest
    return first + "".join(f"(?>.*?{part})" for part in middle if part) + ".*" + last


@lru_cache(maxsize=256)
def like_pattern(pattern: str) -> re.Pattern[str]:
    """Return the compiled expression for ``fullmatch``."""
    return re.compile(like_expression(pattern), re.DOTALL)


def _fixed(part: str) -> str:
    return "".join("." if sign == "_" else _escaped(sign) for sign in part)


def _escaped(sign: str) -> str:
    return sign if sign.isalnum() or not sign.isascii() else f"\\x{ord(sign):02x}"


@contextmanager
def silent_parser() -> Iterator[None]:
    """Keep the warnings of sqlglot out of the logs."""
    logger = logging.getLogger("sqlglot")
    silent, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = silent
