"""Options that commands share: how a table is read and how the answer is printed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from idbits.cli.failures import failures
from idbits.cli.help import CLUSTER, OUTPUT, READ, READ_SECOND
from idbits.cli.table_columns import complete_columns
from idbits.file_guard import guarded_files, will_write
from idbits.reading import OPTIONS, SECOND_OPTIONS, Reading, ReadingOption
from idbits.storage import expand_home

__all__ = [
    "WRITTEN", "Cluster", "Household", "Knows", "Memory", "Missing", "Multiset", "NullPerson", "Output", "People",
    "Person", "Population", "PopulationCount", "PopulationPerson", "PopulationTable", "Reading", "Reveal",
    "RowsArePeople", "SampleFraction", "SampleWeight", "Screen", "Seed", "Source", "Threads", "sharing",
]  # fmt: skip

Cluster = Reading
"""The engine that reads and counts, and where it runs."""

WRITTEN = "written"
"""Marks a file or folder that a command writes; ``sharing`` registers it with the guard of the command's files."""

Source = Annotated[
    str, typer.Argument(help="A file, a folder, a glob in quotes, a database, or - for stdin.", show_default=False)
]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show values that few people have; for internal use only.")]
Memory = Annotated[str | None, typer.Option(help=OPTIONS["memory"].help, metavar=OPTIONS["memory"].metavar)]
Threads = Annotated[int | None, typer.Option(help=OPTIONS["threads"].help, min=1, metavar=OPTIONS["threads"].metavar)]
Population = Annotated[
    str | None, typer.Option(help="A table of the whole population, to look people up in.", metavar="SOURCE")
]
PopulationCount = Annotated[
    str | None, typer.Option(help="The column with the number of people per row of --population.", metavar="COL")
]
PopulationTable = Annotated[str | None, typer.Option(help="The table of --population in a database.", metavar="NAME")]
People = Annotated[str | None, typer.Option(help="The number of people in the population.", metavar="N")]
SampleFraction = Annotated[
    float | None, typer.Option("--fraction", help="The share of the population in the sample, e.g. 0.05.", metavar="F")
]
SampleWeight = Annotated[str | None, typer.Option("--weight", help="The column of sampling weights.", metavar="COL")]
Missing = Annotated[str, typer.Option(help="For values that --population lacks: error or unbounded.", metavar="HOW")]
Person = Annotated[
    str | None,
    typer.Option(
        help="The column that identifies people, who may have several rows.",
        metavar="COL",
        autocompletion=complete_columns,
    ),
]
Knows = Annotated[
    str,
    typer.Option(
        help="What an attacker knows of a person's rows: one-record, any-record or all-records.", metavar="WHAT"
    ),
]
NullPerson = Annotated[
    str, typer.Option(help="Rows without a person: error, drop (leave out) or own (a person each).", metavar="HOW")
]
Multiset = Annotated[
    bool, typer.Option("--multiset", help="With --knows all-records, also count equal records of a person.")
]
Household = Annotated[
    str | None,
    typer.Option(help="The column of people who live together.", metavar="COL", autocompletion=complete_columns),
]
RowsArePeople = Annotated[
    bool, typer.Option("--rows-are-people", help="Each row is a person, and every person has one.")
]
PopulationPerson = Annotated[
    str | None, typer.Option(help="The column that identifies people in --population.", metavar="COL")
]
Seed = Annotated[int, typer.Option(help="The seed for random draws.", metavar="N")]


@dataclass(frozen=True, slots=True)
class Output:
    """How the answer is printed."""

    json: bool = False
    out: Path | None = None
    plain: bool = False
    quiet: bool = False


Screen = Output
"""How the answer is printed by a command whose ``--out`` is not the answer."""


def _parameter(name: str, option: ReadingOption, suffix: str = "") -> inspect.Parameter:
    """Return a reading option as a parameter that typer understands."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    panel = CLUSTER if option.for_cluster else READ_SECOND if suffix else READ
    name = f"{name}{suffix}"
    if option.type is bool:
        flag = f"--no-{name.replace('_', '-')}"
        switch = Annotated[bool, typer.Option(flag, help=option.help, rich_help_panel=panel)]
        return inspect.Parameter(f"no_{name}", keyword, default=False, annotation=switch)
    default = None if option.type is list else option.default
    given: Any = list[str] if option.type is list else option.type
    declared = typer.Option(help=option.help, min=option.least, metavar=option.metavar, rich_help_panel=panel)
    annotation: Any = Annotated[given | None if default is None else given, declared]
    return inspect.Parameter(name, keyword, default=default, annotation=annotation)


def _given(options: Mapping[str, ReadingOption], values: Mapping[str, object], suffix: str = "") -> Reading:
    """Return the given values under the names of the Python API."""
    reading: dict[str, object] = {}
    for name, option in options.items():
        if option.type is bool:
            reading[name] = not values[f"no_{name}{suffix}"]
        else:
            value = values[f"{name}{suffix}"]
            several = tuple(value) if isinstance(value, list) else ()
            reading[name] = several if option.type is list else value
    delimiter = reading.get("delimiter")
    if isinstance(delimiter, str):
        # Most shells pass a tab as backslash t.
        reading["delimiter"] = delimiter.replace("\\t", "\t")
    return cast("Reading", reading)


_JSON = Annotated[
    bool, typer.Option("--json", help="Print one JSON object with unrounded numbers.", rich_help_panel=OUTPUT)
]
_PLAIN = Annotated[
    bool, typer.Option("--plain", help="Use no colours and only ASCII characters.", rich_help_panel=OUTPUT)
]
_QUIET = Annotated[bool, typer.Option("--quiet", help="Print no notes and no progress.", rich_help_panel=OUTPUT)]


def _output(
    json: _JSON = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the answer to this file.", metavar="FILE", rich_help_panel=OUTPUT),
        WRITTEN,
    ] = None,
    plain: _PLAIN = False,
    quiet: _QUIET = False,
) -> Output:
    return Output(json, out, plain, quiet)


def _screen(
    json: _JSON = False,
    plain: _PLAIN = False,
    quiet: _QUIET = False,
) -> Output:
    return Output(json, None, plain, quiet)


def _with_home(value: object) -> object:
    """Return a path, or several, with ``~`` replaced by the home folder; anything else as it is."""
    if isinstance(value, list):
        return [_with_home(item) for item in value]
    return Path(expand_home(value)) if isinstance(value, Path) else value


def is_written(parameter: inspect.Parameter) -> bool:
    """Whether a parameter names a file or folder that is written."""
    return WRITTEN in getattr(parameter.annotation, "__metadata__", ())


def _shown_name(parameter: inspect.Parameter) -> str:
    """Return a parameter's name as a user types it: --out, or FILE for an argument."""
    option = isinstance(parameter.annotation.__metadata__[0], typer.models.OptionInfo)
    return f"--{parameter.name.replace('_', '-')}" if option else parameter.name.upper()


@dataclass(frozen=True, slots=True)
class _SharedOptions:
    """Options that several commands take, and the object built from them."""

    parameters: Mapping[str, inspect.Parameter]
    build: Callable[..., object]

    @classmethod
    def of_reading(cls, *, for_cluster: bool) -> _SharedOptions:
        options = {name: option for name, option in OPTIONS.items() if option.for_cluster == for_cluster}
        parameters = [_parameter(name, option) for name, option in options.items()]
        return cls({parameter.name: parameter for parameter in parameters}, lambda **given: _given(options, given))

    @classmethod
    def of_second_table(cls) -> _SharedOptions:
        options = {name: OPTIONS[name] for name in SECOND_OPTIONS}
        parameters = [_parameter(name, option, "_b") for name, option in options.items()]
        return cls(
            {parameter.name: parameter for parameter in parameters}, lambda **given: _given(options, given, "_b")
        )


_SHARED = {
    "reading": _SharedOptions.of_reading(for_cluster=False),
    "reading_b": _SharedOptions.of_second_table(),
    "output": _SharedOptions(inspect.signature(_output, eval_str=True).parameters, _output),
    "screen": _SharedOptions(inspect.signature(_screen, eval_str=True).parameters, _screen),
    "cluster": _SharedOptions.of_reading(for_cluster=True),
}


def sharing(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that its ``reading``, ``reading_b``, ``output``, ``screen`` or ``cluster`` has."""
    taken = inspect.signature(command, eval_str=True).parameters
    wanted = {name: _SHARED[name] for name in taken if name in _SHARED}

    parameters = [parameter for name, parameter in taken.items() if name not in wanted]
    parameters += [parameter for shared in wanted.values() for parameter in shared.parameters.values()]
    written = {parameter.name: _shown_name(parameter) for parameter in parameters if is_written(parameter)}

    @functools.wraps(command)
    def with_options(**given: object) -> None:
        with failures(), guarded_files(streams=True):
            given = {name: _with_home(value) for name, value in given.items()}
            for name, shown in written.items():
                path = given[name]
                if isinstance(path, Path):
                    will_write(path, shown)
            built = {
                name: shared.build(**{option: given.pop(option) for option in shared.parameters})
                for name, shared in wanted.items()
            }
            command(**given, **built)

    keyword = inspect.Parameter.KEYWORD_ONLY
    # typer reads the options from the signature.
    signature = inspect.Signature([parameter.replace(kind=keyword) for parameter in parameters])
    setattr(with_options, "__signature__", signature)  # noqa: B010 (a function declares no such attribute)
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options
