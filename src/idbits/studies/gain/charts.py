"""The figures of information gain as Vega-Lite specs: plain dicts that draw no value of any cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["growth_curve", "heat_map", "people_above", "sweep_curve"]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

Chart = dict[str, Any]


def heat_map(columns: Sequence[str], rows: Sequence[tuple[int, Sequence[float]]]) -> Chart:
    """Cells by their gain (S3 figure 5): one line a row of the table, most exposed first.

    >>> heat_map(["zip"], [(1, [3.5])])["data"]["values"]
    [{'row': '1', 'people': 1, 'place': 0, 'column': 'zip', 'bits': 3.5}]
    """
    values = [
        {"row": str(number), "people": people, "place": place, "column": column, "bits": bits}
        for number, (people, cells) in enumerate(rows, start=1)
        for place, (column, bits) in enumerate(zip(columns, cells, strict=True))
    ]
    return _chart(
        "What is learnt about each cell of the most exposed rows, in bits",
        values,
        mark={"type": "rect", "tooltip": True},
        encoding={
            "x": {"field": "column", "type": "nominal", "sort": {"field": "place"}, "title": None},
            "y": {"field": "row", "type": "ordinal", "sort": None, "title": "rows, most exposed first"},
            "color": {
                "field": "bits",
                "type": "quantitative",
                "title": "bits",
                "scale": {"scheme": "oranges", "domainMin": 0},
            },
        },
        width={"step": 48},
        height={"step": 14},
    )


def people_above(curves: Mapping[str, Sequence[tuple[float, int]]]) -> Chart:
    """How many people have a RIG above each number of bits (S3 figure 6), one line a table.

    >>> people_above({"this table": [(0.0, 5)]})["data"]["values"]
    [{'table': 'this table', 'bits': 0.0, 'people': 5}]
    """
    values = [
        {"table": name, "bits": bits, "people": people} for name, curve in curves.items() for bits, people in curve
    ]
    encoding: Chart = {
        "x": {"field": "bits", "type": "quantitative", "title": "row information gain, bits"},
        "y": {"field": "people", "type": "quantitative", "title": "people above it"},
    }
    if len(curves) > 1:
        encoding["color"] = {"field": "table", "type": "nominal", "sort": list(curves), "title": None}
    return _chart(
        "People above each row information gain",
        values,
        mark={"type": "line", "interpolate": "step-after"},
        encoding=encoding,
    )


def sweep_curve(steps: Sequence[tuple[str, float | None, float]]) -> Chart:
    """Utility kept and RIG_95 as a feature becomes coarser (S3 figure 8).

    >>> sweep_curve([("age", 1.0, 7.5)])["data"]["values"]
    [{'step': 'age', 'place': 0, 'utility': 1.0, 'rig_p95': 7.5}]
    """
    values = [
        {"step": name, "place": place, "utility": utility, "rig_p95": bits}
        for place, (name, utility, bits) in enumerate(steps)
    ]
    return _two_axes(
        "Utility kept and information gain, step by step",
        values,
        ("utility", "utility kept (blue)", "#2166ac"),
        ("rig_p95", "RIG, 95th percentile, bits (orange)", "#d95f02"),
    )


def growth_curve(steps: Sequence[tuple[str, float, float]], threshold: float) -> Chart:
    """RIG_95 and PIF as columns join (S3 figure 2), with the threshold as a rule.

    >>> growth_curve([("zip", 0.0, 0.0)], 1.0)["data"]["values"]
    [{'step': 'zip', 'place': 0, 'rig_p95': 0.0, 'pif': 0.0}]
    """
    values = [
        {"step": name, "place": place, "rig_p95": bits, "pif": pif} for place, (name, bits, pif) in enumerate(steps)
    ]
    chart = _two_axes(
        "What is learnt as columns join",
        values,
        ("pif", "PIF, bits per person (blue)", "#2166ac"),
        ("rig_p95", "RIG, 95th percentile, bits (orange)", "#d95f02"),
    )
    rule = {
        "mark": {"type": "rule", "strokeDash": [4, 4], "color": "#2166ac"},
        "encoding": {"y": {"datum": threshold, "type": "quantitative"}},
    }
    pif, rig = chart["layer"]
    # The rule shares the axis of PIF, so the two are one layer.
    return chart | {"layer": [{"layer": [pif, rule]}, rig]}


def _two_axes(title: str, values: list[Chart], left: tuple[str, str, str], right: tuple[str, str, str]) -> Chart:
    x = {"field": "step", "type": "ordinal", "sort": {"field": "place"}, "title": None, "axis": {"labelAngle": -30}}
    layers = [
        {
            "mark": {"type": "line", "point": {"color": colour}, "color": colour},
            "encoding": {
                "x": x,
                "y": {"field": field, "type": "quantitative", "title": words, "scale": {"zero": True}},
            },
        }
        for field, words, colour in (left, right)
    ]
    return {
        "$schema": _SCHEMA,
        "title": title,
        "data": {"values": values},
        "layer": layers,
        "resolve": {"scale": {"y": "independent"}},
        "width": 420,
        "height": 240,
    }


def _chart(
    title: str, values: list[Chart], *, mark: Chart, encoding: Chart, width: Any = 420, height: Any = 240
) -> Chart:
    return {
        "$schema": _SCHEMA,
        "title": title,
        "data": {"values": values},
        "mark": mark,
        "encoding": encoding,
        "width": width,
        "height": height,
    }
