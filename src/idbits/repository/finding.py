"""Finding: exact entries first, then coarser, finer, wider and narrower ones that can still bound the answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from idbits.errors import InputError, RepositoryError
from idbits.repository.answers import QueryAnswer, Spread
from idbits.repository.bounds import bounds_from, relation
from idbits.repository.conditions import Group, condition, implies
from idbits.repository.entries import find_entries, population_key, qid_key
from idbits.repository.model import Entry
from idbits.repository.schema import entries

__all__ = ["find"]

_MOST_ENTRIES = 2000
_MOST_BOUNDS = 20
_DAMAGED = "the database is damaged: an entry is not found by its own words (idbits repository verify)"
_CONTRADICTION = (
    "the bounds contradict each other: the entries are about other people than those who are meant, or one is wrong"
)


def find(
    connection: sa.Connection, qid: tuple[str, ...], population: tuple[tuple[str, str], ...], size: int | None = None
) -> QueryAnswer:
    """Return what the repository knows about a quasi-identifier in a population."""
    if size is not None and not 1 <= size <= 10**11:
        raise InputError("the size of a population is a number of people (--size)")
    own = population_key(population)
    exact = find_entries(connection, qids=[qid_key(qid)], populations=[own], limit=_MOST_ENTRIES)
    notes = [f"entry {ref} has been changed since it was signed; it is left out" for ref in exact.unverified]
    same_people = find_entries(connection, populations=[own], limit=_MOST_ENTRIES).entries
    others = find_entries(
        connection, qids=_related(connection, qid), populations=_comparable(connection, population), limit=_MOST_ENTRIES
    ).entries
    if len(others) == _MOST_ENTRIES:
        notes.append(f"of wider and narrower populations only the newest {_MOST_ENTRIES:,} entries were looked at")
    near = (*same_people, *others)
    if size is None and exact.entries:
        size = exact.entries[0].statement.n_people
    elif size is None and same_people:
        size = same_people[0].statement.n_people
        notes.append(f"the size of the population, {size:,}, is that of entry {same_people[0].ref}")
    found = bounds_from((entry for entry in near if _is_other(entry, qid, own)), qid, population, size)
    bounds = [bound for bound in found if bound.side == "at least"][:_MOST_BOUNDS]
    bounds += [bound for bound in found if bound.side == "at most"][:_MOST_BOUNDS]
    used = {ref for bound in bounds for ref in bound.refs}
    notes += _limits([*exact.entries, *(entry for entry in near if entry.ref in used)], bool(exact.entries))
    answer = QueryAnswer(
        qid=qid,
        population=population,
        size=size,
        exact=exact.entries,
        spread=Spread.of(exact.entries),
        bounds=tuple(bounds),
        limits=tuple(notes),
    )
    return replace(answer, limits=(*notes, _CONTRADICTION)) if answer.contradicts and not exact.entries else answer


def _is_other(entry: Entry, qid: Sequence[str], own: str) -> bool:
    return relation(qid, entry.statement.qid) != "same" or population_key(entry.statement.population) != own


def _comparable(connection: sa.Connection, population: Sequence[tuple[str, str]]) -> list[str]:
    """Return the keys of published populations that hold this one or lie within it, itself not among them."""
    group = frozenset(condition(name, value) for name, value in population)
    keys = connection.execute(sa.select(entries.c.population).distinct()).scalars().all()
    return [key for key in keys if _group_of(key) != group and _compares(group, _group_of(key))]


def _related(connection: sa.Connection, qid: Sequence[str]) -> list[str]:
    """Return the keys of published quasi-identifiers that are the same, coarser or finer."""
    keys = connection.execute(sa.select(entries.c.qid).distinct()).scalars().all()
    return [key for key in keys if relation(qid, _names_of(key)) is not None]


def _names_of(key: str) -> list[str]:
    names = _listed(key)
    if not all(isinstance(name, str) for name in names):
        raise RepositoryError(_DAMAGED)
    return names


@lru_cache(maxsize=50_000)
def _group_of(key: str) -> Group:
    pairs = _listed(key)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise RepositoryError(_DAMAGED)
    return frozenset((str(name), str(value)) for name, value in pairs)


def _listed(key: object) -> list[Any]:
    """Return the list that a key stands for; what an index of a damaged database holds may be anything."""
    try:
        found = json.loads(key) if isinstance(key, str) else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise RepositoryError(_DAMAGED)
    return found


def _compares(mine: Group, theirs: Group) -> bool:
    """Return whether one group lies within the other."""
    if mine <= theirs or theirs <= mine:
        return True
    # Only a coarser view of something can follow from what is not the same condition.
    odd = (mine - theirs) | (theirs - mine)
    return any(":" in name for name, _ in odd) and (implies(mine, theirs) or implies(theirs, mine))


def _limits(used: Sequence[Entry], exact: bool) -> list[str]:
    """Say what the figures rest on, where that is not the same people on the same day."""
    notes = []
    said = [entry.statement for entry in used]
    if any(one.coverage is not None and one.coverage < 1 for one in said):
        notes.append("some holders counted only a part of the population")
    sizes: dict[str, set[int]] = {}
    for one in said:
        sizes.setdefault(population_key(one.population), set()).add(one.n_people)
    if any(len(counted) > 1 for counted in sizes.values()):
        notes.append("entries of the same population count different numbers of people")
    if len({one.date for one in said}) > 1:
        notes.append("the entries are of different days")
    if not exact and len({one.holder for one in said}) > 1:
        notes.append("the bounds rest on several holders, who may have counted different people")
    if not exact and said:
        notes.append("a bound holds for the people who were counted, if the entries are right")
    return notes
