"""How RIG_95, MICS and PIF grow as columns are added, against the threshold (S3 figure 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from idbits.engines.backends.gains import BelievedRows
from idbits.measures.pif import people_quantiles, reaching
from idbits.progress import SILENT, Count, Progress
from idbits.studies.gain.result import Growth, GrowthStep

__all__ = ["growth_of"]


@dataclass(frozen=True, slots=True)
class _JoinedFigures:
    """The figures of some columns; the sum of RIG is exact, so that equal columns tie exactly."""

    rig_p95: float
    rig_sum: float
    mics: int
    pif: float


def growth_of(
    names: Sequence[str],
    entropies: Sequence[float],
    believed: BelievedRows,
    order: str,
    threshold: float,
    progress: Progress,
) -> Growth:
    """Add columns in the order given, or greedily: next comes the one that raises RIG_95 most.

    If RIG_95 is equal, the mean RIG decides, then the entropy of the column: a single column reveals no more than its
    prior, so the first is the one with the most entropy. The attacker is the strongest.
    """
    greedy = order == "greedy"
    count = Count(len(names) * (len(names) + 1) / 2 if greedy else len(names))
    left = list(range(len(names)))
    chosen: list[int] = []
    # With the same tolerance for rounding as in the count of people at the threshold.
    (least,) = reaching([threshold])
    steps = []
    with progress.step("adding columns", count):
        while left:
            tried = []
            for column in left if greedy else left[:1]:
                joined = _joined_figures(believed, sorted([*chosen, column]))
                tried.append((joined.rig_p95, joined.rig_sum, entropies[column], -column, column, joined))
                count.done += 1
            *_, column, best = max(tried, key=lambda item: item[:4])
            left.remove(column)
            chosen.append(column)
            steps.append(GrowthStep(names[column], best.rig_p95, best.mics, best.pif, best.pif >= least))
    return Growth(order, threshold, tuple(steps))


def _joined_figures(believed: BelievedRows, columns: list[int]) -> _JoinedFigures:
    """Return the figures of some columns, in the order of the table, so that the digits never depend on the order."""
    narrowed = believed.narrowed(columns)
    gains = narrowed.attack(None, SILENT, cells=False, csf=False)
    rows = narrowed.rows
    (high,) = people_quantiles(gains.ranking().at, rows.n_persons, [0.95])
    return _JoinedFigures(high, float(sum(gains.totals)), rows.smallest_cohort, gains.largest_share())
