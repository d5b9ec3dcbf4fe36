"""``idbits advise``: which treatment meets a goal with the least loss?"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr
from idbits.cli.table_columns import complete_columns

__all__ = ["advise_command"]


@options.sharing
def advise_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    qid: Annotated[
        str | None,
        typer.Option(
            help="Columns that someone may know and that may become coarser, e.g. birthdate,zip,gender.",
            metavar="A,B,..",
            autocompletion=complete_columns,
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(help="A column whose values must not be given away (repeatable).", metavar="COL"),
    ] = None,
    goal: Annotated[
        list[str] | None,
        typer.Option(help='A rule to meet; default "k_min >= 5" (repeatable).', metavar="RULE"),
    ] = None,
    withhold: Annotated[
        str, typer.Option(help="The most people who may be left out, e.g. 4%.", metavar="SHARE")
    ] = "5%",
    loss: Annotated[
        str,
        typer.Option(
            help="What to minimise: cells, cells:geometric, entropy, discernibility, class_size or mutual.",
            metavar="NAME",
        ),
    ] = "cells",
    method: Annotated[
        str, typer.Option(help="One view per column (nodes), or mixed ones: local, sets, all.", metavar="NAME")
    ] = "nodes",
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(help="A column's ladder: a hierarchy file or views (repeatable).", metavar="COL=FILE"),
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="A column that must stay as it is (repeatable).", metavar="COL")
    ] = None,
    from_: Annotated[
        list[str] | None,
        typer.Option("--from", help="The finest view allowed, e.g. birthdate=year (repeatable).", metavar="COL=VIEW"),
    ] = None,
    to: Annotated[
        list[str] | None, typer.Option(help="The coarsest view allowed (repeatable).", metavar="COL=VIEW")
    ] = None,
    importance: Annotated[
        list[str] | None, typer.Option(help="The weight of a column's loss (repeatable).", metavar="COL=W")
    ] = None,
    ranks: Annotated[
        list[str] | None,
        typer.Option(help="The order of a sensitive column's values (repeatable).", metavar="COL=A,B,.."),
    ] = None,
    use_for: Annotated[
        str | None, typer.Option(help="A column that the treated table should still predict.", metavar="COL")
    ] = None,
    risk: Annotated[
        str,
        typer.Option(help="The risk axis: people_below.N, mean_risk, singletons, entropy_bits.", metavar="FIGURE"),
    ] = "people_below.5",
    max_nodes: Annotated[
        int, typer.Option(help="Measure all treatments if there are at most N.", min=1, metavar="N")
    ] = 50_000,
    max_seconds: Annotated[
        float | None, typer.Option(help="Stop searching after S seconds with the best so far.", metavar="S")
    ] = None,
    max_cells: Annotated[
        int, typer.Option(help="The most cells to fetch from a database.", min=1, metavar="N")
    ] = 100_000_000,
    passes: Annotated[int, typer.Option(help="The most passes of --method local.", min=1, metavar="N")] = 10,
    plan: Annotated[
        Path | None,
        typer.Option(help="Write the treatment to this file, for idbits apply.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    choose: Annotated[
        int | None, typer.Option(help="Write treatment N of the frontier to --plan instead.", min=1, metavar="N")
    ] = None,
    charts: Annotated[
        Path | None,
        typer.Option(help="Write the chart of the frontier (Vega-Lite) to this JSON file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    person: options.Person = None,
    rows_are_people: options.RowsArePeople = False,
    population: Annotated[
        str | None,
        typer.Option(help="Not possible here: a treatment changes the table's own groups.", metavar="SOURCE"),
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Which treatment meets a goal with the least loss?

    Tries coarser views of the columns that someone may know, withholds a few people if
    that helps, and shows what every other trade-off between risk and detail would cost.

    Examples:
        idbits advise people.csv --qid birthdate,zip,gender
        idbits advise people.csv --qid age,zip,job --goal "k_min >= 10" --withhold 2% --keep age
        idbits advise people.csv --qid age,zip --goal "l_distinct.illness >= 2" --plan plan.json
    """
    from idbits.studies.advise.study import advise

    reading |= cluster
    keep_sources(source)
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = advise(
            source,
            qid,
            sensitive=sensitive,
            goal=goal or None,
            withhold=withhold,
            loss=loss,
            method=method,
            hierarchy=hierarchy or (),
            keep=keep or (),
            from_=from_ or (),
            to=to or (),
            importance=importance or (),
            ranks=ranks or (),
            use_for=use_for,
            risk=risk,
            max_nodes=max_nodes,
            max_seconds=max_seconds,
            max_cells=max_cells,
            passes=passes,
            plan=plan,
            choose=choose,
            person=person,
            rows_are_people=rows_are_people,
            population=population,
            seed=seed,
            **reading,
        )
    if charts is not None:
        write_chart(charts, answer.charts())
    print_answer(answer, output)
    if answer.interrupted:
        # The best treatment so far is printed; the exit code says that the search was stopped early.
        raise SystemExit(128 + signal.SIGINT)
    if not answer.reached:
        raise SystemExit(1)
