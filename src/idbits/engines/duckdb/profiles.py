"""Profiles: columns described in numbers, from the distinct values of one column or of many columns at once.

A statement takes milliseconds, whatever it counts. So short columns, of which a table may have many thousands, are
described together: the values of columns of one type are put under each other, with the number of their column.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from idbits.engines.duckdb import dates, values
from idbits.engines.duckdb.connection import DuckDBConnection, literal
from idbits.engines.duckdb.sampling import rising_pairs
from idbits.engines.duckdb.stacked_cells import StackedView
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute, Kind
from idbits.values.dates import DATE_FORMS, DATE_ORDERS, MAY_BE_DATE_PATTERN
from idbits.values.profile import NULL_WORDS, SHAPED_KINDS, Profile, profile_of_figures
from idbits.values.value_shapes import MOST_VALUES, ShapeCounting, ShapeCounts

if TYPE_CHECKING:
    from idbits.engines.duckdb.dictionary import Dictionary
    from idbits.engines.duckdb.sources import DuckDBSource
    from idbits.engines.duckdb.table import DuckDBTable

__all__ = ["DuckDBProfiles"]

# Longer lists of columns take longer to plan than they save.
_MOST_TOGETHER = 500
_MOST_STACKED = 20_000
_CELLS_TOGETHER = 5_000_000
_FEW_ROWS = 50_000

Figures = dict[str, int]
_NOTHING: Mapping[str, int] = {"shortest": -1}


class DuckDBProfiles:
    """Describes the columns of a table."""

    _dictionaries: dict[Attribute, Dictionary]
    _profiles: dict[str, Profile]
    _rising: dict[str, tuple[int, int]]
    _source: DuckDBSource
    _options: OpenOptions

    def profile(self, column: str) -> Profile:
        """Describe a column in numbers; if columns are short, those like it are described with it."""
        if column not in self._profiles:
            table = cast("DuckDBTable", self)
            is_counted_already = Attribute(column, table.columns[column]) in self._dictionaries
            alike = [] if is_counted_already else self.short_columns_like(column)
            self._profiles |= _profiles_of(table, alike) if len(alike) > 1 else {column: _profile(table, column)}
        return self._profiles[column]

    def unique_people(self, columns: Sequence[str]) -> Mapping[str, int]:
        """Count the people whose value of a column nobody else has; columns that are not loaded are read now."""
        table = cast("DuckDBTable", self)
        missing = [name for name in columns if name not in table.loaded.cells]
        if missing:
            # The source is open already: only these columns are read.
            others = type(table)(table.connection, self._source, self._options)
            others.load(missing)
        spectra = {
            name: (others if name in missing else table).spectrum((Attribute(name, table.columns[name]),))
            for name in columns
        }
        return {name: int(found.people[found.sizes == 1].sum()) for name, found in spectra.items()}

    def rising_pairs(self, column: str) -> tuple[int, int]:
        """Count the pairs of neighbouring rows in which a column's whole number does not fall, and all pairs."""
        if column not in self._rising:
            table, columns = cast("DuckDBTable", self), self.short_columns_like(column) or [column]
            found = rising_pairs(table.connection, table.loaded, columns, table.columns[column])
            self._rising |= dict(zip(columns, found, strict=True))
        return self._rising[column]

    def short_columns_like(self, first: str) -> list[str]:
        """Return ``first`` and columns after it of the same type, to be counted together; none if they are long."""
        table, types = cast("DuckDBTable", self), self._source.types
        n_rows = table.n_people()
        if n_rows > _FEW_ROWS:
            return []
        together = _MOST_STACKED if isinstance(table.loaded, StackedView) else _MOST_TOGETHER
        most = min(together, _CELLS_TOGETHER // max(1, n_rows))
        following = itertools.dropwhile(lambda name: name != first, table.loaded.in_use)
        return list(itertools.islice((name for name in following if types[name] == types[first]), most))


def _profiles_of(table: DuckDBTable, columns: Sequence[str]) -> dict[str, Profile]:
    connection = table.connection
    counted = _count_values(table, columns)
    profiles = _describe_columns(connection, counted, len(columns), table.columns[columns[0]], table.n_people())
    connection.run(f"DROP TABLE {counted}")
    return dict(zip(columns, profiles, strict=True))


def _profile(table: DuckDBTable, column: str) -> Profile:
    attribute = Attribute(column, table.columns[column])
    counted = f"(SELECT 0 AS col, value, people FROM {table.dictionary(attribute).values})"
    return _describe_columns(table.connection, counted, 1, attribute.kind, table.n_people())[0]


def _count_values(table: DuckDBTable, columns: Sequence[str]) -> str:
    """Count the values of columns of one type; return a table of the column's number, the value and its people."""
    counted = table.connection.new_name("columns")
    values_of_rows = table.loaded.stacked(columns, "weight" if table.is_counted else "")
    table.connection.run(
        f"CREATE TEMP TABLE {counted} AS SELECT col, value, {table.weight} AS people FROM ({values_of_rows}) "
        "GROUP BY col, value",
    )
    return counted


def _describe_columns(
    connection: DuckDBConnection, counted: str, columns: int, kind: Kind, people: int
) -> list[Profile]:
    """Describe columns of one kind; ``counted`` has the columns col (from 0), value and people."""
    without = connection.rows(f"SELECT col, sum(people) FROM {counted} WHERE value IS NULL GROUP BY col")
    nulls = {int(column): int(number) for column, number in without}
    rows = (
        f"(SELECT col, value, people, {values.text_of('value', kind)} AS text FROM {counted} "
        "WHERE value IS NOT NULL AND people > 0)"
    )
    names = [*_figures(kind)]
    found = _grouped(connection, _figures(kind), rows)
    figures: list[Figures] = [dict.fromkeys(names, 0) | dict(found.get(column, _NOTHING)) for column in range(columns)]
    known = [people - nulls.get(column, 0) for column in range(columns)]
    _add_dates(connection, figures, rows)
    has_shapes = [kind in SHAPED_KINDS and not _has_fractions(kind, column) for column in figures]
    mostly_unique = [number for number, column in enumerate(figures) if column["unique"] > known[number] / 2]
    _add_spans(connection, figures, rows, [number for number in mostly_unique if has_shapes[number]])
    shapes = _shapes(connection, rows, [number for number, has in enumerate(has_shapes) if has])
    return [
        profile_of_figures(column, kind, people, people - known[number], shapes.get(number))
        for number, column in enumerate(figures)
    ]


def _has_fractions(kind: Kind, figures: Mapping[str, int]) -> bool:
    return kind is Kind.NUMBER and figures["fractions"] > 0


def _having(condition: str) -> str:
    return f"coalesce(sum(people) FILTER ({condition}), 0)"


def _figures(kind: Kind) -> dict[str, str]:
    words = ", ".join(literal(word) for word in NULL_WORDS)
    return {
        "distinct": "count(*)",
        "unique": _having("people = 1"),
        "most": "coalesce(max(people), 0)",
        "characters": "coalesce(sum(people * length(text)), 0)",
        "longest": "coalesce(max(length(text)), 0)",
        "shortest": "coalesce(min(length(text)), -1)",
        "spaced": _having("contains(trim(text, ' '), ' ')"),
        "padded": _having("text <> trim(text, ' ')"),
        "null_words": _having(f"lower(trim(text, ' ')) IN ({words})"),
        **{name: _having(condition) for name, condition in _readings(kind).items()},
    }


def _grouped(connection: DuckDBConnection, figures: Mapping[str, str], rows: str) -> dict[int, Figures]:
    """Return the figures of each column that has rows."""
    found = connection.rows(f"SELECT col, {', '.join(figures.values())} FROM {rows} GROUP BY col")
    return {int(column): dict(zip(figures, map(int, counts), strict=True)) for column, *counts in found}


def _of_columns(rows: str, columns: Collection[int]) -> str:
    return f"(SELECT * FROM {rows} WHERE col IN ({', '.join(map(str, columns))}))"


def _add_dates(connection: DuckDBConnection, figures: Sequence[Figures], rows: str) -> None:
    """Count the values that can be read as dates, in columns that may have some."""
    columns = [number for number, column in enumerate(figures) if column.get("may_be_dates")]
    if not columns:
        return
    forms = [form for form in DATE_FORMS if form.step in ("day", "month")]
    texts = dates.parts_relation(
        _of_columns(rows, columns), "col, value, people, text", forms, may_be=MAY_BE_DATE_PATTERN
    )
    read = {name: _having(condition) for name, condition in _date_readings().items()}
    for column, counts in _grouped(connection, read, f"({texts})").items():
        figures[column].update(counts)


def _add_spans(connection: DuckDBConnection, figures: Sequence[Figures], rows: str, columns: Sequence[int]) -> None:
    """Add how far apart the smallest and the largest whole number are."""
    if not columns:
        return
    whole = f"(SELECT col, {values.whole_number('text')} AS n FROM {_of_columns(rows, columns)})"
    for column, counts in _grouped(connection, {"span": "coalesce(max(n) - min(n) + 1, 0)"}, whole).items():
        figures[column].update(counts)


def _shapes(connection: DuckDBConnection, rows: str, columns: Sequence[int]) -> dict[int, ShapeCounts]:
    """Count the shapes of some values of each column, drawn by hash."""
    if not columns:
        return {}
    drawn = connection.rows(
        f"SELECT col, arg_min(text, hash(text), {MOST_VALUES}) FROM {_of_columns(rows, columns)} GROUP BY col"
    )
    counting = ShapeCounting()
    counts = {int(column): counting.of([str(text) for text in texts]) for column, texts in drawn}
    return {column: counts.get(column) or counting.of([]) for column in columns}


def _date_readings() -> dict[str, str]:
    """Return the conditions under which a text can be read as a date in each order."""
    days, months = ([form for form in DATE_FORMS if form.step == step] for step in ("day", "month"))
    return {
        **{order: f"{dates.date_of(days, order)} IS NOT NULL" for order in DATE_ORDERS},
        **{f"{order}_months": f"{dates.date_of(months, order)} IS NOT NULL" for order in DATE_ORDERS},
    }


def _readings(kind: Kind) -> dict[str, str]:
    """Return the conditions under which a value may be a date, can be read as a number and so on."""
    if kind is Kind.NUMBER:
        return {"fractions": "value <> trunc(value)", "negatives": "value < 0"}
    if kind is Kind.INTEGER:
        return {"negatives": "value < 0"}
    if kind is not Kind.TEXT:
        return {}
    number = values.is_number("value", kind)
    return {
        "may_be_dates": values.has_pattern("value", MAY_BE_DATE_PATTERN),
        "numbers": number,
        "fractions": f"{number} AND regexp_matches(value, '[.][0-9]*[1-9]')",
        "negatives": "starts_with(ltrim(value, ' '), '-')",
        "zeros": "regexp_full_match(value, '0[0-9]+')",
    }
