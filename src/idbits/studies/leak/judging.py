"""The part of ``idbits leak`` that compares released columns with releases without any link to the original."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from idbits.measures.dependence_test import Judgement, Pair, arrangements, chance_information_bits, judge
from idbits.measures.resampling import SHIFTS, SHUFFLES, evenly_spaced
from idbits.measures.serial import DIFFERENCES, NullComparison, choose_null
from idbits.studies.shared.row_values import ColumnPair

__all__ = ["CONSTANT_ORIGINAL", "CONSTANT_RELEASE", "ColumnJudgement", "judge_pairs"]

Integers = NDArray[np.int64]

CONSTANT_ORIGINAL = "the original column is constant: there is nothing to learn"
CONSTANT_RELEASE = "the released column is constant: it tells nothing"

_TEST_ROWS = 10_000
_FIGURES = ("p_value", "threshold", "leaks", "mutual_information_chance_bits")


@dataclass(frozen=True, slots=True)
class ColumnJudgement:
    """What the comparison says of a column.

    Attributes:
        null: what it was compared with: ``shuffles``, ``shifts`` or ``differences``.
        p_value, threshold, leaks, chance_information_bits, error: as in ``Judgement``; None where nothing can be told.
        constant: whether a side is constant, in words.
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


def judge_pairs(
    pairs: Sequence[ColumnPair], proven: Sequence[bool], error: float, seed: int, part: list[float]
) -> tuple[list[ColumnJudgement], int]:
    """Judge columns, and say from how many rows; ``proven`` marks those known to leak, for which little work is enough.

    ``part[0]`` is the part of the work that is over.
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

    found = judge(
        [comparisons[index].pair for index in fit],
        error,
        seed,
        done,
        [comparisons[index].resampling or SHUFFLES for index in fit],
        [proven[index] for index in fit],
    )
    judgements = dict(zip(fit, found, strict=True))
    judged = [
        _judgement(tested[index], comparison, judgements.get(index), reasons[index], seed)
        for index, comparison in enumerate(comparisons)
    ]
    return judged, len(tested[0].original)


def _choose(pairs: Sequence[ColumnPair], seed: int) -> tuple[list[Pair], list[NullComparison]]:
    """Return the rows that are tested and what each column is compared with.

    Rows are drawn at random; if their order turns out to matter, they are taken at equal distances instead.
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
        return CONSTANT_RELEASE
    if levels.original.min() == levels.original.max():
        return CONSTANT_ORIGINAL
    if comparison.resampling is None:
        return "the column wanders in both tables, and so do its changes from row to row"
    sides = (comparison.pair.original, comparison.pair.released)
    if any(side.min() == side.max() for side in sides):
        return "the column runs evenly along the rows, as a row number does: there is nothing to compare"
    if comparison.resampling == SHUFFLES and min(map(arrangements, sides)) < -math.log(level):
        return "there are too few rows, or too few different values, to tell dependence from chance"
    return None


def _judgement(
    levels: Pair, comparison: NullComparison, found: Judgement | None, reason: str | None, seed: int
) -> ColumnJudgement:
    null = comparison.null
    if found is None:
        why = str(reason)
        reasons = dict.fromkeys(_FIGURES, why)
        constant = why if why in (CONSTANT_ORIGINAL, CONSTANT_RELEASE) else None
        if constant == CONSTANT_RELEASE:
            reasons.pop("leaks")
            return ColumnJudgement(null, leaks=False, constant=constant, reasons=reasons)
        return ColumnJudgement(null, constant=constant, reasons=reasons)
    chance = found.chance_information_bits
    leaks, reasons = found.leaks, {}
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
                "the column goes along with its original, but wanders in both tables, as columns without any link may; "
                "their changes from row to row have no more in common than chance gives"
            )
    return ColumnJudgement(null, found.p_value, found.threshold, leaks, chance, found.error, None, reasons)


def _go_together(levels: Pair, seed: int) -> bool:
    """Whether no shuffle shows as much dependence as the columns themselves, which two walks often do."""
    found = judge([levels], 0.5, seed)[0]
    return found.p_value <= found.least
