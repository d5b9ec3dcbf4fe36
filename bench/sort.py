"""How fast does this machine sort 10 million keys? NumPy's sorts, sorting by buckets, and DuckDB's, in one run.

    python bench/sort.py [--keys 10000000]

Times are CPU seconds of one sort, the best of three. Each setting of NumPy has its own process, because NumPy reads
it when it is imported. The command chooses NumPy's setting by the processor; the library chooses between NumPy's sort
and buckets (``kernels/sorting.py``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module

import numpy as np

from idbits.kernels.sorting import bucket_sort
from idbits.processor import avoid_slow_sort, numpy_sorts_slowly
from rows import add_json_option, at_most, record
from timing import best_of

SETTING = "NPY_DISABLE_CPU_FEATURES"
Sort = Callable[[np.ndarray], object]


def by_duckdb(keys: np.ndarray) -> object:
    import duckdb
    import pyarrow

    table = pyarrow.table({"key": keys})
    with duckdb.connect() as connection:
        connection.register("keys", table)
        return connection.execute("SELECT key FROM keys ORDER BY key").fetchnumpy()["key"]


SORTS: dict[str, Sort] = {
    "NumPy's sort": lambda keys: keys.sort(),
    "buckets": bucket_sort,
    "NumPy's stable sort": lambda keys: keys.sort(kind="stable"),
    "DuckDB": by_duckdb,
}


def measure(n_keys: int, names: list[str]) -> dict[str, float]:
    """Return the CPU seconds of some sorts in this process."""
    keys = np.random.default_rng(0).integers(0, 2**63, n_keys, dtype=np.uint64)
    seconds = {}
    for name in names:
        copies = iter([keys.copy() for _ in range(4)])
        SORTS[name](next(copies)[:1000])
        seconds[name], _ = best_of(3, lambda: SORTS[name](next(copies)), time.process_time)  # noqa: B023 (called at once)
    return seconds


def with_setting(features: str | None, n_keys: int, names: list[str]) -> dict[str, float]:
    """Return the seconds in a process whose NumPy leaves some instructions out."""
    environment = {name: value for name, value in os.environ.items() if name != SETTING}
    if features is not None:
        environment[SETTING] = features
    words = [sys.executable, __file__, "--keys", str(n_keys), "--sorts", json.dumps(names)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=10_000_000)
    parser.add_argument("--sorts", help=argparse.SUPPRESS)
    add_json_option(parser)
    options = parser.parse_args()
    if options.sorts is not None:
        print(json.dumps(measure(options.keys, json.loads(options.sorts))))
        return
    everything = with_setting(None, options.keys, list(SORTS))
    print(f"{options.keys:,} keys of 64 bits; NumPy {np.__version__}, all its instructions; CPU seconds")
    for name, seconds in everything.items():
        print(f"  {name}: {seconds:.3f} s")
    other = None
    if import_module("numpy._core._multiarray_umath").__cpu_features__.get("X86_V4"):
        other = with_setting("X86_V4 AVX512_ICL", options.keys, ["NumPy's sort"])["NumPy's sort"]
        print(f"  NumPy's sort without AVX-512: {other:.3f} s")
    chosen: dict[str, str] = {}
    del sys.modules["numpy"]
    avoid_slow_sort(chosen)
    print(f"the command uses NumPy {'without AVX-512' if chosen else 'with all its instructions'}")
    used = "buckets" if numpy_sorts_slowly() else "NumPy's sort"
    best = min(everything.values())
    print(f"the library uses {used}: {everything[used] / best:.2f} times the fastest sort here (limit 1.3)")
    task = f"one sort of {options.keys:,} 64-bit keys"
    fastest = min(everything, key=everything.__getitem__)
    record(
        "sort.library", f"{task}, as the library does ({used})", everything[used], "s CPU",
        peer=f"the fastest sort in this process ({fastest})", theirs=best, goals=[at_most(1.3, "ratio"), at_most(0.13)],
        facts={f"{name.lower().replace(' ', '_').replace(chr(39), '')}_s": each for name, each in everything.items()},
    )  # fmt: skip
    by_command = other if chosen and other is not None else everything["NumPy's sort"]
    what = "NumPy's sort without AVX-512" if chosen else "NumPy's sort"
    record("sort.command", f"{task}, as the command does ({what})", by_command, "s CPU", goals=[at_most(0.13)])


if __name__ == "__main__":
    main()
