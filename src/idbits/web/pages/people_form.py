"""The form that asks who is a person: what the table looks like, the suggestion, and what each choice means."""

from __future__ import annotations

from typing import cast
from urllib.parse import parse_qsl

from idbits.render.numbers import count, decimal, nearest
from idbits.studies.measure.text import KNOWN
from idbits.studies.shared.persons import ALL_RECORDS, ANY_RECORD, ONE_RECORD
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.table_request import PERSON_OPTIONS, OfferedTable, TableRequest
from idbits.web.wording import without_commands
from idbits.web.work.worker import ColumnFacts, PersonFacts
from idbits.wording import counted, joined

__all__ = ["people_form"]

ROWS, COLUMN, COUNT = "rows", "column", "count"
_ATTACKERS = {
    ONE_RECORD: "One row of the person: the one that the fewest people share. Choose this if in doubt.",
    ANY_RECORD: "One row of the person, drawn by chance. The figures are averages.",
    ALL_RECORDS: "Every row of the person, in the columns that you tick next.",
}
"""What each attacker knows of a person."""
_FEW_PER_PERSON = 10
_CLEARLY = 1.5
_SHOWN_IDENTIFIERS = 3


def people_form(asked: TableRequest, table: OfferedTable, result: JsonObject) -> dict[str, object]:
    """Return what the page of the form shows."""
    facts = cast("list[ColumnFacts]", result["columns"])
    n_rows = cast("int", result["n_rows"])
    repeated = [each for each in cast("list[PersonFacts]", result["persons"]) if _repeats(each, n_rows)]
    counts = [column["column"] for column in facts if column["role"] == "count"]
    suggested = COLUMN if repeated else COUNT if counts else ROWS
    persons = asked.persons(table.person)
    counted_by = asked.option("count") or table.reading.get("count")
    chosen = _chosen(persons.column, counted_by, rows_are_people=persons.rows_are_people)
    first = repeated[0]["column"] if repeated else ""
    return {
        "n_rows": counted(n_rows, "row"),
        "n_columns": counted(len(facts), "column"),
        "looks_like_records": _looks_like_records(repeated, n_rows),
        "repeated": _repeated_identifiers(facts, n_rows) if not repeated and "count" not in table.reading else "",
        "suggested": suggested,
        "chosen": chosen or suggested,
        "person": persons.column or first,
        "person_choices": _person_choices(facts, repeated, n_rows, persons.column),
        "count_choices": _count_choices(facts, counts, counted_by),
        "counted_by": counted_by or (counts[0] if counts else ""),
        "names": [column["column"] for column in facts],
        "household": persons.household,
        "attackers": [(key, KNOWN[key].capitalize(), meaning) for key, meaning in _ATTACKERS.items()],
        "knows": asked.option("knows") or table.person.knows,
        "null_person": asked.option("null-person") or table.person.null_person,
        "hidden": _hidden(asked),
        "notes": [without_commands(note) for note in cast("list[str]", result["notes"])],
    }


def _chosen(person: str | None, counted_by: str | None, *, rows_are_people: bool) -> str:
    """Return what was chosen before; empty if nothing was."""
    if person:
        return COLUMN
    return COUNT if counted_by else ROWS if rows_are_people else ""


def _looks_like_records(repeated: list[PersonFacts], n_rows: int) -> dict[str, str] | None:
    """Return the figures that speak for records instead of people; None if nothing does."""
    if not repeated or not repeated[0]["values"]:
        return None
    values = repeated[0]["values"]
    assert values is not None
    return {"column": repeated[0]["column"], "values": count(values), "each": _rows_each(n_rows, values)}


def _repeated_identifiers(facts: list[ColumnFacts], n_rows: int) -> str:
    """Say which columns look like identifiers that occur in several rows; empty if there are none."""
    repeated = [
        f"{column['column']} ({counted(column['distinct'], 'value')} in {counted(n_rows, 'row')})"
        for column in facts
        if column["role"] == "direct identifier" and 1 < column["distinct"] < n_rows - column["nulls"]
    ]
    return joined(repeated[:_SHOWN_IDENTIFIERS]) if repeated else ""


def _repeats(each: PersonFacts, n_rows: int) -> bool:
    """Whether people repeat: a column that is named after people, or one whose values repeat clearly."""
    return each["names_people"] or (each["values"] is not None and n_rows >= _CLEARLY * each["values"])


def _rows_each(n_rows: int, values: int) -> str:
    mean = n_rows / values
    return count(nearest(mean)) if mean >= _FEW_PER_PERSON else decimal(mean)


def _person_choices(
    facts: list[ColumnFacts], repeated: list[PersonFacts], n_rows: int, person: str | None
) -> list[tuple[str, str]]:
    """Return the columns that may say who it is, the likely ones first, each with how often its values repeat."""
    likely = {each["column"]: each["values"] for each in repeated}
    ordered = sorted(facts, key=lambda column: (column["column"] not in likely, column["role"] != "direct identifier"))
    choices = []
    for column in ordered:
        values = column["distinct"]
        if values > 1:
            each = _rows_each(n_rows - column["nulls"], values)
            choices.append((column["column"], f"{count(values)} different values, on average {each} rows each"))
    if person and person not in dict(choices):
        choices.insert(0, (person, ""))
    return choices


def _count_choices(facts: list[ColumnFacts], counts: list[str], counted_by: str | None) -> list[str]:
    numbers = [each["column"] for each in facts if _is_number(each) and each["column"] not in counts]
    named = [counted_by] if counted_by and counted_by not in counts + numbers else []
    return [*counts, *named, *numbers]


def _hidden(asked: TableRequest) -> list[tuple[str, str]]:
    """Return everything else that was chosen before, which the form keeps."""
    answered = {"person", "count", *PERSON_OPTIONS}
    return [pair for pair in parse_qsl(asked.query(), keep_blank_values=True) if pair[0] not in answered]


def _is_number(column: ColumnFacts) -> bool:
    return column["kind"] == "integer" or column["reads_as"] == "text (numbers)"
