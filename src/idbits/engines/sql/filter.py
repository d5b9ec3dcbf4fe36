"""The filter grammar compiled to the dialect of a database."""

from __future__ import annotations

from collections.abc import Set
from datetime import date, datetime, timedelta
from decimal import Decimal

import sqlalchemy as sa

from idbits.engines import where
from idbits.engines.sql.catalog import DatabaseSource
from idbits.engines.sql.dialect import Element, SqlDialect
from idbits.values.attributes import Kind

__all__ = ["Placeholders", "compile_filter"]

_NUMBER = 27_182_818_284_590_452_353_602
_DAY = date(8000, 1, 1)
_MOMENT = datetime(8000, 1, 1, 0, 0, 0, 271828)


class Placeholders:
    """The placeholders of one filter, in the order of its literals."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self) -> str:
        """Return the next placeholder."""
        name = f":where{len(self._names) + 1}"
        self._names[name] = name
        return name

    def stand_in(self, literal: where.Literal) -> where.Literal:
        """Return the expression to compile instead of a literal."""
        number = len(self._names) + 1
        written, substitute = self._written(literal, number)
        self._names[written] = f":where{number}"
        return substitute

    def _written(self, literal: where.Literal, number: int) -> tuple[str, where.Literal]:
        if isinstance(literal, datetime):
            moment = _MOMENT + timedelta(days=number)
            return moment.isoformat(sep=" "), moment
        if isinstance(literal, date):
            day = _DAY + timedelta(days=number)
            return day.isoformat(), day
        if isinstance(literal, str):
            text = f"idbits-271828-{number}-"  # some databases escape other characters in their own way
            return text, text
        return str(_NUMBER + number), _NUMBER + number

    def shown(self, sql: str) -> str:
        """Return a statement with visible placeholders."""
        for written, name in self._names.items():
            for form in (f"N'{written}'", f"'{written}'", written):
                sql = sql.replace(form, name)
        return sql


def compile_filter(
    node: where.Where,
    source: DatabaseSource,
    dialect: SqlDialect,
    commas: Set[str],
    placeholders: Placeholders | None = None,
) -> Element:
    """Return the condition of a filter; ``commas`` names the texts whose numbers have a decimal comma.

    With ``placeholders`` it is for display, not to be run: it contains none of the filter's literals.
    """
    if placeholders is not None:
        return _ShownCompiler(source, dialect, commas, placeholders).condition(node)
    return _Compiler(source, dialect, commas).condition(node)


class _Compiler:
    def __init__(self, source: DatabaseSource, dialect: SqlDialect, commas: Set[str]) -> None:
        self.source = source
        self.dialect = dialect
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
            case where.FilterComparison(column, operator, operand):
                return self.compared(column, operator, operand)

    def value(self, column: where.FilterColumn) -> Element:
        cell = self.source.relation.c[column.name]
        return self.dialect.comparable(cell, self.source.types[column.name], column.kind)

    def like(self, column: where.FilterColumn, pattern: str) -> Element:
        return self.dialect.like(self.value(column), pattern).self_group()

    def compared(
        self, column: where.FilterColumn, operator: str, operand: where.Literal | where.FilterColumn
    ) -> Element:
        if isinstance(operand, where.FilterColumn):
            if column.kind in (Kind.TEXT, Kind.OTHER):
                return self.dialect.compared_text(self.value(column), operator, self.value(operand))
            return _compared(self.value(column), operator, self.value(operand))
        if column.as_number:
            assert isinstance(operand, int | Decimal)
            return self.text_number(column, operator, operand)
        if isinstance(operand, bool):
            return _compared(self.value(column), operator, sa.true() if operand else sa.false())
        if isinstance(operand, int | Decimal):
            type_name = self.source.types[column.name]
            return self.dialect.compared_number(self.value(column), type_name, operator, operand)
        if isinstance(operand, str):
            return self.dialect.compared_text(self.value(column), operator, sa.literal(operand))
        day = self.dialect.moment(operand) if isinstance(operand, datetime) else self.dialect.calendar_day(operand)
        return _compared(self.value(column), operator, day)

    def text_number(self, column: where.FilterColumn, operator: str, number: int | Decimal) -> Element:
        text = self.value(column)
        if column.name in self.commas:
            text = self.dialect.point_for_comma(text)
        exact = self.dialect.number_of(text)
        return self.dialect.compared_number(exact, "exact", operator, number)


class _ShownCompiler(_Compiler):
    """The same, with a placeholder for each literal."""

    def __init__(
        self, source: DatabaseSource, dialect: SqlDialect, commas: Set[str], placeholders: Placeholders
    ) -> None:
        super().__init__(source, dialect, commas)
        self.placeholders = placeholders

    def like(self, column: where.FilterColumn, pattern: str) -> Element:
        return super().like(column, str(self.placeholders.stand_in(pattern)))

    def compared(
        self, column: where.FilterColumn, operator: str, operand: where.Literal | where.FilterColumn
    ) -> Element:
        if isinstance(operand, bool):
            return _compared(self.value(column), operator, sa.literal_column(self.placeholders.name()))
        shown = operand if isinstance(operand, where.FilterColumn) else self.placeholders.stand_in(operand)
        return super().compared(column, operator, shown)


def _compared(left: Element, operator: str, right: Element) -> Element:
    return left.op(operator, is_comparison=True)(right)
