"""Information gain of trajectories: what someone learns about a point of a person from all the others."""

from __future__ import annotations

import math

import numpy as np

from idbits.kernels.companions import Companions
from idbits.kernels.events import Trajectories
from idbits.kernels.points import in_fixed_order
from idbits.kernels.ranked import RankedRows
from idbits.measures.pif import SAME, people_quantiles, personal_information_factor
from idbits.measures.trajectory_gain import mean_interval, trajectory_gains
from idbits.progress import Progress
from idbits.studies.events.result import TrajectoryGain

__all__ = ["trajectory_gain_of"]


def trajectory_gain_of(trajectories: Trajectories, draws: int, seed: int, progress: Progress) -> TrajectoryGain:
    """Measure the gain of all people if there are at most ``draws`` different trajectories, else of ``draws`` people.

    People with exactly the same points have the same gain, so we compute each trajectory once.
    """
    with progress.step("information gain of trajectories"):
        companions = Companions(in_fixed_order(trajectories))
        n_people = trajectories.n_people
        exact = len(np.unique(companions.kinds)) <= draws
        # A different random stream from the one that draws points.
        random = np.random.default_rng([seed, 0, draws])
        drawn = np.arange(n_people) if exact else np.sort(random.choice(n_people, draws, replace=False))
        kinds, kind_of_drawn, people = np.unique(companions.kinds[drawn], return_inverse=True, return_counts=True)
        gains = trajectory_gains(companions, kinds.tolist())
    rig = np.array(gains)
    total = math.fsum(gain * number for gain, number in zip(gains, people.tolist(), strict=True))
    mean = total / len(drawn)
    ranked = RankedRows.of(rig, people)
    median, p95, largest = people_quantiles(ranked.at, ranked.n_people, [0.5, 0.95, 1.0])
    # The group is everyone with these points, whether drawn or not.
    factor = personal_information_factor(rig, companions.cohorts[kinds])
    at_pif = rig / companions.cohorts[kinds] >= factor.pif * (1 - SAME)
    low, high = (mean, mean) if exact else mean_interval(rig[kind_of_drawn].tolist(), n_people)
    return TrajectoryGain(
        people=len(drawn),
        rig={"mean": mean, "p50": median, "p95": p95, "max": largest},
        rig_low=low,
        rig_high=high,
        mean_cig_bits=total / int(companions.lengths[drawn].sum()),
        mics=int(companions.cohorts.min()),
        pif=factor.pif,
        rows_at_pif=int(people[at_pif].sum()),
        draws=None if exact else len(drawn),
    )
