"""Limits of the population's figures that need no model, for samples that no model explains.

Implements: SPEC page population.md, 8.4 and 8.5 (what stays if nothing can be estimated). A set has at least its people
in the sample, c <= F <= c + N - n, and the share of sample uniques that are population uniques is within its bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from idbits.counts import Spectrum

__all__ = ["FigureLimits", "model_free_limits"]

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class FigureLimits:
    """The lower and the upper limit of each figure, and of the people in groups smaller than 5 and 10."""

    figures: dict[str, Ends]
    people_below: dict[str, Ends]


def model_free_limits(spectrum: Spectrum, people: float, low: float, high: float) -> FigureLimits:
    """Return the limits of all figures, from those of pi.

    >>> limits = model_free_limits(Spectrum.of({1: 2, 2: 1}), 40, 0.0, 1.0).figures
    >>> limits["tau1"], limits["correctness"]
    ((0.0, 2.0), (0.075, 0.75))
    """
    n, n_sets = spectrum.n_people, spectrum.n_sets
    uniques = int(spectrum.sets[spectrum.sizes == 1].sum())
    rest = people - n
    # Sample uniques that are not population uniques share their values with at least one person.
    tau2 = (uniques * (low + (1 - low) / (rest + 1)), uniques * (1 + high) / 2)
    hidden = _hidden_bits(spectrum, rest, low, high)
    all_bits = math.log2(people)
    figures = {
        "tau1": (uniques * low, uniques * high),
        "tau2": tau2,
        "unique_share": (uniques * low / n, uniques * high / n),
        "uniques": (uniques * low * people / n, uniques * high * people / n),
        "correctness": (max(n_sets / people, tau2[0] / n), (tau2[1] + n_sets - uniques) / n),
        "entropy_bits": (max(0.0, all_bits - hidden[1]), all_bits - hidden[0]),
        "k_hat": (math.exp2(hidden[0]), min(people, math.exp2(hidden[1]))),
    }
    small = {str(limit): int(spectrum.people[spectrum.sizes < limit].sum()) for limit in (5, 10)}
    below = {limit: (figures["uniques"][0], number * people / n) for limit, number in small.items()}
    return FigureLimits(figures, below)


def _hidden_bits(spectrum: Spectrum, rest: float, low: float, high: float) -> Ends:
    """Return the limits of the mean of log2 F over the people of the sample."""
    uniques = int(spectrum.sets[spectrum.sizes == 1].sum())
    larger = spectrum.sizes > 1
    people, sizes = spectrum.people[larger], spectrum.sizes[larger].astype(np.float64)
    least = uniques * (1 - high) + math.fsum(people * np.log2(sizes))
    most = uniques * (1 - low) * math.log2(rest + 1) + math.fsum(people * np.log2(sizes + rest))
    return least / spectrum.n_people, most / spectrum.n_people
