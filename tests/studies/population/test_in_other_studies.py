"""Samples in reports and policies: the same figures as the command, and clear reasons where there are none."""

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow
import pyarrow.csv
import pytest

import idbits
from idbits.errors import InputError
from idbits.render.numbers import estimated_share
from idbits.studies.check.policy import read_policy
from idbits.studies.check.study import check
from idbits.studies.init.study import propose_policy

SCHEMA = json.loads((Path(idbits.__file__).parent / "studies/check/policy.schema.json").read_text(encoding="utf-8"))
QID = ["age", "zip", "sex"]


def people(n: int = 900) -> pyarrow.Table:
    rng = np.random.default_rng(2)
    return pyarrow.table({
        "age": rng.integers(18, 80, n),
        "zip": rng.integers(1000, 1060, n).astype(str),
        "sex": rng.choice(["F", "M"], n),
        "w": rng.integers(5, 20, n),
        "who": [f"p{index // 2}" for index in range(n)],
    })  # fmt: skip


PEOPLE = people()


def policy(folder: Path, rules: str, sample: str) -> Path:
    pyarrow.csv.write_csv(PEOPLE, folder / "people.csv")
    path = folder / "idbits.toml"
    path.write_text(
        f'[[dataset]]\nname = "people"\nsource = "people.csv"\nqid = {QID}\nrules = [{rules}]\n{sample}',
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("sample", "asked"),
    [
        ("[dataset.sample]\npeople = 9_000\n", {"people": 9_000}),
        ("[dataset.sample]\nfraction = 0.2\nlevel = 0.8\n", {"fraction": 0.2, "level": 0.8}),
        ('[dataset.sample]\nweight = "w"\n', {"weight": "w"}),
    ],
)
def test_rules_limit_the_figures_of_the_command(tmp_path: Path, sample: str, asked: dict[str, Any]) -> None:
    figures = [
        "sample.unique_share_high", "sample.tau1_high", "sample.pi_high", "sample.correctness_high",
        "sample.unique_share", "sample.k_hat_low",
    ]  # fmt: skip
    path = policy(tmp_path, ", ".join(f'"{name} <= 0"' for name in figures), sample)
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), SCHEMA)
    outcomes = {outcome.rule.split()[0]: outcome.value for outcome in check(path).rules}
    answer = idbits.population(tmp_path / "people.csv", QID, **asked)
    assert outcomes == {
        "sample.unique_share_high": answer.unique_share.high,
        "sample.tau1_high": answer.tau1.high,
        "sample.pi_high": answer.pi.high,
        "sample.correctness_high": answer.correctness.high,
        "sample.unique_share": answer.unique_share.value,
        "sample.k_hat_low": answer.k_hat.low,
    }


def test_shares_may_be_percentages_and_wide_answers_fail(tmp_path: Path) -> None:
    answer = check(
        policy(tmp_path, '"sample.pi_high <= 20%", "sample.pi_high <= 100%"', "[dataset.sample]\npeople = 9_000\n")
    )
    assert [outcome.word for outcome in answer.rules] == ["FAIL", "PASS"]
    with pytest.raises(InputError, match="cannot be a percentage"):
        check(policy(tmp_path, '"sample.k_hat_low >= 20%"', "[dataset.sample]\npeople = 9_000\n"))


def test_what_cannot_be_estimated_does_not_pass(tmp_path: Path) -> None:
    rules = '"sample.pi <= 100%", "sample.pi_high <= 100%"'
    answer = check(policy(tmp_path, rules, 'where = "age < 22"\n[dataset.sample]\npeople = 9_000\n'))
    assert answer.exit_code == 3
    assert not answer.rules[0].measured
    assert "limit pi_high instead" in (answer.rules[0].reason or "")
    assert answer.rules[1].passed


def test_a_sample_without_unique_people_passes(tmp_path: Path) -> None:
    rules = '"sample.pi_high <= 20%", "sample.unique_share_high <= 20%", "sample.pi <= 20%", "sample.k_hat <= 9000"'
    path = policy(tmp_path, rules, "[dataset.sample]\npeople = 9_000\n")
    path.write_text(path.read_text(encoding="utf-8").replace(str(QID), '["sex"]'), encoding="utf-8")
    answer = check(path)
    assert [outcome.passed for outcome in answer.rules[:2]] == [True, True]
    assert "nobody is unique in the sample; limit pi_high instead" in (answer.rules[2].reason or "")
    assert "say too little" in (answer.rules[3].reason or "")
    assert "limit k_hat_low instead" in (answer.rules[3].reason or "")


def test_a_policy_without_a_population(tmp_path: Path) -> None:
    answer = check(policy(tmp_path, '"sample.pi_high <= 20%", "k_min >= 1"', ""))
    assert answer.exit_code == 3
    assert "[dataset.sample]" in (answer.rules[0].reason or "")
    assert answer.rules[1].passed


def test_several_rows_per_person_cannot_be_estimated(tmp_path: Path) -> None:
    path = policy(
        tmp_path, '"sample.pi_high <= 20%", "k_min >= 1"', 'person = "who"\n[dataset.sample]\npeople = 9_000\n'
    )
    answer = check(path)
    assert "450 persons with more than one row" in (answer.rules[0].reason or "")
    assert answer.rules[1].passed


@pytest.mark.parametrize("wrong", ["people = 0.5", "persons = 5", 'fraction = "x"'])
def test_a_wrong_sample_is_an_error(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(InputError, match="the sample of dataset"):
        read_policy(policy(tmp_path, '"k_min >= 1"', f"[dataset.sample]\n{wrong}\n"))


def test_a_new_policy_proposes_a_rule_for_samples(tmp_path: Path) -> None:
    pyarrow.csv.write_csv(PEOPLE, tmp_path / "people.csv")
    text, _ = propose_policy(str(tmp_path / "people.csv"))
    assert '# { rule = "sample.pi_high <= 20%", level = "warn" },' in text
    # Without the marks in front, it is a policy.
    lines = [line.removeprefix("# ").replace("    # {", "    {") for line in text.splitlines()]
    wanted = ("[dataset.sample]", "people =", '    { rule = "sample')
    chosen = [
        line if line.startswith(wanted) else original for line, original in zip(lines, text.splitlines(), strict=True)
    ]
    (tmp_path / "idbits.toml").write_text("\n".join(chosen), encoding="utf-8")
    (dataset,) = read_policy(tmp_path / "idbits.toml").datasets
    assert dataset.sample == {"people": 17_000_000}
    assert "sample.pi_high" in {rule.figure for rule in dataset.rules}


# Reports.


def test_a_report_has_the_section_of_the_command(tmp_path: Path) -> None:
    report = idbits.report(PEOPLE, QID, people=9_000)
    answer = idbits.population(PEOPLE, QID, people=9_000)
    assert report.population is not None
    assert report.population.figures == answer.figures
    assert "population" in report.sections
    data = json.loads(report.to_json())
    assert data["population"]["pi"]["value"] == answer.pi.value
    text = " ".join(report.to_markdown().split())
    assert (
        f"## Population: About {estimated_share(answer.pi.value)} of the rows that are unique here are unique in"
        in text
    )
    assert answer.blocks()[0].sentence in text.replace("\\", "")
    assert "Without any model" in text
    assert "Tried on your own data" in text
    assert "Whether the sample was drawn at random" in text
    assert "Whether the table is a sample" not in text
    page = report.to_html()
    assert page.count("<svg") >= 2
    assert "--people 9000" not in text.split("How this page was made")[0]
    assert "people=9000" in report.origin.command


def test_a_report_of_no_sample_says_that_it_may_be_one() -> None:
    report = idbits.report(PEOPLE, QID)
    assert report.population is None
    assert "population" not in report.sections
    assert "population" not in json.loads(report.to_json())
    assert "Whether the table is a sample" in report.to_markdown()
    with pytest.raises(InputError, match="needs the size of the population"):
        idbits.report(PEOPLE, QID, sections="population")


def test_a_report_with_weights_and_one_that_cannot_be_estimated() -> None:
    weighted = idbits.report(PEOPLE, QID, weight="w", sections="population")
    assert weighted.population is not None
    assert weighted.population.people == sum(PEOPLE["w"].to_pylist())
    several = idbits.report(PEOPLE, QID, person="who", people=9_000, sections="population")
    assert several.population is None
    assert "several rows" in several.to_markdown()
    few = idbits.report(PEOPLE.slice(0, 50), QID, people=9_000, sections="population")
    assert "Not estimable" in few.to_markdown()


def test_measure_points_to_the_command() -> None:
    text = " ".join(str(idbits.measure(PEOPLE, QID)).split())
    assert "If it is one, idbits.population estimates who is unique in the population (people=N" in text
