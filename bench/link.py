"""How fast is `idbits link`? Ratios to `idbits measure --population` on the same files, in one run.

    python bench/link.py [--rows 10000000] [--near-rows 1000000]

Times are CPU seconds, user and system together, of one separate process each. The release and the second table have the
same invented people in different orders; 1 in 50 of the second table's birth dates is wrong by a few days.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

from rows import add_json_option, at_most, record

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
GOAL_EXACT = 1.5
GOAL_NEAR_SECONDS = 60


def tables(rows: int) -> tuple[Path, Path]:
    """Write two tables of the same people by birth date, postcode and sex."""
    paths = (FOLDER / f"link-release-{rows}.parquet", FOLDER / f"link-second-{rows}.parquet")
    if not all(path.exists() for path in paths):
        FOLDER.mkdir(parents=True, exist_ok=True)
        draw = np.random.default_rng(0)
        born = (draw.beta(2, 2, rows) * 36_500).astype(np.int32)
        code = (draw.random(rows) ** 2 * 3_000).astype(np.int32)
        sex = draw.integers(0, 2, rows).astype(np.int8)
        order = draw.permutation(rows)
        moved = born + np.where(draw.random(rows) < 0.02, draw.integers(-3, 4, rows), 0).astype(np.int32)
        for path, rows_of, days in ((paths[0], slice(None), born), (paths[1], order, moved)):
            columns = {
                "id": np.arange(rows)[rows_of],
                "birthdate": pyarrow.array(days[rows_of] - 18_000, pyarrow.date32()),
                "exact": pyarrow.array(born[rows_of] - 18_000, pyarrow.date32()),
                "zip": code[rows_of],
                "sex": sex[rows_of],
            }
            pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return paths


def seconds(*words: str) -> tuple[float, float]:
    """Run idbits; return CPU and wall seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "idbits", *words, "--quiet", "--json"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - start


def main() -> None:
    """Print the times and the ratios, with the goals."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--near-rows", type=int, default=1_000_000)
    add_json_option(parser)
    asked = parser.parse_args()
    release, second = map(str, tables(asked.rows))
    columns = "exact,zip,sex"
    looked_up, _ = seconds("measure", release, "--qid", columns, "--population", second)
    linked, _ = seconds("link", release, second, "--on", columns)
    print(f"equal values, {asked.rows:,} x {asked.rows:,}, 3 columns, with every subset of them")
    print(f"  measure --population {looked_up:8.1f} s CPU")
    print(f"  link                 {linked:8.1f} s CPU, {linked / looked_up:.2f} times (goal: at most {GOAL_EXACT})")
    record(
        "link.equal", f"`idbits link`, {asked.rows:,} x {asked.rows:,} rows, 3 equal columns", linked, "s CPU",
        peer="`idbits measure --population`", theirs=looked_up, goals=[at_most(GOAL_EXACT, "ratio")],
    )  # fmt: skip
    release, second = map(str, tables(asked.near_rows))
    cpu, wall = seconds("link", release, second, "--on", "birthdate~3d,zip,sex", "--truth", "id")
    print(f"dates within 3 days, {asked.near_rows:,} x {asked.near_rows:,}, postcode and sex equal, with truth")
    print(f"  link                 {cpu:8.1f} s CPU, {wall:.1f} s (goal: at most {GOAL_NEAR_SECONDS} s)")
    task = f"`idbits link`, {asked.near_rows:,} x {asked.near_rows:,} rows, dates within 3 days, with truth"
    record("link.near", task, wall, goals=[at_most(GOAL_NEAR_SECONDS)], facts={"cpu_s": cpu})


if __name__ == "__main__":
    main()
