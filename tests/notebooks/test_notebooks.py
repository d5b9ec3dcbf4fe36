"""The notebooks of the examples run from beginning to end, and what they print is right."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from idbits.examples.registry import registry

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def printed_by(notebook: Path, folder: Path) -> str:
    """Run a notebook in a folder and return everything it prints."""
    reason = "the packages nbclient and ipykernel are not installed (idbits[dev])"
    nbformat = pytest.importorskip("nbformat", reason=reason)
    nbclient = pytest.importorskip("nbclient", reason=reason)
    pytest.importorskip("ipykernel", reason=reason)
    book = nbformat.read(notebook, as_version=4)
    nbformat.validate(book)
    nbclient.NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}
    ).execute()
    outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    return "".join(output["text"] for output in outputs if output.get("name") == "stdout")


def test_there_are_four() -> None:
    assert len(NOTEBOOKS) == 4
    listed = re.findall(r"\]\((\d\d-.*\.ipynb)\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"))
    assert listed == [notebook.name for notebook in NOTEBOOKS]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_they_have_no_output(notebook: Path) -> None:
    data: dict[str, Any] = json.loads(notebook.read_text(encoding="utf-8"))
    cells = [cell for cell in data["cells"] if cell["cell_type"] == "code"]
    assert cells
    assert not [cell for cell in cells if cell["outputs"] or cell["execution_count"]]


def test_a_first_look(tmp_path: Path) -> None:
    people = registry(20_000).to_pylist()
    groups = Counter((row["birthdate"], row["zip"], row["gender"]) for row in people)
    coarse = Counter((row["birthdate"].year // 10, row["zip"][:1], row["gender"]) for row in people)
    printed = printed_by(NOTEBOOKS[0], tmp_path)
    assert f"{sum(size == 1 for size in groups.values())} of 20000 rows are unique" in printed
    assert f"{sum(size == 1 for size in coarse.values())} unique, smallest group {min(coarse.values())}" in printed


def test_from_risk_to_release(tmp_path: Path) -> None:
    printed = printed_by(NOTEBOOKS[1], tmp_path)
    assert "reached: True - proven the best: True" in printed
    assert "smallest group: 5 - unique rows: 0" in printed
    assert "passed: True" in printed
    assert printed.endswith("records verify: True\ndecisions: ['approve-with-treatment']\n")


def test_before_you_collect(tmp_path: Path) -> None:
    printed = printed_by(NOTEBOOKS[2], tmp_path)
    all_unique = 1.0
    for person in range(23):
        all_unique *= (365 - person) / 365
    assert f"with probability {all_unique:.4f}" in printed
    shares = [0.4, 0.3, 0.2, 0.05, 0.03, 0.02]
    assert f"{sum(50 * share * (1 - share) ** 49 for share in shares):.2f} of 50 people" in printed


def test_a_second_table(tmp_path: Path) -> None:
    """As many claims are right as the estimate without truth says, within four standard deviations of the draw."""
    printed = printed_by(NOTEBOOKS[3], tmp_path)
    found = re.search(r"one person: (\d+)\nexpected to be right: (\d+)\nclaims: (\d+) - right: (\d+)", printed)
    assert found is not None
    one_to_one, expected, claims, right = map(int, found.groups())
    assert one_to_one == claims
    assert abs(expected - right) <= 4 * (claims * right / claims * (1 - right / claims)) ** 0.5
    people = Counter((row["birthdate"].year, row["zip"], row["gender"]) for row in registry(10_000).to_pylist())
    unique = sum(size == 1 for size in people.values())
    assert f"really unique in the population: {unique}\n" in printed
    interval = re.search(r"population: \d+ \((\d+) to (\d+)\)", printed)
    assert interval is not None
    assert int(interval[1]) <= unique <= int(interval[2])
