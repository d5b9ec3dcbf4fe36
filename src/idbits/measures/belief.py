"""What an attacker believes about a feature before seeing the table, and what they then learn.

A belief goes to the engine together with the question: engines count and ask the belief for logarithms. So each formula
exists only once, for this machine and for a cluster.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from idbits.counts import Integers, Value
from idbits.kernels.cohorts import CohortCells, CohortGains
from idbits.measures.gain import (
    Bits,
    Prior,
    believed_units,
    cohort_gains,
    surprisal_units,
    surprise,
    table_surprisal,
    untrusted_log2,
)
from idbits.measures.logarithms import fixed_log2

__all__ = ["CodedBelief", "FeatureBelief"]


@dataclass(frozen=True, slots=True, eq=False)
class FeatureBelief:
    """What the attacker believes about one feature. Implements: SPEC section 4; S3 IV.A, IV.B.

    Attributes:
        accuracy: how far the attacker trusts the table, from 0 to 1.
        weights: the frequency of values in a population, by their text; None to use the distribution of the table.
        smoothing: the share of the table's own distribution in the prior of a population.
    """

    accuracy: float = 1.0
    weights: Mapping[Value, Fraction] | None = None
    smoothing: float = 0.0

    @property
    def of_population(self) -> bool:
        """Whether the prior is that of a population."""
        return self.weights is not None

    @property
    def untrusted_log2(self) -> float:
        """log2(1 - accuracy); -inf for a fully trusted table."""
        return untrusted_log2(self.accuracy) if self.accuracy < 1 else -math.inf

    def log2_units(self, numbers: Integers) -> Integers:
        """Return the logarithms of whole numbers in units of 2^-50."""
        return fixed_log2(numbers)

    def table_surprisal(self, people: Integers, n_people: int) -> Integers:
        """Return the surprisal of values from the number of people who have them, in units of 2^-50."""
        return table_surprisal(people, n_people)

    def surprisal_units(self, share: float) -> int:
        """Return the surprisal of a value with this probability, in units of 2^-50."""
        return surprisal_units(share)

    def population_shares(
        self, labels: Sequence[Value], people: Sequence[int], n_people: int
    ) -> tuple[list[float], list[bool]]:
        """Return the prior of values, and which of them do not occur in the population.

        With smoothing s the prior is (1 - s) times the population's and s times the table's own distribution.

        >>> FeatureBelief(1.0, {"a": Fraction(1)}, 0.5).population_shares(["a", "b"], [1, 3], 4)
        ([0.625, 0.375], [False, True])
        """
        weights = self.weights or {}
        total, smoothing = sum(weights.values()), Fraction(str(self.smoothing))
        shares = [weights.get(label, Fraction(0)) / total for label in labels]
        missing = [not share for share in shares]
        if self.smoothing:
            shares = [
                (1 - smoothing) * share + smoothing * Fraction(number, n_people)
                for share, number in zip(shares, people, strict=True)
            ]
        return [float(share) for share in shares], missing

    def believed_units(self, people: Integers, cohort_people: Integers, expected: Bits) -> Integers:
        """Return what cells add to the gain of their cohort, in units of 2^-50, if the table is partly trusted."""
        return believed_units(people, cohort_people, expected, self.accuracy)

    def by_code(self, people: Integers, labels: Callable[[], Sequence[Value]]) -> CodedBelief:
        """Return the belief about values that are codes; ``labels`` are needed for the prior of a population."""
        if self.weights is None:
            return CodedBelief(Prior.of_counts(people), self.accuracy)
        n_people = int(people.sum())
        shares, missing = self.population_shares(labels(), people.tolist(), n_people)
        lacking = np.array(missing, np.bool_) & (people > 0)
        prior = Prior.of_shares(shares, n_people)
        return CodedBelief(prior, self.accuracy, int(np.count_nonzero(lacking)), int(people[lacking].sum()))


@dataclass(frozen=True, slots=True, eq=False)
class CodedBelief:
    """What the attacker believes about a feature whose values are codes.

    Attributes:
        missing_values, missing_people: values that do not occur in the population, and the people who have them.
    """

    prior: Prior
    accuracy: float
    missing_values: int = 0
    missing_people: int = 0

    def gains(self, cells: CohortCells) -> CohortGains:
        """Return the information gained in each cohort."""
        return cohort_gains(cells, self.prior, self.accuracy)

    def surprise(self, cells: CohortCells, sizes: Integers) -> Bits:
        """Return the cell surprise factor of each cell; ``sizes`` are the people of the cohorts."""
        return surprise(cells, sizes, self.prior, self.accuracy)
