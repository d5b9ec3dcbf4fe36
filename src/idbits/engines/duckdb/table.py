"""A table that DuckDB counts, or looks up in another one that it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Histogram, Integers, Spectrum, Value
from idbits.engines import where
from idbits.engines.backends.explaining import NothingToExplain
from idbits.engines.backends.group_values import GroupValueCounts, GroupValueRequest
from idbits.engines.backends.sampling import TableSample
from idbits.engines.base import (
    OpenOptions,
    OrderedRows,
    PopulationMatch,
    Table,
    match_histograms,
    numbers_of,
)
from idbits.engines.duckdb import values
from idbits.engines.duckdb.coding import (
    are_of_one_column,
    coded_batches,
    coded_values,
    codes_of_view,
    is_too_wide,
    wide_group_spectra,
    wide_histogram,
    wide_spectrum,
)
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.duckdb.dictionary import (
    ColumnTimes,
    Dictionary,
    column_dictionary,
    transformed_dictionary,
)
from idbits.engines.duckdb.linking import DuckDBLinking
from idbits.engines.duckdb.loading import LoadedView, load_view
from idbits.engines.duckdb.matching import match_tables
from idbits.engines.duckdb.persons import DuckDBPersonCounting
from idbits.engines.duckdb.profiles import DuckDBProfiles
from idbits.engines.duckdb.row_codes import RowCodes
from idbits.engines.duckdb.sampling import hashed_rows, read_sample
from idbits.engines.duckdb.sources import DuckDBSource
from idbits.engines.duckdb.stacked_cells import can_be_stacked, load_stacked
from idbits.engines.duckdb.text_dates import TextDates
from idbits.engines.duckdb.treating import DuckDBTreating
from idbits.engines.local import LocalCapabilities
from idbits.engines.local_group_values import labelled_counts, local_group_values
from idbits.errors import ColumnNotFoundError
from idbits.kernels.distinct import DistinctRows, rows_of_keys
from idbits.kernels.group_values import counted_keys
from idbits.kernels.packed import Keys, Layout, group_spectra_of_keys, spectrum_of_keys
from idbits.values.attributes import Attribute, Kind
from idbits.values.labels import OTHER_VALUES, label, match_text

__all__ = ["DuckDBTable"]


class DuckDBTable(
    DuckDBPersonCounting, DuckDBLinking, DuckDBProfiles, LocalCapabilities, NothingToExplain, DuckDBTreating
):
    """Counts with DuckDB or, if a row's codes fit in one integer, by sorting in NumPy."""

    trials_are_cheap = True

    def __init__(self, connection: DuckDBConnection, source: DuckDBSource, options: OpenOptions) -> None:
        self.connection = connection
        self._source = source
        self._options = options
        kinds = {name: values.kind_of(duckdb_type) for name, duckdb_type in source.types.items()}
        everything = source.describe_columns(kinds)
        shown = options.columns if options.columns is not None else everything
        for name in (*shown, *([options.count] if options.count is not None else [])):
            if name not in everything:
                raise ColumnNotFoundError(name, everything)
        self.columns = everything.only(shown)
        # The filter may use all columns of the source, even those that --columns leaves out.
        self._where = where.parse(options.where, everything) if options.where is not None else None
        self.notes = list(source.notes)
        self._loaded: LoadedView | None = None
        self._has_view = False
        self._dictionaries = {}
        self._text_dates: dict[str, TextDates] = {}
        self._spectra: dict[tuple[Attribute, ...], Spectrum] = {}
        self._profiles = {}
        self._rising = {}
        self._people: int | None = None
        self._row_codes = RowCodes(connection)

    @property
    def names_may_be_data(self) -> bool:
        return any(part.dialect.doubtful for part in self._source.parts)

    @property
    def files(self) -> Sequence[Path]:
        return [path for path, _, _ in self._source.stamps]

    @property
    def is_counted(self) -> bool:
        """Whether a row may represent several people."""
        return self._options.count is not None

    @property
    def weight(self) -> str:
        """The SQL aggregate that counts people."""
        return "sum(weight)" if self.is_counted else "count(*)"

    @property
    def relation(self) -> str:
        """The loaded relation: columns c0, c1, ... and, in counted tables, weight."""
        view = self.loaded
        if not self._has_view:
            self.connection.run(f"CREATE TEMP VIEW {view.view} AS {view.query(view.in_use)}")
            self._has_view = True
        return view.view

    def load(self, columns: Iterable[str], sampled: Iterable[str] = (), spare: Iterable[str] = ()) -> None:
        """Read the columns that will be used (text files), or create a view of them (other sources)."""
        if self._loaded is not None:
            raise AssertionError("a table is loaded once")
        used = list(dict.fromkeys(columns))
        options, drawn = self._options, list(dict.fromkeys(sampled))
        if can_be_stacked(self._source, options, len(used), len(drawn)):
            self._loaded = load_stacked(self.connection, self._source, used)
        else:
            self._loaded = load_view(
                self.connection, self._source, used, self._where, options.count, options.in_order, drawn,
                list(dict.fromkeys(spare)),
            )  # fmt: skip
        self.notes.extend(self._loaded.notes)

    def cell(self, attribute: Attribute) -> str:
        """Return the name of an attribute's column in the loaded relation."""
        return self.loaded.cells[attribute.column]

    @property
    def loaded(self) -> LoadedView:
        """The view of the loaded columns."""
        if self._loaded is None:
            self.load(())
            assert self._loaded is not None
        return self._loaded

    def n_people(self) -> int:
        if self._people is None:
            (self._people,) = self.connection.counts(f"SELECT coalesce({self.weight}, 0) FROM ({self.loaded.rows})")
        return self._people

    def _counting(self, names: str) -> str:
        """Return the progress label for counting columns, without their names if those may be data."""
        return "counting" if self.names_may_be_data else f"counting {names}"

    def dictionary(self, attribute: Attribute) -> Dictionary:
        """Return the dictionary of an attribute, created on first use."""
        if attribute not in self._dictionaries:
            plain = Attribute(attribute.column, attribute.kind)
            if attribute == plain:
                cell, rows = self.cell(attribute), f"({self.loaded.query([attribute.column])})"
                made = column_dictionary(
                    self.connection, rows, cell, self.weight, self._counting(f'"{attribute.column}"')
                )
            else:
                times = self._times(attribute.column)
                made, notes = transformed_dictionary(
                    self.connection, self.dictionary(plain), attribute, times, self._options, self._text_dates
                )
                self.notes.extend(note for note in notes if note not in self.notes)
            self._dictionaries[attribute] = made
        return self._dictionaries[attribute]

    def _times(self, column: str) -> ColumnTimes:
        duckdb_type = self._source.types[column]
        return ColumnTimes(self._source.zone_of(column), duckdb_type in ("TIMESTAMP_NS", "TIMESTAMPTZ_NS"))

    def coded(self, attributes: Sequence[Attribute]) -> str:
        """Return the SQL after FROM for rows with the attributes' codes k0.code, k1.code, ..."""
        joins = []
        for position, attribute in enumerate(attributes):
            dictionary = self.dictionary(attribute)
            equal = "IS NOT DISTINCT FROM" if dictionary.null_people or self.is_counted else "="
            cell = self.cell(attribute)
            joins.append(f"JOIN {dictionary.codes} k{position} ON t.{cell} {equal} k{position}.raw")
        return " ".join([f"{self.relation} t", *joins])

    def match_values(self, attribute: Attribute) -> list[tuple[tuple[Value, bool], int]]:
        """Return what identifies a value in another table (its text, whether ``top`` merged it), and its code."""
        rows = self.connection.rows(
            f"SELECT {_seen('value', attribute)}, other, code FROM {self.dictionary(attribute).values}"
        )
        return [((match_text(value, attribute), bool(other)), int(code)) for value, other, code in rows]

    def null_people(self, attribute: Attribute) -> int:
        return self.dictionary(attribute).null_people

    def spectrum(self, attributes: Sequence[Attribute]) -> Spectrum:
        key = tuple(attributes)
        if key not in self._spectra:
            self._spectra[key] = self._count(key)
        return self._spectra[key]

    def _count(self, attributes: tuple[Attribute, ...]) -> Spectrum:
        if len(attributes) == 1:
            table = self.dictionary(attributes[0]).values
            return Spectrum.of(self.connection.rows(f"SELECT people, count(*) FROM {table} GROUP BY people"))
        if self._is_wide(len(attributes)):
            return wide_spectrum(self.coded_rows(attributes))
        layout = Layout([self.dictionary(attribute).size for attribute in attributes])
        if self._sorts(layout) and not are_of_one_column(attributes):
            return spectrum_of_keys(self._keys(attributes, layout))
        grouped = self.grouped(attributes)
        return Spectrum.of(self.connection.rows(f"SELECT people, count(*) FROM ({grouped}) GROUP BY people"))

    def grouped(self, attributes: Sequence[Attribute]) -> str:
        """Return the query that counts people by the codes g0, g1, ... of the attributes."""
        numbers = range(len(attributes))
        codes, groups = (", ".join(map(form.format, numbers)) for form in ("k{0}.code AS g{0}", "g{0}"))
        if not are_of_one_column(attributes):
            joined, weight = self.coded(attributes), self.weight
        else:
            # Its views follow from its distinct values, without the rows.
            plain = self.dictionary(Attribute(attributes[0].column, attributes[0].kind))
            joined = coded_values(plain, [self.dictionary(attribute) for attribute in attributes])
            weight = "sum(t.people)"
        return f"SELECT {codes}, {weight} AS people FROM {joined} GROUP BY {groups}"

    def _is_wide(self, n_columns: int) -> bool:
        return is_too_wide(n_columns, self.n_rows, self.connection.memory)

    def _sorts(self, layout: Layout) -> bool:
        """Whether keys can be sorted in memory: one row per person, 64 bits, a quarter of the memory."""
        if self.is_counted or not layout.fits or self._is_wide(len(layout.bits)):
            return False
        memory = self.connection.memory
        return memory is None or 2 * layout.key_bytes * self.n_people() <= memory // 4

    def _keys(self, attributes: Sequence[Attribute], layout: Layout) -> Keys:
        is_short = layout.key_bytes == 4
        parts = [f"(k{position}.code << {shift})" for position, shift in enumerate(layout.shifts)]
        key = f"CAST({' | '.join(parts)} AS {'UINTEGER' if is_short else 'UBIGINT'})"
        label_text = self._counting(", ".join(attribute.name for attribute in attributes))
        keys = self.connection.column(f"SELECT {key} AS key FROM {self.coded(attributes)}", "key", label_text)
        return keys.astype(np.uint32, copy=False) if is_short else keys.astype(np.uint64, copy=False)

    def group_spectra(
        self,
        by: Attribute,
        attributes: Sequence[Attribute],
        *,
        at_least: int = 1,  # noqa: ARG002 (all labels are available anyway)
    ) -> list[tuple[Value, Spectrum]]:
        everything = [by, *attributes]
        layout = Layout([self.dictionary(attribute).size for attribute in everything])
        if self._is_wide(len(everything)):
            spectra = wide_group_spectra(self.coded_rows(everything))
        elif self._sorts(layout):
            spectra = group_spectra_of_keys(self._keys(everything, layout), layout.shifts[0])
        else:
            sizes: dict[int, list[tuple[int, int]]] = {}
            sql = f"SELECT g0, people, count(*) FROM ({self.grouped(everything)}) GROUP BY g0, people"
            for code, people, sets in self.connection.rows(sql):
                sizes.setdefault(code, []).append((people, sets))
            spectra = [(code, Spectrum.of(pairs)) for code, pairs in sizes.items()]
        labels = self.labels(by)
        return [(labels[code], spectrum) for code, spectrum in spectra if spectrum.n_people]

    def group_value_counts(self, request: GroupValueRequest, options: OpenOptions) -> GroupValueCounts:
        """Count people by group and value: by sorting keys, unless rows have to keep their order."""
        sizes = [self.dictionary(attribute).size for attribute in request.attributes]
        layout = Layout(sizes)
        if request.with_rows or not self._sorts(layout):
            return local_group_values(self, request, options)
        counted = counted_keys(self._keys(request.attributes, layout), layout, sizes[-1])
        return labelled_counts(counted, request, self.labels)

    def histogram(self, attributes: Sequence[Attribute], *, at_least: int = 1, most: int | None = None) -> Histogram:
        if self._is_wide(len(attributes)):
            labels = [self.labels(attribute) for attribute in attributes]
            return wide_histogram(self.coded_rows(attributes), labels, at_least, most)
        shown = ", ".join(f"{_seen(f'v{i}.value', a)}, v{i}.other" for i, a in enumerate(attributes))
        joins = " ".join(
            f"JOIN {self.dictionary(attribute).values} v{i} ON v{i}.code = g{i}"
            for i, attribute in enumerate(attributes)
        )
        texts = (_order(f"v{i}", attribute) for i, attribute in enumerate(attributes))
        limit = f" ORDER BY {', '.join(['g.people', *texts])} LIMIT {most}" if most is not None else ""
        rows = self.connection.rows(
            f"SELECT g.people, {shown} FROM ({self.grouped(attributes)}) g {joins} "
            f"WHERE g.people >= {max(1, at_least)}{limit}"
        )
        counted = [(_labels(row[1:], attributes), int(row[0])) for row in rows]
        return Histogram.of(counted, self.spectrum(attributes), ranked=most is not None)

    def coded_rows(self, attributes: Sequence[Attribute]) -> CodedRows:
        return self._row_codes.rows(
            self, attributes, is_numbered=self._options.in_order, is_filtered=self._where is not None
        )

    def distinct_rows(self, attributes: Sequence[Attribute], threads: int) -> DistinctRows:
        """Return the distinct rows: by sorting keys, which take less memory than rows."""
        sizes = tuple(self.dictionary(attribute).size for attribute in attributes)
        layout = Layout(sizes)
        if not self._sorts(layout):
            return LocalCapabilities.distinct_rows(self, attributes, threads)
        keys = self._keys(attributes, layout)
        self.connection.give_back_memory()
        return rows_of_keys(keys, sizes)

    def coded_batches(self, attributes: Sequence[Attribute]) -> Iterator[CodedRows]:
        sizes = tuple(self.dictionary(attribute).size for attribute in attributes)
        return coded_batches(self.connection, self.coded(attributes), sizes, counted=self.is_counted)

    def view_codes(self, attribute: Attribute, views: Sequence[Attribute]) -> list[Integers]:
        """Return, for each view, the code that each code of the attribute becomes, from their dictionaries."""
        return [codes_of_view(self.connection, self.dictionary(attribute), self.dictionary(view)) for view in views]

    def n_rows(self) -> int:
        """Count the rows, whatever their number of people."""
        return self.connection.counts(f"SELECT count(*) FROM ({self.loaded.rows})")[0]

    def labels(self, attribute: Attribute) -> list[Value]:
        rows = self.connection.rows(
            f"SELECT {_seen('value', attribute)}, other FROM {self.dictionary(attribute).values} ORDER BY code"
        )
        return [OTHER_VALUES if other else label(value, attribute) for value, other in rows]

    def match(
        self, attributes: Sequence[Attribute], population: Table, population_attributes: Sequence[Attribute]
    ) -> PopulationMatch:
        few = not self._is_wide(len(attributes))
        if few and isinstance(population, DuckDBTable) and population.connection is self.connection:
            return match_tables(self, attributes, population, population_attributes)
        return match_histograms(self.histogram(attributes), population.histogram(population_attributes))

    def draw_sample(self) -> TableSample:
        view = self.loaded
        if not view.sample:
            return TableSample(self.n_rows(), 0, {}, np.zeros((0, 0), np.uint64))
        return read_sample(self.connection, view.sample, view.sampled, self.columns, self.n_rows())

    def count_values(self, columns: Sequence[str]) -> Mapping[str, int]:
        if not columns:
            return {}
        cells = [self.loaded.cells[name] for name in columns]
        # Hashes differ for different values, except by a chance of 2^-64, and are counted faster than texts.
        counted = ", ".join(f"count(DISTINCT hash({cell})) FILTER ({cell} IS NOT NULL)" for cell in cells)
        return dict(zip(columns, self.connection.counts(f"SELECT {counted} FROM {self.relation}"), strict=True))

    def hashed_rows(self, by: str, columns: Sequence[str]) -> NDArray[np.uint64]:
        attribute = Attribute(by, self.columns[by])
        cells = [self.loaded.cells[name] for name in columns]
        rows = f"({self.loaded.query(dict.fromkeys([by, *columns]))})"
        return hashed_rows(self.connection, rows, (self.cell(attribute), self.dictionary(attribute)), cells)

    def rows_in_order(self, columns: Sequence[str]) -> OrderedRows:
        if not self.connection.in_order:
            raise AssertionError("open the table with in_order first")
        cells = [f"{self._row_value(name)} AS {self.loaded.cells[name]}" for name in columns]
        rows = self.connection.arrow(f"SELECT {', '.join([*cells, 'kept'])} FROM ({self.loaded.unfiltered})", "reading")
        kept = numbers_of(rows.column("kept").cast("uint8"))
        return OrderedRows(rows.drop_columns("kept").rename_columns(list(columns)), kept.astype(np.bool_))

    def _row_value(self, name: str) -> str:
        # Arrow has no whole numbers of more than 64 bits; text keeps their digits.
        huge = self._source.types[name] in ("HUGEINT", "UHUGEINT")
        cell = self.loaded.cells[name]
        return f"CAST({cell} AS VARCHAR)" if huge else cell

    def check_unchanged(self) -> None:
        self._source.check_unchanged()

    def give_back_memory(self) -> None:
        """Free the memory that DuckDB does not use; move its data to temporary files if memory is limited."""
        self.remembered_pairs = None
        self._row_codes.forget()
        self.connection.give_back_memory()

    def close(self) -> None:
        """Close the connection and remove its temporary files."""
        self.connection.close()


def _order(table: str, attribute: Attribute) -> str:
    text = values.text_of(f"{table}.value", attribute.result_kind)
    return f"CASE WHEN {table}.other THEN '{OTHER_VALUES}' ELSE {text} END NULLS FIRST"


def _seen(value: str, attribute: Attribute) -> str:
    # Python's datetime has no nanoseconds, so timestamps are fetched as text.
    return f"CAST({value} AS VARCHAR)" if attribute.result_kind is Kind.TIMESTAMP else value


def _labels(cells: Sequence[object], attributes: Sequence[Attribute]) -> tuple[Value, ...]:
    pairs = zip(cells[::2], cells[1::2], attributes, strict=True)
    return tuple(OTHER_VALUES if other else label(value, attribute) for value, other, attribute in pairs)
