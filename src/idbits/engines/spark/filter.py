"""The filter grammar compiled to Spark's columns."""

from __future__ import annotations

import re
from collections.abc import Set
from datetime import date, datetime
from decimal import Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines import where
from idbits.engines.spark import values
from idbits.engines.spark.source import SparkSource
from idbits.engines.where import like_expression
from idbits.values.attributes import Kind

__all__ = ["compile_filter"]

_USUAL = r"\s*[+-]?[0-9]{1,22}(\.[0-9]{0,15})?\s*"
_EXACT = "decimal(38,15)"
_LONG = 2**63
_MOST = 10**37


def compile_filter(node: where.Where, source: SparkSource, commas: Set[str]) -> Column:
    """Return the condition of a filter; ``commas`` names the texts whose numbers have a decimal comma."""
    return _FilterColumns(source, commas).condition(node)


class _FilterColumns:
    def __init__(self, source: SparkSource, commas: Set[str]) -> None:
        self.source = source
        self.commas = commas

    def condition(self, node: where.Where) -> Column:
        match node:
            case where.And(left, right):
                return self.condition(left) & self.condition(right)
            case where.Or(left, right):
                return self.condition(left) | self.condition(right)
            case where.Not(operand):
                return ~self.condition(operand)
            case where.IsNull(column):
                return self.value(column).isNull()
            case where.Like(column, pattern):
                return self.like(column, pattern)
            case where.In(column, literals):
                is_one = self.compared(column, "=", literals[0])
                for literal in literals[1:]:
                    is_one = is_one | self.compared(column, "=", literal)
                return is_one
            case where.Between(column, low, high):
                return self.compared(column, ">=", low) & self.compared(column, "<=", high)
            case where.FilterComparison(column, operator, operand):
                return self.compared(column, operator, operand)

    def value(self, column: where.FilterColumn) -> Column:
        return self.source.value(column.name)

    def like(self, column: where.FilterColumn, pattern: str) -> Column:
        # Spark's LIKE is a regular expression that may try every way to split a long text.
        return self.value(column).rlike(rf"(?s)\A{like_expression(pattern)}\z")

    def compared(
        self, column: where.FilterColumn, operator: str, operand: where.Literal | where.FilterColumn
    ) -> Column:
        value = self.value(column)
        if isinstance(operand, where.FilterColumn):
            other = self.value(operand)
            if column.kind is Kind.NUMBER:
                value, other = value.cast("double"), other.cast("double")
            return _compared(value, operator, other)
        if column.as_number:
            text = F.translate(value, ",", ".") if column.name in self.commas else value
            return _number(text, operator, str(operand))
        if isinstance(operand, bool):
            return _compared(value, operator, F.lit(operand))
        if isinstance(operand, datetime):
            return _compared(value, operator, F.lit(operand.isoformat(sep=" ")).cast("timestamp_ntz"))
        if isinstance(operand, date):
            return _compared(value, operator, F.lit(operand.isoformat()).cast("date"))
        if isinstance(operand, str):
            return _compared(value, operator, F.lit(operand))
        if column.kind is Kind.NUMBER:
            return _compared(value.cast("double"), operator, F.lit(str(operand)).cast("double"))
        if isinstance(operand, Decimal):
            return _number(value.cast("string"), operator, str(operand))
        return _whole(value, operator, operand)


def _compared(left: Column, operator: str, right: Column) -> Column:
    return {
        "=": lambda: left == right,
        "<>": lambda: left != right,
        "<": lambda: left < right,
        "<=": lambda: left <= right,
        ">": lambda: left > right,
        ">=": lambda: left >= right,
    }[operator]()


def _whole(value: Column, operator: str, number: int) -> Column:
    if -_LONG <= number < _LONG:
        return _compared(value, operator, F.lit(number))
    if abs(number) < _MOST:
        return _compared(value.cast("decimal(38,0)"), operator, F.lit(str(number)).cast("decimal(38,0)"))
    return _compared(value.cast("double"), operator, F.lit(str(number)).cast("double"))


def _number(text: Column, operator: str, number: str) -> Column:
    """Compare a text with a number: exactly if both have a usual number of digits."""
    rough = _compared(values.number_of(text), operator, F.lit(number).cast("double"))
    if re.fullmatch(_USUAL, number) is None:
        return rough
    exact = _compared(values.trimmed(text).try_cast(_EXACT), operator, F.lit(number).cast(_EXACT))
    return F.when(values.has_pattern(text, _USUAL), exact).otherwise(rough)
