"""The command ``idbits``: its commands, its exit codes, and one clear line for whatever goes wrong.

Exit codes: 0 fine, 1 policy failed, 2 wrong usage, 3 cannot be measured, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

import typer

from idbits._version import __version__
from idbits.cli.demo import demo_command
from idbits.cli.inspect import inspect_command
from idbits.cli.measure import measure_command
from idbits.errors import IdbitsError

__all__ = ["app", "main"]

app = typer.Typer(
    name="idbits",
    help="How much of a person's identity does a dataset give away, in bits?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("measure")(measure_command)
app.command("inspect")(inspect_command)
app.command("demo")(demo_command)


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


def main() -> None:
    """Run the command; turn every error into one line and an exit code."""
    try:
        app(standalone_mode=True)
    except IdbitsError as error:
        _complain(str(error))
        _leave(error.exit_code)
    except KeyboardInterrupt:
        _complain("stopped")
        _leave(128 + signal.SIGINT)
    except BrokenPipeError:
        # Whoever read our output has seen enough; let nothing be flushed into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _leave(128 + signal.SIGPIPE)
    except MemoryError:
        _complain("there is not enough memory; allow less with --memory, so that the work spills to disk")
        _leave(3)
    except Exception as error:
        if os.environ.get("IDBITS_DEBUG"):
            raise
        _complain(f"internal error ({type(error).__name__}); please report it (IDBITS_DEBUG=1 shows the details)")
        _leave(3)


def _complain(sentence: str) -> None:
    from idbits.render.text import safe

    print(f"idbits: {safe(sentence)}", file=sys.stderr)  # noqa: T201


def _leave(code: int) -> None:
    raise SystemExit(code)


if __name__ == "__main__":
    main()
