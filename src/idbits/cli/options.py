"""Options that every command takes, and how their values are read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from idbits.errors import InputError

__all__ = [
    "Columns", "Count", "Dates", "Delimiter", "Json", "Memory", "NoHeader", "Null", "Out", "Plain", "Quiet", "Reveal",
    "Seed", "Source", "Threads", "Where", "read_memory",
]  # fmt: skip

Source = Annotated[str, typer.Argument(help="A CSV or Parquet file, or a glob of files in quotes.", show_default=False)]
Columns = Annotated[str | None, typer.Option(help="The only columns that may be seen.", metavar="A,B,..")]
Count = Annotated[
    str | None, typer.Option(help="The column that says how many people a row stands for.", metavar="COL")
]
Where = Annotated[
    str | None,
    typer.Option(help="Keep only rows that satisfy this, e.g. \"age >= 18 and sex = 'F'\".", metavar="SQL"),
]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show values that few people have. For internal eyes only.")]
Dates = Annotated[str | None, typer.Option(help="How text dates are written: ymd, dmy or mdy.", metavar="ORDER")]
Delimiter = Annotated[str | None, typer.Option(help="The delimiter of text files.", metavar="CHAR")]
Null = Annotated[list[str] | None, typer.Option(help="A text that stands for null (repeats).", metavar="TEXT")]
NoHeader = Annotated[bool, typer.Option("--no-header", help="Text files do not begin with names.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, numbers unrounded.")]
Out = Annotated[Path | None, typer.Option(help="Write the answer to this file.", metavar="FILE")]
Plain = Annotated[bool, typer.Option("--plain", help="No colours, only ASCII lines.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No notes and no progress on stderr.")]
Memory = Annotated[str | None, typer.Option(help="The most memory to take, e.g. 500MB.", metavar="SIZE")]
Threads = Annotated[int | None, typer.Option(help="How many threads to use.", min=1, metavar="N")]
Seed = Annotated[int, typer.Option(help="Seed for whatever is drawn at random.", metavar="N")]

_UNITS = {"": 1, "B": 1, "K": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4}
_LEAST_MEMORY = 64 * 1000**2


def read_memory(text: str | None) -> int | None:
    """Return an amount of memory in bytes.

    >>> read_memory("500MB"), read_memory("1.5 GiB")
    (500000000, 1610612736)
    """
    if text is None:
        return None
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", text, flags=re.IGNORECASE | re.ASCII)
    if match is None:
        raise InputError("memory is written like 500MB, 2GB or 1.5GiB (--memory)")
    number, prefix, binary = match.groups()
    unit = _UNITS[prefix.upper()]
    if binary:
        unit = 1024 ** "KMGT".index(prefix.upper()) * 1024 if prefix else 1
    amount = int(float(number) * unit)
    if amount < _LEAST_MEMORY:
        raise InputError("at least 64MB of memory are needed (--memory)")
    return amount
