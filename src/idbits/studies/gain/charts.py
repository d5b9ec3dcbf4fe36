"""The figures of information gain as Vega-Lite specs: plain dicts that contain no value of any cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from idbits.studies.shared.serialisation import Json, JsonObject

__all__ = ["growth_curve", "heat_map", "people_above", "sweep_curve"]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_BLUE = "#2166ac"
_ORANGE = "#d95f02"


def heat_map(columns: Sequence[str], rows: Sequence[tuple[int, Sequence[float]]]) -> JsonObject:
    """Cells by their gain (S3 figure 5): one line per row of the table, most exposed first.

    >>> heat_map(["zip"], [(1, [3.5])])["data"]["values"]
    [{'row': '1', 'people': 1, 'place': 0, 'column': 'zip', 'bits': 3.5}]
    """
    values: list[Json] = [
        {"row": str(number), "people": people, "place": index, "column": column, "bits": bits}
        for number, (people, cells) in enumerate(rows, start=1)
        for index, (column, bits) in enumerate(zip(columns, cells, strict=True))
    ]
    return _chart(
        "What an attacker learns about the cells of the most exposed rows, in bits",
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


def people_above(curves: Mapping[str, Sequence[tuple[float, int]]], unit: str = "people") -> JsonObject:
    """How many people (or rows) have a RIG above each number of bits (S3 figure 6), one line per table.

    >>> people_above({"this table": [(0.0, 5)]})["data"]["values"]
    [{'table': 'this table', 'bits': 0.0, 'people': 5}]
    """
    values: list[Json] = [
        {"table": name, "bits": bits, "people": people} for name, curve in curves.items() for bits, people in curve
    ]
    encoding: JsonObject = {
        "x": {"field": "bits", "type": "quantitative", "title": "row information gain (RIG), bits"},
        "y": {"field": "people", "type": "quantitative", "title": f"{unit} above this many bits"},
    }
    if len(curves) > 1:
        encoding["color"] = {"field": "table", "type": "nominal", "sort": list(curves), "title": None}
    return _chart(
        f"How many {unit} have a row information gain above this many bits",
        values,
        mark={"type": "line", "interpolate": "step-after"},
        encoding=encoding,
    )


def sweep_curve(steps: Sequence[tuple[str, float | None, float]]) -> JsonObject:
    """Utility and RIG_95 as a feature becomes coarser (S3 figure 8).

    >>> sweep_curve([("age", 1.0, 7.5)])["data"]["values"]
    [{'step': 'age', 'place': 0, 'utility': 1.0, 'rig_p95': 7.5}]
    """
    values: list[Json] = [
        {"step": name, "place": index, "utility": utility, "rig_p95": bits}
        for index, (name, utility, bits) in enumerate(steps)
    ]
    utility = _line("utility", "utility kept (blue)", _BLUE)
    rig = _line("rig_p95", "RIG, 95th percentile, bits (orange)", _ORANGE)
    return _two_axes("Utility and information gain as a column becomes coarser", values, [utility, rig])


def growth_curve(steps: Sequence[tuple[str, float, float]], threshold: float) -> JsonObject:
    """RIG_95 and PIF as columns are added (S3 figure 2), with the threshold as a rule.

    >>> growth_curve([("zip", 0.0, 0.0)], 1.0)["data"]["values"]
    [{'step': 'zip', 'place': 0, 'rig_p95': 0.0, 'pif': 0.0}]
    """
    values: list[Json] = [
        {"step": name, "place": index, "rig_p95": bits, "pif": pif} for index, (name, bits, pif) in enumerate(steps)
    ]
    rule: JsonObject = {
        "mark": {"type": "rule", "strokeDash": [4, 4], "color": _BLUE},
        "encoding": {"y": {"datum": threshold, "type": "quantitative"}},
    }
    # The rule shares the axis of PIF, so the two are one layer.
    pif: JsonObject = {"layer": [_line("pif", "PIF, bits per person (blue)", _BLUE), rule]}
    rig = _line("rig_p95", "RIG, 95th percentile, bits (orange)", _ORANGE)
    return _two_axes("What an attacker learns as columns are added", values, [pif, rig])


def _line(field: str, title: str, colour: str) -> JsonObject:
    """Return one line over the steps, with points of the same colour."""
    steps: JsonObject = {"field": "step", "type": "ordinal", "sort": {"field": "place"}, "title": None}
    return {
        "mark": {"type": "line", "point": {"color": colour}, "color": colour},
        "encoding": {
            "x": steps | {"axis": {"labelAngle": -30, "labelLimit": 150}},
            "y": {"field": field, "type": "quantitative", "title": title, "scale": {"zero": True}},
        },
    }


def _two_axes(title: str, values: list[Json], layers: list[Json]) -> JsonObject:
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
    title: str, values: list[Json], *, mark: JsonObject, encoding: JsonObject, width: Json = 420, height: Json = 240
) -> JsonObject:
    return {
        "$schema": _SCHEMA,
        "title": title,
        "data": {"values": values},
        "mark": mark,
        "encoding": encoding,
        "width": width,
        "height": height,
    }
