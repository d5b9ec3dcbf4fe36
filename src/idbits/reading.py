"""The options for reading a table: each is declared once, with its help text and where it is offered.

The command line, policies, the app and the suggested next commands use these declarations. The typed dictionary
``Reading`` repeats the names for type checkers; a test compares the two.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, TypeAlias, TypedDict, cast

from idbits.errors import InputError
from idbits.progress import SILENT, Progress
from idbits.values.attributes import split_names
from idbits.values.zones import Zone, parse_zone

__all__ = [
    "DEFAULT_TIMEOUT", "OPTIONS", "SECOND_OPTIONS", "Names", "OpenOptions", "Reading", "ReadingOption", "listed",
    "name_list", "no_names", "open_options", "read_memory",
]  # fmt: skip

Names: TypeAlias = str | Sequence[str]
"""Column names, as a list or as comma-separated text."""

DEFAULT_TIMEOUT = 600
"""Seconds allowed for one database query."""

_MOST_THREADS = 1024
_LONGEST_SECONDS = 7 * 24 * 3600
_LEAST_MEMORY = 64 * 1000**2
_UNITS = {"": 1, "K": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4}
_BINARY_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


@dataclass(frozen=True, slots=True)
class ReadingOption:
    """One option of users.

    Attributes:
        help, metavar: the text in ``--help``.
        type: the type of the value: str, int, bool, or list for several texts.
        default: the value if the option is not given.
        least: the smallest number allowed.
        convert: converts the value for engines and rejects wrong values.
        in_policy, in_app, for_cluster: where it is offered.
        is_shared: whether it also applies to a population.
        command_rank: its position in a suggested command; None if it is left out.
        is_secret: whether it may contain values, which suggested commands replace with dots.
    """

    help: str
    metavar: str | None = None
    type: type = str
    _: KW_ONLY
    default: object = None
    least: int | None = None
    convert: Callable[[object], object] | None = None
    in_policy: bool = True
    in_app: bool = False
    for_cluster: bool = False
    is_shared: bool = False
    command_rank: int | None = 1
    is_secret: bool = False

    def converted(self, value: object) -> object:
        """Return the value for engines."""
        return value if self.convert is None else self.convert(value)

    def command_words(self, name: str, value: object) -> list[str]:
        """Return the arguments of a command line with this value."""
        if value is None or (self.type is bool and value):
            return []
        option = name.replace("_", "-")
        if self.type is bool:
            return [f"--no-{option}"]
        if self.is_secret:
            return [f"--{option} '...'"]
        texts = value if isinstance(value, tuple) else (value,)
        return [word for text in texts for word in (f"--{option}", shlex.quote(str(text)))]


def _check_dates(order: object) -> object:
    if order not in (None, "ymd", "dmy", "mdy"):
        raise InputError("the order of dates must be ymd, dmy or mdy (--dates)")
    return order


def _check_header_row(number: object) -> object:
    if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
        raise InputError("the row with the column names must be a whole number of at least 1 (--header-row)")
    return number


def _check_threads(threads: object) -> object:
    if threads is not None and not 1 <= cast("int", threads) <= _MOST_THREADS:
        raise InputError(f"the number of threads must be 1 to {_MOST_THREADS:,} (--threads)")
    return threads


def _read_timeout(seconds: object) -> int | None:
    number = cast("int", seconds)
    if not 0 <= number <= _LONGEST_SECONDS:
        raise InputError(f"the timeout must be 1 to {_LONGEST_SECONDS:,} seconds, or 0 for none (--timeout)")
    return number or None


def _read_engine(engine: object) -> str | None:
    if engine not in (None, "auto", "spark"):
        raise InputError("the engine must be spark, or auto to choose by the source (--engine)")
    return "spark" if engine == "spark" else None


def _texts(texts: object) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(cast("Sequence[str]", texts))


def _filters(where: object) -> str | tuple[str, ...] | None:
    return where if where is None or isinstance(where, str) else tuple(cast("Sequence[str]", where))


def _columns(names: object) -> tuple[str, ...] | None:
    return tuple(name_list(cast("Names", names))) if names is not None else None


def no_names(names: object) -> bool:
    """Whether no column is named; names may also be a pandas index or a NumPy array, which have no truth value."""
    return names is None or (isinstance(names, Sized) and len(names) == 0)


def name_list(names: Names) -> list[str]:
    """Return names as a list.

    >>> name_list("age,zip"), name_list(("age", "zip"))
    (['age', 'zip'], ['age', 'zip'])
    """
    return split_names(names) if isinstance(names, str) else [_text_of(name) for name in listed(names)]


def listed(names: object) -> list[object]:
    """Return what a list, an index, an array or another collection has."""
    if not isinstance(names, Iterable):
        raise InputError(f"columns are named by texts, in a list or with commas, not by {type(names).__name__}")
    return list(names)


def _text_of(name: object) -> str:
    """Return the name of a column."""
    if not isinstance(name, str):
        raise InputError(f"columns are named by texts, in a list or with commas, not by {type(name).__name__}")
    return str(name)


def read_memory(amount: object) -> int | None:
    """Return an amount of memory in bytes.

    >>> read_memory("500MB"), read_memory("1.5 GiB")
    (500000000, 1610612736)
    """
    if amount is None:
        return None
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", str(amount), flags=re.IGNORECASE | re.ASCII)
    if match is None:
        raise InputError("write an amount of memory like 500MB, 2GB or 1.5GiB (--memory)")
    number, prefix, binary = match.groups()
    size = int(float(number) * (_BINARY_UNITS if binary else _UNITS)[prefix.upper()])
    if size < _LEAST_MEMORY:
        raise InputError("the memory must be at least 64MB (--memory)")
    return size


def _declared(help: str, metavar: str | None, type: type = str, **more: Any) -> Any:  # noqa: A002
    """Return the dataclass field of an option; engines get its converted default if it is not given."""
    option = ReadingOption(help, metavar, type, **more)
    return field(default=option.default if type in (list, bool) else None, metadata={"option": option})


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenOptions:
    """How to read a source: the options of ``Reading``, converted, and internal ones.

    Attributes:
        in_order: whether rows are needed in the order of the source.
        repeatable: whether rows must have the same order each time, on this machine.
        by_column: whether columns are looked at a few at a time, never all of them side by side.
        progress: receives the progress of the work.
    """

    where: str | tuple[str, ...] | None = _declared(
        "Keep only rows that satisfy this: \"age >= 18 and sex = 'F'\".", "SQL",
        convert=_filters, in_app=True, is_secret=True, command_rank=5,
    )  # fmt: skip
    count: str | None = _declared("The column with the number of people per row.", "COL", in_app=True)
    columns: tuple[str, ...] | None = _declared(
        "Read only these columns.", "A,B,..", convert=_columns, command_rank=None
    )
    dates: str | None = _declared(
        "The order of dates in text: ymd, dmy or mdy.", "ORDER", convert=_check_dates, in_app=True, is_shared=True
    )
    zone: Zone | None = _declared(  # noqa: RUF009 (the declaration is immutable)
        "The time zone of days and years, e.g. Europe/Budapest.", "NAME",
        convert=parse_zone, in_app=True, is_shared=True,
    )  # fmt: skip
    delimiter: str | None = _declared("The column separator of text files.", "CHAR", in_app=True)
    encoding: str | None = _declared("The encoding of text files, e.g. cp1250.", "NAME", in_app=True)
    null: tuple[str, ...] = _declared(
        "A text that means a missing value (repeatable).", "TEXT", list,
        default=(), convert=_texts, is_shared=True, command_rank=2,
    )  # fmt: skip
    header: bool = _declared("Text files have no line of column names.", None, bool, default=True, command_rank=3)
    header_row: int | None = _declared(
        "The number of the row with the column names.", "N", int, least=1, convert=_check_header_row, in_app=True
    )
    sheet: str | None = _declared("The sheet of a workbook.", "NAME", in_app=True)
    table: str | None = _declared("The table of a database, SQLite file or zip archive.", "NAME", in_app=True)
    query: str | None = _declared(
        "A SELECT or a view to measure instead of a table.", "SQL", is_secret=True, command_rank=4
    )
    timeout: int | None = _declared(
        "Seconds per database query; 0 for no limit.", "N", int,
        default=DEFAULT_TIMEOUT, least=0, convert=_read_timeout, is_shared=True, command_rank=None,
    )  # fmt: skip
    memory: int | None = _declared(
        "The memory limit, e.g. 500MB.", "SIZE",
        convert=read_memory, in_policy=False, is_shared=True, command_rank=None,
    )  # fmt: skip
    threads: int | None = _declared(
        "The number of threads.", "N", int,
        least=1, convert=_check_threads, in_policy=False, is_shared=True, command_rank=None,
    )  # fmt: skip
    engine: str | None = _declared(
        "spark for Apache Spark, auto to choose by the source.", "NAME",
        default="auto", convert=_read_engine, for_cluster=True, is_shared=True, command_rank=0,
    )  # fmt: skip
    master: str | None = _declared(
        "Where Spark runs: spark://host:7077, yarn, local[4].", "URL",
        for_cluster=True, is_shared=True, command_rank=0,
    )  # fmt: skip
    in_order: bool = False
    repeatable: bool = False
    by_column: bool = False
    progress: Progress = field(default=SILENT, compare=False)

    def command_words(self) -> list[str]:
        """Return the command-line options that read a table in the same way."""
        ranked = sorted(
            (option.command_rank, name) for name, option in OPTIONS.items() if option.command_rank is not None
        )
        return [word for _, name in ranked for word in OPTIONS[name].command_words(name, getattr(self, name))]

    def for_population(self, count: str | None, table: str | None) -> OpenOptions:
        """Return the options for a population: its own, except for shared ones such as dates and nulls."""
        alike = {name: getattr(self, name) for name, option in OPTIONS.items() if option.is_shared}
        return replace(OpenOptions(progress=self.progress), **alike, count=count, table=table)


OPTIONS: Mapping[str, ReadingOption] = {
    option.name: option.metadata["option"] for option in fields(OpenOptions) if "option" in option.metadata
}
"""The options for reading a table by name, in the order of ``--help``."""

SECOND_OPTIONS = (
    "where", "count", "dates", "delimiter", "encoding", "null", "header", "header_row", "sheet", "table", "query",
)  # fmt: skip
"""The options that a second table has for itself, as ``--where-b``."""


class Reading(TypedDict, total=False):
    """How a table is read.

    Attributes:
        where: a filter, for example ``"age >= 18 and sex = 'F'"``, or a list of filters that rows must all satisfy.
        count: the column with the number of people per row.
        columns: the only columns to read.
        dates: the order of dates in text: ``"ymd"``, ``"dmy"`` or ``"mdy"``.
        zone: the time zone of days, months and years of times that have one: ``"Europe/Budapest"`` or ``"+02:00"``.
        delimiter: the column separator of text files; detected if not given.
        encoding: the encoding of text files; detected if not given.
        null: texts that mean null in text files.
        header: whether text files begin with column names.
        header_row: the number of the row with the column names, from 1, in text files and workbooks; detected if not
            given.
        sheet: the sheet of a workbook.
        table: the table of a database, of a SQLite file or of a zip archive.
        query: a SELECT or the name of a view to measure in a database instead of a table.
        timeout: seconds allowed for one database query; 0 for no limit.
        engine: ``"spark"`` to read Parquet and count with Apache Spark; not needed for Spark frames.
        master: where Spark runs, ``"spark://host:7077"`` or ``"local[4]"``.
        memory: the memory limit, in bytes or like ``"500MB"``.
        threads: the number of threads.
        progress: receives the progress of the work.
    """

    where: str | Sequence[str] | None
    count: str | None
    columns: Names | None
    dates: str | None
    zone: str | None
    delimiter: str | None
    encoding: str | None
    null: Names
    header: bool
    header_row: int | None
    sheet: str | None
    table: str | None
    query: str | None
    timeout: int
    engine: str | None
    master: str | None
    memory: int | str | None
    threads: int | None
    progress: Progress


def open_options(reading: Reading) -> OpenOptions:
    """Return the options for the engine; unknown names and wrong values are errors."""
    unknown = set(reading) - set(Reading.__annotations__)
    if unknown:
        raise TypeError(f"no option named {min(unknown)!r}")
    given = cast("Mapping[str, object]", reading)
    values: dict[str, Any] = {
        name: option.converted(given.get(name, option.default)) for name, option in OPTIONS.items()
    }
    if values["header_row"] is not None and not values["header"]:
        raise InputError("--header-row names the row with the column names; leave out --no-header")
    return OpenOptions(**values, progress=reading.get("progress", SILENT))
