"""How long do whole commands take on Spark? From typing to answer, with the start of Spark, on tables that are small.

    python bench/spark_commands.py [--rows 100000] [--record-rows 300000]

Each command runs once in a separate process. Core-seconds are processor time of the command with its JVM, which a busy
machine changes less than elapsed time. For comparison: a Spark session that counts ten numbers, and `measure` with both
compilers of the JVM.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

from rows import add_json_option, at_most, record

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
SIZES = {"birthdate": 37_000, "zip": 100, "sex": 2, "children": 5, "job": 40, "month": 12}
GOALS = {"measure": 9, "columns": 12, "gain": 15}
BARE = "from pyspark.sql import SparkSession as S; assert S.builder.getOrCreate().range(10).count() == 10"
# The JVM outlives the command; as its reaper, this process waits for it and counts its processor time.
RUN = """
import ctypes, json, os, resource, subprocess, sys, time
ctypes.CDLL(None).prctl(36, 1)
begin = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - begin
try:
    while True:
        os.wait()
except ChildProcessError:
    pass
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([seconds, used.ru_utime + used.ru_stime, done.returncode]))
"""


def table(rows: int, columns: int) -> Path:
    path = FOLDER / f"spark-small-{rows}x{columns}.parquet"
    if not path.exists():
        draw = np.random.default_rng(0)
        names = list(SIZES)[:columns]
        pyarrow.parquet.write_table(pyarrow.table({name: draw.integers(0, SIZES[name], rows) for name in names}), path)
    return path


def run(*words: str, **environment: str) -> tuple[float, float]:
    """Run Python with these words; return elapsed seconds and core-seconds."""
    command = [sys.executable, "-c", RUN, sys.executable, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | environment)
    seconds, cores, code = json.loads(done.stdout.splitlines()[-1])
    if code:
        raise SystemExit(f"{' '.join(words)} failed: {done.stderr[-500:]}")
    return seconds, cores


def noted(key: str, task: str, times: tuple[float, float], goal: float | None = None, **figures: float) -> None:
    seconds, cores = times
    print(f"{task}: {seconds:.1f} s, {cores:.1f} core-seconds" + (f" (limit {goal:g} s)" if goal else ""), flush=True)
    goals = [] if goal is None else [at_most(goal)]
    record(f"spark_commands.{key}", task, seconds, goals=goals, facts={"cores": cores, **figures})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--record-rows", type=int, default=300_000)
    add_json_option(parser)
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    path, names = table(options.rows, 4), ",".join(list(SIZES)[:4])
    noted("session", "a Spark session that counts ten numbers", run("-c", BARE))
    asked = {"measure": "--qid", "columns": "--candidates", "gain": "--columns"}
    task = f"{options.rows:,} rows x 4 columns, whole command on Spark"
    for command, option in asked.items():
        words = ("-m", "idbits", command, str(path), option, names, "--engine", "spark", "--json", "--quiet")
        noted(command, f"`idbits {command}`, {task}", run(*words), GOALS[command])
        if command == "measure":
            times = run(*words, SPARK_SUBMIT_OPTS="-XX:TieredStopAtLevel=4")
            noted("both_compilers", f"`idbits measure`, {task}, both compilers of the JVM", times)
    wide, records = table(options.record_rows, 6), FOLDER / "spark-records.parquet"
    words = ("-m", "idbits", "columns", str(wide), "--records", str(records), "--engine", "spark", "--json", "--quiet")
    task = f"`idbits columns --records`, {options.record_rows:,} rows x 6 columns, whole command on Spark"
    noted("records", task, run(*words), 40)
    records.unlink()


if __name__ == "__main__":
    main()
