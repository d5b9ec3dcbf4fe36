"""How fast is `idbits leak`? Ratios to antropy and to the estimated time of minepy, in one run.

    python bench/leak.py [--no-antropy]
    python bench/leak.py --tables FOLDER [--seeds 10]

Times are CPU seconds, the best of three, so that other work on the machine does not matter; the whole table is also
timed by the clock. antropy runs in a separate environment, which is created on first use. minepy no longer builds.
Where it did, its MIC of independent data took 0.07 s for 1,000 rows and 0.95 s for 5,000, and antropy's order 7 took
0.16 s. We scale these times by the time of antropy's order 7 on this machine.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow.csv

import idbits
from idbits.measures.mic import maximal_information_coefficient
from idbits.measures.permutation_entropy import permutation_entropies_bits, permutation_entropy_bits
from peer import PeerUnavailable, run_peer
from rows import add_json_option, at_most, record
from timing import best_of

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
ORDERS = (3, 5, 7)
MINEPY_SECONDS = {1_000: 0.07, 5_000: 0.95}
ANTROPY_SECONDS = 0.16


ANTROPY = """
import json, sys, time, antropy, numpy
series = numpy.load(sys.argv[1])
found = []
for order in map(int, sys.argv[2:]):
    antropy.perm_entropy(series[:1000], order=order)
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        bits = antropy.perm_entropy(series, order=order)
        best = min(best, time.process_time() - start)
    found.append([best, float(bits)])
print(json.dumps(found))
"""


def antropy(path: Path) -> list[tuple[float, float]]:
    """Run antropy in a separate environment: it needs numba and scikit-learn."""
    return cast("list[tuple[float, float]]", run_peer("antropy", ANTROPY, str(path), *map(str, ORDERS)))


def entropies(series: np.ndarray, theirs: list[tuple[float, float]] | None, error: str | None) -> None:
    for place, order in enumerate(ORDERS):
        ours, bits = best_of(3, partial(permutation_entropy_bits, series, order), time.process_time)
        beside = ""
        if theirs is not None:
            seconds, their_bits = theirs[place]
            if abs(their_bits - bits) > 1e-9:
                raise SystemExit(f"order {order}: antropy gives {their_bits} bits, idbits {bits}")
            beside = f", antropy {seconds:.4f} s, ratio {ours / seconds:.2f} (limit 1)"
        print(f"permutation entropy of 1,000,000 values, order {order}: {ours:.4f} s{beside}")
        record(
            f"leak.entropy_{order}", f"permutation entropy of 1,000,000 values, order {order}", ours, "s CPU",
            peer="antropy", theirs=None if theirs is None else theirs[place][0], goals=[at_most(1, "ratio")],
            uses=["antropy"], error=error,
        )  # fmt: skip
    kinds = {"noise": series, "constant": np.zeros(len(series)), "period of 7": np.arange(len(series)) % 7}
    for name, values in kinds.items():
        seconds, _ = best_of(1, lambda: list(permutation_entropies_bits(values, 24)), time.process_time)  # noqa: B023
        print(f"all orders 1 to 24 of 1,000,000 values, {name}: {seconds:.2f} s (limit 10)")
        task = f"permutation entropy of 1,000,000 values, all orders 1 to 24, {name}"
        record(f"leak.orders_{name.split()[0]}", task, seconds, "s CPU", goals=[at_most(10)])


def coefficients(scale: float) -> None:
    rng = np.random.default_rng(0)
    for rows, reference in MINEPY_SECONDS.items():
        x, y = rng.normal(size=(2, rows))
        ours, _ = best_of(3, partial(maximal_information_coefficient, x, y), time.process_time)
        theirs = reference * scale
        print(f"MIC of {rows:,} rows: {ours:.3f} s, minepy about {theirs:.3f} s, ratio {ours / theirs:.2f} (limit 2)")
        record(
            f"leak.mic_{rows}", f"MIC of {rows:,} rows", ours, "s CPU", peer="minepy", theirs=theirs,
            goals=[at_most(2, "ratio")], facts={"recorded_s": reference, "scale_times": scale},
            note="minepy no longer builds: its recorded time, scaled by antropy's order 7 then and now",
        )  # fmt: skip


def table(columns: int, rows: int) -> tuple[Path, Path]:
    """Write a table of numbers, codes and words, and a release of it with noise in some columns."""
    rng = np.random.default_rng(1)
    original, released = {}, {}
    for place in range(columns):
        kind = place % 3
        values = (
            rng.normal(size=rows)
            if kind == 0
            else rng.integers(0, 100, rows)
            if kind == 1
            else np.char.add("word", rng.integers(0, 50, rows).astype(str))
        )
        original[f"c{place}"] = values
        released[f"c{place}"] = values if place % 2 else rng.permutation(values)
    paths = (FOLDER / "leak-original.csv", FOLDER / "leak-released.csv")
    for path, data in zip(paths, (original, released), strict=True):
        pyarrow.csv.write_csv(pyarrow.table(data), path)
    return paths


def lengths(folder: Path, seeds: int) -> None:
    """Print the pattern length and rho1 for each seed of t-SNE (S4, figure 3)."""
    for path in sorted(folder.glob("*.csv")):
        found = []
        for seed in range(seeds):
            answer = idbits.leak(path, path, reduction="tsne", seed=seed, mic_rows=10)
            found.append((answer.order, answer.rho1))
        each = ", ".join(f"{order}: {many}" for order, many in sorted(Counter(order for order, _ in found).items()))
        low, high = min(rho for _, rho in found), max(rho for _, rho in found)
        print(f"{path.stem}: {seeds} seeds, length: seeds = {each}; rho1 {low:.4f} to {high:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-antropy", action="store_true")
    parser.add_argument("--tables", type=Path, help="folder of S4's three tables: prints their pattern lengths by seed")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=100_000, help="rows of the table with 30 columns")
    add_json_option(parser)
    options = parser.parse_args()
    if options.tables is not None:
        lengths(options.tables, options.seeds)
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    series = np.random.default_rng(0).normal(size=1_000_000)
    path = FOLDER / "series.npy"
    np.save(path, series)
    theirs, error = None, None
    if not options.no_antropy:
        try:
            theirs = antropy(path)
        except PeerUnavailable as failure:
            error = str(failure)
            print(f"antropy is not available: {error}")
    entropies(series, theirs, error)
    coefficients(theirs[ORDERS.index(7)][0] / ANTROPY_SECONDS if theirs is not None else 1.0)
    original, released = table(30, options.rows)
    start = time.perf_counter()
    seconds, answer = best_of(1, lambda: idbits.leak(original, released), time.process_time)
    clock = time.perf_counter() - start
    leaking = len(answer.leaking)
    print(
        f"idbits leak, 30 columns x {options.rows:,} rows of CSV: {clock:.1f} s wall time (limit 12), "
        f"{seconds:.1f} s CPU time"
    )
    task = f"`leak`, 30 columns x {options.rows:,} rows of CSV"
    record("leak.table", task, clock, goals=[at_most(12)], facts={"leaking": leaking, "cpu_s": seconds})
    print(f"  {leaking} columns leak (expected: 15)")


if __name__ == "__main__":
    main()
