"""Values that Spark returns as Arrow columns: codes do not depend on the order of rows, and every value has a label."""

from datetime import date

import pyarrow
import pytest

from idbits.engines.spark.arrow_codes import ArrowCodes
from idbits.values.attributes import Kind, parse_attribute


def column(values, kind=None):
    array = pyarrow.array(values, kind)
    return pyarrow.chunked_array([array[:1], array[1:]])


def test_codes_follow_the_order_of_values_and_later_values_come_last():
    codes = ArrowCodes(parse_attribute("zip", {"zip": Kind.TEXT}))
    assert codes.codes(column(["b", None, "a", "b"]), None).tolist() == [1, 2, 0, 1]
    assert codes.codes(column(["c", "a", None, "aa"]), None).tolist() == [4, 0, 2, 3]
    assert codes.labels() == ["a", "b", None, "aa", "c"]
    assert codes.size == 5


def test_merged_values_have_a_code_of_their_own():
    codes = ArrowCodes(parse_attribute("zip:top1", {"zip": Kind.TEXT}))
    found = codes.codes(column(["a", None, None, "a"]), column([False, True, False, False]))
    assert codes.labels() == ["(other values)", "a", None]
    assert found.tolist() == [1, 0, 2, 1]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (-719_163, pyarrow.date32(), "0001-12-31 (BC)"),
        (2_932_897, pyarrow.date32(), "10000-01-01"),
        (-62_135_596_800_000_000 - 500_000, pyarrow.timestamp("us"), "0001-12-31 (BC) 23:59:59.5"),
        (253_402_300_800_000_000, pyarrow.timestamp("us"), "10000-01-01 00:00:00"),
    ],
)
def test_times_that_python_does_not_have(value, kind, text):
    is_date = pyarrow.types.is_date32(kind)
    whole = pyarrow.int32() if is_date else pyarrow.int64()
    codes = ArrowCodes(parse_attribute("at", {"at": Kind.DATE if is_date else Kind.TIMESTAMP}))
    days = pyarrow.chunked_array([pyarrow.array([0, value], whole).cast(kind)])
    assert sorted(codes.codes(days, None).tolist()) == [0, 1]
    expected = date(1970, 1, 1).isoformat() if is_date else "1970-01-01 00:00:00"
    assert set(codes.labels()) == {expected, text}


def test_no_rows_have_no_codes():
    codes = ArrowCodes(parse_attribute("zip", {"zip": Kind.TEXT}))
    assert codes.codes(pyarrow.chunked_array([], pyarrow.string()), None).tolist() == []
    assert codes.labels() == []
