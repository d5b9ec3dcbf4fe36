"""How fast is `idbits columns`? All subsets compared with DuckDB queries, a wide search, minimal sample uniques.

    python bench/columns.py [--large] [--queries N] [--wide-rows 1000000]

`--large` adds a table of 10 million rows. There, only `--queries` of the 255 queries (20 by default, evenly spread) are
timed and scaled up, which the output states; 0 times all of them. Both sides run in one process, one after the other.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow
import pyarrow.parquet

import idbits
from rows import add_json_option, at_least, at_most, record

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
QUERY = "SELECT k, count(*) FROM (SELECT count(*) AS k FROM t GROUP BY {}) GROUP BY k ORDER BY k"


def people(path: Path, n: int) -> Path:
    """Write people with eight columns, from a birth date to the number of children."""
    if path.exists():
        return path
    draw = np.random.default_rng(0)
    zips = np.array([f"{code:04}" for code in draw.permutation(9_000)[:3_000]])
    table = {
        "birthdate": np.datetime64("1920-01-01") + draw.integers(0, 36_500, n).astype("timedelta64[D]"),
        "zip": zips[(draw.beta(1, 3, n) * 3_000).astype(int)],
        "gender": np.array(["F", "M"])[draw.integers(0, 2, n)],
        "education": draw.integers(0, 8, n),
        "marital": draw.integers(0, 5, n),
        "job": np.array([f"job{i}" for i in range(400)])[(draw.beta(1, 4, n) * 400).astype(int)],
        "children": draw.poisson(1.5, n),
        "country": np.array([f"c{i}" for i in range(100)])[(draw.beta(1, 20, n) * 100).astype(int)],
    }
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    return path


def survey(path: Path, n: int, n_columns: int) -> Path:
    """Write answers to many questions that depend on each other through a hidden group."""
    if path.exists():
        return path
    draw = np.random.default_rng(1)
    group = draw.integers(0, 50, n)
    sizes = [3_000, 400, 100, 90, 60, *draw.choice([2, 3, 4, 5, 6, 8, 10, 12, 20], n_columns - 5).tolist()]
    columns = {}
    for place, size in enumerate(sizes):
        own = (draw.beta(1, 2.5, n) * size).astype(np.int32)
        columns[f"q{place:02}"] = np.where(draw.random(n) < 0.3, (group * 7 + place) % size, own).astype(np.int32)
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


def command(*words: str) -> tuple[float, int, dict[str, Any]]:
    """Run the command; return its seconds, its peak memory in MB and its JSON."""
    executable = str(Path(sys.executable).parent / "idbits")
    start = time.perf_counter()
    done = subprocess.run([executable, *words, "--json"], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, json.loads(done.stdout)


def queries(path: Path, names: list[str], only: int) -> tuple[float, int, dict[tuple[str, ...], int]]:
    """Count subsets with one query each; return the seconds for all 255, the number timed, and the singletons."""
    every = [c for size in range(1, 9) for c in itertools.combinations(names, size)]
    chosen = every if not only else every[:: max(1, len(every) // only)]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM read_parquet('{path}')")
        start = time.perf_counter()
        alone = {}
        for columns in chosen:
            rows = connection.execute(QUERY.format(", ".join(columns))).fetchall()
            alone[columns] = next((sets for k, sets in rows if k == 1), 0)
        seconds = time.perf_counter() - start
    return seconds * len(every) / len(chosen), len(chosen), alone


def all_subsets(n: int, limit: float, only: int) -> None:
    path = people(FOLDER / f"people-{n}.parquet", n)
    names = pyarrow.parquet.read_schema(path).names
    # Modules are loaded before timing starts, on both sides.
    idbits.columns(pyarrow.table({"a": ["x", "y"]}), candidates=["a"])
    start = time.perf_counter()
    answer = idbits.columns(path, candidates=names)
    ours = time.perf_counter() - start
    theirs, timed, alone = queries(path, names, only)
    found = {subset.columns: subset.figures.singletons for subset in answer.subsets}
    if any(found[columns] != number for columns, number in alone.items()):
        raise SystemExit("idbits and DuckDB count different singletons")
    scaled = "" if timed == 255 else f" (scaled up from {timed} of them)"
    print(f"255 subsets of {n:,} rows: idbits {ours:.1f} s (limit {limit:.0f})")
    print(f"  255 DuckDB queries on a loaded table: {theirs:.1f} s{scaled}, ratio {theirs / ours:.1f} (limit 10)")
    seconds, megabytes, _ = command("columns", str(path), "--candidates", ",".join(names), "--quiet")
    print(f"  as a command: {seconds:.1f} s, peak memory {megabytes:,} MB (limit 3,000)")
    key, task = f"columns.subsets_{n // 10**6}m", f"`columns`, all 255 combinations of 8 columns, {n:,} rows"
    record(
        key, task, ours, peer=f"255 DuckDB queries on a loaded table{scaled}", theirs=theirs,
        goals=[at_most(limit), at_least(10)], facts={"queries_timed": timed},
    )  # fmt: skip
    goals = [at_most(3000, "memory_mb")]
    record(f"{key}_command", f"{task}, whole command", seconds, memory_mb=megabytes, goals=goals)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--wide-rows", type=int, default=1_000_000)
    add_json_option(parser)
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"DuckDB {duckdb.__version__}, NumPy {np.__version__}\n")
    all_subsets(1_000_000, 5, 0)
    if options.large:
        all_subsets(10_000_000, 60, options.queries)
    million = people(FOLDER / "people-1000000.parquet", 1_000_000)
    six = "birthdate,zip,gender,education,marital,job"
    records = FOLDER / "records.parquet"
    seconds, _, answer = command("columns", str(million), "--candidates", six, "--records", str(records), "--quiet")
    print(f"minimal sample uniques, 1,000,000 x 6, up to 4 columns, with reasons and file: {seconds:.1f} s (limit 10)")
    task = "`idbits columns --records`, 1,000,000 rows x 6 columns, up to 4 columns"
    record("columns.records", task, seconds, goals=[at_most(10)])
    wide = survey(FOLDER / f"survey-{options.wide_rows}-30.parquet", options.wide_rows, 30)
    seconds, megabytes, answer = command("columns", str(wide), "--quiet")
    sets = [len(entry["sets"]) for entry in answer["minimal"]]
    n_examined = len(answer["candidates"])
    n_sets = sum(math.comb(n_examined, size) for size in range(1, 6))
    print(
        f"30 columns ({n_examined} examined) x {options.wide_rows:,} rows, up to 5 columns: {seconds:.0f} s "
        f"(limit 90), {megabytes:,} MB, "
        f"{answer['n_counted']:,} of {n_sets:,} combinations counted, {sets[0]:,} minimal ones at 80%, "
        f"complete: {answer['complete']}"
    )
    record(
        "columns.wide", f"`idbits columns`, search among 30 columns x {options.wide_rows:,} rows", seconds,
        memory_mb=megabytes, goals=[at_most(90)], facts={"counted": answer["n_counted"], "combinations": 174_436},
    )  # fmt: skip


if __name__ == "__main__":
    main()
