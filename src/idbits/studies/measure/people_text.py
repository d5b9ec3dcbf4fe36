"""What a measurement says about people with several records, and about households."""

from __future__ import annotations

from idbits.render.blocks import Block, Paragraph, TableBlock
from idbits.render.numbers import bits, count, decimal, share
from idbits.studies.measure.people_result import Household, PeopleFigures, PersonAttacker
from idbits.studies.measure.result import Measurement
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.persons import rows_without_person
from idbits.wording import counted, counted_people

__all__ = ["KNOWN", "attackers_table", "household_sentence", "household_table", "people_blocks", "people_remarks"]

KNOWN = {
    "one-record": "the most telling record",
    "any-record": "a record at random",
    "all-records": "all records",
}
"""What each attacker knows of a person with several records."""


def people_blocks(measurement: Measurement) -> list[Block]:
    """Return what there is to say about people with several records, and about households."""
    people, household = measurement.people, measurement.household
    blocks: list[Block] = []
    if people is not None and people.has_several_rows:
        blocks.append(attackers_table(people, measurement.figures))
    sentences = people_remarks(people) if people is not None else []
    blocks += [Paragraph(" ".join(sentences))] if sentences else []
    if household is not None:
        blocks += [household_table(household, measurement.figures), Paragraph(household_sentence(household))]
    return blocks


def attackers_table(people: PeopleFigures, figures: Figures) -> TableBlock:
    """Return the figures of the three attackers side by side, the chosen one emphasised."""
    rows = people.rows_per_person
    spread = f"{count(rows.min)} to {count(rows.max)} per person (median {decimal(rows.median)})"
    chosen = [index for index, attacker in enumerate(people.attackers) if attacker.knows == people.knows]
    return TableBlock(
        "If an attacker knows this about a person",
        ("known", "unique", "unique people", "below 5", "bits", "smallest group", "typical group"),
        [[KNOWN[attacker.knows], *_figures(attacker)] for attacker in people.attackers],
        caption=f"{counted(figures.n_rows, 'record')} of {counted_people(figures.n_people)}, {spread}.",
        emphasis=tuple(chosen),
    )


def _figures(attacker: PersonAttacker) -> list[str]:
    figures = attacker.figures
    if figures is None:
        return ["-"] * 6
    return [
        share(figures.share(figures.singletons)),
        count(figures.singletons),
        count(figures.people_below["5"]),
        bits(figures.entropy_bits),
        count(figures.k_min),
        decimal(figures.k_hat),
    ]


def people_remarks(people: PeopleFigures) -> list[str]:
    """Say whether everyone has one row, and what missing persons and values mean for the figures."""
    sentences = [] if people.has_several_rows else [f"Everyone has one row: no {people.person} occurs twice."]
    sentences += rows_without_person(people.rows_without_person, people.person, people.null_person)
    if people.null_people:
        have = "has" if people.null_people == 1 else "have"
        sentences.append(f"{counted_people(people.null_people)} {have} no value in any of these columns.")
    if people.unique_by_null_people:
        are = "is" if people.unique_by_null_people == 1 else "are"
        sentences.append(
            f"{counted_people(people.unique_by_null_people)} {are} unique only through a missing value, "
            "which counts as a value."
        )
    return sentences


def household_table(household: Household, figures: Figures) -> TableBlock:
    """Return how many people are found through their household, and why."""
    unique = household.people_with_a_unique_member
    together = household.people_in_unique_households
    rows = [
        ["a member is unique", count(unique), share(figures.share(unique))],
        ["the household has a value of its own", count(household.distinct_people),
         share(figures.share(household.distinct_people))],
        ["the members together are unique", count(together), share(figures.share(together))],
    ]  # fmt: skip
    largest = max(members for members, _ in household.sizes)
    without = (
        f" {counted_people(household.people_without)} without a {household.column} "
        f"{'counts' if household.people_without == 1 else 'count'} as a household each."
        if household.people_without
        else ""
    )
    return TableBlock(
        f"People who are found through their household ({household.column})",
        ("because", "people", "share"),
        rows,
        caption=f"{counted(household.n_households, 'household')} of up to {counted_people(largest)}, counting members "
        f"in the table.{without}",
    )


def household_sentence(household: Household) -> str:
    """Say how often a guess finds somebody of a household, and what its members give away together."""
    composition = household.composition
    return (
        f"A guess finds somebody of a person's household {share(household.risk.mean)} of the time on average; for 5% "
        f"of the people, at least {share(household.risk.p95)} of the time. Someone who knows the values of all members "
        f"learns {bits(composition.entropy_bits)} of the {bits(composition.max_entropy_bits)} bits that single out "
        f"every household; the smallest group has {counted(composition.k_min, 'household')}."
    )
