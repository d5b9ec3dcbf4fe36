"""A sample and its population: the same answer on every engine, to the last digit."""

import random
from datetime import date, timedelta

import pytest

from idbits.reading import OpenOptions
from idbits.studies.population.study import population_of_table, population_question
from idbits.studies.shared.persons import PersonOptions
from idbits.values.attributes import Kind, parse_attributes

QID = ["town", "age", "sex"]
DRAWN = random.Random(3)
TOWNS = [None, "Aa", "aa", "Aa ", "Aá", "x,y", *(f"town {number}" for number in range(12))]
ROWS = [
    {
        "town": DRAWN.choice(TOWNS), "age": None if index % 40 == 0 else str(DRAWN.randrange(18, 60)),
        "sex": DRAWN.choice("FM"), "w": str(2 + index % 4),
    }
    for index in range(240)
]  # fmt: skip


def answered(table, qid, **asked):
    question = population_question(**asked)
    options, persons = OpenOptions(), PersonOptions(column=None, rows_are_people=True)
    return population_of_table(table, parse_attributes(qid, table.columns), question, options, persons).to_dict()


@pytest.mark.parametrize("asked", [{"people": 2_400, "sizes": (50, 10_000)}, {"weight": "w"}], ids=["people", "weight"])
def test_the_answer_of_plain_python(engine, asked):
    names = [*QID, "w"]
    table, reference = engine.loaded(ROWS, names), engine.reference(ROWS)
    reference.load(names)
    answer = answered(table, QID, **asked)
    assert answer == answered(reference, QID, **asked)
    assert answer["sample_uniques"] > 100


def test_typed_columns(typed_engine):
    kinds = {"born": Kind.DATE, "size": Kind.NUMBER, "is_member": Kind.BOOLEAN}
    draw = random.Random(5)
    rows = [
        {
            "born": None if index == 7 else date(1950, 1, 1) + timedelta(days=draw.randrange(60)),
            "size": draw.randrange(20) / 4, "is_member": draw.choice([True, False, None]),
        }
        for index in range(200)
    ]  # fmt: skip
    table, reference = typed_engine.loaded(rows, list(kinds), kinds), typed_engine.reference(rows, kinds)
    reference.load(list(kinds))
    qid = ["born:month", "size", "is_member"]
    assert answered(table, qid, fraction=0.2) == answered(reference, qid, fraction=0.2)
