"""The filter grammar compiled to the words of a database."""

from __future__ import annotations

from collections.abc import Set
from datetime import datetime
from decimal import Decimal

import sqlalchemy as sa

from idbits.engines import where
from idbits.engines.sql.placeholders import Placeholders
from idbits.engines.sql.source import DatabaseSource
from idbits.engines.sql.words import Element, Words
from idbits.values.attributes import Kind

__all__ = ["compile_filter"]


def compile_filter(
    node: where.Where,
    source: DatabaseSource,
    words: Words,
    commas: Set[str],
    placeholders: Placeholders | None = None,
) -> Element:
    """Return the condition of a filter; ``commas`` names the texts whose numbers have a decimal comma.

    With ``placeholders`` it is made to be shown, not to be run: it holds none of the filter's literals.
    """
    if placeholders is not None:
        return _ShownCompiler(source, words, commas, placeholders).condition(node)
    return _Compiler(source, words, commas).condition(node)


class _Compiler:
    def __init__(self, source: DatabaseSource, words: Words, commas: Set[str]) -> None:
        self.source = source
        self.words = words
        self.commas = commas

    def condition(self, node: where.Where) -> Element:
        match node:
            case where.And(left, right):
                return sa.and_(self.condition(left), self.condition(right))
            case where.Or(left, right):
                return sa.or_(self.condition(left), self.condition(right))
            case where.Not(operand):
                return sa.not_(self.condition(operand).self_group())
            case where.IsNull(column):
                return self.value(column).is_(sa.null())
            case where.Like(column, pattern):
                return self.like(column, pattern)
            case where.In(column, literals):
                return sa.or_(*(self.compared(column, "=", item) for item in literals))
            case where.Between(column, low, high):
                return sa.and_(self.compared(column, ">=", low), self.compared(column, "<=", high))
            case where.Comparison(column, operator, operand):
                return self.compared(column, operator, operand)

    def value(self, column: where.Column) -> Element:
        cell = self.source.relation.c[column.name]
        return self.words.comparable(cell, self.source.types[column.name], column.kind)

    def like(self, column: where.Column, pattern: str) -> Element:
        return self.words.like(self.value(column), pattern).self_group()

    def compared(self, column: where.Column, operator: str, operand: where.Literal | where.Column) -> Element:
        if isinstance(operand, where.Column):
            if column.kind in (Kind.TEXT, Kind.OTHER):
                return self.words.compared_text(self.value(column), operator, self.value(operand))
            return _compared(self.value(column), operator, self.value(operand))
        if column.as_number:
            assert isinstance(operand, int | Decimal)
            return self.text_number(column, operator, operand)
        if isinstance(operand, bool):
            return _compared(self.value(column), operator, sa.true() if operand else sa.false())
        if isinstance(operand, int | Decimal):
            type_name = self.source.types[column.name]
            return self.words.compared_number(self.value(column), type_name, operator, operand)
        if isinstance(operand, str):
            return self.words.compared_text(self.value(column), operator, sa.literal(operand))
        day = self.words.moment(operand) if isinstance(operand, datetime) else self.words.calendar_day(operand)
        return _compared(self.value(column), operator, day)

    def text_number(self, column: where.Column, operator: str, number: int | Decimal) -> Element:
        text = self.value(column)
        if column.name in self.commas:
            text = self.words.point_for_comma(text)
        exact = self.words.number_of(text)
        return self.words.compared_number(exact, "exact", operator, number)


class _ShownCompiler(_Compiler):
    """The same with a placeholder for each literal."""

    def __init__(self, source: DatabaseSource, words: Words, commas: Set[str], placeholders: Placeholders) -> None:
        super().__init__(source, words, commas)
        self.placeholders = placeholders

    def like(self, column: where.Column, pattern: str) -> Element:
        return super().like(column, str(self.placeholders.stand_in(pattern)))

    def compared(self, column: where.Column, operator: str, operand: where.Literal | where.Column) -> Element:
        if isinstance(operand, bool):
            return _compared(self.value(column), operator, sa.literal_column(self.placeholders.name()))
        shown = operand if isinstance(operand, where.Column) else self.placeholders.stand_in(operand)
        return super().compared(column, operator, shown)


def _compared(left: Element, operator: str, right: Element) -> Element:
    return left.op(operator, is_comparison=True)(right)
