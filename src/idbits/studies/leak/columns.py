"""The part of ``idbits leak`` that looks at rows: how much each released column tells of its original."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.measures.coincidence import Coincidence
from idbits.measures.dependence import distance_correlation, information_cells, pearson, spearman
from idbits.measures.mic import grid_mutual_information_bits, maximal_information_coefficient
from idbits.measures.resampling import SHUFFLES, evenly_spaced
from idbits.progress import Progress
from idbits.studies.leak.judging import ColumnJudgement, judge_pairs
from idbits.studies.leak.result import ColumnDependence
from idbits.studies.leak.unchanged import Unchanged
from idbits.studies.shared.row_values import Column, ColumnPair

__all__ = ["OTHER_KIND", "TOGETHER", "Judged", "judge_columns", "measure_mic", "sample_rows"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TOGETHER = "together"
OTHER_KIND = "the columns are of different kinds: no value can be the same"

_CHANCE_SHUFFLES = 10
_LINEAR = ("pearson", "distance_correlation")


@dataclass(frozen=True, slots=True)
class Judged:
    """The columns of a release, from how many rows they were judged, and the chance of a false alarm among them.

    Attributes:
        columns: those that both tables have.
        together: all of them as one sequence; None for one column.
        test_rows, mic_rows: from how many rows the p-values and MIC were taken.
        error_rate: the chance of a false alarm among columns and ``together``, by dependence.
    """

    columns: tuple[ColumnDependence, ...]
    together: ColumnDependence | None
    test_rows: int
    mic_rows: int
    error_rate: float


def judge_columns(
    pairs: Sequence[ColumnPair],
    together: ColumnPair | None,
    unchanged: Unchanged,
    error: float,
    mic_rows: int,
    seed: int,
    progress: Progress,
) -> Judged:
    """Measure each column and all together, and judge them against a release without any link."""
    compared = [*pairs, together] if together is not None else list(pairs)
    proven = [unchanged.column_leaks(index) for index in range(len(pairs))] + [False] * (together is not None)
    part = [0.0]
    with progress.step("shuffling the release", lambda: part[0]):
        judgements, test_rows = judge_pairs(compared, proven, error, seed, part)
    in_any_order = all(judgement.null == SHUFFLES for judgement in judgements)
    n = len(compared[0].original.places) if compared else 0
    few_rows = sample_rows(n, mic_rows, seed, in_any_order)
    measured = []
    chance: dict[str, float] = {}
    for index, (pair, judgement) in enumerate(zip(compared, judgements, strict=True)):
        part[0] = index / len(compared)
        kept = unchanged.columns[index] if index < len(pairs) else None
        beyond_chance = unchanged.column_leaks(index) if index < len(pairs) else False
        with progress.step(f"column {index + 1} of {len(compared)}", lambda: part[0]):
            measured.append(_column(pair, judgement, kept, beyond_chance, few_rows, seed, chance))
    # So many columns that shuffles cannot judge each strictly enough: then the chance is larger than asked for.
    reached = math.fsum(judgement.error for judgement in judgements)
    columns = tuple(measured[: len(pairs)])
    return Judged(
        columns, measured[-1] if together is not None else None, test_rows, len(few_rows), max(error, reached)
    )


def sample_rows(n: int, most: int, seed: int, in_any_order: bool) -> Integers:
    """Return at most so many rows: drawn at random, or at equal distances where their order matters."""
    if n <= most or not in_any_order:
        return evenly_spaced(n, most)
    return np.sort(np.random.default_rng([seed, 2]).choice(n, most, replace=False))


def _column(
    pair: ColumnPair,
    judged: ColumnJudgement,
    kept: Coincidence | None,
    beyond_chance: bool,
    rows: Integers,
    seed: int,
    chance: dict[str, float],
) -> ColumnDependence:
    original, released = pair.original, pair.released
    codes = (original.codes(), released.codes())
    reasons = dict(judged.reasons)
    if beyond_chance:
        reasons.pop("leaks", None)
    constant = judged.constant
    linear = _linear(original, released, reasons)
    rank = None if constant else spearman(*codes)
    if rank is None:
        reasons["spearman"] = str(constant or "a side is constant")
    mic, usual = (None, None) if constant else measure_mic(codes, rows, seed, judged.null, chance)
    if mic is None:
        reasons |= dict.fromkeys(("mic", "mic_chance"), str(constant or "a side is constant in the rows drawn for it"))
    if kept is None:
        why = OTHER_KIND if original.kind != released.kind else "a sequence made from several columns has no values"
        reasons |= dict.fromkeys(("unchanged", "unchanged_by_chance", "unchanged_probability", "unchanged_null"), why)
    return ColumnDependence(
        column=pair.name,
        original_kind=original.kind,
        released_kind=released.kind,
        nulls=original.nulls,
        released_nulls=released.nulls,
        mic=mic,
        mic_chance=usual,
        mutual_information_bits=grid_mutual_information_bits(*map(information_cells, codes)),
        mutual_information_chance_bits=judged.chance_information_bits,
        pearson=linear[0],
        spearman=rank,
        distance_correlation=linear[1],
        p_value=judged.p_value,
        threshold=judged.threshold,
        null=judged.null,
        unchanged=kept.count if kept is not None else None,
        unchanged_by_chance=kept.by_chance if kept is not None else None,
        unchanged_probability=kept.probability if kept is not None else None,
        unchanged_null=kept.null if kept is not None else None,
        leaks=True if beyond_chance else judged.leaks,
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


def measure_mic(
    codes: tuple[Integers, Integers], rows: Integers, seed: int, null: str, chance: dict[str, float]
) -> tuple[float | None, float | None]:
    """Return the coefficient of some rows, and its mean over a few shuffles or shifts of the release."""
    left, right = (np.unique(side[rows], return_inverse=True)[1] for side in codes)
    sizes = [int(side.max()) + 1 for side in (left, right)]
    if min(sizes) < 2:
        return None, None
    found = maximal_information_coefficient(left, right)
    # Only order and ties matter: of columns without ties all have the same chance.
    same_for_all = min(sizes) == len(rows) and null == SHUFFLES
    if same_for_all and "tieless" in chance:
        return found, chance["tieless"]
    rng = np.random.default_rng([seed, 3])
    resampled = [maximal_information_coefficient(left, _unlinked(rng, right, null)) for _ in range(_CHANCE_SHUFFLES)]
    usual = math.fsum(resampled) / _CHANCE_SHUFFLES
    if same_for_all:
        chance["tieless"] = usual
    return found, usual


def _unlinked(rng: np.random.Generator, release: Integers, null: str) -> Integers:
    if null == SHUFFLES:
        return rng.permutation(release)
    return np.roll(release, int(rng.integers(1, len(release))))
