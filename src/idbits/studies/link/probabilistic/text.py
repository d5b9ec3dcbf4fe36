"""How links by odds are shown: what each agreement tells, claims by their probability, and whether these are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.render.blocks import TableBlock
from idbits.render.numbers import bits, count, decimal, percent, share, written_out
from idbits.values.agreement import Agreement, parse_level
from idbits.wording import counted, joined

if TYPE_CHECKING:
    from idbits.studies.link.result import Linkage

__all__ = [
    "block_table", "calibration_table", "claimed_sentence", "claims_sentences", "mean_claim_table", "odds_tables",
    "threshold_table", "weight_table",
]  # fmt: skip

_LEVELS = {
    Agreement.EQUAL: "equal",
    Agreement.ELSE: "different",
    Agreement.JARO_WINKLER: "similar (Jaro-Winkler {})",
    Agreement.EDIT: "at most {} edits apart",
    Agreement.DAYS: "at most {} days apart",
    Agreement.PERCENT: "at most {}% apart",
}


def claimed_sentence(answer: Linkage) -> str:
    """Say how many records claim a person."""
    assert answer.thresholds is not None
    claims = answer.thresholds[0]
    if not claims.claims:
        return (
            f"None of {counted(answer.n_records, 'record')} claims a person with a probability of {percent(claims.p)}."
        )
    return (
        f"{count(claims.claims)} of {counted(answer.n_records, 'record')} ({share(claims.claims / answer.n_records)}) "
        f"would claim a person of the second table with a probability of at least {percent(claims.p)}."
    )


def claims_sentences(answer: Linkage) -> list[str]:
    """Say how many claims are expected to be right."""
    assert answer.thresholds is not None
    claims = answer.thresholds[0]
    return [
        f"By their probabilities, {decimal(claims.expected_right)} of these claims are right; "
        f"{decimal(answer.matches_expected)} pairs of both tables are expected to be the same person."
    ]


def odds_tables(answer: Linkage) -> list[TableBlock]:
    """Return the tables of links by odds; none for other links."""
    if answer.thresholds is None:
        return []
    tables = [threshold_table(answer), *mean_claim_table(answer), weight_table(answer), block_table(answer)]
    return [*tables, calibration_table(answer)] if answer.calibration is not None else tables


def threshold_table(answer: Linkage) -> TableBlock:
    """Return the claims by their least probability."""
    assert answer.thresholds is not None
    with_truth = answer.truth is not None
    rows = [
        [percent(each.p), count(each.claims), decimal(each.expected_right), decimal(each.expected_wrong),
         *([count(each.right), count(each.wrong)] if with_truth else [])]
        for each in answer.thresholds
    ]  # fmt: skip
    columns = ("probability at least", "claims", "right, expected", "wrong, expected")
    caption = f"{decimal(answer.matches_expected)} pairs of both tables are expected to be the same person."
    return TableBlock(
        "Claims by their probability", (*columns, *(("right", "wrong") if with_truth else ())), rows, caption=caption
    )


def mean_claim_table(answer: Linkage) -> list[TableBlock]:
    """Return what each column adds to the odds of a claim, on average; nothing without claims."""
    claim = answer.mean_claim
    if claim is None:
        return []
    rows = [["any pair of both tables", bits(claim.prior_bits)]]
    rows += [[f"what {each.column} adds", bits(each.bits)] for each in claim.columns]
    rows.append(["a claim", bits(claim.odds_bits)])
    return [
        TableBlock(
            "How the bits of a claim add up, on average",
            ("", "bits"),
            rows,
            caption=f"Mean of {counted(claim.claims, 'claim')}. 0 bits are even odds of being the same person, 10 bits "
            "are odds of 1,024 to 1.",
        )
    ]


def weight_table(answer: Linkage) -> TableBlock:
    """Return what each level of agreement tells."""
    rows = [
        [each.column, _in_words(each.level), share(each.m), share(each.u), bits(each.bits)]
        for each in answer.weights or ()
    ]
    return TableBlock(
        "What each agreement tells",
        ("column", "values are", "same person", "two people", "bits"),
        rows,
        left=(0, 1),
        caption="Bits above 0 speak for the same person, below 0 against. A missing value tells nothing.",
    )


def _in_words(name: str) -> str:
    """Return a level in words: jw0.92 is similar (Jaro-Winkler 0.92)."""
    level = parse_level(name)
    words = _LEVELS[level.agreement].format(written_out(level.limit))
    return words.replace("edits", "edit") if level.limit == 1 else words


def block_table(answer: Linkage) -> TableBlock:
    """Return the pairs that were compared."""
    rows = [
        [joined(each.columns), count(each.pairs), decimal(each.matches_expected)] for each in answer.pair_blocks or ()
    ]
    return TableBlock("Pairs that were compared", ("equal in", "pairs", "matches, expected"), rows)


def calibration_table(answer: Linkage) -> TableBlock:
    """Return the probabilities compared with the truth."""
    rows = [
        [f"{percent(each.low)} to {percent(each.high)}", count(each.pairs), decimal(each.expected), count(each.right)]
        for each in answer.calibration or ()
        if each.pairs
    ]
    return TableBlock(
        "Are the probabilities right?",
        ("probability", "pairs", "right, expected", "right"),
        rows,
        caption="Pairs that are the best for both sides, also those that are not claimed.",
    )
