"""Standard streams that are closed, and arguments that are no text."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence

from idbits.errors import InputError

__all__ = ["check_arguments", "repair_streams"]


class _ClosedOutput(io.TextIOBase):
    """What stands for a closed standard output: whoever writes to it is told."""

    encoding = "utf-8"

    def write(self, _: str) -> int:
        raise InputError("standard output is closed; write the answer to a file with --out")

    def fileno(self) -> int:
        return 1


def repair_streams() -> None:
    """Make sure that all three streams are there, and can show whatever they are given.

    Where a shell has closed one, the next file that is opened would take its number: what is meant for the terminal
    would be written into that file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is taken, which is this one. Nothing can be written to it.
            os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 (as long as the process)
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not be what stops the answer.
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError, OSError):
                stream.reconfigure(errors="backslashreplace")


def check_arguments(words: Sequence[str]) -> None:
    """Refuse arguments that are no text: the engines open no such paths, and JSON cannot hold them."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise InputError("an argument is not UTF-8; rename the file, or link to it under a name that is") from None
