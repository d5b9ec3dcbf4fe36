"""Questions from the entries of the repository."""

from __future__ import annotations

import re
from collections.abc import Iterable

from idbits.errors import InputError, RepositoryError
from idbits.measures.crowd import Answers
from idbits.measures.distribution import Distribution
from idbits.render.attributes import plain_attributes
from idbits.repository.entries import Entry
from idbits.repository.service import Repository
from idbits.web.questions.bank import Bank, BankQuestion, CountedTable, Place, View

__all__ = ["ENTRY_PREFIX", "with_published"]

ENTRY_PREFIX = "entry."
"""How the keys of published questions begin."""


def with_published(bank: Bank, repository: Repository, keys: Iterable[str]) -> Bank:
    """Return the bank with the repository entries of a link; missing ones are left out."""
    for key in dict.fromkeys(keys):
        if re.fullmatch(r"entry\.[0-9a-f]{16}", key):
            try:
                entry = repository.entry(key.removeprefix(ENTRY_PREFIX))
            except (RepositoryError, InputError):
                continue
            if not entry.is_retracted:
                bank = bank.with_more(_bank(entry))
    return bank


def _bank(entry: Entry) -> Bank:
    statement = entry.statement
    where = ", ".join(value for _, value in sorted(statement.population, key=lambda pair: pair[0] == "country"))
    name = plain_attributes(statement.qid)
    # Only the name of the place is needed: the link has the number of people.
    place = Place(f"{ENTRY_PREFIX}{entry.ref}", where)
    source = f"{statement.holder}, {statement.date}: {statement.method} (entry {entry.ref} of the repository)."
    question = BankQuestion(
        f"{ENTRY_PREFIX}{entry.ref}",
        name,
        f"{name[0].upper()}{name[1:]} (as in {where})",
        (View("", "as published"),),
        place,
    )
    if entry.is_whole:
        shares = [cell.people / statement.n_people for cell in entry.cells]
        answers = Answers.of(Distribution.of(shares, statement.n_values))
    else:
        answers = Answers.from_kappa(statement.kappa_nats, statement.n_values)
    return Bank(
        (place,), (question,), (CountedTable(source, frozenset([question.key]), {frozenset([question.key]): answers}),)
    )
