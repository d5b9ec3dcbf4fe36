"""The simulations of utility print what docs/explanation/utility.md shows.

After a change, ``python tests/docs/test_utility_experiment.py`` writes what they print now into the page.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "utility.md"
SECTION = re.compile(r"```text\n== (\S+): .*\n((?:.*\n)*?)```\n")


def experiments() -> ModuleType:
    spec = importlib.util.spec_from_file_location("experiments_utility", ROOT / "experiments" / "utility.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXPERIMENTS = experiments()


def printed(name: str) -> str:
    return "".join(line.rstrip() + "\n" for line in EXPERIMENTS.EXPERIMENTS[name]())


def test_the_page_shows_every_simulation() -> None:
    shown = [name for name, _ in SECTION.findall(PAGE.read_text(encoding="utf-8"))]
    assert shown == list(EXPERIMENTS.EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS.EXPERIMENTS)
def test_a_simulation_prints_what_the_page_shows(name: str) -> None:
    assert printed(name) == dict(SECTION.findall(PAGE.read_text(encoding="utf-8")))[name]


def update() -> None:
    def fresh(match: re.Match[str]) -> str:
        name = match[1]
        said = EXPERIMENTS.EXPERIMENTS[name].__doc__
        return f"```text\n== {name}: {said}\n{printed(name)}```\n"

    PAGE.write_text(SECTION.sub(fresh, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    update()
