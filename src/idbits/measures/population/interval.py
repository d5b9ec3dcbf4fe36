"""The interval of an estimate: what resampling shows, and what it cannot show.

Implements: SPEC page population.md, 8.5 and 8.8b, and one part more than these: the distance to a model of independent
columns. docs/explanation/population.md shows what it changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scipy.special import expit, ndtri

from idbits.measures.population.self_validation import SelfValidation, logit

__all__ = ["IntervalParts", "half_distance", "half_way", "standard_deviation"]

_MODEL_ERROR = 0.08
_MOST_VALIDATION = 0.5
_MOST_INDEPENDENCE = 0.5
_MOST_INDEPENDENCE_TIMES_FRACTION = 0.025
_UNKNOWN = 0.5
_LEAST_HALF_WIDTH = 0.03
_LEAST_SHARE = 1e-9


@dataclass(frozen=True, slots=True)
class IntervalParts:
    """The parts of the uncertainty of pi, in logits.

    Attributes:
        bootstrap: refits of resampled sets.
        binomial: how many of the sample uniques happen to be population uniques.
        model: error of the model that grows with what is not in the sample, .08 ln(1/f).
        validation: the error of the method on the sample itself.
        disagreement: half the distance to Pitman's estimate.
        independence: half the distance to the log-linear model of independent columns, at most 0.5, or 0.025/f if
            that is more: the larger the sample, the better it shows by itself whether columns are independent.
        prior: half the effect of a prior that a sample of less than 1% cannot overrule; it is added, not squared.
    """

    bootstrap: float
    binomial: float
    model: float
    validation: float
    disagreement: float
    independence: float = 0.0
    prior: float = 0.0

    @classmethod
    def of(
        cls,
        pi: float,
        uniques: int,
        fraction: float,
        bootstrap: float,
        validation: SelfValidation | None,
        pitman: float | None,
        log_linear: float | None = None,
        prior: float = 0.0,
    ) -> IntervalParts:
        """Compute the parts; a check that could not be made counts as an error of half a logit."""
        return cls(
            bootstrap,
            1 / math.sqrt(uniques * pi * (1 - pi) + 0.5),
            _MODEL_ERROR * math.log(1 / fraction),
            _UNKNOWN if validation is None else min(_MOST_VALIDATION, validation.error_logit),
            _UNKNOWN if pitman is None else half_distance(pi, pitman),
            0.0 if log_linear is None else min(half_distance(pi, log_linear), _most_independence(fraction)),
            prior,
        )

    def around(self, pi: float, level: float) -> tuple[float, float]:
        """Return the interval of pi at a confidence level; it is at least pi - .03 to pi + .03.

        >>> parts = IntervalParts(0.0, 0.0, 0.0, 0.0, 0.0)
        >>> [round(end, 9) for end in parts.around(0.5, 0.9)]
        [0.47, 0.53]
        """
        spread = math.hypot(
            self.bootstrap, self.binomial, self.model, self.validation, self.disagreement, self.independence
        )
        half = float(ndtri((1 + level) / 2)) * spread + self.prior
        middle = logit(pi, _LEAST_SHARE)
        low, high = float(expit(middle - half)), float(expit(middle + half))
        return max(0.0, min(low, pi - _LEAST_HALF_WIDTH)), min(1.0, max(high, pi + _LEAST_HALF_WIDTH))


def _most_independence(fraction: float) -> float:
    return max(_MOST_INDEPENDENCE, _MOST_INDEPENDENCE_TIMES_FRACTION / fraction)


def half_distance(first: float, second: float) -> float:
    """Return half the distance of two shares in logits.

    >>> round(half_distance(0.5, 0.0001), 4)
    4.6051
    """
    return abs(logit(first, _LEAST_SHARE) - logit(second, _LEAST_SHARE)) / 2


def half_way(pi: float, end: float) -> float:
    """Return the share half way from pi to an end of its interval, in logits; 0 and 1 have no half way.

    >>> round(half_way(0.5, 0.9), 6), half_way(0.5, 0.0), half_way(0.5, 1.0)
    (0.75, 0.0, 1.0)
    """
    if end <= 0 or end >= 1:
        return end
    return float(expit((logit(pi, _LEAST_SHARE) + logit(end, _LEAST_SHARE)) / 2))


def standard_deviation(shares: Iterable[float]) -> float:
    """Standard deviation of shares in logits, with n - 1."""
    logits = [logit(share, _LEAST_SHARE) for share in shares]
    mean = math.fsum(logits) / len(logits)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in logits) / (len(logits) - 1))
