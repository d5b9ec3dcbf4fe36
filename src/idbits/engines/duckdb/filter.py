"""The filter grammar compiled to DuckDB's SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from idbits.engines import where
from idbits.engines.duckdb.connection import literal
from idbits.engines.duckdb.values import comparable, has_pattern, with_point
from idbits.values.attributes import Kind

__all__ = ["FilterColumns", "compile_filter"]

_USUAL = r"\s*[+-]?[0-9]{1,22}(\.[0-9]{0,15})?\s*"


@dataclass(frozen=True, slots=True)
class FilterColumns:
    """The columns' names in the relation, their DuckDB types, and which texts have a decimal comma."""

    names: Mapping[str, str]
    types: Mapping[str, str]
    commas: Set[str] = frozenset()


def compile_filter(node: where.Where, cells: FilterColumns) -> str:
    """Return the SQL condition of a filter."""
    match node:
        case where.And(left, right):
            return f"({compile_filter(left, cells)} AND {compile_filter(right, cells)})"
        case where.Or(left, right):
            return f"({compile_filter(left, cells)} OR {compile_filter(right, cells)})"
        case where.Not(operand):
            return f"(NOT {compile_filter(operand, cells)})"
        case where.IsNull(column):
            return f"({_column(column, cells)} IS NULL)"
        case where.Like(column, pattern):
            return f"({_column(column, cells)} LIKE {literal(pattern)} ESCAPE '')"
        case where.In(column, literals):
            alternatives = [where.FilterComparison(column, "=", item) for item in literals]
            return "(" + " OR ".join(compile_filter(item, cells) for item in alternatives) + ")"
        case where.Between(column, low, high):
            ends = where.And(where.FilterComparison(column, ">=", low), where.FilterComparison(column, "<=", high))
            return compile_filter(ends, cells)
        case where.FilterComparison():
            return _comparison(node, cells)


def _comparison(node: where.FilterComparison, cells: FilterColumns) -> str:
    value, operand = _column(node.column, cells), node.operand
    if isinstance(operand, where.FilterColumn):
        return f"({value} {node.operator} {_column(operand, cells)})"
    if node.column.as_number:
        return _number_comparison(value, node.operator, str(operand))
    if node.column.kind is Kind.INTEGER and isinstance(operand, Decimal):
        return _number_comparison(f"CAST({value} AS VARCHAR)", node.operator, str(operand))
    return f"({value} {node.operator} {_literal(operand, node.column)})"


def _number_comparison(text: str, operator: str, number: str) -> str:
    """Compare a text with a number: exactly if both have a usual number of digits."""
    rough = f"(CAST({text} AS DOUBLE) {operator} CAST('{number}' AS DOUBLE))"
    if re.fullmatch(_USUAL, number) is None:
        return rough
    exact = f"(CAST(trim({text}) AS DECIMAL(38,15)) {operator} CAST('{number}' AS DECIMAL(38,15)))"
    return f"(CASE WHEN {has_pattern(text, _USUAL)} THEN {exact} ELSE {rough} END)"


def _column(column: where.FilterColumn, cells: FilterColumns) -> str:
    value = comparable(cells.names[column.name], cells.types[column.name])
    if column.as_number:
        return with_point(value) if column.name in cells.commas else value
    return f"CAST({value} AS DOUBLE)" if column.kind is Kind.NUMBER else f"({value})"


def _literal(item: where.Literal, column: where.FilterColumn) -> str:
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
    return f"CAST('{item}' AS DOUBLE)"
