"""Filters in plain Python: what each condition means, written as directly as possible."""

from __future__ import annotations

import math
import operator
from typing import Any

from idbits.engines import where
from idbits.values.decimals import as_decimal
from idbits.values.plain import read_numbers

__all__ = ["satisfies", "with_numbers"]


def with_numbers(rows: list[dict[Any, Any]], condition: where.Where) -> list[dict[Any, Any]]:
    """Return rows in which the text that a filter compares with numbers stands as such numbers, too."""
    for column in where.columns_of(condition):
        if column.as_number:
            numbers = read_numbers([row[column.name] for row in rows])
            rows = [row | {(column.name, "number"): number} for row, number in zip(rows, numbers, strict=True)]
    return rows


_OPERATORS = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def satisfies(node: where.Where, row: dict[Any, Any]) -> bool | None:
    """Return whether a row satisfies a filter; None where SQL says unknown."""
    match node:
        case where.And(left, right):
            both = (satisfies(left, row), satisfies(right, row))
            return False if False in both else None if None in both else True
        case where.Or(left, right):
            both = (satisfies(left, row), satisfies(right, row))
            return True if True in both else None if None in both else False
        case where.Not(operand):
            inner = satisfies(operand, row)
            return None if inner is None else not inner
        case where.IsNull(column):
            return row[column.name] is None
        case _:
            value = row[(node.column.name, "number") if node.column.as_number else node.column.name]
            return None if value is None else _holds(node, _compared(value), row)


def _compared(value: Any) -> Any:
    # A float is the decimal that people read.
    return as_decimal(value) if isinstance(value, float) and math.isfinite(value) else value


def _holds(
    node: where.Like | where.In | where.Between | where.Comparison, value: Any, row: dict[str, Any]
) -> bool | None:
    match node:
        case where.Like(_, pattern):
            return _is_like(value, pattern)
        case where.In(_, literals):
            return value in literals
        case where.Between(_, low, high):
            return bool(low <= value and value <= high)
        case where.Comparison(_, symbol, compared):
            other = row[compared.name] if isinstance(compared, where.Column) else compared
            return None if other is None else bool(_OPERATORS[symbol](value, _compared(other)))


def _is_like(text: str, pattern: str) -> bool:
    """Follow all places of the pattern at which the text may be, one character after another."""
    places = _past_percents({0}, pattern)
    for sign in text:
        stay = {place for place in places if pattern[place : place + 1] == "%"}
        step = {place + 1 for place in places - stay if pattern[place : place + 1] in ("_", sign)}
        places = _past_percents(stay | step, pattern)
    return len(pattern) in places


def _past_percents(places: set[int], pattern: str) -> set[int]:
    """Add the places that are reached without a character: a % may stand for no text."""
    found = set(places)
    for place in sorted(places):
        while pattern[place : place + 1] == "%":
            place += 1
            found.add(place)
    return found
