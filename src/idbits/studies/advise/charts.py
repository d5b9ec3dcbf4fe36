"""The frontier as a chart: measured treatments, those that no other one beats, the goal, and the chosen one."""

from __future__ import annotations

import math

from idbits.studies.advise.result import Advice
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["frontier_chart"]

_GREY, _BLUE, _ORANGE = "#9aa0a6", "#2166ac", "#d95f02"
_DECADES = 100.0
_TITLES = {
    "people_below": "share of people in groups below {}",
    "singletons": "share of unique people",
    "mean_risk": "chance that a guess within the group is right",
    "entropy_bits": "bits given away per person",
}


def frontier_chart(advice: Advice, colours: tuple[str, str, str] = (_GREY, _BLUE, _ORANGE)) -> JsonObject:
    """Return risk against loss; risk on a logarithmic scale if it spans more than two decades."""
    grey, blue, orange = colours
    name = "cells_geometric" if advice.loss == "cells:geometric" else advice.loss.partition(":")[0]
    line = [(point.risk, _loss_of(point.loss, name)) for point in advice.points]
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
    x = axis("risk", _TITLES[figure].format(number), scale=scale, axis=x_axis)
    if is_wide and 0.0 in risks:
        x["title"] = f"{_TITLES[figure].format(number)} (0 at the left edge)"
    y = axis("loss", f"loss ({advice.loss})", scale={"zero": True})

    def rows(points: list[tuple[float, float]]) -> list[Json]:
        return [{"risk": max(risk, floor), "loss": loss} for risk, loss in points]

    best = (advice.best.risk, _loss_of(advice.best.loss, name))
    layers: list[Json] = [
        {
            "data": {"values": rows([(risk, _scaled(loss, advice, name)) for risk, loss in advice.measured_points])},
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
            "data": {"values": rows([best])},
            "mark": {"type": "point", "filled": True, "size": 120, "shape": "diamond", "color": orange},
            "encoding": {"x": x, "y": y},
        },
        {
            "data": {"values": [{"risk": max(best[0], floor), "loss": best[1], "text": "chosen"}]},
            "mark": {"type": "text", "align": "left", "dx": 9, "dy": -9, "color": orange, "fontWeight": "bold"},
            "encoding": {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}},
        },
    ]
    return specification("Risk against loss", [], layer=layers)


def _goal_layer(advice: Advice, floor: float, colour: str) -> list[Json]:
    """Return the line of a goal that is about the risk of the chart."""
    for outcome, rule in zip(advice.rules, advice.goal, strict=True):
        figure, _, limit = rule.partition("<=")
        if figure.strip() == advice.risk and limit.strip():
            text = limit.strip()
            number = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
            share = number if text.endswith("%") or advice.risk == "mean_risk" else number / advice.n_rows
            del outcome
            return [
                {
                    "data": {"values": [{"risk": max(share, floor)}]},
                    "mark": {"type": "rule", "strokeDash": [5, 4], "color": colour},
                    "encoding": {"x": axis("risk", "")},
                }
            ]
    return []


def _loss_of(loss: dict[str, float], name: str) -> float:
    return loss["entropy_bits"] if name == "entropy" else loss[name]


def _scaled(loss: float, advice: Advice, name: str) -> float:
    """Return a loss of the search as points show it: bits per person."""
    return loss / advice.n_rows if name == "entropy" else loss
