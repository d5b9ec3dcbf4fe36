"""``idbits disclosure``: what does sharing a group give away?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr
from idbits.cli.table_columns import complete_columns

__all__ = ["disclosure_command"]


@options.sharing
def disclosure_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    qid: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns that someone may know, e.g. birthdate:year,zip,gender (repeatable).",
            metavar="A,B,..",
            autocompletion=complete_columns,
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            help="A column that must not be learnt (repeatable).", metavar="COL", autocompletion=complete_columns
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Also measure within each category of this column.", metavar="COL")
    ] = None,
    certainty: Annotated[
        float, typer.Option(help="The share of a group above which its people are nearly certain.", metavar="P")
    ] = 0.9,
    c: Annotated[float, typer.Option("--c", help="The limit of recursive (c,l)-diversity.", metavar="C")] = 4.0,
    l: Annotated[  # noqa: E741 (the literature calls it so)
        str, typer.Option("--l", help="Numbers of values to report people for.", metavar="N,..")
    ] = "2,3,5",
    excluded: Annotated[
        str, typer.Option(help="Numbers of other values that an attacker can rule out.", metavar="N,..")
    ] = "0,1,2",
    known_people: Annotated[
        str, typer.Option(help="Numbers of others in the group whom an attacker knows.", metavar="N,..")
    ] = "0,1,2",
    near: Annotated[
        list[str] | None,
        typer.Option(help="What counts as near: income=1000, income=5%, or days (repeatable).", metavar="COL=W"),
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option(help="Only these values are secret (repeatable).", metavar="COL=V,.."),
    ] = None,
    ranks: Annotated[
        list[str] | None, typer.Option(help="The order of a column's values (repeatable).", metavar="COL=V,..")
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(help="A file with the coarser values of each value (repeatable).", metavar="COL=FILE"),
    ] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(
            help="A table of a column's values with counts or probabilities (repeatable).", metavar="COL=SOURCE"
        ),
    ] = None,
    smoothing: Annotated[
        float, typer.Option(help="Weight of the table's own values in the priors.", metavar="S")
    ] = 0.0,
    population: options.Population = None,
    population_count: options.PopulationCount = None,
    population_table: options.PopulationTable = None,
    person: options.Person = None,
    rows_are_people: options.RowsArePeople = False,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help='A rule to meet, e.g. "l_distinct.diagnosis >= 2"; exit code 1 if broken (repeatable).',
            metavar="RULE",
        ),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(help="Write the figures of every record: .parquet or .csv.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    charts: Annotated[
        Path | None,
        typer.Option(help="Write the charts (Vega-Lite) to this JSON file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    reveal: options.Reveal = False,
    seed: options.Seed = 0,  # noqa: ARG001 (every command accepts it; this one draws nothing)
) -> None:
    """What does sharing a group give away?

    If all people with the same age, sex and postcode have the same illness, nobody needs to
    know which of them you are. Counts the people whose sensitive value can be told, in bits too.

    Examples:
        idbits disclosure people.csv --qid age,zip,sex --sensitive diagnosis
        idbits disclosure people.csv --qid age,zip --sensitive income --near income=5%
        idbits disclosure people.csv --qid age,zip --sensitive diagnosis --rule "l_distinct.diagnosis >= 2"
    """
    from idbits.studies.disclosure.question import option_pairs
    from idbits.studies.disclosure.study import disclosure
    from idbits.values.attributes import split_names

    priors = option_pairs(prior, "--prior", "COLUMN=SOURCE, for example --prior diagnosis=registry.csv")
    hierarchies = option_pairs(hierarchy, "--hierarchy", "COLUMN=FILE, for example --hierarchy diagnosis=icd.csv")
    reading |= cluster
    keep_sources(source, population, *priors.values())
    qids = None if not qid else qid[0] if len(qid) == 1 else [split_names(names) for names in qid]
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = disclosure(
            source,
            qids,
            [name for names in sensitive or [] for name in split_names(names)],
            by=by,
            certainty=certainty,
            c=c,
            l=l,
            excluded=excluded,
            known_people=known_people,
            near=option_pairs(near, "--near", "COLUMN=DISTANCE, for example --near income=5%"),
            secret=option_pairs(secret, "--secret", "COLUMN=VALUE,.."),
            ranks=option_pairs(ranks, "--ranks", "COLUMN=VALUE,.."),
            hierarchy=hierarchies,
            prior=priors,
            smoothing=smoothing,
            population=population,
            population_count=population_count,
            population_table=population_table,
            person=person,
            rows_are_people=rows_are_people,
            rules=rule,
            records=records,
            reveal=reveal,
            **reading,
        )
    if charts is not None:
        write_chart(charts, answer.charts())
    print_answer(answer, output)
    raise SystemExit(answer.exit_code)
