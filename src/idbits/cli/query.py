"""``idbits query``: what is published about a quasi-identifier in a population, and what follows from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import print_answer
from idbits.cli.repository_options import Address, Insecure, Population, opened, read_pairs

__all__ = ["query_command"]


@options.sharing
def query_command(
    output: options.Output,
    qid: Annotated[
        str | None, typer.Option(help="The attributes, e.g. postcode,gender,birthyear.", metavar="A,B,..")
    ] = None,
    population: Population = None,
    size: Annotated[
        int | None, typer.Option(help="The number of people in the population, if you know it.", metavar="N")
    ] = None,
    repository: Address = None,
    insecure: Insecure = False,
    memory: options.Memory = None,  # noqa: ARG001 (every command accepts it; this one reads no table)
    threads: options.Threads = None,  # noqa: ARG001
    seed: options.Seed = 0,  # noqa: ARG001
) -> None:
    """What is published about a population, and what follows?

    Shows the published figures about some attributes, or bounds if none are published.

    Examples:
        idbits query --qid postcode,gender,birthyear --population City=Amsterdam
        idbits query --qid age --population City=Amsterdam --size 900000
        idbits query --qid age --population City=Amsterdam --repository https://repository.example
    """
    from idbits.errors import InputError
    from idbits.values.attributes import split_names

    if not qid:
        raise InputError("name the attributes, for example --qid postcode,gender,birthyear")
    pairs = read_pairs(population)
    with opened(repository, insecure=insecure) as store:
        answer = store.query(split_names(qid), pairs, size)
    print_answer(replace(answer, repository=repository), output)
