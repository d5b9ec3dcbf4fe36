"""Questions about two tables take a file and a frame together, in either order."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

import idbits

QUESTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "measure": lambda a, b: idbits.measure(a, ["age"], population=b, missing="unbounded"),
    "gain": lambda a, b: idbits.gain(a, columns=["age", "sex"], compare=b),
    "leak": lambda a, b: idbits.leak(a, b, columns=["age"]),
    "link": lambda a, b: idbits.link(a, b, "age,sex"),
    "attack": lambda a, b: idbits.link(a, original=b, attack="inference", infer="job", attacks=10),
    "overlap": lambda a, b: idbits.overlap(a, b, person="id", qid_a="age", qid_b="sex", sensitive="job"),
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_a_file_and_a_frame_together(question: Callable[[Any, Any], Any], tmp_path: Path) -> None:
    rows = [(f"p{i}", f"a{i % 7}", "MF"[i % 2], "abc"[i % 3]) for i in range(20)]
    frame = pandas.DataFrame(rows, columns=["id", "age", "sex", "job"])
    file = tmp_path / "people.csv"
    frame.to_csv(file, index=False)
    expected = figures(question(str(file), str(file)))
    assert figures(question(str(file), frame)) == figures(question(frame, str(file))) == expected


def figures(answer: Any) -> dict[str, Any]:
    """Return the numbers of an answer, without notes about its sources."""
    return {name: value for name, value in answer.to_dict().items() if not isinstance(value, str | list)}
