"""``idbits gain``: how much does each cell, person and column give away?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer
from idbits.cli.progress import progress_on_stderr

__all__ = ["gain_command"]


@options.sharing
def gain_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    attacker: Annotated[
        str, typer.Option(help="The attacker: strongest, knows:N or named:a,b.", metavar="WHO")
    ] = "strongest",
    accuracy: Annotated[
        str | None, typer.Option(help="How far the attacker trusts the table: 0.8, or age=0.5,zip=0.9.", metavar="C")
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
    person: options.Person = None,
    null_person: options.NullPerson = "error",
    rows_are_people: options.RowsArePeople = False,
    threshold: Annotated[
        float, typer.Option(help="The PIF from which a person counts as identifiable.", metavar="BITS")
    ] = 1.0,
    percentile: Annotated[float, typer.Option(help="The percentile of RIG to report.", metavar="P")] = 95.0,
    subsets: Annotated[
        int, typer.Option(help="The largest number of subsets to try with knows:N.", metavar="N")
    ] = 1000,
    compare: Annotated[
        str | None, typer.Option(help="A treated version of the table, to compare with.", metavar="SOURCE")
    ] = None,
    sweep: Annotated[
        str | None, typer.Option(help="Coarser views to try: age:band2,age:band5,age:band10.", metavar="A,B,..")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Measure utility as information about this column.", metavar="COL")
    ] = None,
    analysis: Annotated[
        str | None,
        typer.Option(
            help="The output of an analysis (columns of predictions, or counts): what it reveals.",
            metavar="COLS|SOURCE",
        ),
    ] = None,
    growth: Annotated[
        str | None, typer.Option(help="Add columns one by one, in given or greedy order.", metavar="ORDER")
    ] = None,
    mutual: Annotated[
        bool, typer.Option("--mutual", help="Compute mutual information for a large table as well.")
    ] = False,
    cells: Annotated[
        Path | None,
        typer.Option(help="Write the gain of every cell: .parquet or .csv.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    cells_as: Annotated[str, typer.Option(help="What --cells contains: cig, weighted or csf.", metavar="WHAT")] = "cig",
    seed: options.Seed = 0,
) -> None:
    """How much does each cell, person and column give away?

    Computes the information gain of every cell for an attacker, and what each column adds.

    Examples:
        idbits gain people.csv --columns age,zip,sex
        idbits gain people.csv --columns age,zip,sex --cells cells.parquet
        idbits gain people.csv --columns age,zip,sex --sweep age:band5,age:band10
    """
    from idbits.errors import InputError
    from idbits.studies.gain.study import gain

    pairs = [text.partition("=") for text in prior or []]
    if not all(name and path for name, _, path in pairs):
        raise InputError("a prior is written --prior COLUMN=SOURCE, for example --prior zip=population.csv")
    priors = {name: path for name, _, path in pairs}
    if len(priors) < len(pairs):
        raise InputError("--prior gives the same column twice")
    reading |= cluster
    keep_sources(source, compare, analysis, *priors.values())
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = gain(
            source,
            attacker=attacker,
            accuracy=accuracy,
            prior=priors,
            person=person,
            null_person=null_person,
            rows_are_people=rows_are_people,
            compare=compare,
            sweep=sweep,
            cells=cells,
            cells_as=cells_as,
            target=target,
            analysis=analysis,
            growth=growth,
            threshold=threshold,
            percentile=percentile,
            smoothing=smoothing,
            subsets=subsets,
            mutual=mutual,
            seed=seed,
            **reading,
        )
    print_answer(answer, output)
