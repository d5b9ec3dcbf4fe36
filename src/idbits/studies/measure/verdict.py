"""The verdict on a measurement: who is unique, under the attacker that was chosen, and what stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from idbits.render.blocks import Level, Verdict
from idbits.render.numbers import bits_of, count, share
from idbits.studies.shared.beside import records_not_people, verdict_beside
from idbits.studies.shared.figures import MANY_UNIQUE, SMALL_GROUP, Figures
from idbits.studies.shared.units import Unit
from idbits.wording import counted, joined

if TYPE_CHECKING:
    from idbits.studies.measure.result import Groups, Measurement, Population

__all__ = ["verdict"]

_DO_NOT = "Do not hand this over as it is"
_SOME = "Some {} can be singled out"
_SMALL = "Some {} are in very small groups"
_NOBODY = "{} stands out with these columns"


def verdict(measurement: Measurement) -> Verdict:
    """Say whether the columns single people out, and what else in the table does."""
    if measurement.people is not None and measurement.people.has_several_rows:
        found = _of_records(measurement)
    else:
        found = _of_rows(measurement)
        if measurement.unit is Unit.RECORDS:
            found = records_not_people(measurement.beside, measurement.figures.n_rows, found.sentence)
    return verdict_beside(found, measurement.beside)


def _of_rows(measurement: Measurement) -> Verdict:
    figures, population, unit = measurement.figures, measurement.population, measurement.unit
    columns = joined(measurement.qid)
    where = " in the population" if population is not None else ""
    subject = "Together these columns give" if len(measurement.qid) > 1 else "This column gives"
    away = f"away {bits_of(figures.entropy_bits, figures.max_entropy_bits)} bits that single out {unit.everyone}."
    gives = f"{subject} {away}"
    if population is not None and population.unbounded_people:
        return _unbounded(population, figures, away)
    alone, small = figures.singletons, figures.people_below[str(SMALL_GROUP)]
    groups = measurement.groups
    within = groups.singletons if groups is not None else 0
    if alone or within:
        places = [f"{_some(alone, measurement)} unique{where} with {unit.their(alone)} {columns}."] if alone else []
        if groups is not None and within > alone:
            theirs = unit.their(within)
            places.append(f"{_some(within, measurement)} unique with {theirs} {columns} within {theirs} {groups.by}.")
        return _unique(figures.share(max(alone, within)), " ".join([*places, gives]), unit)
    small_within = groups.people_below(str(SMALL_GROUP)) if groups is not None else 0
    if small or small_within:
        in_group = f"in a group smaller than {SMALL_GROUP} with the same {columns}"
        places = [f"{unit.nobody} is unique{where}, but {_some(small, measurement)} {in_group}."] if small else []
        if groups is not None and small_within > small:
            nobody = "" if small else f"{unit.nobody} is unique, but "
            places.append(
                f"{nobody}{_some(small_within, measurement)} {in_group} within {unit.their(small_within)} {groups.by}."
            )
        return Verdict(Level.WARN, _SMALL.format(unit), " ".join([*places, gives]))
    sentence = (
        f"{unit.everyone.capitalize()} in the table ({count(figures.n_people)}) shares {unit.their()} {columns} with "
        f"at least {counted(figures.k_min - 1, 'other')}{where}. {gives}"
    )
    return Verdict(Level.GOOD, _NOBODY.format(unit.nobody), sentence)


def _unbounded(population: Population, figures: Figures, away: str, noun: str = "record") -> Verdict:
    sentence = (
        f"Nobody in the population has the values of {counted(population.unbounded_people, noun)} of the release: "
        f"their bits are unbounded. {'The other one gives' if figures.n_people == 1 else 'The others give'} {away}"
    )
    return Verdict(Level.BAD, _DO_NOT, sentence)


def _unique(part: float, sentence: str, unit: Unit = Unit.PEOPLE) -> Verdict:
    if part >= MANY_UNIQUE:
        return Verdict(Level.BAD, _DO_NOT, sentence)
    return Verdict(Level.WARN, _SOME.format(unit), sentence)


def _some(number: float, measurement: Measurement) -> str:
    return f"{_number(number, measurement.figures, measurement.unit)} {'is' if number == 1 else 'are'}"


def _number(number: float, figures: Figures, unit: Unit = Unit.PEOPLE) -> str:
    return f"{count(number)} of {unit.counted(figures.n_people)} ({share(figures.share(number))})"


def _of_records(measurement: Measurement) -> Verdict:
    """Say whether people with several records can be singled out by those that the attacker knows."""
    people, figures, population = measurement.people, measurement.figures, measurement.population
    assert people is not None
    words = _WORDS[people.knows]
    away = f"{bits_of(figures.entropy_bits, figures.max_entropy_bits)} bits that single out everyone."
    gives = f"{words.gives} {away}"
    if population is not None and population.unbounded_people:
        return _unbounded(population, figures, f"away {away}", noun="person")
    alone, small = figures.singletons, figures.people_below[str(SMALL_GROUP)]
    within = _within(measurement.groups, alone, figures)
    if alone or within:
        most = max(alone, measurement.groups.singletons if measurement.groups is not None else 0)
        sentence = _sentence(words.unique, measurement, alone) if alone else ""
        return _unique(figures.share(most), " ".join(filter(None, [sentence, within, gives])))
    if small:
        return Verdict(Level.WARN, _SMALL.format(Unit.PEOPLE), f"{_sentence(words.small, measurement, small)} {gives}")
    return _nobody(measurement, f"{_sentence(words.nobody, measurement)} {gives}")


def _within(groups: Groups | None, alone: float, figures: Figures) -> str:
    if groups is None or groups.singletons <= alone:
        return ""
    people = groups.singletons
    return f"Within their {groups.by}, {count(people)} of {count(figures.n_people)} people are unique."


def _nobody(measurement: Measurement, sentence: str) -> Verdict:
    """Return the best verdict only if an attacker who knows all records of a person cannot find them either."""
    people = measurement.people
    assert people is not None
    everything = people.attacker("all-records").figures
    if everything is None:
        untold = "We cannot say what all records of a person together give away."
        return Verdict(Level.WARN, "Nobody stands out by one record", sentence, (untold,))
    alone, small = everything.singletons, everything.people_below[str(SMALL_GROUP)]
    if alone:
        more = f"An attacker who knows all records of a person finds {_number(alone, everything)}."
        return Verdict(Level.WARN, "Some people can be singled out by all their records", sentence, (more,))
    if small:
        are = "is" if small == 1 else "are"
        more = f"With all their records, {_number(small, everything)} {are} in a group smaller than {SMALL_GROUP}."
        return Verdict(Level.WARN, _SMALL.format(Unit.PEOPLE), sentence, (more,))
    return Verdict(Level.GOOD, _NOBODY.format(Unit.PEOPLE.nobody), sentence)


@dataclass(frozen=True, slots=True)
class _AttackerWords:
    """Sentences about an attacker who knows some records of a person; {people} is a number of people."""

    gives: str
    unique: str
    small: str
    nobody: str


_BY_ONE_RECORD = "Every record shares its {columns} with records of at least {least} people{where}."
_WORDS = {
    "one-record": _AttackerWords(
        "On average, the most telling record of a person gives away",
        "{people} {have} a record whose {columns} nobody else{where} has.",
        "Nobody is unique{where} by one record, but {people} {have} a record whose {columns} fewer than {least} people "
        "share.",
        _BY_ONE_RECORD,
    ),
    "any-record": _AttackerWords(
        "On average, such a record gives away",
        "If one record of each person is known, expect {people} to be unique{where} with its {columns}.",
        "Nobody is unique{where} by one record; if one record of each person is known, expect {people} to be in a "
        "group smaller than {least} with its {columns}.",
        _BY_ONE_RECORD,
    ),
    "all-records": _AttackerWords(
        "On average, all records of a person give away",
        "{people} {are} unique{where} with the {columns} of all their records.",
        "Nobody is unique{where}, but {people} {are} in a group smaller than {least} with the same {columns} in all "
        "their records.",
        "Everyone{where} is in a group of at least {least} with the same {columns} in all their records.",
    ),
}


def _sentence(template: str, measurement: Measurement, people: float = 0) -> str:
    return template.format(
        people=_number(people, measurement.figures),
        have="has" if people == 1 else "have",
        are="is" if people == 1 else "are",
        columns=joined(measurement.qid),
        where=" in the population" if measurement.population is not None else "",
        least=SMALL_GROUP,
    )
