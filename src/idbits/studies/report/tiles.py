"""The four numbers at the top of a report, each with one sentence."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.render.numbers import bits_of, count, share
from idbits.render.page import Tile, named
from idbits.studies.measure.result import Measurement
from idbits.studies.shared.units import Unit

__all__ = ["tiles_of", "what_gives_away"]


def tiles_of(measurement: Measurement) -> tuple[Tile, ...]:
    """Return bits, who is unique, who is in a small group, and the smallest group."""
    figures, groups, unit = measurement.figures, measurement.groups, measurement.unit
    alone, small = figures.singletons, figures.people_below["5"]
    given = bits_of(figures.entropy_bits, figures.max_entropy_bits).split(" of the ")
    sentences = _sentences(measurement)
    others = " in the population" if measurement.population is not None else ""
    nobody_else = f"{unit.nobody_else}{others}"

    def filled(template: str, people: float) -> str:
        return template.format(
            some=count(people),
            all=count(figures.n_people),
            has="has" if people == 1 else "have",
            shares="shares" if people == 1 else "share",
            their=unit.their(people),
            nobody_else=nobody_else,
        )

    return (
        Tile(
            f"bits of the {given[1]} that single out {unit.everyone}",
            given[0],
            figures.entropy_bits,
            f"What {sentences.given} on average. Each bit halves the group.",
        ),
        Tile(
            f"of the {unit} are unique",
            share(figures.share(alone)),
            alone,
            f"{filled(sentences.unique, alone)}{_within(measurement, alone, groups.singletons) if groups else ''}.",
        ),
        Tile(
            f"of the {unit} are in groups smaller than 5",
            share(figures.share(small)),
            small,
            f"{filled(sentences.small, small)}"
            f"{_within(measurement, small, groups.people_below('5')) if groups else ''}.",
        ),
        Tile(
            "in the smallest group",
            count(figures.k_min),
            figures.k_min,
            f"{_smallest(measurement)}.",
        ),
    )


@dataclass(frozen=True, slots=True)
class _Sentences:
    """What the columns or records give away, and sentences about the unique and those in small groups."""

    given: str
    unique: str
    small: str


_ABOUT_RECORDS = {
    "one-record": _Sentences(
        "the most telling record of a person gives away",
        "{some} of {all} {has} a record whose values {nobody_else} has",
        "{some} {has} a record whose values at most 3 others share",
    ),
    "any-record": _Sentences(
        "a record at random gives away",
        "{some} of {all}, expected if one record of each person is known",
        "{some}, expected if one record of each person is known",
    ),
    "all-records": _Sentences(
        "all records of a person give away",
        "{some} of {all} {has} records that {nobody_else} has together",
        "{some} {shares} the values of all their records with at most 3 others",
    ),
}


def _sentences(measurement: Measurement) -> _Sentences:
    people = measurement.people
    if people is not None and people.has_several_rows:
        return _ABOUT_RECORDS[people.knows]
    return _Sentences(
        f"the columns give away about a {measurement.unit.singular}",
        "{some} of {all} {has} values that {nobody_else} has",
        "{some} {shares} {their} values with at most 3 others",
    )


def what_gives_away(measurement: Measurement) -> str:
    """Return the subject and verb of a sentence about the bits: the columns, or the records of a person."""
    people = measurement.people
    if people is not None and people.has_several_rows:
        return _sentences(measurement).given
    return "the column gives away" if len(measurement.qid) == 1 else "the columns give away"


def _within(measurement: Measurement, people: float, people_within: float) -> str:
    """Return the number within categories, if it is larger."""
    if measurement.groups is None or people_within <= people:
        return ""
    return f", {count(people_within)} within {measurement.unit.their(people_within)} {named(measurement.groups.by)}"


def _smallest(measurement: Measurement) -> str:
    """Return what the smallest group means."""
    unit, population, groups = measurement.unit, measurement.population, measurement.groups
    k_min = measurement.figures.k_min
    if k_min == 1:
        return "Somebody is unique" if unit is Unit.PEOPLE else f"At least one {unit.singular} is unique"
    found = " in the population" if population is not None and population.unbounded_people else ""
    within = f", {count(groups.k_min)} within {unit.their()} {named(groups.by)}" if groups is not None else ""
    return f"{unit.everyone.capitalize()}{found} is in a group of at least {count(k_min)}{within}"
