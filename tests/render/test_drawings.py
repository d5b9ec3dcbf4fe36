"""Drawings of charts: lengths are those of the values, labels stay inside, and nothing from a table becomes markup."""

import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from idbits.render.dot_pairs import DotPair, DotPairs
from idbits.render.drawing import NARROW, WIDE, fitted, room
from idbits.render.estimate_charts import CurveLine, IntervalBar, ShareCurves
from idbits.render.frontier import FrontierChart, MarkedPoint
from idbits.render.heat_table import HeatRow, HeatTable
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.share_strip import ShareStrip, StripPart

HOSTILE = '</text><script>alert(1)</script>"&\u202e'
LONG = "a name that is much too long to stand beside a bar of any chart at all " * 3
TICKS = ((0.0, "0"), (50.0, "50"), (100.0, "100"))


def charts(name: str) -> dict[str, Any]:
    curve = tuple((10.0**power, 1 / power) for power in range(1, 6))
    return {
        "bars": LabelledBars((BarRow(name, 1, "1.0%", "r1", "10"), BarRow("b", 4, "4.0%", "r2", "40", lead="2"))),
        "parts of bars": LabelledBars((BarRow(name, 1, "1 of 2 bits", "l1", whole=2),)),
        "nobody": LabelledBars((BarRow(name, 0, "0%"),)),
        "strip": ShareStrip((StripPart(0.001, "0.1%", "unique", "1", "r1"),
                             StripPart(0.999, "99.9%", "in groups of 2 to 4", "999", "r2"))),
        "pairs": DotPairs((DotPair(name, 0, 100, "0", "100", ("1",)), DotPair("b", 99, 100, "99", columns=("22",))),
                          ("without", "with"), ("r1", "i3", "r2l"), TICKS, ("values",)),
        "interval": IntervalBar((0.02, "Best estimate: 2%"), (0.0, 0.1, "90% interval: 0% to 10%"),
                                (0, 1, "Possible without any model: 0% to 100%")),
        "bounds only": IntervalBar(None, None, (0.2, 0.2, "Possible without any model: 20% to 20%")),
        "curves": ShareCurves((CurveLine("unique", "rl", curve), CurveLine("match is right", "fl", curve)),
                              tuple((number, f"{number:,.0f}") for number, _ in curve), "Number of people",
                              ((10.0, "the table: 10"), (100_000.0, "the population: 100,000"))),
        "frontier": FrontierChart(((0.3, 0.2), (0.1, 0.9)), ((0.0, 0.3), (0.5, 0.0)),
                                  (MarkedPoint(0.0, 0.3, "Groups of 5", "1 withheld, 30.0% lost", "g1"),
                                   MarkedPoint(0.5, 0.0, "As it is", "50.0% in small groups", "r1")), "Risk", "Loss"),
        "one treatment": FrontierChart((), ((0.0, 0.0),), (MarkedPoint(0, 0, "As it is", "0%"),), "Risk", "Loss"),
        "heat": HeatTable((HeatRow(name, ((1.5, "1.5"), None)), HeatRow("b", ((0, "0.0"), (3, "3.0")))), ("1", "2"),
                          "rows, most exposed first", "l1"),
    }  # fmt: skip


def read(drawing: str) -> ElementTree.Element:
    # The drawing is our own, and this is the test that it is well formed.
    return ElementTree.fromstring(drawing)


@pytest.mark.parametrize("kind", ["wide", "narrow"])
@pytest.mark.parametrize("name", ["age", HOSTILE, LONG, "עמודה", "列" * 60, ""])
def test_every_drawing_is_well_formed_and_stays_inside(kind: str, name: str) -> None:
    for title, chart in charts(name).items():
        drawing = getattr(chart, kind)("words")
        tree = read(drawing)
        assert tree.attrib["role"] == "img"
        assert tree.attrib["aria-labelledby"] == "words"
        assert tree.attrib["class"] == f"drawing {kind}"
        width, height = float(tree.attrib["width"]), float(tree.attrib["height"])
        assert width == (WIDE if kind == "wide" else NARROW)
        assert "\u202e" not in drawing
        for part in tree.iter():
            inside = part.tag in ("text", "rect", "circle", "line")
            for key in ("x", "cx", "x1", "x2") if inside else ():
                assert -0.1 <= float(part.attrib.get(key, 0)) <= width + 0.1, (title, part.attrib)
            for key in ("y", "cy", "y1", "y2") if inside else ():
                assert -0.1 <= float(part.attrib.get(key, 0)) <= height + 0.1, (title, part.attrib)
            if part.tag == "rect":
                assert float(part.attrib["width"]) > 0, title
            if part.tag == "text" and part.attrib.get("text-anchor", "start") == "start":
                is_bold = bool({"b", "risk", "goal", "learn"} & set(part.attrib.get("class", "").split()))
                end = float(part.attrib["x"]) + room(part.text or "", bold=is_bold)
                assert end <= width + 12, (title, part.text)


def test_bars_are_as_long_as_their_values() -> None:
    rows = tuple(BarRow(str(value), value, str(value)) for value in (10, 40, 0))
    for drawing in (LabelledBars(rows).wide("words"), LabelledBars(rows).narrow("words")):
        ten, forty, nobody = [float(part.attrib["width"]) for part in read(drawing).iter("rect")]
        assert forty == pytest.approx(4 * ten, abs=0.2)
        # Nothing is still something to be seen.
        assert nobody == 1.5


def test_a_strip_is_everybody() -> None:
    parts = tuple(StripPart(part, "", "", "", "r1") for part in (0.5, 0.3, 0.2))
    for drawing, width in ((ShareStrip(parts).wide("words"), WIDE), (ShareStrip(parts).narrow("words"), NARROW)):
        bars = [part for part in read(drawing).iter("rect") if part.attrib["y"] == "0.0"]
        long = [float(part.attrib["width"]) for part in bars]
        assert sum(long) + 2 * (len(parts) - 1) == pytest.approx(width, abs=0.2)
        assert long[0] / long[1] == pytest.approx(5 / 3, rel=0.01)


def test_dots_stand_at_their_values() -> None:
    pairs = DotPairs(tuple(DotPair(str(n), n, 100, "") for n in (0, 50, 100)), ("a", "b"), ("r1", "i3", "r2l"), TICKS)
    dots = [part for part in read(pairs.wide("words")).iter("circle") if part.attrib["class"] == "r1"][1:]
    nobody, half, everybody = [float(part.attrib["cx"]) for part in dots]
    assert half == pytest.approx((nobody + everybody) / 2, abs=0.1)
    all_others = {part.attrib["cx"] for part in read(pairs.wide("words")).iter("circle") if part.attrib["r"] == "4.0"}
    assert f"{everybody:.1f}" in all_others


def test_the_line_of_the_best_holds_until_the_next_one() -> None:
    chart = FrontierChart((), ((0.0, 0.4), (0.5, 0.1), (1.0, 0.0)), (), "Risk", "Loss")
    (line,) = read(chart.wide("words")).iter("polyline")
    points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
    # From left to right it never rises on the page's axis of losses, and every step is level or upright.
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert [y for _, y in points] == sorted(y for _, y in points)
    assert all(before[0] == after[0] or before[1] == after[1] for before, after in pairwise(points))


def test_what_loses_far_more_than_the_best_is_not_drawn() -> None:
    marked = (MarkedPoint(0.0, 0.2, "Groups of 5", "20% lost"),)
    chart = FrontierChart(((0.1, 0.25), (0.1, 0.9)), ((0.0, 0.2),), marked, "Risk", "Loss")
    assert len([part for part in read(chart.wide("words")).iter("circle") if part.attrib["class"] == "d1"]) == 1


def test_the_strongest_cell_is_the_largest() -> None:
    table = charts("age")["heat"]
    found = re.findall(r'fill-opacity="([\d.]+)%"', table.wide("words"))
    assert [float(part) for part in found] == [26.5, 3.0, 50.0]


def test_names_are_cut_in_the_middle_and_only_if_they_must_be() -> None:
    assert fitted("age", 100) == "age"
    short = fitted(LONG, 100)
    assert room(short) <= 100
    assert LONG.startswith(short.partition("…")[0])
    assert room("%%") > room("11")
