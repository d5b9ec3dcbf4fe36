"""The form with the columns of a table: what each of them is and why, which are ticked, and which are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from idbits.render.numbers import count, share
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.table_request import OfferedTable, TableRequest, labelled_views
from idbits.web.wording import without_commands
from idbits.web.work.worker import ColumnFacts
from idbits.wording import counted

__all__ = ["ColumnGroupOnPage", "SentColumns", "column_form"]

_ROLES = {
    "direct identifier": "Names a person",
    "quasi-identifier": "Someone may know",
    "time": "When something happened",
    "sensitive": "Secret",
    "count": "Number of people",
    "free text": "Free text",
    "measurement": "Measured value",
    "constant": "Same for everyone",
    "empty": "Empty",
}
"""The roles of columns in the order of the page, in plain words."""
_MEANINGS = {
    "direct identifier": "Take them out before you hand the table over.",
    "quasi-identifier": "What a neighbour, a colleague or another database may know.",
    "time": "Someone may know the day.",
    "sensitive": "What nobody should learn. Tick it only if someone may know it.",
    "count": "May be the number of people per row.",
    "free text": "Names and details may occur in it.",
    "measurement": "Nobody outside knows these exactly, unless you think so.",
    "constant": "Tells nothing about anyone.",
    "empty": "Has no values.",
}
_OTHER_ROLE = "measurement"
# Longer groups in which nothing is ticked are closed at first.
_LONG_GROUP = 8
_SHOWN_EVIDENCE = 2


@dataclass(frozen=True, slots=True)
class SentColumns:
    """A form that was sent to be shown again.

    Attributes:
        picked: the boxes that were ticked, as ``3|zip``.
        views: the coarser views by the index of their columns.
        find: the text that was searched for.
        role: the role whose columns are shown; empty for all.
        tick: ``"all"`` or ``"none"`` if all columns that are shown are to be ticked or not.
    """

    picked: frozenset[str] = frozenset()
    views: dict[str, str] = field(default_factory=dict)
    find: str = ""
    role: str = ""
    tick: str = ""

    @classmethod
    def read(cls, parameters: Iterable[tuple[str, str]]) -> SentColumns:
        """Return what was sent."""
        pairs = list(parameters)
        given = dict(pairs)
        role = given.get("role", "")
        return cls(
            frozenset(value for name, value in pairs if name == "pick"),
            dict(value.partition("|")[::2] for name, value in pairs if name == "view" and value),
            given.get("find", "").strip(),
            role if role in _ROLES else "",
            given.get("tick", ""),
        )


@dataclass(frozen=True, slots=True)
class ColumnGroupOnPage:
    """The columns with the same role."""

    role: str
    name: str
    meaning: str
    rows: list[dict[str, object]]

    @property
    def ticked(self) -> int:
        """The number of ticked columns."""
        return sum(bool(row["picked"]) for row in self.rows)

    @property
    def is_open(self) -> bool:
        """Whether its columns are shown at first."""
        return len(self.rows) <= _LONG_GROUP or self.ticked > 0 or self.role == "quasi-identifier"

    @property
    def has_shown(self) -> bool:
        """Whether any of its columns is among those that were searched for."""
        return any(not row["hidden"] for row in self.rows)


def column_form(
    asked: TableRequest, table: OfferedTable, result: JsonObject, sent: SentColumns | None = None
) -> dict[str, object]:
    """Return what the page of the form shows; if it was sent, with what was ticked and chosen in it."""
    facts, ladders = cast("list[ColumnFacts]", result["columns"]), cast("list[list[str]]", result["views"])
    n_rows = cast("int", result["n_rows"])
    person = asked.persons(table.person).column
    rows = [
        _as_sent(_column_row(index, column, ladder, n_rows, table, asked), column, sent, person)
        for index, (column, ladder) in enumerate(zip(facts, ladders, strict=True))
    ]
    groups = _groups(rows)
    return {
        "rows": rows,
        "groups": groups,
        "roles": [(group.role, group.name, len(group.rows)) for group in groups],
        "sent": sent or SentColumns(),
        "shown": sum(not row["hidden"] for row in rows),
        "ticked": sum(bool(row["picked"]) for row in rows),
        "names": [column["column"] for column in facts],
        "person": person,
        "configured_secrets": ", ".join(table.sensitive),
        "n_rows": counted(n_rows, "row") if "count" not in table.reading else f"{n_rows:,} people",
        "n_columns": counted(len(facts), "column"),
        "notes": [without_commands(note) for note in cast("list[str]", result["notes"])],
        "withheld": result["withheld"],
        "no_header": replace(asked, header=False).query(),
        "with_names": replace(asked, show_names=True).query(),
    }


def _groups(rows: Sequence[dict[str, object]]) -> list[ColumnGroupOnPage]:
    by_role: dict[str, list[dict[str, object]]] = {role: [] for role in _ROLES}
    for row in rows:
        by_role[str(row["role_key"])].append(row)
    return [
        ColumnGroupOnPage(role, _ROLES[role], _MEANINGS[role], members) for role, members in by_role.items() if members
    ]


def _as_sent(
    row: dict[str, object], column: ColumnFacts, sent: SentColumns | None, person: str | None
) -> dict[str, object]:
    """Return the row of a column as it was ticked, and whether it is hidden; nobody knows the number of a person."""
    name, index = column["column"], str(row["index"])
    is_person = name == person
    picked, hidden = bool(row["picked"]), False
    if sent is not None:
        picked = f"{index}|{name}" in sent.picked
        hidden = sent.find.casefold() not in name.casefold() or sent.role not in ("", row["role_key"])
        row = row | {"view": sent.views.get(index, "")}
        if sent.tick in ("all", "none") and not hidden:
            picked = sent.tick == "all"
    return row | {"picked": picked and not is_person, "hidden": hidden, "is_person": is_person}


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
    role = column["role"] if column["role"] in _ROLES else _OTHER_ROLE
    return {
        "index": index,
        "name": name,
        "picked": bool(views_wanted) if wanted else suggested is not None,
        "views": views,
        "view": view,
        "role_key": role,
        "role": f"{_ROLES[role]} ({column['reason']})" if role == "direct identifier" else _ROLES[role],
        "evidence": "; ".join(map(without_commands, column["evidence"][:_SHOWN_EVIDENCE] or [column["reason"]])),
        "reads_as": column["reads_as"],
        "distinct": count(column["distinct"]),
        "unique": share(column["unique"] / n_rows if n_rows else None),
        "odd": [without_commands(hint) for hint in column["odd"]],
    }
