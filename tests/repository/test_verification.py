"""Damaged databases: pages swapped or restored from before, indexes that miss a row, empty files."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from helpers import Publisher, fresh_postgresql

from databases import writer
from idbits.errors import RepositoryError
from idbits.repository import Repository, schema
from idbits.repository.backups import backup, export
from idbits.repository.database import Database
from idbits.repository.verification import find_database_problems

TOWN = {"municipality": "Utrecht"}


def roots(path: Path) -> dict[str, int]:
    """Return the first page of each index of the entries."""
    with closing(sqlite3.connect(path)) as database:
        query = "SELECT name, rootpage FROM sqlite_master WHERE type = 'index' AND tbl_name = 'entries'"
        return dict(database.execute(query).fetchall())


def page(path: Path, number: int) -> bytes:
    with closing(sqlite3.connect(path)) as database:
        size = database.execute("PRAGMA page_size").fetchone()[0]
    content = path.read_bytes()
    return content[(number - 1) * size : number * size]


def put(path: Path, number: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek((number - 1) * len(content))
        file.write(content)


@pytest.fixture
def before_and_after(tmp_path: Path) -> tuple[Path, dict[str, bytes]]:
    """A repository with two entries, and the pages of its indexes from when it had one."""
    path = tmp_path / "repository.db"
    store = Repository.open(str(path))
    city = Publisher(store)
    city.publish()
    store.close()
    old = {name: page(path, number) for name, number in roots(path).items()}
    city.store = store = Repository.open(str(path))
    city.publish(population=TOWN, n_people=3000)
    store.close()
    return path, old


def test_pages_put_back_hide_an_entry_and_are_seen(before_and_after: tuple[Path, dict[str, bytes]]) -> None:
    path, old = before_and_after
    whole = path.read_bytes()
    assert len(old) >= 6
    hidden, refused = set(), set()
    for name, content in old.items():
        put(path, roots(path)[name], content)
        with closing(Repository.open(str(path))) as store:
            problems = store.verify()
            assert problems, f"the old page of {name} was not seen"
            assert {problem.where for problem in problems} == {"database"}
            assert name in problems[0].what
            if not store.entries(["gender"], TOWN).entries:
                hidden.add(name)
            try:
                assert store.query(["gender"], TOWN).exact
            except RepositoryError as error:
                assert "a lookup does not find all entries" in str(error)  # noqa: PT017 (only some pages are needed)
                refused.add(name)
        path.write_bytes(whole)
    # The old page hides the entry from lookups through this index, but no query takes it for missing.
    assert hidden & {"ix_entries_population", "ix_entries_qid"}
    assert hidden <= refused
    with closing(Repository.open(str(path))) as store:
        assert store.verify() == []
        assert len(store.query(["gender"], TOWN).exact) == 1


def test_pages_of_two_indexes_swapped(before_and_after: tuple[Path, dict[str, bytes]]) -> None:
    path, _ = before_and_after
    numbers = [roots(path)[name] for name in ("ix_entries_qid", "ix_entries_population")]
    first, second = (page(path, number) for number in numbers)
    put(path, numbers[0], second)
    put(path, numbers[1], first)
    with closing(Repository.open(str(path))) as store:
        assert store.entries(["gender"], TOWN).entries == ()
        assert store.verify()
        with pytest.raises(RepositoryError, match="the database is damaged"):
            store.query(["gender"], TOWN)


def test_verify_says_so_and_no_copy_is_made(before_and_after: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    path, old = before_and_after
    put(path, roots(path)["sqlite_autoindex_entries_1"], old["sqlite_autoindex_entries_1"])
    code, out, _ = run("repository", "verify", "--repository", str(path), "--json")
    assert code == 1
    assert json.loads(out)["verified"] is False
    with closing(Repository.open(str(path))) as store:
        for write in (backup, export):
            with pytest.raises(RepositoryError, match="the database is damaged"):
                write(store, tmp_path / "copy")
            assert not (tmp_path / "copy").exists()


def test_bytes_in_place_of_a_text_hide_an_entry_and_are_seen(sqlite_store: Repository) -> None:
    city = Publisher(sqlite_store)
    city.publish(population=TOWN)
    engine = sqlite_store.database.engine
    for table, column in ((schema.entries, "population"), (schema.entries, "ref"), (schema.audit, "digest")):
        with engine.begin() as connection:
            for words in schema.lifted("sqlite", table):
                connection.exec_driver_sql(words)
            change = f"UPDATE {table.name} SET {column} = CAST({column} AS %s)"
            connection.exec_driver_sql(change % "BLOB")
        assert sqlite_store.verify(), f"bytes in {table.name}.{column} were not seen"
        if column == "population":
            assert sqlite_store.query(["gender"], TOWN).exact == ()
        with engine.begin() as connection:
            connection.exec_driver_sql(change % "TEXT")
        assert sqlite_store.verify() == []


def test_a_view_in_place_of_a_table_is_seen(sqlite_store: Repository) -> None:
    Publisher(sqlite_store).publish()
    with sqlite_store.database.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE retractions RENAME TO others")
        connection.exec_driver_sql("CREATE VIEW retractions AS SELECT * FROM others")
    assert [problem.what for problem in sqlite_store.verify()] == ["retractions is a view instead of a table"]


@pytest.mark.parametrize("kind", ["view", "materialized view", "partitioned table"])
def test_what_stands_in_place_of_a_table_of_postgresql_is_seen(kind: str, tmp_path: Path) -> None:
    address = fresh_postgresql()
    store = Repository.open(address)
    Publisher(store).publish()
    assert store.verify() == []
    made = {
        "view": "CREATE VIEW retractions AS SELECT * FROM others",
        "materialized view": "CREATE MATERIALIZED VIEW retractions AS SELECT * FROM others",
        "partitioned table": "CREATE TABLE retractions (LIKE others) PARTITION BY LIST (ref)",
    }
    with writer(address).begin() as connection:
        connection.execute(sa.text("ALTER TABLE retractions RENAME TO others"))
        connection.execute(sa.text(made[kind]))
    assert [problem.what for problem in store.verify()] == [f"retractions is a {kind} instead of a table"]
    with pytest.raises(RepositoryError, match=f"retractions is a {kind} instead of a table"):
        export(store, tmp_path / "copy")
    store.close()
    writer(address).dispose()


def test_a_view_in_place_of_a_table_of_postgresql_is_not_read() -> None:
    """Functions in a view run with the rights of the reader."""
    address = fresh_postgresql()
    store = Repository.open(address)
    Publisher(store).publish()
    with writer(address).begin() as connection:
        connection.execute(sa.text("ALTER TABLE retractions RENAME TO others"))
        connection.execute(sa.text("CREATE SEQUENCE reads"))
        connection.execute(sa.text("CREATE VIEW retractions AS SELECT * FROM others WHERE nextval('reads') > 0"))
        connection.execute(sa.text("INSERT INTO others VALUES ('r', 1, 'b', 'c', 'd')"))
    assert len(store.verify()) == 1
    with writer(address).begin() as connection:
        assert connection.execute(sa.text("SELECT is_called FROM reads")).scalar() is False
    store.close()
    writer(address).dispose()


@pytest.mark.parametrize("column", ["qid", "population", "holder"])
def test_an_index_of_postgresql_that_lacks_a_row_is_seen(column: str) -> None:
    address = fresh_postgresql()
    store = Repository.open(address)
    city = Publisher(store)
    city.publish()
    index = f"ix_entries_{column}"
    ready = sa.text("UPDATE pg_index SET indisready = :ready WHERE indexrelid = CAST(:name AS regclass)")
    # Rows inserted while an index is not ready are never added to it.
    for state in (False, True):
        with writer(address).begin() as connection:
            connection.execute(ready, {"ready": state, "name": index})
        if not state:
            city.publish(population=TOWN, n_people=3000)
    problems = store.verify()
    assert [problem.what for problem in problems] == [f"a lookup in entries by {column} misses 1 of its rows"]
    with writer(address).begin() as connection:
        connection.execute(sa.text(f"REINDEX INDEX {index}"))
    assert store.verify() == []
    store.close()
    writer(address).dispose()


def test_indexes_of_postgresql_are_really_used_to_compare() -> None:
    """PostgreSQL prefers to read small tables completely, which would compare a table with itself."""
    address = fresh_postgresql()
    store = Repository.open(address)
    Publisher(store).publish()
    plans: list[str] = []

    def explain(connection: sa.Connection, cursor: object, statement: str, values: object, *_: object) -> None:
        if statement.startswith("SELECT"):
            with connection.connection.driver_connection.cursor() as other:  # type: ignore[union-attr]
                other.execute(f"EXPLAIN {statement}", values)
                plans.append("\n".join(row[0] for row in other.fetchall()))

    with store.database.reading() as connection:
        sa.event.listen(connection, "before_cursor_execute", explain)
        assert list(find_database_problems(connection)) == []
    joins = [plan for plan in plans if "unnest" in plan]
    assert len(joins) >= 10
    assert all("Index" in plan and "Seq Scan" not in plan for plan in joins)
    assert any("Seq Scan on entries" in plan and "Index" not in plan for plan in plans)
    store.close()


def run(*arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-c", "from idbits.cli.main import main; main()", *arguments]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    return found.returncode, found.stdout, found.stderr


COMMANDS = [
    ["repository", "verify"],
    ["repository", "entries"],
    ["repository", "accounts"],
    ["repository", "add", "somebody"],
    ["query", "--qid", "gender", "--population", "City=X"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_empty_file_is_no_repository(tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "repository.db"
    path.touch()
    code, out, err = run(*command, "--repository", str(path))
    assert (code, out) == (3, "")
    assert f'"{path}" is an empty file' in err
    assert len(err.strip().splitlines()) == 1
    assert path.stat().st_size == 0


def test_no_server_starts_on_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "repository.db"
    path.touch()
    code, _, err = run("serve", "--port", "0", "--database", str(path))
    assert code == 3
    assert "is an empty file" in err


def test_an_empty_file_in_the_data_folder_is_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDBITS_DATA", str(tmp_path))
    (tmp_path / "repository.db").touch()
    code, _, err = run("repository", "verify")
    assert code == 3
    assert "is an empty file" in err
    (tmp_path / "repository.db").unlink()
    assert run("repository", "verify")[0] == 0


@pytest.mark.parametrize("create", [True, False])
def test_another_program_s_database_is_no_repository(tmp_path: Path, create: bool) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE visits (day TEXT)")
        other.commit()
    with pytest.raises(RepositoryError, match="is not a repository"):
        Repository.open(str(path), create=create)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("visits",)]


def test_an_empty_database_of_postgresql_is_no_repository_unless_one_is_made() -> None:
    address = fresh_postgresql()
    with pytest.raises(RepositoryError, match="there is no repository in this database"):
        Repository.open(address, create=False)
    Repository.open(address).close()
    Repository.open(address, create=False).close()


def test_a_file_that_is_not_yet_written_is_a_repository(tmp_path: Path) -> None:
    """SQLite first writes into the log next to the file; older versions created the file under its final name."""
    path = tmp_path / "repository.db"
    opened = Database(str(path))
    with opened.engine.connect() as connection, connection.begin():
        schema.metadata.create_all(connection)
        connection.execute(schema.schema_version.insert().values(version=schema.VERSION, applied_at="now"))
    assert path.with_name("repository.db-wal").stat().st_size
    with closing(Repository.open(str(path))) as store:
        assert store.verify() == []
    opened.close()


def test_a_new_repository_is_private_and_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "repository.db"
    with closing(Repository.open(str(path))) as store:
        assert store.verify() == []
    assert [file.name for file in path.parent.iterdir()] == ["repository.db"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_nlink == 1
    if os.geteuid() != 0:
        path.parent.chmod(0o500)
        with pytest.raises(Exception, match="cannot be created"):
            Repository.open(str(path.parent / "other.db"))


def test_tables_of_a_version_that_never_was(tmp_path: Path) -> None:
    path = tmp_path / "repository.db"
    Repository.open(str(path)).close()
    with closing(sqlite3.connect(path)) as database:
        triggers = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            database.execute(f'DROP TRIGGER "{name}"')
        database.execute("UPDATE schema_version SET version = 0")
        database.commit()
    with pytest.raises(RepositoryError, match="unknown version"):
        Repository.open(str(path))
