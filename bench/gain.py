"""How fast is `idbits gain`? Ratios to piflib and to plain sorts, in one run.

    python bench/gain.py [--rows 10000000] [--no-piflib] [--no-subsets]

Times are the best of three unless stated otherwise. Memory is the peak of a separate process. Sorts and idbits run with
the same NumPy settings.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow
import pyarrow.parquet

import idbits
from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.values.attributes import parse_attributes
from peer import run_peer
from rows import add_json_option, at_least, at_most, record, row_without_peer
from timing import best_of

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
# Ages, postcodes, sexes, jobs, blood groups, months: values of uneven frequency.
SIZES = {"age": 100, "postcode": 1000, "sex": 2, "job": 50, "blood": 8, "month": 20}


def table(rows: int, sizes: dict[str, int], seed: int = 0) -> Path:
    """Write a table of independent columns in which low values are frequent."""
    path = FOLDER / f"gain-{rows}x{len(sizes)}.parquet"
    if not path.exists():
        draw = np.random.default_rng(seed)
        columns = {name: (draw.random(rows) ** 2 * size).astype(np.int32) for name, size in sizes.items()}
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


PIFLIB = """
import json, sys, time, pandas
from piflib.pif_calculator import compute_cigs, compute_pif
frame = pandas.read_parquet(sys.argv[1])
start = time.perf_counter()
cigs = compute_cigs(frame)
seconds = time.perf_counter() - start
print(json.dumps([seconds, float(compute_pif(cigs, 95)), float(cigs.values.sum())]))
"""


def piflib(path: Path) -> tuple[float, float, float]:
    """Run piflib once in a separate environment: it needs an old setuptools."""
    return cast("tuple[float, float, float]", run_peer("piflib", PIFLIB, str(path)))


def against_piflib(rows: int) -> None:
    import pandas

    path = table(rows, SIZES)
    frame = pandas.read_parquet(path)
    ours, answer = best_of(3, lambda: idbits.gain(frame))
    theirs, high, total = piflib(path)
    same = abs(answer.rig["p95"] - high) < 1e-9
    same &= abs(sum(feature.fig_bits for feature in answer.features) / total - 1) < 1e-9
    print(
        f"{rows:,} rows x 6 columns from a pandas frame: idbits {ours:.2f} s, piflib's CIG {theirs:.1f} s, "
        f"{theirs / ours:.0f} times as fast (limit 50); same figures: {same}"
    )
    record(
        "gain.piflib", f"`gain`, {rows:,} rows x 6 columns, pandas frame", ours,
        peer="piflib's cell gains", theirs=theirs, goals=[at_least(50)], uses=["piflib"],
    )  # fmt: skip


def reading(path: Path) -> None:
    """Open a table and return its rows as codes, which is all that the engine does for gain."""
    opened = open_table(path, OpenOptions())
    opened.load(opened.columns)
    attributes = parse_attributes(list(opened.columns), opened.columns)
    opened.coded_rows(attributes)
    opened.close()


def six_sorts(rows: int) -> float:
    draw = np.random.default_rng(0)
    arrays = [draw.integers(0, 2**63, rows, dtype=np.uint64) for _ in range(6)]
    start = time.perf_counter()
    for array in arrays:
        array.sort()
    return time.perf_counter() - start


COMMAND = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, done.returncode]))
"""


def command(*words: str) -> tuple[float, int]:
    """Run the command; return its seconds and its peak memory in MB."""
    idbits_command = [sys.executable, "-m", "idbits.cli.main", *words]
    done = subprocess.run([sys.executable, "-c", COMMAND, *idbits_command], capture_output=True, text=True, check=True)
    seconds, megabytes, code = json.loads(done.stdout)
    if code:
        raise SystemExit(f"idbits failed with exit code {code}")
    return seconds, megabytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--no-piflib", action="store_true")
    parser.add_argument("--no-subsets", action="store_true")
    add_json_option(parser)
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = options.rows
    print(f"NumPy {np.__version__}\n")
    if not options.no_piflib:
        with row_without_peer("gain.piflib", f"`gain`, {rows // 10:,} rows x 6 columns", "piflib's CIG", "piflib"):
            against_piflib(rows // 10)
    path = table(rows, SIZES)
    sorts = min(six_sorts(rows) for _ in range(3))
    read, _ = best_of(3, lambda: reading(path))
    ours, _ = best_of(3, lambda: idbits.gain(path))
    print(
        f"{rows:,} x 6: idbits {ours:.2f} s, of which reading {read:.2f} s; six sorts of {rows:,} take {sorts:.2f} s; "
        f"(idbits - reading) / sorts = {(ours - read) / sorts:.1f} (limit 3)"
    )
    record(
        "gain.sorts", f"`gain`, {rows:,} rows x 6 columns, without reading", ours - read,
        peer=f"six sorts of {rows:,} keys", theirs=sorts, goals=[at_most(3, "ratio")], facts={"with_reading_s": ours},
    )  # fmt: skip
    seconds, megabytes = command("gain", str(path), "--json", "--quiet")
    print(f"{rows:,} x 6 as a command: {seconds:.2f} s, peak memory {megabytes:,} MB (limits 4 s, 3,000 MB)")
    task = f"`idbits gain`, {rows:,} rows x 6 columns"
    record("gain.command", task, seconds, memory_mb=megabytes, goals=[at_most(4), at_most(3000, "memory_mb")])
    cells = FOLDER / "cells.parquet"
    seconds, megabytes = command("gain", str(path), "--json", "--quiet", "--cells", str(cells))
    print(
        f"  with --cells: {seconds:.2f} s (limit 10), peak memory {megabytes:,} MB, "
        f"file {cells.stat().st_size // 10**6:,} MB"
    )
    record("gain.cells", f"{task}, `--cells`", seconds, memory_mb=megabytes, goals=[at_most(10)])
    cells.unlink()
    half, _ = best_of(3, lambda: idbits.gain(table(rows // 2, SIZES)))
    print(f"twice the rows take {ours / half:.2f} times as long (limit 2.1)")
    task = f"`gain`, {rows:,} rows compared with half of them"
    record("gain.double", task, ours, peer="half the rows", theirs=half, goals=[at_most(2.1, "ratio")])
    wide = {f"c{place}": 40 + place for place in range(40)}
    narrow = {name: wide[name] for name in list(wide)[:20]}
    slow, _ = best_of(2, lambda: idbits.gain(table(rows // 20, wide)))
    quick, _ = best_of(2, lambda: idbits.gain(table(rows // 20, narrow)))
    print(
        f"40 columns (more than 64 bits) compared with 20, {rows // 20:,} rows: {slow:.2f} s, {quick:.2f} s, "
        f"{slow / quick:.2f} times as long"
    )
    record("gain.wide", f"`gain`, {rows // 20:,} rows x 40 columns", slow, peer="20 columns", theirs=quick)
    if not options.no_subsets:
        path = table(rows // 10, narrow)
        seconds, megabytes = command("gain", str(path), "--json", "--quiet", "--attacker", "knows:2")
        print(f"knows:2 on {rows // 10:,} rows x 20 columns: {seconds:.0f} s, peak memory {megabytes:,} MB")
        task = f"`idbits gain --attacker knows:2`, {rows // 10:,} rows x 20 columns"
        record("gain.knows2", task, seconds, memory_mb=megabytes)


if __name__ == "__main__":
    main()
