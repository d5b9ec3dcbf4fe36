"""Printing an answer: text or JSON, to the terminal or to a file, with its notes on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from idbits.cli.options import Output
from idbits.errors import InputError
from idbits.render.blocks import Block
from idbits.render.text import print_blocks, safe, to_text
from idbits.storage import whole_file

if TYPE_CHECKING:
    from idbits.studies.shared.serialisation import JsonObject

__all__ = ["Printable", "check_place", "keep_sources", "print_answer", "print_text", "write_chart", "write_file"]


class Printable(Protocol):
    """An answer that can be shown."""

    @property
    def notes(self) -> Sequence[str]:
        """Decisions made while reading the table."""

    def blocks(self) -> list[Block]:
        """Return the parts of the answer as they are shown."""

    def to_json(self) -> str:
        """Return one JSON object."""


def keep_sources(*sources: str | None) -> None:
    """Refuse early to overwrite the data that the answer will be about."""
    from idbits.engines.open import note_sources

    note_sources(*sources)


def check_place(output: Output) -> None:
    """Fail before measuring, not after it, if the file cannot be written."""
    out = output.out
    if out is None:
        return
    if out.is_dir():
        raise InputError(f'"{out}" cannot be written: it is a folder')
    if not out.parent.is_dir():
        raise InputError(f'"{out}" cannot be written: there is no folder "{out.parent}"')
    if not out.exists() and not os.access(out.parent, os.W_OK):
        raise InputError(f'"{out}" cannot be written: no permission to write to the folder')


def print_answer(answer: Printable, output: Output) -> None:
    """Print an answer to the terminal or to the file of --out, which gets the same text."""
    _guarded(lambda: _print(answer, output))


def print_text(text: str | bytes, notes: Sequence[str], output: Output) -> None:
    """Print a text, or the bytes of a file, and its notes to the terminal or to the file of --out."""
    _guarded(lambda: _print_text(text, notes, output))


def _guarded(printing: Callable[[], None]) -> None:
    try:
        printing()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still buffered must not fail again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise InputError(f"the answer cannot be written: {error.strerror}") from error


def _print(answer: Printable, output: Output) -> None:
    if output.json:
        text = answer.to_json() + "\n"
    elif output.out is not None or output.plain:
        text = to_text(answer.blocks())
    else:
        from rich.console import Console

        terminal = sys.stdout.isatty()
        console = Console(highlight=False, width=None if terminal else 80)
        # We print it ourselves: rich handles a closed pipe differently.
        with console.capture() as captured:
            print_blocks(answer.blocks(), console, plain=not terminal)
        text = captured.get()
    _print_text(text, answer.notes, output)


def _print_text(text: str | bytes, notes: Sequence[str], output: Output) -> None:
    if not output.quiet and sys.stderr is not None:
        for note in notes:
            print(f"note: {safe(note)}", file=sys.stderr)  # noqa: T201
    if output.out is not None:
        write_file(output.out, text)
        return
    if isinstance(text, bytes):
        sys.stdout.buffer.write(text)
    else:
        sys.stdout.write(text)
    sys.stdout.flush()


def write_chart(path: Path, chart: object) -> None:
    """Write a chart, or several, as Vega-Lite specifications."""
    from idbits.studies.shared.serialisation import to_json

    write_file(path, to_json(cast("JsonObject", chart)) + "\n")


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file completely or not at all; write directly to what is not a regular file, such as a device."""
    if path.exists() and not path.is_file():
        try:
            _write(path, content)
        except OSError as error:
            raise InputError(f'"{path}" cannot be written: {error.strerror}') from error
        return
    with whole_file(path) as draft:
        _write(draft, content)


def _write(path: Path, content: str | bytes) -> None:
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content, encoding="utf-8", newline="\n")
