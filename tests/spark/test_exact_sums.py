"""Sums of logarithms within cohorts: in two halves of 64 bits where they have room, otherwise in decimals."""

import math
from typing import Any

import pytest

import idbits
from idbits.engines.spark import cohorts, packed_rows

ASKED: list[dict[str, Any]] = [
    {"columns": ["zip", "sex", "age:band20"]},
    {"columns": ["zip", "sex", "born:year"], "attacker": "named:sex,zip"},
]


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("most", [0, cohorts._MOST_PEOPLE_IN_HALVES])
def test_both_ways_to_add_give_the_same_gain(frame, people, same, on_cluster, monkeypatch, asked, most):
    monkeypatch.setattr(packed_rows, "_MOST_BITS", 0)
    monkeypatch.setattr(cohorts, "_MOST_PEOPLE_IN_HALVES", most)
    same(idbits.gain(frame, **asked), idbits.gain(people, **asked))


def test_halves_have_room_for_the_rarest_value_and_the_most_people():
    # The surprisal of the smallest share, and the logarithm of the most people.
    largest = int(-math.log2(5e-324) + math.log2(cohorts._MOST_PEOPLE_IN_HALVES)) << 50
    for half in (largest >> cohorts._LOW_BITS, (1 << cohorts._LOW_BITS) - 1):
        assert half * cohorts._MOST_PEOPLE_IN_HALVES < 1 << 62
