"""The form with the columns of a table: what each of them is, which are ticked, and who is a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from idbits.render.numbers import count, share
from idbits.studies.measure.text import KNOWN
from idbits.studies.shared.persons import ALL_RECORDS, ANY_RECORD, ONE_RECORD
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.table_request import OfferedTable, TableRequest, labelled_views
from idbits.web.wording import without_commands
from idbits.web.work.worker import ColumnFacts
from idbits.wording import counted, joined

__all__ = ["column_form"]

_ROLES = {
    "quasi-identifier": "Someone may know it",
    "time": "When something happened: someone may know the day",
    "direct identifier": "Identifier ({reason}): remove it before release",
    "sensitive": "Sensitive: tick it if someone may know it",
    "measurement": "Measured value",
    "free text": "Free text",
    "count": "May be the number of people per row",
    "constant": "Same for everyone",
    "empty": "Empty",
}

_SHOWN_IDENTIFIERS = 3
_ATTACKERS = {
    ONE_RECORD: "One row of the person: the one that the fewest people share. Choose this if in doubt.",
    ANY_RECORD: "One row of the person, drawn by chance. The figures are averages.",
    ALL_RECORDS: "Every row of the person, in the columns ticked above.",
}
"""What each attacker knows of a person."""


def column_form(
    asked: TableRequest, table: OfferedTable, result: JsonObject, views: dict[str, str] | None = None
) -> dict[str, object]:
    """Return what the page of the form shows; if ``views`` are given, with these chosen and nothing ticked."""
    facts, ladders = cast("list[ColumnFacts]", result["columns"]), cast("list[list[str]]", result["views"])
    n_rows = cast("int", result["n_rows"])
    return {
        "rows": [
            _column_row(index, column, ladder, n_rows, table, asked)
            | ({"picked": False, "view": views.get(str(index), "")} if views is not None else {})
            for index, (column, ladder) in enumerate(zip(facts, ladders, strict=True))
        ],
        "names": [column["column"] for column in facts],
        "persons": asked.persons(table.person),
        "attackers": [(key, KNOWN[key].capitalize(), meaning) for key, meaning in _ATTACKERS.items()],
        "knows": asked.option("knows") or table.person.knows,
        "null_person": asked.option("null-person") or table.person.null_person,
        "configured_secrets": ", ".join(table.sensitive),
        "repeated": _repeated_identifiers(facts, n_rows) if "count" not in table.reading else "",
        "n_rows": counted(n_rows, "row") if "count" not in table.reading else f"{n_rows:,} people",
        "n_columns": counted(len(facts), "column"),
        "notes": [without_commands(note) for note in cast("list[str]", result["notes"])],
        "withheld": result["withheld"],
        "again": TableRequest(asked.root, asked.file, asked.dataset).query(),
        "no_header": replace(asked, header=False).query(),
        "with_names": replace(asked, show_names=True).query(),
    }


def _repeated_identifiers(facts: Sequence[ColumnFacts], n_rows: int) -> str:
    """Say which columns look like identifiers that occur in several rows; empty if there are none."""
    repeated = [
        f"{column['column']} ({counted(column['distinct'], 'value')} in {counted(n_rows, 'row')})"
        for column in facts
        if column["role"] == "direct identifier" and 1 < column["distinct"] < n_rows - column["nulls"]
    ]
    return joined(repeated[:_SHOWN_IDENTIFIERS]) if repeated else ""


def _column_row(
    index: int, column: ColumnFacts, ladder: list[str], n_rows: int, table: OfferedTable, asked: TableRequest
) -> dict[str, object]:
    """Return the row of a column on the page."""
    name = column["column"]
    wanted = asked.qid or table.suggested
    views_wanted = [attribute[len(name) + 1 :] for attribute in wanted if f"{attribute}:".startswith(f"{name}:")]
    views = labelled_views(ladder)
    # Before anything is chosen, the columns are ticked that someone may know, times by the day.
    suggested = column["suggested"]
    view = (views_wanted[0] if views_wanted else "") if wanted else (suggested or name)[len(name) + 1 :]
    if view and view not in dict(views):
        views = [*views, (view, view)]
    return {
        "index": index,
        "name": name,
        "picked": bool(views_wanted) if wanted else suggested is not None,
        "views": views,
        "view": view,
        "role": _ROLES.get(column["role"], column["role"]).format(reason=column["reason"]),
        "reason": column["reason"],
        "reads_as": column["reads_as"],
        "distinct": count(column["distinct"]),
        "unique": share(column["unique"] / n_rows if n_rows else None),
        "odd": [without_commands(hint) for hint in column["odd"]],
    }
