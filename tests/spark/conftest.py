"""Tables that are measured in Spark and, for the same answer, in DuckDB."""

import random
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import clusters

DRAWN = random.Random(1)
PEOPLE = pyarrow.table(
    {
        "born": [date(1950, 1, 1) + timedelta(days=DRAWN.randrange(900)) for _ in range(400)],
        "zip": [DRAWN.choice(["1011", "1012", "9985", None, "é", "É"]) for _ in range(400)],
        "sex": [DRAWN.choice("MF") for _ in range(400)],
        "age": [DRAWN.randrange(90) for _ in range(400)],
        "income": [DRAWN.choice([0.5, 1.25, -3.0, float("nan"), 1e16, None]) for _ in range(400)],
    }
)
Same = Callable[..., None]


@pytest.fixture
def people() -> pyarrow.Table:
    """The people as an Arrow table."""
    return PEOPLE


@pytest.fixture
def frame(tmp_path: Path) -> Any:
    """The same people as a frame of Spark."""
    return clusters.frame_of(PEOPLE, tmp_path)


@pytest.fixture
def on_cluster() -> Iterator[None]:
    """Let the cluster count, also what would fit on this machine."""
    settings = clusters.spark().conf
    settings.set("spark.idbits.fetch", "false")
    yield
    settings.unset("spark.idbits.fetch")


@pytest.fixture(params=["here", "cluster"])
def place(request: pytest.FixtureRequest) -> str:
    """Count rows that fit on this machine here, and then on the cluster."""
    if request.param == "cluster":
        request.getfixturevalue("on_cluster")
    return str(request.param)


JUDGED = ("added", "not_measured", "identifiers", "record_numbers", "free_text", "person_candidates")
"""What is said about other columns: on a cluster by their names and kinds only, on this machine also by a sample."""


@pytest.fixture
def same() -> Same:
    """Return the comparison of two answers: every figure, digit for digit."""

    def compare(ours: Any, theirs: Any) -> None:
        one, other = ours.to_dict(), theirs.to_dict()
        for answer in (one, other):
            for key in ("notes", "source", *JUDGED):
                answer.pop(key, None)
        assert one == other

    return compare
