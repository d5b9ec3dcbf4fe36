"""Mutual information by chance: against all shuffles, against exact fractions, and against seeded shuffles."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from idbits.counts import Spectrum
from idbits.measures import chance, hypergeometric
from idbits.measures.chance import chance_of
from idbits.measures.utility import ERROR_RATE, ColumnRelations, Relation, relation_of, utility_kept


def spectrum(values):
    return Spectrum.of(Counter(Counter(values).values()))


def information(xs, ys):
    n = len(xs)
    alone, beside, both = Counter(xs), Counter(ys), Counter(zip(xs, ys, strict=True))
    return math.fsum(k / n * math.log2(k * n / (alone[x] * beside[y])) for (x, y), k in both.items())


def expected(xs, ys):
    """Return the mean over all shuffles, cell by cell, from whole-number binomial coefficients."""
    n, total = len(xs), 0.0
    for a, b in itertools.product(Counter(xs).values(), Counter(ys).values()):
        for k in range(max(1, a + b - n), min(a, b) + 1):
            probability = Fraction(math.comb(a, k) * math.comb(n - a, b - k), math.comb(n, b))
            total += float(probability) * k / n * math.log2(k * n / (a * b))
    return total


SMALL = ["aabb", "aabbcc", "aaabbc", "abcdef", "aaaaab", "abab", "aabcc"]


@pytest.mark.parametrize(("xs", "ys"), [(x, y) for x in SMALL for y in SMALL if len(x) == len(y)])
def test_the_chance_level_is_the_mean_over_all_shuffles(xs, ys):
    every = [information(xs, shuffled) for shuffled in itertools.permutations(ys)]
    found = chance_of(spectrum(xs), spectrum(ys))
    assert found.mean_bits == pytest.approx(math.fsum(every) / len(every), abs=1e-12)
    assert found.least_bits <= min(every) + 1e-12
    if found.exact is not None:
        for bits in every:
            at_least = sum(other >= bits - 1e-9 for other in every) / len(every)
            assert found.p_value(bits) == pytest.approx(at_least if bits > found.mean_bits + 1e-9 else 1.0)


@pytest.mark.parametrize("n", [20, 60, 200])
@pytest.mark.parametrize("others", [["b"], ["b", "c"], ["b", "b"]])
def test_values_that_nearly_everybody_has_are_exact(n, others):
    """Their counts hardly vary, but they are far from normal."""
    xs, ys = others + ["a"] * (n - len(others)), ["a"] * (n - 3) + ["b", "c", "c"]
    assert chance_of(spectrum(xs), spectrum(ys)).mean_bits == pytest.approx(expected(xs, ys), rel=1e-10)


def columns(seed, n, first, second):
    draw = np.random.default_rng(seed)
    return draw.choice(len(first), n, p=first).tolist(), draw.choice(len(second), n, p=second).tolist()


def zipf(k):
    weights = 1 / np.arange(1, k + 1)
    return weights / weights.sum()


def even(k):
    return np.full(k, 1 / k)


def test_the_chance_level_of_a_larger_table_is_that_of_exact_fractions():
    for first, second in ((zipf(30), zipf(12)), (even(200), even(3)), (np.array([0.97, 0.02, 0.01]), zipf(40))):
        xs, ys = columns(1, 400, first, second)
        assert chance_of(spectrum(xs), spectrum(ys)).mean_bits == pytest.approx(expected(xs, ys), rel=1e-10)


def sizes_of(seed, n, shares):
    return spectrum(np.random.default_rng(seed).choice(len(shares), n, p=shares).tolist())


def test_sizes_that_are_put_together_change_the_level_by_less_than_a_millionth(monkeypatch):
    draw = np.random.default_rng(4)
    many, others = draw.gamma(2.0, size=600), draw.gamma(1.0, size=900)
    first, second = sizes_of(1, 300_000, many / many.sum()), sizes_of(2, 300_000, others / others.sum())
    assert min(len(first.sizes), len(second.sizes)) > 300
    # One value that more than half of the people have: then few sizes are put together.
    most = np.concatenate(([0.6], 0.4 * others / others.sum()))
    mostly_one = sizes_of(3, 300_000, most)
    near = [chance_of(first, second), chance_of(first, mostly_one)]
    monkeypatch.setattr(chance, "_MOST_SIZES", 10**9)
    chance._known.clear()
    full = [chance_of(first, second), chance_of(first, mostly_one)]
    for one, other in zip(near, full, strict=True):
        assert one.mean_bits == pytest.approx(other.mean_bits, rel=1e-6)
        assert one.mean_bits != other.mean_bits
        assert one.variance_bits2 == pytest.approx(other.variance_bits2, rel=1e-3)
    chance._known.clear()


def test_the_series_of_large_cells_is_their_sum(monkeypatch):
    a, b = np.array([40_000.0, 90_000.0, 5_000.0]), np.array([30_000.0, 2_000.0, 50_000.0])
    series = hypergeometric.cell_moments(a, b, 100_000.0)
    monkeypatch.setattr(hypergeometric, "_SERIES", 0.0)
    summed = hypergeometric.cell_moments(a, b, 100_000.0)
    assert series.mean == pytest.approx(summed.mean, rel=1e-8)
    assert series.variance == pytest.approx(summed.variance, rel=0.01)
    assert (series.mean != summed.mean).all()


TABLES = {
    "two by two": (even(2), even(2)),
    "rare by rare": (np.array([0.95, 0.05]), np.array([0.95, 0.05])),
    "three rare values": (np.array([0.98, 0.01, 0.01]), np.array([0.98, 0.01, 0.01])),
    "five by five": (even(5), even(5)),
    "many by two": (even(100), even(2)),
    "many by many": (even(100), even(100)),
    "uneven": (zipf(20), zipf(20)),
    "nearly unique": (even(300), even(300)),
    "mostly unique": (even(4000), even(4000)),
}


@pytest.mark.parametrize(("name", "n"), [*itertools.product(list(TABLES), [300]), ("five by five", 30), ("uneven", 30)])
def test_shuffled_columns_are_seldom_taken_for_related(name, n):
    """Seeded shuffles of one table: mean and variance are as computed, and false alarms are as rare as is said."""
    xs, ys = columns(7, n, *TABLES[name])
    draw, shuffles = np.random.default_rng(8), 1500
    found = chance_of(spectrum(xs), spectrum(ys))
    every = np.array([information(xs, draw.permutation(ys).tolist()) for _ in range(shuffles)])
    error = every.std() / math.sqrt(shuffles)
    assert every.mean() == pytest.approx(found.mean_bits, abs=4 * error + 1e-9)
    assert every.std() <= 1.2 * math.sqrt(found.variance_bits2) + 1e-9 or not found.smooth
    alarms = sum(found.p_value(bits) <= ERROR_RATE for bits in every)
    # 1% of 1500 is 15; a count of 28 or more has a probability below 0.2%.
    assert alarms <= 27


def test_a_column_of_unique_values_has_chance_only():
    xs, ys = list(range(200)), [place % 7 for place in range(200)]
    relation = relation_of(spectrum(xs), spectrum(ys), spectrum(list(zip(xs, ys, strict=True))))
    assert relation.mutual_information_bits > 2.8
    assert relation.chance_bits == pytest.approx(relation.mutual_information_bits, abs=1e-12)
    assert relation.p_value == 1.0


@pytest.mark.parametrize("n", [40, 400, 4000])
def test_columns_that_depend_on_each_other_are_related(n):
    draw = np.random.default_rng(n)
    xs = draw.integers(0, 6, n).tolist()
    ys = [x if draw.random() < 0.7 else int(draw.integers(0, 6)) for x in xs]
    relation = relation_of(spectrum(xs), spectrum(ys), spectrum(list(zip(xs, ys, strict=True))))
    assert relation.p_value < 1e-6
    assert relation.mutual_information_bits == pytest.approx(information(xs, ys), abs=1e-12)
    # x is kept with 0.7 + 0.3/6: the bits of the distribution that they were drawn from.
    true = math.log2(6) + 0.75 * math.log2(0.75) + 0.25 * math.log2(0.05)
    assert relation.bits_beyond_chance(1e-6) == pytest.approx(true, abs=3 / math.sqrt(n))


def test_what_is_seen_in_a_coarser_view_is_in_the_original():
    fine = {("a", "b"): Relation(3.0, 3.0, 1.0), ("a", "c"): Relation(1.0, 0.25, 1e-9)}
    coarse = {("a", "b"): Relation(0.5, 0.125, 1e-9)}
    counted = ColumnRelations.of([fine, coarse])
    assert counted.bits == {("a", "b"): 0.375, ("a", "c"): 0.75}
    assert utility_kept({("a", "b"): 0.375}, counted.bits) == pytest.approx(1 / 3)


def test_all_relations_are_tested_together_and_those_of_a_treated_table_too():
    sure, unsure = Relation(1.0, 0.5, 0.004), Relation(1.0, 0.5, 0.006)
    counted = ColumnRelations.of([{("a", "b"): sure, ("a", "c"): unsure}])
    assert counted.bits == {("a", "b"): 0.5}
    assert counted.kept_by({("a", "b"): unsure}) == {("a", "b"): 0.0}
    assert counted.kept_by({("a", "b"): sure, ("b", "c"): sure}) == {("a", "b"): 0.5}
