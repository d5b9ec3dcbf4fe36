"""``idbits measure``: how identifying are these columns?"""

from __future__ import annotations

from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer
from idbits.cli.progress import progress_on_stderr
from idbits.cli.table_columns import complete_columns

__all__ = ["measure_command"]


@options.sharing
def measure_command(
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
    by: Annotated[
        str | None, typer.Option(help="Also measure within each category of this column.", metavar="COL")
    ] = None,
    population: options.Population = None,
    population_count: options.PopulationCount = None,
    population_table: options.PopulationTable = None,
    missing: options.Missing = "error",
    person: options.Person = None,
    knows: options.Knows = "one-record",
    null_person: options.NullPerson = "error",
    multiset: options.Multiset = False,
    household: options.Household = None,
    rows_are_people: options.RowsArePeople = False,
    population_person: options.PopulationPerson = None,
    values: Annotated[bool, typer.Option("--values", help="List the values shared by at least 10 people.")] = False,
    suppress: Annotated[
        int | None, typer.Option(help="Show the cost of withholding groups smaller than K.", metavar="K")
    ] = None,
    possible_values: Annotated[
        int | None, typer.Option(help="The number of possible values, for the unevenness kappa.", metavar="N")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the SQL for a database without running it.")] = False,
    reveal: options.Reveal = False,
    seed: options.Seed = 0,  # noqa: ARG001 (every command accepts it; this one draws nothing)
) -> None:
    """How many people are unique, and how many bits are given away?

    Counts the people who share their values in the columns that someone may know, each
    column by itself and all together.

    Examples:
        idbits measure people.csv --qid birthdate,zip,gender
        idbits measure people.parquet --qid birthdate:year,zip:prefix2,gender --by region
        idbits measure postgresql://host/db --table people --qid age,zip --json
    """
    from idbits.errors import InputError
    from idbits.studies.measure.study import measure
    from idbits.values.attributes import split_names

    reading |= cluster
    keep_sources(source, population)
    qids = None if not qid else qid[0] if len(qid) == 1 else [split_names(names) for names in qid]
    if explain:
        from idbits.studies.measure.explain import explain_measure

        if population is not None or population_table is not None:
            raise InputError("--explain cannot show the SQL of a population; leave out --population")
        print_answer(
            explain_measure(
                source,
                qids,
                by=by,
                person=person,
                knows=knows,
                null_person=null_person,
                multiset=multiset,
                values=values,
                reveal=reveal,
                **reading,
            ),
            output,
        )
        return
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = measure(
            source,
            qids,
            by=by,
            population=population,
            person=person,
            knows=knows,
            null_person=null_person,
            multiset=multiset,
            household=household,
            rows_are_people=rows_are_people,
            population_person=population_person,
            population_count=population_count,
            population_table=population_table,
            missing=missing,
            values=values,
            suppress=suppress,
            possible_values=possible_values,
            reveal=reveal,
            **reading,
        )
    print_answer(answer, output)
