"""Faults while publishing and migrating: ``python tests/repository/faults.py --kills 500 --cuts 1000``.

Nothing that was acknowledged is lost, and the log verifies. ``test_faults.py`` does a little of it in every test run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from helpers import fresh_postgresql, statement
from killing import (
    Killed,
    Nursery,
    kill_on_postgresql,
    kill_on_sqlite,
    killed_migration,
    migrated_problems,
    steps_of_migration,
)
from power import Call, Content, Disk, program, record, replay
from version_1 import make_version_1, rows_of_version_1

from idbits.canonical import canonical
from idbits.errors import RepositoryError
from idbits.repository import Receipt, Repository, SigningKey

KEEP = (0.0, 0.1, 0.5, 0.9, 1.0)


@dataclass
class Cuts:
    """The results of power cuts: how many, and the problems found."""

    cuts: int = 0
    calls: int = 0
    acknowledged: int = 0
    problems: list[str] = field(default_factory=list)


def publish_some(database: str, number: str, paper: str) -> None:
    """Create a repository, publish to it from two connections in turn, and record each receipt."""
    store, key = Repository.open(database), SigningKey.generate()
    store.add_account("city", "publisher", by="tests", public_key=key.public_key, holder="City")
    descriptor = os.open(paper, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for town in range(int(number)):
        if town % 40 == 39:
            # When the last connection closes, everything moves into the file, and the log next to it is deleted.
            store.close()
            store = Repository.open(database)
        text = canonical(statement(population={"municipality": str(town)}).to_dict())
        receipt = store.publish(text, key.sign(text), key.public_key)
        os.write(descriptor, (json.dumps(asdict(receipt)) + "\n").encode())
    store.close()


def open_it(database: str) -> None:
    """Open a repository, which migrates it."""
    Repository.open(database).close()


def recorded_publishing(entries: int) -> list[Call]:
    """Return the calls of a program that publishes."""
    with tempfile.TemporaryDirectory(prefix="idbits-power-") as name:
        folder = Path(name) / "data"
        folder.mkdir()
        files = [str(folder / file) for file in ("repository.db", "receipts.jsonl")]
        return record(program("faults.publish_some", files[0], str(entries), files[1]), folder, _paths())


def _paths() -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def cut_publishing(calls: list[Call], cuts: int, chance: random.Random, *, syncs: bool = True) -> Cuts:
    """Cut the power at random moments, and check that all acknowledged entries are there."""
    found = Cuts(calls=len(calls))
    disk, done = Disk(), 0
    for moment in sorted(chance.randrange(len(calls) + 1) for _ in range(cuts)):
        replay(calls[done:moment], disk, syncs=syncs)
        done = moment
        found.cuts += 1
        found.acknowledged = len(disk.said)
        with _rebuilt(disk, chance) as path:
            found.problems += [f"after call {moment}: {problem}" for problem in lost(path, disk.said)]
    return found


@contextmanager
def _rebuilt(disk: Disk, chance: random.Random, keep: float | None = None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="idbits-power-") as name:
        disk.rebuild(Path(name), chance, chance.choice(KEEP) if keep is None else keep)
        yield Path(name) / "repository.db"


def lost(path: Path, said: list[str]) -> list[str]:
    """Return all problems of a rebuilt repository, and the acknowledged entries that it lacks."""
    receipts = [Receipt(**json.loads(line)) for line in said]
    if not path.exists():
        return ["the repository is gone"] if receipts else []
    try:
        store = Repository.open(str(path), create=False)
    except RepositoryError as error:
        return [str(error)]
    try:
        found = [f"{problem.where}: {problem.what}" for problem in store.verify()]
        log = {line.sequence: line.hash for line in store.audit(limit=1_000_000)}
        found += [f"entry {one.ref} is lost" for one in receipts if log.get(one.sequence) != one.hash]
    except RepositoryError as error:
        found = [str(error)]
    finally:
        store.close()
    return found


def cut_migration(entries: int, chance: random.Random) -> Cuts:
    """Cut the power after every call of a migration, keeping all unsynced writes once, and a part of them once."""
    with tempfile.TemporaryDirectory(prefix="idbits-power-") as name:
        folder = Path(name) / "data"
        folder.mkdir()
        make_version_1(str(folder / "repository.db"), rows_of_version_1(Path(name), entries))
        disk = Disk()
        for file in folder.iterdir():
            disk.names[file.name] = Content(bytearray(file.read_bytes()))
        disk.synced = dict(disk.names)
        calls = record(program("faults.open_it", str(folder / "repository.db")), folder, _paths())
    found = Cuts(calls=len(calls))
    for call in (None, *calls):
        replay([call] if call is not None else [], disk)
        for keep in (1.0, chance.choice(KEEP[:-1])):
            found.cuts += 1
            with _rebuilt(disk, chance, keep) as path:
                found.problems += migrated_problems(str(path))
    return found


def kill_migration(entries: int, every: int = 1) -> dict[str, tuple[int, list[str]]]:
    """Kill a migration at regular steps, on both databases; return the number of kills, and the problems found."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="idbits-kill-") as name, Nursery() as nursery:
        folder = Path(name)
        rows = rows_of_version_1(folder, entries)

        def old(kind: str) -> str:
            address = fresh_postgresql() if kind == "postgresql" else str(folder / f"{uuid.uuid4().hex}.db")
            make_version_1(address, rows)
            return address

        for kind in ("sqlite", "postgresql"):
            steps = range(1, steps_of_migration(nursery, old(kind), folder) + 1, every)
            problems = [problem for step in steps for problem in killed_migration(nursery, old(kind), step, folder)]
            found[kind] = (len(steps), problems)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=500, help="how many SIGKILLs, half of them on each database")
    parser.add_argument("--cuts", type=int, default=1000, help="how many power cuts while publishing")
    parser.add_argument("--entries", type=int, default=200, help="how many entries are published for power cuts")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    chance, problems = random.Random(given.seed), []
    parts = {"SQLite": kill_on_sqlite, "PostgreSQL": kill_on_postgresql}
    for name, kill in parts.items():
        start, found = time.monotonic(), Killed()
        kill(given.kills // 2, chance, found)
        problems += found.problems
        print(
            f"{name}: {found.kills} SIGKILLs ({found.server_kills} of the whole server), {found.acknowledged} entries "
            f"acknowledged, {len(found.problems)} problems, {time.monotonic() - start:.0f} s",
            flush=True,
        )
    for kind, (steps, wrong) in kill_migration(entries=5).items():
        problems += wrong
        print(f"migration on {kind}: killed at {steps} steps, {len(wrong)} problems", flush=True)
    cut = cut_migration(5, chance)
    problems += cut.problems
    print(f"migration: {cut.cuts} power cuts at {cut.calls} calls, {len(cut.problems)} problems", flush=True)
    calls = recorded_publishing(given.entries)
    cut = cut_publishing(calls, given.cuts, chance)
    problems += cut.problems
    print(f"publishing: {cut.cuts} power cuts at {cut.calls} calls, {len(cut.problems)} problems", flush=True)
    without = cut_publishing(calls, 50, chance, syncs=False)
    print(f"the same without any sync, to see that it would show: {len(without.problems)} problems in 50 cuts")
    for problem in problems[:20]:
        print(problem)
    sys.exit(1 if problems or not without.problems else 0)


if __name__ == "__main__":
    # Subprocesses look up functions by the module's name.
    import faults

    faults.main()
