"""Texts that identify values in two tables: large whole numbers equal floats of the same value."""

import numpy as np
import pytest

from idbits.engines.base import labels_to_compare
from idbits.engines.local_linking import text_codes
from idbits.values.labels import plain_label


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        ("1" + "0" * 15, "1" + "0" * 15),
        ("1" + "0" * 16, plain_label(1e16)),
        ("-12" + "0" * 16, plain_label(-1.2e17)),
        ("0" * 17, "0" * 17),
        ("1" + "0" * 16 + "x", "1" + "0" * 16 + "x"),
        (None, None),
    ],
)
def test_only_whole_numbers_with_many_zeros_are_written_like_floats(text, compared):
    assert labels_to_compare((text,)) == (compared,)


def test_equal_values_of_two_tables_have_one_code():
    first, second, size, null = text_codes([plain_label(1e16), "7", None], ["1" + "0" * 16, None, "8"])
    assert (first.tolist(), second.tolist(), size, null) == ([0, 1, 2], [0, 2, 3], 4, 2)


def test_labels_of_whole_numbers():
    assert [plain_label(value) for value in (3, True, -(10**20), np.int64(5))] == ["3", "true", str(-(10**20)), "5"]
