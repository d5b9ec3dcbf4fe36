"""Which entries a query compares: those of wider and narrower populations with a related quasi-identifier.

The index holds the search columns of all entries. It reads each entry once, when a query first needs it: entries are
never changed, and each has a higher line number than those before it. So a query touches only entries that share
conditions with it, however many others there are.
"""

from __future__ import annotations

import itertools
import json
import sys
import threading
from collections.abc import Sequence
from functools import lru_cache

import sqlalchemy as sa

from idbits.errors import RepositoryError
from idbits.repository.bounds import relation
from idbits.repository.conditions import Group, make_condition
from idbits.repository.entries import population_key, qid_key
from idbits.repository.group_index import GroupIndex
from idbits.repository.loading import collector_paused
from idbits.repository.schema import entries

__all__ = ["SearchIndex"]

_BATCH = 10_000
_DAMAGED = "the database is damaged: an entry's search columns are not valid; run idbits repository verify"

_DAMAGED_INDEX = "the database is damaged: a lookup does not find all entries; run idbits repository verify"


class SearchIndex(GroupIndex[dict[str, list[int]]]):
    """For each published population and quasi-identifier, the line numbers of its entries. Thread-safe."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._seen = 0

    def related(
        self, connection: sa.Connection, qid: tuple[str, ...], population: Sequence[tuple[str, str]]
    ) -> list[int]:
        """Return the line numbers, newest first, of entries to compare with a quasi-identifier in a population.

        Their populations contain this one or are within it, and are not the same; their quasi-identifiers are the same,
        coarser or finer.
        """
        group = frozenset(make_condition(name, value) for name, value in population)
        with self._lock:
            self._catch_up(connection)
            self._check_lookups(connection, group, qid_key(qid), population_key(population))
            near = {*self._wider(group), *self._narrower(group)} - {group}
            found = [lines for other in near for key, lines in self._groups[other].items() if _is_related(qid, key)]
            return sorted(itertools.chain.from_iterable(found), reverse=True)

    def read_ahead(self, connection: sa.Connection) -> None:
        """Read the entries published since the last query, before somebody asks."""
        with self._lock:
            self._catch_up(connection)

    def _catch_up(self, connection: sa.Connection) -> None:
        """Add the entries published since the last query."""
        query = sa.select(entries.c.sequence, entries.c.population, entries.c.qid)
        query = query.where(entries.c.sequence > self._seen).order_by(entries.c.sequence)
        # In batches: PostgreSQL would otherwise send a million rows before the first one is looked at.
        with collector_paused(), connection.execute(query.execution_options(yield_per=_BATCH)) as rows:
            for batch in rows.partitions():
                for line, population, qid in batch:
                    group, _ = _group_of(population), _names_of(qid)
                    if isinstance(population, str) and isinstance(qid, str):
                        if group not in self._groups:
                            self._add_group(group, {})
                        # Both texts occur many times; each is kept once.
                        self._groups[group].setdefault(sys.intern(qid), []).append(line)
                    self._seen = line

    def _check_lookups(self, connection: sa.Connection, group: Group, qid: str, population: str) -> None:
        """Refuse a damaged database, in which a lookup does not find entries that are in the table."""
        known, number = self._groups.get(group, {}), sa.select(sa.func.count()).select_from(entries)
        same_people = number.where(entries.c.population == population)
        exact = same_people.where(entries.c.qid == qid)
        newest = sa.select(sa.func.max(entries.c.sequence))
        lookups = sa.select(*(query.scalar_subquery() for query in (newest, same_people, exact)))
        last, people_found, exact_found = connection.execute(lookups).one()
        # Another query may have read newer entries than this connection sees.
        if last == self._seen and (
            people_found < sum(map(len, known.values())) or exact_found < len(known.get(qid, ()))
        ):
            raise RepositoryError(_DAMAGED_INDEX)


@lru_cache(maxsize=50_000)
def _is_related(qid: tuple[str, ...], key: str) -> bool:
    """Return whether a quasi-identifier is the same as another, coarser or finer."""
    return relation(qid, _names_of(key)) is not None


@lru_cache(maxsize=50_000)
def _names_of(key: str) -> list[str]:
    parts = _read_list(key)
    names = [name for name in parts if isinstance(name, str)]
    if len(names) < len(parts):
        raise RepositoryError(_DAMAGED)
    return names


@lru_cache(maxsize=50_000)
def _group_of(key: str) -> Group:
    parts = _read_list(key)
    pairs = [pair for pair in parts if isinstance(pair, list) and len(pair) == 2]
    if len(pairs) < len(parts):
        raise RepositoryError(_DAMAGED)
    return frozenset((str(name), str(value)) for name, value in pairs)


def _read_list(key: object) -> list[object]:
    """Return the list that a key encodes. In a damaged database, a key may be anything.

    Bytes instead of text only hide an entry, and ``verify`` reports them.
    """
    try:
        parts = json.loads(key) if isinstance(key, str | bytes) else None
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, list):
        raise RepositoryError(_DAMAGED)
    return parts
