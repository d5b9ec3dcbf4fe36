"""The section of a report about people with several records, and about households."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.render.blocks import TableBlock
from idbits.render.numbers import count, decimal
from idbits.render.page import Figure, Section, named, shortened
from idbits.studies.measure.charts import attackers_chart
from idbits.studies.measure.result import Measurement, PeopleFigures
from idbits.studies.measure.text import (
    KNOWN,
    attackers_table,
    household_sentence,
    household_table,
    people_remarks,
)
from idbits.studies.report.findings import attackers_finding, household_finding
from idbits.studies.shared.figures import Figures
from idbits.wording import counted, joined

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["has_people_section", "people_section"]

_RECORDS = "Records of a person"
_HOUSEHOLDS = "People who live together"
_NAME = 48
_CAPTION = (
    "unique: nobody else has the same values. below 5: people in groups smaller than 5. For a record at random, "
    "figures are expected values."
)


def has_people_section(measurement: Measurement) -> bool:
    """Whether there is more to say about people than that each has one row."""
    people = measurement.people
    several = people is not None and (people.has_several_rows or people.rows_without_person > 0)
    return several or measurement.household is not None


def people_section(report: Report) -> Section:
    """Return the three attackers side by side, rows without a person, missing values, and households."""
    measurement = report.measurement
    people, household, figures = measurement.people, measurement.household, measurement.figures
    text: list[str] = []
    drawn: tuple[Figure, ...] = ()
    tables: list[TableBlock] = []
    remarks = people_remarks(replace(people, person=named(people.person))) if people is not None else []
    has_several_rows = people is not None and people.has_several_rows
    if people is not None and has_several_rows:
        text += [_rows_per_person(people, figures), *_attackers(people)]
        # The attackers' table of the section has the numbers.
        drawn = (attackers_chart(people).with_table(None),)
        tables.append(replace(attackers_table(people, figures), caption=_CAPTION))
    if household is not None:
        remarks.append(household_sentence(household))
        tables.append(household_table(replace(household, column=shortened(household.column, _NAME)), figures))
    if not text and not remarks:
        text.append("No column was named that identifies people, so each row counts by itself.")
    title, topic = "Each row counts by itself", _RECORDS
    if people is not None and has_several_rows:
        title = attackers_finding(people)
    elif household is not None:
        title, topic = household_finding(household), _HOUSEHOLDS
    elif people is not None:
        title = "Everyone has one row"
    return Section("people", title, tuple(text), drawn, tuple(tables), tuple(remarks), topic=topic)


def _rows_per_person(people: PeopleFigures, figures: Figures) -> str:
    rows = people.rows_per_person
    return (
        f"The table has {counted(figures.n_rows, 'record')} of {count(figures.n_people)} people, distinguished by "
        f"{named(people.person)}: {count(rows.min)} to {count(rows.max)} records per person, {decimal(rows.mean)} on "
        f"average, median {decimal(rows.median)}."
    )


def _attackers(people: PeopleFigures) -> list[str]:
    """Say which attacker the other figures are about, and what cannot be compared."""
    repeated = ", counting equal records" if people.multiset else ""
    known = f"{KNOWN[people.knows]}{repeated}"
    chosen = f"Unless a section says otherwise, all other figures of this page are for an attacker who knows {known}."
    sentences = [
        "How many people can be found depends on what an attacker knows of them. The most telling record of a person "
        f"is the one that the fewest people share. {chosen}"
    ]
    unknown = [attacker for attacker in people.attackers if attacker.figures is None]
    if unknown:
        which = joined(KNOWN[attacker.knows] for attacker in unknown)
        sentences.append(f"There are no figures for {which}: {unknown[0].reason}.")
    return sentences
