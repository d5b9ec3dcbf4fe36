"""What probabilistic linkage finds: weights, expected matches, and claims."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.measures.linkage.candidates import CandidateCounts
from idbits.measures.linkage.claims import CalibrationBin, ClaimCounts
from idbits.studies.link.links import RecordLinks

__all__ = ["BlockFigures", "ClaimProbability", "LevelWeight", "ProbabilisticLinks"]


@dataclass(frozen=True, slots=True)
class LevelWeight:
    """What one level of agreement tells: its chances for the same person and for two people, and log2 of their ratio."""

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


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilisticLinks:
    """Everything that probabilistic linkage finds.

    Attributes:
        counts, records: the likely candidates of records.
        likely_pairs, likely_true: pairs at or above the threshold by o/(1 + o), and how many are the same person.
    """

    counts: CandidateCounts
    records: RecordLinks
    weights: tuple[LevelWeight, ...]
    blocks: tuple[BlockFigures, ...]
    matches_expected: float
    thresholds: tuple[ClaimCounts, ...]
    match_probability: ClaimProbability | None
    calibration: tuple[CalibrationBin, ...] | None
    likely_pairs: int
    likely_true: int
    notes: tuple[str, ...]
