"""``idbits demo``: a made-up registry, measured."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.demo_folder import DemoFolder
from idbits.cli.output import print_answer
from idbits.cli.progress import progress_on_stderr

__all__ = ["demo_command"]

_QID = ["birthdate", "zip", "gender"]
_FILES = ("people.parquet", "people.csv", "answer.json", "report.html")


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

    Writes people.parquet, people.csv, answer.json and report.html; files that an earlier demo did not write stay.
    """
    from idbits.examples.registry import write_registry
    from idbits.render.text import safe
    from idbits.studies.measure.study import measure
    from idbits.studies.report.study import report

    own = DemoFolder(folder, _FILES)
    with progress_on_stderr(quiet=output.quiet) as progress:
        with progress.step(f"making {people:,} people"):
            for suffix in (".csv", ".parquet"):
                registry = own.write(
                    f"people{suffix}",
                    functools.partial(write_registry, people=people, seed=seed, suffix=suffix),
                )
        answer = measure(registry, _QID, suppress=5, memory=memory, threads=threads, progress=progress)
        page = report(registry, _QID, memory=memory, threads=threads, progress=progress).to_html()
    own.write("answer.json", lambda draft: draft.write_text(answer.to_json() + "\n", encoding="utf-8"))
    own.write("report.html", lambda draft: draft.write_text(page, encoding="utf-8"))
    print_answer(answer, output)
    if not (output.json or output.quiet or output.out):
        typer.echo(f"\nWritten to {safe(str(folder))}: people.parquet, people.csv, answer.json, report.html")
