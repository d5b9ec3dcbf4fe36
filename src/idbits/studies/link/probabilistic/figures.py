"""Puts the figures of links by odds into the answer."""

from __future__ import annotations

from dataclasses import replace

from idbits.studies.link.probabilistic.links import ProbabilisticLinks
from idbits.studies.link.probabilistic.result import ODDS_FIGURES
from idbits.studies.link.result import Linkage, RightNumbers

__all__ = ["with_odds"]


def with_odds(answer: Linkage, links: ProbabilisticLinks) -> Linkage:
    """Return the answer with weights, expected matches and claims; right claims are expected by their probabilities."""
    claims = links.thresholds[0]
    expected = claims.expected_right
    reasons = {name: reason for name, reason in answer.reasons.items() if name not in (*ODDS_FIGURES, "right.expected")}
    if links.calibration is None:
        reasons["calibration"] = "no column that identifies people was given (--truth)"
    if links.match_probability is None:
        reasons |= dict.fromkeys(("match_probability", "mean_claim"), "no claim is likely enough")
    reasons["right.expected_claims"] = "see thresholds: claims have probabilities"
    return replace(
        answer,
        right=RightNumbers(0, expected, None, None, None, answer.right.at_most),
        weights=links.weights,
        pair_blocks=links.blocks,
        matches_expected=links.matches_expected,
        likely_pairs=links.likely_pairs,
        match_probability=links.match_probability,
        mean_claim=links.mean_claim,
        thresholds=links.thresholds,
        calibration=links.calibration,
        reasons=reasons,
    )
