"""Every change, addition or removal is detected."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from helpers import Publisher

from idbits.repository import Repository, schema
from idbits.repository.notices import Verification
from idbits.repository.verification import Problem

TABLES = (schema.audit, schema.entries, schema.retractions, schema.accounts, schema.revocations, schema.records)
COLUMNS = [(table, column.name) for table in TABLES for column in table.columns]


@pytest.fixture
def filled(store: Repository) -> Repository:
    """A repository in which every table has two rows, and whose guards against changes are removed."""
    city, other = Publisher(store), Publisher(store, "other", "Other")
    refs = [city.publish(n_people=n).ref for n in (1000, 2000)] + [other.publish(n_people=n).ref for n in (3000, 4000)]
    city.publish(n_people=5000, supersedes=refs[0])
    for ref in refs[1:3]:
        store.retract(ref, "wrong", by="tests")
    for name in ("city", "other"):
        store.revoke(name, by="tests")
    for name in ("shoe size", "hat size"):
        store.extend_vocabulary({"name": name}, by="tests")
    with store.database.engine.begin() as connection:
        for table in TABLES:
            for words in schema.lifted(store.database.dialect, table):
                connection.execute(sa.text(words))
    assert store.verify() == []
    return store


def changed(value: Any) -> Any:
    """Return another plausible value for the column."""
    if isinstance(value, int):
        return value + 1000
    if value is None:
        return "0123456789abcdef"
    return value[:-1] + ("0" if value[-1] != "0" else "1")


def test_every_cell_of_every_table(filled: Repository) -> None:
    for table, column in COLUMNS:
        key = next(iter(table.primary_key.columns))
        with filled.database.engine.begin() as connection:
            row = connection.execute(sa.select(table).order_by(key).limit(1)).mappings().one()
            connection.execute(table.update().where(key == row[key.name]).values({column: changed(row[column])}))
        assert filled.verify(), f"a change of {table.name}.{column} was not seen"
        with filled.database.engine.begin() as connection:
            now = changed(row[column]) if column == key.name else row[key.name]
            connection.execute(table.update().where(key == now).values({column: row[column]}))
        assert filled.verify() == [], f"{table.name}.{column} was put back"


def test_every_row_that_is_removed(filled: Repository) -> None:
    for table in TABLES:
        key = next(iter(table.primary_key.columns))
        with filled.database.engine.begin() as connection:
            row = connection.execute(sa.select(table).order_by(key).limit(1)).mappings().one()
            connection.execute(table.delete().where(key == row[key.name]))
        assert filled.verify(), f"a missing row of {table.name} was not seen"
        with filled.database.engine.begin() as connection:
            connection.execute(table.insert().values(**row))
        assert filled.verify() == []


def test_every_row_that_is_added(filled: Repository) -> None:
    for table in TABLES:
        key = next(iter(table.primary_key.columns))
        unique = {column.name for column in table.columns if column.unique or column.primary_key}
        with filled.database.engine.begin() as connection:
            row = dict(connection.execute(sa.select(table).order_by(key.desc()).limit(1)).mappings().one())
            row |= {name: row[name] + 5 if isinstance(row[name], int) else f"{row[name]}z" for name in unique}
            row |= {name: None for name in ("supersedes",) if name in row}
            connection.execute(table.insert().values(**row))
        assert filled.verify(), f"an added row of {table.name} was not seen"
        with filled.database.engine.begin() as connection:
            connection.execute(table.delete().where(key == row[key.name]))
        assert filled.verify() == []


def test_swapped_rows(filled: Repository) -> None:
    with filled.database.engine.begin() as connection:
        rows = (
            connection.execute(sa.select(schema.entries).order_by(schema.entries.c.sequence).limit(2)).mappings().all()
        )
        for row, other, step in ((rows[0], rows[1], -5), (rows[1], rows[0], 0), (rows[0], rows[1], 0)):
            wanted = step or other["sequence"]
            connection.execute(
                schema.entries.update().where(schema.entries.c.ref == row["ref"]).values(sequence=wanted)
            )
    assert len(filled.verify()) == 2


@pytest.mark.big
def test_a_log_cut_off_at_its_end_is_seen_by_who_kept_a_receipt(filled: Repository) -> None:
    head = filled.head()
    with filled.database.engine.begin() as connection:
        for table in (schema.audit, schema.records):
            connection.execute(table.delete().where(table.c.sequence == head[0]))
    assert filled.verify() == []
    assert [problem.where for problem in filled.verify(head)] == ["log"]


def test_a_rewritten_log_is_seen_by_who_kept_a_receipt(store: Repository) -> None:
    city = Publisher(store)
    receipt = city.publish()
    kept = (receipt.sequence, receipt.hash)
    assert store.verify(kept) == []
    assert store.verify((receipt.sequence, "0" * 64)) != []


def test_the_log_says_who_did_what(filled: Repository) -> None:
    lines = filled.audit(limit=1000)
    assert [line.sequence for line in lines] == list(range(1, len(lines) + 1))
    assert {line.action for line in lines} == {"add publisher", "publish", "retract", "revoke", "record concept"}
    assert filled.head() == (lines[-1].sequence, lines[-1].hash)
    assert [line.sequence for line in filled.audit(after=2, limit=2)] == [3, 4]


def test_problems_are_counted_in_words(sqlite_store: Repository) -> None:
    head = sqlite_store.head()
    one = Problem("log", "odd")
    assert "1 problem found" in str(Verification(problems=(one,), head=head))
    assert "2 problems found" in str(Verification(problems=(one, one), head=head))
