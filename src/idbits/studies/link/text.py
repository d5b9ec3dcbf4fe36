"""How the answer of ``idbits link`` is shown."""

from __future__ import annotations

from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, count, decimal, share
from idbits.studies.link.attacks.text import (
    EXPERIMENTAL,
    attack_in_words,
    attack_not_assessed,
    attack_verdict,
    rates_table,
)
from idbits.studies.link.probabilistic.text import (
    block_table,
    calibration_table,
    claimed_sentence,
    claims_sentences,
    mean_claim_table,
    odds_tables,
    threshold_table,
    weight_table,
)
from idbits.studies.link.result import CurvePoint, Linkage, TruthFigures
from idbits.studies.shared.presentation import show
from idbits.studies.shared.rules_table import rules_table
from idbits.wording import counted, counted_people, joined

__all__ = [
    "EXPERIMENTAL", "attack_in_words", "attack_not_assessed", "attack_verdict", "bits_table", "block_table",
    "calibration_table", "class_table", "curve_table", "link_verdict", "mean_claim_table", "not_assessed",
    "rates_table", "right_table", "sensitive_tables", "threshold_table", "weight_table",
]  # fmt: skip

_MOST_SUBSETS = 10


@show.register
def _(answer: Linkage) -> list[Block]:
    blocks: list[Block] = [
        link_verdict(answer),
        *rules_table(answer.rules),
        class_table(answer),
        *([right_table(answer)] if answer.thresholds is None or answer.truth is not None else []),
        *odds_tables(answer),
    ]
    blocks += [curve_table(answer)] if len(answer.curve) > 1 else []
    blocks += [bits_table(answer), *sensitive_tables(answer), *presence_table(answer)]
    if answer.records_file is not None:
        blocks.append(Paragraph(_about_file(answer)))
    blocks.append(Items("Not assessed", not_assessed(answer)))
    if answer.next_command is not None:
        blocks.append(Command("Next", answer.next_command))
    return blocks


def link_verdict(answer: Linkage) -> Verdict:
    """Say whether people can be named, and how surely."""
    if answer.thresholds is not None:
        return Verdict(*_conclusion(answer), claimed_sentence(answer), tuple(_how_sure(answer)))
    one, n = answer.records.one_to_one, answer.n_records
    verb, they = ("matches", "it does") if one == 1 else ("match", "they")
    sentence = (
        f"{count(one)} of {counted(n, 'record')} ({share(one / n)}) {verb} exactly one person in the second table, "
        f"and only {they}."
        if one
        else f"None of {counted(n, 'record')} matches exactly one person in the second table as the only one."
    )
    level, title = _conclusion(answer)
    return Verdict(level, title, sentence, tuple(_how_sure(answer)))


def _conclusion(answer: Linkage) -> tuple[Level, str]:
    truth, right = answer.truth, answer.right
    if (truth is not None and truth.right > 0) or right.at_least > 0:
        return Level.BAD, "People can be named"
    expected = right.expected if truth is None else truth.expected_right
    if expected is not None and expected >= 1:
        claimed = answer.records.one_to_one > 0 or answer.thresholds is not None
        title = (
            "Names would be claimed, some rightly" if claimed else "Nobody is claimed, but some guesses would be right"
        )
        return Level.BAD, title
    if answer.records.one_to_one:
        return Level.WARN, "Links are claims only"
    if expected is None and right.at_most > 0:
        return Level.WARN, "Nobody is claimed, but guesses may be right"
    return Level.GOOD, "This table does not name anybody"


def _how_sure(answer: Linkage) -> list[str]:
    if answer.truth is not None:
        return [_by_truth(answer.truth)]
    if answer.thresholds is not None:
        return claims_sentences(answer)
    if answer.coverage is None:
        return _without_knowledge(answer)
    right, one = answer.right, answer.records.one_to_one
    guesses = f"{_guesses(right.expected)} ({share((right.expected or 0.0) / answer.n_records)}) would be right"
    people = "everyone" if answer.coverage == 1 else f"{share(answer.coverage)} of the people"
    claims = right.expected_claims
    if not one or (claims is None and answer.coverage < 1):
        return [f"With {people} in it and one guess per record, {guesses}."]
    if claims is None or answer.coverage == 1:
        certain = "this is" if one == 1 else "these are"
        return [f"With everyone in it, {certain} certain, and with one guess per record {guesses}."]
    return [
        f"With {people} in it, about {decimal(claims.value)} of these claims "
        f"({decimal(claims.low)} to {decimal(claims.high)}) are right, and with one guess per record {guesses}."
    ]


def _by_truth(truth: TruthFigures) -> str:
    people = counted_people(truth.in_both)
    if not truth.in_both:
        return "Nobody is in both tables, so no claim can be right."
    if not truth.claims:
        return f"No record claims a person, though {people} {'is' if truth.in_both == 1 else 'are'} in both tables."
    return (
        f"{count(truth.right)} of {counted(truth.claims, 'claim')} ({share(truth.precision)}) "
        f"{'is' if truth.right == 1 else 'are'} right, which is {share(truth.recall)} of {people} in both tables."
    )


def _without_knowledge(answer: Linkage) -> list[str]:
    if answer.records.one_to_one:
        return [
            "This is what an attacker would claim. How many claims are right depends on who is in the second table "
            "(--coverage, --truth)."
        ]
    if not answer.right.at_most:
        return []
    return [
        f"An attacker could still guess among the people who fit: at most {_guesses(answer.right.at_most)} would be "
        "right, depending on who is in the second table (--coverage, --truth)."
    ]


def _guesses(number: float | None) -> str:
    return f"{decimal(number)} {'guess' if number == 1 else 'guesses'}"


def class_table(answer: Linkage) -> TableBlock:
    """Return what happens to the records."""
    classes, n = answer.records, answer.n_records
    rows = {
        "one person, and no other record fits that person": classes.one_to_one,
        "one person, whom other records fit too": classes.crowded,
        "several people": classes.ambiguous,
        "nobody": classes.no_candidate - classes.nulls,
    }
    if classes.nulls:
        rows["nobody, because a value is missing"] = classes.nulls
    found = answer.candidates
    caption = ""
    if found is not None:
        numbers = f"{count(found.min)} to {count(found.max)} candidates, {decimal(found.median)} in the median"
        numbers = f"{count(found.min)} candidates each" if found.min == found.max else numbers
        caption = f"Records that several people fit have {numbers}."
    return TableBlock(
        f"Who fits the records by {joined(answer.on)}",
        ("who fits", "records", "share"),
        [[label, count(number), share(number / n)] for label, number in rows.items()],
        caption=caption,
    )


def right_table(answer: Linkage) -> TableBlock:
    """Return how many links are right."""
    right, truth = answer.right, answer.truth
    rows = []
    if truth is not None:
        rows = [
            ["people in both tables", count(truth.in_both)],
            ["claims", count(truth.claims)],
            ["right claims", count(truth.right)],
            ["wrong claims", count(truth.wrong)],
            ["people in both tables without a claim", count(truth.missed)],
            ["records of several people, the right one among them", count(truth.among_candidates)],
            ["right guesses, one per record, expected", decimal(truth.expected_right)],
        ]
        return TableBlock("How many links are right", ("", "number"), rows, caption="By the truth, which was compared "
                          "with the links afterwards.")  # fmt: skip
    rows.append(["certainly right", count(right.at_least)])
    if right.expected_claims is not None:
        claims = right.expected_claims
        rows.append(["right claims, expected", _with_interval(claims.value, claims.low, claims.high)])
    if right.expected is not None:
        rows.append(
            ["right guesses, one per record, expected",
             _with_interval(right.expected, right.expected_low, right.expected_high)]
        )  # fmt: skip
    rows.append(["at most right", count(right.at_most)])
    caption = ""
    if answer.coverage is not None and answer.coverage < 1:
        caption = (
            "Estimated from the candidates alone: each person is in the second table with a chance of "
            f"{share(answer.coverage)}, independently of all others."
        )
    return TableBlock("How many links are right", ("", "records"), rows, caption=caption)


def _with_interval(value: float, low: float | None, high: float | None) -> str:
    if low is None or high is None or low == high:
        return decimal(value)
    return f"{decimal(value)} ({decimal(low)} to {decimal(high)})"


def curve_table(answer: Linkage) -> TableBlock:
    """Return the figures for fewer columns: the beginnings, and the subsets with most one-to-one records."""
    beginnings = [point for point in answer.curve if point.is_prefix]
    others = [point for point in answer.curve if not point.is_prefix]
    shown = sorted(others, key=lambda point: -point.one_to_one)[:_MOST_SUBSETS]
    with_right = any(point.right is not None for point in answer.curve)
    rows = [_curve_row(answer, point, with_right=with_right) for point in (*beginnings, *shown)]
    rest = len(others) - len(shown)
    caption = f"{counted(rest, 'more combination')} in the JSON output." if rest else ""
    columns = ("columns", "one to one", "share", "bits", *(("right guesses",) if with_right else ()))
    return TableBlock("By columns", columns, rows, caption=caption)


def _curve_row(answer: Linkage, point: CurvePoint, *, with_right: bool) -> list[str]:
    row = [
        joined(point.on),
        count(point.one_to_one),
        share(point.one_to_one / answer.n_records),
        bits(point.identity_bits),
    ]
    return [*row, decimal(point.right)] if with_right else row


def bits_table(answer: Linkage) -> TableBlock:
    """Return what a record tells about its person."""
    rows = [["what a record with candidates tells, on average", bits(answer.identity_bits)]]
    if answer.added_bits is not None:
        rows.append([f"what {joined(answer.also)} adds about a person", bits(answer.added_bits)])
    most = bits(answer.max_identity_bits)
    return TableBlock("Bits", ("", "bits"), rows, caption=f"{most} bits single out everyone in the second table.")


def sensitive_tables(answer: Linkage) -> list[TableBlock]:
    """Return what people of the second table give away without being named."""
    if not answer.sensitive:
        return []
    rows = []
    for each in answer.sensitive:
        mean = None if each.gain_bits is None else each.gain_bits.mean
        rows.append(
            [each.column, count(each.people), count(each.certain), count(each.nearly_certain), bits(mean),
             bits(each.prior_entropy_bits)]
        )  # fmt: skip
    return [
        TableBlock(
            "What people of the second table give away without being named",
            ("column", "people", "certain", "nearly certain", "bits learnt", "of"),
            rows,
            caption="People who share the compared values with a record; certain if all such records have one value.",
        )
    ]


def presence_table(answer: Linkage) -> list[Block]:
    """Return who is in the release at all."""
    found = answer.presence
    if found is None:
        return []
    rows = [
        ["certainly in the release", count(found.certain_in.people)],
        ["certainly not in the release", count(found.certain_out.people)],
    ]
    caption = f"Being in the release: {bits(found.mean_bits)} bits learnt on average."
    return [TableBlock("Who is in the release", ("people of the second table", "people"), rows, caption=caption)]


def _about_file(answer: Linkage) -> str:
    if answer.internal:
        return (
            f"For internal use only: {answer.records_file} links records with rows of the second table; only you can "
            "read it."
        )
    return f"The links of every record are in {answer.records_file}, without values; only you can read it."


def not_assessed(answer: Linkage) -> tuple[str, ...]:
    """Say what the links do not cover."""
    sentences = ["Rows that a filter excludes (--where)."] if answer.filtered else []
    if answer.records.nulls:
        sentences.append(
            f"{counted(answer.records.nulls, 'record')} with a missing value: here they match nobody, whereas measure "
            "counts missing values as equal (--nulls ignore compares the other columns)."
        )
    return (
        *sentences,
        "Other tables that somebody may have, and other columns.",
        "A second table that is out of date or written differently: values that differ do not match.",
        "Releases with the same rows in the same order as the original: use idbits leak for these.",
    )
