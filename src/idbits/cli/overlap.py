"""``idbits overlap``: what do two publications of the same people give away together?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr
from idbits.cli.table_columns import complete_columns

__all__ = ["overlap_command"]


@options.sharing
def overlap_command(
    source: Annotated[
        str, typer.Argument(help="A table with two columns of zones, or the first release.", show_default=False)
    ],
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    other: Annotated[
        str | None, typer.Argument(help="The second release.", metavar="[OTHER]", show_default=False)
    ] = None,
    zones: Annotated[
        str | None,
        typer.Option(
            help="The two columns of zones for which counts are published.",
            metavar="A,B",
            autocompletion=complete_columns,
        ),
    ] = None,
    below: Annotated[int, typer.Option(help="Groups of fewer people are small.", metavar="N")] = 10,
    person: Annotated[
        str | None,
        typer.Option(
            help="The column that identifies people, one row each.", metavar="COL", autocompletion=complete_columns
        ),
    ] = None,
    qid_a: Annotated[
        str | None, typer.Option(help="Columns of the first release that someone may know.", metavar="A,B,..")
    ] = None,
    qid_b: Annotated[
        str | None, typer.Option(help="Columns of the second release that someone may know.", metavar="A,B,..")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="The column of both releases that is to stay secret.", metavar="COL")
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(help='A limit, e.g. "isolated.people <= 0"; exit code 1 if broken (repeatable).', metavar="RULE"),
    ] = None,
    rows_are_people: options.RowsArePeople = False,
    chart: Annotated[
        Path | None,
        typer.Option(help="Write the chart of groups or of values left (Vega-Lite).", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    reveal: options.Reveal = False,
    seed: options.Seed = 0,  # noqa: ARG001 (every command accepts it; this one draws nothing)
) -> None:
    """What do two publications of the same people give away together?

    With --zones, finds small groups that follow from subtracting counts of one zoning from counts
    of another. With two releases, finds values that only both together give away.

    Examples:
        idbits overlap blocks.csv --zones municipality,postcode --count people
        idbits overlap blocks.csv --zones old,new --count people --below 5 --rule "isolated.people <= 0"
        idbits overlap 2023.csv 2024.csv --person id --qid-a age,zip --qid-b age,zip --sensitive diagnosis
    """
    from idbits.studies.overlap.study import overlap

    reading |= cluster
    keep_sources(source, other)
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = overlap(
            source,
            other,
            zones=zones,
            below=below,
            person=person,
            qid_a=qid_a,
            qid_b=qid_b,
            sensitive=sensitive,
            rules=rule or (),
            rows_are_people=rows_are_people,
            reveal=reveal,
            **reading,
        )
    if chart is not None:
        write_chart(chart, answer.chart())
    print_answer(answer, output)
    raise SystemExit(answer.exit_code)
