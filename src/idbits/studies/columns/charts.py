"""Charts about columns: Vega-Lite specifications as plain dictionaries, with their data in them."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.measures.entropy import bits_about_person
from idbits.render.numbers import percent
from idbits.studies.columns.result import ColumnSubsets, Contribution, Minimal, Subset
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.units import Unit

__all__ = ["charts_of", "contribution_chart", "lattice_chart", "subsets_chart"]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_MOST_NODES = 60
_MOST_LABELS = 4
_WIDTH = 480

Node = tuple[str, ...]


def charts_of(answer: ColumnSubsets) -> JsonObject:
    """Return all charts of an answer."""
    return {
        "subsets": subsets_chart(answer.subsets, answer.n_people, answer.unit),
        "contribution": contribution_chart(answer.contribution),
        "lattice": lattice_chart(answer.subsets, answer.minimal[0], answer.candidates, answer.n_people, answer.unit),
    }


def _values(rows: Sequence[JsonObject]) -> JsonObject:
    return {"values": list(rows)}


def subsets_chart(subsets: Sequence[Subset], n_people: int, unit: Unit = Unit.PEOPLE) -> JsonObject:
    """Return the chart of subsets: number of columns against bits, with a line at the bits that single out everyone."""
    rows: list[JsonObject] = [
        {
            "columns": " + ".join(subset.columns),
            "size": len(subset.columns),
            "bits": subset.figures.entropy_bits,
            "unique": subset.figures.singletons / n_people,
        }
        for subset in subsets
    ]
    points: JsonObject = {
        "mark": {"type": "point", "filled": True, "opacity": 0.7},
        "encoding": {
            "x": {"field": "size", "type": "ordinal", "title": "number of columns", "axis": {"labelAngle": 0}},
            "y": {"field": "bits", "type": "quantitative", "title": "bits given away"},
            "color": {
                "field": "unique",
                "type": "quantitative",
                "title": f"unique {unit}",
                "scale": {"domain": [0, 1]},
                "legend": {"format": "%"},
            },
            "tooltip": [
                {"field": "columns", "type": "nominal"},
                {"field": "bits", "type": "quantitative", "format": ".2f"},
                {"field": "unique", "type": "quantitative", "format": ".2%"},
            ],
        },
    }
    everyone: JsonObject = {
        "data": {"values": [{"bits": bits_about_person(n_people)}]},
        "mark": {"type": "rule", "strokeDash": [4, 4]},
        "encoding": {"y": {"field": "bits", "type": "quantitative"}},
    }
    return {
        "$schema": _SCHEMA,
        "title": "Combinations of columns by size",
        "width": _WIDTH,
        "data": _values(rows),
        "height": 300,
        "layer": [points, everyone],
    }


def contribution_chart(parts: Sequence[Contribution]) -> JsonObject:
    """Return bars of what each column gives away: by itself, as its fair part, and added to all others.

    >>> [row["bits"] for row in contribution_chart([Contribution("zip", 2.0, 1.0, 1.5, 0.0, 3)])["data"]["values"]]
    [2.0, 1.5, 1.0]
    """
    rows: list[JsonObject] = []
    for part in parts:
        bars = {
            "by itself": part.entropy_bits,
            "fair part": part.shapley_bits,
            "added to all others": part.conditional_bits,
        }
        rows += [{"column": part.column, "what": what, "bits": bits} for what, bits in bars.items() if bits is not None]
    order: list[Json] = [part.column for part in sorted(parts, key=lambda part: -(part.shapley_bits or 0.0))]
    kinds: list[Json] = ["by itself", "fair part", "added to all others"]
    return {
        "$schema": _SCHEMA,
        "title": "What each column gives away",
        "width": _WIDTH,
        "data": _values(rows),
        "mark": {"type": "bar"},
        "encoding": {
            "y": {"field": "column", "type": "nominal", "sort": order, "title": None},
            "yOffset": {"field": "what", "sort": kinds},
            "x": {"field": "bits", "type": "quantitative", "title": "bits"},
            "color": {"field": "what", "type": "nominal", "sort": kinds, "title": None},
        },
    }


def lattice_chart(
    subsets: Sequence[Subset], minimal: Minimal, names: Sequence[str], n_people: int, unit: Unit = Unit.PEOPLE
) -> JsonObject:
    """Return the part of the lattice of subsets where combinations cross the share.

    Nodes are minimal combinations and the same without one column; a line stands for that column.
    """
    unique = {subset.columns: subset.figures.singletons / n_people for subset in subsets}
    nodes, lines = _crossing(minimal.sets, unique)
    order = {name: index for index, name in enumerate(names)}
    by_size: dict[int, list[Node]] = {}
    for node in sorted(nodes, key=lambda node: [order[name] for name in node]):
        by_size.setdefault(len(node), []).append(node)
    x = {node: (index + 0.5) / len(row) for row in by_size.values() for index, node in enumerate(row)}
    points: list[JsonObject] = [
        {"columns": " + ".join(node), "x": x[node], "size": len(node), "unique": unique[node],
         "reached": "reaches the share" if unique[node] >= minimal.share else "does not"}
        for node in nodes
    ]  # fmt: skip
    segments: list[JsonObject] = [
        {"x": x[lower], "size": len(lower), "x2": x[upper], "size2": len(upper)} for lower, upper in lines
    ]
    across: JsonObject = {"field": "x", "type": "quantitative", "axis": None, "scale": {"domain": [0, 1]}}
    up: JsonObject = {"field": "size", "type": "ordinal", "sort": "descending", "title": "number of columns"}
    most_across = max(map(len, by_size.values()), default=0)
    layers: list[Json] = [
        {
            "data": _values(segments),
            "mark": {"type": "rule", "opacity": 0.4},
            "encoding": {"x": across, "y": up, "x2": {"field": "x2"}, "y2": {"field": "size2"}},
        },
        {
            "data": _values(points),
            "mark": {"type": "point", "filled": True, "size": 80},
            "encoding": {"x": across, "y": up, "color": {"field": "reached", "type": "nominal", "title": None},
                         "tooltip": [{"field": "columns", "type": "nominal"},
                                     {"field": "unique", "type": "quantitative", "format": ".2%"}]},
        },
    ]  # fmt: skip
    if most_across <= _MOST_LABELS:
        # The names of more nodes would overlap; the tooltip shows them.
        layers.append(
            {
                "data": _values(points),
                "mark": {"type": "text", "dy": -12, "fontSize": 9, "limit": _WIDTH // max(1, most_across)},
                "encoding": {"x": across, "y": up, "text": {"field": "columns", "type": "nominal"}},
            }
        )
    return {
        "$schema": _SCHEMA,
        "title": f"Where combinations begin to single out {percent(minimal.share)} of {unit}",
        "width": _WIDTH,
        "height": 300,
        "layer": layers,
    }


def _crossing(
    minimal: Sequence[Subset], counted: dict[Node, float]
) -> tuple[dict[Node, None], list[tuple[Node, Node]]]:
    """Return minimal combinations, their parts with one column less, and the lines between them."""
    nodes: dict[Node, None] = {}
    lines: list[tuple[Node, Node]] = []
    for upper in (subset.columns for subset in minimal):
        parts = [tuple(other for other in upper if other != name) for name in upper if len(upper) > 1]
        if upper not in counted or len(nodes.keys() | {upper, *parts}) > _MOST_NODES:
            continue
        nodes[upper] = None
        for lower in parts:
            if lower in counted:
                nodes[lower] = None
                lines.append((lower, upper))
    return nodes, lines
