"""``idbits publish``: count, sign and publish how uneven a quasi-identifier is in a population."""

from __future__ import annotations

from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer
from idbits.cli.progress import progress_on_stderr
from idbits.cli.repository_options import Address, Insecure, KeyFile, Population, opened, read_pairs

__all__ = ["publish_command"]


@options.sharing
def publish_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    qid: Annotated[
        str | None, typer.Option(help="The columns, e.g. postcode,gender,birthdate:year.", metavar="A,B,..")
    ] = None,
    population: Population = None,
    repository: Address = None,
    key: KeyFile = None,
    as_: Annotated[
        list[str] | None,
        typer.Option("--as", help="What a column is called in the vocabulary. Repeats.", metavar="COL=NAME"),
    ] = None,
    holder: Annotated[str | None, typer.Option(help="Who holds the data.", metavar="NAME")] = None,
    date: Annotated[str | None, typer.Option(help="The day that the data describe.", metavar="YYYY-MM-DD")] = None,
    method: Annotated[str | None, typer.Option(help="How the data came about.", metavar="TEXT")] = None,
    data_source: Annotated[str | None, typer.Option(help="Where the data can be found.", metavar="TEXT")] = None,
    coverage: Annotated[
        float | None, typer.Option(help="Which share of the population was counted, e.g. 0.98.", metavar="SHARE")
    ] = None,
    distribution: Annotated[
        bool, typer.Option("--distribution", help="Publish the values that at least 10 people have, too.")
    ] = False,
    possible_values: Annotated[int | None, typer.Option(help="How many values are possible.", metavar="N")] = None,
    person: Annotated[
        str | None, typer.Option(help="The column that names the person: one row each.", metavar="COL")
    ] = None,
    supersedes: Annotated[str | None, typer.Option(help="The entry that this one replaces.", metavar="REF")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be signed, publish nothing.")] = False,
    insecure: Insecure = False,
    seed: options.Seed = 0,  # noqa: ARG001 (every command takes it; nothing is drawn here)
) -> None:
    """Publish how uneven some columns are in a population, signed.

    Example: idbits publish people.parquet --qid postcode,gender,birthyear --population City=Amsterdam --repository URL
    """
    from idbits.errors import InputError

    keep_sources(source)
    if not qid:
        raise InputError("say which columns, for example --qid postcode,gender,birthyear")
    pairs = read_pairs(population)
    with opened(repository, insecure=insecure) as store, progress_on_stderr(quiet=output.quiet) as progress:
        from idbits.repository.connecting import signing_key
        from idbits.repository.publishing import PublicationDetails, publish

        reading["progress"] = progress
        details = PublicationDetails(
            holder=holder,
            date=date,
            method=method,
            source=data_source or "",
            coverage=coverage,
            supersedes=supersedes,
            distribution=distribution,
            names=_names(as_ or []),
            possible_values=possible_values,
            person=person,
        )
        answer = publish(source, qid, pairs, store, signing_key(key), details, dry_run=dry_run, **reading)
    print_answer(answer, output)


def _names(pairs: list[str]) -> dict[str, str]:
    from idbits.errors import InputError

    names = {}
    for pair in pairs:
        column, equals, name = pair.rpartition("=")
        if not equals or not column or not name:
            raise InputError("a column's name in the vocabulary is written --as plz=postcode")
        names[column] = name
    return names
