"""The command ``idbits``: how it starts and ends, and its exit codes.

Exit codes: 0 fine, 1 policy failed, 2 wrong usage, 3 cannot be measured, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from idbits._version import __version__
from idbits.cli.failures import complain, failures
from idbits.cli.streams import check_arguments, repair_streams
from idbits.command_sources import one_command
from idbits.processor import avoid_slow_sort
from idbits.progress import INTERRUPTED

__all__ = ["main"]

_COMPLETING = "_IDBITS_COMPLETE"
"""Set by the completion script of a shell, which runs ``idbits`` without words."""


def __getattr__(name: str) -> Any:
    if name == "app":
        from idbits.cli.commands import all_commands

        # Kept, so that it is built once.
        globals()[name] = all_commands()
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _end(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def _interrupt(_: int, __: object) -> None:
    INTERRUPTED.set()
    raise KeyboardInterrupt


def main() -> None:
    """Run the command."""
    repair_streams()
    avoid_slow_sort(os.environ)
    INTERRUPTED.clear()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    # When ended from outside, the command still removes its temporary files.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)
    with failures():
        try:
            code = _run(sys.argv[1:])
        except Exception as error:
            # The parser's own message about wrong usage takes several lines.
            if not hasattr(error, "format_message"):
                raise
            command = getattr(getattr(error, "ctx", None), "command_path", "idbits")
            complain(f"{_in_plain_words(error.format_message())} (see {command} --help)")
            raise SystemExit(2) from None
    raise SystemExit(code or 0)


def _run(words: Sequence[str]) -> int | None:
    check_arguments(words)
    is_completing = _COMPLETING in os.environ
    if list(words) == ["--version"] and not is_completing:
        # Without the parser, which takes longer than everything else here.
        sys.stdout.write(f"idbits {__version__}\n")
        sys.stdout.flush()
        return 0
    from idbits.cli.commands import all_commands, app_for, map_of_commands

    if not words and not is_completing:
        sys.stdout.write(f"{map_of_commands()}\n")
        sys.stdout.flush()
        return 0
    app = all_commands() if is_completing else app_for(words[0])
    # The app goes on to other tables until it is stopped.
    with nullcontext() if is_completing or words[0] == "serve" else one_command():
        code: int | None = app(args=list(words), prog_name="idbits", standalone_mode=False)
    return code


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
