"""The command ``idbits``: its commands and exit codes.

Exit codes: 0 fine, 1 policy failed, 2 wrong usage, 3 cannot be measured, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from idbits._version import __version__
from idbits.cli.advise import advise_command
from idbits.cli.apply import apply_command
from idbits.cli.check import check_command
from idbits.cli.columns import columns_command
from idbits.cli.demo import demo_command
from idbits.cli.disclosure import disclosure_command
from idbits.cli.events import events_command
from idbits.cli.failures import complain, failures
from idbits.cli.gain import gain_command
from idbits.cli.help import HelpCommand, command_groups, new_app
from idbits.cli.init import init_command
from idbits.cli.inspect import inspect_command
from idbits.cli.leak import leak_command
from idbits.cli.link import link_command
from idbits.cli.measure import measure_command
from idbits.cli.overlap import overlap_command
from idbits.cli.population import population_command
from idbits.cli.predict import predict_app
from idbits.cli.publish import publish_command
from idbits.cli.query import query_command
from idbits.cli.questionnaire import questionnaire_command
from idbits.cli.randomise import randomise_command
from idbits.cli.report import report_command
from idbits.cli.repository import repository_app
from idbits.cli.serve import serve_command
from idbits.cli.streams import check_arguments, repair_streams
from idbits.progress import INTERRUPTED

__all__ = ["app", "main"]

app = new_app(
    "idbits",
    "Measure how easily people can be found in a table, in bits, and what makes it harder.",
    add_completion=True,
)
_COMMANDS: dict[str, dict[str, Callable[..., None] | typer.Typer]] = {
    "Look at a table": {
        "inspect": inspect_command,
        "measure": measure_command,
        "population": population_command,
        "disclosure": disclosure_command,
        "columns": columns_command,
        "gain": gain_command,
        "events": events_command,
        "link": link_command,
        "leak": leak_command,
        "overlap": overlap_command,
    },
    "Decide": {
        "report": report_command,
        "advise": advise_command,
        "apply": apply_command,
        "init": init_command,
        "check": check_command,
    },
    "Before collecting": {"predict": predict_app, "questionnaire": questionnaire_command},
    "Repository of published figures": {
        "publish": publish_command,
        "query": query_command,
        "repository": repository_app,
    },
    "Set-up": {"serve": serve_command, "demo": demo_command, "randomise": randomise_command},
}
for panel, commands in _COMMANDS.items():
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, cls=HelpCommand, rich_help_panel=panel)(command)

_MAP_START = """
idbits shows how easily people can be found in a table and what makes it harder.

Start here
  idbits serve                 open the app in your browser: no commands needed
  idbits inspect people.csv    a first look at a table of yours
  idbits demo                  an example table with invented people
"""
_COMPLETING = "_IDBITS_COMPLETE"
"""Set by the completion script of a shell, which runs ``idbits`` without words."""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"idbits {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Measure how easily people can be found in a table, in bits, and what makes it harder."""


def _end(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def _interrupt(_: int, __: object) -> None:
    INTERRUPTED.set()
    raise KeyboardInterrupt


def main() -> None:
    """Run the command."""
    repair_streams()
    INTERRUPTED.clear()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    # When ended from outside, the command still removes its temporary files.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)
    with failures():
        try:
            words = sys.argv[1:]
            check_arguments(words)
            code = 0
            if words or _COMPLETING in os.environ:
                code = app(args=words, prog_name="idbits", standalone_mode=False)
            else:
                _print_map()
        except Exception as error:
            # The parser's own message about wrong usage takes several lines.
            if not hasattr(error, "format_message"):
                raise
            command = getattr(getattr(error, "ctx", None), "command_path", "idbits")
            complain(f"{_in_plain_words(error.format_message())} (see {command} --help)")
            raise SystemExit(2) from None
    raise SystemExit(code or 0)


def _print_map() -> None:
    group = typer.main.get_group(app)
    groups = command_groups(group, typer.Context(group))
    width = max(len(name) for lines in groups.values() for name, _ in lines) + 2
    paragraphs = [_MAP_START.strip()]
    for title, lines in groups.items():
        paragraphs.append("\n".join([title, *(f"  {name:<{width}}{summary}" for name, summary in lines)]))
    paragraphs.append(f"idbits COMMAND --help explains a command. idbits {__version__}")
    typer.echo("\n\n".join(paragraphs))


_PLAIN = {
    "Input should be a valid number, unable to parse string as a number": "must be a number",
    "Input should be a valid integer, unable to parse string as an integer": "must be a whole number",
    "Input should be greater than or equal to": "must be at least",
    "Input should be less than or equal to": "must be at most",
    "Invalid value for": "wrong value for",
    "Missing argument": "missing argument",
    "Missing option": "missing option",
    "No such option": "unknown option",
    "No such command": "unknown command",
    "Got unexpected extra argument(s)": "unexpected argument",
    "Got unexpected extra argument": "unexpected argument",
    "Possible options:": "similar options:",
}


def _in_plain_words(message: str) -> str:
    """Return the parser's message in the words that the other messages use.

    >>> _in_plain_words("Invalid value for '--max-size': Input should be greater than or equal to 1.")
    "wrong value for '--max-size': must be at least 1"
    """
    for words, plain in _PLAIN.items():
        message = message.replace(words, plain)
    message = re.sub(r"(?<=missing argument )'(\w+)'", lambda name: name[1].upper(), message)
    return message.rstrip(".")


if __name__ == "__main__":
    main()
