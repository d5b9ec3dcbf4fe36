"""Utility: how much of the relationships between columns, beyond chance, a treated table preserves.

Implements: SPEC section 4; S3 IV.E, minus the chance level. Plug-in mutual information is above 0 even for unrelated
columns, and in a table with many values and few people it is almost entirely due to chance.
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
"""How often a table of independent columns may seem to have a relationship."""

ColumnPair = tuple[str, str]
"""Two columns, by their names in the original."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The relationship between two columns.

    Attributes:
        mutual_information_bits: their plug-in mutual information.
        chance_bits: its mean over all ways to shuffle one of them.
        p_value: the probability that a shuffle shows as much.
    """

    mutual_information_bits: float
    chance_bits: float
    p_value: float

    def bits_beyond_chance(self, error_rate: float) -> float:
        """Return mutual information minus its chance level; 0 if a shuffle could easily show as much."""
        beyond = self.mutual_information_bits - self.chance_bits
        return max(0.0, beyond) if self.p_value <= error_rate else 0.0


def relation_of(first: Spectrum, second: Spectrum, both: Spectrum) -> Relation:
    """Return the relationship between two columns, from their spectra and that of both together.

    >>> relation = relation_of(Spectrum.of({50: 2}), Spectrum.of({50: 2}), Spectrum.of({50: 2}))
    >>> relation.mutual_information_bits, round(relation.chance_bits, 4), relation.p_value < 1e-20
    (1.0, 0.0073, True)
    """
    bits = mutual_information_bits(entropy_bits(first), entropy_bits(second), entropy_bits(both))
    chance = chance_of(first, second)
    return Relation(bits, chance.mean_bits, chance.p_value(bits))


@dataclass(frozen=True, slots=True)
class ColumnRelations:
    """The pairs of columns that are related beyond chance, and by how much.

    Attributes:
        bits: the bits beyond chance of each such pair.
        error_rate: the error rate of each test, so that all of them together have ``ERROR_RATE`` (Bonferroni).
    """

    bits: dict[ColumnPair, float]
    error_rate: float

    @classmethod
    def of(cls, views: Iterable[Mapping[ColumnPair, Relation]]) -> ColumnRelations:
        """Test the original and coarser views of it.

        A coarser view never has a stronger relationship than its source, so a relationship in a view is also in the
        original, even if the original has too many values to show it: we take the largest.

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
        """Return the bits beyond chance that a treated table preserves for these pairs.

        Coarser views that can be made from the treated table count too: a relationship in them is also in the table.

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
    """Return the bits beyond chance of a treated table as a share of the original's; None if the original has none.

    Only pairs that have bits beyond chance in the original count. 1 means that nothing is lost; a finer or a noisy
    release can be above 1. Implements: S3 IV.E (mu).

    >>> utility_kept({("a", "b"): 0.5, ("a", "c"): 9.0}, {("a", "b"): 2.0}), utility_kept({}, {})
    (0.25, None)
    """
    everything = math.fsum(original.values())
    return math.fsum(treated.get(pair, 0.0) for pair in original) / everything if everything > 0 else None
