"""How RIG_95, MICS and PIF grow as columns join in, against the threshold (S3 figure 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from idbits.engines.base import OpenOptions
from idbits.kernels.distinct import DistinctRows
from idbits.measures.pif import SAME, GainedRows, personal_information_factor
from idbits.progress import SILENT, Progress
from idbits.studies.gain.attack import Belief, Count, strongest
from idbits.studies.gain.figures import Growth, GrowthStep

__all__ = ["Joined", "growth_of", "joined_figures"]


@dataclass(frozen=True, slots=True)
class Joined:
    """The figures of some columns."""

    rig_p95: float
    rig_mean: float
    mics: int
    pif: float


def growth_of(
    names: Sequence[str],
    entropies: Sequence[float],
    figures: Callable[[list[int]], Joined],
    order: str,
    threshold: float,
    progress: Progress,
) -> Growth:
    """Let columns join in the order given, or greedily: next comes the one that raises RIG_95 most.

    With equal RIG_95 the mean RIG decides, then the column's own entropy: one column alone tells nothing more than
    its prior, so the first is the one with the most entropy. The attacker is the strongest.
    """
    greedy = order == "greedy"
    count = Count(len(names) * (len(names) + 1) / 2 if greedy else len(names))
    left = list(range(len(names)))
    chosen: list[int] = []
    # By more than rounding, as the people at the threshold are counted.
    least = threshold * (1 - SAME)
    steps = []
    with progress.step("columns join in", count):
        while left:
            tried = []
            for place in left if greedy else left[:1]:
                joined = figures(sorted([*chosen, place]))
                tried.append((joined.rig_p95, joined.rig_mean, entropies[place], -place, place, joined))
                count.done += 1
            *_, place, found = max(tried, key=lambda item: item[:4])
            left.remove(place)
            chosen.append(place)
            steps.append(GrowthStep(names[place], found.rig_p95, found.mics, found.pif, found.pif >= least))
    return Growth(order, threshold, tuple(steps))


def joined_figures(rows: DistinctRows, belief: Belief, places: list[int], options: OpenOptions) -> Joined:
    """Return the figures of some columns, in the order of the table: the same digits however they came together."""
    narrowed = rows.narrowed(places)
    held = Belief(tuple(belief.priors[place] for place in places), tuple(belief.accuracies[place] for place in places))
    quiet: Progress = SILENT
    attack = strongest(narrowed, held, quiet, threads=options.threads)
    (high,) = GainedRows.of(attack.rig_bits, narrowed.people).quantiles([0.95])
    factor = personal_information_factor(attack.rig_bits, narrowed.people)
    # Exact sums, so that equal columns tie exactly.
    return Joined(high, float(sum(attack.totals)), factor.mics, factor.pif)
