"""``idbits measure``: how identifying are these columns?"""

from __future__ import annotations

from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer
from idbits.cli.progress import progress_on_stderr

__all__ = ["measure_command"]


@options.sharing
def measure_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    qid: Annotated[
        list[str] | None,
        typer.Option(help="Columns that someone may know, e.g. birthdate:year,zip,gender. Repeats.", metavar="A,B,.."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Measure within each value of this column, too.", metavar="COL")
    ] = None,
    population: options.Population = None,
    population_count: options.PopulationCount = None,
    population_table: options.PopulationTable = None,
    missing: options.Missing = "error",
    person: options.Person = None,
    values: Annotated[bool, typer.Option("--values", help="List the values that at least 10 people have.")] = False,
    suppress: Annotated[
        int | None, typer.Option(help="What withholding sets below K costs and leaves.", metavar="K")
    ] = None,
    possible_values: Annotated[
        int | None, typer.Option(help="How many values are possible, for kappa.", metavar="N")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the SQL for a database and run none of it.")] = False,
    reveal: options.Reveal = False,
    seed: options.Seed = 0,  # noqa: ARG001 (every command takes it; nothing is drawn here)
) -> None:
    """How identifying are these columns, each and together?

    Example: idbits measure people.csv --qid birthdate,zip,gender
    """
    from idbits.errors import InputError
    from idbits.studies.measure.study import measure
    from idbits.values.attributes import split_names

    reading |= cluster
    keep_sources(source, population)
    if not qid:
        raise InputError("say which columns someone may know, for example --qid birthdate,zip,gender")
    qids = qid[0] if len(qid) == 1 else [split_names(names) for names in qid]
    if explain:
        from idbits.studies.measure.explain import explain_measure

        if population is not None or population_table is not None:
            raise InputError("--explain shows the SQL without a population; leave it out")
        print_answer(
            explain_measure(source, qids, by=by, person=person, values=values, reveal=reveal, **reading), output
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
