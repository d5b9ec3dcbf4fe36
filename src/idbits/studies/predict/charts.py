"""Charts of predictions as Vega-Lite specifications: plain dictionaries, with their data in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["kappa_chart", "questionnaire_chart", "uniqueness_chart", "width_chart"]

Rows = Sequence[dict[str, Any]]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


def _spec(title: str, rows: Rows, **parts: Any) -> dict[str, Any]:
    return {"$schema": _SCHEMA, "title": title, "width": 480, "height": 300, "data": {"values": list(rows)}, **parts}


def _axis(field: str, title: str, kind: str = "quantitative", **more: Any) -> dict[str, Any]:
    return {"field": field, "type": kind, "title": title, **more}


def uniqueness_chart(rows: Rows) -> dict[str, Any]:
    """Return the chance that all are unique against the number of people (S2 figure 4.3).

    >>> uniqueness_chart([{"k": 2, "chance": 0.5, "which": "exact"}])["mark"]["type"]
    'line'
    """
    return _spec(
        "Chance that everyone is unique",
        rows,
        mark={"type": "line", "point": True},
        encoding={
            "x": _axis("k", "people (k)"),
            "y": _axis("chance", "chance that all are unique"),
            "color": _axis("which", "", "nominal"),
        },
    )


def kappa_chart(line: Rows, point: Rows) -> dict[str, Any]:
    """Return the mean number of unique people against kappa (S2 figure 5.1).

    >>> len(kappa_chart([], [])["layer"])
    2
    """
    encoding = {"x": _axis("kappa", "kappa (nats)"), "y": _axis("mean", "unique people, mean")}
    return _spec(
        "Unique people against unevenness",
        [*line, *point],
        layer=[
            {"mark": "line", "transform": [{"filter": "datum.which == 'approximation'"}], "encoding": encoding},
            {
                "mark": {"type": "point", "filled": True, "size": 80},
                "transform": [{"filter": "datum.which == 'exact'"}],
                "encoding": encoding,
            },
        ],
    )


def width_chart(rows: Rows, title: str = "width") -> dict[str, Any]:
    """Return the mean number of unique people against the interval width (S2 figures 6.3 and 6.5).

    >>> width_chart([{"width": 1.0, "mean": 6.2, "first order in d": 5.2}])["data"]["values"][1]["which"]
    'first order in d'
    """
    long = [
        {"width": row["width"], "mean": value, "which": "unique people" if name == "mean" else name}
        for row in rows
        for name, value in row.items()
        if name != "width"
    ]
    return _spec(
        "Unique people against the interval width",
        long,
        mark={"type": "line", "point": True},
        encoding={
            "x": _axis("width", title, scale={"type": "log"}),
            "y": _axis("mean", "people, mean"),
            "color": _axis("which", "", "nominal"),
        },
    )


def questionnaire_chart(rows: Rows) -> dict[str, Any]:
    """Return the people left after each question (S2 table B.3 as a picture).

    >>> questionnaire_chart([{"question": "age", "people": 10.0, "case": "best"}])["encoding"]["x"]["sort"] is None
    True
    """
    return _spec(
        "People who share your answers",
        rows,
        mark={"type": "line", "point": True},
        encoding={
            "x": _axis("question", "after the question", "nominal", sort=None),
            "y": _axis("people", "people left", scale={"type": "log"}),
            "color": _axis("case", "", "nominal"),
        },
    )
