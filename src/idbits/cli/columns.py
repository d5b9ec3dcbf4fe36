"""``idbits columns``: which columns together single people out?"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr

__all__ = ["columns_command"]


@options.sharing
def columns_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    candidates: Annotated[
        str | None, typer.Option(help="The columns to look at; none of them is left out.", metavar="A,B,..")
    ] = None,
    share: Annotated[
        list[float] | None,
        typer.Option(help="The share of people to be singled out; 0.8 if not given. Repeats.", metavar="S"),
    ] = None,
    max_size: Annotated[
        int, typer.Option(help="Above 10 columns: combinations of up to so many.", min=1, metavar="N")
    ] = 5,
    max_sets: Annotated[
        int | None, typer.Option(help="Above 10 columns: search at most so many combinations.", min=1, metavar="N")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="Stop after so long with what is proven by then.", metavar="S")
    ] = None,
    max_bits: Annotated[
        float | None, typer.Option(help="What can be released together with at most so many bits?", metavar="B")
    ] = None,
    min_k: Annotated[
        int | None, typer.Option(help="What can be released together with sets of at least K?", metavar="K")
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(help="Write how exposed each record is to this CSV or Parquet file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    record_size: Annotated[int, typer.Option(help="Records: unique by up to so many columns.", min=1, metavar="N")] = 4,
    charts: Annotated[
        Path | None,
        typer.Option(help="Write chart specifications (Vega-Lite) to this JSON file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    reveal: options.Reveal = False,
    seed: options.Seed = 0,
) -> None:
    """Which columns together single people out, and which one is worth giving up?

    Example: idbits columns people.csv --share 0.8
    """
    from idbits.studies.columns.study import columns

    reading |= cluster
    keep_sources(source)
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = columns(
            source,
            candidates,
            share if share else 0.8,
            max_size=max_size,
            max_sets=max_sets,
            max_seconds=max_seconds,
            max_bits=max_bits,
            min_k=min_k,
            records=records,
            record_size=record_size,
            reveal=reveal,
            seed=seed,
            **reading,
        )
    if charts is not None:
        write_chart(charts, answer.charts())
    print_answer(answer, output)
    if answer.interrupted:
        # What was proven is printed; the exit code still says that the work was cut short.
        raise SystemExit(128 + signal.SIGINT)
