"""Overlap in policies and reports: the same figures as the command, and clear reasons where there are none."""

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

import idbits
from idbits.errors import InputError
from idbits.render.page import plain
from idbits.studies.check.study import check
from idbits.studies.report.saved import answer_from, read_saved
from idbits.studies.report.saved_text import saved_section

SCHEMA = json.loads((Path(idbits.__file__).parent / "studies/check/policy.schema.json").read_text(encoding="utf-8"))
BLOCKS = "town,post,n,sex\na1,b1,50,F\na1,b2,3,F\na2,b2,40,M\n"


def policy(folder: Path, rules: str, overlap: str = '[dataset.overlap]\nzones = ["town", "post"]\n') -> Path:
    (folder / "blocks.csv").write_text(BLOCKS, encoding="utf-8")
    path = folder / "idbits.toml"
    path.write_text(
        f'[[dataset]]\nname = "b"\nsource = "blocks.csv"\ncount = "n"\nqid = ["sex"]\nrules = [{rules}]\n{overlap}',
        encoding="utf-8",
    )
    return path


def test_a_policy_limits_what_subtracting_isolates(tmp_path: Path) -> None:
    rules = ["overlap.isolated.people <= 0", "overlap.isolated.people <= 5%", "overlap.smallest >= 3", "k_min >= 5"]
    path = policy(tmp_path, ", ".join(f'"{rule}"' for rule in rules))
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), SCHEMA)
    answer = check(path)
    assert [outcome.word for outcome in answer.rules] == ["FAIL", "PASS", "PASS", "PASS"]
    assert [outcome.value for outcome in answer.rules[:3]] == [3, 3 / 93, 3]


def test_no_small_group_meets_the_policy(tmp_path: Path) -> None:
    path = policy(tmp_path, '"overlap.smallest >= 3"', '[dataset.overlap]\nzones = ["town", "post"]\nbelow = 3\n')
    assert [outcome.word for outcome in check(path).rules] == ["PASS"]


def test_what_a_policy_cannot_say(tmp_path: Path) -> None:
    (outcome,) = check(policy(tmp_path, '"overlap.isolated.people <= 0"', "")).rules
    assert (outcome.word, "add [dataset.overlap]" in (outcome.reason or "")) == ("ERROR", True)
    (outcome,) = check(policy(tmp_path, '"overlap.smallest >= 20"')).rules
    assert (outcome.word, "below 20" in (outcome.reason or "")) == ("ERROR", True)
    for overlap, message in (
        ('[dataset.overlap]\nzones = ["town"]\n', "must be two columns"),
        ('[dataset.overlap]\nzones = ["town", "post"]\nbelo = 3\n', "did you mean"),
    ):
        path = policy(tmp_path, '"k_min >= 5"', overlap)
        with pytest.raises(InputError, match=message):
            check(path)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), SCHEMA)


def test_saved_answers_become_sections(tmp_path: Path) -> None:
    (tmp_path / "blocks.csv").write_text(BLOCKS, encoding="utf-8")
    people = "id,age,ill\n1,30,flu\n2,30,hiv\n3,40,hiv\n4,40,copd\n"
    (tmp_path / "people.csv").write_text(people, encoding="utf-8")
    zones = idbits.overlap(tmp_path / "blocks.csv", zones="town,post", count="n")
    releases = idbits.overlap(
        tmp_path / "people.csv", tmp_path / "people.csv", person="id", qid_a="age", qid_b="age", sensitive="ill"
    )
    for answer, words in ((zones, "isolates a group of 3 people"), (releases, "Nobody")):
        path = tmp_path / "saved.json"
        path.write_text(answer.to_json(), encoding="utf-8")
        included = read_saved(path, internal=False)
        result = answer_from(included.answer)
        assert result is not None
        assert {**result.to_dict()} == {**answer.to_dict()}
        section = saved_section(included, 1)
        assert section.topic == "What two publications give away together"
        assert plain(section.title) == answer.blocks()[0].title
        assert words in section.text[0]
        assert len(section.figures) == 1


def test_an_answer_that_names_zones_is_for_internal_reports(tmp_path: Path) -> None:
    (tmp_path / "blocks.csv").write_text(BLOCKS, encoding="utf-8")
    answer = idbits.overlap(tmp_path / "blocks.csv", zones="town,post", count="n", reveal=True)
    path = tmp_path / "saved.json"
    path.write_text(answer.to_json(), encoding="utf-8")
    with pytest.raises(InputError, match="--internal"):
        read_saved(path, internal=False)
    assert "a1" in saved_section(read_saved(path, internal=True), 1).tables[0].rows[0][2]


def test_a_damaged_answer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    for damaged in ({"zones": ["a"]}, {"zones": ["a", "b"]}, {"people": 5}):
        path.write_text(json.dumps({"schema": "idbits/1", "command": "overlap", **damaged}), encoding="utf-8")
        with pytest.raises(InputError, match="not an answer of idbits overlap"):
            read_saved(path, internal=False)
