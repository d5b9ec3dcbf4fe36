"""The simulations of leaks print what docs/explanation/leak.md shows; all of them take minutes, so one line is run."""

from __future__ import annotations

import importlib.util
import re
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "leak.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([^|]+) \| ([\d.]+% .*) \|$", re.MULTILINE)


def experiments() -> ModuleType:
    spec = importlib.util.spec_from_file_location("experiments_leak", ROOT / "experiments" / "leak.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXPERIMENTS = experiments()


def rows(title: str) -> dict[str, list[str]]:
    """Return the rows of the table below a title."""
    section = PAGE.partition(f"**{title}")[2].partition("\n**")[0]
    return {name: cells.split(" | ") for name, cells in ROW.findall(section)}


def test_the_page_shows_every_kind_of_rows() -> None:
    kinds = [kind.removeprefix("rows ") for kind in EXPERIMENTS.KINDS]
    assert list(rows("Without any link.")) == list(rows("With a link.")) == kinds


def test_a_simulation_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    """Noise on a random walk is the case that changes first when the search for a link changes."""
    EXPERIMENTS.measure(
        "noise 0.5 times the spread, random walk", 100, partial(EXPERIMENTS.noisy, EXPERIMENTS.walk, 0.5, 1)
    )
    found = re.search(r"leaks +([\d.]+)% \[([\d.]+)%, ([\d.]+)%\]", capsys.readouterr().out)
    assert found is not None
    share, low, high = (round(float(number)) for number in found.groups())
    assert rows("With a link.")["random walk"][0] == f"{share}% [{low}%, {high}%]"
