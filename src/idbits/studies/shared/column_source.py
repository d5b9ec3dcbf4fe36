"""Columns of a table written as one text, ``FILE:column:transform,column``: opened, loaded and queried."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from idbits.engines.base import Table
from idbits.engines.open import open_table
from idbits.errors import InputError, NotEstimableError
from idbits.reading import Names, Reading, name_list, open_options
from idbits.storage import expand_home
from idbits.values.attributes import Attribute, parse_attributes, split_names

__all__ = ["ask_columns", "split_source"]

Reply = TypeVar("Reply")


def ask_columns(
    source: object, attributes: Names | None, reading: Reading, ask: Callable[[Table, tuple[Attribute, ...]], Reply]
) -> tuple[Reply, str, tuple[str, ...]]:
    """Open a table, query the columns named, and return the reply, their names and the notes."""
    names = name_list(attributes) if attributes is not None else None
    if names is None and isinstance(source, str | os.PathLike):
        source, names = split_source(os.fspath(source))
    options = open_options(reading)
    with closing(open_table(source, options)) as table:
        if not names:
            others = [name for name in table.columns if name != options.count]
            if len(others) != 1:
                raise InputError("name the column that has the distribution, such as ages.csv:age")
            names = others
        wanted = parse_attributes(names, table.columns)
        table.load(attribute.column for attribute in wanted)
        if table.n_people() == 0:
            raise NotEstimableError("the table has no people in it, so it gives no distribution")
        reply = ask(table, wanted)
        table.check_unchanged()
        return reply, " and ".join(attribute.name for attribute in wanted), tuple(table.notes)


def split_source(text: str) -> tuple[str, list[str] | None]:
    r"""Separate ``FILE:column:transform,column`` into the file and its columns: the longest existing path wins.

    >>> split_source("no-such-file.csv:age:band5,sex")
    ('no-such-file.csv', ['age:band5', 'sex'])
    >>> split_source(r"C:\data\no-such-file.csv:age")[1]
    ['age']
    """
    parts = text.split(":")
    shortest = 2 if re.match(r"[A-Za-z]:[\\/]", text) else 1
    for length in range(len(parts), 0, -1):
        path = ":".join(parts[:length])
        if path and (_exists(path) or length == shortest):
            rest = ":".join(parts[length:])
            return path, split_names(rest) if rest else None
    raise InputError("name a file and a column, such as ages.csv:age")


def _exists(path: str) -> bool:
    path = expand_home(path)
    try:
        return Path(path).exists() or (any(c in path for c in "*?[") and bool(glob.glob(path)))  # noqa: PTH207
    except (OSError, ValueError, NotImplementedError):
        return False
