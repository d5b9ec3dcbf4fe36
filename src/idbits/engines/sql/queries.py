"""The queries to a database: each is one SELECT that returns counts.

They are built here and run elsewhere, so that ``--explain`` shows exactly what would run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Select, func

from idbits.engines import where
from idbits.engines.sql.catalog import DatabaseSource
from idbits.engines.sql.cells import ColumnReadings, date_from_text, value_of
from idbits.engines.sql.dialect import ZERO, Element, SqlDialect
from idbits.engines.sql.filter import Placeholders, compile_filter
from idbits.errors import InputError
from idbits.values.attributes import Attribute, Kind
from idbits.values.dates import DATE_ORDERS, MAY_BE_DATE_PATTERN, forms_in_order
from idbits.values.profile import NULL_WORDS
from idbits.values.readings import COMMA_NUMBER_PATTERN, COUNT_PATTERN, NUMBER_PATTERN, SURE_COMMA_PATTERN
from idbits.values.value_shapes import SHAPES
from idbits.values.zones import Zone

__all__ = ["Queries", "Query", "only_unmerged", "value_names", "values_named"]

Query = Select[Any]

_FRACTION = r"[^.]*\.[0-9]*[1-9].*"


def value_names(attributes: Sequence[Attribute]) -> list[str]:
    """Return the names of the columns that identify values in a grouped query.

    >>> from idbits.values.attributes import parse_attributes
    >>> value_names(parse_attributes(["zip", "sex:top1"], {"zip": Kind.TEXT, "sex": Kind.TEXT}))
    ['g0', 'o1', 'g1']
    """
    marks = (("o", "g") if one.transforms and one.transforms[-1].name == "top" else ("g",) for one in attributes)
    return [f"{mark}{index}" for index, of in enumerate(marks) for mark in of]


def values_named(sets: sa.FromClause, names: Sequence[str]) -> list[Element]:
    """Return the columns of values by their names in another table; a mark that is not there is 0."""
    return [sets.c[name] if name in sets.c else ZERO.label(name) for name in names]


def only_unmerged(sets: sa.FromClause, names: Sequence[str]) -> list[Element]:
    """Return the conditions for values that another table can have: those that only this one merged look like nulls."""
    return [column == ZERO for name, column in sets.c.items() if name[0] == "o" and name not in names]


class Queries:
    """Builds the queries on one table; with ``shown`` they are for display, without literals."""

    def __init__(
        self,
        source: DatabaseSource,
        dialect: SqlDialect,
        condition: where.Where | None = None,
        count: str | None = None,
        *,
        zone: Zone | None = None,
        shown: bool = False,
    ) -> None:
        self.source = source
        self.dialect = dialect
        self.condition = condition
        self.count = count
        self.readings = ColumnReadings(zone=zone)
        self.shown = shown
        self.placeholders = Placeholders()

    # Rows and keys.

    def _filtered(self, query: Query) -> Query:
        if self.condition is None:
            return query
        commas = {before.column for before, comma in self.readings.commas.items() if comma and not before.transforms}
        # The same literals always get the same placeholders.
        placeholders = Placeholders() if self.shown else None
        self.placeholders = placeholders or self.placeholders
        return query.where(compile_filter(self.condition, self.source, self.dialect, commas, placeholders))

    def value(self, attribute: Attribute) -> Element:
        """Return the value of an attribute (see ``cells.value_of``)."""
        return value_of(attribute, self.source, self.dialect, self.readings)

    def _weight(self) -> Element:
        assert self.count is not None
        kind, type_name = self.source.kinds[self.count], self.source.types[self.count]
        value = self.dialect.comparable(self.source.relation.c[self.count], type_name, kind)
        if kind is Kind.TEXT:
            return self.dialect.count_of(value, COUNT_PATTERN)
        whole = sa.and_(value >= 0, value == func.floor(value))
        if kind is Kind.NUMBER:
            whole = sa.and_(self.dialect.is_finite(value, type_name), whole)
            # Sums of floats are not exact.
            return sa.case((whole, self.dialect.exact(value, type_name)))
        return sa.case((whole, value))

    def people(self, rows: sa.FromClause) -> Element:
        """Return the aggregate that counts people."""
        return self.dialect.count() if self.count is None else func.sum(rows.c.weight)

    def rows(self, attributes: Sequence[Attribute], label: str = "t") -> sa.Subquery:
        """Return the rows with the keys k0, k1, ... of the attributes (and s0, ... to show them), and their weight."""
        columns: list[Element] = []
        for index, attribute in enumerate(attributes):
            value, kind = self.value(attribute), attribute.result_kind
            columns.append(self.dialect.key(value, kind).label(f"k{index}"))
            if self.dialect.shown(value, kind) is not None:
                columns.append(value.label(f"s{index}"))
        if self.count is not None:
            columns.append(self._weight().label("weight"))
        query = sa.select(*columns or [sa.literal_column("1").label("one")]).select_from(self.source.relation)
        return self._filtered(query).subquery(label)

    def grouped(self, attributes: Sequence[Attribute], *, shown: bool = False) -> Query:
        """Return people by the keys g0, g1, ...; o0, ... mark the values merged by ``top``."""
        rows = self.rows(attributes)
        base: sa.FromClause = rows
        keys: list[Element] = []
        extra: list[Element] = []
        for index, attribute in enumerate(attributes):
            key = rows.c[f"k{index}"]
            kept: Element | None = None
            if attribute.transforms and attribute.transforms[-1].name == "top":
                top = self._top(attribute).subquery(f"top{index}")
                base = base.outerjoin(top, key == top.c.kept)
                kept = top.c.kept.is_not(sa.null())
                other = sa.case((sa.and_(key.is_not(sa.null()), top.c.kept.is_(sa.null())), 1), else_=0)
                keys.append(other.label(f"o{index}"))
                key = top.c.kept
            keys.append(key.label(f"g{index}"))
            if shown and f"s{index}" in rows.c:
                text = rows.c[f"s{index}"]
                seen = self.dialect.shown(text if kept is None else sa.case((kept, text)), attribute.result_kind)
                assert seen is not None
                extra.append(seen.label(f"s{index}"))
        query = sa.select(*keys, *extra, self.people(rows).label("people")).select_from(base)
        return query.group_by(*(key.element if isinstance(key, sa.Label) else key for key in keys)) if keys else query

    def _top(self, attribute: Attribute) -> Query:
        transform = attribute.transforms[-1]
        assert transform.argument is not None
        plain = Attribute(attribute.column, attribute.kind, attribute.transforms[:-1])
        rows = self.rows([plain], "r")
        ties = self._order_text(rows, 0, plain.result_kind, aggregate=True)
        ranked = (
            sa.select(rows.c.k0.label("kept"))
            .where(rows.c.k0.is_not(sa.null()))
            .group_by(rows.c.k0)
            .order_by(self.people(rows).desc(), ties)
            .limit(int(transform.argument))
        )
        return sa.select(ranked.subquery("ranked").c.kept)

    def _order_text(self, rows: sa.FromClause, index: int, kind: Kind, *, aggregate: bool) -> Element:
        if f"s{index}" in rows.c:
            shown = rows.c[f"s{index}"]
            text = self.dialect.shown(shown, kind) if aggregate else shown
            assert text is not None
            return text
        key = rows.c[f"{'k' if aggregate else 'g'}{index}"]
        return key if kind in (Kind.TEXT, Kind.OTHER) else self.dialect.key(self.dialect.as_text(key), Kind.TEXT)

    # Queries.

    def n_people(self) -> Query:
        """Count the people."""
        rows = self.rows([])
        return sa.select(func.coalesce(self.people(rows), 0)).select_from(rows)

    def spectrum(self, attributes: Sequence[Attribute]) -> Query:
        """Count the people per value, then how often each count occurs."""
        sets = self.grouped(attributes).subquery("sets")
        return sa.select(sets.c.people, self.dialect.count()).group_by(sets.c.people)

    def group_spectra(self, by: Attribute, attributes: Sequence[Attribute], at_least: int) -> Query:
        """Count groups by size in each category: its number, whether ``top`` made it, its label, people, groups.

        The label of a category with fewer than ``at_least`` people stays in the database.
        """
        sets = self.grouped([by, *attributes], shown=True).subquery("sets")
        named = [sets.c[name] for name in ("o0", "g0") if name in sets.c]
        numbered = sa.select(
            func.dense_rank().over(order_by=named).label("number"),
            func.sum(sets.c.people).over(partition_by=named).label("total"),
            (sets.c.o0 if "o0" in sets.c else sa.literal_column("0")).label("other"),
            (sets.c.s0 if "s0" in sets.c else sets.c.g0).label("value"),
            sets.c.people,
        ).subquery("numbered")
        seen = sa.case((numbered.c.total >= at_least, numbered.c.value)).label("seen")
        keys = (numbered.c.number, numbered.c.other, numbered.c.people)
        if "s0" in sets.c:  # not part of a key: texts may be long
            return sa.select(*keys, func.min(seen), self.dialect.count()).group_by(*keys)
        return sa.select(*keys, seen, self.dialect.count()).group_by(*keys, seen)

    def null_people(self, attribute: Attribute) -> Query:
        """Count the people whose value is null."""
        plain = attribute
        if attribute.transforms and attribute.transforms[-1].name == "top":
            plain = Attribute(attribute.column, attribute.kind, attribute.transforms[:-1])
        rows = self.rows([plain])
        return sa.select(func.coalesce(self.people(rows), 0)).select_from(rows).where(rows.c.k0.is_(sa.null()))

    def histogram(self, attributes: Sequence[Attribute], at_least: int, most: int | None) -> Query:
        """Return values with their numbers of people; with ``most``, the least frequent ones."""
        sets = self.grouped(attributes, shown=True).subquery("sets")
        query = sa.select(*sets.c).where(sets.c.people >= max(1, at_least))
        if most is None:
            return query
        texts: list[Element] = []
        for index, attribute in enumerate(attributes):
            text = self._order_text(sets, index, attribute.result_kind, aggregate=False)
            texts += [sa.case((text.is_(sa.null()), 0), else_=1), text]
        return query.order_by(sets.c.people, *texts).limit(most)

    def persons(self, attribute: Attribute) -> Query:
        """Count people with more than one row."""
        sets = self.grouped([attribute]).subquery("sets")
        return sa.select(func.count()).where(sets.c.people > 1, sets.c.g0.is_not(sa.null()))

    def profile(self, attribute: Attribute) -> list[tuple[list[str], Query]]:
        """Describe a column in numbers; return queries with the names of their numbers (see ``values/profile.py``).

        Shapes have a query of their own: PostgreSQL keeps 32 patterns, and compiles all of them for each row if a query
        has more.
        """
        dialect, kind = self.dialect, attribute.kind
        sets = self.grouped([attribute], shown=True).subquery("sets")
        value = dialect.readable(sets.c.s0) if "s0" in sets.c else sets.c.g0
        text = value if kind in (Kind.TEXT, Kind.OTHER) else dialect.as_text(value)
        trimmed, length = dialect.trimmed(text), dialect.length(text)
        lowered = func.lower(trimmed)

        def having(condition: Element) -> Element:
            return func.coalesce(func.sum(sa.case((condition, sets.c.people), else_=0)), 0)

        figures = {
            "distinct": func.count(),
            "unique": having(sets.c.people == 1),
            "most": func.coalesce(func.max(sets.c.people), 0),
            "characters": func.coalesce(func.sum(sets.c.people * length), 0),
            "longest": func.coalesce(func.max(length), 0),
            "shortest": func.coalesce(func.min(length), -1),
            "spaced": having(dialect.like(trimmed, "% %")),
            "padded": having(dialect.length(trimmed) != length),
            "null_words": having(
                sa.or_(*(dialect.compared_text(lowered, "=", sa.literal(word)) for word in NULL_WORDS))
            ),
            **{name: having(condition) for name, condition in self._readings(value, attribute).items()},
        }
        shapes = {
            name: func.coalesce(func.sum(sa.case((condition, 1), else_=0)), 0)
            for name, condition in self._shapes(text, kind).items()
        }
        return [
            (
                list(numbers),
                sa.select(*numbers.values()).select_from(sets).where(sets.c.g0.is_not(sa.null()), sets.c.people > 0),
            )
            for numbers in (figures, shapes)
            if numbers
        ]

    def _readings(self, value: Element, attribute: Attribute) -> dict[str, Element]:
        """Return what a value can be read as; nothing if the database cannot read text."""
        dialect = self.dialect
        negative = {"negatives": value < 0}
        if attribute.kind is Kind.NUMBER:
            exact = dialect.exact(value, self.source.types[attribute.column])
            return {"fractions": exact != func.floor(value), **negative}
        if attribute.kind is not Kind.TEXT:
            return negative if attribute.kind is Kind.INTEGER else {}
        try:
            number = dialect.matches(value, NUMBER_PATTERN)
            finite = sa.case((number, sa.case((dialect.number_of(value).is_(sa.null()), 0), else_=1)), else_=0) == 1
            return {
                **{order: self._has_date(value, order, "day") for order in DATE_ORDERS},
                **{f"{order}_months": self._has_date(value, order, "month") for order in DATE_ORDERS},
                "numbers": finite,
                "fractions": sa.and_(finite, dialect.matches(value, _FRACTION)),
                "negatives": dialect.like(value, "-%"),
                "zeros": dialect.matches(value, "0[0-9]+"),
            }
        except InputError:
            return {}

    def _has_date(self, value: Element, order: str, step: str) -> Element:
        may_be_date = self.dialect.matches(value, MAY_BE_DATE_PATTERN)
        day = date_from_text(value, self.dialect, forms_in_order(order, step), order)
        return sa.case((may_be_date, sa.case((day.is_(sa.null()), 0), else_=1)), else_=0) == 1

    def _shapes(self, text: Element, kind: Kind) -> dict[str, Element]:
        """Return the shapes of values; nothing if the database cannot match patterns."""
        if kind not in (Kind.TEXT, Kind.OTHER):
            return {}
        try:
            return {shape: self.dialect.matches(text, pattern) for shape, pattern in SHAPES.items()}
        except InputError:
            return {}

    # Checks before counting.

    def sums(self, query_of: sa.FromClause, *conditions: Element) -> Query:
        """Count the rows that satisfy each condition."""
        sums = [func.coalesce(func.sum(sa.case((condition, 1), else_=0)), 0) for condition in conditions]
        return sa.select(*sums).select_from(query_of)

    def counts_check(self) -> Query:
        """Count rows without a whole number of people, and all people in parts (``SqlDialect.summed_parts``)."""
        rows = self.rows([])
        bad = func.coalesce(func.sum(sa.case((rows.c.weight.is_(sa.null()), 1), else_=0)), 0)
        parts = self.dialect.summed_parts(rows.c.weight)
        return sa.select(bad, *(func.coalesce(func.sum(part), 0) for part in parts)).select_from(rows)

    def comma_check(self, text: Attribute, *, filtered: bool = True) -> Query:
        """Count the texts that do not fit a decimal point, do not fit a decimal comma, and surely have a comma."""
        rows = self.texts(text, filtered=filtered)
        known = rows.c.v.is_not(sa.null())
        matches = self.dialect.matches
        return self.sums(
            rows,
            sa.and_(known, sa.not_(matches(rows.c.v, NUMBER_PATTERN))),
            sa.and_(known, sa.not_(matches(rows.c.v, COMMA_NUMBER_PATTERN))),
            sa.and_(known, matches(rows.c.v, SURE_COMMA_PATTERN)),
        )

    def number_check(self, text: Attribute, *, comma: bool, filtered: bool = True) -> Query:
        """Count the texts that are not numbers, and those with more digits than the database computes exactly."""
        rows = self.texts(text, filtered=filtered)
        value = self.dialect.point_for_comma(rows.c.v) if comma else rows.c.v
        fits = self.dialect.matches(value, NUMBER_PATTERN)
        # Only text that matches the pattern of a number may be read as one.
        unread = sa.case((fits, sa.case((self.dialect.number_of(value).is_(sa.null()), 1), else_=0)), else_=1)
        known = rows.c.v.is_not(sa.null())
        return self.sums(rows, sa.and_(known, unread == 1), sa.and_(known, fits, self.dialect.too_long(value)))

    def finite_check(self, attribute: Attribute) -> Query:
        """Count the numbers of a column that are infinite, and those with too many digits."""
        type_name = self.source.types[attribute.column]
        value = self.value(Attribute(attribute.column, attribute.kind))
        query = self._filtered(sa.select(value.label("v")).select_from(self.source.relation))
        rows = query.subquery("t")
        known = rows.c.v.is_not(sa.null())
        finite = self.dialect.is_finite(rows.c.v, type_name)
        long = self.dialect.inexact(rows.c.v, type_name)
        return self.sums(rows, sa.and_(known, sa.not_(finite)), sa.and_(known, finite, long))

    def texts(self, text: Attribute, *, filtered: bool = True) -> sa.Subquery:
        """Return the rows with the value v of an attribute that is read: a text, or a time."""
        query = sa.select(self.value(text).label("v")).select_from(self.source.relation)
        return (self._filtered(query) if filtered else query).subquery("t")
