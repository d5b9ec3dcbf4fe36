"""Charts of predictions as Vega-Lite specifications: plain dictionaries that include their data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from idbits.measures.birthday import log_uniqueness
from idbits.measures.distribution import largest_kappa_nats
from idbits.measures.singletons import mean_sets_from_kappa, mean_singletons
from idbits.render.described_chart import DescribedChart
from idbits.render.numbers import nearest, significant
from idbits.studies.predict.known import PriorKnowledge
from idbits.studies.predict.quantities import uniqueness_formulas
from idbits.studies.predict.result import WidthRow
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["cell_chart", "described", "kappa_chart", "uniqueness_chart", "width_chart"]


def described(chart: JsonObject) -> DescribedChart:
    """Return a specification with what it shows in words: its axes, and where it begins and ends."""
    title = str(chart["title"])
    rows, encoding = _rows_of(chart)
    x, y = (encoding[name] for name in ("x", "y"))
    known = [row for row in rows if row[y["field"]] is not None]
    if not known:
        return DescribedChart(chart, "", title)
    first, last = known[0], known[-1]
    words = (
        f"From {significant(first[x['field']])} to {significant(last[x['field']])} on the axis {x['title']}; "
        f"{y['title']} from {significant(first[y['field']])} to {significant(last[y['field']])}."
    )
    return DescribedChart(chart, words, title)


def _rows_of(chart: Any) -> tuple[list[Any], Any]:
    """Return the rows of the first curve, and what the axes show."""
    rows = chart["data"]["values"]
    same = [row for row in rows if row.get("which") == rows[0].get("which")]
    return same, chart["encoding"] if "encoding" in chart else chart["layer"][0]["encoding"]


def uniqueness_chart(facts: PriorKnowledge, k: int | None) -> JsonObject:
    """Return the chance that everyone is unique by number of people (S2 figure 4.3), until it is nearly 0."""
    collision = (
        facts.distribution.collision if facts.distribution is not None else (1 + 2 * facts.kappa_nats) / facts.n_values
    )
    last = max(2, min(facts.n_values, math.ceil(3.5 / math.sqrt(collision))), k or 0)
    sizes = sorted({max(1, nearest(1 + (last - 1) * step / 40)) for step in range(41)} | ({k} if k else set()))
    rows: list[Json] = []
    for size in sizes:
        rows += [
            {"k": size, "chance": value, "which": name} for name, value in uniqueness_formulas(facts, size).items()
        ]
        if facts.distribution is not None:
            exact = math.exp(log_uniqueness(facts.distribution, size))
            rows.append({"k": size, "chance": exact, "which": "exact"})
    return specification(
        "Chance that everyone is unique",
        rows,
        mark={"type": "line", "point": True},
        encoding={
            "x": axis("k", "people (k)"),
            "y": axis("chance", "chance that everyone is unique"),
            "color": axis("which", "", "nominal"),
        },
    )


def kappa_chart(facts: PriorKnowledge, k: int) -> JsonObject:
    """Return the mean number of unique people by kappa, from 0 to twice the present kappa (S2 figure 5.1)."""
    last = min(largest_kappa_nats(facts.n_values), max(0.2, 2 * facts.kappa_nats)) if facts.n_values > 1 else 0.2
    rows: list[Json] = [
        {"kappa": kappa, "mean": mean_sets_from_kappa(facts.n_values, kappa, k, 1), "which": "approximation"}
        for kappa in (last * step / 20 for step in range(21))
    ]
    if facts.distribution is not None:
        rows.append({"kappa": facts.kappa_nats, "mean": mean_singletons(facts.distribution, k), "which": "exact"})
    encoding: JsonObject = {"x": axis("kappa", "kappa (nats)"), "y": axis("mean", "unique people, mean")}
    return specification(
        "Unique people by how uneven the values are (kappa)",
        rows,
        layer=[
            {"mark": "line", "transform": [{"filter": "datum.which == 'approximation'"}], "encoding": encoding},
            {
                "mark": {"type": "point", "filled": True, "size": 80},
                "transform": [{"filter": "datum.which == 'exact'"}],
                "encoding": encoding,
            },
        ],
    )


def distribution_chart(distribution: Sequence[tuple[int, float]]) -> JsonObject:
    """Return how likely each number of unique people is.

    >>> distribution_chart([(0, 0.25), (2, 0.75)])["data"]["values"][1]
    {'unique': 2, 'probability': 0.75}
    """
    return specification(
        "How many people are unique",
        [{"unique": people, "probability": chance} for people, chance in distribution],
        mark={"type": "bar", "color": "var(--risk)"},
        encoding={
            "x": axis(
                "unique",
                "unique people",
                "ordinal",
                axis={"labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 12},
            ),
            "y": axis("probability", "probability", axis={"format": "%"}),
        },
    )


def width_chart(rows: Sequence[WidthRow]) -> JsonObject:
    """Return the mean number of unique people by interval width (S2 figure 6.3)."""
    points: list[Json] = []
    for row in rows:
        assert isinstance(row.width, float)
        curves = {
            "unique people": row.mean.value,
            **{approximation.name: approximation.value for approximation in row.mean.approximations},
            **{f"people in groups of {size.j}": (size.sets.value or 0.0) * size.j for size in row.sizes[1:]},
        }
        points += [{"width": row.width, "mean": mean, "which": name} for name, mean in curves.items()]
    return _against_width(points, "width")


def cell_chart(rows: Sequence[WidthRow]) -> JsonObject:
    """Return the mean number of unique people by the size of a cell of two attributes (S2 figure 6.5)."""
    points: list[Json] = [
        {"width": math.prod(row.width), "mean": row.mean.value, "which": "unique people"}
        for row in rows
        if isinstance(row.width, tuple)
    ]
    return _against_width(points, "width times width")


def _against_width(points: Sequence[Json], title: str) -> JsonObject:
    return specification(
        "Unique people by interval width",
        points,
        mark={"type": "line", "point": True},
        encoding={
            "x": axis("width", title, scale={"type": "log"}),
            "y": axis("mean", "people, mean"),
            "color": axis("which", "", "nominal"),
        },
    )
