"""``idbits events``: how identifying are events over time?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr

__all__ = ["events_command"]


@options.sharing
def events_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    person: Annotated[str | None, typer.Option(help="The column that identifies a person.", metavar="COL")] = None,
    time: Annotated[
        str | None, typer.Option(help="The column with the time, e.g. date or date:week.", metavar="COL")
    ] = None,
    attributes: Annotated[
        str | None,
        typer.Option(help="What else someone may know about an event, e.g. place:prefix2.", metavar="A,B,.."),
    ] = None,
    period: Annotated[
        str | None, typer.Option(help="When pairs start: 2005-01, 2005, 2005-01-10..2005-02-03.", metavar="WHEN")
    ] = None,
    max_events: Annotated[int, typer.Option(help="Leave out people with N events or more.", metavar="N")] = 1000,
    points: Annotated[str | None, typer.Option(help="How many known points to measure: 1..5,all.", metavar="P")] = None,
    coarser: Annotated[
        list[str] | None, typer.Option(help="Coarser attributes to try with --points (repeatable).", metavar="A,B,..")
    ] = None,
    times: Annotated[str, typer.Option(help="Coarser times to try with --points.", metavar="STEPS")] = "day,week,month",
    gain: Annotated[
        bool, typer.Option("--gain", help="Measure what a person's other points tell about each point.")
    ] = False,
    draws: Annotated[
        int, typer.Option(help="Random draws for more than two points, and for --gain.", metavar="N")
    ] = 10_000,
    chart: Annotated[
        Path | None,
        typer.Option(help="Write a heat map of --points (Vega-Lite) to this file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Save progress in this folder, and continue from it.", metavar="DIR"),
        options.WRITTEN,
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Can people be found by a few times and places?

    Counts how many people share a pair of events, and how many points make people unique.

    Examples:
        idbits events visits.parquet --person patient --time date --attributes place --period 2005-01
        idbits events visits.parquet --person patient --time date --points 1..4
        idbits events visits.parquet --person patient --time date:week --attributes place:prefix2
    """
    from idbits.errors import InputError
    from idbits.studies.events.study import events

    reading |= cluster
    keep_sources(source)
    if person is None:
        raise InputError("name the column that identifies a person, for example --person patient")
    if time is None:
        raise InputError("name the column with the time, for example --time date")
    if points is None and (coarser or chart is not None):
        raise InputError(f"{'--coarser' if coarser else '--chart'} needs --points, for example --points 1..4")
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = events(
            source,
            person,
            time,
            attributes or (),
            period,
            max_events=max_events,
            points=points,
            coarser=coarser or (),
            times=times,
            gain=gain,
            draws=draws,
            seed=seed,
            resume=resume,
            **reading,
        )
    if chart is not None:
        write_chart(chart, answer.chart())
    print_answer(answer, output)
