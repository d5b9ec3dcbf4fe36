"""Links by odds, with everything that is known about them."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.measures.linkage.candidates import CandidateCounts
from idbits.measures.linkage.claims import CalibrationBin, ClaimCounts
from idbits.studies.link.links import RecordLinks
from idbits.studies.link.probabilistic.result import BlockFigures, ClaimProbability, LevelWeight, LikelyPairs, MeanClaim

__all__ = ["ProbabilisticLinks"]


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilisticLinks:
    """Everything that probabilistic linkage finds.

    Attributes:
        counts, records: the likely candidates of records.
        likely_pairs: pairs at or above the threshold by o/(1 + o).
    """

    counts: CandidateCounts
    records: RecordLinks
    weights: tuple[LevelWeight, ...]
    blocks: tuple[BlockFigures, ...]
    matches_expected: float
    thresholds: tuple[ClaimCounts, ...]
    match_probability: ClaimProbability | None
    calibration: tuple[CalibrationBin, ...] | None
    likely_pairs: LikelyPairs
    notes: tuple[str, ...]
    mean_claim: MeanClaim | None = None
