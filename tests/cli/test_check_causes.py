"""What a broken rule is due to, what would pass, and other data for a dataset of a policy."""

from __future__ import annotations

import shlex
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

import idbits
from idbits.engines.sql.address import parse_address
from idbits.errors import InputError
from idbits.studies.check import causes as searching
from idbits.studies.init.study import propose_policy

COLUMNS = ("zip", "age", "sex")
PEOPLE = [(f"{10 + row % 4}", f"{20 + row % 16}", "FM"[row % 2]) for row in range(160)]
POLICY = """
[[dataset]]
name = "people"
source = "people.csv"
qid = ["zip", "age", "sex"]
rules = [{rules}]
{more}
"""


def write(path: str, rows: list[tuple[str, ...]], names: tuple[str, ...] = COLUMNS) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text("\n".join(",".join(row) for row in (names, *rows)) + "\n", encoding="utf-8")


def policy(*rules: str, more: str = "") -> None:
    Path("idbits.toml").write_text(
        POLICY.format(rules=", ".join(f'"{rule}"' for rule in rules), more=more), encoding="utf-8"
    )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("people.csv", PEOPLE)
    return tmp_path


def smallest_group(rows: list[tuple[str, ...]], columns: tuple[int, ...]) -> int:
    return min(Counter(tuple(row[index] for index in columns) for row in rows).values())


@pytest.mark.parametrize("least", [2, 10, 11, 25, 40, 41, 80, 81, 500])
def test_causes_are_the_columns_without_which_the_rule_holds(least: int) -> None:
    policy(f"k_min >= {least}")
    (outcome,) = idbits.check().rules
    holds = {
        left_out
        for size in range(4)
        for left_out in combinations(range(3), size)
        if smallest_group(PEOPLE, tuple(index for index in range(3) if index not in left_out)) >= least
    }
    if () in holds:
        assert (outcome.passed, outcome.causes, outcome.reason) == (True, (), None)
        return
    alone = tuple(name for index, name in enumerate(COLUMNS) if (index,) in holds)
    if alone:
        assert outcome.causes == alone
        assert outcome.reason == f"the rule holds without {' or '.join(alone)}"
    else:
        named = tuple(sorted(COLUMNS.index(name) for name in outcome.causes))
        assert named in holds or named == (0, 1, 2)


def test_one_column_is_its_own_cause() -> None:
    policy("k_min >= 100")
    Path("idbits.toml").write_text(Path("idbits.toml").read_text().replace('"zip", "age", "sex"', '"age"'))
    (outcome,) = idbits.check().rules
    assert (outcome.causes, outcome.reason) == (("age",), "because of age")


def test_rules_about_sensitive_columns_have_causes() -> None:
    rows = [(zip_, sex, "flu" if zip_ == "10" else f"ill{number % 3}") for number, (zip_, _, sex) in enumerate(PEOPLE)]
    write("people.csv", rows, ("zip", "age", "illness"))
    policy("l_distinct.illness >= 2", more='sensitive = ["illness"]')
    Path("idbits.toml").write_text(Path("idbits.toml").read_text().replace('"zip", "age", "sex"', '"zip", "age"'))
    (outcome,) = idbits.check().rules
    assert outcome.causes == ("zip",)


def test_the_search_for_causes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    policy("k_min >= 500")
    with monkeypatch.context() as patch:
        patch.setattr("idbits.studies.check.study._SECONDS_FOR_CAUSES", -1.0)
        assert idbits.check().rules[0].causes == ()
    monkeypatch.setattr(searching, "_MOST_COLUMNS", 2)
    assert idbits.check().rules[0].causes == ()


def test_without_advice_nothing_is_sought() -> None:
    policy("k_min >= 25")
    check = idbits.check(advice=False)
    assert (check.rules[0].causes, check.treatments, check.exit_code) == ((), (), 1)


def test_the_treatment_passes_the_check(run) -> None:
    rows = [(*row, f"p{number}@example.org") for number, row in enumerate(PEOPLE)]
    write("data/week47.csv", rows, (*COLUMNS, "email"))
    policy("k_min >= 15", more='allowed_columns = ["zip", "age", "sex"]\nforbid_identifiers = true')
    check = idbits.check(data={"people": "data/week47.csv"})
    assert check.exit_code == 1
    (treatment,) = check.treatments
    assert treatment.dropped == ("email",)
    for command in treatment.commands:
        ended = run(*shlex.split(command)[1:], "--quiet")
        assert ended.code == 0, ended.err
    assert idbits.check(data=["people=treated.csv"]).exit_code == 0


def test_a_policy_with_views_has_to_name_the_columns_of_the_treated_file(run) -> None:
    policy("k_min >= 15")
    text = Path("idbits.toml").read_text().replace('"age"', '"age:band4"')
    Path("idbits.toml").write_text(text)
    check = idbits.check()
    (treatment,) = check.treatments
    assert treatment.qid == COLUMNS
    assert 'qid = ["zip", "age", "sex"]' in " ".join(str(check).split())
    for command in treatment.commands:
        assert run(*shlex.split(command)[1:], "--quiet").code == 0
    Path("idbits.toml").write_text(text.replace("age:band4", "age"))
    assert idbits.check(data=["people=treated.csv"]).exit_code == 0


def test_columns_that_only_have_to_go_need_no_plan(run) -> None:
    rows = [(*row, f"p{number}@example.org") for number, row in enumerate(PEOPLE)]
    write("people.csv", rows, (*COLUMNS, "email"))
    policy("k_min >= 2", more="forbid_identifiers = true")
    (treatment,) = idbits.check().treatments
    (command,) = treatment.commands
    assert "--plan" not in command
    assert run(*shlex.split(command)[1:], "--quiet").code == 0
    assert idbits.check(data=["people=treated.csv"]).exit_code == 0


SALARIES = [(*row, str(1000 + 7 * number), f"{60 + number * 0.013:.3f}") for number, row in enumerate(PEOPLE)]


@pytest.mark.parametrize(
    ("more", "dropped", "kept"),
    [
        ('sensitive = ["salary"]', ("weight",), ("salary",)),
        ('allowed_columns = ["zip", "age", "sex", "salary", "weight"]', (), ("salary", "weight")),
        ('allowed_columns = ["zip", "age", "sex", "salary"]', ("weight",), ("salary",)),
    ],
)
@pytest.mark.parametrize("least", [15, 2])
def test_columns_that_tell_rows_apart_are_left_out_unless_the_policy_wants_them(
    run, more: str, dropped: tuple[str, ...], kept: tuple[str, ...], least: int
) -> None:
    write("people.csv", [(*row, f"p{n}@example.org") for n, row in enumerate(SALARIES)],
          (*COLUMNS, "salary", "weight", "email"))  # fmt: skip
    policy(f"k_min >= {least}", more=f"{more}\nforbid_identifiers = true")
    (treatment,) = idbits.check().treatments
    assert (set(treatment.dropped), treatment.kept) == ({"email", *dropped}, kept)
    for command in treatment.commands:
        ended = run(*shlex.split(command)[1:], "--quiet")
        assert ended.code == 0, ended.err
    written = Path("treated.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    assert set(written) == {*COLUMNS, *kept}
    assert idbits.check(data=["people=treated.csv"]).exit_code == 0


def test_the_next_command_of_advise_can_be_run(run) -> None:
    rows = [(*row, f"p{n}@example.org") for n, row in enumerate(SALARIES)]
    write("people.csv", rows, (*COLUMNS, "salary", "weight", "email"))
    advice = idbits.advise("people.csv", list(COLUMNS), goal="k_min >= 15", sensitive="salary", plan="plan.json")
    assert advice.next_command is not None
    ended = run(*shlex.split(advice.next_command)[1:], "--quiet")
    assert ended.code == 0, ended.err
    assert Path("treated.csv").read_text(encoding="utf-8").startswith("zip,age,sex,salary\n")


def test_a_report_keeps_the_columns_it_is_about(run) -> None:
    write("people.csv", SALARIES, (*COLUMNS, "salary", "weight"))
    report = idbits.report("people.csv", list(COLUMNS), sensitive="salary", goal="k_min >= 15")
    first = report.treatments.suggested[0]
    assert (report.treatments.dropped, report.treatments.kept) == (("weight",), ("salary",))
    for command in first.commands:
        ended = run(*shlex.split(command)[1:], "--quiet")
        assert ended.code == 0, ended.err
    assert Path("treated.csv").read_text(encoding="utf-8").startswith("zip,age,sex,salary\n")


def test_rules_that_cannot_be_goals_say_so() -> None:
    policy("k_max <= 1")
    (treatment,) = idbits.check().treatments
    assert (treatment.commands, treatment.other_rules) == ((), ("k_max <= 1",))
    assert "no treatment can be sought" in (treatment.reason or "")


def test_a_dataset_that_passes_has_no_treatment() -> None:
    policy("k_min >= 2")
    assert idbits.check().treatments == ()


def test_other_data_may_be_a_file_a_folder_or_a_glob() -> None:
    policy("k_min >= 11")
    write("weeks/a.csv", PEOPLE)
    write("weeks/b.csv", PEOPLE)
    for source in ("weeks", "weeks/*.csv"):
        check = idbits.check(data=[f"people={source}"])
        assert (check.exit_code, check.figures["people"]["n_rows"]) == (0, 320)
    assert idbits.check(data={"people": Path("people.csv")}).exit_code == 1


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (["poeple=people.csv"], 'did you mean "people"'),
        (["x=people.csv"], 'there are "people"'),
        (["people"], "must be written like"),
        (["people="], "must be written like"),
        (["people=a.csv", "people=b.csv"], "has two sources"),
    ],
)
def test_wrong_names_of_data_are_one_sentence(data: list[str], sentence: str) -> None:
    policy("k_min >= 1")
    with pytest.raises(InputError, match=sentence):
        idbits.check(data=data)


def test_data_that_are_not_there_are_not_measured() -> None:
    policy("k_min >= 1")
    assert idbits.check(data=["people=nothing.csv"]).exit_code == 3


def test_an_empty_password_is_not_a_password() -> None:
    assert parse_address("postgresql://me:@host/db").username == "me"
    with pytest.raises(InputError, match="must not contain a password"):
        parse_address("postgresql://me:x@host/db")


def test_a_policy_names_its_dataset_after_the_file() -> None:
    write("weeks/week47.csv", PEOPLE)
    assert 'name = "week47"' in propose_policy("weeks/week47.csv")[0]
    assert 'name = "weeks"' in propose_policy("weeks/*.csv")[0]
