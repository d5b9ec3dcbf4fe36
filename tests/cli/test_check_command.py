"""``idbits check`` and ``idbits init`` as a pipeline runs them."""

import json
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

POLICY = '[[dataset]]\nname = "people"\nsource = "people.csv"\nqid = ["zip", "sex"]\nrules = [{}]\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text("zip,sex\n10,F\n10,F\n20,M\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return tmp_path


def write(rules: str) -> None:
    Path("idbits.toml").write_text(POLICY.format(rules))


@pytest.mark.parametrize(
    ("rules", "code", "word"), [('"k_min >= 1"', 0, "PASS"), ('"k_min >= 2"', 1, "FAIL"), ('"k_min"', 2, None)]
)
def test_exit_codes(run, folder, rules, code, word):
    write(rules)
    ended = run("check")
    assert ended.code == code
    assert word is None or word in ended.out


def test_what_cannot_be_measured_beats_what_failed(run, folder):
    write('"k_min >= 2"')
    gone = '[[dataset]]\nname = "gone"\nsource = "gone.csv"\nqid = ["a"]\nrules = ["k_min >= 1"]\n'
    Path("idbits.toml").write_text(Path("idbits.toml").read_text() + gone)
    ended = run("check")
    assert ended.code == 3
    assert "ERROR" in ended.out
    assert "Traceback" not in ended.err


def test_json_holds_what_the_interface_says(run, folder):
    write('"k_min >= 2", { rule = "singletons <= 10%", level = "warn" }')
    ended = run("check", "--json")
    answer = json.loads(ended.out)
    assert (ended.code, answer["passed"]) == (1, False)
    first, second = answer["rules"]
    assert {key: first[key] for key in ("dataset", "rule", "value", "limit", "level", "passed")} == {
        "dataset": "people", "rule": "k_min >= 2", "value": 1, "limit": 2.0, "level": "fail", "passed": False,
    }  # fmt: skip
    assert (second["value"], second["limit"], second["outcome"]) == (1 / 3, 0.1, "warn")


def test_junit_and_annotations(run, folder, monkeypatch):
    write('"k_min >= 2", { rule = "singletons <= 10%", level = "warn" }, "k_min >= 1"')
    ended = run("check", "--junit", "out.xml", "--github")
    root = ElementTree.parse("out.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "0")
    assert [case.get("name") for case in root.iter("testcase")] == ["k_min >= 2", "singletons <= 10%", "k_min >= 1"]
    lines = [line for line in ended.err.splitlines() if line.startswith("::")]
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning"]
    assert "title=people%3A k_min >= 2::" in lines[0]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert "::error" in run("check", "--quiet").err


def test_the_answer_of_one_check_is_the_baseline_of_the_next(run, folder):
    write('"k_min >= 1"')
    run("check", "--json", "--out", "before.json")
    (folder / "people.csv").write_text("zip,sex\n10,F\n11,F\n20,M\n21,M\n")
    write('"change.entropy_bits <= 0.5"')
    ended = run("check", "--baseline", "before.json")
    assert ended.code == 1
    assert "zip went from 2 to 4 values" in ended.out


def test_hostile_names_do_not_break_the_outputs(run, folder):
    name = '<script>alert(1)</script>\\u001b[31m & "x"'
    Path("idbits.toml").write_text(POLICY.replace('"people"', f'"{name}"'.replace(' & "x"', "")).format('"k_min >= 2"'))
    ended = run("check", "--junit", "out.xml", "--github")
    assert ended.code == 1
    assert "\x1b" not in ended.out + ended.err
    ElementTree.parse("out.xml")


def test_init_proposes_a_policy_and_keeps_one_that_is_there(run, folder):
    ended = run("init", "people.csv")
    assert (ended.code, "idbits check" in ended.out) == (0, True)
    proposed = Path("idbits.toml").read_text()
    assert tomllib.loads(proposed)["dataset"][0]["source"] == "people.csv"
    assert run("check").code == 1
    again = run("init", "people.csv")
    assert again.code == 2
    assert "--force" in again.err
    assert Path("idbits.toml").read_text() == proposed
    assert run("init", "people.csv", "--force", "--where", "sex = 'F'").code == 0
    assert tomllib.loads(Path("idbits.toml").read_text())["dataset"][0]["where"] == "sex = 'F'"


def test_a_policy_elsewhere_finds_its_table(run, folder):
    (folder / "policies" / "eu").mkdir(parents=True)
    ended = run("init", "people.csv", "-o", "policies/eu/idbits.toml")
    assert ended.code == 0
    assert tomllib.loads(Path("policies/eu/idbits.toml").read_text())["dataset"][0]["source"] == "../../people.csv"
    assert run("check", "--policy", "policies/eu/idbits.toml").code == 1


def test_a_table_that_begins_with_people_is_not_put_into_a_policy(run, folder):
    Path("people.csv").write_text("Jane Roe,1970-02-03,1011AB\nAnn Lee,1981-05-06,1013AC\n")
    ended = run("init", "people.csv")
    assert (ended.code, "--no-header" in ended.err, Path("idbits.toml").exists()) == (2, True, False)
    assert "Jane" not in ended.err
    assert run("init", "people.csv", "--no-header").code == 0
    assert run("check").code == 1


def test_init_of_several_tables_names_each_after_its_file(run, folder):
    (folder / "old").mkdir()
    rows = Path("people.csv").read_text(encoding="utf-8")
    Path("old/people.csv").write_text(rows, encoding="utf-8")
    Path("visits.csv").write_text("clinic,day\n" + "north,1\nsouth,2\n" * 20, encoding="utf-8")
    assert run("init", "people.csv", "old/people.csv", "visits.csv").code == 0
    datasets = tomllib.loads(Path("idbits.toml").read_text(encoding="utf-8"))["dataset"]
    named = [(dataset["name"], dataset["source"]) for dataset in datasets]
    assert named == [("people", "people.csv"), ("people-2", "old/people.csv"), ("visits", "visits.csv")]
    assert datasets[0]["qid"] == datasets[1]["qid"]
    assert {rule["dataset"] for rule in json.loads(run("check", "--json").out)["rules"]} == {name for name, _ in named}


def test_init_writes_nothing_if_one_of_several_tables_is_missing(run, folder):
    ended = run("init", "people.csv", "gone.csv")
    assert (ended.code, "gone.csv" in ended.err, Path("idbits.toml").exists()) == (2, True, False)


def test_init_of_nothing(run, folder):
    for source, code in (("gone.csv", 2), ("-", 2)):
        ended = run("init", source)
        assert ended.code == code
        assert not Path("idbits.toml").exists()
