"""The Python reference has every public name; every attribute, method and argument on it has a meaning."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

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


def of_the_page(directive: str) -> Any:
    """Return what a directive of the page names."""
    module, found = directive.partition(".")[0], None
    for part in directive.split(".")[1:]:
        found = getattr(found or importlib.import_module(module), part, None)
        if found is None or inspect.ismodule(found):
            module, found = f"{module}.{part}", None
    return found


@pytest.mark.parametrize("directive", [name for name in DIRECTIVES if inspect.isclass(of_the_page(name))])
def test_every_public_part_of_a_class_is_documented(directive: str) -> None:
    kind = of_the_page(directive)
    docstring = inspect.getdoc(kind) or ""
    assert docstring
    methods = {name: getattr(part, "fget", part) for name, part in vars(kind).items() if not name.startswith("_")}
    assert [name for name, part in methods.items() if inspect.isfunction(part) and not part.__doc__] == []
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    for name in (field.name for field in fields if not field.name.startswith("_")):
        pattern = rf"`(\w+\.)*{name}\b"
        is_in_table = any(re.search(pattern, row.split("|")[1]) for row in re.findall(r"^\|.*", JSON_PAGE + PAGE, re.M))
        assert is_in_table or re.search(rf"^\s+(\w+, )*{name}(, \w+)*:", docstring, re.MULTILINE), name


@pytest.mark.parametrize("directive", [name for name in DIRECTIVES if inspect.isfunction(of_the_page(name))])
def test_every_argument_of_a_function_is_documented(directive: str) -> None:
    function = of_the_page(directive)
    docstring = inspect.getdoc(function) or ""
    for name in inspect.signature(function).parameters:
        assert re.search(rf"^\s+(\w+, )*{name}(, \w+)*:", docstring, re.MULTILINE), name
