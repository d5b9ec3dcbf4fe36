"""Many signed and logged entries in a repository, quickly: two processes sign, PostgreSQL copies.

The rules are not asked, which would take hours; everything else is as if each entry had been published, so that the
repository verifies.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import sqlalchemy as sa
from helpers import Publisher, statement

from idbits.canonical import canonical
from idbits.repository import Repository, entries, schema
from idbits.repository.audit_log import Line, head, row_digest
from idbits.repository.database import timestamp
from idbits.signing import SigningKey

__all__ = ["COUNTRY_PEOPLE", "ENTRIES_PER_POPULATION", "fill", "quasi_identifiers"]

ENTRIES_PER_POPULATION, COUNTRY_PEOPLE = 50, 10**9
_SIGNED_AT_ONCE, _SIGNED_AHEAD = 5000, 4

Row = dict[str, str | int | None]


def quasi_identifiers(store: Repository) -> list[tuple[str, ...]]:
    """Return as many quasi-identifiers as a population has entries, of one, two or three attributes."""
    names = sorted(concept.name for concept in store.vocabulary().concepts if concept.name != "country")
    some = itertools.chain.from_iterable(itertools.combinations(names, size) for size in (1, 2, 3))
    return [qid for qid in some if "municipality" not in qid][:ENTRIES_PER_POPULATION]


@dataclass(frozen=True, slots=True)
class _Signer:
    """What a process needs to sign entries of a publisher."""

    key: SigningKey
    publisher: str
    holder: str
    qids: Sequence[tuple[str, ...]]

    def rows(self, indexes: Iterable[int]) -> list[tuple[Row, str]]:
        """Return entries as rows of the database, each with the digest that its line in the log needs."""
        made, now, public_key = [], timestamp(), self.key.public_key
        for index in indexes:
            place, which = divmod(index, ENTRIES_PER_POPULATION)
            town, people = {"country": "NL", "municipality": f"town {place}"}, 1000 + 200 * (place % 50)
            if place == 0:
                town, people = {"country": "NL"}, COUNTRY_PEOPLE
            qid = self.qids[which]
            text = canonical(statement(holder=self.holder, qid=qid, population=town, n_people=people).to_dict())
            row: Row = {
                "ref": entries.reference(text), "statement": text, "signature": self.key.sign(text),
                "public_key": public_key, "publisher": self.publisher, "published_at": now,
                "qid": entries.qid_key(qid), "population": entries.population_key(tuple(town.items())),
                "supersedes": None, "holder": self.holder,
            }  # fmt: skip
            made.append((row, row_digest(row)))
        return made


_signer: _Signer


def _start(key_file: Path, publisher: str, holder: str, qids: Sequence[tuple[str, ...]]) -> None:
    global _signer
    _signer = _Signer(SigningKey.read(key_file), publisher, holder, qids)


def _rows(indexes: range) -> list[tuple[Row, str]]:
    return _signer.rows(indexes)


def _signed(publisher: Publisher, qids: Sequence[tuple[str, ...]], number: int) -> Iterator[list[tuple[Row, str]]]:
    """Yield signed rows in their order, signed by as many processes as there are processors."""
    parts = [range(start, min(number, start + _SIGNED_AT_ONCE)) for start in range(0, number, _SIGNED_AT_ONCE)]
    with tempfile.TemporaryDirectory() as folder:
        key_file = Path(folder) / "key.pem"
        publisher.signing.write(key_file)
        given = (key_file, publisher.name, publisher.holder, qids)
        with ProcessPoolExecutor(os.cpu_count() or 1, initializer=_start, initargs=given) as pool:
            # Only a few parts are signed ahead: all of them would fill the memory.
            waiting = deque(pool.submit(_rows, part) for part in parts[:_SIGNED_AHEAD])
            following = iter(parts[_SIGNED_AHEAD:])
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(pool.submit(_rows, part) for part in itertools.islice(following, 1))


def fill(store: Repository, publisher: Publisher, number: int) -> None:
    """Add signed and logged entries of a country and its municipalities without asking the rules."""
    with store.database.writing() as connection:
        sequence, previous = head(connection)
        for signed in _signed(publisher, quasi_identifiers(store), number):
            rows: list[Row] = []
            lines: list[Row] = []
            for row, digest in signed:
                sequence += 1
                draft = Line(
                    sequence, timestamp(), publisher.name, "publish", f"entry:{row['ref']}", digest, previous, ""
                )
                line = replace(draft, hash=draft.expected_hash())
                previous = line.hash
                lines.append(dict(line.to_dict()))
                rows.append({"sequence": sequence, **row})
            _insert(connection, schema.audit, lines)
            _insert(connection, schema.entries, rows)
    if store.database.dialect == "postgresql":
        # As autovacuum would do a minute later.
        with store.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE entries")
            connection.exec_driver_sql("VACUUM ANALYZE audit")


def _insert(connection: sa.Connection, table: sa.Table, rows: Sequence[Row]) -> None:
    names = list(rows[0])
    if connection.dialect.name != "postgresql":
        connection.execute(table.insert(), rows)
        return
    cursor = connection.connection.cursor()
    with cursor.copy(f"COPY {table.name} ({', '.join(names)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([row[name] for name in names])
