"""``idbits population``: who is still unique in the population that a release is a sample of?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr
from idbits.cli.table_columns import complete_columns

__all__ = ["population_command"]


@options.sharing
def population_command(
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    source: Annotated[
        str | None,
        typer.Argument(
            help="A file, a folder, a glob in quotes, a database, or - for stdin.",
            metavar="[SOURCE]",
            show_default=False,
        ),
    ] = None,
    qid: Annotated[
        str | None,
        typer.Option(
            help="Columns that someone may know, e.g. birthdate:year,zip,gender.",
            metavar="A,B,..",
            autocompletion=complete_columns,
        ),
    ] = None,
    people: options.People = None,
    fraction: options.SampleFraction = None,
    weight: options.SampleWeight = None,
    strata: Annotated[
        str | None, typer.Option(help="The column of the strata that were sampled.", metavar="COL")
    ] = None,
    stratum_sizes: Annotated[
        str | None, typer.Option(help="A table of the people of each stratum in the population.", metavar="SOURCE")
    ] = None,
    marginal: Annotated[
        list[str] | None,
        typer.Option(help="A table of the people of each value in the population (repeatable).", metavar="COL=SOURCE"),
    ] = None,
    sizes: Annotated[
        str | None, typer.Option(help="Also among these numbers of people: 1e5,1e6.", metavar="N,N,..")
    ] = None,
    spectrum: Annotated[
        str | None, typer.Option(help="A table of group sizes (k, sets) instead of a table.", metavar="FILE")
    ] = None,
    all_estimators: Annotated[bool, typer.Option("--all", help="Also show the estimates of other tools.")] = False,
    level: Annotated[float, typer.Option(help="The confidence level of intervals and bounds.", metavar="SHARE")] = 0.9,
    records: Annotated[
        Path | None,
        typer.Option(help="Write the risk of every record: .parquet or .csv.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    charts: Annotated[
        Path | None,
        typer.Option(help="Write the charts (Vega-Lite) to this JSON file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    person: options.Person = None,
    rows_are_people: options.RowsArePeople = False,
    seed: options.Seed = 0,
) -> None:
    """The table is a sample: who is unique in the population?

    Estimates how many of the people who are unique in the sample are unique in the
    population, with an interval, bounds that need no model, and a trial on the sample itself.

    Examples:
        idbits population survey.csv --qid age,zip,sex --people 17e6
        idbits population survey.csv --qid age,zip,sex --fraction 0.05 --all
        idbits population survey.csv --qid age,zip,sex --weight w --records risk.csv
    """
    from idbits.errors import InputError
    from idbits.studies.population.study import population

    pairs = [text.partition("=") for text in marginal or []]
    if not all(name and path for name, _, path in pairs):
        raise InputError("a marginal is written --marginal COLUMN=SOURCE, for example --marginal zip=residents.csv")
    marginals = {name: path for name, _, path in pairs}
    if len(marginals) < len(pairs):
        raise InputError("--marginal gives the same column twice")
    reading |= cluster
    keep_sources(source, spectrum, stratum_sizes, *marginals.values())
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = population(
            source,
            qid,
            people=people,
            fraction=fraction,
            weight=weight,
            strata=strata,
            stratum_sizes=stratum_sizes,
            marginal=marginals,
            sizes=sizes,
            records=records,
            spectrum=spectrum,
            all=all_estimators,
            level=level,
            person=person,
            rows_are_people=rows_are_people,
            seed=seed,
            **reading,
        )
    if charts is not None:
        write_chart(charts, answer.charts())
    print_answer(answer, output)
