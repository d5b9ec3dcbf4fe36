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
    person: Annotated[str | None, typer.Option(help="The column that names the person.", metavar="COL")] = None,
    time: Annotated[
        str | None, typer.Option(help="The column that says when, e.g. date or date:week.", metavar="COL")
    ] = None,
    attributes: Annotated[
        str | None, typer.Option(help="What else is known of an event, e.g. place:prefix2.", metavar="A,B,..")
    ] = None,
    period: Annotated[
        str | None, typer.Option(help="When pairs begin: 2005-01, 2005, 2005-01-10..2005-02-03.", metavar="WHEN")
    ] = None,
    max_events: Annotated[int, typer.Option(help="Leave out people with so many records or more.", metavar="N")] = 1000,
    points: Annotated[
        str | None, typer.Option(help="How many points single people out: 1..5,all.", metavar="P")
    ] = None,
    coarser: Annotated[
        list[str] | None, typer.Option(help="Coarser attributes to try with --points. Repeats.", metavar="A,B,..")
    ] = None,
    times: Annotated[str, typer.Option(help="Coarser times to try with --points.", metavar="STEPS")] = "day,week,month",
    gain: Annotated[
        bool, typer.Option("--gain", help="What is learnt about each point of a person from all others.")
    ] = False,
    draws: Annotated[
        int, typer.Option(help="Draws where more than two points are known, and for --gain.", metavar="N")
    ] = 10_000,
    chart: Annotated[
        Path | None,
        typer.Option(help="Write a heat map of --points (Vega-Lite) to this file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Keep what is done in this folder, and carry on from it.", metavar="DIR"),
        options.WRITTEN,
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """How identifying are pairs of events, and how many points single people out?

    Example: idbits events visits.parquet --person patient --time date --attributes place --period 2005-01
    """
    from idbits.errors import InputError
    from idbits.studies.events.study import events

    reading |= cluster
    keep_sources(source)
    if person is None:
        raise InputError("say which column names the person, for example --person patient")
    if time is None:
        raise InputError("say which column tells when, for example --time date")
    if points is None and (coarser or chart is not None):
        raise InputError(f"{'--coarser' if coarser else '--chart'} needs points, for example --points 1..4")
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
