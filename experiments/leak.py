"""How often `idbits leak` reports a leak for an unrelated release, and how often it detects a real one.

    python experiments/leak.py [RUNS] [NAME ..]

The tables are made up and have 500 rows. There are RUNS (1,000) tables of each kind, and fewer if they take long or vary
little. docs/explanation/leak.md shows and explains the printed results. Each share has its 95% interval (Clopper and
Pearson).
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
from scipy.signal import lfilter
from scipy.stats import beta

from idbits.measures.reduction import first_component
from idbits.progress import SILENT
from idbits.studies.leak.dependence import TOGETHER
from idbits.studies.leak.link import find_link
from idbits.studies.leak.paired_tables import PairedTables, as_pair, read_pair
from idbits.studies.shared.row_values import ColumnValues

ROWS = 500
RUNS = 1_000
ERROR_RATE = 0.01
BURN_IN = 200

Series = Callable[[np.random.Generator], np.ndarray]


def autoregressive(coefficient: float) -> Series:
    """Return a function that draws series in which each value depends on the one before."""

    def make(rng: np.random.Generator) -> np.ndarray:
        return np.asarray(lfilter([1.0], [1.0, -coefficient], rng.normal(size=ROWS + BURN_IN)))[BURN_IN:]

    return make


def walk(rng: np.random.Generator) -> np.ndarray:
    """Return a random walk."""
    return rng.normal(size=ROWS).cumsum()


def rounded(make: Series) -> Series:
    """Return a function that draws whole numbers, which are often equal by chance."""
    return lambda rng: np.round(make(rng)).astype(np.int64)


KINDS: dict[str, Series] = {
    "rows in any order": autoregressive(0.0),
    "AR(0.5)": autoregressive(0.5),
    "AR(0.8)": autoregressive(0.8),
    "AR(0.9)": autoregressive(0.9),
    "random walk": walk,
}


Tables = tuple[list[np.ndarray], list[np.ndarray]]


def independent(make: Series, columns: int, rng: np.random.Generator) -> Tables:
    """Return two unrelated tables."""
    before, after = ([make(rng) for _ in range(columns)] for _ in range(2))
    return before, after


def noisy(make: Series, times: float, columns: int, rng: np.random.Generator) -> Tables:
    """Return some columns, and the same columns with noise that is a multiple of their spread."""
    before = [make(rng) for _ in range(columns)]
    return before, [values + times * values.std() * rng.normal(size=ROWS) for values in before]


def partly_copied(make: Series, rng: np.random.Generator) -> Tables:
    """Return two unrelated columns, except that 25 of 500 values are copied."""
    values, other = make(rng), make(rng)
    copied = rng.choice(ROWS, 25, replace=False)
    other[copied] = values[copied]
    return [values], [other]


def paired(tables: Tables) -> PairedTables:
    """Return two tables as `idbits leak` reads them."""

    def column(values: np.ndarray) -> ColumnValues:
        keys, places = np.unique(values, return_inverse=True)
        return ColumnValues("number", keys, places, keys.astype(np.float64))

    both = zip(*tables, strict=True)
    return PairedTables([read_pair(f"c{i}", column(x), column(y)) for i, (x, y) in enumerate(both)], [], [], [])


def interval(hits: int, runs: int) -> tuple[float, float]:
    """Return the 95% interval of a share (Clopper and Pearson)."""
    low = 0.0 if hits == 0 else float(beta.ppf(0.025, hits, runs - hits + 1))
    high = 1.0 if hits == runs else float(beta.ppf(0.975, hits + 1, runs - hits))
    return low, high


def measure(name: str, runs: int, make: Callable[[np.random.Generator], Tables]) -> None:
    """Print how often each verdict occurred, and what the columns were compared with."""
    verdicts: Counter[str] = Counter()
    nulls: Counter[str] = Counter()
    for run in range(runs):
        # Each kind has its own random numbers, whichever other kinds run.
        rng = np.random.default_rng([run, *name.encode()])
        tables = make(rng)
        sequences = [first_component([column.astype(np.float64) for column in side]) for side in tables]
        together = as_pair(TOGETHER, *sequences) if len(tables[0]) > 1 else None
        link = find_link(paired(tables), together, ERROR_RATE, 10, run, SILENT, 1)
        verdicts[link.verdict] += 1
        nulls.update(column.null for column in link.judged.columns)
    low, high = interval(verdicts["leaks"], runs)
    used = ", ".join(f"{null} {number / nulls.total():.0%}" for null, number in sorted(nulls.items()))
    print(
        f"{name:<58} leaks {verdicts['leaks'] / runs:6.1%} [{low:.1%}, {high:.1%}], undecided "
        f"{verdicts['undecided'] / runs:6.1%}, {runs} runs; {used}",
        flush=True,
    )


def false_alarms(runs: int) -> None:
    """Unrelated releases, one column."""
    for kind, make in KINDS.items():
        measure(f"no link, {kind}", runs, lambda rng, make=make: independent(make, 1, rng))


def false_alarms_of_tables(runs: int) -> None:
    """Unrelated releases, four columns: all pairs of columns are compared."""
    for kind, make in KINDS.items():
        measure(f"no link, 4 columns, {kind}", runs // 8, lambda rng, make=make: independent(make, 4, rng))


def false_alarms_of_whole_numbers(runs: int) -> None:
    """Unrelated releases whose values are often equal by chance."""
    for kind, make in KINDS.items():
        whole = rounded(make)
        measure(f"no link, whole numbers, {kind}", runs // 2, lambda rng, make=whole: independent(make, 1, rng))


def power(runs: int) -> None:
    """Releases with noise, and with some values copied."""
    for times, columns in ((0.5, 1), (3.0, 1), (0.5, 4)):
        for kind, make in KINDS.items():
            name = f"noise {times:g} times the spread, " + ("4 columns, " if columns > 1 else "") + kind
            measure(name, runs // (10 if columns == 1 else 20), functools.partial(noisy, make, times, columns))
    for kind, make in KINDS.items():
        measure(f"25 of 500 values copied, {kind}", runs // 10, lambda rng, make=make: partly_copied(make, rng))


EXPERIMENTS = {
    "false-alarms": false_alarms,
    "tables": false_alarms_of_tables,
    "whole-numbers": false_alarms_of_whole_numbers,
    "power": power,
}


def main(words: list[str]) -> None:
    """Run the named experiments, or all."""
    runs = int(words.pop(0)) if words and words[0].isdigit() else RUNS
    for name in words or EXPERIMENTS:
        EXPERIMENTS[name](runs)


if __name__ == "__main__":
    main(sys.argv[1:])
