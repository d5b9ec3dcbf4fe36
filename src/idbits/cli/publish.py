"""``idbits publish``: count, sign and publish how unevenly a quasi-identifier is distributed in a population."""

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
        str | None, typer.Option(help="The columns to publish, e.g. postcode,gender,birthdate:year.", metavar="A,B,..")
    ] = None,
    population: Population = None,
    repository: Address = None,
    key: KeyFile = None,
    as_: Annotated[
        list[str] | None,
        typer.Option("--as", help="The vocabulary's name for a column (repeatable).", metavar="COL=NAME"),
    ] = None,
    holder: Annotated[str | None, typer.Option(help="The organisation that holds the data.", metavar="NAME")] = None,
    date: Annotated[str | None, typer.Option(help="The date the data describe.", metavar="YYYY-MM-DD")] = None,
    method: Annotated[str | None, typer.Option(help="How the data were collected.", metavar="TEXT")] = None,
    data_source: Annotated[str | None, typer.Option(help="Where the data can be found.", metavar="TEXT")] = None,
    coverage: Annotated[
        float | None, typer.Option(help="The share of the population that was counted, e.g. 0.98.", metavar="SHARE")
    ] = None,
    distribution: Annotated[
        bool, typer.Option("--distribution", help="Also publish the values shared by at least 10 people.")
    ] = False,
    possible_values: Annotated[int | None, typer.Option(help="The number of possible values.", metavar="N")] = None,
    person: options.Person = None,
    supersedes: Annotated[str | None, typer.Option(help="The entry that this one replaces.", metavar="REF")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be signed, without publishing.")] = False,
    insecure: Insecure = False,
    seed: options.Seed = 0,  # noqa: ARG001 (every command accepts it; this one draws nothing)
) -> None:
    """Publish signed figures about a population.

    Counts how unevenly some columns are distributed in a population, signs the figures and
    publishes them in a repository.

    Examples:
        idbits publish people.parquet --qid postcode,gender,birthyear --population City=Amsterdam
        idbits publish people.csv --qid age --population City=Amsterdam --dry-run
        idbits publish people.csv --qid plz,age --as plz=postcode --population City=Amsterdam --repository https://repository.example
    """
    from idbits.errors import InputError

    keep_sources(source)
    if not qid:
        raise InputError("name the columns to publish, for example --qid postcode,gender,birthyear")
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
            raise InputError("write the vocabulary's name for a column as --as plz=postcode")
        names[column] = name
    return names
