"""S3 III.C: what is learned about a birthday. README.md says on which data the other figures of S3 rest."""

import pyarrow
import pytest

import idbits

DAYS = list(range(365))
AUGUST = [212 <= day < 243 for day in DAYS]


@pytest.mark.parametrize(("known", "printed"), [(AUGUST, 3.6), (DAYS, 8.5)])
def test_bits_of_a_birthday(known: list[object], printed: float) -> None:
    table = pyarrow.table({"birthday": DAYS, "known": known})
    answer = idbits.gain(table, attacker="named:known", cells=True)
    cell = answer.cells.to_pydict()["birthday"][220]
    assert round(cell, 1) == printed
