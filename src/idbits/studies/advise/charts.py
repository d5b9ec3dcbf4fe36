"""The frontier as a chart: measured treatments, those that no other one beats, the goal, and the chosen one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from idbits.render.described_chart import DescribedChart
from idbits.render.frontier import FrontierChart, MarkedPoint
from idbits.render.numbers import bar_share, bits, count, share
from idbits.studies.advise.result import Advice, GoalTreatment, TreatmentPoint
from idbits.studies.shared.goal_words import least_group
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification
from idbits.wording import counted

__all__ = ["charts_of", "frontier_chart", "trade_off_chart"]

_GREY, _BLUE, _ORANGE = "#9aa0a6", "#2166ac", "#d95f02"
_DECADES = 100.0
_TITLES = {
    "people_below": "share of {unit} in groups below {number}",
    "singletons": "share of unique {unit}",
    "mean_risk": "chance that a guess within the group is right",
    "entropy_bits": "bits given away per {singular}",
}
_RISKS = {
    "people_below": "{unit} in groups smaller than {number}",
    "singletons": "unique {unit}",
    "mean_risk": "chance that a guess within the group is right",
    "entropy_bits": "bits given away per {singular}",
}
_MOST_DRAWN = 300


def charts_of(answer: Advice) -> dict[str, DescribedChart]:
    """Return all charts by name."""
    if len(answer.points) < 2:
        return {}
    return {"frontier": trade_off_chart(answer, [answer.treatment] if answer.reached else [])}


def trade_off_chart(advice: Advice, reached: Sequence[GoalTreatment]) -> DescribedChart:
    """Return risk against loss: all treatments, those that no other one beats, and the chosen ones with their names.

    Args:
        advice: the answer to draw.
        reached: the treatments to mark besides the table as it is, the best one first.
    """
    as_is, unit = advice.as_is, advice.unit
    figure, _, number = advice.risk.partition(".")
    risk = _RISKS[figure].format(number=number, unit=unit, singular=unit.singular)
    words = (
        f"Risk against {'detail' if _is_detail(advice) else 'loss'} for "
        f"{counted(advice.nodes.measured, 'treatment')}: the line has those for which no other one has less risk "
        f"without more loss. As it is, {_risk_in_words(advice, as_is.risk)}."
    )
    if advice.reached:
        words += f" The goal is reached with {_loss_in_words(advice, advice.best)}."
    marked = (
        MarkedPoint(as_is.risk, _drawn_loss(advice, as_is), "As it is", _short_risk(advice, as_is.risk),
                    "r1" if as_is.risk else "g1"),
        *(_marked(each, advice, is_first=index == 0) for index, each in enumerate(reached)
          if each.best.columns != as_is.columns or each.best.withheld),
    )  # fmt: skip
    step = max(1, -(-len(advice.measured_points) // _MOST_DRAWN))
    name = _loss_name(advice)
    # Saved answers of earlier versions have the treatments of the frontier, but not the points.
    points = [(risk, _scaled(loss, advice, name)) for risk, loss in advice.frontier]
    points = points or [(point.risk, _drawn_loss(advice, point)) for point in advice.points]
    chart = FrontierChart(
        cloud=tuple((risk, _scaled(loss, advice, name)) for risk, loss in advice.measured_points[::step]),
        best=_unbeaten([*points, *((each.risk, each.loss) for each in marked)]),
        marked=marked,
        risk_title=f"{risk[0].upper()}{risk[1:]}",
        loss_title=_lost(advice).capitalize(),
        risk_is_share=figure != "entropy_bits",
        loss_is_share=_is_detail(advice),
    )
    return DescribedChart(chart, words, f"What less risk costs in {'detail' if _is_detail(advice) else advice.loss}")


def _loss_name(advice: Advice) -> str:
    return "cells_geometric" if advice.loss == "cells:geometric" else advice.loss.partition(":")[0]


def _is_detail(advice: Advice) -> bool:
    return advice.loss.startswith("cells")


def _lost(advice: Advice) -> str:
    return "detail lost" if _is_detail(advice) else f"loss ({advice.loss})"


def _drawn_loss(advice: Advice, point: TreatmentPoint) -> float:
    return advice.detail_lost(point) if _is_detail(advice) else _loss_of(point.loss, _loss_name(advice))


def _loss_in_words(advice: Advice, point: TreatmentPoint) -> str:
    lost = _drawn_loss(advice, point)
    return f"{share(lost)} of the detail lost" if _is_detail(advice) else f"a loss of {bits(lost)}"


def _risk_in_words(advice: Advice, risk: float) -> str:
    figure, _, number = advice.risk.partition(".")
    return {
        "people_below": f"{share(risk)} of the {advice.unit} are in groups smaller than {number}",
        "singletons": f"{share(risk)} of the {advice.unit} are unique",
        "mean_risk": f"a guess within the group is right {share(risk)} of the time",
        "entropy_bits": f"{bits(risk)} bits are given away",
    }[figure]


def _short_risk(advice: Advice, risk: float) -> str:
    figure = advice.risk.partition(".")[0]
    return {
        "people_below": f"{bar_share(risk)} in small groups",
        "singletons": f"{bar_share(risk)} unique",
        "mean_risk": f"{bar_share(risk)} right",
        "entropy_bits": f"{bits(risk)} bits",
    }[figure]


def _unbeaten(points: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Return the points for which no other one has less risk without more loss.

    >>> _unbeaten([(0.5, 0.0), (0.0, 0.3), (0.0, 0.4), (0.2, 0.3)])
    ((0.0, 0.3), (0.5, 0.0))
    """
    kept: list[tuple[float, float]] = []
    for risk, loss in sorted(points):
        if not kept or loss < kept[-1][1]:
            kept.append((risk, loss))
    return tuple(kept)


def _marked(treatment: GoalTreatment, advice: Advice, *, is_first: bool) -> MarkedPoint:
    least = least_group(treatment.goal)
    name = f"Groups of {count(least)}" if least is not None else "The goal"
    best = treatment.best
    lost = _drawn_loss(advice, best)
    cost = f"{count(best.withheld)} withheld, {bar_share(lost) if _is_detail(advice) else bits(lost)} lost"
    return MarkedPoint(best.risk, lost, name, cost, "g1" if is_first else "ink")


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
    name = _loss_name(advice)
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
