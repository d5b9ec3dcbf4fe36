"""How fast is `idbits events`? The pairs of one month compared with DuckDB's self-join, and all months, in one run.

    python bench/events.py [--people 1230000] [--no-duckdb] [--all-months] [--memory 16GB] [--threads 2]

Visits are made up, with the shape of those of a national insurance fund (58.7 records per person over 13 years). The
full size is --people 12300000: 721.6 million visits, about 540 million pairs that begin in January 2005. Both sides
start from loaded events, sorted by person. CPU seconds are printed too: on a busy machine only these can be compared.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import duckdb
import numpy as np

from idbits.engines.backends.points import EventRequest
from idbits.engines.open import open_table
from idbits.examples.visits import write_visits
from idbits.kernels.events import Trajectories
from idbits.kernels.pairs import counted_day_spectra
from idbits.reading import OpenOptions, read_memory
from idbits.studies.events.question import Period
from idbits.values.attributes import parse_attribute
from rows import add_json_option, at_least, at_most, record

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
MONTH = "2005-01"
FULL_SIZE = 12_300_000
SELF_JOIN = """
    SELECT d, k, count(*) FROM (
        SELECT a.day AS d, count(*) AS k FROM events a JOIN events b ON a.person = b.person AND a.point < b.point
        WHERE a.day BETWEEN {first} AND {last} GROUP BY a.day, a.point, b.point
    ) GROUP BY d, k ORDER BY d, k
"""


def timed(work: Callable[[], object]) -> tuple[object, float, float]:
    """Return the result of the work, its wall seconds and its CPU seconds."""
    wall, cpu = time.perf_counter(), _cpu()
    result = work()
    return result, time.perf_counter() - wall, _cpu() - cpu


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def load(path: Path, memory: int | None, threads: int) -> Trajectories:
    options = OpenOptions(memory=memory, threads=threads)
    table = open_table(path, options)
    person, day, place = (parse_attribute(name, table.columns) for name in ("patient", "date", "place"))
    table.load(["patient", "date", "place"])
    request = EventRequest(
        person=person, time=day, step="day", attributes=(place,), max_events=1000, is_repeatable=False, is_drawn=False
    )
    trajectories = table.event_points(request, options).trajectories
    table.close()
    assert trajectories is not None
    return trajectories


def self_join(events: Trajectories, period: Period, threads: int) -> Callable[[], dict[int, list[tuple[int, int]]]]:
    """Return the same count in SQL, on events already loaded into DuckDB."""
    import pyarrow

    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    person = np.repeat(np.arange(events.n_people, dtype=np.uint32), events.lengths())
    days = events.days[events.points].astype(np.int32)
    connection.register("frame", pyarrow.table({"person": person, "point": events.points, "day": days}))
    connection.execute("CREATE TABLE events AS FROM frame")
    connection.unregister("frame")

    def run() -> dict[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = {}
        for day, k, sets in connection.execute(SELF_JOIN.format(first=period.first, last=period.last)).fetchall():
            found.setdefault(day, []).append((k, sets))
        return found

    return run


def all_months(path: Path, memory: str, threads: int) -> None:
    """Run the command on all months, in a separate process."""
    code = (
        "import resource, subprocess, sys, time; start = time.perf_counter();"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True, check=True);"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss);"
        "sys.stdout.write(done.stdout)"
    )
    words = [sys.executable, "-m", "idbits.cli.main", "events", str(path), "--person", "patient", "--time", "date"]
    words += ["--attributes", "place", "--json", "--memory", memory, "--threads", str(threads)]
    done = subprocess.run([sys.executable, "-c", code, *words], stdout=subprocess.PIPE, text=True, check=True)
    first, _, rest = done.stdout.partition("\n")
    wall, cpu, kilobytes = map(float, first.split())
    answer = json.loads(rest)
    pairs = answer["period"]["n_pairs"]
    print(
        f"All {len(answer['months'])} months from Parquet: {answer['n_records']:,} records, {pairs:,} pairs in "
        f"{wall:.0f} s ({cpu:.0f} s CPU), {pairs / wall / 1e6:.0f} million pairs per second, "
        f"peak memory {kilobytes / 1024:,.0f} MB (limit {memory})"
    )
    record(
        f"events.all_months{size_of(path)}", f"`idbits events`, all {len(answer['months'])} months, "
        f"{answer['n_records']:,} records, Parquet", wall, memory_mb=kilobytes / 1024,
        facts={"cpu_s": cpu, "pairs": pairs, "records": answer["n_records"]},
    )  # fmt: skip


def size_of(path: Path) -> str:
    """Return the ending of row keys: the full size has its own rows."""
    return "_full" if path.stem == f"visits-{FULL_SIZE}" else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1_230_000)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--memory", default="16GB")
    parser.add_argument("--no-duckdb", action="store_true")
    parser.add_argument("--all-months", action="store_true")
    add_json_option(parser)
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"visits-{options.people}.parquet"
    if not path.exists():
        # In a process of its own, whose memory is not counted.
        draft = path.with_suffix(".draft")
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            pool.submit(write_visits, draft, options.people).result()
        draft.replace(path)
    period = Period.parse(MONTH)
    loaded, wall, cpu = timed(lambda: load(path, read_memory(options.memory), options.threads))
    assert isinstance(loaded, Trajectories)
    print(f"{options.people:,} people, {options.threads} threads; DuckDB {duckdb.__version__}")
    print(
        f"Loading {len(loaded.points):,} distinct events: {wall:.1f} s ({cpu:.1f} s CPU), {megabytes():,} MB "
        "(limits at a tenth of full size: 9 s, 765 MB)"
    )
    end, people = size_of(path), f"{options.people:,} people"
    task = f"`events`, loading {len(loaded.points):,} events of {people}"
    goals = [at_most(9), at_most(765, "memory_mb")] if not end else []
    record(f"events.loading{end}", task, wall, memory_mb=megabytes(), goals=goals, facts={"cpu_s": cpu})
    spectra, ours, our_cpu = timed(lambda: counted_day_spectra(loaded, period.first, period.last, options.threads))
    assert isinstance(spectra, dict)
    pairs = sum(spectrum.n_people for spectrum in spectra.values())
    print(
        f"{MONTH}: {pairs:,} pairs in {ours:.2f} s ({our_cpu:.2f} s CPU), peak memory {megabytes():,} MB "
        "(limits at full size: 15 s, 4,000 MB)"
    )
    task = f"`events`, {pairs:,} pairs that begin in {MONTH}, {people}"
    goals = [at_most(15), at_most(4000, "memory_mb")] if end else []
    facts = {"cpu_s": our_cpu, "pairs": pairs}
    record(f"events.pairs{end}", task, ours, memory_mb=megabytes(), goals=goals, facts=facts)
    if not options.no_duckdb:
        joined, theirs, their_cpu = timed(self_join(loaded, period, options.threads))
        same = joined == {day: spectrum.pairs() for day, spectrum in spectra.items()}
        print(
            f"DuckDB's self-join: {theirs:.2f} s ({their_cpu:.2f} s CPU); ratio {theirs / ours:.1f}, "
            f"CPU ratio {their_cpu / our_cpu:.1f} (limits: 10 at full size, 8 at a tenth of it); same answer: {same}"
        )
        facts = {"cpu_s": our_cpu, "peer_cpu_s": their_cpu, "pairs": pairs}
        goals = [at_least(10 if end else 8)]
        peer = "DuckDB's self-join of loaded events"
        record(f"events.duckdb{end}", task, ours, peer=peer, theirs=theirs, goals=goals, facts=facts)
    if options.all_months:
        all_months(path, options.memory, options.threads)


if __name__ == "__main__":
    main()
