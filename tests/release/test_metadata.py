"""What the package says about itself: one version everywhere, limits that are tested, no address."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

import idbits

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOT_FOR_USERS = ("dev", "docs")


def requirements() -> set[str]:
    extras = PROJECT["optional-dependencies"]
    return {*PROJECT["dependencies"], *(line for name in extras if name not in NOT_FOR_USERS for line in extras[name])}


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return dict(_normal(line).split("==") for line in lines if not line.startswith("#"))


def _normal(line: str) -> str:
    name, _, version = line.partition("==")
    return f"{re.sub(r'[-_.]+', '-', name).lower()}=={version}"


def parts(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in re.findall(r"\d+", version)]
    return (*numbers, *[0] * (4 - len(numbers)))


@pytest.mark.parametrize("line", sorted(requirements()))
def test_limits_are_tested(line: str) -> None:
    found = re.fullmatch(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)(?:,<(\d+))?", line)
    assert found is not None, "every dependency has an oldest version"
    name, least, below = found.groups()
    name = re.sub(r"[-_.]+", "-", name).lower()
    assert parts(pins("constraints-oldest.txt")[name]) == parts(least)
    newest = parts(pins("constraints.txt")[name])
    assert newest >= parts(least)
    assert below is None or newest[0] < int(below)


def test_nothing_else_is_held_back_to_an_old_version() -> None:
    names = {re.split(r"[>\[]", line)[0].lower().replace("_", "-") for line in requirements()}
    # psycopg and its compiled half have the same version.
    assert set(pins("constraints-oldest.txt")) == names | {"psycopg-binary"}


def test_one_version_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == idbits.__version__
    assert f"## [{idbits.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_authors_have_no_address() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert PROJECT["authors"] == citation["authors"] == [{"name": "The idbits contributors"}]
    assert "urls" not in PROJECT
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", "CITATION.cff"):
        assert "://" not in (ROOT / name).read_text(encoding="utf-8")


def test_classifiers_name_the_pythons_that_are_tested() -> None:
    named = {line.rpartition(":: ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(r"^PYTHONS \?= (.*)$", makefile, re.MULTILINE)
    assert found is not None
    assert {f"python{version}" for version in named} == set(found[1].split())
    assert min(named, key=parts) == PROJECT["requires-python"].removeprefix(">=")


@pytest.mark.parametrize("name", ["idea", "wrong-answer"])
def test_forms_of_issues(name: str) -> None:
    """What a form of GitHub needs: a name, a description, and fields with labels and unlike ids."""
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text(encoding="utf-8"))
    text = {"type": "string", "minLength": 1}
    field = {
        "required": ["type", "attributes"],
        "properties": {"type": {"enum": ["markdown", "textarea", "input", "dropdown", "checkboxes"]}, "id": text},
        "if": {"properties": {"type": {"not": {"const": "markdown"}}}},
        "then": {"required": ["id"], "properties": {"attributes": {"required": ["label"]}}},
        "additionalProperties": False,
    }
    field["properties"] |= {"attributes": {"type": "object"}, "validations": {"type": "object"}}  # type: ignore[operator]
    schema = {
        "required": ["name", "description", "body"],
        "properties": {"name": text, "description": text, "body": {"type": "array", "minItems": 1, "items": field}},
    }
    Draft202012Validator(schema).validate(form)
    ids = [item["id"] for item in form["body"] if "id" in item]
    assert len(ids) == len(set(ids))


def test_the_package_is_typed() -> None:
    assert (Path(idbits.__file__).parent / "py.typed").is_file()


def test_every_answer_names_the_version() -> None:
    answer = json.loads(idbits.predict.uniqueness(10, values=365).to_json())
    assert answer["version"] == idbits.__version__ == PROJECT.get("version", idbits.__version__)
