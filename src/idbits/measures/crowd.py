"""How many people still share your answers after a question.

Implements: SPEC section 6 (questionnaires); S2 appendix B.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from idbits.measures.answer_groups import AnswerGroups, combined, expected_unique
from idbits.measures.distribution import Distribution

__all__ = ["Answers", "best_order", "bits_given_away", "merged_rarest", "people_with", "together"]

_MOST_ORDERED = 12
# Products of a few shares are off by less than this.
_ROUNDING_ERROR = 1e-12


def people_with(population: int, share: float) -> float:
    """Return the people of a population who have a share; a whole number that rounding has missed is that number.

    >>> 1000 * (0.7 * 0.8 * 0.5), people_with(1000, 0.7 * 0.8 * 0.5), people_with(1000, 0.2817)
    (279.99999999999994, 280.0, 281.7)
    """
    people = population * share
    whole = float(round(people))
    return whole if abs(people - whole) <= _ROUNDING_ERROR * people else people


@dataclass(frozen=True, slots=True)
class Answers:
    """The shares of people who give the same answers to one question, or to several together.

    Attributes:
        largest: the share of people with the most common answer (best case).
        smallest: the share of people with the rarest answer (worst case); None if only the largest, or kappa, is
            known.
        bits: the bits that an answer gives away on average; None if only the largest share is known.
        least_bits: a lower bound of these bits.
        collision: the share of people in an average person's group, sum p^2; None if only the largest, or kappa, is
            known.
        groups: the people by the share of their answer, one part per independent question; None in the same cases.
    """

    largest: float
    smallest: float | None
    bits: float | None
    least_bits: float
    collision: float | None
    groups: tuple[AnswerGroups, ...] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, distribution: Distribution) -> Answers:
        """Return the answers with this distribution.

        >>> Answers.of(Distribution.of([0.5, 0.25, 0.25])).bits
        1.5
        """
        bits = distribution.entropy_bits
        p = distribution.probabilities
        return cls(float(p[-1]), float(p[0]), bits, bits, distribution.collision, (AnswerGroups.of(distribution),))

    @classmethod
    def from_largest(cls, largest: float) -> Answers:
        """Return what is known if only the share of the most common answer is.

        The entropy is least with as many answers of that share as fit, and one answer for the rest.

        >>> Answers.from_largest(0.5).least_bits
        1.0
        """
        # With a small tolerance: three answers of 1/3 are three, whatever the last digit of 1/3 is.
        n = math.floor(1 / largest + 1e-9)
        rest = max(0.0, 1 - n * largest)
        least = n * largest * -math.log2(largest) + (rest * -math.log2(rest) if rest > 1e-12 else 0.0)
        return cls(largest, None, None, least, None)

    @classmethod
    def from_kappa(cls, kappa_nats: float, n_values: int) -> Answers:
        """Return what is known if only kappa and the number of possible answers are.

        The entropy is log2 N - kappa / ln 2, exactly. The most common answer has at most the share p for which one
        answer of p and N - 1 equal ones still have that entropy: h(p) + (1 - p) log2 (N - 1), which falls above 1/N.

        Implements: S2 4.3 (kappa); SPEC section 6.

        >>> round(Answers.from_kappa(0.0, 4).largest, 6), Answers.from_kappa(0.0, 4).least_bits
        (0.25, 2.0)
        """
        bits = max(0.0, math.log2(n_values) - kappa_nats / math.log(2))
        low, high = 1 / n_values, 1.0
        for _ in range(100):
            middle = (low + high) / 2
            spread = math.fsum(-part * math.log2(part) for part in (middle, 1 - middle) if part > 0)
            most = spread + (1 - middle) * math.log2(max(1, n_values - 1))
            low, high = (middle, high) if most >= bits else (low, middle)
        return cls(high, None, bits, bits, None)

    @classmethod
    def ticks(cls, shares: Sequence[float]) -> Answers:
        """Return the answers to a question with several ticks, each set independently by its share of people.

        >>> Answers.ticks([0.5, 0.5]).bits
        2.0
        """
        parts = [cls.of(Distribution.of([share, 1 - share])) for share in shares]
        return together(parts)

    def with_refusals(self, refused: float) -> Answers:
        """Return the answers when a share of people refuses to answer, which counts as a separate answer.

        Only for answers whose shares are all known.

        >>> Answers.of(Distribution.of([0.5, 0.5])).with_refusals(0.5).largest
        0.5
        """
        if not refused:
            return self
        kept = 1 - refused
        assert self.bits is not None
        assert self.smallest is not None
        assert self.collision is not None
        assert self.groups is not None
        bits = Distribution.of([refused, kept]).entropy_bits + kept * self.bits
        return Answers(
            max(kept * self.largest, refused),
            min(kept * self.smallest, refused),
            bits,
            bits,
            kept * kept * self.collision + refused * refused,
            (combined(self.groups).with_refusals(refused),),
        )

    def with_skips(self, skipped: float) -> Answers:
        """Return the answers when a share of people is not asked, which reveals nothing about them.

        >>> Answers.of(Distribution.of([0.5, 0.5])).with_skips(0.5).bits
        0.5
        """
        if not skipped:
            return self
        asked = 1 - skipped
        return Answers(
            1.0,
            self.smallest if asked else 1.0,
            asked * self.bits if self.bits is not None else None,
            asked * self.least_bits,
            skipped + asked * self.collision if self.collision is not None else None,
            (combined(self.groups).with_skips(skipped),) if self.groups is not None else None,
        )

    def unique_people(self, population: int) -> float | None:
        """Return the expected number of people with answers that nobody else gives; None if that is not known.

        >>> Answers.of(Distribution.of([0.5, 0.5])).unique_people(2)
        1.0
        """
        return expected_unique(self.groups, population) if self.groups is not None else None


def together(parts: Iterable[Answers]) -> Answers:
    """Return the combined answers to several independent questions.

    >>> together([Answers.from_largest(0.5), Answers.from_largest(0.1)]).largest
    0.05
    """
    parts = list(parts)
    smallest = [part.smallest for part in parts if part.smallest is not None]
    bits = [part.bits for part in parts if part.bits is not None]
    collision = [part.collision for part in parts if part.collision is not None]
    groups = [part.groups for part in parts if part.groups is not None]
    return Answers(
        math.prod((part.largest for part in parts), start=1.0),
        math.prod(smallest, start=1.0) if len(smallest) == len(parts) else None,
        math.fsum(bits) if len(bits) == len(parts) else None,
        math.fsum(part.least_bits for part in parts),
        math.prod(collision, start=1.0) if len(collision) == len(parts) else None,
        tuple(itertools.chain.from_iterable(groups)) if len(groups) == len(parts) else None,
    )


def bits_given_away(before: float, after: float) -> float:
    """Return the bits that reduce a group from ``before`` to ``after`` people: log2(before / after).

    >>> bits_given_away(8, 2)
    2.0
    """
    return math.log2(before / after)


def best_order(
    names: Sequence[str], bits: Mapping[frozenset[str], float], most_exact: int = _MOST_ORDERED
) -> list[str]:
    """Return the order that keeps groups large for longest: the smallest sum of bits given away so far.

    ``bits`` is what every set of questions gives away. Up to ``most_exact`` questions are ordered exactly (by sets of
    questions already asked); for more, each step takes the question that adds least.

    >>> best_order(["a", "b"], {frozenset(): 0, frozenset("a"): 3, frozenset("b"): 1, frozenset("ab"): 4})
    ['b', 'a']
    """
    if len(names) > most_exact:
        return _greedy(names, bits)
    best: dict[frozenset[str], tuple[float, tuple[str, ...]]] = {frozenset(): (0.0, ())}
    for _ in names:
        after: dict[frozenset[str], tuple[float, tuple[str, ...]]] = {}
        for asked, (cost, order) in best.items():
            for name in names:
                if name in asked:
                    continue
                now = asked | {name}
                total = cost + bits[now]
                if now not in after or total < after[now][0] - 1e-12:
                    after[now] = (total, (*order, name))
        best = after
    return list(best[frozenset(names)][1]) if names else []


def _greedy(names: Sequence[str], bits: Mapping[frozenset[str], float]) -> list[str]:
    order: list[str] = []
    while len(order) < len(names):
        left = [name for name in names if name not in order]
        order.append(min(left, key=lambda name: bits[frozenset([*order, name])]))
    return order


def merged_rarest(probabilities: Sequence[float]) -> list[float]:
    """Return the probabilities with the two smallest merged, the smallest possible coarsening.

    >>> merged_rarest([0.5, 0.125, 0.375])
    [0.5, 0.5]
    """
    ordered = np.sort(np.asarray(probabilities, dtype=np.float64))[::-1].tolist()
    return sorted([*ordered[:-2], ordered[-2] + ordered[-1]], reverse=True)
