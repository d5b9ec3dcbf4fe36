"""Utility kept: how much of what columns say about each other, beyond chance, a treated table still says.

Implements: SPEC section 4; S3 IV.E, with the chance level taken off. Plug-in mutual information is above 0 for columns
that have nothing to do with each other, and a table of many values and few people shows hardly anything else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from idbits.counts import Spectrum
from idbits.measures.chance import chance_of
from idbits.measures.entropy import entropy_bits, mutual_information_bits

__all__ = ["ERROR_RATE", "ColumnPair", "ColumnRelations", "Relation", "relation_of", "utility_kept"]

ERROR_RATE = 0.01
"""How often a table whose columns are all independent may seem to hold a relation."""

ColumnPair = tuple[str, str]
"""Two columns, by the names that they have in the original."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What two columns say about each other.

    Attributes:
        mutual_information_bits: their plug-in mutual information.
        chance_bits: its mean over all ways to shuffle one of them.
        p_value: how probable it is that a shuffle shows as much.
    """

    mutual_information_bits: float
    chance_bits: float
    p_value: float

    def bits_beyond_chance(self, error_rate: float) -> float:
        """Return mutual information less its chance level; 0 where a shuffle may well show as much."""
        beyond = self.mutual_information_bits - self.chance_bits
        return max(0.0, beyond) if self.p_value <= error_rate else 0.0


def relation_of(first: Spectrum, second: Spectrum, both: Spectrum) -> Relation:
    """Return what two columns say about each other, from their spectra and that of both together.

    >>> relation = relation_of(Spectrum.of({50: 2}), Spectrum.of({50: 2}), Spectrum.of({50: 2}))
    >>> relation.mutual_information_bits, round(relation.chance_bits, 4), relation.p_value < 1e-20
    (1.0, 0.0073, True)
    """
    bits = mutual_information_bits(entropy_bits(first), entropy_bits(second), entropy_bits(both))
    chance = chance_of(first, second)
    return Relation(bits, chance.mean_bits, chance.p_value(bits))


@dataclass(frozen=True, slots=True)
class ColumnRelations:
    """The pairs of columns that say more about each other than chance would, and how much more.

    Attributes:
        bits: of each such pair, the bits beyond chance.
        error_rate: what each relation was tested at, so that all of them together are at ``ERROR_RATE`` (Bonferroni).
    """

    bits: dict[ColumnPair, float]
    error_rate: float

    @classmethod
    def of(cls, views: Iterable[Mapping[ColumnPair, Relation]]) -> ColumnRelations:
        """Test what the original says, and what coarser views of it say.

        A coarser view never says more than what it was made from, so that whatever shows in one is in the original,
        even where the original has too many values to show it: the largest counts.

        >>> ColumnRelations.of([{("a", "b"): Relation(1.5, 0.5, 1e-9), ("a", "c"): Relation(0.5, 0.4, 0.2)}])
        ColumnRelations(bits={('a', 'b'): 1.0}, error_rate=0.005)
        """
        relations = [(pair, relation) for view in views for pair, relation in view.items()]
        error_rate = ERROR_RATE / max(1, len(relations))
        bits_by_pair: dict[ColumnPair, float] = {}
        for pair, relation in relations:
            bits = relation.bits_beyond_chance(error_rate)
            if bits > 0:
                bits_by_pair[pair] = max(bits_by_pair.get(pair, 0.0), bits)
        return cls(bits_by_pair, error_rate)

    @property
    def total_bits(self) -> float:
        """The bits beyond chance of all pairs."""
        return math.fsum(self.bits.values())

    def kept_by(self, *views: Mapping[ColumnPair, Relation]) -> dict[ColumnPair, float]:
        """Return what a treated table says beyond chance about the pairs that count.

        Coarser views that can be made from the treated table come along: what shows in them is in it.

        >>> fine, coarse = {("a", "b"): Relation(1.2, 1.1, 0.4)}, {("a", "b"): Relation(0.5, 0.1, 1e-9)}
        >>> original = ColumnRelations({("a", "b"): 0.5}, 0.01)
        >>> original.kept_by(fine), original.kept_by(fine, coarse)
        ({('a', 'b'): 0.0}, {('a', 'b'): 0.4})
        """
        kept: dict[ColumnPair, float] = {}
        for view in views:
            for pair in self.bits.keys() & view.keys():
                kept[pair] = max(kept.get(pair, 0.0), view[pair].bits_beyond_chance(self.error_rate))
        return kept


def utility_kept(treated: Mapping[ColumnPair, float], original: Mapping[ColumnPair, float]) -> float | None:
    """Return the bits beyond chance of a treated table as a share of the original's; None where that has none.

    Only pairs that have bits beyond chance in the original count. 1 means that nothing is lost; a finer or a noisy
    release can be above 1. Implements: S3 IV.E (mu).

    >>> utility_kept({("a", "b"): 0.5, ("a", "c"): 9.0}, {("a", "b"): 2.0}), utility_kept({}, {})
    (0.25, None)
    """
    everything = math.fsum(original.values())
    return math.fsum(treated.get(pair, 0.0) for pair in original) / everything if everything > 0 else None
