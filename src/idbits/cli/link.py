"""``idbits link``: what does a second table tell about the records of a release?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr
from idbits.cli.table_columns import complete_columns

__all__ = ["link_command"]


@options.sharing
def link_command(
    release: Annotated[str, typer.Argument(help="The release, with one row per person.", show_default=False)],
    second: Annotated[str, typer.Argument(help="The table that somebody has.", show_default=False)],
    reading: options.Reading,
    reading_b: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    on: Annotated[
        str | None,
        typer.Option(
            help="Columns of both tables: birthdate,zip; birthdate=dob for other names; birthdate~3d if near.",
            metavar="A,B,..",
            autocompletion=complete_columns,
        ),
    ] = None,
    coverage: Annotated[
        float | None,
        typer.Option(help="The chance that a person of the release is in the second table; 1 if all are.", metavar="C"),
    ] = None,
    truth: Annotated[
        str | None, typer.Option(help="The column of both tables that identifies people, to check links.", metavar="COL")
    ] = None,
    truth_a: Annotated[str | None, typer.Option(help="The same in the release.", metavar="COL")] = None,
    truth_b: Annotated[str | None, typer.Option(help="The same in the second table.", metavar="COL")] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(help="A column of the release that must not be learnt (repeatable).", metavar="COL"),
    ] = None,
    also: Annotated[
        str | None, typer.Option(help="Columns of the second table that the release lacks.", metavar="A,B,..")
    ] = None,
    nulls: Annotated[
        str,
        typer.Option(help="A missing value matches nobody (none), or other columns are compared (ignore).", metavar="HOW"),
    ] = "none",
    max_pairs: Annotated[
        int, typer.Option(help="The largest number of pairs to compare if values are near.", metavar="N")
    ] = 10**9,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help='A rule to meet, e.g. "records.one_to_one <= 0"; exit code 1 if broken (repeatable).', metavar="RULE"
        ),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(help="Write the links of every record: .parquet or .csv.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    reveal: Annotated[
        bool,
        typer.Option("--reveal", help="Write the claimed row of the second table to --records; for internal use only."),
    ] = False,
    charts: Annotated[
        Path | None,
        typer.Option(help="Write the charts (Vega-Lite) to this JSON file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """What does a second table tell about the records of a release?

    Carries out a linkage attack: how many records get a name from a voter roll, a customer file
    or another release, and how many rightly. Use leak for a release with the same rows in the
    same order as its original.

    Examples:
        idbits link released.csv voters.csv --on birthdate,zip,sex
        idbits link released.csv voters.csv --on birthdate=dob,zip,sex --coverage 0.8 --also name
        idbits link released.csv register.csv --on birthdate~3d,zip,sex --truth id --records links.csv
    """
    from idbits.studies.link.study import link
    from idbits.values.attributes import split_names

    reading |= cluster
    keep_sources(release, second)
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = link(
            release,
            second,
            on,
            coverage=coverage,
            truth=truth,
            truth_a=truth_a,
            truth_b=truth_b,
            sensitive=[name for names in sensitive or [] for name in split_names(names)],
            also=also,
            nulls=nulls,
            max_pairs=max_pairs,
            rules=rule,
            records=records,
            reveal=reveal,
            seed=seed,
            **reading,
            **{f"{name}_b": value for name, value in reading_b.items()},
        )
    if charts is not None:
        write_chart(charts, answer.charts())
    print_answer(answer, output)
    raise SystemExit(answer.exit_code)
