"""``idbits predict`` and ``idbits questionnaire`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Run


@pytest.fixture
def ages(tmp_path: Path) -> Path:
    path = tmp_path / "ages.csv"
    path.write_text("age,n\n" + "".join(f"{age},{max(0, 50 - age)}\n" for age in range(60)))
    return path


def answered(run: Run, *words: object) -> dict[str, Any]:
    ended = run("predict", *words, "--json")
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


QUANTITY = {"exact", "low", "high", "approximations"}


def test_uniqueness(run: Run, ages: Path) -> None:
    found = answered(run, "uniqueness", "--k", 29, "--values", 95)
    assert found["command"] == "predict uniqueness"
    assert {"k", "n_values", "kappa_nats", "probability"} <= set(found)
    assert set(found["probability"]) >= QUANTITY
    assert all({"name", "value", "error"} <= set(one) for one in found["probability"]["approximations"])
    only = answered(run, "uniqueness", "--k", 29, "--values", 95, "--kappa", "0.0914")["probability"]
    assert (only["exact"], only["low"], only["high"]) == (None, None, None)
    table = answered(run, "uniqueness", "--k", 29, "--distribution", f"{ages}:age", "--count", "n")
    assert table["n_values"] == 60
    assert 0 < table["probability"]["exact"] < 0.01


def test_singletons(run: Run, ages: Path) -> None:
    found = answered(run, "singletons", "--k", 60, "--distribution", f"{ages}:age", "--count", "n", "--sizes", 3)
    for name in ("mean", "variance", "none", "somebody"):
        assert set(found[name]) >= QUANTITY
    assert [size["j"] for size in found["sizes"]] == [1, 2, 3]
    assert all(set(size["share"]) >= QUANTITY and set(size["sets"]) >= QUANTITY for size in found["sizes"])
    assert sum(one["probability"] for one in found["distribution"]) == pytest.approx(1)


@pytest.mark.big
def test_width_correlated_and_group(run: Run) -> None:
    widths = answered(run, "width", "--distribution", "normal:sd=5.289", "--width", "0.5,1,2,5", "--k", 10)["widths"]
    assert [row["width"] for row in widths] == [0.5, 1, 2, 5]
    both = answered(run, "correlated", "--sd", "5.289,4.83", "--rho", "0.5028", "--width", "1,1", "--k", 10)["widths"]
    assert [row["width"] for row in both] == [[1, 1]]
    for row in widths + both:
        assert set(row["mean"]) >= QUANTITY
        assert set(row["variance"]) >= QUANTITY
    assert answered(run, "group", "--cost", 10, "--values", 95)["group_size"]["exact"] == 37
    several = ["--width", "1,1", "--width", "2,2"]
    assert len(answered(run, "correlated", "--sd", "5,4", "--rho", "0.5", *several, "--k", 10)["widths"]) == 2


def test_suspects(run: Run, ages: Path) -> None:
    found = answered(run, "suspects", "--probabilities", "50%,25%,25%,0%")
    assert found["command"] == "predict suspects"
    keys = {"entropy_bits", "max_entropy_bits", "degree_of_anonymity", "effective_suspects", "min_entropy_bits"}
    assert keys <= set(found)
    assert (found["entropy_bits"], found["max_entropy_bits"], found["degree_of_anonymity"]) == (1.5, 2.0, 0.75)
    assert found["best_guess"] == 0.5
    shown = run("predict", "suspects", "--weights", "9,1,1,1,1,1,1,1,1,1")
    title = shown.out.splitlines()[0]
    assert "10 suspects" in title
    assert "6 equally likely" in title
    table = answered(run, "suspects", "--distribution", f"{ages}:age", "--count", "n")
    assert table["n_suspects"] == 60


def test_kappa_0_is_exact(run: Run) -> None:
    assert answered(run, "singletons", "--k", 6, "--values", 2, "--kappa", 0)["mean"]["exact"] == 0.1875


@pytest.mark.big
def test_targets(run: Run, ages: Path) -> None:
    found = answered(run, "singletons", "--values", 95, "--target", "singletons<=1%")["target"]
    assert found["smallest_k"] > 300
    assert found["largest_k"] == "inf"
    source = ["--distribution", f"{ages}:age", "--count", "n"]
    view = answered(run, "singletons", "--k", 20, *source, "--target", "singletons<=20%")
    assert view["target"]["chosen"].startswith("age:band")
    shown = run("predict", "singletons", "--k", 20, *source, "--target", "singletons<=20%")
    assert shown.out.startswith("singletons<=20% is met by age:band")


@pytest.mark.parametrize(
    "words",
    [
        ["uniqueness", "--k", "23", "--values", "365"],
        ["singletons", "--k", "60", "--values", "95"],
        ["width", "--distribution", "normal:sd=5", "--width", "1,2", "--k", "10"],
        ["correlated", "--sd", "5,4", "--rho", "0.5", "--width", "1,1", "--k", "10"],
        ["group", "--cost", "10", "--values", "95"],
        ["suspects", "--values", "95"],
    ],
)
def test_every_prediction_fits_a_narrow_terminal_and_a_file(run: Run, tmp_path: Path, words: list[str]) -> None:
    out = tmp_path / "answer.txt"
    assert (
        run("predict", *words, "--out", out, "--memory", "500MB", "--threads", "1", "--quiet", "--seed", "1").code == 0
    )
    assert out.read_text() == run("predict", *words, "--plain").out
    assert "Assumed" in out.read_text()


def test_charts_are_written(run: Run, tmp_path: Path, ages: Path) -> None:
    chart = tmp_path / "chart.json"
    assert run("predict", "uniqueness", "--k", 23, "--values", 365, "--chart", chart).code == 0
    assert json.loads(chart.read_text())["$schema"].startswith("https://vega.github.io")
    before = ages.read_text()
    source = ["--distribution", f"{ages}:age", "--count", "n"]
    for option in ("--chart", "--out"):
        ended = run("predict", "uniqueness", "--k", 5, *source, option, ages)
        assert ended.code == 2
        assert ages.read_text() == before


BAD = [
    (["uniqueness", "--k", "5", "--values", "95", "--kappa", "-0.1"], 2),
    (["uniqueness", "--k", "5", "--values", "95", "--kappa", "4.6"], 2),
    (["uniqueness", "--k", "5", "--values", "95", "--kappa", "nan"], 2),
    (["uniqueness", "--k", "5", "--probabilities", "0.5,0.4"], 2),
    (["uniqueness", "--k", "5", "--probabilities", "1.5,-0.5"], 2),
    (["uniqueness", "--k", "0", "--values", "95"], 2),
    (["uniqueness", "--k", "x", "--values", "95"], 2),
    (["uniqueness"], 2),
    (["width", "--distribution", "normal:sd=5", "--width", "0", "--k", "10"], 2),
    (["width", "--distribution", "nofile.csv:age", "--width", "1", "--k", "10"], 2),
    (["width", "--width", "1", "--k", "10"], 2),
    (["correlated", "--sd", "5,4", "--rho", "1", "--width", "1,1", "--k", "10"], 2),
    (["correlated", "--k", "10"], 2),
    (["singletons", "--values", "95", "--target", "singletons<=0%"], 3),
    (["singletons", "--values", "95", "--target", "nonsense"], 2),
    (["group", "--values", "95"], 2),
    (["suspects"], 2),
    (["suspects", "--weights", "0,0"], 2),
    (["suspects", "--probabilities", "0.5,0.4"], 2),
    (["nonsense"], 2),
    ([], 2),
]


@pytest.mark.parametrize(("words", "code"), BAD)
def test_bad_input_is_one_line(run: Run, words: list[str], code: int) -> None:
    ended = run("predict", *words)
    assert ended.code == code
    assert ended.out == ""
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("idbits: ")


@pytest.mark.big
def test_bad_counts(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    for counts, code in (("5,-3", 3), ("5,2.5", 3), ("0,0", 3)):
        first, second = counts.split(",")
        path.write_text(f"age,n\nsecretvalue,{first}\n2,{second}\n")
        ended = run("predict", "uniqueness", "--k", 3, "--distribution", f"{path}:age", "--count", "n")
        assert ended.code == code
        assert "secretvalue" not in ended.err


def test_more_people_than_values_is_zero(run: Run) -> None:
    found = answered(run, "uniqueness", "--k", 96, "--values", 95)
    assert found["probability"]["exact"] == 0


def test_the_command_and_python_agree(run: Run) -> None:
    from idbits import predict

    words = ["singletons", "--k", 30, "--probabilities", "0.5,0.25,0.125,0.125"]
    assert answered(run, *words) == json.loads(
        predict.singletons(30, probabilities=[0.5, 0.25, 0.125, 0.125]).to_json()
    )


SURVEY = """
population = 16_000_000
[[questions]]
name = "education"
factor = 3.33
[[questions]]
name = "work"
shares = [0.37, 0.33, 0.3]
"""


def test_questionnaire(run: Run, tmp_path: Path) -> None:
    survey, chart = tmp_path / "survey.toml", tmp_path / "chart.json"
    survey.write_text(SURVEY)
    ended = run("questionnaire", survey, "--json", "--chart", chart)
    assert ended.code == 0
    steps = json.loads(ended.out)["steps"]
    assert {"question", "factor", "best_case", "expected", "worst_case"} <= set(steps[0])
    assert steps[1]["best_case"] == pytest.approx(16_000_000 / 3.33 * 0.37)
    assert json.loads(chart.read_text())["data"]["values"]
    assert run("questionnaire", survey).out.startswith(
        "Expect at most 1,440,263 people to share all answers: 1,777,777 people at best"
    )
    assert run("questionnaire", survey, "--out", survey).code == 2
    assert survey.read_text() == SURVEY


def test_the_schema_is_printed(run: Run) -> None:
    assert json.loads(run("questionnaire", "--schema").out)["title"] == "idbits survey"


@pytest.mark.parametrize("text", [None, "", "population = ", "population = 5\n[[questions]]\nname = 1\n", "\x00"])
def test_bad_surveys_are_one_line(run: Run, tmp_path: Path, text: str | None) -> None:
    survey = tmp_path / "survey.toml"
    if text is not None:
        survey.write_text(text)
    ended = run("questionnaire", survey)
    assert ended.code == 2
    assert ended.err.count("\n") == 1
