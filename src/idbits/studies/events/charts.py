"""Charts of events as Vega-Lite specifications: plain data that any renderer can draw offline."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["days_chart", "unicity_heat_map"]


def days_chart(rows: Sequence[tuple[str, float]], step: str) -> JsonObject:
    """Return the share of pairs of events that only one person has, by the day of the first event.

    >>> days_chart([("2005-01-03", 0.9)], "day")["data"]["values"]
    [{'day': '2005-01-03', 'share': 0.9}]
    """
    labels: JsonObject = {"labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 12, "ticks": False}
    return specification(
        "Pairs of events that only one person has",
        [{"day": day, "share": share} for day, share in rows],
        mark={"type": "bar", "color": "var(--risk)"},
        encoding={
            "x": axis("day", f"{step} of the first event", "ordinal", axis=labels),
            "y": axis("share", "share of pairs", scale={"domain": [0, 1]}, axis={"format": "%"}),
        },
    )


def unicity_heat_map(rows: Sequence[tuple[str, str, str, float]]) -> JsonObject:
    """Return a heat map: one panel per number of points, time across, attributes down, unicity as colour.

    >>> unicity_heat_map([("1", "day", "place", 0.25)])["data"]["values"]
    [{'points': '1', 'time': 'day', 'attributes': 'place', 'share': 0.25}]
    """
    names = ("points", "time", "attributes", "share")
    orders: dict[str, list[Json]] = {
        name: list(dict.fromkeys(row[index] for row in rows)) for index, name in enumerate(names[:3])
    }
    axes: JsonObject = {
        "x": {"field": "time", "type": "nominal", "sort": orders["time"], "title": "time step", "axis": _PLAIN},
        "y": {"field": "attributes", "type": "nominal", "sort": orders["attributes"], "title": None, "axis": _PLAIN},
    }
    colour: JsonObject = {
        "field": "share",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "scheme": "blues"},
        "legend": {"title": "unicity", "format": ".0%"},
    }
    # Dark digits on light cells and light digits on dark cells.
    text: JsonObject = {"condition": {"test": "datum.share > 0.55", "value": "white"}, "value": "black"}
    layers: list[Json] = [
        {"mark": "rect", "encoding": {"color": colour}},
        {"mark": {"type": "text"}, "encoding": {"text": {"field": "share", "format": ".1%"}, "color": text}},
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": "Unicity: how often some points single a person out, by time step and attributes",
        "data": {"values": [dict(zip(names, row, strict=True)) for row in rows]},
        "facet": {
            "column": {"field": "points", "type": "nominal", "sort": orders["points"], "header": {"title": "points"}}
        },
        "spec": {"width": {"step": 60}, "height": {"step": 34}, "encoding": axes, "layer": layers},
    }


_PLAIN: JsonObject = {"labelAngle": 0, "domain": False, "ticks": False}
