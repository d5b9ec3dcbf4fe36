"""The commands of ``idbits`` in groups. A command's module is imported when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from idbits._version import __version__
from idbits.cli.help import HelpCommand, command_groups, new_app

__all__ = ["all_commands", "app_for", "map_of_commands"]

_COMMANDS = {
    "Look at a table": (
        "inspect", "measure", "population", "disclosure", "columns", "gain", "events", "link", "leak", "overlap",
    ),
    "Decide": ("report", "advise", "apply", "decide", "init", "check"),
    "Before collecting": ("predict", "questionnaire"),
    "Repository of published figures": ("publish", "query", "repository"),
    "Set-up": ("serve", "demo", "randomise"),
}  # fmt: skip
_GROUPS = ("predict", "repository")
"""Commands that have commands."""

_MAP_START = """
idbits shows how easily people can be found in a table and what makes it harder.

Start here
  idbits serve                 open the app in your browser: no commands needed
  idbits inspect people.csv    a first look at a table of yours
  idbits demo                  an example table with invented people
"""


def app_for(word: str) -> typer.Typer:
    """Return the app with only the command of this name; with all commands if the word is none."""
    panels = [panel for panel, names in _COMMANDS.items() if word in names]
    return _app({panels[0]: (word,)} if panels else _COMMANDS)


def all_commands() -> typer.Typer:
    """Return the app with all commands."""
    return _app(_COMMANDS)


def _app(commands: dict[str, tuple[str, ...]]) -> typer.Typer:
    app = new_app(
        "idbits",
        "Measure how easily people can be found in a table, in bits, and what makes it harder.",
        add_completion=True,
    )
    app.callback()(_root)
    for panel, names in commands.items():
        for name in names:
            module = import_module(f"idbits.cli.{name}")
            if name in _GROUPS:
                app.add_typer(getattr(module, f"{name}_app"), name=name, rich_help_panel=panel)
            else:
                app.command(name, cls=HelpCommand, rich_help_panel=panel)(getattr(module, f"{name}_command"))
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"idbits {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Measure how easily people can be found in a table, in bits, and what makes it harder."""


def map_of_commands() -> str:
    """Return what ``idbits`` without words prints: where to start, and every command."""
    group = typer.main.get_group(all_commands())
    groups = command_groups(group, typer.Context(group))
    width = max(len(name) for lines in groups.values() for name, _ in lines) + 2
    paragraphs = [_MAP_START.strip()]
    for title, lines in groups.items():
        paragraphs.append("\n".join([title, *(f"  {name:<{width}}{summary}" for name, summary in lines)]))
    paragraphs.append(f"idbits COMMAND --help explains a command. idbits {__version__}")
    return "\n\n".join(paragraphs)
