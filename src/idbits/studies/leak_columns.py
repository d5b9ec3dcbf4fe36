"""The part of ``idbits leak`` that looks at rows: how much each released column tells of its original."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.errors import counted
from idbits.measures.dependence import distance_correlation, information_cells, pearson, spearman
from idbits.measures.dependence_test import Judgement, arrangements, judge
from idbits.measures.mic import grid_mutual_information_bits, maximal_information_coefficient
from idbits.progress import Progress
from idbits.results.leak import ColumnDependence
from idbits.studies.row_values import Column, ColumnPair

__all__ = ["Judged", "Rearrangement", "judge_columns", "rearrangement", "verdict_of"]

Integers = NDArray[np.int64]

_TEST_ROWS = 10_000
_CHANCE_SHUFFLES = 10
# A table whose values would come out in the same numbers by chance less often than this was rearranged.
_LOG_BY_CHANCE = math.log(1e-6)


@dataclass(frozen=True, slots=True)
class Judged:
    """The columns of a release, from how many rows they were judged, and the chance of a false alarm among them all."""

    columns: tuple[ColumnDependence, ...]
    test_rows: int
    mic_rows: int
    error_rate: float


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """Whether rows came through unchanged, or all of them in another order."""

    rows_unchanged: int
    rows_rearranged: bool
    columns_rearranged: int


def judge_columns(
    pairs: Sequence[ColumnPair], error_rate: float, mic_rows: int, seed: int, progress: Progress
) -> Judged:
    """Measure each column and judge it against shuffles of the release."""
    n = len(pairs[0].original.places)
    rng = np.random.default_rng([seed, 2])
    test_rows = _sample(rng, n, _TEST_ROWS)
    few_rows = _sample(rng, n, mic_rows)
    part = [0.0]
    with progress.step("shuffling the release", lambda: part[0]):
        judgements = _judgements(pairs, test_rows, error_rate, seed, part)
    columns = []
    chance: dict[str, float] = {}
    for place, pair in enumerate(pairs):
        part[0] = place / len(pairs)
        with progress.step(f"column {place + 1} of {len(pairs)}", lambda: part[0]):
            columns.append(_column(pair, judgements[place], few_rows, seed, chance))
    # So many columns that shuffles cannot judge each strictly enough: then the chance is larger than asked for.
    reached = math.fsum(column.threshold for column in columns if column.threshold is not None)
    return Judged(tuple(columns), len(test_rows), len(few_rows), min(1.0, max(error_rate, reached)))


def _sample(rng: np.random.Generator, n: int, most: int) -> Integers:
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def _judgements(
    pairs: Sequence[ColumnPair], rows: Integers, error_rate: float, seed: int, part: list[float]
) -> list[Judgement | str]:
    """Return what the test says of each column, or why it says nothing."""
    tested = [pair.pair(rows) for pair in pairs]
    reasons = [_untestable(one.original, one.released, error_rate / len(pairs)) for one in tested]

    def done(fraction: float) -> None:
        part[0] = fraction

    fit = [one for one, reason in zip(tested, reasons, strict=True) if reason is None]
    found = iter(judge(fit, error_rate, seed, done))
    return [next(found) if reason is None else reason for reason in reasons]


_CONSTANT_ORIGINAL = "the original column is constant: there is nothing to learn"
_CONSTANT_RELEASE = "the released column is constant: it tells nothing"


def _untestable(original: Integers, released: Integers, level: float) -> str | None:
    if released.min() == released.max():
        return _CONSTANT_RELEASE
    if original.min() == original.max():
        return _CONSTANT_ORIGINAL
    if min(arrangements(original), arrangements(released)) < -math.log(level):
        return "there are too few rows, or too few different values, to tell dependence from chance"
    return None


def _column(
    pair: ColumnPair, judged: Judgement | str, rows: Integers, seed: int, chance: dict[str, float]
) -> ColumnDependence:
    original, released = pair.original, pair.released
    codes = (original.codes(), released.codes())
    reasons: dict[str, str] = {}
    if isinstance(judged, str):
        reasons |= dict.fromkeys(("p_value", "threshold", "leaks", "mutual_information_chance_bits"), judged)
        judgement = None
    else:
        judgement = judged
    constant = judged if judged in (_CONSTANT_ORIGINAL, _CONSTANT_RELEASE) else None
    linear = _linear(original, released, reasons)
    rank = None if constant else spearman(*codes)
    if rank is None:
        reasons["spearman"] = str(constant or "a side is constant")
    mic, usual = (None, None) if constant else _mic(codes, rows, seed, chance)
    if mic is None:
        reasons |= dict.fromkeys(("mic", "mic_chance"), str(constant or "a side is constant in the rows drawn for it"))
    leaks: bool | None = judgement.leaks if judgement is not None else None
    if constant == _CONSTANT_RELEASE:
        leaks = False
        reasons.pop("leaks")
    return ColumnDependence(
        column=pair.name,
        original_kind=original.kind,
        released_kind=released.kind,
        nulls=original.nulls,
        released_nulls=released.nulls,
        mic=mic,
        mic_chance=usual,
        mutual_information_bits=grid_mutual_information_bits(*map(information_cells, codes)),
        mutual_information_chance_bits=judgement.chance_information_bits if judgement is not None else None,
        pearson=linear[0],
        spearman=rank,
        distance_correlation=linear[1],
        p_value=judgement.p_value if judgement is not None else None,
        threshold=judgement.threshold if judgement is not None else None,
        leaks=leaks,
        reasons=reasons,
    )


def _linear(original: Column, released: Column, reasons: dict[str, str]) -> tuple[float | None, float | None]:
    """Return Pearson's and the distance correlation over the rows in which both sides have a number."""
    left, right = original.row_numbers(), released.row_numbers()
    known = ~(np.isnan(left) | np.isnan(right))
    left, right = left[known], right[known]
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        why = "there are infinite numbers"
    elif len(left) < 2 or left.min() == left.max() or right.min() == right.max():
        why = "a side is constant in the rows where neither is empty"
    else:
        found = (pearson(left, right), distance_correlation(left, right))
        why = "the numbers differ by less than can be computed"
        reasons |= {name: why for name, value in zip(_LINEAR, found, strict=True) if value is None}
        return found
    reasons |= dict.fromkeys(_LINEAR, why)
    return None, None


_LINEAR = ("pearson", "distance_correlation")


def _mic(
    codes: tuple[Integers, Integers], rows: Integers, seed: int, chance: dict[str, float]
) -> tuple[float | None, float | None]:
    """Return the coefficient of some rows, and its mean over a few shuffles of the release."""
    left, right = (np.unique(side[rows], return_inverse=True)[1] for side in codes)
    sizes = [int(side.max()) + 1 for side in (left, right)]
    if min(sizes) < 2:
        return None, None
    found = maximal_information_coefficient(left, right)
    # Only order and ties matter: of columns without ties all have the same chance.
    tieless = min(sizes) == len(rows)
    if not tieless or "tieless" not in chance:
        rng = np.random.default_rng([seed, 3])
        shuffled = [maximal_information_coefficient(left, rng.permutation(right)) for _ in range(_CHANCE_SHUFFLES)]
        usual = math.fsum(shuffled) / _CHANCE_SHUFFLES
        if not tieless:
            return found, usual
        chance["tieless"] = usual
    return found, chance["tieless"]


def rearrangement(pairs: Sequence[ColumnPair]) -> Rearrangement:
    """Look whether rows are the same, in the same place or in another."""
    n = len(pairs[0].original.places)
    same = np.ones(n, bool)
    rows: tuple[Integers, Integers] | None = (np.zeros(n, np.int64), np.zeros(n, np.int64))
    moved = 0
    for pair in pairs:
        if pair.shared is None:
            rows, same = None, np.zeros(n, bool)
            continue
        one, other = pair.shared
        same &= one == other
        moved += bool((one != other).any()) and _not_by_chance(one, other)
        if rows is not None:
            width = max(int(one.max()), int(other.max())) + 1
            keys = np.concatenate([rows[0] * width + one, rows[1] * width + other])
            where = np.unique(keys, return_inverse=True)[1]
            rows = (where[:n], where[n:])
    unchanged = int(same.sum())
    return Rearrangement(unchanged, rows is not None and unchanged < n and _not_by_chance(*rows), moved)


def _not_by_chance(one: Integers, other: Integers) -> bool:
    """Whether both hold the same values equally often, which independent draws would hardly do."""
    width = max(int(one.max()), int(other.max())) + 1
    counts = np.bincount(one, minlength=width)
    if not np.array_equal(counts, np.bincount(other, minlength=width)):
        return False
    n = len(one)
    each = [count for count in counts.tolist() if count]
    return math.lgamma(n + 1) + math.fsum(k * math.log(k / n) - math.lgamma(k + 1) for k in each) < _LOG_BY_CHANCE


def verdict_of(columns: Sequence[ColumnDependence], moved: Rearrangement) -> tuple[str, str | None]:
    """Return the verdict and, where it is undecided, why."""
    if any(column.leaks for column in columns) or (moved.rows_rearranged and len(columns) > 1):
        return "leaks", None
    open_ones = [column for column in columns if column.leaks is None]
    if open_ones:
        reasons = sorted({column.reasons["leaks"] for column in open_ones})
        return "undecided", f"of {counted(len(open_ones), 'column')} nothing can be said: {'; '.join(reasons)}"
    if moved.columns_rearranged:
        return (
            "undecided",
            f"{counted(moved.columns_rearranged, 'column')} of the release holds exactly the values of the original in "
            "another order, and whoever can undo the order has them all",
        )
    return "no leak seen", None
