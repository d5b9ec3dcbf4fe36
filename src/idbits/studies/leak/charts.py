"""Charts of a release and its original, as reports and notebooks show them, and S4's figure 2 in Vega-Lite."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.described_chart import DescribedChart
from idbits.render.dot_pairs import DotPair, DotPairs
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import bits, fixed, significant
from idbits.render.page import named, shortened
from idbits.render.scales import round_steps
from idbits.studies.leak.result import Leak
from idbits.studies.shared.serialisation import Json, JsonObject

__all__ = ["charts_of", "dependence_chart", "entropy_chart", "irregularity_chart"]

_MOST_DRAWN_COLUMNS = 15
_MOST_DRAWN_LENGTHS = 10
_NAME = 40


def charts_of(answer: Leak) -> dict[str, DescribedChart]:
    """Return all charts by name, the main one first."""
    has_dependence = any(column.mic is not None for column in answer.columns)
    return {
        **({"dependence": dependence_chart(answer)} if has_dependence else {}),
        **({"entropy": irregularity_chart(answer)} if answer.entropy_curve else {}),
    }


def dependence_chart(answer: Leak) -> DescribedChart:
    """Return how much each released column depends on its original."""
    ranked = sorted((row for row in answer.columns if row.mic is not None), key=lambda row: -(row.mic or 0.0))
    bars = tuple(
        BarRow(shortened(row.column, _NAME), row.mic or 0.0, fixed(row.mic), "l1",
               f"{fixed(row.mic_chance)} by chance" if row.mic_chance is not None else "")
        for row in ranked[:_MOST_DRAWN_COLUMNS]
    )  # fmt: skip
    top = ranked[0]
    words = (
        f"Dependence of released columns on their originals (MIC, from 0 to 1): highest for "
        f"{named(top.column)} with {fixed(top.mic)}"
    )
    words += f", {fixed(top.mic_chance)} by chance." if top.mic_chance is not None else "."
    words += f" The chart shows the {_MOST_DRAWN_COLUMNS} highest." if len(ranked) > _MOST_DRAWN_COLUMNS else ""
    return DescribedChart(LabelledBars(bars), words, "What released columns tell about their originals")


def irregularity_chart(answer: Leak) -> DescribedChart:
    """Return the permutation entropy of the original and the release by pattern length (S4 figure 2)."""
    points = [(row.order, row.original_bits, row.released_bits) for row in answer.entropy_curve]
    words = (
        f"Permutation entropy by pattern length: at length {answer.order} the original has "
        f"{bits(answer.original_entropy_bits)} bits, the release {bits(answer.released_entropy_bits)}."
    )
    most = max((*(each for _, *both in points for each in both), 1.0))
    ticks = [(step, significant(step)) for step in round_steps(most, 4)]
    step = -(-len(points) // _MOST_DRAWN_LENGTHS)
    drawn = [point for index, point in enumerate(points) if index % step == 0 or point[0] == answer.order]
    pairs = tuple(
        DotPair(f"length {order}", after, before, bits(after), bits(before)) for order, before, after in drawn
    )
    chart = DotPairs(
        pairs, ("release", "original"), ("l1", "i3", "l2l"), (*ticks, *([(most, "")] if ticks[-1][0] < most else []))
    )
    return DescribedChart(chart, words, "Irregularity of the original and the release, in bits")


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
