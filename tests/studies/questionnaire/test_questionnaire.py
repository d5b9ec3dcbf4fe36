"""``idbits.questionnaire``: the people left after each question, by table B.3 and by counting."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.csv
import pytest

import idbits
from idbits.errors import InputError
from idbits.studies.questionnaire.survey import schema_text

FACTORS = {"education": 3.33, "background": 1.26, "living": 3, "work": 2.7, "income": 2.3, "place and birth": 50_000}
TABLE_B3 = {
    "population": 16_000_000,
    "questions": [{"name": name, "factor": factor} for name, factor in FACTORS.items()],
}


def ask(*questions: dict[str, Any], population: int = 1000, **more: Any) -> Any:
    return idbits.questionnaire({"population": population, "questions": list(questions), **more})


def test_table_b_3_from_its_numbers() -> None:
    answer = idbits.questionnaire(TABLE_B3)
    assert [int(step.crowd.best_case) for step in answer.steps] == [
        4_804_804,
        3_813_337,
        1_271_112,
        470_782,
        204_687,
        4,
    ]
    assert [step.factor for step in answer.steps] == pytest.approx(list(FACTORS.values()))
    assert answer.independent
    assert "independent" in str(answer)
    data = json.loads(answer.to_json())["steps"][0]
    assert data["expected"] is None
    assert data["worst_case"] is None
    assert set(data["reasons"]) == {"expected", "mean_crowd", "worst_case", "unique_people"}
    assert data["expected_at_most"] < data["best_case"]


def test_best_expected_and_worst_by_hand() -> None:
    answer = ask({"name": "a", "shares": [0.5, 0.25, 0.25]}, {"name": "b", "shares": [0.8, 0.2]})
    first, second = (step.crowd for step in answer.steps)
    assert (first.best_case, first.worst_case) == (500, 250)
    assert first.expected == pytest.approx(1000 * 2**-1.5)
    assert first.mean_crowd == pytest.approx(1000 * 0.375)
    bits = 1.5 - 0.8 * math.log2(0.8) - 0.2 * math.log2(0.2)
    assert second.expected == pytest.approx(1000 * 2**-bits)
    assert (second.best_case, second.worst_case) == pytest.approx((400, 50))
    assert second.mean_crowd == pytest.approx(1000 * 0.375 * 0.68)


def test_refusals_are_answers_and_skips_tell_nothing() -> None:
    refused = ask({"name": "a", "shares": [0.5, 0.5], "refused": 0.2}).steps[0].crowd
    listed = ask({"name": "a", "shares": [0.4, 0.4, 0.2]}).steps[0].crowd
    assert refused.expected == pytest.approx(listed.expected)
    assert refused.mean_crowd == pytest.approx(listed.mean_crowd)
    assert refused.worst_case == pytest.approx(listed.worst_case)
    skipped = ask({"name": "a", "shares": [0.5, 0.5], "skipped": 0.2}).steps[0].crowd
    assert skipped.best_case == 1000
    assert skipped.expected == pytest.approx(1000 * 2**-0.8)
    assert skipped.mean_crowd == pytest.approx(1000 * (0.2 + 0.8 * 0.5))
    assert ask({"name": "a", "share": 0.3, "refused": 0.5}).steps[0].crowd.best_case == 500


def test_several_answers_are_all_patterns_of_ticks() -> None:
    ticks, refused = [0.3, 0.6, 0.1], 0.05
    crowd = ask({"name": "a", "shares": ticks, "several": True, "refused": refused}).steps[0].crowd
    patterns = [
        (1 - refused) * math.prod(share if ticked else 1 - share for share, ticked in zip(ticks, pattern, strict=True))
        for pattern in itertools.product([True, False], repeat=3)
    ]
    listed = ask({"name": "a", "shares": [*patterns, refused]}).steps[0].crowd
    assert crowd.to_dict() == pytest.approx(listed.to_dict())


def test_a_joint_distribution_is_used() -> None:
    shares = [[0.4, 0.1], [0.1, 0.4]]
    questions = ({"name": "a"}, {"name": "c", "shares": [0.5, 0.5]}, {"name": "b"})
    answer = ask(*questions, joint=[{"questions": ["a", "b"], "shares": shares}])
    assert [step.crowd.best_case for step in answer.steps] == pytest.approx([500, 250, 200])
    bits = 2 * (-0.4 * math.log2(0.4) - 0.1 * math.log2(0.1)) + 1
    assert answer.steps[-1].crowd.expected == pytest.approx(1000 * 2**-bits)
    assert not answer.independent
    # a and b overlap: once one is known, the other costs less than c.
    assert answer.order in (("a", "b", "c"), ("b", "a", "c"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people = pyarrow.table({"age": [*range(20, 60)] * 5, "sex": ["F", "M"] * 100})
    pyarrow.csv.write_csv(people, tmp_path / "people.csv")
    counted = pyarrow.table({"age": [*range(20, 60)], "n": [5] * 40, "note": ["x"] * 40})
    pyarrow.csv.write_csv(counted, tmp_path / "counted.csv")
    return tmp_path


@pytest.mark.big
def test_files_beside_the_survey(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = folder / "survey.toml"
    survey.write_text(
        'population = 400\n[[questions]]\nname = "age"\ndistribution = "counted.csv:age"\ncount = "n"\n'
        '[[questions]]\nname = "sex"\ndistribution = "people.csv:sex"\n'
    )
    answer = idbits.questionnaire(survey)
    assert [step.crowd.best_case for step in answer.steps] == pytest.approx([10, 5])
    monkeypatch.chdir(folder.parent)
    assert idbits.questionnaire(str(survey)).to_dict() == answer.to_dict()
    views = {change.view: change.times for change in answer.coarsening if change.question == "age"}
    assert views == pytest.approx({"age:band5": 5, "age:band10": 10, "age:band50": 40 * 0.75**0.75 * 0.25**0.25})
    joint = folder / "joint.toml"
    joint.write_text(
        'population = 400\n[[questions]]\nname = "age"\n[[questions]]\nname = "sex"\n'
        '[[joint]]\nquestions = ["age", "sex"]\ndistribution = "people.csv:age,sex"\n'
    )
    together = idbits.questionnaire(joint)
    # In this table the age tells the sex: knowing both is no more than knowing the age.
    assert [step.crowd.expected for step in together.steps] == pytest.approx([10, 10])
    assert {change.question: change.times for change in together.dropping} == pytest.approx({"age": 20, "sex": 1})


def test_dropping_and_the_best_order() -> None:
    answer = ask({"name": "a", "shares": [0.1] * 10}, {"name": "b", "shares": [0.5, 0.5]}, {"name": "c", "share": 1.0})
    assert answer.order == ("c", "b", "a")
    assert [(change.question, change.times) for change in answer.dropping] == [("a", 10.0), ("b", 2.0), ("c", 1.0)]
    known = ask({"name": "a", "shares": [0.5, 0.3, 0.2]})
    (change,) = known.coarsening
    assert change.crowd.best_case == 500
    assert change.crowd.worst_case == 500


def test_the_best_order_beats_every_other() -> None:
    random_bits = {"a": [0.7, 0.3], "b": [0.2] * 5, "c": [0.9, 0.1], "d": [0.4, 0.6]}
    questions = [{"name": name, "shares": shares} for name, shares in random_bits.items()]

    def cost(order: tuple[str, ...]) -> float:
        asked = {question["name"]: question for question in questions}
        steps = ask(*(asked[name] for name in order)).steps
        return -math.fsum(math.log2(step.crowd.expected) for step in steps)

    best = ask(*questions).order
    assert cost(best) == pytest.approx(min(cost(order) for order in itertools.permutations(random_bits)))


def test_more_than_twelve_questions_are_ordered_one_by_one() -> None:
    questions = [{"name": str(n), "shares": [1 / n] * n} for n in range(15, 1, -1)]
    assert ask(*questions).order == tuple(str(n) for n in range(2, 16))


def test_questions_that_are_not_assessed_are_named() -> None:
    answer = ask({"name": "a", "share": 0.5}, {"name": "children", "assessed": False})
    assert answer.not_assessed == ("children",)
    assert "children" in str(answer)


@pytest.mark.parametrize(
    ("survey", "said"),
    [
        ({}, "population"),
        ({"population": 0, "questions": [{"name": "a", "share": 0.5}]}, "how many"),
        ({"population": 10}, "questions"),
        ({"population": 10, "questions": []}, "questions"),
        ({"population": 10, "questions": [{"share": 0.5}]}, "name"),
        ({"population": 10, "questions": [{"name": "a"}]}, "needs one of"),
        ({"population": 10, "questions": [{"name": "a", "share": 0.5, "factor": 2}]}, "needs one of"),
        ({"population": 10, "questions": [{"name": "a", "share": 0}]}, "greater than 0"),
        ({"population": 10, "questions": [{"name": "a", "share": "x"}]}, "type number"),
        ({"population": 10, "questions": [{"name": "a", "factor": 0.5}]}, "at least 1"),
        ({"population": 10, "questions": [{"name": "a", "shares": [0.5, 0.4]}]}, "add up to 0.9"),
        ({"population": 10, "questions": [{"name": "a", "shares": ["x"]}]}, "shares"),
        ({"population": 10, "questions": [{"name": "a", "shares": [1.2], "several": True}]}, "between 0 and 1"),
        ({"population": 10, "questions": [{"name": "a", "share": 0.5, "several": True}]}, "tick"),
        ({"population": 10, "questions": [{"name": "a", "share": 0.5, "refused": 1}]}, "refused"),
        ({"population": 10, "questions": [{"name": "a", "share": 0.5, "skipped": 2}]}, "skipped"),
        ({"population": 10, "questions": [{"name": "a", "share": 0.5}] * 2}, "same name"),
        ({"population": 10, "questions": [{"name": "a", "shre": 0.5}]}, 'did you mean "share"'),
        ({"population": 10, "questions": [{"name": "a", "assessed": False}]}, "no question is assessed"),
        ({"population": True, "questions": [{"name": "a", "share": 0.5}]}, "type integer"),
        ({"population": 10, "questions": [{"name": "a", "distribution": "nope.csv:a"}]}, "does not exist"),
        ({"population": 10, "questions": [{"name": "a", "share": 1}], "joint": [{"questions": ["a"]}]}, "2 to 6"),
        ({"population": 10, "questions": [{"name": "a", "share": 1}], "joint": [{"questions": ["a", "b"]}]}, '"b"'),
        (
            {"population": 10, "questions": [{"name": "a"}, {"name": "b"}], "joint": [{"questions": ["a", "b"]}]},
            "distribution or shares",
        ),
        (
            {
                "population": 10,
                "questions": [{"name": "a"}, {"name": "b"}],
                "joint": [{"questions": ["a", "b"], "shares": [0.5, 0.5]}],
            },
            "nested lists",
        ),
        ([], "TOML"),
    ],
)
def test_bad_surveys(survey: Any, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("[", r"\[")):
        idbits.questionnaire(survey)


def test_the_schema_is_json_and_names_what_is_read() -> None:
    schema = json.loads(schema_text())
    assert set(schema["properties"]) == {"title", "population", "questions", "joint"}
    for part in (schema, schema["properties"]["questions"]["items"], schema["properties"]["joint"]["items"]):
        assert part["additionalProperties"] is False
        assert set(part["required"]) <= set(part["properties"])
        assert all("description" in one or "items" in one for one in part["properties"].values())


def test_looks() -> None:
    answer = ask({"name": "a", "shares": [0.5, 0.5]}, {"name": "b", "shares": [0.99, 0.01]}, population=20)
    assert answer.to_arrow().num_rows == 2
    assert "<table" in answer._repr_html_()
    assert "&lt;1" in answer._repr_html_()
