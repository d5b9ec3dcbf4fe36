"""The figures of saved answers in a report: as Vega-Lite specs in the colours of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from idbits.render.numbers import share as told
from idbits.studies.predict.entropy_chart import entropy_chart
from idbits.studies.report.charts import SCHEMA, WIDTH, columns_with, share_axis

__all__ = ["dependence", "entropy_by_order", "pairs_by_day", "unicity_map"]

Chart = dict[str, Any]


def unicity_map(rows: Sequence[tuple[str, str, float]]) -> Chart:
    """A heat map of (points known, what a point holds, share singled out): strength instead of hue, and the numbers.

    >>> unicity_map([("1", "place by day", 0.25)])["data"]["values"]
    [{'points': '1', 'point': 'place by day', 'share': 0.25, 'told': '25.00%'}]
    """
    names = ("points", "point", "share")
    across, down = (list(dict.fromkeys(row[place] for row in rows)) for place in (0, 1))
    encoding = {
        "x": {"field": "points", "type": "nominal", "sort": across, "title": "points known",
              "axis": {"labelAngle": 0, "orient": "top", "domain": False, "ticks": False}},
        "y": {"field": "point", "type": "nominal", "sort": down, "title": None,
              "axis": {"domain": False, "ticks": False, "labelLimit": 170}},
    }  # fmt: skip
    strength = {
        "field": "share",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": [0.03, 0.5]},
        "legend": None,
    }
    return {
        "$schema": SCHEMA,
        "data": {"values": [dict(zip(names, row, strict=True)) | {"told": told(row[-1])} for row in rows]},
        "encoding": encoding,
        "layer": [
            {"mark": {"type": "rect", "color": "var(--second)"}, "encoding": {"opacity": strength}},
            {"mark": {"type": "text"}, "encoding": {"text": {"field": "told", "type": "nominal"}}},
        ],
        "width": {"step": 52},
        "height": {"step": 26},
    }


def pairs_by_day(rows: Sequence[tuple[str, float]], title: str) -> Chart:
    """The share of pairs of events that one person alone has, by the first of the two.

    >>> pairs_by_day([("2005-01-03", 0.9)], "first day")["data"]["values"]
    [{'day': '2005-01-03', 'share': 0.9}]
    """
    labels = {"labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 12, "labelPadding": 8, "ticks": False}
    return {
        "$schema": SCHEMA,
        "data": {"values": [{"day": day, "share": share} for day, share in rows]},
        "mark": {"type": "bar"},
        "encoding": {
            "x": {"field": "day", "type": "ordinal", "sort": None, "title": title, "axis": labels},
            "y": share_axis("pairs that single out"),
        },
        "width": WIDTH,
        "height": 140,
    }


def dependence(rows: Sequence[tuple[str, float, float | None]]) -> Chart:
    """How much released columns tell of their originals (MIC), with a mark at what chance would give.

    >>> dependence([("age", 0.5, 0.1)])["data"]["values"]
    [{'column': 'age', 'mic': 0.5, 'chance': 0.1}]
    """
    marks = ({"type": "bar"}, {"type": "tick", "color": "var(--second)", "thickness": 3, "size": 16})
    axis = {"type": "quantitative", "title": "MIC: 0 nothing, 1 everything", "scale": {"domain": [0, 1]}}
    return columns_with(rows, ("mic", "chance"), marks, axis)


def entropy_by_order(points: Sequence[tuple[int, float, float]], chosen: int) -> Chart:
    """S4's figure 2, in the colours of the page.

    >>> entropy_by_order([(1, 0.0, 0.0)], 1)["layer"][0]["encoding"]["color"]["scale"]["range"]
    ['var(--first)', 'var(--second)']
    """
    chart = entropy_chart(points, chosen)
    chart["layer"][0]["encoding"]["color"]["scale"] = {"range": ["var(--first)", "var(--second)"]}
    chart["layer"][0]["mark"] = {"type": "line"}
    return chart | {"$schema": SCHEMA, "width": WIDTH - 80, "height": 140}
