"""From links to the figures of the answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idbits.counts import PairCounts
from idbits.measures.disclosure.presence import Presence, presence
from idbits.measures.entropy import surprisal_bits
from idbits.measures.linkage.candidates import CandidateCounts
from idbits.measures.linkage.coverage import Interval, right_links
from idbits.studies.link.links import Links, truth_figures
from idbits.studies.link.probabilistic.result import ODDS_FIGURES
from idbits.studies.link.question import CERTAINTY, LinkQuestion
from idbits.studies.link.result import CandidateBin, CurvePoint, Linkage, RightNumbers

__all__ = ["linkage_of"]

_ONLY_EQUAL = "it is counted only if values must be equal"
_ONLY_ODDS = "only for links by odds (--probabilistic)"
_UNKNOWN = "it needs --coverage, the share of people who are in the second table, or --truth"


def linkage_of(
    question: LinkQuestion, links: Links, mode: str, n_records: int, n_people: int, added_bits: float | None
) -> Linkage:
    """Return the answer, without rules and notes."""
    counts = links.counts
    right = _right(question, counts, has_claims=links.pairs is not None)
    truth = None if links.records is None or links.records.in_both is None else truth_figures(links.records)
    present = None
    if question.coverage == 1 and links.pairs is not None:
        present = _presence(links.pairs)
    answer = Linkage(
        mode=mode,
        n_records=n_records,
        n_people=n_people,
        on=question.on,
        records=counts.classes(),
        candidates=counts.ambiguous_candidates(),
        candidate_bins=_bins(counts),
        right=right,
        truth=truth,
        coverage=question.coverage,
        identity_bits=counts.identity_bits(),
        max_identity_bits=surprisal_bits([1], n_people)[0],
        also=question.also,
        added_bits=added_bits,
        sensitive=links.sensitive,
        presence=present,
        curve=_curve(question, links),
        reasons={},
    )
    answer.reasons.update(_reasons(answer, question))
    return answer


def _right(question: LinkQuestion, counts: CandidateCounts, *, has_claims: bool) -> RightNumbers:
    if question.coverage is None:
        return RightNumbers(0, None, None, None, None, counts.most_right)
    estimate = right_links(counts, question.coverage)
    guesses, claims = estimate.guesses, estimate.claims if has_claims else None
    if question.coverage == 1:
        claims = claims or Interval(*(3 * [float(counts.classes().one_to_one)]))
        return RightNumbers(
            counts.only_one_candidate, guesses.value, guesses.low, guesses.high, claims, counts.with_candidate
        )
    return RightNumbers(0, guesses.value, guesses.low, guesses.high, claims, counts.most_right)


def _presence(pairs: PairCounts) -> Presence | None:
    """Return who is in the release; everyone of the release is in the second table, apart from nulls."""
    held = pairs.people > 0
    if not held.any():
        return None
    return presence(pairs.records[held], pairs.people[held], pairs.values[held], CERTAINTY)


def _bins(counts: CandidateCounts) -> tuple[CandidateBin, ...]:
    """Return records by the number of candidates: none, 1, 2 to 3, 4 to 7, .."""
    numbers, records = counts.records_by_candidates()
    if counts.nulls:
        numbers, records = np.append(numbers, 0), np.append(records, counts.nulls)
    totals: dict[int, int] = {}
    for number, each in zip(numbers.tolist(), records.tolist(), strict=True):
        totals[number.bit_length()] = totals.get(number.bit_length(), 0) + each
    return tuple(
        CandidateBin(1 << (length - 1) if length else 0, (1 << length) - 1, total)
        for length, total in sorted(totals.items())
        if total
    )


def _curve(question: LinkQuestion, links: Links) -> tuple[CurvePoint, ...]:
    """Return the figures of the beginnings of ``--on``, then of all other subsets that were counted."""
    n_columns = len(question.on)
    beginnings = [(1 << length) - 1 for length in range(1, n_columns + 1)]
    others = sorted(set(links.by_columns) - set(beginnings), key=lambda mask: (mask.bit_count(), _columns(mask)))
    points = []
    for mask in [mask for mask in (*beginnings, *others) if mask in links.by_columns]:
        counts = links.by_columns[mask]
        right = None
        if question.coverage is not None:
            right = right_links(counts, question.coverage).guesses.value
        names = tuple(question.on[index] for index in _columns(mask))
        points.append(CurvePoint(names, mask in beginnings, counts.classes().one_to_one, counts.identity_bits(), right))
    return tuple(points)


def _columns(mask: int) -> Sequence[int]:
    return [index for index in range(mask.bit_length()) if mask >> index & 1]


def _reasons(answer: Linkage, question: LinkQuestion) -> dict[str, str]:
    """Return why figures do not exist."""
    no_truth = "no column that identifies people was given (--truth)"
    known = _UNKNOWN if question.truth is None else "the truth is given: see truth.expected_right"
    truth = answer.truth
    missing = {
        "candidates": (answer.candidates, "no record has several candidates"),
        "right.expected": (answer.right.expected, known),
        "right.expected_claims": (answer.right.expected_claims, known if question.coverage is None else _ONLY_EQUAL),
        "truth": (truth, no_truth),
        "truth.precision": (truth is None or truth.precision, "no record claims a person"),
        "truth.recall": (truth is None or truth.recall, "no ID is in both tables"),
        "identity_bits": (answer.identity_bits, "no record has a candidate"),
        "added_bits": (answer.added_bits, "no further columns of the second table were given (--also)"),
        "presence": (answer.presence, "it needs --coverage 1 and values that must be equal"),
        "curve": (answer.curve or None, _ONLY_EQUAL),
        **dict.fromkeys(ODDS_FIGURES, (answer.weights, _ONLY_ODDS)),
    }
    return {key: reason for key, (value, reason) in missing.items() if value is None}
