"""How a study's table is read: the options that every study takes, in one place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict

from idbits.engines.base import OpenOptions
from idbits.errors import InputError
from idbits.progress import SILENT, Progress
from idbits.values.attributes import split_names

__all__ = ["DEFAULT_TIMEOUT", "Names", "Reading", "name_list", "open_options", "read_memory"]

Names = str | Sequence[str]
"""Column names, as a list or as one text parted by commas."""


DEFAULT_TIMEOUT = 600
"""Seconds that a database may take for one query."""


class Reading(TypedDict, total=False):
    """How a table is read.

    Attributes:
        where: a filter, for example ``"age >= 18 and sex = 'F'"``, or a list of filters that must all hold.
        count: the column that says how many people a row stands for.
        columns: the only columns that may be seen.
        dates: how text dates are written: ``"ymd"``, ``"dmy"`` or ``"mdy"``.
        delimiter: the delimiter of text files; found out when not given.
        encoding: the encoding of text files; found out when not given.
        null: texts that stand for null in text files.
        header: whether text files begin with names.
        sheet: the sheet of a workbook.
        table: the table of a database or of a SQLite file.
        query: a SELECT, or the name of a view, to be counted in a database instead of a table.
        timeout: how many seconds a database may take for one query; 0 for any.
        engine: ``"spark"`` to let Apache Spark read Parquet and count; frames of Spark need no such word.
        master: where Spark runs, ``"spark://host:7077"`` or ``"local[4]"``.
        memory: the most memory to take, in bytes or like ``"500MB"``.
        threads: the number of threads to use.
        progress: who is told how far the work is.
    """

    where: str | Sequence[str] | None
    count: str | None
    columns: Names | None
    dates: str | None
    delimiter: str | None
    encoding: str | None
    null: Names
    header: bool
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
    """Return the options for the engine; words that mean nothing are errors."""
    unknown = set(reading) - set(Reading.__annotations__)
    if unknown:
        raise TypeError(f"there is no option {min(unknown)!r}")
    if reading.get("dates") not in (None, "ymd", "dmy", "mdy"):
        raise InputError("dates are written ymd, dmy or mdy")
    threads = reading.get("threads")
    if threads is not None and not 1 <= threads <= _MOST_THREADS:
        raise InputError(f"there can be 1 to {_MOST_THREADS} threads")
    null = reading.get("null", ())
    columns, where = reading.get("columns"), reading.get("where")
    return OpenOptions(
        where=where if where is None or isinstance(where, str) else tuple(where),
        count=reading.get("count"),
        columns=tuple(name_list(columns)) if columns is not None else None,
        dates=reading.get("dates"),
        delimiter=reading.get("delimiter"),
        encoding=reading.get("encoding"),
        null=(null,) if isinstance(null, str) else tuple(null),
        header=reading.get("header", True),
        sheet=reading.get("sheet"),
        table=reading.get("table"),
        query=reading.get("query"),
        timeout=_read_timeout(reading.get("timeout", DEFAULT_TIMEOUT)),
        engine=_read_engine(reading.get("engine")),
        master=reading.get("master"),
        memory=read_memory(reading.get("memory")),
        threads=reading.get("threads"),
        progress=reading.get("progress", SILENT),
    )


def _read_engine(engine: str | None) -> str | None:
    if engine not in (None, "auto", "spark"):
        raise InputError("an engine is spark, or auto for the one that fits the source (--engine)")
    return engine if engine == "spark" else None


def _read_timeout(seconds: int) -> int | None:
    if not 0 <= seconds <= _LONGEST:
        raise InputError(f"a database may take 1 to {_LONGEST:,} seconds for a query, or any time (--timeout 0)")
    return seconds or None


def name_list(names: Names) -> list[str]:
    """Return names as a list."""
    return split_names(names) if isinstance(names, str) else list(names)


_UNITS = {"": 1, "K": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4}
_BINARY_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_MOST_THREADS = 1024
_LONGEST = 7 * 24 * 3600
_LEAST_MEMORY = 64 * 1000**2


def read_memory(amount: int | str | None) -> int | None:
    """Return an amount of memory in bytes.

    >>> read_memory("500MB"), read_memory("1.5 GiB")
    (500000000, 1610612736)
    """
    if amount is None:
        return None
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", str(amount), flags=re.IGNORECASE | re.ASCII)
    if match is None:
        raise InputError("memory is written like 500MB, 2GB or 1.5GiB (--memory)")
    number, prefix, binary = match.groups()
    found = int(float(number) * (_BINARY_UNITS if binary else _UNITS)[prefix.upper()])
    if found < _LEAST_MEMORY:
        raise InputError("at least 64MB of memory are needed (--memory)")
    return found
