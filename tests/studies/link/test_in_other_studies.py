"""Links in policies and reports: the same figures as the command, and clear reasons where there are none."""

import json
import tomllib
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

import idbits
from idbits.errors import InputError
from idbits.studies.report.saved import answer_from, read_saved
from idbits.studies.report.saved_text import saved_section

SCHEMA = json.loads((Path(idbits.__file__).parent / "studies/check/policy.schema.json").read_text(encoding="utf-8"))
RELEASED = "zip,sex,id\n1011,F,1\n1011,M,2\n1012,F,3\n,F,4\n"
VOTERS = "zip,sex,id,n\n1011,F,1,1\n1011,M,7,1\n1012,F,3,0\n1012,F,8,2\n"
LINK = '[dataset.link]\nsecond = "voters.csv"\non = ["zip", "sex"]\n'


def policy(folder: Path, rules: str, link: str = LINK) -> Path:
    (folder / "released.csv").write_text(RELEASED, encoding="utf-8")
    (folder / "voters.csv").write_text(VOTERS, encoding="utf-8")
    path = folder / "idbits.toml"
    path.write_text(
        f'[[dataset]]\nname = "r"\nsource = "released.csv"\nqid = ["zip"]\nrules = [{rules}]\n{link}', encoding="utf-8"
    )
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), SCHEMA)
    return path


def test_a_policy_limits_links(tmp_path: Path) -> None:
    path = policy(tmp_path, '"link.records.one_to_one <= 25%", "link.right.at_most <= 3", "link.right.expected <= 1"')
    answer = idbits.check(path)
    assert [outcome.passed for outcome in answer.rules] == [False, True, False]
    assert answer.rules[0].value == 0.5
    assert "--coverage" in answer.rules[2].reason
    assert answer.exit_code == 3


def test_a_policy_knows_the_coverage_the_truth_and_the_second_table(tmp_path: Path) -> None:
    path = policy(tmp_path, '"link.truth.right <= 1"', LINK + 'truth = "id"\n')
    assert idbits.check(path).rules[0].value == 1
    path = policy(tmp_path, '"link.right.expected <= 50%"', LINK + 'coverage = 1\nwhere = "zip is not null"\n')
    assert idbits.check(path).rules[0].value == pytest.approx(2.5 / 4)
    path = policy(tmp_path, '"link.records.ambiguous <= 0"', LINK + 'count = "n"\n')
    assert idbits.check(path).rules[0].value == 1


ATTACK = (
    '[dataset.link]\noriginal = "voters.csv"\nattack = "linkability"\nleft = ["zip"]\nright = ["sex"]\nattacks = 4\n'
)


def test_a_policy_limits_attacks_on_synthetic_data(tmp_path: Path) -> None:
    path = policy(tmp_path, '"link.risk.value <= 1%", "link.rate.high <= 1", "link.control.value <= 0.5"', ATTACK)
    answer = idbits.check(path)
    same = idbits.link(tmp_path / "released.csv", original=tmp_path / "voters.csv", attack="linkability", left="zip",
                       right="sex", attacks=4)  # fmt: skip
    assert [rule.value for rule in answer.rules] == [same.rate.value, same.rate.high, None]
    assert [rule.passed for rule in answer.rules] == [False, True, False]
    assert answer.rules[2].reason == "no control table was given (--control)"
    path = policy(tmp_path, '"link.control.value <= 0.99"', ATTACK + 'control = "voters.csv"\nseed = 1\n')
    assert idbits.check(path).passed


def test_a_policy_links_by_odds(tmp_path: Path) -> None:
    """Reads blocks, levels and threshold; four records do not suffice for the estimate."""
    more = 'probabilistic = true\nblock = ["zip", "sex"]\nlevels = ["zip=equal,edit1,else"]\nthreshold = 0.9\n'
    (rule,) = idbits.check(policy(tmp_path, '"link.matches_expected <= 1"', LINK + more)).rules
    assert (rule.word, rule.reason) == (
        "ERROR", "the estimate needs at least 50 expected matches; fewer are expected in these tables",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("link", "message"),
    [
        (ATTACK + 'on = ["zip"]\n', 'unknown key "on"'),
        (LINK + 'attack = "linkability"\n', 'unknown key "attack"'),
        (LINK + 'block = "zip"\n', '"block" must be a list'),
        ('[dataset.link]\ncoverage = 1\n', 'needs "second"'),
    ],
)  # fmt: skip
def test_a_policy_does_not_mix_links_and_attacks(tmp_path: Path, link: str, message: str) -> None:
    path = tmp_path / "idbits.toml"
    path.write_text(f'[[dataset]]\nname = "r"\nsource = "r.csv"\nqid = ["zip"]\nrules = ["k_min >= 1"]\n{link}')
    with pytest.raises(InputError, match=message):
        idbits.check(path)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), SCHEMA)


@pytest.mark.parametrize("on", ['["zip", "sex"]', '["zip~edit1", "sex"]'])
def test_a_check_reads_its_dataset_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: str) -> None:
    path = policy(tmp_path, '"link.records.one_to_one <= 9", "k_min >= 1"', LINK.replace('["zip", "sex"]', on))
    expected = idbits.link(tmp_path / "released.csv", tmp_path / "voters.csv", json.loads(on))

    def fail(*_: object) -> None:
        raise AssertionError("the dataset is opened a second time")

    monkeypatch.setattr("idbits.studies.link.study.open_table", fail)
    assert idbits.check(path).rules[0].value == expected.records.one_to_one


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("threshold = 0.9\n", "--threshold is for --probabilistic"),
        ('truth = "no"\n', 'no column named "no"'),
        ('nulls = "few"\n', "--nulls must be none"),
    ],
)
def test_a_wrong_link_is_an_error_of_its_dataset(tmp_path: Path, more: str, reason: str) -> None:
    path = policy(tmp_path, '"link.records.one_to_one <= 9"')
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    answer = idbits.check(path)
    assert answer.exit_code == 3
    assert reason in answer.rules[0].reason


def test_reasons_of_policies(tmp_path: Path) -> None:
    unnamed = idbits.check(policy(tmp_path, '"link.records.one_to_one <= 0"', ""))
    assert "add [dataset.link]" in unnamed.rules[0].reason
    (tmp_path / "idbits.toml").write_text(
        '[[dataset]]\nname = "r"\nsource = "released.csv"\nqid = ["zip"]\nrules = ["k_min >= 1"]\n'
        '[dataset.link]\non = ["zip"]\n'
    )
    with pytest.raises(InputError, match='needs "second"'):
        idbits.check(tmp_path / "idbits.toml")
    few = LINK + "coverage = 1\nwhere = \"zip = '1012'\"\n"
    (impossible,) = idbits.check(policy(tmp_path, '"link.right.expected <= 1"', few)).rules
    assert (impossible.word, "leave out --coverage 1" in impossible.reason) == ("ERROR", True)


@pytest.mark.parametrize(
    "options", [{}, {"coverage": 0.5}, {"truth": "id"}, {"coverage": 1, "where": "zip is not null"}]
)
def test_a_report_shows_a_saved_answer(tmp_path: Path, options: dict[str, object]) -> None:
    policy(tmp_path, "")
    answer = idbits.link(tmp_path / "released.csv", tmp_path / "voters.csv", "zip,sex", sensitive=[], **options)
    file = tmp_path / "link.json"
    file.write_text(answer.to_json(), encoding="utf-8")
    saved = read_saved(file, internal=False)
    rebuilt = answer_from(saved.answer)
    assert rebuilt.to_dict() == answer.to_dict()
    section = saved_section(saved, 1)
    assert section.topic == "What a second table tells about the records"
    one = answer.records.one_to_one / answer.n_records
    found = f"{one:.1%} of the records match a person one to one"
    assert section.title == f"{answer.blocks()[0].title}: {found}"
    assert answer.blocks()[0].sentence == section.text[0].replace("\u2068", "").replace("\u2069", "")
    assert len(section.tables) >= 4


def test_a_frame_linked_with_itself_says_so() -> None:
    frame = pd.DataFrame({"age": [20, 30, 40, 40], "zip": ["a", "b", "c", "c"]})
    answer = idbits.link(frame, frame, on=["age", "zip"], coverage=1)
    assert "a table linked with itself: idbits measure gives the same figures and more" in answer.notes
