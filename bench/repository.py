"""The repository under load, on SQLite and on PostgreSQL: 100 readers and 10 publishers at once for a minute.

    python bench/repository.py                 both databases, a minute each
    python bench/repository.py --seconds 10    a quick run
    python bench/repository.py --fuzz 500      schemathesis with 500 examples per route instead
    python bench/repository.py --query 100000  queries among 100,000 entries, and a restart, instead
    python bench/repository.py --query 1000000 --database postgresql   a million (two minutes to fill)

It fails if a request fails, if an acknowledged entry is missing afterwards, or if the log does not verify.

``--query`` asks about single municipalities, and fails if the slowest 5% of the queries take longer than 50 ms. Beside
that it prints the time of a query about the whole country, which reads the newest 2,000 entries within it, and of the
first entry after a restart: of a municipality, which is compared with all others because the country is published, and
of another country, which is compared with none. The municipality is timed twice: on a machine that never verified these
entries, and after a restart of one that has.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
for folder in ("tests", "tests/repository"):
    sys.path.insert(0, str(ROOT / folder))

from helpers import Process, Publisher, fresh_postgresql  # noqa: E402
from load import run_load  # noqa: E402

from filling import COUNTRY_PEOPLE, ENTRIES_PER_POPULATION, fill, quasi_identifiers  # noqa: E402
from idbits.repository import Repository  # noqa: E402
from idbits.signing import verifies  # noqa: E402
from rows import add_json_option, at_most, record  # noqa: E402

QUERY_LIMIT_SECONDS, QUERIES = 0.05, 400
RESTART_ENTRIES = 35_000


def load(name: str, database: str, folder: Path, *, readers: int, publishers: int, seconds: float) -> None:
    store = Repository.open(database)
    accounts = [Publisher(store, f"p{place}", f"Holder {place}") for place in range(publishers)]
    reader = store.add_account("reader", "reader", by="bench")
    store.close()
    process = Process(database, folder)
    try:
        found = run_load(process.address, accounts, reader, readers=readers, seconds=seconds)
    finally:
        process.stop()
    again = Repository.open(database)
    problems = again.verify()
    kept = {line.subject for line in again.audit(limit=10**6) if line.action == "publish"}
    again.close()
    lost = {f"entry:{receipt.ref}" for receipt in found.published} - kept
    print(
        f"{name}: {readers} readers, {publishers} publishers, {found.seconds:.0f} s: "
        f"{found.reads:,} reads ({found.reads / found.seconds:.0f}/s), "
        f"{len(found.published):,} entries published ({len(found.published) / found.seconds:.0f}/s), "
        f"slowest answer {found.slowest_seconds:.2f} s, "
        f"{len(found.errors)} errors, {len(lost)} lost, {len(problems)} problems in the log"
    )
    failures = len(found.errors) + len(lost) + len(problems)
    record(
        f"repository.load_{name}", f"{readers} readers and {publishers} publishers at once, {name}, slowest answer",
        found.slowest_seconds, goals=[at_most(0, "failures")],
        facts={
            "failures": failures, "reads_per_second": round(found.reads / found.seconds),
            "published_per_second": round(len(found.published) / found.seconds, 1),
        },
    )  # fmt: skip
    if found.errors or lost or problems:
        sys.exit(f"{name} failed: {[*found.errors, *sorted(lost), *problems][:3]}")


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def first_entry(database: str, publisher: Publisher, population: dict[str, str]) -> float:
    """Return the processor time of the first entry after opening a repository."""
    verifies.cache_clear()
    publisher.store = Repository.open(database)
    signed = publisher.signed(population=population)
    began = time.process_time()
    publisher.store.publish(*signed)
    spent = time.process_time() - began
    publisher.store.close()
    return spent


def query(name: str, database: str, number: int) -> None:
    """Fill a repository, open it again and ask; stop with an error if the slowest 5% of the queries take too long."""
    store = Repository.open(database)
    publisher = Publisher(store)
    seconds_to_fill = timed(lambda: fill(store, publisher, number))
    print(f"{name}: {number:,} entries signed and added in {seconds_to_fill:.0f} s", flush=True)
    qids = quasi_identifiers(store)
    store.close()
    store = Repository.open(database)
    generator = random.Random(1)
    towns = [f"town {generator.randrange(1, number // ENTRIES_PER_POPULATION)}" for _ in range(QUERIES)]
    first = timed(lambda: store.query(qids[0], {"country": "NL", "municipality": "town 1"}))
    seconds: list[float] = []
    for town in towns:
        # Every other query is about attributes that are published together nowhere, so that bounds are computed.
        qid = generator.choice(qids) if len(seconds) % 2 else ("age:band5", "education", "gender")
        seconds.append(timed(partial(store.query, qid, {"country": "NL", "municipality": town}, 5000)))
    slow = statistics.quantiles(seconds, n=20)[-1]
    country = timed(lambda: store.query(["gender"], {"country": "NL"}, COUNTRY_PEOPLE))
    elsewhere = first_entry(database, publisher, {"country": "BE"})
    inside = first_entry(database, publisher, {"country": "NL", "municipality": "new"})
    again = first_entry(database, publisher, {"country": "NL", "municipality": "newer"})
    print(
        f"{name}: {number:,} entries: {QUERIES} queries, median {statistics.median(seconds) * 1000:.1f} ms, "
        f"95% within {slow * 1000:.1f} ms (limit {QUERY_LIMIT_SECONDS * 1000:.0f} ms), first {first:.2f} s, "
        f"the country {country:.2f} s; first entry after a restart: "
        f"another country {elsewhere:.2f} s, a municipality {inside:.2f} s on a machine that never verified the "
        f"entries, {again:.2f} s on one that has (processor time)"
    )
    task, goals = f"repository of {number:,} entries, {name}", [at_most(QUERY_LIMIT_SECONDS * 1000)]
    end = f"{number // 1000}k_{name}"
    record(f"repository.query_{end}", f"{task}, 95% of {QUERIES} queries within", slow * 1000, "ms", goals=goals)
    record(f"repository.first_query_{end}", f"{task}, first query after a restart", first)
    record(f"repository.country_{end}", f"{task}, a query about the whole country", country)
    task, goals = f"{task}, first entry after a restart", [at_most(1)] if number == RESTART_ENTRIES else []
    record(f"repository.restart_{end}", f"{task}, a municipality", inside, "s CPU", goals=goals)
    record(f"repository.restart_again_{end}", f"{task}, a municipality, verified before", again, "s CPU", goals=goals)
    record(f"repository.restart_elsewhere_{end}", f"{task}, another country", elsewhere, "s CPU", goals=goals)
    store.close()
    if slow > QUERY_LIMIT_SECONDS:
        sys.exit(f"{name}: the slowest 5% of the queries take longer than {QUERY_LIMIT_SECONDS * 1000:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--readers", type=int, default=100)
    parser.add_argument("--publishers", type=int, default=10)
    parser.add_argument("--database", choices=["sqlite", "postgresql"])
    parser.add_argument("--fuzz", type=int, metavar="EXAMPLES")
    parser.add_argument("--query", type=int, metavar="ENTRIES")
    add_json_option(parser)
    given = parser.parse_args()
    if given.fuzz is not None:
        command = [sys.executable, "-m", "pytest", "-q", str(ROOT / "tests" / "repository" / "test_openapi.py")]
        for name in [given.database] if given.database else ["sqlite", "postgresql"]:
            print(f"schemathesis, {given.fuzz} examples per route, {name}")
            asked = {"IDBITS_FUZZ": str(given.fuzz), "IDBITS_FUZZ_DATABASE": name}
            subprocess.run(command, env=os.environ | asked, cwd=ROOT, check=True)
        return
    for name in [given.database] if given.database else ["sqlite", "postgresql"]:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["IDBITS_DATA"] = str(Path(folder) / "data")
            database = str(Path(folder) / "repository.db") if name == "sqlite" else fresh_postgresql()
            if given.query is not None:
                query(name, database, given.query)
                continue
            load(
                name,
                database,
                Path(folder),
                readers=given.readers,
                publishers=given.publishers,
                seconds=given.seconds,
            )


if __name__ == "__main__":
    main()
