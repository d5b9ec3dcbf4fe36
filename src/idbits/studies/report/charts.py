"""The charts of a report as Vega-Lite specs in the colours of the page: boxes, and bars by day.

They are drawn as wide as the page, so they have no width.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from idbits.render.page import axis_names, shortened

__all__ = ["boxes", "pairs_by_day"]

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

Chart = dict[str, Any]


def boxes(rows: Sequence[tuple[str, float, float, float, float, float]], by: str) -> Chart:
    """Group sizes within each category, a box each: smallest, quartiles, largest (S2 figures 3.1 and 3.2).

    >>> boxes([("all", 1, 1, 2, 3, 9)], "zip")["layer"][0]["mark"]["type"]
    'rule'
    """
    names = ("low", "q1", "median", "q3", "high")
    groups = axis_names([label for label, *_ in rows])
    values = [
        {"group": group, **dict(zip(names, numbers, strict=True))}
        for group, (_, *numbers) in zip(groups, rows, strict=True)
    ]
    y = {"field": "group", "type": "nominal", "sort": groups, "title": shortened(by)}
    scale = {"type": "log", "nice": True}
    x = {"type": "quantitative", "scale": scale, "title": "group size (log scale)", "axis": {"format": ",~s"}}
    return {
        "$schema": SCHEMA,
        "data": {"values": values},
        "layer": [
            {"mark": {"type": "rule", "color": "var(--soft)"}, "encoding": {"y": y, "x": x | {"field": "low"},
                                                                            "x2": {"field": "high"}}},
            {"mark": {"type": "bar", "size": 11, "stroke": "var(--edge)"},
             "encoding": {"y": y, "x": x | {"field": "q1"}, "x2": {"field": "q3"}}},
            {"mark": {"type": "tick", "color": "var(--ink)", "thickness": 3, "size": 15},
             "encoding": {"y": y, "x": x | {"field": "median"}}},
        ],
        "height": {"step": 20},
    }  # fmt: skip


def pairs_by_day(rows: Sequence[tuple[str, float]], title: str) -> Chart:
    """The share of pairs of events that only one person has, by the first event.

    >>> pairs_by_day([("2005-01-03", 0.9)], "first day")["data"]["values"]
    [{'day': '2005-01-03', 'share': 0.9}]
    """
    labels = {"labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 12, "labelPadding": 8, "ticks": False}
    return {
        "$schema": SCHEMA,
        "data": {"values": [{"day": day, "share": share} for day, share in rows]},
        "mark": {"type": "bar", "color": "var(--risk)"},
        "encoding": {
            "x": {"field": "day", "type": "ordinal", "sort": None, "title": title, "axis": labels},
            "y": {
                "field": "share",
                "type": "quantitative",
                "title": "pairs of one person",
                "scale": {"domain": [0, 1]},
                "axis": {"format": "%", "tickCount": 5},
            },
        },
        "height": 160,
    }
