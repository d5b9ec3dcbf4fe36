"""Columns in the words of a page."""

from __future__ import annotations

from typing import Any

from idbits.render.numbers import count, share
from idbits.web.measuring import Asked, Chosen, offered_views

__all__ = ["shown_column"]

_ROLES = {
    "quasi-identifier": "Someone may know it",
    "direct identifier": "Names a person",
    "sensitive": "Private",
    "measurement": "Measured value",
    "free text": "Free text",
    "count": "Counts people?",
    "constant": "Same for all",
    "empty": "Empty",
}


def shown_column(
    place: int, column: dict[str, Any], result: dict[str, Any], chosen: Chosen, asked: Asked
) -> dict[str, Any]:
    """Return what the page says about a column."""
    name = column["column"]
    wanted = asked.qid or chosen.suggested
    mine = [one for one in wanted if one == name or one.startswith(f"{name}:")]
    views = offered_views(column["kind"], column["reads_as"])
    view = mine[0][len(name) + 1 :] if mine else ""
    if view and view not in dict(views):
        views = [*views, (view, view)]
    picked = bool(mine) if wanted else column["role"] == "quasi-identifier"
    return {
        "place": place,
        "name": name,
        "picked": picked,
        "views": views,
        "view": view,
        "role": _ROLES.get(column["role"], column["role"]),
        "reads_as": column["reads_as"],
        "distinct": count(column["distinct"]),
        "unique": share(column["unique"] / result["n_rows"] if result["n_rows"] else None),
        "odd": column["odd"],
    }
