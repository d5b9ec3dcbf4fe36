"""Options that commands share: how a table is read and how the answer is printed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from idbits.cli.failures import failures
from idbits.file_guard import guarded_files, will_write

if TYPE_CHECKING:
    from idbits.studies.shared.reading import Reading
else:
    # The studies import NumPy, for which `idbits --help` has no time.
    Reading = dict

__all__ = [
    "WRITTEN",
    "Cluster",
    "Memory",
    "Missing",
    "Output",
    "Person",
    "Population",
    "PopulationCount",
    "PopulationTable",
    "Reading",
    "Reveal",
    "Seed",
    "Source",
    "Threads",
    "sharing",
]

Cluster = Reading
"""Which engine reads and counts, and where."""

WRITTEN = "written"
"""Marks a file or folder that a command writes; ``sharing`` announces it to the guard of the command's files."""

Source = Annotated[
    str, typer.Argument(help="A file, a folder, a glob in quotes, a database, or - for stdin.", show_default=False)
]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show values that few people have. For internal eyes only.")]
Memory = Annotated[str | None, typer.Option(help="The most memory to take, e.g. 500MB.", metavar="SIZE")]
Threads = Annotated[int | None, typer.Option(help="How many threads to use.", min=1, metavar="N")]
Population = Annotated[str | None, typer.Option(help="Look the table up in this population table.", metavar="SOURCE")]
PopulationCount = Annotated[
    str | None, typer.Option(help="How many people a row of the population stands for.", metavar="COL")
]
PopulationTable = Annotated[str | None, typer.Option(help="The table of a population in a database.", metavar="NAME")]
Missing = Annotated[
    str, typer.Option(help="Values that the population does not hold: error or unbounded.", metavar="HOW")
]
Person = Annotated[str | None, typer.Option(help="The column that names the person: one row each.", metavar="COL")]
Seed = Annotated[int, typer.Option(help="Seed for whatever is drawn at random.", metavar="N")]


@dataclass(frozen=True, slots=True)
class Output:
    """How the answer is printed."""

    json: bool = False
    out: Path | None = None
    plain: bool = False
    quiet: bool = False


def _reading(
    where: Annotated[
        str | None, typer.Option(help="Keep only rows that satisfy this: \"age >= 18 and sex = 'F'\".", metavar="SQL")
    ] = None,
    count: Annotated[
        str | None, typer.Option(help="The column that says how many people a row stands for.", metavar="COL")
    ] = None,
    columns: Annotated[str | None, typer.Option(help="The only columns that may be seen.", metavar="A,B,..")] = None,
    dates: Annotated[
        str | None, typer.Option(help="How text dates are written: ymd, dmy or mdy.", metavar="ORDER")
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="The delimiter of text files.", metavar="CHAR")] = None,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of text files, e.g. cp1250.", metavar="NAME")
    ] = None,
    null: Annotated[
        list[str] | None, typer.Option(help="A text that stands for null (repeats).", metavar="TEXT")
    ] = None,
    no_header: Annotated[bool, typer.Option("--no-header", help="Text files do not begin with names.")] = False,
    sheet: Annotated[str | None, typer.Option(help="The sheet of a workbook.", metavar="NAME")] = None,
    table: Annotated[
        str | None, typer.Option(help="The table of a database or of a SQLite file.", metavar="NAME")
    ] = None,
    query: Annotated[
        str | None, typer.Option(help="A SELECT, or a view, of a database instead of a table.", metavar="SQL")
    ] = None,
    timeout: Annotated[
        int, typer.Option(help="Seconds a database may take for one query; 0 for any.", min=0, metavar="N")
    ] = 600,
    memory: Memory = None,
    threads: Threads = None,
) -> Reading:
    return {
        "where": where,
        "count": count,
        "columns": columns,
        "dates": dates,
        # A shell hands over a tab as backslash t unless it is told otherwise.
        "delimiter": delimiter.replace("\\t", "\t") if delimiter is not None else None,
        "encoding": encoding,
        "null": tuple(null or ()),
        "header": not no_header,
        "sheet": sheet,
        "table": table,
        "query": query,
        "timeout": timeout,
        "memory": memory,
        "threads": threads,
    }


def _output(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, numbers unrounded.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the answer to this file.", metavar="FILE"), WRITTEN
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="No colours, only ASCII lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No notes and no progress on stderr.")] = False,
) -> Output:
    return Output(json, out, plain, quiet)


def _cluster(
    engine: Annotated[
        str, typer.Option(help="Who reads and counts: spark for Apache Spark, auto for what fits.", metavar="NAME")
    ] = "auto",
    master: Annotated[
        str | None, typer.Option(help="Where Spark runs: spark://host:7077, yarn, local[4].", metavar="URL")
    ] = None,
) -> Reading:
    return {"engine": engine, "master": master}


def is_written(parameter: inspect.Parameter) -> bool:
    """Whether a parameter names a file or folder that is written."""
    return WRITTEN in getattr(parameter.annotation, "__metadata__", ())


def _shown_name(parameter: inspect.Parameter) -> str:
    """Return what a user calls a parameter: --out, or FILE for an argument."""
    option = isinstance(parameter.annotation.__metadata__[0], typer.models.OptionInfo)
    return f"--{parameter.name.replace('_', '-')}" if option else parameter.name.upper()


_SHARED: dict[str, Callable[..., object]] = {"reading": _reading, "output": _output, "cluster": _cluster}


def sharing(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes ``reading`` or ``output`` the options these are made from."""
    taken = inspect.signature(command, eval_str=True).parameters
    made = {name: _SHARED[name] for name in taken if name in _SHARED}
    parts = {name: inspect.signature(maker, eval_str=True).parameters for name, maker in made.items()}

    parameters = [parameter for name, parameter in taken.items() if name not in made]
    parameters += [parameter for part in parts.values() for parameter in part.values()]
    written = {parameter.name: _shown_name(parameter) for parameter in parameters if is_written(parameter)}

    @functools.wraps(command)
    def with_options(**given: object) -> None:
        with failures(), guarded_files(streams=True):
            for name, shown in written.items():
                path = given[name]
                if isinstance(path, Path):
                    will_write(path, shown)
            built = {
                name: maker(**{option: given.pop(option) for option in parts[name]}) for name, maker in made.items()
            }
            command(**given, **built)

    keyword = inspect.Parameter.KEYWORD_ONLY
    # typer reads the options off the signature.
    signature = inspect.Signature([parameter.replace(kind=keyword) for parameter in parameters])
    setattr(with_options, "__signature__", signature)  # noqa: B010 (a function declares no such attribute)
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options
