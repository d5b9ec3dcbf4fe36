"""``idbits demo``: an example register of invented people, measured."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import print_answer
from idbits.cli.progress import progress_on_stderr
from idbits.errors import InputError
from idbits.file_guard import will_write
from idbits.storage import whole_file

__all__ = ["demo_command"]

_QID = ["birthdate", "zip", "gender"]
_FILES = ("people.parquet", "people.csv", "answer.json", "report.html")
_LIST = ".idbits-demo.json"


@options.sharing
def demo_command(
    output: options.Output,
    people: Annotated[int, typer.Option(help="The number of people.", min=1, metavar="N")] = 200_000,
    folder: Annotated[Path, typer.Option(help="The folder to write to.", metavar="DIR")] = Path("demo"),
    memory: options.Memory = None,
    threads: options.Threads = None,
    seed: options.Seed = 0,
) -> None:
    """Make an example table of invented people and measure it.

    The people are distributed like those of Hungary; nobody in the table is real. Writes
    people.parquet, people.csv, answer.json and report.html, and never replaces a file that an
    earlier demo did not write.

    Examples:
        idbits demo
        idbits demo --people 10000 --folder example
        idbits demo --seed 7 --json
    """
    from idbits.examples.registry import write_registry
    from idbits.render.text import safe
    from idbits.studies.measure.study import measure
    from idbits.studies.report.study import report

    target = _DemoFolder(folder, _FILES)
    with progress_on_stderr(quiet=output.quiet) as progress:
        with progress.step(f"making {people:,} people"):
            for suffix in (".csv", ".parquet"):
                registry = target.write(
                    f"people{suffix}", functools.partial(write_registry, people=people, seed=seed, suffix=suffix)
                )
        answer = measure(registry, _QID, suppress=5, memory=memory, threads=threads, progress=progress)
        page = report(registry, _QID, memory=memory, threads=threads, progress=progress).to_html()
    target.write("answer.json", lambda draft: draft.write_text(answer.to_json() + "\n", encoding="utf-8", newline="\n"))
    target.write("report.html", lambda draft: draft.write_text(page, encoding="utf-8", newline="\n"))
    print_answer(answer, output)
    if not (output.json or output.quiet or output.out):
        typer.echo(f"\nWritten to {safe(str(folder))}: people.parquet, people.csv, answer.json, report.html")


class _DemoFolder:
    """The folder of the demo, with a list of the digests of the files that demos wrote: other files are left alone."""

    def __init__(self, folder: Path, names: tuple[str, ...]) -> None:
        """Make the folder; refuse one that has a file of these names that no earlier run wrote."""
        self.folder = folder
        self._list = folder / _LIST
        for name in names:
            will_write(folder / name, f"{name} of --folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._written = self._read_list()
            foreign = [name for name in names if (folder / name).exists() and not self._was_written(name)]
        except OSError as error:
            raise InputError(f'"{folder}" cannot be written: {error.strerror}') from error
        if foreign:
            raise InputError(
                f'"{folder / foreign[0]}" already exists and is not from an earlier demo; move it, or choose '
                "another folder (--folder)"
            )

    def write(self, name: str, write: Callable[[Path], object]) -> Path:
        """Write a file; it is listed before it gets its name, so that an interruption leaves no unlisted file."""
        path = self.folder / name
        with whole_file(path) as draft:
            write(draft)
            self._written[name] = [*self._written.get(name, []), _digest(draft)]
            self._write_list()
        self._written[name] = self._written[name][-1:]
        self._write_list()
        return path

    def _was_written(self, name: str) -> bool:
        path = self.folder / name
        return path.is_file() and name in self._written and _digest(path) in self._written[name]

    def _read_list(self) -> dict[str, list[str]]:
        try:
            content = json.loads(self._list.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError, RecursionError):
            return {}
        listed = content.get("sha256") if isinstance(content, dict) else None
        if not isinstance(listed, dict) or not all(isinstance(digests, list) for digests in listed.values()):
            return {}
        return listed

    def _write_list(self) -> None:
        about = "written by idbits demo; a file with another digest is never replaced"
        with whole_file(self._list) as draft:
            draft.write_text(
                json.dumps({"about": about, "sha256": self._written}, indent=1) + "\n", encoding="utf-8", newline="\n"
            )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
