"""How fast is `idbits predict`? Exact predictions, with ratios to the textbook computation, in one run.

    python bench/predict.py [--values 1000000] [--people 5000] [--histogram 10000000]

Times are the best of three, both sides in one process. The run stops if the two sides disagree.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from idbits.counts import Spectrum
from idbits.measures.birthday import log_uniqueness
from idbits.measures.distribution import Distribution
from idbits.measures.simulation import simulated_singletons
from idbits.measures.singleton_distribution import exact_uniform_no_singleton, log_no_singleton, singleton_distribution
from idbits.measures.singletons import mean_singletons, variance_singletons
from rows import add_json_option, record
from timing import best_of


def check(ours: float, theirs: float, tolerance: float) -> None:
    if abs(ours - theirs) > tolerance * max(1.0, abs(theirs)):
        raise SystemExit(f"the answers differ: {ours} and {theirs}")


def by_recurrence(p: np.ndarray, k: int) -> float:
    """Return ln(k! e_k(p)), value by value: the textbook recurrence, scaled so that it does not underflow."""
    e = np.zeros(k + 1)
    e[0] = 1.0
    for share in (p * k).tolist():
        e[1:] += share * e[:-1]
    return math.log(e[k]) + math.lgamma(k + 1) - k * math.log(k)


def by_pairs(p: np.ndarray, k: int) -> float:
    """Return the variance from the table of all pairs of values (S2 proposition 5.9 as printed)."""
    mean = k * float(np.sum(p * (1 - p) ** (k - 1)))
    both = k * (k - 1) * np.outer(p, p) * (1 - p[:, None] - p) ** (k - 2)
    return mean + float(both.sum() - np.trace(both)) - mean**2


def zeta_table(k: int, n_values: int) -> Fraction:
    """Return zeta(k, N) by the recursion of S2 5.4.1 in fractions: a table of all smaller k and N."""
    rows = [Fraction(1), Fraction(0), *[Fraction(1)] * (k - 1)]
    for n in range(2, n_values + 1):
        one = Fraction(1, n)
        after = [Fraction(1), Fraction(0)]
        for people in range(2, k + 1):
            terms = (
                math.comb(people - 1, j) * one**j * (1 - one) ** (people - 1 - j) * rows[people - 1 - j]
                for j in range(1, people)
            )
            after.append(sum(terms, start=Fraction(0)))
        rows = after
    return rows[k]


def small_against_plain_ways() -> None:
    random = np.random.default_rng(0)
    p = random.dirichlet(np.ones(50_000))
    source = Distribution.of(p)
    ours, found = best_of(3, lambda: log_uniqueness(source, 500))
    plain, same = best_of(3, lambda: by_recurrence(p, 500))
    check(float(found), float(same), 1e-9)
    print(f"all unique, 500 of 50,000 values: {ours:.4f} s; recurrence {plain:.3f} s, {plain / ours:.1f} times as long")
    task, peer = "all unique, 500 people, 50,000 values", "the textbook recurrence"
    record("predict.unique_small", f"`predict`, {task}", ours, peer=peer, theirs=plain)
    p = random.dirichlet(np.ones(3_000))
    source = Distribution.of(p)
    ours, found = best_of(3, lambda: variance_singletons(source, 200))
    plain, same = best_of(3, lambda: by_pairs(p, 200))
    check(float(found), float(same), 1e-7)
    print(f"variance, 3,000 values: {ours:.4f} s; table of pairs {plain:.3f} s, {plain / ours:.1f} times as long")
    task = "`predict`, variance, 200 people, 3,000 values"
    record("predict.variance_small", task, ours, peer="the table of all pairs of values", theirs=plain)
    ours, zeta = best_of(3, lambda: exact_uniform_no_singleton(40, 20))
    plain, by_table = best_of(1, lambda: zeta_table(40, 20))
    if zeta != by_table:
        raise SystemExit("the two sides compute different fractions")
    print(f"zeta(40, 20) as a fraction: {ours:.5f} s; S2 5.4.1 {plain:.3f} s, {plain / ours:.1f} times as long")
    record("predict.zeta", "`predict`, zeta(40, 20) as a fraction", ours, peer="the recursion of S2", theirs=plain)
    ours, _ = best_of(3, lambda: log_no_singleton(Distribution.uniform(1_000), 1_000))
    print(f"zeta(1000, 1000): {ours:.4f} s")
    few = Distribution.of(random.dirichlet(np.full(95, 3.0)))
    ours, _ = best_of(3, lambda: singleton_distribution(few, 60))
    plain, drawn = best_of(1, lambda: simulated_singletons(few, 60, 100_000, 0))
    check(float(np.mean(drawn)), mean_singletons(few, 60), 1e-2)
    print(
        f"distribution, 60 people, 95 ages: {ours:.4f} s; 100,000 draws {plain:.2f} s, {plain / ours:.1f} times as long"
    )
    task = "`predict`, the whole distribution, 60 people, 95 values"
    record("predict.distribution_small", task, ours, peer="100,000 draws", theirs=plain)


STUDIES: dict[str, Callable[[Distribution, int], object]] = {
    "all unique": log_uniqueness,
    "nobody unique": log_no_singleton,
    "variance": variance_singletons,
    "whole distribution": singleton_distribution,
}


def many_values(n_values: int, k: int) -> None:
    shapes = {
        "Dirichlet": np.random.default_rng(1).dirichlet(np.ones(n_values)),
        "Zipf": 1 / np.arange(1, n_values + 1),
    }
    for name, weights in shapes.items():
        source = Distribution.of(weights / weights.sum())
        print(f"\n{k:,} people, {n_values:,} values, all with different probabilities ({name}):")
        for what, study in STUDIES.items():
            start = time.perf_counter()
            study(source, k)
            seconds = time.perf_counter() - start
            print(f"  {what}: {seconds:.2f} s")
            key = f"predict.{name.lower()}_{what.replace(' ', '_')}"
            record(key, f"`predict`, {what}, {k:,} people, {n_values:,} different probabilities ({name})", seconds)


def _moments(source: Distribution, k: int) -> tuple[float, float]:
    return mean_singletons(source, k), variance_singletons(source, k)


def histogram(n_values: int) -> None:
    sizes = np.random.default_rng(2).pareto(0.7, n_values)
    counts, sets = np.unique(np.ceil(20 * sizes).clip(1, 10**7).astype(np.int64), return_counts=True)
    spectrum = Spectrum.of(list(zip(counts.tolist(), sets.tolist(), strict=True)))
    source = Distribution.from_spectrum(spectrum)
    print(f"\nhistogram of {n_values:,} values with {len(counts):,} different counts, {spectrum.n_people:,} people:")
    for k in (1_000, 1_000_000, spectrum.n_people):
        seconds, found = best_of(1, partial(_moments, source, k))
        mean, variance = found
        print(f"  {k:,} people: mean {mean:,.1f}, variance {variance:,.1f}, {seconds:.2f} s")
    task = f"`predict`, mean and variance of everyone, histogram of {n_values:,} values"
    record("predict.histogram", task, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=1_000_000)
    parser.add_argument("--people", type=int, default=5_000)
    parser.add_argument("--histogram", type=int, default=10_000_000)
    add_json_option(parser)
    options = parser.parse_args()
    small_against_plain_ways()
    many_values(options.values, options.people)
    histogram(options.histogram)


if __name__ == "__main__":
    main()
