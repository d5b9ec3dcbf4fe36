"""Documents that commands wrote with --json, this version's and those of released ones, come back as answers."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from real_answers import CLASSES

import idbits
from idbits.errors import InputError
from idbits.studies.shared.presentation import Answer

FROZEN = Path(__file__).parents[1] / "frozen"
WRITTEN = sorted([*FROZEN.glob("files/json/*.json"), *FROZEN.glob("written_by/*/saved/*.json")])
COMMANDS = {kind.command for kind in CLASSES.values()}


def documents() -> dict[str, dict[str, Any]]:
    read = {path.relative_to(FROZEN).as_posix(): json.loads(path.read_text(encoding="utf-8")) for path in WRITTEN}
    # In the frozen answers of decide, hashes and signatures are replaced by words.
    return {
        name: data
        for name, data in read.items()
        if isinstance(data, dict) and data.get("command") in COMMANDS - {"decide"}
    }


REPLACED = {"<seconds>": 1.5, "<version>": idbits.__version__}
"""What frozen answers have instead of values that change, and such a value."""


def filled(data: Any) -> Any:
    """Return frozen data with values where words stand for them."""
    if isinstance(data, dict):
        return {key: filled(value) for key, value in data.items()}
    if isinstance(data, list):
        return [filled(item) for item in data]
    return REPLACED.get(data, data) if isinstance(data, str) else data


DOCUMENTS = documents()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_one_class_takes_a_saved_answer_and_says_the_same_again(name: str) -> None:
    data = filled(DOCUMENTS[name])
    made: list[Answer] = []
    for kind in CLASSES.values():
        try:
            made.append(kind.from_dict(data))
        except InputError:
            continue
    assert len(made) == 1, [type(each).__name__ for each in made]
    assert set(made[0].to_dict()) <= set(dir(made[0]))
    shown = re.sub(r"<style>.*?</style>|<[^>]*>", "|", made[0]._repr_html_(), flags=re.DOTALL)
    assert (
        re.findall(r"(?<![\w-])--[a-z][a-z-]*|\bidbits (?:advise|columns|gain|link|measure|population)\b", shown) == []
    )
    again = json.loads(made[0].to_json())
    if name.startswith("files/"):
        assert again == data
        return
    # Later versions add keys; a figure that an earlier version wrote is the same.
    for key, value in data.items():
        if isinstance(value, int | float) or key in ("qid", "verdict", "verdict_level", "spectrum", "days", "widths"):
            assert again[key] == value, key


def test_released_versions_and_every_command_are_among_the_documents() -> None:
    assert {data["command"] for data in DOCUMENTS.values()} >= COMMANDS - {"decide", "predict suspects"}
    assert any(name.startswith("written_by/0.1.0/") for name in DOCUMENTS)


BY_COMMAND = {data["command"]: data for data in documents().values()}


def nested(levels: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(levels):
        made = [made]
    return made


def endless() -> list[Any]:
    made: list[Any] = []
    made += [made, made]
    return made


@pytest.mark.parametrize(
    "hostile",
    [
        nested(50_000),
        {"deep": nested(100)},
        endless(),
        float("nan"),
        [{"a": float("nan")}],
        "half of \ud83d",
        {"\ud800": 1},
    ],
    ids=["deep", "rather deep", "endless", "nan", "nan inside", "half a character", "half a character in a key"],
)
@pytest.mark.parametrize("command", ["advise", "check", "measure", "randomise"])
def test_data_that_no_answer_has_are_refused(command: str, hostile: Any) -> None:
    """Such data could end the interpreter, or make an answer that cannot be written."""
    data = BY_COMMAND[command]
    kinds = [kind for kind in CLASSES.values() if kind.command == command]
    for key in data:
        if key in ("schema", "command", "version"):
            continue
        for kind in kinds:
            with pytest.raises(InputError) as caught:
                kind.from_dict({**data, key: hostile})
            assert "\n" not in str(caught.value)
            assert len(str(caught.value)) < 200
