"""One suite, every engine: each test opens its tables through ``engine`` and runs once per engine.

``--constructors`` chooses the engines. To add one, write a function (rows, kinds, options, folder, beside) -> Table
and give it one line in ENGINES.
"""

import dataclasses
import itertools
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyarrow.parquet
import pytest
import sqlalchemy
from sqlalchemy.dialects import mysql

import clusters
import databases
from idbits.counts import Histogram, Spectrum
from idbits.engines.base import OpenOptions, Table
from idbits.engines.duckdb import DuckDBTable
from idbits.engines.open import open_table
from idbits.engines.plain import PlainTable
from idbits.errors import DataError
from idbits.values.attributes import Attribute, Kind, parse_attributes
from idbits.values.plain import canonical

Rows = Sequence[Mapping[str, Any]]
Kinds = Mapping[str, Kind]

ARROW_TYPES = {
    Kind.TEXT: pyarrow.string(),
    Kind.INTEGER: pyarrow.int64(),
    Kind.NUMBER: pyarrow.float64(),
    Kind.BOOLEAN: pyarrow.bool_(),
    Kind.DATE: pyarrow.date32(),
    Kind.TIMESTAMP: pyarrow.timestamp("us"),
}
PANDAS_TYPES = {
    Kind.TEXT: "object",
    Kind.INTEGER: "Int64",
    Kind.NUMBER: "float64",
    Kind.BOOLEAN: "boolean",
    Kind.DATE: "object",
    Kind.TIMESTAMP: "datetime64[us]",
}


def arrow_table(rows: Rows, kinds: Kinds) -> pyarrow.Table:
    columns = {}
    for name, kind in kinds.items():
        values = [row.get(name) for row in rows]
        unsigned = kind is Kind.INTEGER and any(value is not None and value >= 2**63 for value in values)
        columns[name] = pyarrow.array(values, pyarrow.uint64() if unsigned else ARROW_TYPES[kind])
    return pyarrow.table(list(columns.values()), names=list(columns))


def pandas_frame(rows: Rows, kinds: Kinds) -> pandas.DataFrame:
    series = []
    for name, kind in kinds.items():
        values = [row.get(name) for row in rows]
        unsigned = kind is Kind.INTEGER and any(value is not None and value >= 2**63 for value in values)
        series.append(pandas.Series(values, name=name, dtype="UInt64" if unsigned else PANDAS_TYPES[kind]))
    return pandas.concat(series, axis=1)


def write_csv(path: Path, rows: Rows, kinds: Kinds) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = [list(kinds), *([row.get(name) for name in kinds] for row in rows)]
        file.write("".join(",".join(map(csv_field, line)) + "\n" for line in lines))
    return path


def csv_field(text: str | None) -> str:
    if text and any(character in text for character in '",\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text or '""'


def _plain(rows: Rows, kinds: Kinds, options: OpenOptions, folder: Path, beside: Table | None) -> Table:
    return PlainTable(rows, kinds, options)


def _csv(rows: Rows, kinds: Kinds, options: OpenOptions, folder: Path, beside: Table | None) -> Table:
    return open_table(write_csv(folder / "table.csv", rows, kinds), options, beside=beside)


def _parquet(rows: Rows, kinds: Kinds, options: OpenOptions, folder: Path, beside: Table | None) -> Table:
    pyarrow.parquet.write_table(arrow_table(rows, kinds), folder / "table.parquet")
    return open_table(folder / "table.parquet", options, beside=beside)


def _pandas(rows: Rows, kinds: Kinds, options: OpenOptions, folder: Path, beside: Table | None) -> Table:
    return open_table(pandas_frame(rows, kinds), options, beside=beside)


def _arrow(rows: Rows, kinds: Kinds, options: OpenOptions, folder: Path, beside: Table | None) -> Table:
    return open_table(arrow_table(rows, kinds), options, beside=beside)


SQL_TYPES = {
    Kind.TEXT: sqlalchemy.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb"),
    Kind.INTEGER: sqlalchemy.BigInteger(),
    Kind.NUMBER: sqlalchemy.Double().with_variant(mysql.DOUBLE(), "mysql", "mariadb"),
    Kind.BOOLEAN: sqlalchemy.Boolean().with_variant(mysql.BIT(1), "mysql", "mariadb"),
    Kind.DATE: sqlalchemy.Date(),
    Kind.TIMESTAMP: sqlalchemy.DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb"),
}


def _in_database(address: str, rows: Rows, kinds: Kinds, options: OpenOptions, beside: Table | None) -> Table:
    types = dict(SQL_TYPES)
    wide = any(type(value) is int and value >= 2**63 for row in rows for value in row.values())
    if wide:
        types[Kind.INTEGER] = sqlalchemy.Numeric(20, 0)
    name = f"t{next(NUMBERS)}"
    columns = [sqlalchemy.Column(column, types[kind], nullable=True, quote=True) for column, kind in kinds.items()]
    cells = [{column: canonical(row.get(column)) for column in kinds} for row in rows]
    if beside is not None:
        # The other's snapshot would not show the new table.
        beside.connection.raw.rollback()
    databases.fill(address, sqlalchemy.Table(name, sqlalchemy.MetaData(), *columns), cells)
    if beside is not None:
        for statement in beside.connection.dialect.session(None):
            beside.connection.raw.exec_driver_sql(statement)
    return open_table(address, dataclasses.replace(options, table=name), beside=beside)


def _postgresql(rows: Rows, kinds: Kinds, options: OpenOptions, folder: Path, beside: Table | None) -> Table:
    return _in_database(databases.postgresql_address(), rows, kinds, options, beside)


def _mariadb(rows: Rows, kinds: Kinds, options: OpenOptions, folder: Path, beside: Table | None) -> Table:
    return _in_database(databases.mariadb_address(), rows, kinds, options, beside)


def _sqlite(rows: Rows, kinds: Kinds, options: OpenOptions, folder: Path, beside: Table | None) -> Table:
    address = beside.connection.engine.url if beside is not None else f"sqlite:///{folder / 'people.db'}"
    return _in_database(str(address), rows, kinds, options, beside)


def _spark(rows: Rows, kinds: Kinds, options: OpenOptions, folder: Path, beside: Table | None) -> Table:
    return open_table(clusters.frame_of(arrow_table(rows, kinds), folder), options, beside=beside)


NUMBERS = itertools.count()


@dataclass(frozen=True)
class Kept:
    """How an engine opens rows, and what of them it keeps.

    Attributes:
        types: columns have types; without them all are text.
        any_name: columns can have any name, and there can be any number of them.
        any_number: there are infinite numbers, and exact ones of any size.
        empty_text: the empty text is something else than null.
        in_order: rows have an order in which they can be asked for.
    """

    open: Callable[[Rows, Kinds, OpenOptions, Path, Table | None], Table]
    types: bool = True
    any_name: bool = True
    any_number: bool = True
    empty_text: bool = True
    in_order: bool = True


# Compressed files and frames of polars are read by the code for CSV and Arrow: tests/formats opens them.
ENGINES = {
    "plain": Kept(_plain),
    "duckdb-csv": Kept(_csv, types=False, empty_text=False),
    "duckdb-parquet": Kept(_parquet),
    "duckdb-pandas": Kept(_pandas),
    "duckdb-arrow": Kept(_arrow),
    "postgresql": Kept(_postgresql, any_name=False),
    "mariadb": Kept(_mariadb, any_name=False, any_number=False),
    "sqlite": Kept(_sqlite, types=False, any_name=False),
    "spark": Kept(_spark, in_order=False),
}


@dataclass
class Engine:
    """Opens tables, and asks them everything about a quasi-identifier in one go."""

    name: str
    kept: Kept
    folder: Path
    opened: list[Table] = field(default_factory=list)

    def __call__(
        self, rows: Rows, kinds: Kinds | None = None, options: OpenOptions | None = None, beside: Table | None = None
    ) -> Table:
        """Open a table; without kinds all columns of the first row are text."""
        kinds = dict.fromkeys(rows[0], Kind.TEXT) if kinds is None else kinds
        assert self.kept.types or set(kinds.values()) <= {Kind.TEXT}, "typed tables need the fixture typed_engine"
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        self.opened.append(self.kept.open(rows, kinds, options or OpenOptions(), folder, beside))
        return self.opened[-1]

    def reference(self, rows: Rows, kinds: Kinds | None = None, options: OpenOptions | None = None) -> PlainTable:
        """Open the same table with the plain engine."""
        kinds = dict.fromkeys(rows[0], Kind.TEXT) if kinds is None else kinds
        if not self.kept.empty_text:
            rows = [{name: None if value == "" else value for name, value in row.items()} for row in rows]
        return PlainTable(rows, kinds, options)

    def loaded(self, rows: Rows, names: Sequence[str], kinds: Kinds | None = None, **options: Any) -> Table:
        """Open a table and load the columns of the named attributes."""
        # Beside an earlier table an engine need not start anew, which takes most of a test's time.
        beside = self.opened[0] if self.opened and "memory" not in options else None
        table = self(rows, kinds, OpenOptions(**options), beside)
        table.load(attribute.column for attribute in parse_attributes(names, table.columns))
        return table

    def count(self, rows: Rows, names: Sequence[str], kinds: Kinds | None = None, **options: Any) -> dict[Any, int]:
        """Return people by shown value; first hold every answer of the table against the plain engine's."""
        return self.count_each(rows, [names], kinds, **options)[0]

    def count_each(
        self, rows: Rows, qids: Sequence[Sequence[str]], kinds: Kinds | None = None, **options: Any
    ) -> list[dict[Any, int]]:
        """Do the same for several quasi-identifiers of one table."""
        table = self.loaded(rows, [name for names in qids for name in names], kinds, **options)
        reference = self.reference(rows, kinds, OpenOptions(**options))
        assert table.n_people() == reference.n_people()
        found = []
        for names in qids:
            attributes = parse_attributes(names, table.columns)
            if found and self.name == "spark":
                # Each count takes a fifth of a second there: only the first quasi-identifier is counted in every way.
                histogram = table.histogram(attributes)
                assert histogram == reference.histogram(attributes)
                spectrum = reference.spectrum(attributes)
            else:
                spectrum, histogram = same_answers(table, reference, attributes)
            shown = [value[0] if len(names) == 1 else value for value in histogram.values]
            assert len(set(shown)) == len(shown)
            assert sum(histogram.people) == table.n_people()
            assert Counter(histogram.people) == dict(spectrum.pairs())
            found.append(dict(zip(shown, histogram.people, strict=True)))
        return found

    def refuses(self, rows: Rows, name: str, number: int, kinds: Kinds | None = None, **options: Any) -> bool:
        """Whether an attribute is an error that says how many values do not fit (the plain engine does not count)."""
        table = self.loaded(rows, [name], kinds, **options)
        with pytest.raises(DataError) as refusal:
            table.spectrum(parse_attributes([name], table.columns))
        return self.name == "plain" or re.search(rf"\b{number}\b", str(refusal.value)) is not None

    def people(self, where: str, rows: Rows, kinds: Kinds | None = None) -> int:
        """Return how many people a filter leaves."""
        table = self.loaded(rows, [], kinds, where=where)
        assert table.n_people() == self.reference(rows, kinds, OpenOptions(where=where)).n_people()
        return table.n_people()


def by_text(groups: list[tuple[str | None, Spectrum]]) -> list[tuple[str | None, Spectrum]]:
    return sorted(groups, key=lambda group: (group[0] is not None, group[0] or ""))


def same_answers(table: Table, reference: Table, attributes: Sequence[Attribute]) -> tuple[Spectrum, Histogram]:
    """Hold every count of one quasi-identifier against the reference. On Spark each takes a fifth of a second."""
    histogram = table.histogram(attributes)
    assert histogram == reference.histogram(attributes)
    for attribute in attributes:
        assert table.null_people(attribute) == reference.null_people(attribute)
        if len(attributes) > 1:
            assert table.spectrum([attribute]) == reference.spectrum([attribute])
    return by_each_path(table, reference, attributes), histogram


def by_each_path(table: Table, reference: Table, attributes: Sequence[Attribute]) -> Spectrum:
    """Spectra together and by group; where DuckDB counts, by packed keys and by GROUP BY."""
    spectrum = table.spectrum(attributes)
    assert spectrum == reference.spectrum(attributes)
    found = by_text(table.group_spectra(attributes[0], attributes[1:]))
    assert found == by_text(reference.group_spectra(attributes[0], attributes[1:]))
    if isinstance(table, DuckDBTable):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(DuckDBTable, "_sorts", lambda *_: False)
            assert table._count(tuple(attributes)) == reference.spectrum(attributes)
            assert by_text(table.group_spectra(attributes[0], attributes[1:])) == found
    return spectrum


def _engine(request: pytest.FixtureRequest, folder: Path) -> Iterator[Engine]:
    engine = Engine(request.param, ENGINES[request.param], folder)
    yield engine
    for table in engine.opened:
        table.close()


SUITES: dict[str, Callable[[Kept], bool]] = {
    "engine": lambda kept: True,
    "any_name_engine": lambda kept: kept.any_name,
    "ordered_engine": lambda kept: kept.any_name and kept.in_order,
    "any_number_engine": lambda kept: kept.types and kept.any_number,
    "typed_engine": lambda kept: kept.types,
}
"""The fixtures that give an engine, and which engines each of them gives."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = metafunc.config.getoption("--constructors")
    names = list(ENGINES) if chosen == "all" else chosen.split(",")
    if unknown := set(names) - set(ENGINES):
        raise pytest.UsageError(f"--constructors: there is no {', '.join(sorted(unknown))}, only {', '.join(ENGINES)}")
    for fixture, fits in SUITES.items():
        if fixture in metafunc.fixturenames and not _chooses_itself(metafunc, fixture):
            metafunc.parametrize(fixture, [name for name in names if fits(ENGINES[name])], indirect=True)


def _chooses_itself(metafunc: pytest.Metafunc, fixture: str) -> bool:
    return any(fixture in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))


@pytest.fixture
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """Every engine, for tables of text."""
    yield from _engine(request, tmp_path)


@pytest.fixture
def any_name_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """The engines whose columns can have any name, for tables of text."""
    yield from _engine(request, tmp_path)


@pytest.fixture
def ordered_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """The engines whose rows have an order, for tables of text."""
    yield from _engine(request, tmp_path)


@pytest.fixture
def any_number_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """The engines with types that have infinite numbers, and exact ones of any size."""
    yield from _engine(request, tmp_path)


@pytest.fixture
def typed_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """The engines that keep types, for tables of any kinds."""
    yield from _engine(request, tmp_path)


@pytest.fixture(name="by_each_path")
def by_each_path_fixture() -> Callable[[Table, Table, Sequence[Attribute]], None]:
    """Return the comparison of spectra alone, for many columns."""
    return by_each_path
