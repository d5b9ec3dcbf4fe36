"""The form of the page Compare: which columns are zones, who is a person, what is known and what is secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from idbits.studies.shared.serialisation import JsonObject
from idbits.web.overlap_request import USUAL_LIMIT, ZONES, OverlapRequest
from idbits.web.pages.column_form import SentColumns, column_form
from idbits.web.table_request import OfferedTable, labelled_views
from idbits.web.work.worker import ColumnFacts

__all__ = ["MISSING", "missing_field", "overlap_form"]

MISSING = {
    "zones": "choose two different columns of zones",
    "person": "choose the column that identifies people in both releases",
    "sensitive": "choose the column that is to stay secret",
    "first": "tick at least one column of the first release that someone may know",
    "second": "tick at least one column of the second release that someone may know",
}
"""What to do about each field that a comparison needs."""

_ROLES = ("count", "direct identifier", "sensitive")


def missing_field(asked: OverlapRequest) -> str | None:
    """Return the first field that is missing, a key of ``MISSING``."""
    if asked.kind == ZONES:
        return None if len(asked.zones) == len(set(asked.zones)) == 2 else "zones"
    needed = {
        "person": asked.option("person"),
        "sensitive": asked.option("sensitive"),
        "first": asked.first.qid,
        "second": asked.second.qid,
    }
    return next((name for name, value in needed.items() if not value), None)


def overlap_form(
    asked: OverlapRequest,
    tables: Sequence[OfferedTable],
    results: Sequence[JsonObject],
    views: Sequence[dict[str, str]] | None = None,
) -> dict[str, object]:
    """Return what the page of the form shows.

    ``views`` are the views that were chosen in a form that was sent; then nothing is chosen by itself.
    """
    is_sent = views is not None
    forms = [
        column_form(
            request, table, result, SentColumns(views=views[index]) if views is not None and not request.qid else None
        )
        for index, (request, table, result) in enumerate(zip(asked.tables, tables, results, strict=True))
    ]
    facts = [cast("list[ColumnFacts]", result["columns"]) for result in results]
    common = [column["column"] for column in facts[0] if all(column["column"] in _names(each) for each in facts)]
    usual = {role: "" if is_sent else _with_role(facts, common, role) for role in _ROLES}
    configured = [] if is_sent else [name for name in tables[0].sensitive if name in common]
    return {
        "forms": forms,
        "zone_choices": _zone_choices(facts[0], cast("list[list[str]]", results[0]["views"])),
        "zones": [*asked.zones, "", ""][:2],
        "below": asked.below or str(USUAL_LIMIT),
        "count": asked.option("count") or usual["count"],
        "rows_are_people": tables[0].person.rows_are_people or asked.option("rows-are-people") == "yes",
        "names": [column["column"] for column in facts[0]],
        "common": common,
        "person": asked.option("person") or tables[0].person.column or usual["direct identifier"],
        "sensitive": asked.option("sensitive") or (configured or [usual["sensitive"]])[0],
        "withheld": any(result["withheld"] for result in results),
        "notes": list(dict.fromkeys(note for form in forms for note in cast("list[str]", form["notes"]))),
    }


def _names(facts: Sequence[ColumnFacts]) -> set[str]:
    return {column["column"] for column in facts}


def _with_role(facts: Sequence[Sequence[ColumnFacts]], common: Sequence[str], role: str) -> str:
    """Return the first column of all tables that has a role in the first; empty if there is none."""
    return next((column["column"] for column in facts[0] if column["role"] == role and column["column"] in common), "")


def _zone_choices(
    facts: Sequence[ColumnFacts], ladders: Sequence[Sequence[str]]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return each column with its views: the value that is sent, and its label."""
    choices = []
    for column, ladder in zip(facts, ladders, strict=True):
        name = column["column"]
        views = [(f"{name}:{view}", f"{name}, {label}") for view, label in labelled_views(ladder)]
        choices.append((name, [(name, f"{name}, as it is"), *views]))
    return choices
