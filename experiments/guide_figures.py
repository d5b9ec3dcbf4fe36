"""The figures of docs/guide: charts of real answers, as ``answer.plot()`` draws them.

    python experiments/guide_figures.py DATA [FOLDER]

``DATA`` has ``adult.csv`` and ``nl-ages.csv``; the figures are written to ``FOLDER`` (docs/images by default), each for wide
pages and for phones. A test of the project draws them again and compares.
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
    save(idbits.measure(people, COLUMNS).plot("sizes"), folder, "group-sizes")
    save(idbits.advise(people, "birthdate,zip,gender").plot(), folder, "frontier")
    register = pandas.read_csv(data / "adult.csv", sep=";")
    sample = register.sample(3_000, random_state=1)
    answer = idbits.population(sample, QID, people=len(register), rows_are_people=True)
    save(answer.plot(), folder, "population")
    with tempfile.TemporaryDirectory() as name:
        survey = Path(name) / "survey.toml"
        (text,) = re.findall(r'^survey = """\n(.*?)^"""', SURVEY.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        survey.write_text(text.replace('"data/', f'"{data.as_posix()}/'), encoding="utf-8")
        save(idbits.questionnaire(survey).plot(), folder, "questionnaire")


def save(chart: idbits.Chart, folder: Path, name: str) -> None:
    """Write a chart for wide pages and for phones."""
    chart.with_size("wide").save(folder / f"guide-{name}.svg")
    chart.with_size("narrow").save(folder / f"guide-{name}-narrow.svg")


def draw_answers_about_people(people: pyarrow.Table, folder: Path) -> None:
    """What columns and events give away, and what a number of people may expect."""
    save(idbits.columns(people, "birthdate,zip,gender").plot("contribution"), folder, "columns")
    seen = idbits.events(
        visits(2_000), "patient", "date", attributes="place", period="2005", points="1..3", max_events=100
    )
    save(seen.plot("unicity"), folder, "events")
    expected = idbits.predict.singletons(100, distribution=people, attributes="birthdate:year,gender")
    save(expected.plot(), folder, "predict")


def draw_answers_about_others(people: pyarrow.Table, data: Path, folder: Path) -> None:
    """What a group and a second table add."""
    register = pandas.read_csv(data / "adult.csv", sep=";")
    secret = idbits.disclosure(register, ["age:band10", "sex", "education"], "occupation", rows_are_people=True)
    save(secret.plot("occupation: shares"), folder, "disclosure")
    named = people.append_column("id", [list(range(len(people)))])
    linked = idbits.link(named.slice(0, 10_000), named.slice(2_000), "birthdate,zip,gender", coverage=0.99)
    save(linked.plot(), folder, "link")


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else DOCS / "images")
