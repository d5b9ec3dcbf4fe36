"""Charts with two dots per row: each value is written beside its own dot, whichever is larger."""

import re

import pytest

from idbits.render.dot_pairs import DotPair, DotPairs

TICKS = ((0.0, "0%"), (1.0, "100%"))


@pytest.mark.parametrize(("first", "second"), [(0.2, 0.7), (0.7, 0.2)])
def test_values_stand_beside_their_dots(first: float, second: float) -> None:
    pair = DotPair("name", first, second, "FIRST", "SECOND")
    drawn = DotPairs((pair,), ("a", "b"), ("c1", "c2", "c3"), TICKS).wide("words")
    places = {text: float(x) for x, text in re.findall(r'<text x="([\d.]+)"[^>]*>(FIRST|SECOND)<', drawn)}
    dots = {kind: float(x) for x, kind in re.findall(r'<circle cx="([\d.]+)"[^>]*class="(c1|c2)"', drawn)[-2:]} or {
        kind: float(x) for kind, x in re.findall(r'<circle class="(c1|c2)" cx="([\d.]+)"', drawn)[-2:]
    }
    assert (dots["c1"] < dots["c2"]) is (first < second)
    assert abs(places["FIRST"] - dots["c1"]) <= 10
    assert abs(places["SECOND"] - dots["c2"]) <= 10
