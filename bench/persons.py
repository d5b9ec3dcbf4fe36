"""How fast are people with several rows counted? Ratios to rows: of whole measurements, then of the counting alone.

    python bench/persons.py [--rows 10000000]

Times are the best of five, with the table opened anew each time and everything in one process, so that all sort with
the same instructions of the processor. On a busy machine only CPU seconds can be compared. Memory is the peak of a
separate process.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow
import pyarrow.parquet

import idbits
from idbits.engines.backends.persons import PersonCounts, PersonRequest, Persons
from idbits.engines.base import Table
from idbits.engines.open import open_table
from idbits.reading import OpenOptions
from idbits.values.attributes import parse_attributes
from rows import add_json_option, at_most, record
from timing import best_of

Answer = TypeVar("Answer")

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
QID = ["store", "week", "quantity"]
REQUESTS = {
    "the rarest record": PersonRequest(),
    "records and sets": PersonRequest(records=True, sets=True),
    "profiles": PersonRequest(profiles=True),
    "records, sets and multisets": PersonRequest(records=True, sets=True, multisets=True),
}


def write_visits(path: Path, rows: int) -> None:
    """Write visits of a tenth as many people to stores, most of them to few stores."""
    draw = np.random.default_rng(1)
    person = draw.integers(0, max(1, rows // 10), rows)
    names = pyarrow.array([f"S{number:03}" for number in range(500)])
    table = pyarrow.table(
        {
            "person": person,
            "person_text": pyarrow.array(np.char.add("P", person.astype("U9"))),
            "store": names.take(pyarrow.array(draw.zipf(1.3, rows) % 500)),
            "week": draw.integers(0, 104, rows),
            "quantity": np.minimum(draw.geometric(0.5, rows), 20),
        }
    )
    pyarrow.parquet.write_table(table, path)


def opened(path: Path, person: str) -> Table:
    table = open_table(path, OpenOptions())
    table.load([person, *QID])
    return table


@dataclass(frozen=True)
class Used:
    wall: float
    cpu: float


def timed(work: Callable[[], Answer]) -> tuple[Used, Answer]:
    """Repeat some work; return the shortest times and the last result."""
    both = [best_of(1, lambda: best_of(1, work), _cpu) for _ in range(5)]
    return Used(min(wall for _, (wall, _) in both), min(cpu for cpu, _ in both)), both[-1][1][1]


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def spectrum(path: Path) -> int:
    with closing(opened(path, "person")) as table:
        return table.spectrum(parse_attributes(QID, table.columns)).n_people


def people(path: Path, person: str, request: PersonRequest) -> PersonCounts:
    with closing(opened(path, person)) as table:
        return table.person_counts(Persons(person), parse_attributes(QID, table.columns), request, OpenOptions())


MEMORY = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from persons import REQUESTS, people
people(Path(sys.argv[2]), sys.argv[3], REQUESTS["records and sets"])
print(next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line))
"""


def peak_memory(path: Path, person: str) -> int:
    """Return the peak of a process in MB; its resource usage would include that of the process that started it."""
    words = [sys.executable, "-c", MEMORY, str(Path(__file__).parent), str(path), person]
    return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout) // 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    add_json_option(parser)
    rows = parser.parse_args().rows
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"visits-{rows}.parquet"
    if not path.exists():
        write_visits(path, rows)
    for qid in (QID, QID[:2]):
        rows_only, _ = timed(partial(idbits.measure, path, qid))
        with_people, _ = timed(partial(idbits.measure, path, qid, person="person"))
        ratios = (
            f"ratio {with_people.wall / rows_only.wall:.2f} (limit 2), of CPU {with_people.cpu / rows_only.cpu:.2f}"
        )
        print(
            f"measure, {len(qid)} columns: {rows_only.wall:.2f} s, {rows_only.cpu:.2f} s of CPU; with --person "
            f"{with_people.wall:.2f} s, {with_people.cpu:.2f} s of CPU; {ratios}"
        )
        record(
            f"persons.measure_{len(qid)}", f"`measure --person`, {rows:,} rows, {len(qid)} columns", with_people.wall,
            peer="`measure` of rows", theirs=rows_only.wall, goals=[at_most(2, "ratio")],
            facts={"cpu_s": with_people.cpu, "peer_cpu_s": rows_only.cpu},
        )  # fmt: skip
    base, n_rows = timed(lambda: spectrum(path))
    print(f"{n_rows:,} rows, three columns; the spectrum takes {base.wall:.2f} s, {base.cpu:.2f} s of CPU\n")
    for person in ("person", "person_text"):
        for name, request in REQUESTS.items():
            used, counts = timed(partial(people, path, person, request))
            ratios = f"ratio {used.wall / base.wall:.2f}, of CPU {used.cpu / base.cpu:.2f}"
            print(f"{counts.n_people:,} by {person}, {name}: {used.wall:.2f} s, {used.cpu:.2f} s of CPU; {ratios}")
            key = f"persons.{person}_{name.replace(',', '').replace(' ', '_')}"
            task = f"people with several rows, {rows:,} rows, by {person}, {name}"
            record(key, task, used.wall, peer="the spectrum of rows", theirs=base.wall, facts={"cpu_s": used.cpu})
        peak = peak_memory(path, person)
        print(f"  peak memory {peak:,} MB (limit 1,000)")
        task = f"peak memory of records and sets, {rows:,} rows, by {person}"
        record(f"persons.{person}_memory", task, peak, "MB", goals=[at_most(1000)])


if __name__ == "__main__":
    main()
