"""How long does the estimate of a population take? Each part against its goal, in one run.

    python bench/population.py [--rows 10000000]

Times are CPU seconds of one run, which a busy machine changes less than wall time. The whole command and ``idbits
measure`` on the same file run in separate processes, because peak memory is that of a process; the limit below both is
the counting query alone. No peer is timed: sdcMicro and ARX are not Python packages, CorrectMatch needs Julia.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np
import pyarrow
import pyarrow.parquet

from idbits.counts import Spectrum
from idbits.measures.population import network, parent_scores
from idbits.measures.population.estimate import estimate_population
from idbits.measures.population.match_regression import fit_match_regression
from idbits.measures.population.sample import Sample
from idbits.measures.population.sets import SampleSets
from rows import add_json_option, at_most, record

Answer = TypeVar("Answer")

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
QID = ["born", "zip", "sex", "job"]
COLUMNS = (10, 20, 30)
# The functions that count groups by their values, and which of their arguments has a number per group.
COUNTING = (
    (network, "people_by_combination", 2),
    (network, "people_by_code", 0),
    (parent_scores, "_counted_pairs", 1),
)


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(work: Callable[[], Answer]) -> tuple[float, Answer]:
    start = cpu()
    answer = work()
    return cpu() - start, answer


def people(n: int, columns: int, seed: int = 1) -> list[np.ndarray]:
    """Make up columns that depend on each other: each is a noisy, coarser copy of a hidden one or of an earlier one."""
    draw = np.random.default_rng(seed)
    made = [np.minimum(draw.geometric(0.02, n), 400).astype(np.uint32)]
    for index in range(1, columns):
        base = made[draw.integers(len(made))] // (1 + index % 4)
        noise = np.minimum(draw.geometric(0.3 + 0.4 * (index % 3) / 3, n) - 1, 8)
        made.append(((base + noise) % (4 + 17 * (index % 5))).astype(np.uint32))
    return made


def sets_of(columns: list[np.ndarray], most: int) -> SampleSets:
    """Return the distinct rows, the first ``most`` of a random order."""
    sizes = [int(column.max()) + 1 for column in columns]
    draw = np.random.default_rng(0)
    # Sums of products with random odd numbers differ for different rows, but for one pair in 2^63.
    keys = sum(
        (column.astype(np.uint64) * draw.integers(1, 2**63, dtype=np.uint64) for column in columns), np.uint64(0)
    )
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    order = draw.permutation(len(first))[:most]
    codes = tuple(column[first[order]] for column in columns)
    return SampleSets(codes, tuple(sizes), counts[order].astype(np.int64))


def group_sizes_alone(n: int) -> None:
    """Time everything that needs only group sizes: local gamma, Pitman, bounds, self-validation, refits."""
    draw = np.random.default_rng(2)
    # About n people in groups of which most are small.
    sizes, sets = np.unique(np.minimum(draw.zipf(2.0, n // 7), 100_000), return_counts=True)
    spectrum = Spectrum.of(dict(zip(sizes.tolist(), sets.tolist(), strict=True)))
    used, answer = timed(lambda: estimate_population(Sample(spectrum=spectrum, fraction=0.1)))
    print(
        f"group sizes alone, n = {spectrum.n_people:,}, {len(sizes):,} sizes: {used:.2f} s of CPU (goal 1); "
        f"{answer.estimability}"
    )
    task = f"`population`, group sizes alone, {spectrum.n_people:,} people"
    record("population.sizes", task, used, "s CPU", goals=[at_most(1)])


def match_regression(n_sets: int) -> None:
    """Time the fit, and the whole estimate with self-validation and 20 refits."""
    sets = sets_of(people(2 * n_sets, 8), n_sets)
    fit, _ = timed(lambda: fit_match_regression(sets, 0.1))
    sample = Sample(spectrum=sets.spectrum, fraction=0.1, sets=sets)
    whole, answer = timed(lambda: estimate_population(sample))
    replicates = 0 if answer.validation is None else len(answer.validation.replicates)
    print(
        f"match regression, {sets.n_sets:,} groups x 8 columns: fit {fit:.2f} s of CPU (goal 5), with self-validation "
        f"({replicates} replicates) and 20 refits {whole:.2f} s (goal 20); {answer.estimability}"
    )
    task = f"`population`, match regression, {sets.n_sets:,} groups x 8 columns"
    record("population.fit", f"{task}, fit", fit, "s CPU", goals=[at_most(5)])
    record("population.refits", f"{task}, with self-validation and 20 refits", whole, "s CPU", goals=[at_most(20)])


def fit_and_count_passes(sets: SampleSets) -> tuple[float, Counter[int]]:
    """Time the fit, and count its passes by the groups that they run over."""
    passes: Counter[int] = Counter()

    def counted(count: Callable[..., Answer], position: int) -> Callable[..., Answer]:
        def count_and_note(*arguments: Any) -> Answer:
            passes[len(arguments[position])] += 1
            return count(*arguments)

        return count_and_note

    with ExitStack() as patched:
        for module, name, position in COUNTING:
            count = counted(getattr(module, name), position)
            patched.enter_context(patch.object(module, name, count))
        return timed(lambda: fit_match_regression(sets, 0.1))[0], passes


def many_columns(n: int) -> None:
    """Time the fit by the number of columns, and count passes over all groups and over the drawn ones."""
    every = people(n, max(COLUMNS))
    for number in COLUMNS:
        sets = sets_of(every[:number], n)
        fit, passes = fit_and_count_passes(sets)
        drawn = passes.total() - passes[sets.n_sets]
        sample = Sample(spectrum=sets.spectrum, fraction=0.1, sets=sets)
        whole, _ = timed(partial(estimate_population, sample))
        print(
            f"{number} columns, {sets.n_sets:,} groups: fit {fit:.2f} s of CPU, {passes[sets.n_sets]} passes over all "
            f"groups (limit {5 * number}), {drawn:,} over at most 20,000; the whole estimate {whole:.2f} s"
        )
        record(
            f"population.columns_{number}", f"`population`, fit, {number} columns, {sets.n_sets:,} groups", fit,
            "s CPU", goals=[at_most(5 * number, "passes")], facts={"passes": passes[sets.n_sets], "whole_s": whole},
        )  # fmt: skip


def write_people(path: Path, rows: int) -> None:
    """Write people of whom most are unique: groups are then as many as they can be."""
    columns = people(rows, 4)
    zips = np.minimum(np.random.default_rng(3).geometric(0.0005, rows), 20_000)
    names = pyarrow.array([f"{number:05}" for number in range(20_001)])
    table = pyarrow.table(
        {"born": columns[0], "zip": names.take(pyarrow.array(zips)), "sex": columns[2] % 2, "job": columns[3]}
    )
    pyarrow.parquet.write_table(table, path)


COMMANDS = {
    "the counting query alone": """
columns = ", ".join(qid)
duckdb.sql(f"select c, count(*) from (select count(*) c from '{path}' group by {columns}) group by c").fetchall()
""",
    "idbits measure": "idbits.measure(path, qid)",
    "idbits population": "idbits.population(path, qid, people=10 * rows)",
    "idbits population --records": 'idbits.population(path, qid, people=10 * rows, records=path + ".risk.parquet")',
}
RUN = """
import json, resource, sys, time
import duckdb, idbits
path, qid, rows = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3])
start = time.perf_counter()
{command}
wall = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_SELF)
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if "VmHWM" in line)
print(json.dumps([wall, used.ru_utime + used.ru_stime, peak // 1024]))
"""


def whole_commands(path: Path, rows: int) -> None:
    """Run each command in a process of its own."""
    peaks: dict[str, int] = {}
    for name, command in COMMANDS.items():
        words = [sys.executable, "-c", RUN.replace("{command}", command), str(path), ",".join(QID), str(rows)]
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        if run.returncode:
            print(f"{name}: {run.stderr.strip().splitlines()[-1]}")
            continue
        wall, used, peak = json.loads(run.stdout.splitlines()[-1])
        peaks[name] = peak
        goal = " (goal 60 s, memory of measure)" if name == "idbits population" else ""
        print(f"{rows:,} rows from Parquet, {name}: {wall:.1f} s, {used:.1f} s of CPU, peak {peak:,} MB{goal}")
        goals = [at_most(60), at_most(peaks["idbits measure"], "memory_mb")] if goal else []
        key = "population.whole_" + name.removeprefix("idbits ").replace(" --", "_").replace(" ", "_")
        record(key, f"{name}, {rows:,} rows, Parquet", wall, memory_mb=peak, goals=goals, facts={"cpu_s": used})
    path.with_name(path.name + ".risk.parquet").unlink(missing_ok=True)
    if "idbits measure" in peaks:
        for name in peaks:
            print(f"peak memory of {name}: {peaks[name] / peaks['idbits measure']:.2f} times that of idbits measure")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    add_json_option(parser)
    rows = parser.parse_args().rows
    FOLDER.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    group_sizes_alone(rows)
    match_regression(rows // 10)
    many_columns(rows // 50)
    path = FOLDER / f"sample-{rows}.parquet"
    if not path.exists():
        write_people(path, rows)
    whole_commands(path, rows)
    print(f"all of it took {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
