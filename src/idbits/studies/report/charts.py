"""The charts of a report that no other command has, as Vega-Lite specs in the colours of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from idbits.render.numbers import share as shown_share
from idbits.render.page import axis_names, shortened
from idbits.studies.leak.charts import entropy_chart

__all__ = [
    "SCHEMA", "WIDTH", "bits_of_columns", "boxes", "cells", "columns_with", "dependence", "entropy_by_order",
    "gain_distribution", "groups_by_size", "learnt_of_columns", "pairs_by_day", "people_by_attacker",
    "people_by_columns", "people_by_size", "people_by_values_left", "plain_chart", "share_axis", "unicity_map",
]  # fmt: skip

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH = 340

Chart = dict[str, Any]


def gain_distribution(rows: Sequence[tuple[int, float]], unit: str = "people") -> Chart:
    """The share of people (or rows) who give away at least this many bits (S0 tables II, IV, VI, VIII).

    >>> gain_distribution([(1, 0.5)])["data"]["values"]
    [{'bits': 1, 'share': 0.5}]
    """
    return plain_chart(
        [{"bits": bits, "share": share} for bits, share in rows],
        mark={"type": "bar"},
        encoding={
            "x": {"field": "bits", "type": "ordinal", "title": "at least this many bits", "axis": _FLAT},
            "y": share_axis(unit),
        },
        height=140,
    )


def people_by_size(rows: Sequence[tuple[str, float]], unit: str = "people") -> Chart:
    """The share of people (or rows) by the size of their group.

    >>> people_by_size([("1", 1.0)])["data"]["values"]
    [{'size': '1', 'share': 1.0, 'exposed': True}]
    """
    values = [{"size": size, "share": share, "exposed": index < 3} for index, (size, share) in enumerate(rows)]
    return plain_chart(
        values,
        mark={"type": "bar"},
        encoding={
            "x": {
                "field": "size",
                "type": "ordinal",
                "sort": None,
                "title": f"{unit} with the same values",
                "axis": _FLAT,
            },
            "y": share_axis(unit),
            "color": {"condition": {"test": "datum.exposed", "value": "var(--second)"}, "value": "var(--first)"},
        },
        height=140,
    )


def people_by_columns(rows: Sequence[tuple[int, float]], unit: str = "people") -> Chart:
    """The share of people (or rows) made unique by the columns that give away most, by the number of columns.

    >>> people_by_columns([(1, 0.25)])["data"]["values"]
    [{'columns': 1, 'share': 0.25}]
    """
    return plain_chart(
        [{"columns": columns, "share": share} for columns, share in rows],
        mark={"type": "bar", "color": "var(--second)"},
        encoding={
            "x": {"field": "columns", "type": "ordinal", "title": "number of columns", "axis": _FLAT},
            "y": share_axis(f"unique {unit}"),
        },
        height=140,
        width=WIDTH - 40,
    )


def people_by_attacker(rows: Sequence[tuple[str, float]], chosen: str) -> Chart:
    """The share of people that attackers find, by what they know of a person; one of them is marked.

    >>> people_by_attacker([("all records", 0.5)], "all records")["data"]["values"]
    [{'known': 'all records', 'share': 0.5, 'chosen': True, 'label': '50.00%'}]
    """
    values = [
        {"known": known, "share": share, "chosen": known == chosen, "label": shown_share(share)}
        for known, share in rows
    ]
    colour = {"condition": {"test": "datum.chosen", "value": "var(--second)"}, "value": "var(--first)"}
    encoding = {
        "y": {"field": "known", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 170}},
        "x": share_axis("unique people") | {"axis": {"format": "%", "values": [0, 0.25, 0.5, 0.75, 1]}},
    }
    return {
        "$schema": SCHEMA,
        "data": {"values": values},
        "encoding": encoding,
        "layer": [
            {"mark": {"type": "bar"}, "encoding": {"color": colour}},
            {"mark": {"type": "text", "align": "left", "dx": 4}, "encoding": {"text": {"field": "label"}}},
        ],
        "width": WIDTH - 140,
        "height": {"step": 30},
        # Long labels, in a font that may be wider than the one they were measured with.
        "padding": {"left": 20, "top": 6, "right": 6, "bottom": 2},
    }


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
            {"mark": {"type": "bar", "size": 9}, "encoding": {"y": y, "x": x | {"field": "q1"},
                                                              "x2": {"field": "q3"}}},
            {"mark": {"type": "tick", "color": "var(--second)", "thickness": 3, "size": 13},
             "encoding": {"y": y, "x": x | {"field": "median"}}},
        ],
        "width": WIDTH - 60,
        "height": {"step": 18},
    }  # fmt: skip


def bits_of_columns(rows: Sequence[tuple[str, float, float | None]], most: float) -> Chart:
    """Bits of each column by itself and added to all others, with a line at the bits that single out everyone.

    >>> bits_of_columns([("zip", 9.0, 2.0)], 17.6)["layer"][2]["encoding"]["x"]["datum"]
    17.6
    """
    marks = ({"type": "bar"}, {"type": "bar", "size": 5, "color": "var(--second)"})
    chart = columns_with(rows, ("bits", "added"), marks, {"type": "quantitative", "title": "bits"})
    line = {
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": "var(--bad)"},
        "encoding": {"x": {"datum": most, "type": "quantitative"}},
    }
    return chart | {"layer": [*chart["layer"], line]}


def learnt_of_columns(rows: Sequence[tuple[str, float, float]]) -> Chart:
    """The bits of each column, and in front of them the bits learnt about it on average (S3, FIG per person).

    >>> learnt_of_columns([("zip", 9.0, 2.0)])["data"]["values"]
    [{'column': 'zip', 'held': 9.0, 'learnt': 2.0}]
    """
    marks = ({"type": "bar", "opacity": 0.3}, {"type": "bar", "size": 9})
    return columns_with(rows, ("held", "learnt"), marks, {"type": "quantitative", "title": "bits"})


def columns_with(
    rows: Sequence[tuple[str, float, float | None]], keys: tuple[str, str], marks: tuple[Chart, Chart], axis: Chart
) -> Chart:
    """Return a chart with two numbers per column, the second drawn over the first if it exists."""
    names = axis_names([name for name, _, _ in rows])
    values = [{"column": name, **dict(zip(keys, row[1:], strict=True))} for name, row in zip(names, rows, strict=True)]
    y = {"field": "column", "type": "nominal", "sort": names, "title": None, "axis": {"labelLimit": 150}}
    layers = [
        {
            "mark": mark,
            "transform": [{"filter": f"datum.{key} != null"}],
            "encoding": {"y": y, "x": axis | {"field": key}},
        }
        for key, mark in zip(keys, marks, strict=True)
    ]
    return {"$schema": SCHEMA, "data": {"values": values}, "layer": layers, "width": WIDTH - 90, "height": {"step": 20}}


def cells(columns: Sequence[str], rows: Sequence[Sequence[float]], row: str = "row") -> Chart:
    """A heat map of the most exposed rows or records: the gain of each cell, never its value (S3 figure 5).

    >>> cells(["zip"], [[3.5]])["data"]["values"]
    [{'row': 1, 'column': 'zip', 'bits': 3.5}]
    """
    names = axis_names(columns, 18)
    values = [
        {"row": number, "column": column, "bits": bits}
        for number, gains in enumerate(rows, start=1)
        for column, bits in zip(names, gains, strict=True)
    ]
    return plain_chart(
        values,
        mark={"type": "rect", "color": "var(--second)"},
        encoding={
            "x": {"field": "column", "type": "nominal", "sort": names, "title": None, "axis": {"labelAngle": -40}},
            "y": {"field": "row", "type": "ordinal", "title": f"{row}s, most exposed first", "axis": {"labels": False}},
            # Opacity instead of hue: it reads the same on light and dark pages.
            "opacity": {
                "field": "bits",
                "type": "quantitative",
                "title": "bits",
                "scale": {"domainMin": 0, "range": [0.03, 1]},
                "legend": {"tickCount": 4},
            },
        },
        height={"step": 6},
        width=WIDTH - 60,
    )


_FLAT = {"labelAngle": 0}


def share_axis(title: str) -> Chart:
    """Return the axis of a field ``share``, from nobody to everybody."""
    return {
        "field": "share",
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [0, 1]},
        "axis": {"format": "%", "tickCount": 5},
    }


def plain_chart(
    values: list[Chart], *, mark: Chart, encoding: Chart, width: int | Chart = WIDTH, height: int | Chart = 200
) -> Chart:
    """Return a chart with one kind of marks."""
    return {
        "$schema": SCHEMA,
        "data": {"values": values},
        "mark": mark,
        "encoding": encoding,
        "width": width,
        "height": height,
    }


def unicity_map(rows: Sequence[tuple[str, str, float]]) -> Chart:
    """A heat map of (points known, content of a point, share made unique): opacity instead of hue, and the numbers.

    >>> unicity_map([("1", "place by day", 0.25)])["data"]["values"]
    [{'points': '1', 'point': 'place by day', 'share': 0.25, 'label': '25.00%'}]
    """
    names = ("points", "point", "share")
    across, down = (list(dict.fromkeys(row[index] for row in rows)) for index in (0, 1))
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
        "data": {"values": [dict(zip(names, row, strict=True)) | {"label": shown_share(row[-1])} for row in rows]},
        "encoding": encoding,
        "layer": [
            {"mark": {"type": "rect", "color": "var(--second)"}, "encoding": {"opacity": strength}},
            {"mark": {"type": "text"}, "encoding": {"text": {"field": "label", "type": "nominal"}}},
        ],
        "width": {"step": 52},
        "height": {"step": 26},
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
        "mark": {"type": "bar"},
        "encoding": {
            "x": {"field": "day", "type": "ordinal", "sort": None, "title": title, "axis": labels},
            "y": share_axis("pairs of one person"),
        },
        "width": WIDTH,
        "height": 140,
    }


def dependence(rows: Sequence[tuple[str, float, float | None]]) -> Chart:
    """How much released columns tell about their originals (MIC), with a mark at the level of chance.

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
    chart = entropy_chart(points, chosen, ("var(--first)", "var(--second)"))
    return chart | {"$schema": SCHEMA, "width": WIDTH - 80, "height": 140}


def groups_by_size(rows: Sequence[tuple[str, int]], unit: str, ticks: Sequence[object]) -> Chart:
    """The number of groups that differencing isolates, by their size.

    >>> groups_by_size([("3", 2)], "people", [0, 1, 2])["data"]["values"]
    [{'size': '3', 'groups': 2}]
    """
    return plain_chart(
        [{"size": size, "groups": groups} for size, groups in rows],
        mark={"type": "bar", "color": "var(--second)"},
        encoding={
            "x": {"field": "size", "type": "ordinal", "sort": None, "title": f"{unit} in the group", "axis": _FLAT},
            "y": {
                "field": "groups",
                "type": "quantitative",
                "title": "groups",
                "axis": {"values": list(ticks), "format": ",d"},
            },
        },
        height=140,
    )


def people_by_values_left(rows: Sequence[tuple[str, int, int, int]]) -> Chart:
    """People by the number of values left for them: by one release, by the other, by both.

    >>> people_by_values_left([("1", 0, 0, 5)])["data"]["values"][2]
    {'left': '1', 'release': 'both', 'people': 5}
    """
    names = ["first release", "second release", "both"]
    return plain_chart(
        [
            {"left": left, "release": name, "people": people}
            for left, *counts in rows
            for name, people in zip(names, counts, strict=True)
        ],
        mark={"type": "bar"},
        encoding={
            "x": {"field": "left", "type": "ordinal", "sort": None, "title": "values left", "axis": _FLAT},
            "xOffset": {"field": "release", "sort": names},
            "y": {"field": "people", "type": "quantitative", "title": "people"},
            "color": {
                "field": "release",
                "type": "nominal",
                "title": None,
                "scale": {"domain": names, "range": ["var(--soft)", "var(--first)", "var(--second)"]},
                "legend": {"orient": "top"},
            },
        },
        height=140,
    )
