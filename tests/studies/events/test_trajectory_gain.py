"""Information gain of trajectories against plain Python: the definition, person by person."""

import math
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits
from idbits.errors import NotEstimableError

START = date(2005, 1, 3)
Rows = list[tuple[int, int, str]]

rows_of_events = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 3), st.sampled_from("xy")), min_size=2, max_size=40
)


def frame(rows: Rows) -> pa.Table:
    days = [START + timedelta(days=day) for _, day, _ in rows]
    return pa.table({"who": [row[0] for row in rows], "day": days, "place": [row[2] for row in rows]})


def gains_of(rows: Rows) -> tuple[list[list[float]], list[int]]:
    """Return CIG of each point of each person, and how many people have just the same points."""
    own: dict[int, set[Any]] = {}
    for who, day, place in rows:
        own.setdefault(who, set()).add((day, place))
    people = list(own.values())

    def drawn(some: list[set[Any]]) -> dict[Any, float]:
        """Draw a person, then one of their points."""
        chances: Counter[Any] = Counter()
        for points in some:
            for point in points:
                chances[point] += 1 / len(points) / len(some)
        return chances

    prior = drawn(people)
    found = []
    for points in people:
        cells = []
        for point in points:
            known = points - {point}
            posterior = drawn([other - known for other in people if known < other])
            cells.append(math.fsum(p * math.log2(p / prior[y]) for y, p in posterior.items()))
        found.append(cells)
    return found, [people.count(points) for points in people]


@settings(max_examples=60)
@given(rows_of_events)
def test_the_gain_is_that_of_the_definition(rows: Rows) -> None:
    try:
        answer = idbits.events(frame(rows), "who", "day", ["place"], gain=True)
    except NotEstimableError:
        return
    cells, cohorts = gains_of(rows)
    rig = [math.fsum(row) for row in cells]
    gain = answer.gain
    assert gain is not None
    assert (gain.people, gain.draws, gain.mics) == (len(rig), None, min(cohorts))
    expected = {"mean": np.mean(rig), "p50": np.percentile(rig, 50), "p95": np.percentile(rig, 95), "max": max(rig)}
    assert gain.rig == pytest.approx(expected, abs=1e-9)
    assert gain.mean_cig_bits == pytest.approx(math.fsum(rig) / sum(map(len, cells)), abs=1e-9)
    factors = [bits / k for bits, k in zip(rig, cohorts, strict=True)]
    assert gain.pif == pytest.approx(max(factors), abs=1e-9)
    assert gain.rig_low == gain.rig["mean"] == gain.rig_high
    if gain.pif > 1e-6:
        assert gain.rows_at_pif == sum(factor >= gain.pif * (1 - 1e-9) for factor in factors)


def test_a_small_table_by_hand() -> None:
    # Two people share three points. A third has two of them and nothing else.
    rows = [(who, day, "x") for who in (1, 2) for day in range(3)] + [(3, 0, "x"), (3, 1, "x")]
    gain = idbits.events(frame(rows), "who", "day", gain=True).gain
    assert gain is not None
    prior = [(1 / 3 + 1 / 3 + 1 / 2) / 3, (1 / 3 + 1 / 3 + 1 / 2) / 3, (1 / 3 + 1 / 3) / 3]
    # Of the first two, whatever point is asked for, the others leave no doubt: the third has no further point.
    most = math.fsum(-math.log2(share) for share in prior)
    assert gain.rig["max"] == pytest.approx(most)
    assert (gain.mics, gain.rows_at_pif) == (1, 2)
    # Of the third, who stands alone: of two who know day 0, each has day 1 or 2 next, the third has day 1.
    next_points = {1: (1 / 2 + 1 / 2 + 1) / 3, 2: (1 / 2 + 1 / 2) / 3}
    third = 2 * math.fsum(p * math.log2(p / prior[day]) for day, p in next_points.items())
    assert gain.pif == pytest.approx(max(most / 2, third))
    assert gain.rig["mean"] == pytest.approx((2 * most + third) / 3)


def test_many_people_are_sampled_and_the_interval_contains_the_mean() -> None:
    draw = np.random.default_rng(5)
    rows = [(who, int(day), "xyz"[day % 3]) for who in range(900) for day in draw.integers(0, 30, 6)]
    table = frame(rows)
    whole = idbits.events(table, "who", "day", ["place"], gain=True).gain
    assert whole is not None
    held = 0
    for seed in range(40):
        some = idbits.events(table, "who", "day", ["place"], gain=True, draws=100, seed=seed).gain
        assert some is not None
        assert (some.people, some.draws, some.mics) == (100, 100, whole.mics)
        assert some.pif <= whole.pif * (1 + 1e-12)
        held += some.rig_low <= whole.rig["mean"] <= some.rig_high
    # 95% of 40 is 38; 33 or fewer has a probability below 1%.
    assert held >= 34
    one, same = (idbits.events(table, "who", "day", ["place"], gain=True, draws=100, seed=3) for _ in range(2))
    assert one.to_dict() == same.to_dict()
    # Neither the order of rows nor the names of people matter.
    moved = frame([(1000 - who, day, place) for who, day, place in reversed(rows)])
    assert idbits.events(moved, "who", "day", ["place"], gain=True, draws=100, seed=3).gain == one.gain
    assert "100 people were drawn, seed 3" in " ".join(str(one).split())


def test_without_being_asked_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("who,day\n1,2005-01-03\n1,2005-01-04\n2,2005-01-03\n")
    answer = idbits.events(path, "who", "day")
    assert answer.gain is None
    assert answer.to_dict()["gain"] is None
    assert "Bits learnt about the points" not in str(answer)
    assert "Bits learnt about the points" in str(idbits.events(path, "who", "day", gain=True))
