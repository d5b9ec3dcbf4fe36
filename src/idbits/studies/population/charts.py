"""Charts about a sample and its population: the interval within the bounds, and figures by number of people."""

from __future__ import annotations

from idbits.studies.population.result import PopulationAnswer
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["interval_chart", "size_chart"]

_SHADES = ("#d1e5f0", "#67a9cf", "#2166ac")


def interval_chart(answer: PopulationAnswer, shades: tuple[str, str, str] = _SHADES) -> JsonObject:
    """Return the estimate of pi in its interval, within the bounds that need no model: three shades of one bar."""
    pi = answer.pi
    ranges = {"bounds": answer.bounds.pi if answer.bounds is not None else None, "interval": (pi.low, pi.high)}
    rows: list[Json] = [
        {"what": name, "low": ends[0], "high": ends[1]}
        for name, ends in ranges.items()
        if ends is not None and ends[0] is not None and ends[1] is not None
    ]
    bars: JsonObject = {
        "mark": {"type": "bar", "height": 24},
        "encoding": {
            "x": axis(
                "low", "share of the unique people here who are unique in the population",
                scale={"domain": [0, 1]}, axis={"format": "%"},
            ),
            "x2": {"field": "high"},
            "color": {
                "field": "what",
                "type": "nominal",
                "title": None,
                "scale": {"domain": ["bounds", "interval"], "range": list(shades[:2])},
            },
        },
    }  # fmt: skip
    layers: list[Json] = [bars]
    if pi.value is not None:
        layers.append(
            {
                "data": {"values": [{"pi": pi.value}]},
                "mark": {"type": "tick", "thickness": 3, "size": 36, "color": shades[2]},
                "encoding": {"x": axis("pi", "")},
            }
        )
    return specification("Who is unique in the population", rows, height=60, layer=layers)


def size_chart(answer: PopulationAnswer, colours: tuple[str, str] = (_SHADES[2], "#d95f02")) -> JsonObject:
    """Return uniqueness and correctness by number of people.

    Lines are named "unique" and "match is right"; sizes that the model does not describe are left out.
    """
    rows: list[Json] = []
    for size in answer.sizes:
        for name, part in (("unique", size.unique_share), ("match is right", size.correctness)):
            if part is not None:
                rows.append({"people": size.people, "what": name, "share": part})
    return specification(
        "Uniqueness and correctness by number of people",
        rows,
        mark={"type": "line", "point": True},
        encoding={
            "x": axis("people", "people", scale={"type": "log"}),
            "y": axis("share", "share of people", scale={"domain": [0, 1]}, axis={"format": "%"}),
            "color": {"field": "what", "type": "nominal", "title": None, "scale": {"range": list(colours)}},
        },
    )
