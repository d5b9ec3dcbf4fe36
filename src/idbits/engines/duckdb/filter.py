"""The filter grammar compiled to DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Mapping, Set
from datetime import date, datetime

from idbits.attributes import Kind
from idbits.engines import where
from idbits.engines.duckdb.connection import identifier, literal
from idbits.engines.duckdb.values import comparable, with_point

__all__ = ["compile_filter"]


def compile_filter(node: where.Where, types: Mapping[str, str], commas: Set[str] = frozenset()) -> str:
    """Return the SQL condition of a filter.

    ``types`` are the DuckDB types of the columns, ``commas`` the text columns whose numbers have a decimal comma.
    """
    match node:
        case where.And(left, right):
            return f"({compile_filter(left, types, commas)} AND {compile_filter(right, types, commas)})"
        case where.Or(left, right):
            return f"({compile_filter(left, types, commas)} OR {compile_filter(right, types, commas)})"
        case where.Not(operand):
            return f"(NOT {compile_filter(operand, types, commas)})"
        case where.IsNull(column):
            return f"({_column(column, types, commas)} IS NULL)"
        case where.Like(column, pattern):
            return f"({_column(column, types, commas)} LIKE {literal(pattern)} ESCAPE '')"
        case where.In(column, literals):
            return f"({_column(column, types, commas)} IN ({', '.join(_literal(item, column) for item in literals)}))"
        case where.Between(column, low, high):
            return f"({_column(column, types, commas)} BETWEEN {_literal(low, column)} AND {_literal(high, column)})"
        case where.Comparison(column, operator, operand):
            other = _column(operand, types, commas) if isinstance(operand, where.Column) else _literal(operand, column)
            return f"({_column(column, types, commas)} {operator} {other})"


def _column(column: where.Column, types: Mapping[str, str], commas: Set[str]) -> str:
    value = comparable(identifier(column.name), types[column.name])
    if column.as_number and column.name in commas:
        value = with_point(value)
    if column.as_number:
        return f"TRY_CAST({value} AS DOUBLE)"
    return f"CAST({value} AS DOUBLE)" if column.kind is Kind.NUMBER else f"({value})"


def _literal(item: where.Literal, column: where.Column) -> str:
    if isinstance(item, bool):
        return "TRUE" if item else "FALSE"
    if isinstance(item, datetime):
        return f"CAST({literal(item.isoformat(sep=' '))} AS TIMESTAMP)"
    if isinstance(item, date):
        return f"CAST({literal(item.isoformat())} AS DATE)"
    if isinstance(item, str):
        return literal(item)
    if isinstance(item, int) and column.kind is Kind.INTEGER:
        return f"CAST('{item}' AS HUGEINT)" if abs(item) < 2**126 else f"CAST('{item}' AS DOUBLE)"
    return f"CAST('{item!r}' AS DOUBLE)"
