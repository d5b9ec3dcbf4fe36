"""Figures of probabilistic links: weights of agreement, compared pairs, and probabilities of claims."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ODDS_FIGURES", "BlockFigures", "ClaimProbability", "ColumnBits", "LevelWeight", "LikelyPairs", "MeanClaim"]

ODDS_FIGURES = (
    "weights", "pair_blocks", "matches_expected", "likely_pairs", "match_probability", "mean_claim", "thresholds",
    "calibration",
)  # fmt: skip
"""The figures that only links by odds have."""


@dataclass(frozen=True, slots=True)
class LevelWeight:
    """What one level of agreement tells: its chances for one person (m) and for two (u), and log2 of their ratio."""

    column: str
    level: str
    m: float
    u: float
    bits: float


@dataclass(frozen=True, slots=True)
class BlockFigures:
    """The pairs that are equal in some columns: how many, and how many of them are expected to match."""

    columns: tuple[str, ...]
    pairs: int
    matches_expected: float


@dataclass(frozen=True, slots=True)
class ClaimProbability:
    """The probabilities of claims: their median, and the one that 5% are below."""

    p50: float
    p05: float


@dataclass(frozen=True, slots=True)
class LikelyPairs:
    """Pairs that are as likely as claims must be, each by itself: how many, and how many are right, if that is known.

    A record or a person can be in several.
    """

    pairs: int
    right: int | None


@dataclass(frozen=True, slots=True)
class ColumnBits:
    """What a column tells about a claim, on average, in bits."""

    column: str
    bits: float


@dataclass(frozen=True, slots=True)
class MeanClaim:
    """The mean claim: bits that add up to its odds.

    Attributes:
        claims: how many claims there are.
        prior_bits: log2 of the odds of any pair, before its values are compared.
        columns: what each column adds.
        odds_bits: the sum: the mean of log2 of the odds of the claimed pairs.
    """

    claims: int
    prior_bits: float
    columns: tuple[ColumnBits, ...]
    odds_bits: float
