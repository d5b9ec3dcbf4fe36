"""Which columns of two tables belong together, compared with sets of their values."""

import random

import pyarrow as pa
import pytest

from idbits.engines.base import OpenOptions
from idbits.studies.link.matching import ProposedPair, match_columns

BOTH = (OpenOptions(), OpenOptions())


def matches(first: dict[str, list[object]], second: dict[str, list[object]]) -> dict[str, ProposedPair]:
    return {match.on: match for match in match_columns(pa.table(first), pa.table(second), BOTH)}


@pytest.mark.parametrize("seed", range(3))
def test_shared_values_are_those_of_sets_and_each_column_has_its_best_partner(seed: int) -> None:
    draw = random.Random(seed)
    letters = [[f"{draw.randrange(60)}{'abc'[k]}" for _ in range(80)] for k in range(3)]
    first = {name: list(values) for name, values in zip("pqr", letters, strict=True)}
    # Each column of the second table has some of the values of one of the first, and others.
    second = {
        name: [*draw.sample(values, 40), *(f"{draw.randrange(9)}z" for _ in range(10)), None]
        for name, values in zip("zyx", letters, strict=True)
    }
    found = matches(first, second)
    for own, other in zip("pqr", "zyx", strict=True):
        ours, theirs = set(first[own]), set(second[other]) - {None}
        shared = len(ours & theirs) / min(len(ours), len(theirs))
        assert shared > 0.5
        assert found.pop(f"{own}={other}") == ProposedPair(f"{own}={other}", own, other, False, shared)
    assert not found


def test_names_come_first_and_kinds_must_agree() -> None:
    first = {"zip": ["1", "2"], "Birth Date": ["1970-02-01", "1980-02-01"], "age": [1, 2], "note": ["x", "y"]}
    second = {"zip": ["8", "9"], "birth_date": ["1970-02-01", "1990-02-01"], "dose": ["1", "2"], "years": [2.5, 1.5]}
    found = matches(first, second)
    assert {on: match.shared for on, match in found.items()} == {"zip": 0.0, "Birth Date=birth_date": 0.5}
    assert all(match.same_name for match in found.values())


def test_a_column_of_nulls_shares_nothing_that_is_known() -> None:
    found = matches({"zip": [None, None], "sex": ["F", "M"]}, {"zip": ["1", "2"], "sex": ["F", "F"]})
    assert (found["zip"].shared, found["sex"].shared) == (None, 1.0)


def test_names_that_cannot_be_a_pair_are_not_proposed() -> None:
    values = [f"v{n}" for n in range(30)]
    assert matches({"a=b": values}, {"c": values}) == {}
    assert set(matches({"a=b": values, "c~d": values}, {"a=b": values, "c~d": values})) == {"a=b", "c~d"}
