"""``idbits demo``: a made-up registry, measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import print_answer, write_file
from idbits.cli.progress import progress_on_stderr

__all__ = ["demo_command"]

_QID = ["birthdate", "zip", "gender"]


@options.sharing
def demo_command(
    output: options.Output,
    people: Annotated[int, typer.Option(help="How many people the registry holds.", min=1, metavar="N")] = 200_000,
    folder: Annotated[Path, typer.Option(help="Where to put the registry and its answer.", metavar="DIR")] = Path(
        "demo"
    ),
    memory: options.Memory = None,
    threads: options.Threads = None,
    seed: options.Seed = 0,
) -> None:
    """Make a Hungary-like registry (nobody in it is real), measure it and write the answer and a report.

    Writes people.parquet, people.csv, answer.json and report.html.
    """
    from idbits.errors import InputError
    from idbits.examples.registry import write_registry
    from idbits.studies.measure import measure
    from idbits.studies.report import report

    registry, text = folder / "people.parquet", folder / "people.csv"
    with progress_on_stderr(quiet=output.quiet) as progress:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with progress.step(f"making {people:,} people"):
                write_registry(registry, people, seed=seed)
                write_registry(text, people, seed=seed)
        except OSError as error:
            raise InputError(f'"{registry}" cannot be written: {error.strerror}') from error
        answer = measure(registry, _QID, suppress=5, memory=memory, threads=threads, progress=progress)
        page = report(registry, _QID, memory=memory, threads=threads, progress=progress).to_html()
    write_file(folder / "answer.json", answer.to_json() + "\n")
    write_file(folder / "report.html", page)
    print_answer(answer, output)
    if not (output.json or output.quiet or output.out):
        typer.echo(f"\nWritten to {folder}: people.parquet, people.csv, answer.json, report.html")
