"""``idbits disclosure`` as a command: options, exit codes, files, and what it never prints."""

import json
import stat
from pathlib import Path

import pytest

from commands import Run

ROWS = ["1,F,flu,100", "1,F,flu,101", "2,M,measles,200", "2,M,cold,900", "2,F,plague,300"]
ASKED = ("--qid", "zip,sex", "--sensitive", "ill", "--quiet")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["zip,sex,ill,income", *ROWS]) + "\n", encoding="utf-8")
    return path


def test_text_and_json(run: Run, people: Path) -> None:
    text, data = run("disclosure", people, *ASKED), run("disclosure", people, *ASKED, "--json")
    assert (text.code, data.code) == (0, 0)
    answer = json.loads(data.out)
    assert text.out.startswith("The groups give ill away\nFor 2 of 5 rows (40.00%), all others with the same zip and")
    assert answer["sensitive"][0]["certain"] == {"people": 3, "alone": 1, "in_company": 2, "empty": 0}
    assert not any(word in text.out + data.out for word in ("flu", "measles", "cold", "plague"))
    assert all(len(line) <= 80 or line.startswith("  idbits ") for line in text.out.splitlines())


def test_rules_decide_the_exit_code(run: Run, people: Path) -> None:
    met = run("disclosure", people, *ASKED, "--rule", "l_distinct.ill >= 1")
    broken = run("disclosure", people, *ASKED, "--rule", "l_distinct.ill >= 2", "--rule", "alpha.ill <= 100%")
    absent = run("disclosure", people, *ASKED, "--rule", "t_ordered.ill <= 0.1")
    assert (met.code, broken.code, absent.code) == (0, 1, 3)
    assert "FAIL | l_distinct.ill >= 2" in broken.out
    assert "PASS | alpha.ill <= 100%" in broken.out


def test_files(run: Run, people: Path, tmp_path: Path) -> None:
    records, charts = tmp_path / "records.csv", tmp_path / "charts.json"
    ended = run("disclosure", people, *ASKED, "--records", records, "--charts", charts)
    assert ended.code == 0
    assert stat.S_IMODE(records.stat().st_mode) == 0o600
    lines = records.read_text(encoding="utf-8").splitlines()
    assert (lines[0], len(lines)) == ('"row","k","l","top_share","gain_bits","true_bits"', 6)
    assert lines[1].startswith("1,2,1,1,")
    assert set(json.loads(charts.read_text(encoding="utf-8"))) == {"ill: shares", "ill: bits", "ill: values"}
    refused = run("disclosure", people, *ASKED, "--records", people)
    assert refused.code == 2
    assert people.read_text(encoding="utf-8").startswith("zip,sex")
    nowhere = run("disclosure", people, *ASKED, "--records", tmp_path / "none" / "r.csv")
    assert (nowhere.code, "its folder does not exist" in nowhere.err) == (2, True)


def test_columns_of_options(run: Run, people: Path, tmp_path: Path) -> None:
    prior = tmp_path / "prior.csv"
    prior.write_text("ill,count\nflu,5\ncold,3\nmeasles,1\nplague,1\n", encoding="utf-8")
    hierarchy = tmp_path / "h.csv"
    hierarchy.write_text("flu;mild\ncold;mild\nmeasles;bad\nplague;bad\n", encoding="utf-8")
    ended = run(
        "disclosure", people, *ASKED, "--sensitive", "income", "--near", "income=5%", "--prior", f"ill={prior}",
        "--smoothing", "0.1", "--ranks", "ill=flu,cold,measles,plague", "--hierarchy", f"ill={hierarchy}", "--secret",
        "ill=plague,measles", "--certainty", "0.8", "--c", "2", "--l", "2", "--excluded", "0,1", "--known-people", "1",
        "--rows-are-people", "--json",
    )  # fmt: skip
    assert ended.code == 0
    ill, income = json.loads(ended.out)["sensitive"]
    assert ill["t_ordered"] is not None
    assert ill["t_hierarchical"] is not None
    assert income["near"]["people"]["in_company"] == 2
    assert "plague" not in ended.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--qid", "zip"), 2, "name the column that must not be learnt"),
        (("--qid", "zip,ill", "--sensitive", "ill"), 2, '"ill" cannot be both known and secret'),
        (
            ("--qid", "zip", "--sensitive", "ill", "--near", "ill=5"),
            2,
            '--near needs numbers or dates, and "ill" has other values',
        ),
        (("--qid", "zip", "--sensitive", "ill", "--near", "ill"), 2, "--near is written --near COLUMN=DISTANCE"),
        (("--qid", "zip", "--sensitive", "ill", "--ranks", "ill=flu"), 3, "3 values (3 people)"),
        (("--qid", "zip", "--sensitive", "ill", "--person", "sex"), 3, "with more than one row"),
        (("--qid", "zip", "--sensitive", "ill", "--where", "zip = '9'"), 3, "there is nobody to measure"),
        (("--qid", "zip", "--sensitive", "ill", "--certainty", "1.5"), 2, "--certainty must be above 0 and below 1"),
        (("--qid", "zip", "--sensitive", "nothing"), 2, 'no column named "nothing"'),
    ],
)
def test_errors(run: Run, people: Path, words: tuple[str, ...], code: int, message: str) -> None:
    ended = run("disclosure", people, *words, "--quiet")
    assert ended.code == code
    assert message in ended.err
    assert len(ended.err.strip().splitlines()) == 1
    assert not any(value in ended.err for value in ("measles", "plague", "cold"))
