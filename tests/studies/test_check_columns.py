"""Policies about columns and people: a column that nobody allowed, one that changed, and figures of people."""

import json
from datetime import date
from pathlib import Path

import jsonschema
import pytest

import idbits
from idbits.errors import InputError
from idbits.studies.check.policy import read_policy
from idbits.studies.check.study import check
from idbits.studies.init.study import propose_policy

SCHEMA = json.loads((Path(idbits.__file__).parent / "studies/check/policy.schema.json").read_text(encoding="utf-8"))
TODAY = date(2026, 11, 15)
PEOPLE = "zip,sex\n" + "10,F\n" * 6 + "20,M\n" * 6


def policy(folder: Path, more: str = "", rules: str = '"k_min >= 5"', table: str = PEOPLE) -> Path:
    (folder / "people.csv").write_text(table)
    path = folder / "idbits.toml"
    path.write_text(
        f'[[dataset]]\nname = "people"\nsource = "people.csv"\nqid = ["zip", "sex"]\nrules = [{rules}]\n{more}'
    )
    return path


def with_column(name: str, values: str = "x") -> str:
    header, *rows = PEOPLE.splitlines()
    return "\n".join([f"{header},{name}", *(f"{row},{values}" for row in rows)]) + "\n"


def words(path: Path, baseline: Path | None = None) -> dict[str, str]:
    return {outcome.rule: outcome.word for outcome in check(path, baseline=baseline, today=TODAY).rules}


def test_only_allowed_columns_pass(tmp_path: Path) -> None:
    allowed = 'allowed_columns = ["zip", "sex", "age"]\n'
    assert words(policy(tmp_path, allowed)) == {"allowed_columns": "PASS", "k_min >= 5": "PASS"}
    answer = check(policy(tmp_path, allowed, table=with_column("email")))
    assert (answer.exit_code, answer.rules[0].rule, answer.rules[0].value) == (1, "allowed_columns", 1)
    assert answer.rules[0].reason == "email: not allowed"


@pytest.mark.parametrize(
    ("table", "changed"),
    [
        (with_column("email"), "people: email is a new column"),
        (PEOPLE.replace("sex", "gender"), None),
        (with_column("town"), "people: town is a new column"),
    ],
)
def test_a_new_column_fails_against_the_baseline(tmp_path: Path, table: str, changed: str | None) -> None:
    before = tmp_path / "before.json"
    before.write_text(check(policy(tmp_path)).to_json())
    answer = check(policy(tmp_path, table=table), baseline=before)
    assert answer.exit_code == (1 if changed else 3)
    if changed:
        assert changed in answer.changes
        assert words(policy(tmp_path, table=table), before) == {"unchanged_columns": "FAIL", "k_min >= 5": "PASS"}


def test_a_column_that_is_gone_fails_against_the_baseline(tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    before.write_text(check(policy(tmp_path, table=with_column("town"))).to_json())
    assert words(policy(tmp_path), before)["unchanged_columns"] == "FAIL"
    # It had to go: the policy no longer allows it.
    assert "unchanged_columns" not in words(policy(tmp_path, 'allowed_columns = ["zip", "sex"]\n'), before)
    assert "unchanged_columns" not in words(policy(tmp_path, 'allowed_changes = ["town"]\n'), before)


def test_allowed_columns_may_appear(tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    before.write_text(check(policy(tmp_path)).to_json())
    table = with_column("town")
    allowed = 'allowed_columns = ["zip", "sex", "town"]\n'
    assert words(policy(tmp_path, allowed, table=table), before)["allowed_columns"] == "PASS"
    assert "unchanged_columns" not in words(policy(tmp_path, allowed, table=table), before)
    answer = check(policy(tmp_path, allowed, table=table), baseline=before)
    assert "people: town is a new column" in answer.changes


def test_rules_about_columns_can_be_waived(tmp_path: Path) -> None:
    waiver = '[[dataset.waivers]]\nrule = "allowed_columns"\nowner = "A"\nreason = "pilot"\nexpires = 2099-01-01\n'
    path = policy(tmp_path, f'allowed_columns = ["zip", "sex"]\n{waiver}', table=with_column("email"))
    answer = check(path, today=TODAY)
    assert (answer.passed, answer.rules[0].word) == (True, "WAIVED")
    assert "email: not allowed; waived by A" in answer.rules[0].reason


def test_a_baseline_of_an_earlier_version_has_no_columns(tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    saved = json.loads(check(policy(tmp_path)).to_json())
    del saved["figures"]["people"]["table_columns"]
    before.write_text(json.dumps(saved))
    assert words(policy(tmp_path, table=with_column("email")), before) == {"k_min >= 5": "PASS"}
    saved["figures"]["people"]["table_columns"] = {"zip": 5}
    before.write_text(json.dumps(saved))
    with pytest.raises(InputError, match="is not a baseline"):
        check(policy(tmp_path), baseline=before)


VISITS = "id,place\n" + "".join(f"{person},{place}\n" for person in range(6) for place in ("a", "b", "c"))


def test_rules_are_about_people(tmp_path: Path) -> None:
    path = policy(tmp_path, 'person = "id"\n', '"k_min >= 6", "singletons <= 0%"', VISITS + "0,d\n")
    path.write_text(path.read_text().replace('["zip", "sex"]', '["place"]'))
    answer = check(path)
    assert {rule.rule: rule.value for rule in answer.rules} == {"k_min >= 6": 1, "singletons <= 0%": 1 / 6}
    assert answer.figures["people"]["n_people"] == 6
    path.write_text(path.read_text() + 'knows = "all-records"\n')
    assert {rule.value for rule in check(path).rules} == {1, 1 / 6}


def test_the_schema_knows_every_key(tmp_path: Path) -> None:
    more = (
        'person = "id"\nknows = "all-records"\nnull_person = "drop"\nmultiset = true\nallowed_columns = ["zip"]\n'
        'allowed_changes = ["town"]\nforbid_identifiers = true\n'
    )
    path = policy(tmp_path, more)
    import tomllib

    jsonschema.validate(tomllib.loads(path.read_text()), SCHEMA)
    (dataset,) = read_policy(path).datasets
    assert (dataset.person.column, dataset.person.multiset, dataset.forbid_identifiers) == ("id", True, True)
    with pytest.raises(InputError, match="allowed_columns must be a list of columns"):
        read_policy(policy(tmp_path, "allowed_columns = [5]\n"))


def test_identifiers_can_be_forbidden(tmp_path: Path) -> None:
    header, *rows = PEOPLE.splitlines()
    lines = [f"{row},person{number}@example.org" for number, row in enumerate(rows * 5)]
    table = "\n".join([f"{header},email", *lines]) + "\n"
    answer = check(policy(tmp_path, "forbid_identifiers = true\n", table=table))
    assert (answer.exit_code, answer.rules[0].rule) == (1, "forbid_identifiers")
    assert answer.rules[0].reason == "email: may identify people"
    assert words(policy(tmp_path, "forbid_identifiers = true\n"))["forbid_identifiers"] == "PASS"
    assert words(policy(tmp_path, table=table)) == {"k_min >= 5": "PASS"}


def of_ages(*ages: str) -> str:
    rows = [("10,F", "20,M")[number % 2] for number in range(40)]
    return "zip,sex,age\n" + "".join(f"{row},{ages[number % len(ages)]}\n" for number, row in enumerate(rows))


def test_a_text_column_that_changes_from_numbers_to_words_fails_against_the_baseline(tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    saved = check(policy(tmp_path, table=of_ages("20", "31", "45")))
    before.write_text(saved.to_json())
    assert saved.figures["people"]["column_contents"] == {"zip": "numbers", "sex": "words", "age": "numbers"}
    answer = check(policy(tmp_path, table=of_ages("young", "old")), baseline=before)
    assert (answer.exit_code, answer.rules[0].rule, answer.rules[0].word) == (1, "unchanged_columns", "FAIL")
    assert answer.changes == ("people: age had numbers and has words",)
    assert "unchanged_columns" not in words(
        policy(tmp_path, 'allowed_changes = ["age"]\n', table=of_ages("young", "old")), before
    )
    # Other numbers, a few odd values, and an empty column are not another kind of column.
    for table in (of_ages("7", "8", "9"), of_ages(*["20"] * 19, "unknown"), of_ages("")):
        assert "unchanged_columns" not in words(policy(tmp_path, table=table), before)
    # Measured columns are judged by all rows, the others by a sample.
    sexes = of_ages("20").replace("F", "1").replace("M", "2")
    assert words(policy(tmp_path, table=sexes), before)["unchanged_columns"] == "FAIL"


def test_a_baseline_without_contents_raises_no_alarm(tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    saved = json.loads(check(policy(tmp_path, table=of_ages("20", "31"))).to_json())
    del saved["figures"]["people"]["column_contents"]
    before.write_text(json.dumps(saved))
    assert words(policy(tmp_path, table=of_ages("young", "old")), before) == {"k_min >= 5": "PASS"}


def test_names_that_may_be_data_do_not_pass(tmp_path: Path) -> None:
    more = 'allowed_columns = ["zip", "sex"]\nforbid_identifiers = true\n'
    table = of_ages("1980-04-12", "1981-04-12").replace("age", "1985-04-12")
    answer = check(policy(tmp_path, more, table=table))
    assert [(rule.rule, rule.word) for rule in answer.rules[:2]] == [
        ("allowed_columns", "FAIL"),
        ("forbid_identifiers", "ERROR"),
    ]
    assert not answer.passed
    assert "1985" not in answer.to_json() + str(answer)
    assert answer.figures["people"]["table_columns"] == {}


def test_init_writes_the_columns_that_are_allowed(tmp_path: Path) -> None:
    header, *rows = PEOPLE.splitlines()
    lines = [f"{header},email", *(f"{row},a{number}@example.org" for number, row in enumerate(rows))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    text, _ = propose_policy(str(tmp_path / "people.csv"))
    path = tmp_path / "idbits.toml"
    path.write_text(text)
    (dataset,) = read_policy(path).datasets
    assert (dataset.allowed_columns, dataset.forbid_identifiers) == (("zip", "sex"), True)
    failed = {outcome.rule: outcome.word for outcome in check(path, today=TODAY).rules}
    assert (failed["allowed_columns"], failed["forbid_identifiers"]) == ("FAIL", "FAIL")
    (tmp_path / "people.csv").write_text(PEOPLE)
    assert check(path, today=TODAY).exit_code == 0


def test_init_names_the_person_in_whose_column_people_repeat(tmp_path: Path) -> None:
    rows = [f"{7000 + 13 * (number // 5)},{number % 3},{'FM'[number % 2]}" for number in range(60)]
    (tmp_path / "visits.csv").write_text("\n".join(["patient_id,zip,sex", *rows]) + "\n")
    path = tmp_path / "idbits.toml"
    path.write_text(propose_policy(str(tmp_path / "visits.csv"))[0])
    (dataset,) = read_policy(path).datasets
    assert (dataset.person.column, dataset.allowed_columns) == ("patient_id", ("patient_id", "zip", "sex"))
    assert words(path)["forbid_identifiers"] == "PASS"


def test_rules_on_information_gain_are_about_people(tmp_path: Path) -> None:
    rows = [(n % 7, n * n % 5, "ab"[n * n % 5 == 1]) for n in range(60)]
    content = "id,zip,sex\n" + "".join(f"{person},{code},{sex}\n" for person, code, sex in rows)
    path = policy(tmp_path, 'person = "id"\ngain = ["zip", "sex"]\n', '"pif <= 99", "rig.p95 <= 99"', content)
    answer = check(path)
    people = idbits.gain(tmp_path / "people.csv", columns=["zip", "sex"], person="id")
    rows_only = idbits.gain(tmp_path / "people.csv", columns=["zip", "sex"])
    values = {outcome.rule: outcome.value for outcome in answer.rules}
    assert values["pif <= 99"] == people.pif != rows_only.pif
    assert values["rig.p95 <= 99"] == people.rig["p95"]
    assert answer.passed
