"""The repository under load, on SQLite and on PostgreSQL: 100 readers and 10 publishers at once for a minute.

    python bench/repository.py                 both databases, a minute each
    python bench/repository.py --seconds 10    a quick run
    python bench/repository.py --fuzz 500      schemathesis with 500 examples per route instead

It fails if a request fails, if an acknowledged entry is missing afterwards, or if the log does not verify.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
for folder in ("tests", "tests/repository"):
    sys.path.insert(0, str(ROOT / folder))

from helpers import Process, Publisher, fresh_postgresql  # noqa: E402
from load import run_load  # noqa: E402

from idbits.repository import Repository  # noqa: E402


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
    if found.errors or lost or problems:
        sys.exit(f"{name} failed: {[*found.errors, *sorted(lost), *problems][:3]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--readers", type=int, default=100)
    parser.add_argument("--publishers", type=int, default=10)
    parser.add_argument("--database", choices=["sqlite", "postgresql"])
    parser.add_argument("--fuzz", type=int, metavar="EXAMPLES")
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
            database = str(Path(folder) / "repository.db") if name == "sqlite" else fresh_postgresql()
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
