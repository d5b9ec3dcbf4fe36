"""The charts of a report as Vega-Lite specs in the colours of the page: boxes, heat maps, and bars by day.

They are drawn as wide as the page, so they have no width.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from idbits.render.numbers import bar_share, to_places
from idbits.render.page import axis_names, shortened

__all__ = ["boxes", "cells", "pairs_by_day", "unicity_map"]

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


def cells(columns: Sequence[str], rows: Sequence[Sequence[float]], row: str = "row") -> Chart:
    """A heat map of the most exposed rows or records: the gain of each cell, never its value (S3 figure 5).

    >>> cells(["zip"], [[3.5]])["data"]["values"]
    [{'row': 1, 'column': 'zip', 'bits': 3.5, 'label': '3.5'}]
    """
    names = axis_names(columns, 18)
    values = [
        {"row": number, "column": column, "bits": bits, "label": to_places(bits, 1)}
        for number, gains in enumerate(rows, start=1)
        for column, bits in zip(names, gains, strict=True)
    ]
    most = max(bits for gains in rows for bits in gains)
    encoding = {
        "x": {"field": "column", "type": "nominal", "sort": names, "title": None,
              "axis": {"labelAngle": -35, "orient": "top", "domain": False, "ticks": False}},
        "y": {"field": "row", "type": "ordinal", "title": f"{row}s, most exposed first",
              "axis": {"labels": False, "domain": False, "ticks": False}},
    }  # fmt: skip
    return _heat_map(values, encoding, "bits", most or 1, "var(--learn)")


def unicity_map(rows: Sequence[tuple[str, str, float]]) -> Chart:
    """A heat map of (points known, content of a point, share made unique).

    >>> unicity_map([("1", "place by day", 0.25)])["data"]["values"]
    [{'points': '1', 'point': 'place by day', 'share': 0.25, 'label': '25.0%'}]
    """
    names = ("points", "point", "share")
    across, down = (list(dict.fromkeys(row[index] for row in rows)) for index in (0, 1))
    encoding = {
        "x": {"field": "points", "type": "nominal", "sort": across, "title": "points known",
              "axis": {"labelAngle": 0, "orient": "top", "domain": False, "ticks": False}},
        "y": {"field": "point", "type": "nominal", "sort": down, "title": None,
              "axis": {"domain": False, "ticks": False, "labelLimit": 170}},
    }  # fmt: skip
    values = [dict(zip(names, row, strict=True)) | {"label": bar_share(row[-1])} for row in rows]
    return _heat_map(values, encoding, "share", 1, "var(--risk)")


def _heat_map(values: list[Chart], encoding: Chart, field: str, most: float, colour: str) -> Chart:
    """Return cells with their numbers: opacity instead of hue reads the same on light and dark pages."""
    scale = {"domain": [0, most], "range": [0.03, 0.5]}
    strength = {"field": field, "type": "quantitative", "scale": scale, "legend": None}
    return {
        "$schema": SCHEMA,
        "data": {"values": values},
        "encoding": encoding,
        "layer": [
            {"mark": {"type": "rect", "color": colour}, "encoding": {"opacity": strength}},
            {"mark": {"type": "text"}, "encoding": {"text": {"field": "label", "type": "nominal"}}},
        ],
        "height": {"step": 20},
    }


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
