"""Options and helpers that the commands of the repository share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from idbits.cli import options
from idbits.cli.output import print_answer
from idbits.errors import InputError
from idbits.file_guard import note_read
from idbits.storage import expand_home

if TYPE_CHECKING:
    from idbits.repository.connecting import AnyRepository
    from idbits.repository.service import Repository

__all__ = [
    "ACTOR", "Address", "File", "Insecure", "KeyFile", "Name", "Population", "Ref", "needing_web", "opened",
    "opened_here", "print_notice", "read_pairs", "read_public_key",
]  # fmt: skip

ACTOR = "owner of this machine"
"""The audit log's name for someone who works on the database directly (``idbits.repository.accounts.OWNER``)."""

Address = Annotated[
    str | None,
    typer.Option("--repository", help="The repository: https://... or a database; default: your own.", metavar="URL"),
]
Insecure = Annotated[
    bool, typer.Option("--insecure", help="Allow http:// to other machines, which sends keys unencrypted.")
]
Name = Annotated[str, typer.Argument(help="The name of the account.", show_default=False)]
File = Annotated[Path, typer.Argument(help="The file to read.", show_default=False)]
Ref = Annotated[str, typer.Argument(help="The reference of the entry.", show_default=False)]
KeyFile = Annotated[Path | None, typer.Option("--key", help="The file of your signing key.", metavar="FILE")]
Population = Annotated[
    list[str] | None,
    typer.Option(help="What the people have in common, e.g. City=Amsterdam (repeatable).", metavar="ATTRIBUTE=VALUE"),
]


@contextmanager
def needing_web() -> Iterator[None]:
    """Name the extra to install if a package is missing."""
    try:
        yield
    except ImportError as error:
        name = (error.name or "a package").partition(".")[0]
        raise InputError(
            f"the repository needs the package {name}; install it with pip install 'idbits[web]'"
        ) from error


@contextmanager
def opened(address: str | None, *, insecure: bool = False, create: bool = False) -> Iterator[AnyRepository]:
    """Open the repository at an address."""
    with needing_web():
        from idbits.repository.connecting import connect
    repository = connect(address, insecure=insecure, create=create)
    try:
        yield repository
    finally:
        repository.close()


@contextmanager
def opened_here(address: str | None, *, create: bool = False) -> Iterator[Repository]:
    """Open a repository by its database."""
    with opened(address, create=create) as repository:
        from idbits.repository.service import Repository

        if not isinstance(repository, Repository):
            raise InputError("this command needs the database of the repository, not the address of a server")
        yield repository


def print_notice(output: options.Output, action: str, title: str, sentence: str, **facts: str | int) -> None:
    """Print what was done, with its facts."""
    from idbits.repository.notices import Notice

    print_answer(Notice.of(action, title, sentence, **facts), output)


def read_public_key(given: str | None) -> str | None:
    """Return a public key that was given itself, or by the name of its file."""
    file = Path(expand_home(given)) if given is not None and len(given) < 4096 else None
    if file is None or not file.is_file():
        return given
    note_read(file)
    return file.read_text(encoding="ascii", errors="replace").strip()


def read_pairs(pairs: list[str] | None) -> dict[str, str]:
    """Return pairs from texts such as ``City=Amsterdam``."""
    population: dict[str, str] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError("--population must be written like City=Amsterdam")
        if "=" in value:
            raise InputError(
                "repeat --population for each pair, as in --population Country=Norway --population City=Oslo"
            )
        if name.strip() in population:
            raise InputError(f'"{name.strip()}" has two values in --population')
        population[name.strip()] = value.strip()
    if not population:
        raise InputError("name the population, for example --population City=Amsterdam")
    return population
