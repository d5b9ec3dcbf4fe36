"""The command ``idbits``: its commands and exit codes.

Exit codes: 0 fine, 1 policy failed, 2 wrong usage, 3 cannot be measured, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from idbits._version import __version__
from idbits.cli.check import check_command
from idbits.cli.columns import columns_command
from idbits.cli.demo import demo_command
from idbits.cli.events import events_command
from idbits.cli.failures import complain, failures
from idbits.cli.gain import gain_command
from idbits.cli.init import init_command
from idbits.cli.inspect import inspect_command
from idbits.cli.leak import leak_command
from idbits.cli.measure import measure_command
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

app = typer.Typer(
    name="idbits",
    help="How much of a person's identity does a dataset give away, in bits?",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("measure")(measure_command)
app.command("gain")(gain_command)
app.command("inspect")(inspect_command)
app.command("report")(report_command)
app.add_typer(predict_app)
app.command("questionnaire")(questionnaire_command)
app.command("leak")(leak_command)
app.command("randomise")(randomise_command)
app.command("init")(init_command)
app.command("check")(check_command)
app.command("columns")(columns_command)
app.command("demo")(demo_command)
app.command("events")(events_command)
app.command("serve")(serve_command)
app.command("publish")(publish_command)
app.command("query")(query_command)
app.add_typer(repository_app)


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
    """How much of a person's identity does a dataset give away, in bits?"""


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
    # Ended from outside, the work still removes its temporary files.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)
    with failures():
        try:
            words = sys.argv[1:]
            check_arguments(words)
            code = app(args=words or ["--help"], prog_name="idbits", standalone_mode=False)
        except Exception as error:
            # Wrong usage, as the parser tells it; its own way of telling takes several lines.
            if not hasattr(error, "format_message"):
                raise
            command = getattr(getattr(error, "ctx", None), "command_path", "idbits")
            complain(f"{_in_plain_words(error.format_message())} (see {command} --help)")
            raise SystemExit(2) from None
    raise SystemExit(code or (0 if words else 2))


_PLAIN = {
    "Input should be a valid number, unable to parse string as a number": "it is no number",
    "Input should be a valid integer, unable to parse string as an integer": "it is no whole number",
    "Input should be greater than or equal to": "it has to be at least",
    "Input should be less than or equal to": "it can be at most",
}


def _in_plain_words(message: str) -> str:
    """Return what the parser says, without its technical terms.

    >>> _in_plain_words("Invalid value for '--max-size': Input should be greater than or equal to 1.")
    "Invalid value for '--max-size': it has to be at least 1"
    """
    for words, plain in _PLAIN.items():
        message = message.replace(words, plain)
    return message.rstrip(".")


if __name__ == "__main__":
    main()
