"""Is mutual information beyond chance correct? Seeded simulations with known answers.

    python experiments/utility.py [NAME ..]

docs/explanation/utility.md shows and explains the printed results.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.measures.chance import chance_of
from idbits.measures.utility import ColumnRelations, Relation, relation_of

Codes = NDArray[np.int64]
Shares = NDArray[np.float64]

SHUFFLES = 4_000
TABLES = 200


def even(values: int) -> Shares:
    return np.full(values, 1 / values)


def zipf(values: int) -> Shares:
    weights = 1 / np.arange(1, values + 1)
    return weights / weights.sum()


KINDS: dict[str, tuple[Shares, Shares]] = {
    "2 x 2 values": (even(2), even(2)),
    "2 x 2, 5% have the rarer": (np.array([0.95, 0.05]), np.array([0.95, 0.05])),
    "3 x 3, 1% have a rare one": (np.array([0.98, 0.01, 0.01]), np.array([0.98, 0.01, 0.01])),
    "5 x 5": (even(5), even(5)),
    "20 x 20, uneven": (zipf(20), zipf(20)),
    "100 x 2": (even(100), even(2)),
    "100 x 100": (even(100), even(100)),
    "1,000 x 1,000": (even(1000), even(1000)),
}


def spectrum(codes: Codes) -> Spectrum:
    counts = np.unique_counts(codes).counts
    return Spectrum.of(Counter(counts.tolist()))


def relation(first: Codes, second: Codes) -> Relation:
    return relation_of(spectrum(first), spectrum(second), spectrum(first * (int(second.max()) + 1) + second))


def information(first: Codes, second: Codes) -> float:
    """Return plug-in mutual information in bits, with NumPy alone."""
    n = len(first)
    keys, counts = np.unique_counts(first * (int(second.max()) + 1) + second)
    alone, beside = np.bincount(first), np.bincount(second)
    above, below = np.divmod(keys, int(second.max()) + 1)
    return float((counts * np.log2(counts * n / (alone[above] * beside[below]))).sum() / n)


def shuffled() -> Iterator[str]:
    """One of two columns is shuffled: the chance level as computed and over shuffles, and false alarms."""
    yield f"{SHUFFLES:,} shuffles of each table; the mean has a standard error of at most 2% of the deviation"
    yield "values                    | people | chance, bits | shuffles | deviation | shuffles | at 1%  | at 0.1%"
    draw = np.random.default_rng(1)
    for name, (first, second) in KINDS.items():
        for n in (100, 1000):
            xs, ys = draw.choice(len(first), n, p=first), draw.choice(len(second), n, p=second)
            chance = chance_of(spectrum(xs), spectrum(ys))
            every = np.array([information(xs, draw.permutation(ys)) for _ in range(SHUFFLES)])
            p_values = np.array([chance.p_value(bits) for bits in every.tolist()])
            yield (
                f"{name:25s} | {n:6,d} | {chance.mean_bits:12.4f} | {every.mean():8.4f} | "
                f"{math.sqrt(chance.variance_bits2):9.4f} | {every.std():8.4f} | {(p_values <= 0.01).mean():6.2%} | "
                f"{(p_values <= 0.001).mean():7.2%}"
            )


def independent() -> Iterator[str]:
    """Tables of five independent columns: how often a relationship is detected, and the plug-in mutual information."""
    yield f"{TABLES} tables each; the columns have 2, 5, 20, 72 and 300 values"
    yield "people | plug-in, bits | of it chance | tables with a relation"
    draw = np.random.default_rng(2)
    for n in (100, 1000, 10_000):
        bits, chance, seen = [], [], 0
        for _ in range(TABLES):
            columns = [draw.integers(0, values, n) for values in (2, 5, 20, 72, 300)]
            pairs = {(str(i), str(j)): relation(columns[i], columns[j]) for i in range(len(columns)) for j in range(i)}
            bits.append(math.fsum(pair.mutual_information_bits for pair in pairs.values()))
            chance.append(math.fsum(pair.chance_bits for pair in pairs.values()))
            seen += bool(ColumnRelations.of([pairs]).bits)
        yield f"{n:6,d} | {np.mean(bits):13.3f} | {np.mean(chance) / np.mean(bits):12.1%} | {seen} of {TABLES}"


def power() -> Iterator[str]:
    """A column repeats another for some people and is drawn anew for the rest: how often is this detected at 0.1%?"""
    yield f"10 x 10 values, {TABLES} tables each; bits: of the distribution that people are drawn from"
    yield "repeated | bits  | 100 people | 300 people | 1,000 people | 3,000 people"
    draw = np.random.default_rng(3)
    for share in (0.05, 0.1, 0.2, 0.4):
        same, other = share + (1 - share) / 10, (1 - share) / 10
        true = math.log2(10) + same * math.log2(same) + 9 * other * math.log2(other)
        found = []
        for n in (100, 300, 1000, 3000):
            seen = 0
            for _ in range(TABLES):
                xs = draw.integers(0, 10, n)
                ys = np.where(draw.random(n) < share, xs, draw.integers(0, 10, n))
                seen += relation(xs, ys).p_value <= 0.001
            found.append(seen / TABLES)
        yield (f"{share:8.0%} | {true:.3f} | {found[0]:10.0%} | {found[1]:10.0%} | {found[2]:12.0%} | {found[3]:12.0%}")


def kept() -> Iterator[str]:
    """Income depends on age alone; a ZIP code of 400 values depends on nothing. What do coarser ages preserve?"""
    yield "means of 20 tables; true: of the distribution that people are drawn from"
    yield "people | age in bands of | plug-in, with its chance | beyond chance | true"
    draw = np.random.default_rng(4)

    def people(n: int) -> tuple[Codes, Codes, Codes]:
        age = draw.integers(18, 90, n)
        return age, draw.integers(0, 400, n), age // 6 + draw.integers(0, 4, n)

    # Each age with each of its four incomes, once, is the true distribution.
    age = np.repeat(np.arange(18, 90), 4)
    income = age // 6 + np.tile(np.arange(4), 72)
    whole = information(age, income)
    true = {width: information(age // width, income) / whole for width in (5, 10, 20)}
    for n in (1000, 10_000):
        shown: dict[int, list[tuple[float, float]]] = {width: [] for width in true}
        for _ in range(20):
            age, code, income = people(n)
            fine, apart = relation(age, income), information(code, income)
            before = fine.mutual_information_bits + apart + information(age, code)
            views = {width: relation(age // width, income) for width in true}
            counted = ColumnRelations.of([{("age", "income"): view} for view in (fine, *views.values())])
            for width, view in views.items():
                after = view.mutual_information_bits + apart + information(age // width, code)
                beyond = view.bits_beyond_chance(counted.error_rate) / counted.total_bits
                shown[width].append((after / before, beyond))
        for width, pairs in shown.items():
            plug_in, beyond = np.mean(pairs, axis=0)
            yield f"{n:6,d} | {width:15d} | {plug_in:24.1%} | {beyond:13.1%} | {true[width]:.1%}"


EXPERIMENTS: dict[str, Callable[[], Iterator[str]]] = {
    "shuffled": shuffled,
    "independent": independent,
    "power": power,
    "kept": kept,
}


def main() -> None:
    for name in sys.argv[1:] or EXPERIMENTS:
        print(f"== {name}: {EXPERIMENTS[name].__doc__}")
        for line in EXPERIMENTS[name]():
            print(line.rstrip(), flush=True)
        print()


if __name__ == "__main__":
    main()
