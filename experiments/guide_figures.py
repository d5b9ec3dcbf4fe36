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

import idbits
from idbits.examples.registry import registry

__all__ = ["draw"]

DOCS = Path(__file__).resolve().parent.parent / "docs"
SURVEY = DOCS / "case-studies" / "survey-before-it-is-asked.md"
QID = ["sex", "age", "race", "marital-status", "education", "occupation"]


def draw(data: Path, folder: Path) -> None:
    """Write the four figures."""
    people = registry(200_000)
    idbits.measure(people, "birthdate:year,zip:prefix2,gender").plot("sizes").save(folder / "guide-group-sizes.svg")
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


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else DOCS / "images")
