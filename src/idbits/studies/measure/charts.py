"""Charts of a measurement as Vega-Lite specifications, with the figures of the report's pictures."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.studies.measure.result import Measurement
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.units import Unit
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["bits_chart", "columns_chart", "entropy_chart", "sizes_chart"]

_SIZES = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 99), (100, None))
_BAR: JsonObject = {"step": 26}


def sizes_chart(figures: Figures, unit: Unit) -> JsonObject:
    """Return people by the size of their group."""
    rows: list[Json] = []
    for least, most in _SIZES:
        label = "unique" if most == 1 else f"{least} or more" if most is None else f"{least} to {most}"
        people = figures.people_between(least, most)
        rows.append(
            {
                "size": str(least) if least == most and least > 1 else label,
                "people": people,
                "share": figures.share(people),
                "exposure": "unique" if most == 1 else "below 5" if least < 5 else "5 or more",
            }
        )
    colour = axis(
        "exposure",
        "",
        "nominal",
        scale={
            "domain": ["unique", "below 5", "5 or more"],
            "range": ["var(--risk)", "var(--risk2)", "var(--goal2)"],
        },
        legend=None,
    )
    y = axis("size", "group size", "nominal", sort=None)
    return _with_shares(f"{unit.capitalize()} by group size", rows, y, axis("people", str(unit)), colour)


def bits_chart(figures: Figures, unit: Unit) -> JsonObject:
    """Return how many people give away at least a number of bits."""
    rows: list[Json] = [{"bits": row.bits, "people": row.people, "share": row.share} for row in figures.gain_table]
    return specification(
        f"{unit.capitalize()} who give away at least this many bits"
        if unit is Unit.PEOPLE
        else f"{unit.capitalize()} that give away at least this many bits",
        rows,
        mark={"type": "bar", "color": "var(--risk)"},
        encoding={
            "x": axis("bits", "bits", "ordinal", axis={"labelAngle": 0}, sort="ascending"),
            "y": axis("share", f"share of {unit}", scale={"domain": [0, 1]}, axis={"format": "%"}),
        },
    )


def columns_chart(measurement: Measurement) -> JsonObject:
    """Return the bits that each column gives away by itself, and all together."""
    rows: list[Json] = [
        {"name": name, "bits": figures.entropy_bits, "share": figures.share(figures.singletons)}
        for name, figures in measurement.columns
    ]
    if len(measurement.columns) > 1:
        figures = measurement.figures
        together = figures.share(figures.singletons)
        rows.append({"name": "together", "bits": figures.entropy_bits, "share": together})
    return entropy_chart("Bits that each column gives away", rows, measurement.figures.max_entropy_bits)


def entropy_chart(title: str, rows: Sequence[Json], most: float) -> JsonObject:
    """Return bars of bits, with a line at the bits that single out everyone."""
    y = axis("name", "", "nominal", sort=None, axis={"labelLimit": 240})
    line: JsonObject = {
        "data": {"values": [{"bits": most}]},
        "mark": {"type": "rule", "strokeDash": [5, 4], "color": "var(--ink)"},
        "encoding": {"x": axis("bits", "")},
    }
    bars: JsonObject = {
        "mark": {"type": "bar", "color": "var(--learn)"},
        "encoding": {"y": y, "x": axis("bits", "bits; the line singles out everyone")},
    }
    return {**specification(title, rows, layer=[bars, line]), "height": _BAR}


def _with_shares(title: str, rows: Sequence[Json], y: JsonObject, x: JsonObject, colour: JsonObject) -> JsonObject:
    """Return bars with their shares beside them."""
    bars: JsonObject = {"mark": "bar", "encoding": {"y": y, "x": x, "color": colour}}
    words: JsonObject = {
        "mark": {"type": "text", "align": "left", "dx": 4},
        "encoding": {"y": y, "x": x, "text": {"field": "share", "type": "quantitative", "format": ".1%"}},
    }
    return {**specification(title, rows, layer=[bars, words]), "height": _BAR}
