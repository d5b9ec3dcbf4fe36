"""The Python reference has every public name, and every attribute of every answer has a meaning somewhere."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import idbits
from idbits import repository

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGE = (REFERENCE / "python.md").read_text(encoding="utf-8")
JSON_PAGE = (REFERENCE / "json.md").read_text(encoding="utf-8")
DIRECTIVES = re.findall(r"^::: ([\w.]+)$", PAGE, re.MULTILINE)
ANSWERS = [
    name for name in idbits.__all__
    if inspect.isclass(kind := getattr(idbits, name)) and dataclasses.is_dataclass(kind)
]  # fmt: skip


@pytest.mark.parametrize("module", [idbits, repository], ids=lambda module: module.__name__)
def test_every_public_name_is_on_the_page(module: ModuleType) -> None:
    documented = {name.rpartition(".")[2] for name in DIRECTIVES}
    names = {name for name in module.__all__ if not inspect.ismodule(getattr(module, name)) and name != "__version__"}
    assert names - documented == set()


def test_predict_is_documented_function_by_function() -> None:
    functions = {name for name in idbits.predict.__all__ if inspect.isfunction(getattr(idbits.predict, name))}
    assert functions
    assert functions <= {name.rpartition(".")[2] for name in DIRECTIVES if ".predict." in name}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_attribute_of_an_answer_is_documented(name: str) -> None:
    kind = getattr(idbits, name)
    docstring = inspect.getdoc(kind) or ""
    missing = [
        field.name
        for field in dataclasses.fields(kind)
        if not field.name.startswith("_")
        and not re.search(rf"`(\w+\.)?{field.name}\b", JSON_PAGE + PAGE)
        and not re.search(rf"^\s+(\w+, )*{field.name}(, \w+)*:", docstring, re.MULTILINE)
    ]
    assert missing == []
