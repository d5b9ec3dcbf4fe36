"""Unique people with the same value share one group while figures are computed: no figure may change."""

from __future__ import annotations

import numpy as np
import pyarrow
import pytest

import idbits
from idbits.studies.disclosure import figures

NEVER, ALWAYS = 0, 10**9


def table(seed: int, rows: int, places: int) -> pyarrow.Table:
    """Return people of whom many are unique, some without a value."""
    draw = np.random.default_rng(seed)
    values = [None if value == 6 else int(value) for value in draw.integers(0, 7, rows)]
    return pyarrow.table(
        {
            "zip": draw.integers(0, places, rows),
            "sex": draw.integers(0, 2, rows),
            "score": values,
            "state": ["abcdefg"[value or 0] for value in values],
            "part": draw.integers(0, 3, rows),
            "people": draw.integers(0, 3, rows),
        }
    )


@pytest.mark.parametrize(
    "options",
    [
        {"sensitive": ["score", "state"]},
        {"sensitive": "score", "secret": {"score": ["1", "2"]}, "by": "part", "reveal": True},
        {"sensitive": "score", "count": "people", "l": (2, 4), "certainty": 0.4},
        {"sensitive": "score", "near": {"score": "1"}},
        {"sensitive": "state", "ranks": {"state": list("gfedcba")}},
    ],
)
@pytest.mark.parametrize("places", [2, 40, 100_000])
def test_figures_stay_the_same(monkeypatch: pytest.MonkeyPatch, options: dict[str, object], places: int) -> None:
    people = table(places, 300, places)
    answers = []
    for many in (NEVER, ALWAYS):
        monkeypatch.setattr(figures, "_MANY_ALONE", many)
        answers.append(idbits.disclosure(people, ["zip", "sex"], **options).to_json())  # type: ignore[arg-type]
    assert answers[0] == answers[1]


def test_the_mean_of_many_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everyone is unique: each learns the surprisal of their value, and the mean is the entropy."""
    monkeypatch.setattr(figures, "_MANY_ALONE", ALWAYS)
    people = pyarrow.table({"id": list(range(8)), "state": list("aaaabbcd")})
    answer = idbits.disclosure(people, ["id"], "state")
    assert isinstance(answer, idbits.Disclosure)
    found = answer["state"]
    assert found.gain_bits.mean == 1.75
    assert [row.people for row in found.bits_table] == [8, 8, 4, 2]
    assert (found.certain.people, found.certain.alone, found.l_distinct) == (8, 8, 1)
