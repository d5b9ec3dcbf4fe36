"""Sensitive columns in policies, proposed policies and reports."""

import tomllib
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import idbits
from idbits.errors import InputError
from idbits.studies.check.policy import parse_rule
from idbits.studies.init.study import propose_policy

GROUPS = [("1011", "cold"), ("1011", "flu"), ("1012", "flu"), ("1013", "asthma")]


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """Return a table with groups of six: everyone in 1012 and 1013 has the same diagnosis."""
    rows = [(code, ill) for code, ill in GROUPS for _ in range(6)]
    path = tmp_path / "patients.parquet"
    table = pyarrow.table({
        "zip": [code for code, _ in rows], "sex": ["F", "M"] * 12, "main diagnosis": [ill for _, ill in rows],
    })  # fmt: skip
    pyarrow.parquet.write_table(table, path)
    return path


def check(folder: Path, rules: str, more: str = 'sensitive = ["main diagnosis"]') -> idbits.Check:
    policy = folder / "idbits.toml"
    policy.write_text(
        f'[[dataset]]\nname = "patients"\nsource = "patients.parquet"\nqid = ["zip"]\n{more}\nrules = [{rules}]\n',
        encoding="utf-8",
    )
    return idbits.check(policy)


def test_rules_about_sensitive_columns(patients: Path) -> None:
    rules = [
        r'"l_distinct.\"main diagnosis\" >= 2"',
        r'"recursive.4.\"main diagnosis\" <= 3"',
        r'"certain.in_company.\"main diagnosis\" <= 50%"',
        r'"nearly_certain.in_company.\"main diagnosis\" <= 1%"',
        r'"guess.before.\"main diagnosis\" <= 50%"',
        '"k_min >= 5"',
    ]
    answer = check(patients.parent, ", ".join(rules))
    assert [rule.word for rule in answer.rules] == ["FAIL", "FAIL", "PASS", "FAIL", "PASS", "PASS"]
    assert [rule.value for rule in answer.rules] == [1, float("inf"), 0.5, 0.5, 0.5, 6]
    assert answer.exit_code == 1


def test_rules_need_the_list_of_sensitive_columns(patients: Path) -> None:
    with pytest.raises(InputError, match='is about a sensitive column; name the column last, and in the list "sens'):
        check(patients.parent, r'"l_distinct.\"main diagnosis\" >= 2"', "")
    with pytest.raises(InputError, match="is about a sensitive column"):
        check(patients.parent, '"l_distinct >= 2"')


def test_people_with_several_rows_are_not_measured(patients: Path) -> None:
    answer = check(
        patients.parent, r'"k_min >= 1", "alpha.\"main diagnosis\" <= 90%"',
        'sensitive = ["main diagnosis"]\nperson = "sex"\nknows = "all-records"',
    )  # fmt: skip
    assert answer.rules[0].measured
    assert answer.rules[1].word == "ERROR"
    assert "more than one row" in (answer.rules[1].reason or "")


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("l_distinct.salary-class >= 2", ["l_distinct", "salary-class"]),
        ("recursive.3.S <= 4", ["recursive", "3", "S"]),
        ('t_equal."a.b" <= 0.2', ["t_equal", "a.b"]),
        ('t_equal."he said ""no""" <= 0.2', ["t_equal", 'he said "no"']),
        ("people_below.5 <= 1%", ["people_below", "5"]),
        ("l_distinct.élan >= 2", ["l_distinct", "élan"]),
        ("beta.diagnosis:prefix3 <= 3", ["beta", "diagnosis:prefix3"]),
    ],
)
def test_names_of_columns_in_rules(text: str, keys: list[str]) -> None:
    assert parse_rule(text).keys == keys


def test_init_proposes_a_rule(patients: Path) -> None:
    text, _ = propose_policy(str(patients))
    (dataset,) = tomllib.loads(text)["dataset"]
    assert dataset["sensitive"] == ["main diagnosis"]
    assert {"rule": 'l_distinct."main diagnosis" >= 2', "level": "warn"} in dataset["rules"]
    assert "main diagnosis" not in dataset["qid"]
    (patients.parent / "idbits.toml").write_text(text, encoding="utf-8")
    assert idbits.check(patients.parent / "idbits.toml").measured


def test_a_report_finds_sensitive_columns_by_their_names(patients: Path) -> None:
    report = idbits.report(patients, ["zip"], rows_are_people=True)
    assert "disclosure" in report.sections
    assert report.disclosure is not None
    assert report.disclosure["main diagnosis"].certain.people == 12
    # Nobody is in a small group, but half of the people can be told.
    assert (str(report.verdict.level), report.verdict_data["title"]) == ("bad", "The groups give main diagnosis away")
    page = report.to_markdown()
    assert "What groups give away" in page
    assert not any(word in page for word in ("l-diversity", "t-closeness", "--sensitive"))
    assert "--sensitive" not in report.origin.command


def test_a_report_on_a_named_column(patients: Path) -> None:
    report = idbits.report(patients, ["zip"], sensitive="sex", sections="disclosure", rows_are_people=True)
    assert report.disclosure is not None
    assert report.disclosure["sex"].certain.people == 0
    assert str(report.verdict.level) == "good"
    assert "--sensitive sex" in report.origin.command
    with pytest.raises(InputError, match='the section "disclosure" needs a sensitive column'):
        idbits.report(pyarrow.table({"zip": ["1", "2"]}), ["zip"], sections="disclosure")


def test_a_report_on_people_with_several_rows(patients: Path) -> None:
    report = idbits.report(patients, ["zip"], person="sex", sensitive="main diagnosis")
    assert report.disclosure is None
    assert "one row per person" in report.reasons["disclosure"]
    assert "disclosure" not in [section.name for section in report.page.sections]
    assert "- What groups give away: people in this table have several rows" in report.to_markdown()


@pytest.fixture
def pupils(tmp_path: Path) -> Path:
    """Return a table of 60 pupils in groups of six, and the coarser values of their diagnoses."""
    grades, ills = ["low", "middle", "high"], ["flu", "cold", "HIV", "asthma"]
    table = pyarrow.table({
        "zip": [str(n // 6) for n in range(60)],
        "income": [1000 + 40 * (n * n % 37) for n in range(60)],
        "grade": [grades[n * n % 37 % 3] for n in range(60)],
        "job": [("cook", "nurse", "smith")[n // 20] for n in range(60)],
        "illness": [ills[n * n % 7 % 4] for n in range(60)],
    })  # fmt: skip
    pyarrow.parquet.write_table(table, tmp_path / "patients.parquet")
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "jobs.csv").write_text("cook;service;*\nnurse;service;*\nsmith;trade;*\n")
    return tmp_path


OPTIONS = (
    'disclosure = { near = { income = "10%" }, secret = { illness = ["HIV"] }, '
    'ranks = { grade = ["low", "middle", "high"] }, hierarchy = { job = "lists/jobs.csv" } }'
)


def test_options_about_single_columns(pupils: Path) -> None:
    figures = [
        "near.mean.income",
        "near.people.people.income",
        "t_ordered.grade",
        "t_hierarchical.job",
        "alpha.illness",
    ]
    rules = ", ".join(f'"{figure} <= 0"' for figure in figures)
    sensitive = 'sensitive = ["income", "grade", "job", "illness"]'
    answer = check(pupils, rules, f"{sensitive}\n{OPTIONS}")
    same = idbits.disclosure(
        pupils / "patients.parquet", "zip", ["income", "grade", "job", "illness"], near={"income": "10%"},
        secret={"illness": ["HIV"]}, ranks={"grade": ["low", "middle", "high"]},
        hierarchy={"job": str(pupils / "lists" / "jobs.csv")},
    )  # fmt: skip
    assert isinstance(same, idbits.Disclosure)
    near = same["income"].near
    assert near is not None
    expected = [
        near.mean,
        near.people.people,
        same["grade"].t_ordered,
        same["job"].t_hierarchical,
        same["illness"].alpha,
    ]
    assert [rule.value for rule in answer.rules] == expected
    assert all(value is not None for value in expected)
    assert sum(value > 0 for value in expected) >= 4
    # Without the options these figures do not exist, or are those of other values.
    with pytest.raises(
        InputError, match=r"needs a distance; add near = \{ \"income\" = ... \} to \[dataset.disclosure\]"
    ):
        check(pupils, rules, sensitive)
    plain = check(pupils, ", ".join(f'"{figure} <= 0"' for figure in figures[2:]), sensitive)
    assert [rule.measured for rule in plain.rules] == [False, False, True]
    assert plain.rules[2].value != answer.rules[4].value
    # No secret value and no place in an order reaches the answer.
    assert not any(value in answer.to_json() + str(answer) for value in ("HIV", "middle"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("disclosure = { nearby = {} }", 'unknown key "nearby"'),
        ("disclosure = { near = 5 }", '"near" must be a table'),
        ("disclosure = { near = { income = true } }", '"near" of column "income" must be a number, or a share'),
        ('disclosure = { secret = { illness = "HIV" } }', '"secret" of column "illness" must be a list of texts'),
        ("disclosure = { ranks = { grade = [1, 2] } }", '"ranks" of column "grade" must be a list of texts'),
        ("disclosure = { hierarchy = { illness = 3 } }", 'must be the path of a file'),
    ],
)  # fmt: skip
def test_wrong_options_about_single_columns(pupils: Path, options: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as raised:
        check(pupils, '"alpha.illness <= 1"', f'sensitive = ["income", "grade", "job", "illness"]\n{options}')
    assert "HIV" not in str(raised.value)


def test_options_need_sensitive_columns(pupils: Path) -> None:
    with pytest.raises(InputError, match='list them in "sensitive"'):
        check(pupils, '"k_min >= 1"', OPTIONS)


def test_an_order_that_lacks_a_value_cannot_be_measured(pupils: Path) -> None:
    ranks = 'sensitive = ["grade"]\ndisclosure = { ranks = { grade = ["low", "high"] } }'
    (rule,) = check(pupils, '"t_ordered.grade <= 1"', ranks).rules
    assert rule.word == "ERROR"
    assert "has no place in the order" in (rule.reason or "")


@pytest.mark.parametrize(("column", "sentence"), [("incme", 'did you mean "income"'), ("grade", "--near")])
def test_options_about_other_columns_cannot_be_measured(pupils: Path, column: str, sentence: str) -> None:
    answer = check(
        pupils, '"alpha.grade <= 1"', f'sensitive = ["income", "grade"]\ndisclosure.near = {{ {column} = 5 }}'
    )
    assert answer.exit_code == 3
    assert sentence in (answer.rules[0].reason or "")
