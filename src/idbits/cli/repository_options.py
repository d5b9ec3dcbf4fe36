"""What the commands around the repository share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from idbits.cli import options
from idbits.cli.output import print_answer
from idbits.errors import InputError

if TYPE_CHECKING:
    from idbits.repository.connecting import AnyRepository
    from idbits.repository.service import Repository

__all__ = [
    "ACTOR", "Address", "Insecure", "KeyFile", "Population", "needing_web", "opened", "opened_here", "print_notice",
    "read_pairs",
]  # fmt: skip

ACTOR = "owner of this machine"
"""What the audit log calls whoever works on the database itself (``idbits.repository.accounts.OWNER``)."""

Address = Annotated[
    str | None,
    typer.Option("--repository", help="The repository: https://..., a database, or none for your own.", metavar="URL"),
]
Insecure = Annotated[bool, typer.Option("--insecure", help="Allow http:// to other machines: keys travel in clear.")]
KeyFile = Annotated[Path | None, typer.Option("--key", help="The file of your signing key.", metavar="FILE")]
Population = Annotated[
    list[str] | None,
    typer.Option(help="What the people have in common, e.g. City=Amsterdam. Repeats.", metavar="ATTRIBUTE=VALUE"),
]


@contextmanager
def needing_web() -> Iterator[None]:
    """Say which extra is missing, where one is."""
    try:
        yield
    except ImportError as error:
        name = (error.name or "a package").partition(".")[0]
        raise InputError(f"{name} is not installed, which the repository needs (pip install 'idbits[web]')") from error


@contextmanager
def opened(address: str | None, *, insecure: bool = False, create: bool = False) -> Iterator[AnyRepository]:
    """Give the repository that is meant."""
    with needing_web():
        from idbits.repository.connecting import connect
    repository = connect(address, insecure=insecure, create=create)
    try:
        yield repository
    finally:
        repository.close()


@contextmanager
def opened_here(address: str | None, *, create: bool = False) -> Iterator[Repository]:
    """Give a repository whose database is at hand."""
    with opened(address, create=create) as repository:
        from idbits.repository.service import Repository

        if not isinstance(repository, Repository):
            raise InputError("this works on the database itself; name that instead of the address of a server")
        yield repository


def print_notice(output: options.Output, action: str, title: str, sentence: str, **facts: str | int) -> None:
    """Print that something was done, and what came of it."""
    from idbits.repository.notices import Notice

    print_answer(Notice.of(action, title, sentence, **facts), output)


def read_pairs(pairs: list[str] | None) -> dict[str, str]:
    """Return pairs from texts such as ``City=Amsterdam``."""
    population: dict[str, str] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError("a population is written --population City=Amsterdam")
        if name.strip() in population:
            raise InputError(f'"{name.strip()}" is given two values')
        population[name.strip()] = value.strip()
    if not population:
        raise InputError("say which people are meant, for example --population City=Amsterdam")
    return population
