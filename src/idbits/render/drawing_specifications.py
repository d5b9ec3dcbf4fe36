"""Drawings as Vega-Lite: the same rows, words and colours, for programs that draw charts themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any

from idbits.render.dot_pairs import DotPairs
from idbits.render.estimate_charts import IntervalBar, ShareCurves
from idbits.render.frontier import FrontierChart
from idbits.render.heat_table import HeatTable
from idbits.render.labelled_bars import LabelledBars
from idbits.render.page import numbered_if_alike
from idbits.render.share_strip import ShareStrip
from idbits.render.size_bars import SizeBarsDrawing
from idbits.render.svg import VegaLite
from idbits.render.text import safe

__all__ = ["specification_of"]

Spec = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_STEP = 26
# About as many letters fit beside the names; words take at most this part of the width.
_LETTERS, _MOST_WORDS = 75, 0.6
_COLOURS = {
    "r1": "risk", "r2": "risk2", "g1": "goal", "l1": "learn", "l2": "learn2", "c1": "cloud", "w1": "wash", "d1": "edge",
    "ink": "ink", "i3": "ink3", "r2l": "risk2", "l2l": "learn2", "rl": "risk", "fl": "ink",
}  # fmt: skip
_MARGIN = 0.08
_SHARE: Spec = {"format": "~%"}


@singledispatch
def specification_of(drawing: object) -> VegaLite:
    """Return a drawing as a Vega-Lite specification with its data in it, in the colours of the page."""
    raise AssertionError(f"{type(drawing).__name__} has no specification")


def _colour(meaning: str) -> str:
    return f"var(--{_COLOURS[meaning]})"


def _layers(*layers: Spec, **more: Any) -> Spec:
    return {"$schema": _SCHEMA, "layer": list(layers), **more}


def _data(rows: Sequence[Mapping[str, Any]]) -> Spec:
    return {"values": [dict(row) for row in rows]}


def _field(name: str, kind: str = "quantitative", title: str | None = None, **more: Any) -> Spec:
    return {"field": name, "type": kind, "title": title, **more}


def _by_meaning(meanings: Sequence[str]) -> Spec:
    """Return the colour of rows by what they mean, without a legend."""
    known = list(dict.fromkeys(meanings))
    scale = {"domain": known, "range": [_colour(each) for each in known]}
    return _field("meaning", "nominal", scale=scale, legend=None)


@specification_of.register
def _(bars: LabelledBars) -> VegaLite:
    order = numbered_if_alike([safe(f"{row.lead} {row.name}".strip()) for row in bars.rows])
    rows: list[Spec] = [
        {"name": name, "value": row.value, "shown": safe(row.shown), "more": safe(row.more), "meaning": row.meaning}
        | ({"whole": row.whole} if row.whole is not None else {})
        for name, row in zip(order, bars.rows, strict=True)
    ]
    y = _field("name", "nominal", sort=order, axis={"labelLimit": 250, "ticks": False, "domain": False})
    end = "whole" if any(row.whole is not None for row in bars.rows) else "value"
    words = {"calculate": "datum.more ? datum.shown + '  \u00b7  ' + datum.more : datum.shown", "as": "words"}
    colour = _by_meaning([row.meaning for row in bars.rows])
    # Bars leave room for the longest words behind them.
    longest = max(len(row["shown"]) + len(row["more"]) + 5 for row in rows)
    most = max(max(row["value"], row.get("whole", 0)) for row in rows) or 1.0
    scale = {"domain": [0, most / (1 - min(_MOST_WORDS, longest / _LETTERS))], "nice": False}
    layers: list[Spec] = [
        {"mark": "bar", "encoding": {"y": y, "x": _field("value", axis=None, scale=scale), "color": colour}},
        {"transform": [words], "mark": {"type": "text", "align": "left", "dx": 6},
         "encoding": {"y": y, "x": _field(end, axis=None, scale=scale), "text": _field("words", "nominal")}},
    ]  # fmt: skip
    if end == "whole":
        layers.insert(0, {"mark": {"type": "bar", "color": "var(--wash)", "stroke": "var(--edge)"},
                          "encoding": {"y": y, "x": _field("whole", axis=None, scale=scale)}})  # fmt: skip
    return _layers(*layers, data=_data(rows), height={"step": _STEP})


@specification_of.register
def _(pairs: DotPairs) -> VegaLite:
    order = numbered_if_alike([safe(row.name) for row in pairs.rows])
    rows = [
        {"name": name, "first": row.first, "second": row.second, "first_shown": row.first_shown,
         "second_shown": row.second_shown, "more": ", ".join(
             f"{head}: {text}" for head, text in zip(pairs.heads, row.columns, strict=True))}
        for name, row in zip(order, pairs.rows, strict=True)
    ]  # fmt: skip
    y = _field("name", "nominal", sort=order, axis={"labelLimit": 190, "domain": False})
    most = pairs.ticks[-1][0]
    domain = [-_MARGIN * most, (1 + _MARGIN) * most]
    axis = {"values": [value for value, shown in pairs.ticks if shown], "orient": "top", "format": ",~r"}
    if any(shown.endswith("%") for _, shown in pairs.ticks):
        axis["format"] = "~%"
    x = _field("first", scale={"domain": domain, "nice": False}, axis=axis)
    first, second, between = pairs.colours
    keys = {"domain": list(pairs.key), "range": [_colour(first), _colour(second)]}
    layers: list[Spec] = [
        {"mark": {"type": "rule", "color": _colour(between), "strokeWidth": 6},
         "encoding": {"y": y, "x": x, "x2": {"field": "second"}}},
    ]  # fmt: skip
    for field, key, size in (("second", pairs.key[1], 50), ("first", pairs.key[0], 110)):
        tooltip = [_field(name, "nominal") for name in ("name", "first_shown", "second_shown", "more")]
        layers.append(
            {"mark": {"type": "point", "filled": True, "size": size, "opacity": 1},
             "encoding": {"y": y, "x": x | {"field": field}, "tooltip": tooltip,
                          "color": {"datum": key, "type": "nominal", "title": None, "scale": keys,
                                    "legend": {"orient": "top"}}}}
        )  # fmt: skip
    for lower, upper, test in (("first", "second", "<="), ("second", "first", ">")):
        chosen = [{"filter": f"datum.first {test} datum.second"}]
        for field, align, dx in ((lower, "right", -10), (upper, "left", 10)):
            layers.append(
                {"transform": chosen, "mark": {"type": "text", "align": align, "dx": dx, "fontWeight": "bold"},
                 "encoding": {"y": y, "x": x | {"field": field}, "text": _field(f"{field}_shown", "nominal")}}
            )  # fmt: skip
    return _layers(*layers, data=_data(rows), height={"step": _STEP})


@specification_of.register
def _(table: HeatTable) -> VegaLite:
    order = numbered_if_alike([safe(row.name) for row in table.rows])
    rows: list[Spec] = [
        {"name": name, "column": head, "value": cell[0], "shown": cell[1]}
        for name, row in zip(order, table.rows, strict=True)
        for head, cell in zip(table.heads, row.cells, strict=True)
        if cell is not None
    ]
    most = table.most or max((row["value"] for row in rows), default=0) or 1.0
    y = _field("name", "nominal", sort=order, axis={"labelLimit": 220, "domain": False})
    x = _field("column", "nominal", table.title, sort=list(table.heads), axis={"labelAngle": 0, "orient": "top"})
    strength = _field("value", scale={"domain": [0, most], "range": [0.03, 0.5], "clamp": True}, legend=None)
    return _layers(
        {"mark": {"type": "rect", "color": _colour(table.meaning)}, "encoding": {"y": y, "x": x, "opacity": strength}},
        {"mark": "text", "encoding": {"y": y, "x": x, "text": _field("shown", "nominal")}},
        data=_data(rows),
        height={"step": _STEP},
    )


@specification_of.register
def _(strip: ShareStrip) -> VegaLite:
    rows, start = [], 0.0
    for part in strip.parts:
        rows.append({"who": part.who, "people": part.number, "share": part.part, "shown": part.shown,
                     "from": start, "to": start + part.part, "middle": start + part.part / 2,
                     "meaning": part.meaning, "words": f"{part.shown} {part.who} ({part.number})"})  # fmt: skip
        start += part.part
    x = _field("from", scale={"domain": [0, 1], "nice": False}, axis=_SHARE)
    known = [row["words"] for row in rows]
    colours = {"domain": known, "range": [_colour(part.meaning) for part in strip.parts]}
    legend = {"orient": "bottom", "columns": 1, "labelLimit": 600}
    return _layers(
        {"mark": "bar", "encoding": {"x": x, "x2": {"field": "to"}, "tooltip": _field("words", "nominal"),
         "color": _field("words", "nominal", scale=colours, sort=known, legend=legend)}},
        data=_data(rows), height=44,
    )  # fmt: skip


@specification_of.register
def _(interval: IntervalBar) -> VegaLite:
    parts = (("bounds", interval.bounds, "var(--wash)", 36), ("interval", interval.interval, "var(--risk2)", -24))
    x = _field("low", scale={"domain": [0, 1], "nice": False}, axis=_SHARE | {"tickCount": 4})
    layers: list[Spec] = []
    for name, ends, colour, below in parts:
        if ends is None:
            continue
        low, high, words = ends
        place = min(0.75, max(0.25, (low + high) / 2))
        data = _data([{"what": name, "low": low, "high": high, "words": words, "place": place}])
        mark = {"type": "bar", "height": 24, "color": colour, "stroke": "var(--edge)"}
        layers += [
            {"data": data, "mark": mark, "encoding": {"x": x, "x2": {"field": "high"}}},
            {"data": data, "mark": {"type": "text", "dy": below},
             "encoding": {"x": x | {"field": "place"}, "text": _field("words", "nominal")}},
        ]  # fmt: skip
    if interval.estimate is not None:
        value, words = interval.estimate
        data = _data([{"what": "estimate", "low": value, "words": words, "place": min(0.8, max(0.2, value))}])
        mark = {"type": "tick", "size": 36, "thickness": 4, "color": "var(--risk)"}
        layers += [
            {"data": data, "mark": mark, "encoding": {"x": x}},
            {"data": data, "mark": {"type": "text", "dy": -42, "color": "var(--risk)", "fontWeight": "bold"},
             "encoding": {"x": x | {"field": "place"}, "text": _field("words", "nominal")}},
        ]  # fmt: skip
    return _layers(*layers, height=110)


@specification_of.register
def _(curves: ShareCurves) -> VegaLite:
    rows = [
        {"name": each.name, "people": people, "share": part} for each in curves.lines for people, part in each.points
    ]
    points = dict(curves.lines[0].points)
    marks = [
        {"people": people, "share": points[people], "words": words}
        for people, words in curves.marks
        if people in points
    ]
    names = [each.name for each in curves.lines]
    colours = {"domain": names, "range": [_colour(each.colour) for each in curves.lines]}
    x = _field("people", title=curves.title, scale={"type": "log", "nice": False}, axis={"format": ",", "tickCount": 5})
    y = _field("share", scale={"domain": [0, 1]}, axis=_SHARE | {"tickCount": 4})
    colour = _field("name", "nominal", scale=colours, legend={"orient": "top"})
    encoding = {"x": x, "y": y}
    return _layers(
        {"data": _data(rows), "mark": "line", "encoding": encoding | {"color": colour}},
        {"data": _data(marks), "mark": {"type": "rule", "strokeDash": [5, 4], "color": "var(--ink)"},
         "encoding": {"x": x}},
        {"data": _data(marks), "mark": {"type": "point", "filled": True, "color": "var(--ink)"}, "encoding": encoding},
        {"data": _data(marks), "mark": {"type": "text", "align": "left", "dx": 8, "dy": -8, "fontWeight": "bold"},
         "encoding": encoding | {"text": _field("words", "nominal")}},
        height=200,
    )  # fmt: skip


@specification_of.register
def _(frontier: FrontierChart) -> VegaLite:
    marked: list[Spec] = [
        {"risk": each.risk, "loss": each.loss, "words": f"{each.name}: {each.cost}", "colour": each.colour}
        for each in sorted(frontier.marked, key=lambda each: each.loss)
    ]
    shown = [*frontier.shown_cloud(), *frontier.best]
    x = _field("risk", title=frontier.risk_title, axis=_SHARE if frontier.risk_is_share else {"format": "~g"})
    y = _field("loss", title=frontier.loss_title, axis=_SHARE if frontier.loss_is_share else {"format": "~s"})
    encoding = {"x": x, "y": y}
    middle = max((risk for risk, _ in shown), default=0.0) / 2
    layers: list[Spec] = [
        {"data": _data([{"risk": risk, "loss": loss} for risk, loss in frontier.shown_cloud()]),
         "mark": {"type": "point", "filled": True, "size": 8, "opacity": 0.55, "color": "var(--edge)"},
         "encoding": encoding},
        {"data": _data([{"risk": risk, "loss": loss} for risk, loss in sorted(frontier.best)]),
         "mark": {"type": "line", "interpolate": "step-after", "color": "var(--ink)"}, "encoding": encoding},
    ]  # fmt: skip
    on_side = {"left": 0, "right": 0}
    for point in marked:
        align, dx = ("left", 12) if point["risk"] <= middle else ("right", -12)
        # Words of neighbours stand above each other.
        dy = -9 - 15 * on_side[align]
        on_side[align] += 1
        place = {"data": _data([point]), "encoding": encoding}
        dot = {"type": "point", "filled": True, "size": 110, "opacity": 1, "color": _colour(point["colour"])}
        layers += [
            place | {"mark": dot},
            place | {"mark": {"type": "text", "align": align, "dx": dx, "dy": dy, "fontWeight": "bold"},
                     "encoding": encoding | {"text": _field("words", "nominal")}},
        ]  # fmt: skip
    return _layers(*layers, height=260)


@specification_of.register
def _(drawing: SizeBarsDrawing) -> VegaLite:
    rows = drawing.rows()
    sizes = [each.sizes for each in drawing.bars.bins]
    x = _field("size", "ordinal", "group size", sort=sizes, axis={"labelAngle": 0})
    y = _field("people", axis=None)
    tables = list(dict.fromkeys(row["table"] for row in rows))
    inner = {
        "width": {"step": 66}, "height": 64,
        "layer": [
            {"mark": "bar", "encoding": {"x": x, "y": y, "color": _by_meaning([row["meaning"] for row in rows])}},
            {"mark": {"type": "text", "dy": -7, "fontWeight": "bold"},
             "encoding": {"x": x, "y": y, "text": _field("shown", "nominal")}},
        ],
    }  # fmt: skip
    row = {"field": "table", "type": "nominal", "sort": tables, "title": None,
           "header": {"labelAngle": 0, "labelAlign": "left"}}  # fmt: skip
    return {"$schema": _SCHEMA, "data": _data(rows), "facet": {"row": row}, "spec": inner}
