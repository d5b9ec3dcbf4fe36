"""Closed standard streams, and arguments that are not valid text."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Mapping, Sequence

from idbits.errors import InputError

__all__ = ["check_arguments", "repair_streams", "write_as_elsewhere"]


class _ClosedOutput(io.TextIOBase):
    """Replaces a closed standard output; writing to it is an error."""

    encoding = "utf-8"

    def write(self, _: str) -> int:
        raise InputError("standard output is closed; write the answer to a file with --out")

    def fileno(self) -> int:
        return 1


def repair_streams() -> None:
    """Make sure that all three streams exist and can print any text.

    If a shell has closed one, the next file to be opened would get its number, and text for the terminal would be
    written into that file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Opening takes the lowest free number, which is this one. Nothing can be written to it.
            os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8", newline="\n")  # noqa: SIM115, PTH123 (as long as the process)
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not stop the answer.
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError, OSError):
                stream.reconfigure(errors="backslashreplace")
                if sys.platform == "win32":
                    write_as_elsewhere(stream, os.environ)


def write_as_elsewhere(stream: io.TextIOWrapper, environment: Mapping[str, str]) -> None:
    """Write UTF-8 and plain line ends into files and pipes on Windows: JSON must be the same on every system.

    A terminal, and an encoding that the user has chosen, stay as they are.
    """
    if not stream.isatty() and "PYTHONIOENCODING" not in environment:
        stream.reconfigure(encoding="utf-8", newline="\n")


def check_arguments(words: Sequence[str]) -> None:
    """Refuse arguments that are not valid text: engines cannot open such paths, and JSON cannot contain them."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise InputError(
                "an argument is not valid UTF-8; rename the file, or make a link with a valid name"
            ) from None
