"""``idbits population`` as a command: options, exit codes, files."""

import json
import random
from pathlib import Path

import pytest

from commands import Run

DRAWN = random.Random(4)
ROWS = [f"{DRAWN.randrange(18, 80)},{DRAWN.randrange(90)},{'FM'[i % 2]},{2 + i % 3}" for i in range(800)]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["age,zip,sex,w", *ROWS]) + "\n", encoding="utf-8")
    return path


def test_text_and_json(run: Run, people: Path) -> None:
    asked = ("population", people, "--qid", "age,zip,sex", "--people", "8e3", "--quiet")
    text, data = run(*asked), run(*asked, "--json")
    assert (text.code, data.code) == (0, 0)
    answer = json.loads(data.out)
    assert (answer["n_rows"], answer["people"]) == (800, 8000)
    assert " ".join(answer["verdict"].split()) in " ".join(text.out.split())
    assert "Next" in text.out
    assert "--people 8000" in " ".join(text.out.split())


def test_weights_records_sizes_and_charts(run: Run, people: Path, tmp_path: Path) -> None:
    ended = run(
        "population", people, "--qid", "age,zip,sex", "--weight", "w", "--records", tmp_path / "risk.csv", "--sizes",
        "100,1e6", "--charts", tmp_path / "charts.json", "--all", "--level", "0.8", "--rows-are-people", "--quiet",
    )  # fmt: skip
    assert ended.code == 0
    assert (tmp_path / "risk.csv").read_text(encoding="utf-8").startswith('"row","c","p_unique","match"\n1,')
    assert set(json.loads((tmp_path / "charts.json").read_text(encoding="utf-8"))) == {"interval", "sizes"}
    assert "stands for 2 to 4 people" in " ".join(ended.out.split())


def test_marginals_and_strata(run: Run, people: Path, tmp_path: Path) -> None:
    (tmp_path / "sexes.csv").write_text("sex,count\nF,4000\nM,4000\n", encoding="utf-8")
    sexes = tmp_path / "sexes.csv"
    by_marginal = run(
        "population", people, "--qid", "age,sex", "--people", "8000", "--marginal", f"sex={sexes}", "--quiet"
    )
    by_strata = run("population", people, "--qid", "age,zip", "--strata", "sex", "--stratum-sizes", sexes, "--quiet")
    assert (by_marginal.code, by_strata.code) == (0, 0)


def test_group_sizes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sizes.csv").write_text("k,sets\n1,60\n2,20\n3,8\n4,4\n", encoding="utf-8")
    ended = run("population", "--spectrum", tmp_path / "sizes.csv", "--people", "1400", "--json", "--quiet")
    assert ended.code == 0
    assert json.loads(ended.out)["pi"]["value"] == pytest.approx(0.163994, abs=1e-6)


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (("--qid", "age,zip"), 2, "--people N, --fraction F or --weight COLUMN"),
        (("--qid", "age,zip", "--people", "9"), 2, "smaller than the sample"),
        (("--qid", "age,zip", "--people", "9000", "--marginal", "age"), 2, "--marginal COLUMN=SOURCE"),
        (("--qid", "age,zip", "--people", "9000", "--person", "sex"), 3, "2 persons with more than one row"),
        (("--qid", "age", "--people", "9000", "--where", "age > 900"), 3, "nobody to estimate from"),
    ],
)
def test_failures(run: Run, people: Path, options: tuple[str, ...], code: int, sentence: str) -> None:
    assert sentence in run("population", people, *options).failed(code)


def test_nothing_named(run: Run) -> None:
    assert "name a table" in run("population", "--people", "5").failed(2)


def test_the_sample_is_not_overwritten(run: Run, people: Path) -> None:
    before = people.read_bytes()
    ended = run("population", people, "--qid", "age,zip", "--people", "9000", "--records", people)
    assert ended.code == 2
    assert people.read_bytes() == before
