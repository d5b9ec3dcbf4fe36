"""The frontier as a chart: measured treatments, those that no other one beats, the goal, and the chosen one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from idbits.studies.advise.result import Advice, TreatmentPoint
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["frontier_chart"]

_GREY, _BLUE, _ORANGE = "#9aa0a6", "#2166ac", "#d95f02"
_DECADES = 100.0
_TITLES = {
    "people_below": "share of {unit} in groups below {number}",
    "singletons": "share of unique {unit}",
    "mean_risk": "chance that a guess within the group is right",
    "entropy_bits": "bits given away per {singular}",
}


def frontier_chart(
    advice: Advice,
    colours: tuple[str, str, str] = (_GREY, _BLUE, _ORANGE),
    marked: Sequence[tuple[str, TreatmentPoint]] = (),
    most_drawn: int | None = None,
) -> JsonObject:
    """Return risk against loss; risk on a logarithmic scale if it spans more than two decades.

    Args:
        advice: the answer to draw.
        colours: of measured treatments, of the frontier, and of the marked treatments.
        marked: treatments with their labels; the chosen one if not given.
        most_drawn: the most measured treatments to draw.
    """
    grey, blue, orange = colours
    marked = marked or [("chosen", advice.best)]
    name = "cells_geometric" if advice.loss == "cells:geometric" else advice.loss.partition(":")[0]
    line = [(risk, _scaled(loss, advice, name)) for risk, loss in advice.frontier]
    risks = [risk for risk, _ in (*advice.measured_points, *line)]
    positive = [risk for risk in risks if risk > 0]
    is_wide = bool(positive) and max(positive) > _DECADES * min(positive)
    lowest = min(positive) if positive else 0.0
    figure, _, number = advice.risk.partition(".")
    ours = figure != "entropy_bits"
    # A logarithmic axis has no place for 0: such points are drawn half a decade below the others.
    floor = lowest / math.sqrt(10) if is_wide else 0.0
    x_axis: JsonObject = {"format": "~%" if ours else "~g"}
    scale: JsonObject = {"type": "log"} if is_wide else {"zero": True}
    title = _TITLES[figure].format(number=number, unit=advice.unit, singular=advice.unit.singular)
    x = axis("place", f"{title} (0 at the left edge)" if is_wide and 0.0 in risks else title, scale=scale, axis=x_axis)
    is_detail = name.startswith("cells")
    y_axis: JsonObject = {"format": "%"} if is_detail else {}
    y = axis("loss", "detail lost" if is_detail else f"loss ({advice.loss})", scale={"zero": True}, axis=y_axis)

    def rows(points: list[tuple[float, float]]) -> list[Json]:
        return [{"risk": risk, "place": max(risk, floor), "loss": loss} for risk, loss in points]

    step = 1 if most_drawn is None else max(1, -(-len(advice.measured_points) // most_drawn))
    places: list[JsonObject] = [
        {"risk": point.risk, "place": max(point.risk, floor), "loss": _loss_of(point.loss, name), "text": label}
        for label, point in marked
    ]
    # A label stands where there is room: to the left of points in the right half.
    middle = _middle(floor, max(risks, default=0.0), is_wide=is_wide)
    layers: list[Json] = [
        {
            "data": {
                "values": rows([(risk, _scaled(loss, advice, name)) for risk, loss in advice.measured_points[::step]])
            },
            "mark": {"type": "point", "filled": True, "size": 8, "opacity": 0.35, "color": grey},
            "encoding": {"x": x, "y": y},
        },
        {
            "data": {"values": rows(line)},
            "mark": {"type": "line", "interpolate": "step-before", "point": {"color": blue, "size": 30}, "color": blue},
            "encoding": {"x": x, "y": y, "order": {"field": "loss", "type": "quantitative"}},
        },
        *_goal_layer(advice, floor, orange),
        {
            "data": {"values": [*places]},
            "mark": {"type": "point", "filled": True, "size": 120, "shape": "diamond", "color": orange},
            "encoding": {"x": x, "y": y},
        },
        *_labels(places, middle, x, y, orange),
    ]
    return specification("Risk against loss", [], layer=layers)


def _labels(places: list[JsonObject], middle: float, x: JsonObject, y: JsonObject, colour: str) -> list[Json]:
    """Return a label for each place; neighbours stand below and above each other."""
    ordered = sorted(places, key=lambda place: cast("float", place["loss"]))
    heights = (-9,) if len(ordered) == 1 else (15, *(-9 - 13 * index for index in range(len(ordered) - 1)))
    layers: list[Json] = []
    for place, dy in zip(ordered, heights, strict=True):
        align, dx = ("left", 9) if cast("float", place["place"]) <= middle else ("right", -9)
        layers.append(
            {
                "data": {"values": [place]},
                "mark": {"type": "text", "align": align, "dx": dx, "dy": dy, "color": colour, "fontWeight": "bold"},
                "encoding": {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}},
            }
        )
    return layers


def _middle(low: float, high: float, *, is_wide: bool) -> float:
    return math.sqrt(low * high) if is_wide else high / 2


def _goal_layer(advice: Advice, floor: float, colour: str) -> list[Json]:
    """Return the line of a goal that is about the risk of the chart."""
    for rule in advice.goal:
        figure, _, limit = rule.partition("<=")
        if figure.strip() == advice.risk and limit.strip():
            text = limit.strip()
            number = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
            is_number = text.endswith("%") or advice.risk in ("mean_risk", "entropy_bits")
            risk = number if is_number else number / advice.n_rows
            return [
                {
                    "data": {"values": [{"risk": risk, "place": max(risk, floor)}]},
                    "mark": {"type": "rule", "strokeDash": [5, 4], "color": colour},
                    "encoding": {"x": axis("place", "")},
                }
            ]
    return []


def _loss_of(loss: dict[str, float], name: str) -> float:
    return loss["entropy_bits"] if name == "entropy" else loss[name]


def _scaled(loss: float, advice: Advice, name: str) -> float:
    """Return a loss of the search as points show it: bits per person."""
    return loss / advice.n_rows if name == "entropy" else loss
