"""How ``--help`` looks: commands in groups, options in panels, examples last."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

__all__ = [
    "CLUSTER",
    "MEASURE",
    "OUTPUT",
    "READ",
    "READ_SECOND",
    "HelpCommand",
    "HelpGroup",
    "command_groups",
    "new_app",
]

MEASURE = "What to measure"
READ = "How to read the table"
READ_SECOND = "How to read the second table"
OUTPUT = "Output"
CLUSTER = "Cluster"
_PANELS = ("Arguments", MEASURE, "Options", READ, READ_SECOND, OUTPUT, CLUSTER)
_WIDTH = 80
_EXAMPLES = "Examples:"
_HELP = "Show this help and exit."
_RANGE = re.compile(r"  \[[\d.<=]*x[<>=\d.]*\]|; [\d.<=]*x[<>=\d.]*(?=\])")
"""The range of a number as typer writes it: a number outside it gets a clear error."""


def new_app(name: str, summary: str, *, add_completion: bool = False) -> typer.Typer:
    """Return an app, or a group of commands of one, with the help of this module."""
    return typer.Typer(
        name=name,
        cls=HelpGroup,
        help=summary,
        add_completion=add_completion,
        no_args_is_help=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _WIDTH},
    )


class HelpCommand(TyperCommand):
    """A command whose options are shown in panels, followed by its examples."""

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first line of the help, uncut."""
        del limit
        return _summary(self.help)

    def format_help_text(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write what the command does, without its examples."""
        del ctx
        for paragraph in _split_help(self.help)[0].split("\n\n"):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(" ".join(paragraph.split()))

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the arguments, then the options panel by panel."""
        panels: dict[str, list[tuple[str, str]]] = {panel: [] for panel in _PANELS}
        takes_table = any(getattr(parameter, "rich_help_panel", None) == READ for parameter in self.get_params(ctx))
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                panels["Arguments"].append((parameter.name.upper(), record[1].partition("  [")[0]))
            elif parameter.name == "help":
                panels[OUTPUT if panels[OUTPUT] else "Options"].append((record[0], _HELP))
            else:
                usual = MEASURE if takes_table else "Options"
                panels[getattr(parameter, "rich_help_panel", None) or usual].append(
                    (record[0], _RANGE.sub("", record[1]))
                )
        for title, records in panels.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the examples, each on a line of its own where it fits."""
        del ctx
        if examples := _split_help(self.help)[1]:
            with formatter.section("Examples"):
                for example in examples:
                    formatter.write("".join(f"  {line}\n" for line in _command_lines(example)))

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """Return the words of the usage line, with arguments in capitals."""
        pieces = ["[OPTIONS]"]
        for parameter in self.get_params(ctx):
            if parameter.param_type_name == "argument":
                name = parameter.name.upper() + ("..." if parameter.nargs == -1 else "")
                pieces.append(name if parameter.required else f"[{name}]")
        return pieces


class HelpGroup(TyperGroup):
    """A group of commands, shown by what they are for."""

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write one line per command, group by group."""
        for title, lines in command_groups(self, ctx).items():
            with formatter.section(title):
                formatter.write_dl(lines, col_max=_WIDTH)

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        records = [
            (record[0], _HELP if parameter.name == "help" else record[1])
            for parameter in self.get_params(ctx)
            if (record := parameter.get_help_record(ctx))
        ]
        with formatter.section("Options"):
            formatter.write_dl(records)

    def list_commands(self, ctx: Context) -> list[str]:
        """Return the commands in the order in which they are declared."""
        del ctx
        return list(self.commands)


def command_groups(group: TyperGroup, ctx: Context) -> dict[str, list[tuple[str, str]]]:
    """Return the commands and their summaries, by the heading under which they stand."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None and not command.hidden:
            title = getattr(command, "rich_help_panel", None) or "Commands"
            groups.setdefault(title, []).append((name, _summary(command.help)))
    return groups


def _summary(text: str | None) -> str:
    return (inspect.cleandoc(text or "").splitlines() or [""])[0].rstrip(".")


def _split_help(text: str | None) -> tuple[str, list[str]]:
    """Return the text of a docstring and its examples.

    >>> _split_help('''What is it?
    ...
    ... Examples:
    ...     idbits inspect people.csv
    ... ''')
    ('What is it?', ['idbits inspect people.csv'])
    """
    words, _, examples = inspect.cleandoc(text or "").partition(_EXAMPLES)
    return words.strip(), [line.strip() for line in examples.splitlines() if line.strip()]


def _command_lines(command: str) -> Iterable[str]:
    """Return a command in lines that a shell takes as one.

    >>> list(_command_lines("idbits measure people.csv --qid age,sex"))
    ['idbits measure people.csv --qid age,sex']
    """
    protected = re.sub(r'"[^"]*"|\'[^\']*\'', lambda quoted: quoted[0].replace(" ", "\0"), command)
    protected = re.sub(r"(--?[\w-]+) (?=[^-\s])", "\\1\0", protected)
    lines = textwrap.wrap(protected, _WIDTH - 6, break_long_words=False, break_on_hyphens=False)
    for index, line in enumerate(lines):
        indent, end = "    " if index else "", " \\" if index < len(lines) - 1 else ""
        yield f"{indent}{line}{end}".replace("\0", " ")
