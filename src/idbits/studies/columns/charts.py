"""Chart specifications about columns: Vega-Lite as plain dictionaries, made from plain rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from idbits.render.numbers import percent

__all__ = ["contribution_chart", "lattice_chart", "subsets_chart"]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_MOST_NODES = 60
_MOST_LABELS = 4
_WIDTH = 480

Row = dict[str, Any]


def _spec(title: str, values: Sequence[Row], **rest: Any) -> Row:
    return {"$schema": _SCHEMA, "title": title, "width": _WIDTH, "data": {"values": list(values)}, **rest}


def subsets_chart(subsets: Sequence[Row], n_rows: int) -> Row:
    """Return the chart of subsets: how many columns against how many bits, with the line that singles out everyone.

    >>> subsets_chart([{"columns": ["zip"], "entropy_bits": 1.0, "singletons": 0}], 4)["layer"][0]["mark"]["type"]
    'point'
    """
    values = [
        {
            "columns": " + ".join(row["columns"]),
            "size": len(row["columns"]),
            "bits": row["entropy_bits"],
            "unique": row["singletons"] / n_rows,
        }
        for row in subsets
    ]
    points = {
        "mark": {"type": "point", "filled": True, "opacity": 0.7},
        "encoding": {
            "x": {"field": "size", "type": "ordinal", "title": "number of columns", "axis": {"labelAngle": 0}},
            "y": {"field": "bits", "type": "quantitative", "title": "bits given away"},
            "color": {
                "field": "unique",
                "type": "quantitative",
                "title": "people alone",
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
    limit = {
        "data": {"values": [{"bits": math.log2(n_rows)}]},
        "mark": {"type": "rule", "strokeDash": [4, 4]},
        "encoding": {"y": {"field": "bits", "type": "quantitative"}},
    }
    return _spec("Combinations of columns by size", values, height=300, layer=[points, limit])


def contribution_chart(parts: Sequence[Row]) -> Row:
    """Return the bars of what each column gives away: alone, as its fair part, on top of all others.

    >>> row = {"column": "zip", "entropy_bits": 2.0, "shapley_bits": 1.5, "conditional_bits": 1.0}
    >>> [value["bits"] for value in contribution_chart([row])["data"]["values"]]
    [2.0, 1.5, 1.0]
    """
    kinds = {"entropy_bits": "alone", "shapley_bits": "fair part", "conditional_bits": "on top of all others"}
    values = [
        {"column": part["column"], "what": words, "bits": part[key]}
        for part in parts
        for key, words in kinds.items()
        if part[key] is not None
    ]
    order = [part["column"] for part in sorted(parts, key=lambda part: -(part["shapley_bits"] or 0.0))]
    return _spec(
        "What each column gives away",
        values,
        mark={"type": "bar"},
        encoding={
            "y": {"field": "column", "type": "nominal", "sort": order, "title": None},
            "yOffset": {"field": "what", "sort": list(kinds.values())},
            "x": {"field": "bits", "type": "quantitative", "title": "bits"},
            "color": {"field": "what", "type": "nominal", "sort": list(kinds.values()), "title": None},
        },
    )


def lattice_chart(
    subsets: Sequence[Row], minimal: Sequence[Sequence[str]], names: Sequence[str], n_rows: int, share: float
) -> Row:
    """Return the part of the lattice of subsets where the share is crossed.

    Nodes are minimal combinations, what they become when one column is given up, and lines for that column.

    >>> rows = [{"columns": [c], "singletons": 0} for c in "ab"] + [{"columns": ["a", "b"], "singletons": 4}]
    >>> len(lattice_chart(rows, [["a", "b"]], ["a", "b"], 4, 0.8)["layer"][0]["data"]["values"])
    2
    """
    place = {name: number for number, name in enumerate(names)}
    found = {tuple(row["columns"]): row["singletons"] / n_rows for row in subsets}
    nodes: dict[tuple[str, ...], None] = {}
    lines: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for columns in minimal:
        upper = tuple(columns)
        lower = [tuple(c for c in upper if c != name) for name in upper if len(upper) > 1]
        if upper not in found or len(nodes.keys() | {upper, *lower}) > _MOST_NODES:
            continue
        nodes[upper] = None
        for part in lower:
            if part in found:
                nodes[part] = None
                lines.append((part, upper))
    rows: dict[int, list[tuple[str, ...]]] = {}
    for node in sorted(nodes, key=lambda node: [place[name] for name in node]):
        rows.setdefault(len(node), []).append(node)
    x = {node: (number + 0.5) / len(row) for row in rows.values() for number, node in enumerate(row)}
    points = [
        {"columns": " + ".join(node), "x": x[node], "size": len(node), "unique": found[node],
         "reached": "reaches the share" if found[node] >= share else "does not"}
        for node in nodes
    ]  # fmt: skip
    across = {"field": "x", "type": "quantitative", "axis": None, "scale": {"domain": [0, 1]}}
    up = {"field": "size", "type": "ordinal", "sort": "descending", "title": "number of columns"}
    most_across = max(map(len, rows.values()), default=0)
    labels = {
        "data": {"values": points},
        "mark": {"type": "text", "dy": -12, "fontSize": 9, "limit": _WIDTH // max(1, most_across)},
        "encoding": {"x": across, "y": up, "text": {"field": "columns", "type": "nominal"}},
    }
    segments = [{"x": x[a], "size": len(a), "x2": x[b], "size2": len(b)} for a, b in lines]
    return {
        "$schema": _SCHEMA,
        "title": f"Where combinations begin to single out {percent(share)} of people",
        "width": _WIDTH,
        "height": 300,
        "layer": [
            {
                "data": {"values": segments},
                "mark": {"type": "rule", "opacity": 0.4},
                "encoding": {"x": across, "y": up, "x2": {"field": "x2"}, "y2": {"field": "size2"}},
            },
            {
                "data": {"values": points},
                "mark": {"type": "point", "filled": True, "size": 80},
                "encoding": {"x": across, "y": up, "color": {"field": "reached", "type": "nominal", "title": None},
                             "tooltip": [{"field": "columns", "type": "nominal"},
                                         {"field": "unique", "type": "quantitative", "format": ".2%"}]},
            },
            # Names of more nodes would cover each other; the tooltip has them.
            *([labels] if most_across <= _MOST_LABELS else []),
        ],
    }  # fmt: skip
