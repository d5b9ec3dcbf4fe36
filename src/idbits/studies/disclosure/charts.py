"""Charts about a sensitive column: people by the largest share in their group, by bits, and values."""

from __future__ import annotations

from idbits.render.numbers import whole_percent
from idbits.studies.disclosure.result import ColumnDisclosure
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.units import Unit
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["ALONE", "bits_chart", "share_bars", "share_chart", "value_chart", "value_name"]

ALONE = "unique"
_COLOURS = ("#2166ac", "#d95f02")
_NAME = 32


def share_bars(column: ColumnDisclosure) -> list[tuple[str, int]]:
    """Return people by the largest share of a value in their group, in 20 bars up to each share; unique ones first."""
    bars = column.top_shares.bars
    step = 1 / len(bars)
    names = [whole_percent((index + 1) * step) for index in range(len(bars))]
    return [(ALONE, column.top_shares.alone), *zip(names, bars, strict=True)]


def share_chart(column: ColumnDisclosure, unit: Unit, colours: tuple[str, str] = _COLOURS) -> JsonObject:
    """Return people by the largest share of a value in their group; unique people apart."""
    bars = share_bars(column)
    rows: list[Json] = [{"share": name, "people": people, "alone": name == ALONE} for name, people in bars]
    return specification(
        f"{unit.capitalize()} by the largest share of one {column.column} in their group",
        rows,
        mark="bar",
        encoding={
            "x": axis("share", "largest share in the group, up to", "ordinal", sort=[name for name, _ in bars]),
            "y": axis("people", str(unit)),
            "color": {
                "field": "alone",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": [False, True], "range": list(colours)},
            },
        },
    )


def bits_chart(column: ColumnDisclosure, unit: Unit, colour: str = _COLOURS[0]) -> JsonObject:
    """Return the people whose group gives away at least each number of bits."""
    rows: list[Json] = [{"bits": row.bits, "people": row.people} for row in column.bits_table]
    return specification(
        f"{unit.capitalize()} whose group gives away at least this many bits about {column.column}",
        rows,
        mark={"type": "bar", "color": colour},
        encoding={"x": axis("bits", "bits", "ordinal"), "y": axis("people", str(unit))},
    )


def value_name(label: str | None, folded: int) -> str:
    """Return how a value is named in a chart.

    >>> value_name(None, 3), value_name(None, 0), value_name("flu", 0)
    ('3 values of few people', '(empty)', 'flu')
    """
    if folded:
        return f"{folded} value{'' if folded == 1 else 's'} of few people"
    text = "(empty)" if label is None else label
    return text if len(text) <= _NAME else f"{text[: _NAME - 1]}…"


def value_chart(column: ColumnDisclosure, colours: tuple[str, str] = _COLOURS, most: int = 20) -> JsonObject:
    """Return for each value how frequent it is in general and at most in a group; values of few people are folded."""
    rows: list[Json] = []
    shown = column.values[:most]
    for row in shown:
        name = value_name(row.label, row.folded_values)
        rows += [
            {"value": name, "what": "in general", "share": row.prior},
            {"value": name, "what": "at most in a group", "share": row.posterior},
        ]
    names: list[Json] = [value_name(row.label, row.folded_values) for row in shown]
    return specification(
        f"{column.column}: how frequent in general, and at most in a group of several",
        rows,
        mark={"type": "point", "filled": True, "size": 70, "opacity": 1},
        encoding={
            "y": axis("value", "", "nominal", sort=names),
            "x": axis(
                "share", "share", scale={"domain": [0, 1]}, axis={"format": "%", "values": [0, 0.25, 0.5, 0.75, 1]}
            ),
            "color": {
                "field": "what",
                "type": "nominal",
                "title": None,
                "legend": {"orient": "top"},
                "scale": {"domain": ["in general", "at most in a group"], "range": list(colours)},
            },
        },
    )
