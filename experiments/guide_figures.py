"""The figures of docs/guide: charts of real answers, as ``answer.plot()`` draws them.

    python experiments/guide_figures.py DATA [FOLDER]

``DATA`` has ``adult.csv`` and ``nl-ages.csv``; the figures are written to ``FOLDER`` (docs/images by default). A test of
the project draws them again and compares.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import pandas
import pyarrow

import idbits
from idbits.examples.registry import registry
from idbits.examples.visits import visits

__all__ = ["draw"]

DOCS = Path(__file__).resolve().parent.parent / "docs"
SURVEY = DOCS / "case-studies" / "survey-before-it-is-asked.md"
COLUMNS = "birthdate:year,zip:prefix2,gender"
QID = ["sex", "age", "race", "marital-status", "education", "occupation"]


def draw(data: Path, folder: Path) -> None:
    """Write the figures."""
    data = data.resolve()
    people = registry(200_000)
    draw_answers_about_people(people, folder)
    draw_answers_about_others(people, data, folder)
    for size, name in (("wide", "guide-group-sizes.svg"), ("narrow", "guide-group-sizes-narrow.svg")):
        idbits.measure(people, "birthdate:year,zip:prefix2,gender").plot("sizes", size=size).save(folder / name)
    idbits.advise(people, "birthdate,zip,gender").plot().save(folder / "guide-frontier.svg")
    register = pandas.read_csv(data / "adult.csv", sep=";")
    sample = register.sample(3_000, random_state=1)
    answer = idbits.population(sample, QID, people=len(register), rows_are_people=True)
    answer.plot().save(folder / "guide-population.svg")
    with tempfile.TemporaryDirectory() as name:
        survey = Path(name) / "survey.toml"
        (text,) = re.findall(r'^survey = """\n(.*?)^"""', SURVEY.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        survey.write_text(text.replace('"data/', f'"{data.as_posix()}/'), encoding="utf-8")
        idbits.questionnaire(survey).plot().save(folder / "guide-questionnaire.svg")


def draw_answers_about_people(people: pyarrow.Table, folder: Path) -> None:
    """What columns and events give away, and what a number of people may expect."""
    idbits.columns(people, COLUMNS).plot("contribution").save(folder / "guide-columns.svg")
    seen = idbits.events(
        visits(2_000), "patient", "date", attributes="place", period="2005", points="1..3", max_events=100
    )
    seen.plot("unicity").save(folder / "guide-events.svg")
    idbits.predict.singletons(100, distribution=people, attributes="birthdate:year,gender").plot().save(
        folder / "guide-predict.svg"
    )


def draw_answers_about_others(people: pyarrow.Table, data: Path, folder: Path) -> None:
    """What a group and a second table add."""
    register = pandas.read_csv(data / "adult.csv", sep=";")
    secret = idbits.disclosure(register, ["age:band10", "sex", "education"], "occupation", rows_are_people=True)
    secret.plot("occupation: shares").save(folder / "guide-disclosure.svg")
    named = people.append_column("id", [list(range(len(people)))])
    idbits.link(named.slice(0, 10_000), named.slice(2_000), "birthdate,zip,gender", coverage=0.99).plot().save(
        folder / "guide-link.svg"
    )


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else DOCS / "images")
