"""How much each released column reveals about its original, compared with releases without any link to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.threads import run_in_threads
from idbits.measures.coincidence import Coincidence
from idbits.measures.dependence import distance_correlation, information_cells, pearson, spearman
from idbits.measures.dependence_test import Judgement, Pair, chance_information_bits, has_too_few_orders, judge
from idbits.measures.mic import (
    grid_mutual_information_bits,
    maximal_information_coefficient,
    maximal_information_coefficients,
)
from idbits.measures.resampling import SHIFTS, SHUFFLES, evenly_spaced
from idbits.measures.serial import DIFFERENCES, NullComparison, choose_null
from idbits.progress import Progress
from idbits.studies.leak.paired_tables import ColumnPair
from idbits.studies.leak.result import ColumnDependence
from idbits.studies.leak.unchanged import UnchangedValues
from idbits.studies.shared.row_values import ColumnValues

__all__ = ["OTHER_KIND", "TOGETHER", "JudgedColumns", "judge_columns", "measure_mic", "sample_rows"]

Integers = NDArray[np.int64]

TOGETHER = "together"
OTHER_KIND = "the columns have different kinds of values, so no value can be the same"

_CONSTANT_ORIGINAL = "the original column is constant, so there is nothing to learn"
_CONSTANT_RELEASE = "the released column is constant, so it reveals nothing"
_TEST_ROWS = 10_000
_FIGURES = ("p_value", "threshold", "leaks", "mutual_information_chance_bits")
_CHANCE_SHUFFLES = 10
_LINEAR = ("pearson", "distance_correlation")


@dataclass(frozen=True, slots=True)
class JudgedColumns:
    """The result for the columns of a release, the number of rows used, and the chance of a false alarm.

    Attributes:
        columns: those that both tables have.
        together: all of them as one sequence; None if there is only one column.
        test_rows, mic_rows: the number of rows used for the p-values and for MIC.
        error_rate: the chance of a false alarm by dependence, for all columns and ``together``.
    """

    columns: tuple[ColumnDependence, ...]
    together: ColumnDependence | None
    test_rows: int
    mic_rows: int
    error_rate: float


def judge_columns(
    pairs: Sequence[ColumnPair],
    together: ColumnPair | None,
    unchanged: UnchangedValues,
    error: float,
    mic_rows: int,
    seed: int,
    progress: Progress,
    threads: int = 1,
) -> JudgedColumns:
    """Measure each column and all columns together, and compare them with a release without any link."""
    compared = [*pairs, together] if together is not None else list(pairs)
    proven = [unchanged.column_leaks(index) for index in range(len(pairs))] + [False] * (together is not None)
    part = [0.0]
    with progress.step("shuffling the release", lambda: part[0]):
        judgements, test_rows = _judge_pairs(compared, proven, error, seed, part, threads)
    in_any_order = all(judgement.null == SHUFFLES for judgement in judgements)
    n = len(compared[0].original.places) if compared else 0
    few_rows = sample_rows(n, mic_rows, seed, in_any_order)
    chance: dict[str, float] = {}
    measured: dict[int, ColumnDependence] = {}

    def measure(index: int) -> ColumnDependence:
        kept = unchanged.columns[index] if index < len(pairs) else None
        return _column(compared[index], judgements[index], kept, proven[index], few_rows, seed, chance)

    def store(index: int, column: ColumnDependence) -> None:
        measured[index] = column
        part[0] = len(measured) / len(compared)

    part[0] = 0.0
    with progress.step("measuring columns", lambda: part[0]):
        # The first column without ties sets the chance of all of them, so it is measured before the others.
        first = [index for index, pair in enumerate(compared) if _is_tieless(pair, few_rows, judgements[index])][:1]
        for index in first:
            store(index, measure(index))
        run_in_threads(measure, [index for index in range(len(compared)) if index not in measured], store, threads)
    # With very many columns, shuffles cannot test each one strictly enough, so the chance exceeds the request.
    reached = math.fsum(judgement.error for judgement in judgements)
    columns = tuple(measured[index] for index in range(len(pairs)))
    of_all = measured[len(pairs)] if together is not None else None
    return JudgedColumns(columns, of_all, test_rows, len(few_rows), max(error, reached))


def sample_rows(n: int, most: int, seed: int, in_any_order: bool) -> Integers:
    """Return at most ``most`` rows: drawn at random, or evenly spaced if their order matters."""
    if n <= most or not in_any_order:
        return evenly_spaced(n, most)
    return np.sort(np.random.default_rng([seed, 2]).choice(n, most, replace=False))


def _column(
    pair: ColumnPair,
    judged: _ColumnJudgement,
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
        reasons["spearman"] = str(constant or "one side is constant")
    mic, usual = (None, None) if constant else measure_mic(codes, rows, seed, judged.null, chance)
    if mic is None:
        reasons |= dict.fromkeys(("mic", "mic_chance"), str(constant or "one side is constant in the rows drawn"))
    if kept is None:
        why = OTHER_KIND if original.kind != released.kind else "a combined sequence has no values to compare"
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


def _linear(
    original: ColumnValues, released: ColumnValues, reasons: dict[str, str]
) -> tuple[float | None, float | None]:
    """Return Pearson's correlation and the distance correlation over the rows in which both sides have a number."""
    left, right = original.row_numbers(), released.row_numbers()
    known = ~(np.isnan(left) | np.isnan(right))
    left, right = left[known], right[known]
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        why = "some numbers are infinite"
    elif len(left) < 2 or left.min() == left.max() or right.min() == right.max():
        why = "one side is constant in the rows where both have a value"
    else:
        coefficients = (pearson(left, right), distance_correlation(left, right))
        why = "the numbers are too close together to compute it"
        reasons |= {name: why for name, value in zip(_LINEAR, coefficients, strict=True) if value is None}
        return coefficients
    reasons |= dict.fromkeys(_LINEAR, why)
    return None, None


def _is_tieless(pair: ColumnPair, rows: Integers, judged: _ColumnJudgement) -> bool:
    """Return whether all values of some rows differ on both sides, and rows may be shuffled."""
    if judged.null != SHUFFLES or judged.constant or len(rows) < 2:
        return False
    return all(len(np.unique(side.codes()[rows])) == len(rows) for side in (pair.original, pair.released))


def measure_mic(
    codes: tuple[Integers, Integers], rows: Integers, seed: int, null: str, chance: dict[str, float]
) -> tuple[float | None, float | None]:
    """Return the MIC of some rows, and its mean over a few shuffles or shifts of the release."""
    left, right = (np.unique(side[rows], return_inverse=True)[1] for side in codes)
    sizes = [int(side.max()) + 1 for side in (left, right)]
    if min(sizes) < 2:
        return None, None
    # Only order and ties matter, so all columns without ties have the same chance.
    same_for_all = min(sizes) == len(rows) and null == SHUFFLES
    if same_for_all and "tieless" in chance:
        return maximal_information_coefficient(left, right), chance["tieless"]
    rng = np.random.default_rng([seed, 3])
    resampled = [_unlinked(rng, right, null) for _ in range(_CHANCE_SHUFFLES)]
    mic, *by_chance = maximal_information_coefficients(left, [right, *resampled])
    usual = math.fsum(by_chance) / _CHANCE_SHUFFLES
    if same_for_all:
        chance["tieless"] = usual
    return mic, usual


def _unlinked(rng: np.random.Generator, release: Integers, null: str) -> Integers:
    if null == SHUFFLES:
        return rng.permutation(release)
    return np.roll(release, int(rng.integers(1, len(release))))


@dataclass(frozen=True, slots=True)
class _ColumnJudgement:
    """The result of the comparison for a column.

    Attributes:
        null: what it was compared with: ``shuffles``, ``shifts`` or ``differences``.
        p_value, threshold, leaks, chance_information_bits, error: as in ``Judgement``; None if they are unknown.
        constant: which side is constant, in words; None if neither is.
        reasons: why a figure is None.
    """

    null: str
    p_value: float | None = None
    threshold: float | None = None
    leaks: bool | None = None
    chance_information_bits: float | None = None
    error: float = 0.0
    constant: str | None = None
    reasons: dict[str, str] = field(default_factory=dict)


def _judge_pairs(
    pairs: Sequence[ColumnPair], proven: Sequence[bool], error: float, seed: int, part: list[float], threads: int
) -> tuple[list[_ColumnJudgement], int]:
    """Judge columns, and return the number of rows used; ``proven`` marks columns known to leak, which need less work.

    ``part[0]`` is the share of the work that is done.
    """
    if not pairs:
        return [], 0
    tested, comparisons = _choose(pairs, seed)
    reasons = [
        _untestable(levels, comparison, error / len(pairs))
        for levels, comparison in zip(tested, comparisons, strict=True)
    ]
    fit = [index for index, reason in enumerate(reasons) if reason is None]

    def done(fraction: float) -> None:
        part[0] = fraction

    judged = judge(
        [comparisons[index].pair for index in fit],
        error,
        seed,
        done,
        [comparisons[index].resampling or SHUFFLES for index in fit],
        [proven[index] for index in fit],
        threads,
    )
    judgements = dict(zip(fit, judged, strict=True))
    described = [
        _judgement(tested[index], comparison, judgements.get(index), reasons[index], seed)
        for index, comparison in enumerate(comparisons)
    ]
    return described, len(tested[0].original)


def _choose(pairs: Sequence[ColumnPair], seed: int) -> tuple[list[Pair], list[NullComparison]]:
    """Return the rows to test and what to compare each column with.

    Rows are drawn at random; if their order turns out to matter, evenly spaced rows are used instead.
    """
    n = len(pairs[0].original.places)
    rows = np.arange(n)
    if n > _TEST_ROWS:
        rows = np.sort(np.random.default_rng([seed, 2]).choice(n, _TEST_ROWS, replace=False))
    tested = [pair.pair(rows) for pair in pairs]
    comparisons = [choose_null(pair) for pair in tested]
    if n > _TEST_ROWS and any(comparison.null != SHUFFLES for comparison in comparisons):
        rows = evenly_spaced(n, _TEST_ROWS)
        tested = [pair.pair(rows) for pair in pairs]
        comparisons = [choose_null(pair) for pair in tested]
    return tested, comparisons


def _untestable(levels: Pair, comparison: NullComparison, level: float) -> str | None:
    """Return why a column cannot be judged."""
    if levels.released.min() == levels.released.max():
        return _CONSTANT_RELEASE
    if levels.original.min() == levels.original.max():
        return _CONSTANT_ORIGINAL
    if comparison.resampling is None:
        return "the column drifts in both tables, and so do its changes from row to row"
    sides = (comparison.pair.original, comparison.pair.released)
    if any(side.min() == side.max() for side in sides):
        return "the column rises or falls evenly, like a row number, so there is nothing to compare"
    if comparison.resampling == SHUFFLES and has_too_few_orders(sides, level):
        return "there are too few rows or too few different values to distinguish dependence from chance"
    return None


def _judgement(
    levels: Pair, comparison: NullComparison, judgement: Judgement | None, reason: str | None, seed: int
) -> _ColumnJudgement:
    null = comparison.null
    if judgement is None:
        why = str(reason)
        reasons = dict.fromkeys(_FIGURES, why)
        constant = why if why in (_CONSTANT_ORIGINAL, _CONSTANT_RELEASE) else None
        if constant == _CONSTANT_RELEASE:
            reasons.pop("leaks")
            return _ColumnJudgement(null, leaks=False, constant=constant, reasons=reasons)
        return _ColumnJudgement(null, constant=constant, reasons=reasons)
    chance = judgement.chance_information_bits
    leaks, reasons = judgement.leaks, {}
    if leaks is None:
        reasons["leaks"] = (
            "neighbouring rows resemble each other in both tables; the dependence is larger than at any other shift of "
            "the release along the rows, but there are too few rows for this error rate"
        )
    if null == DIFFERENCES:
        chance = chance_information_bits(levels, SHIFTS, seed)
        if leaks is False and _go_together(levels, seed):
            leaks = None
            reasons["leaks"] = (
                "the column follows its original but drifts in both tables, as unrelated columns can; their changes "
                "from row to row have no more in common than by chance"
            )
    return _ColumnJudgement(null, judgement.p_value, judgement.threshold, leaks, chance, judgement.error, None, reasons)


def _go_together(levels: Pair, seed: int) -> bool:
    """Return whether no shuffle shows as much dependence as the columns, as is common for two random walks."""
    judgement = judge([levels], 0.5, seed)[0]
    return judgement.p_value <= judgement.least
