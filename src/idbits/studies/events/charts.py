"""Charts of events, as reports and notebooks show them, and a heat map as a Vega-Lite specification."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.described_chart import DescribedChart
from idbits.render.heat_table import HeatRow, HeatTable
from idbits.render.numbers import bar_share, count, share
from idbits.render.page import shortened
from idbits.studies.events.result import Events, Unicity
from idbits.studies.events.text import is_by_month
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis

__all__ = ["charts_of", "pairs_chart", "unicity_chart", "unicity_heat_map"]

_MOST_DRAWN_DAYS = 62
_MOST_DRAWN_POINTS = 8
_MOST_COARSENINGS = 12
_NAME = 40
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


def charts_of(answer: Events) -> dict[str, DescribedChart]:
    """Return all charts by name, the main one first."""
    has_unicity = any(row.share is not None for row in answer.grid)
    return {"pairs": pairs_chart(answer)} | ({"unicity": unicity_chart(answer)} if has_unicity else {})


def pairs_chart(answer: Events) -> DescribedChart:
    """Return the share of pairs of events that only one person has, by the time of the first event."""
    by_month = is_by_month(answer)
    rows = answer.months if by_month else answer.days
    drawn = [(row.date, row.figures.share) for row in rows[:_MOST_DRAWN_DAYS]]
    first = "first month" if by_month else f"first {answer.step}"
    figures = answer.period
    words = (
        f"Share of the pairs of events that only one person has, by the {first} of the pair: {share(figures.share)} of "
        f"all {count(figures.n_pairs)} pairs."
    )
    words += (
        f" The chart shows the first {_MOST_DRAWN_DAYS} of {count(len(rows))}." if len(rows) > _MOST_DRAWN_DAYS else ""
    )
    title = f"Pairs of events that only one person has, by the {first}"
    return DescribedChart(_pairs_by_time(drawn, first), words, title)


def _pairs_by_time(rows: Sequence[tuple[str, float]], title: str) -> JsonObject:
    """Return bars.

    >>> _pairs_by_time([("2005-01-03", 0.9)], "first day")["data"]["values"]
    [{'day': '2005-01-03', 'share': 0.9}]
    """
    labels: JsonObject = {
        "labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 12, "labelPadding": 8, "ticks": False,
    }  # fmt: skip
    return {
        "$schema": _SCHEMA,
        "data": {"values": [{"day": day, "share": share} for day, share in rows]},
        "mark": {"type": "bar", "color": "var(--risk)"},
        "encoding": {
            "x": axis("day", title, "ordinal", sort=None, axis=labels),
            "y": axis("share", "pairs of one person", scale={"domain": [0, 1]}, axis={"format": "%", "tickCount": 5}),
        },
        "height": 160,
    }


def unicity_chart(answer: Events) -> DescribedChart:
    """Return how often points single a person out, by their number and their detail."""
    known = list(dict.fromkeys(row.points for row in answer.grid))[:_MOST_DRAWN_POINTS]
    kinds = list(dict.fromkeys((row.attributes, row.time) for row in answer.grid))[:_MOST_COARSENINGS]
    shown = {
        (row.attributes, row.time, row.points): (row.share, bar_share(row.share))
        for row in answer.grid
        if row.share is not None
    }
    rows = tuple(
        HeatRow(f"{_few(attributes)} by {time}" if attributes else f"{time} only",
                tuple(shown.get((attributes, time, points)) for points in known))
        for attributes, time in kinds
    )  # fmt: skip
    shares = [row for row in answer.unicity if row.share is not None] or [row for row in answer.grid if row.share]
    words = "Chance that nobody else has the points drawn from one person's events, by the detail of a point"
    if shares:
        first, last = shares[0], shares[-1]
        words += f": {share(first.share)} with {_points(first)}"
        words += f", {share(last.share)} with {_points(last)}" if last is not first else ""
    title = "People made unique by the points known, and their detail"
    return DescribedChart(HeatTable(rows, tuple(map(str, known)), "points known", "r1", 1.0), f"{words}.", title)


def _points(row: Unicity) -> str:
    return "all points" if row.points == "all" else f"{row.points} point{'' if row.points == 1 else 's'}"


def _few(names: Sequence[str]) -> str:
    short = [shortened(name, _NAME) for name in names]
    return ", ".join(short) if len(short) < 3 else f"{short[0]} and {len(short) - 1} more"


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
        "$schema": _SCHEMA,
        "description": "Unicity: how often some points single a person out, by time step and attributes",
        "data": {"values": [dict(zip(names, row, strict=True)) for row in rows]},
        "facet": {
            "column": {"field": "points", "type": "nominal", "sort": orders["points"], "header": {"title": "points"}}
        },
        "spec": {"width": {"step": 60}, "height": {"step": 34}, "encoding": axes, "layer": layers},
    }


_PLAIN: JsonObject = {"labelAngle": 0, "domain": False, "ticks": False}
