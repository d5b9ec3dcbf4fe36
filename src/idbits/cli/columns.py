"""``idbits columns``: which columns together make people unique?"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr
from idbits.cli.table_columns import complete_columns

__all__ = ["columns_command"]


@options.sharing
def columns_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    candidates: Annotated[
        str | None,
        typer.Option(
            help="The columns to combine; by default, those that someone may know.",
            metavar="A,B,..",
            autocompletion=complete_columns,
        ),
    ] = None,
    share: Annotated[
        list[float] | None,
        typer.Option(help="The share of people to make unique; default 0.8 (repeatable).", metavar="S"),
    ] = None,
    max_size: Annotated[
        int, typer.Option(help="Above 10 columns: the largest combination to search.", min=1, metavar="N")
    ] = 5,
    max_sets: Annotated[
        int | None, typer.Option(help="Above 10 columns: the most combinations to search.", min=1, metavar="N")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="Stop after S seconds and print what is proven by then.", metavar="S")
    ] = None,
    max_bits: Annotated[
        float | None, typer.Option(help="Find columns to release together with at most B bits.", metavar="B")
    ] = None,
    min_k: Annotated[
        int | None, typer.Option(help="Find columns to release together with groups of at least K.", metavar="K")
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(help="Write how exposed each row is to this CSV or Parquet file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    record_size: Annotated[
        int, typer.Option(help="The most columns per combination in --records.", min=1, metavar="N")
    ] = 4,
    charts: Annotated[
        Path | None,
        typer.Option(help="Write the charts (Vega-Lite) to this JSON file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    person: options.Person = None,
    knows: options.Knows = "one-record",
    null_person: options.NullPerson = "error",
    rows_are_people: options.RowsArePeople = False,
    reveal: options.Reveal = False,
    seed: options.Seed = 0,
) -> None:
    """Which columns together make people unique?

    Finds the smallest combinations of columns and the columns worth dropping.

    Examples:
        idbits columns people.csv
        idbits columns people.csv --candidates age,zip,sex,job --share 0.5 --share 0.9
        idbits columns people.csv --min-k 5 --records exposure.csv
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
            person=person,
            knows=knows,
            null_person=null_person,
            rows_are_people=rows_are_people,
            reveal=reveal,
            seed=seed,
            **reading,
        )
    if charts is not None:
        write_chart(charts, answer.charts())
    print_answer(answer, output)
    if answer.interrupted:
        # What was proven is printed; the exit code says that the search was stopped early.
        raise SystemExit(128 + signal.SIGINT)
