"""A real answer of every class that idbits exports, computed from small tables."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

import idbits
import idbits.predict
from idbits.examples.registry import registry
from idbits.examples.visits import visits
from idbits.studies.shared.presentation import Answer

__all__ = ["ANSWERS", "CLASSES", "answer"]

PEOPLE = registry(300)
NUMBERED = PEOPLE.append_column("id", pa.array(range(300)))
VISITS = visits(people=40, seed=3, first=date(2005, 1, 1), last=date(2005, 3, 1))
HEIGHTS = pa.table({"height": [row % 61 + 150 for row in range(120)], "weight": [row * row % 47 for row in range(120)]})
RELEASED = pa.table({"height": [row % 61 + 150 + row % 3 for row in range(120)], "weight": [5] * 120})
BLOCKS = pa.table(
    {
        "town": [row // 4 for row in range(64)],
        "post": [(row + 3 * (row % 7 == 0)) // 4 for row in range(64)],
        "n": [5 + row * 37 % 90 if row % 7 else row % 5 + 1 for row in range(64)],
    }
)
QID = ["birthdate:year", "zip:prefix1", "gender"]
SURVEY = {
    "population": 16_000_000,
    "questions": [{"name": "education", "factor": 3.33}, {"name": "gender", "shares": [0.51, 0.49]}],
}
POLICY = """
version = 1
[[dataset]]
name = "people"
source = "people.csv"
qid = ["birthdate:year", "gender"]
rules = ["k_min >= 2", "people_below.5 <= 99%"]
"""


def _in_folder(make: Callable[[Path], Answer]) -> Answer:
    import pyarrow.csv

    with TemporaryDirectory() as name:
        pyarrow.csv.write_csv(PEOPLE, Path(name) / "people.csv")
        return make(Path(name))


def _checked(folder: Path) -> Answer:
    (folder / "idbits.toml").write_text(POLICY)
    return idbits.check(folder / "idbits.toml")


def _decided(folder: Path) -> idbits.RecordedDecision:
    report = idbits.report(folder / "people.csv", ["gender"], sections=["bits"])
    (folder / "report.json").write_text(report.to_json())
    return idbits.decide(folder / "report.json", decision="refuse", by="A. Example", why="a test")


def _listed(folder: Path) -> Answer:
    return idbits.list_decisions(_decided(folder).file)


def _verified(folder: Path) -> Answer:
    return idbits.verify_decisions(_decided(folder).file)


def _treated(folder: Path) -> Answer:
    return idbits.apply(PEOPLE, qid="birthdate:year:band10,zip:prefix1,gender", withhold_below=2, out=folder / "t.csv")


def _link(**more: object) -> Answer:
    return idbits.link(PEOPLE.slice(0, 100), PEOPLE, QID, **more)  # type: ignore[arg-type]


def _attack() -> Answer:
    return idbits.link(
        PEOPLE.slice(0, 100), original=PEOPLE, attack="linkability", left="birthdate", right="zip,gender", attacks=20
    )


ANSWERS: dict[str, Callable[[], Answer]] = {
    "Measurement": lambda: idbits.measure(PEOPLE, QID),
    "Measurement by category": lambda: idbits.measure(PEOPLE, ["birthdate:year"], by="gender", suppress=3),
    "Measurement with values": lambda: idbits.measure(PEOPLE, ["gender"], values=True, reveal=True),
    "Measurement of chosen columns": lambda: idbits.measure(PEOPLE, where="gender = 'F'"),
    "Measurement of people": lambda: idbits.measure(VISITS, ["place"], person="patient"),
    "Measurement of drawn records": lambda: idbits.measure(VISITS, ["place"], person="patient", knows="any-record"),
    "Measurement of households": lambda: idbits.measure(PEOPLE, ["gender"], household="zip"),
    "Measurement in a population": lambda: idbits.measure(PEOPLE.slice(0, 100), QID, population=PEOPLE),
    "Measurements": lambda: idbits.measure(PEOPLE, [["gender"], QID]),
    "Advice": lambda: idbits.advise(PEOPLE, QID, goal="k_min >= 3"),
    "Check": lambda: _in_folder(_checked),
    "ColumnSubsets": lambda: idbits.columns(PEOPLE, QID, max_bits=6.0),
    "ColumnSubsets of people": lambda: idbits.columns(VISITS, ["place", "date:month"], person="patient"),
    "RecordedDecision": lambda: _in_folder(_decided),
    "DecisionLog": lambda: _in_folder(_listed),
    "DecisionCheck": lambda: _in_folder(_verified),
    "Disclosure": lambda: idbits.disclosure(PEOPLE, QID[:2], "gender", by="zip:prefix1"),
    "Disclosures": lambda: idbits.disclosure(PEOPLE, [["zip"], ["zip:prefix1"]], "gender"),
    "Events": lambda: idbits.events(VISITS, "patient", "date", "place", points="1..2,all"),
    "Events by week": lambda: idbits.events(VISITS, "patient", "date:week", "place"),
    "Gain": lambda: idbits.gain(PEOPLE, columns=QID, growth="greedy", mutual=True),
    "Gain of a subset": lambda: idbits.gain(PEOPLE, columns=QID, attacker="knows:1", compare=PEOPLE.slice(0, 200)),
    "Gain of a sweep": lambda: idbits.gain(PEOPLE, columns=["birthdate", "gender"], sweep=["birthdate:year"]),
    "Inspection": lambda: idbits.inspect(PEOPLE),
    "Leak": lambda: idbits.leak(HEIGHTS, RELEASED, order=3, scales=2, conditional=True),
    "Linkage": _link,
    "Linkage with coverage": lambda: _link(coverage=0.5, rules="records.one_to_one <= 5"),
    "SyntheticAttack": _attack,
    "PopulationAnswer": lambda: idbits.population(PEOPLE, QID, people=5_000),
    "Questionnaire": lambda: idbits.questionnaire(SURVEY),
    "Release": lambda: idbits.randomise(HEIGHTS, mechanism="laplace", epsilon=1.0, seed=1),
    "ReleaseOverlap": lambda: idbits.overlap(
        NUMBERED.slice(0, 250), NUMBERED.slice(50), person="id", qid_a="birthdate:year", qid_b="zip", sensitive="gender"
    ),
    "ZoneOverlap": lambda: idbits.overlap(BLOCKS, zones="town,post", count="n"),
    "ZoneOverlap without groups": lambda: idbits.overlap(PEOPLE, zones="gender,zip:prefix1", below=2),
    "Report": lambda: idbits.report(PEOPLE, QID, sections=["bits", "columns", "gain", "changes"]),
    "TreatedFile": lambda: _in_folder(_treated),
    "UniquenessPrediction": lambda: idbits.predict.uniqueness(10, values=365),
    "SingletonsPrediction": lambda: idbits.predict.singletons(20, probabilities=[0.5, 0.3, 0.1, 0.1]),
    "GroupPrediction": lambda: idbits.predict.group(10, values=365),
    "WidthPrediction": lambda: idbits.predict.width(
        distribution="normal:mean=170,sd=10", width=[1, 2], k=30, target="singletons<=50%"
    ),
    "CorrelatedPrediction": lambda: idbits.predict.correlated(sd=(5, 4), rho=0.5, width=[(1, 1)], k=20),
    "SuspectsPrediction": lambda: idbits.predict.suspects(probabilities=[0.5, 0.25, 0.25]),
}
"""How to get each answer; its name begins with its class."""

CLASSES = {
    name: value
    for module in (idbits, idbits.predict)
    for name in module.__all__
    if inspect.isclass(value := getattr(module, name)) and issubclass(value, Answer)
}
"""Every class of answers that idbits exports."""


@cache
def answer(name: str) -> Answer:
    """Return an answer, computed once."""
    return ANSWERS[name]()
