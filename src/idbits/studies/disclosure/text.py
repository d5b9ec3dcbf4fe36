"""Disclosure as text: the verdict, what is learnt, how certain it is, the models, and what was not assessed."""

from __future__ import annotations

import math

from idbits.measures.disclosure.certainty import HomogeneousPeople, SuspectedPeople
from idbits.render.blocks import Block, Command, Heading, Items, Paragraph, TableBlock
from idbits.render.numbers import NONE, bits, count, decimal, percent, share, significant, to_places
from idbits.studies.disclosure.result import ColumnDisclosure, Disclosure, DisclosureCategory, Disclosures
from idbits.studies.disclosure.verdict import (
    certain_sentence,
    column_verdict,
    disclosure_verdict,
    guess_sentence,
)
from idbits.studies.shared.presentation import show
from idbits.studies.shared.rules_table import rules_table
from idbits.studies.shared.units import Unit
from idbits.wording import counted, joined

__all__ = ["certain_sentence", "column_verdict", "disclosure_verdict", "guess_sentence", "not_assessed"]

_SHOWN_CATEGORIES = 40


@show.register
def _(answer: Disclosure) -> list[Block]:
    blocks: list[Block] = [disclosure_verdict(answer), *rules_table(answer.rules)]
    for column in answer.sensitive:
        if len(answer.sensitive) > 1:
            blocks.append(Heading(column.column))
        blocks += _column(column, answer)
    if answer.presence is not None:
        blocks += _presence(answer)
    if answer.groups:
        blocks += [_categories(answer, column.column) for column in answer.sensitive]
    if answer.records_file is not None:
        blocks.append(
            Paragraph(f"The figures of every record are in {answer.records_file}, which is as sensitive as the data.")
        )
    blocks.append(Items("Not assessed", not_assessed(answer)))
    if answer.next_command is not None:
        blocks.append(Command("Next", answer.next_command))
    return blocks


@show.register
def _(answers: Disclosures) -> list[Block]:
    blocks: list[Block] = []
    for answer in answers:
        blocks += [Heading(joined(answer.qid)), *answer.blocks()]
    return blocks


def _column(column: ColumnDisclosure, answer: Disclosure) -> list[Block]:
    unit = answer.unit
    blocks: list[Block] = [_learnt(column, unit), _certain(column, answer), _models(column, answer)]
    blocks += [_attackers(column, answer)]
    if column.near is not None:
        near = column.near
        blocks.append(
            Paragraph(
                f"Near values: on average {share(near.mean)} of a group are near a {unit.singular}'s own "
                f"{column.column}, and {share(near.baseline_mean)} of the whole table. For "
                f"{unit.counted(near.people.in_company)} in groups of several it is more than "
                f"{percent(answer.certainty)}."
            )
        )
    if column.worst:
        blocks.append(_worst(column, answer))
    return blocks


def _learnt(column: ColumnDisclosure, unit: Unit) -> TableBlock:
    gain, guess = column.gain_bits, column.guess
    rows = [
        ["bits to learn before", bits(column.prior_entropy_bits)],
        ["still unknown with the group", bits(column.conditional_entropy_bits)],
        ["learnt on average", bits(gain.mean)],
        ["learnt: median, 95th percentile, most", f"{bits(gain.p50)}, {bits(gain.p95)}, {bits(gain.max)}"],
        ["best guess is right before", share(guess.before)],
        [f"about a {unit.singular} not in the table", share(guess.without)],
        [f"about a {unit.singular} in the table", share(guess.after)],
    ]
    caption = ""
    if guess.without is not None and guess.without >= guess.before:
        points = to_places(100 * (guess.after - guess.without), 1)
        caption = f"Being in the table costs {points} percentage points: the difference of the last two rows."
    elif guess.without is not None:
        caption = "A guess from the others in a group is worse here than the most frequent value of all."
    return TableBlock(f"What is learnt about {column.column}", ("", "value"), rows, caption=caption)


def _certain(column: ColumnDisclosure, answer: Disclosure) -> TableBlock:
    certain, nearly, likely = column.certain, column.nearly_certain, column.more_likely
    unit = answer.unit
    rows: list[tuple[str, HomogeneousPeople | SuspectedPeople, int, int]] = [
        ("certain (100%)", certain, certain.people, 0),
        (f"more than {percent(answer.certainty)}", nearly, nearly.right, nearly.wrong),
        ("more than 50%", likely, likely.right, likely.wrong),
    ]
    return TableBlock(
        f"How certain the most frequent {column.column} of a group is",
        ("share of the group", str(unit), "unique", "in groups", "right", "wrong"),
        [
            [name, *map(count, (people.people, people.alone, people.in_company, right, wrong))]
            for name, people, right, wrong in rows
        ],
        caption=f"unique: {unit} in a group of one. in groups: {unit} {unit.who} share their group. right: they have "
        "that value. wrong: they do not, but are suspected of it.",
    )


def _number(value: float | None) -> str:
    if value is None:
        return NONE
    return "infinite" if math.isinf(value) else decimal(value)


def _models(column: ColumnDisclosure, answer: Disclosure) -> TableBlock:
    limits = [[f"(c,{limit})-diversity", _number(c), _beyond(int(limit))] for limit, c in column.recursive.items()]
    rows = [
        ["l-diversity", _number(column.l_distinct), "fewest different values in a group"],
        ["entropy l-diversity", _number(column.l_entropy), "fewest values in effect, if some are rare"],
        *limits,
        [f"recursive l, c = {significant(answer.c, 6)}", _number(column.recursive_l), "largest l that holds"],
        ["alpha", share(column.alpha), "largest share of one value in a group"],
        ["t-closeness", to_places(column.t_equal, 3), "largest difference of a group from everyone"],
        *([label, to_places(value, 3), meaning] for label, value, meaning in _distances(column) if value is not None),
        ["beta-likeness", _number(column.beta), "largest relative increase of a value's share"],
        ["enhanced beta", _number(column.enhanced_beta), _enhanced(column, answer.unit)],
        ["delta, in bits", _number(column.delta_bits), "largest change of a value's probability"],
        ["delta, values present", _number(column.delta_bits_present), "the same, without values a group lacks"],
    ]  # fmt: skip
    return TableBlock("Models of the literature, worst group", ("model", "value", "meaning"), rows, left=(0, 2))


def _beyond(limit: int) -> str:
    """Say what the most frequent value is compared with.

    >>> _beyond(2), _beyond(3)
    ('the most frequent value over all others', 'the most frequent value over all but the 2 most frequent')
    """
    others = "all others" if limit == 2 else f"all but the {limit - 1} most frequent"
    return f"the most frequent value over {others}"


def _distances(column: ColumnDisclosure) -> tuple[tuple[str, float | None, str], ...]:
    return (
        ("t, in order", column.t_ordered, "the same, values in order"),
        ("t, by distance", column.t_distance, "the same, by the distance between values"),
        ("t, by hierarchy", column.t_hierarchical, "the same, by a hierarchy of values"),
    )


def _enhanced(column: ColumnDisclosure, unit: Unit) -> str:
    broken = column.enhanced_beta_violations.people
    return f"no beta holds for the groups of {unit.counted(broken)}" if broken else "the same, stricter for rare values"


def _attackers(column: ColumnDisclosure, answer: Disclosure) -> TableBlock:
    rows = []
    for excluded in column.after_excluding:
        people = excluded.nearly_certain
        if people is None:
            continue
        ruled = f"can rule out {counted(excluded.values, 'value')}" if excluded.values else "knows the columns only"
        rows.append([ruled, share(excluded.max), count(people.in_company)])
    for known in column.after_knowing:
        if known.people:
            others = counted(known.people, "other")
            rows.append([f"knows {others} of the group", share(known.max), count(known.nearly_certain.in_company)])
    return TableBlock(
        "What stronger attackers get",
        ("an attacker who", "most certain", f"{answer.unit} above {percent(answer.certainty)}"),
        rows,
        caption=f"{answer.unit} in groups of several.".capitalize(),
    )


def _worst(column: ColumnDisclosure, answer: Disclosure) -> TableBlock:
    heads: tuple[str, ...] = (str(answer.unit), "values", "largest share", "bits learnt")
    rows = [[count(each.k), count(each.l), share(each.top_share), bits(each.gain_bits)] for each in column.worst]
    if answer.internal:
        heads = ("group", *heads)
        rows = [
            [", ".join("(empty)" if value is None else value for value in each.values), *row]
            for each, row in zip(column.worst, rows, strict=True)
        ]
    left = (0,) if answer.internal else ()
    return TableBlock(f"The groups of several {answer.unit} that give most away", heads, rows, left=left)


def _presence(answer: Disclosure) -> list[Block]:
    found = answer.presence
    assert found is not None
    return [
        TableBlock(
            "Who is in the table",
            ("people of the population", "number"),
            [
                ["certainly in the table", count(found.certain_in.people)],
                [f"in it by more than {percent(answer.certainty)}", count(found.nearly_in.people)],
                ["certainly not in it", count(found.certain_out.people)],
                ["share of a group in the table, least", share(found.delta_min)],
                ["share of a group in the table, most", share(found.delta_max)],
                ["bits learnt, mean and most", f"{bits(found.mean_bits)}, {bits(found.max_bits)}"],
            ],
            caption="Whether somebody is in the table can be as sensitive as what the table says.",
        )
    ]


def _categories(answer: Disclosure, name: str) -> TableBlock:
    rows = []
    for category in answer.groups[:_SHOWN_CATEGORIES]:
        column = next(each for each in category.sensitive if each.column == name)
        certain, nearly = column.certain.in_company, column.nearly_certain.in_company
        rows.append([_category_name(category), count(category.n_people), count(category.k_min), count(certain),
                     count(nearly), share(column.guess.after), bits(column.gain_bits.mean)])  # fmt: skip
    rest = len(answer.groups) - _SHOWN_CATEGORIES
    left_out = f" {count(rest)} more categories are in the JSON answer." if rest > 0 else ""
    return TableBlock(
        f"{name} within each {answer.by}",
        (str(answer.by), str(answer.unit), "smallest", "certain", f"> {percent(answer.certainty)}", "guess", "bits"),
        rows,
        caption=f"Groups are formed within categories. certain and > {percent(answer.certainty)}: {answer.unit} in "
        f"groups of several.{left_out}",
    )


def _category_name(category: DisclosureCategory) -> str:
    if category.n_folded:
        return f"{category.n_folded} categories unnamed" if category.n_folded > 1 else "1 category unnamed"
    return "(empty)" if category.label is None else category.label


def not_assessed(answer: Disclosure) -> tuple[str, ...]:
    """Say what the figures do not cover."""
    sentences = []
    if answer.filtered:
        sentences.append("Rows that the filter excludes (--where).")
    if answer.n_other_columns:
        others = counted(answer.n_other_columns, "other column")
        sentences.append(f"{others} of the table: each one that someone knows makes groups smaller.")
    if answer.unit is not Unit.PEOPLE:
        sentences.append(
            "Which rows belong to the same person: we assumed one row per person (--person names the column that "
            "identifies people; --rows-are-people says that it is so)."
        )
    if not answer.with_near:
        sentences.append("Values that are nearly the same, such as similar incomes (--near).")
    if len(answer.sensitive) > 1:
        sentences.append("What several sensitive columns give away together: each was measured by itself.")
    nulls = {name: people for name, people in answer.nulls.items() if people}
    if nulls:
        counts = joined(f"{name} {count(people)}" for name, people in nulls.items())
        sentences.append(f"What the missing values are: they count as one value ({counts}).")
    sentences.append("An attacker who knows how the groups were made, or has another release of the same people.")
    return tuple(sentences)
