"""S4's figure 2 as a Vega-Lite specification: permutation entropy by pattern length."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.studies.shared.serialisation import Json, JsonObject

__all__ = ["entropy_chart"]


def entropy_chart(points: Sequence[tuple[int, float, float]], chosen: int, colours: Sequence[str] = ()) -> JsonObject:
    """Return the chart of (order, bits of the original, bits of the release) as plain data, without rounding.

    Pages that pass their own colours show the chart too small for a dot at each point.

    >>> spec = entropy_chart([(1, 0.0, 0.0), (2, 1.0, 0.9)], 2)
    >>> spec["layer"][0]["mark"]["type"], len(spec["data"]["values"])
    ('line', 4)
    """
    values: list[Json] = [
        {"order": order, "series": series, "entropy_bits": bits}
        for order, *both in points
        for series, bits in zip(("original", "release"), both, strict=True)
    ]
    scale: JsonObject = {"scale": {"range": list(colours)}} if colours else {}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": "Permutation entropy by pattern length",
        "width": 480,
        "height": 280,
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "line"} if colours else {"type": "line", "point": True},
                "encoding": {
                    "x": {"field": "order", "type": "quantitative", "title": "pattern length (order)"},
                    "y": {"field": "entropy_bits", "type": "quantitative", "title": "permutation entropy (bits)"},
                    # Dashes as well as colours: colours are lost in print and to colour-blind readers.
                    "color": {"field": "series", "type": "nominal", "title": None, **scale},
                    "strokeDash": {"field": "series", "type": "nominal", "title": None},
                },
            },
            {
                "data": {"values": [{"order": chosen}]},
                "mark": {"type": "rule", "strokeDash": [2, 3]},
                "encoding": {"x": {"field": "order", "type": "quantitative"}},
            },
        ],
    }
