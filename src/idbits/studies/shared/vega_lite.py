"""The frame of a chart as a Vega-Lite specification: plain dictionaries that include their data."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.studies.shared.serialisation import Json, JsonObject

__all__ = ["axis", "specification"]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


def specification(title: str, rows: Sequence[Json], **parts: Json) -> JsonObject:
    """Return a chart of some rows.

    >>> specification("Ages", [{"age": 31}], mark="bar")["data"]
    {'values': [{'age': 31}]}
    """
    return {"$schema": _SCHEMA, "title": title, "width": 480, "height": 300, "data": {"values": list(rows)}, **parts}


def axis(field: str, title: str, kind: str = "quantitative", **more: Json) -> JsonObject:
    """Return the encoding of one field.

    >>> axis("age", "years")
    {'field': 'age', 'type': 'quantitative', 'title': 'years'}
    """
    return {"field": field, "type": kind, "title": title, **more}
