"""Links between records and people, whichever way they were found."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers, PairCounts
from idbits.measures.linkage.candidates import CandidateCounts
from idbits.measures.linkage.sensitive import SensitiveLink
from idbits.studies.link.result import TruthFigures

__all__ = ["Links", "RecordLinks", "truth_figures"]


@dataclass(frozen=True, slots=True, eq=False)
class RecordLinks:
    """The links of each record.

    Attributes:
        numbers: the number of each record in its source; None if the source has no order.
        candidates: the people who fit it.
        rivals: the records that fit the candidate, if there is only one.
        claimed: the row of the person whom a one-to-one record claims, -1 if it claims nobody.
        claimed_numbers: the numbers of the rows of the second table in its source.
        in_both: whether the record's person is in the second table, if the truth is known.
        among: whether that person is among the candidates.
        probabilities: the probability of each claim, 0 without one, if claims have probabilities.
        is_right: whether each record claims its person, if that does not follow from ``among``.
    """

    numbers: Integers | None
    candidates: Integers
    rivals: Integers
    claimed: Integers
    claimed_numbers: Integers | None
    in_both: NDArray[np.bool_] | None = None
    among: NDArray[np.bool_] | None = None
    probabilities: Floats | None = None
    is_right: NDArray[np.bool_] | None = None

    @property
    def right(self) -> NDArray[np.bool_] | None:
        """Whether each record claims its person, if the truth is known."""
        if self.is_right is not None:
            return self.is_right
        return None if self.among is None else (self.claimed >= 0) & self.among


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """What comparing two tables gave.

    Attributes:
        counts: the candidates of all records.
        by_columns: the same for subsets of the compared columns, by their masks.
        pairs: the values of both tables, if they are compared as equal.
        records: the links of each record, if they are needed.
        sensitive: what people give away about columns of the release.
        without_common_value: the indices of compared columns of which no value occurs in both tables.
    """

    counts: CandidateCounts
    by_columns: dict[int, CandidateCounts]
    pairs: PairCounts | None = None
    records: RecordLinks | None = None
    sensitive: tuple[SensitiveLink, ...] = ()
    without_common_value: tuple[int, ...] = ()


def truth_figures(records: RecordLinks) -> TruthFigures:
    """Compare the claims with the truth."""
    assert records.in_both is not None
    assert records.among is not None
    is_claimed = records.claimed >= 0
    n_claims, in_both = int(is_claimed.sum()), int(records.in_both.sum())
    assert records.right is not None
    right = int(records.right.sum())
    guessed = np.bincount(records.candidates[records.among])
    return TruthFigures(
        in_both=in_both,
        claims=n_claims,
        right=right,
        wrong=n_claims - right,
        missed=int((records.in_both & ~is_claimed).sum()),
        precision=right / n_claims if n_claims else None,
        recall=right / in_both if in_both else None,
        among_candidates=int((records.among & (records.candidates > 1)).sum()),
        expected_right=math.fsum(number / size for size, number in enumerate(guessed.tolist()) if number),
    )
