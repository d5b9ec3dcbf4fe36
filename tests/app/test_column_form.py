"""The form with the columns of a table says what each column is, and does not call record numbers people."""

import json
from urllib.parse import urlencode

import pyarrow
import pytest

import idbits
from idbits.web.pages.column_form import SentColumns, column_form
from idbits.web.pages.people_form import people_form
from idbits.web.table_request import OfferedTable, TableRequest

N = 60


def test_an_identifier_shows_its_evidence() -> None:
    visits = pyarrow.table({
        "patient_id": [7000 + 13 * (number // 5) for number in range(N)],
        "record_id": list(range(N)),
        "zip": [str(1000 + number % 3) for number in range(N)],
    })  # fmt: skip
    inspected = json.loads(idbits.inspect(visits).to_json())
    persons = [{"column": each.column, "values": each.n_values, "names_people": True}
               for each in idbits.inspect(visits).persons]  # fmt: skip
    result = {**inspected, "views": [[], [], []], "withheld": False, "persons": persons}
    form = column_form(TableRequest(), OfferedTable("visits.csv", "visits.csv", {}, "", None), result)
    roles = {row["name"]: row["role"] for row in form["rows"]}
    assert roles["record_id"] == "Names a person (named like the number of a record)"
    assert roles["patient_id"].startswith("Names a person (named like")
    assert "a person by itself" not in str(roles)
    assert [row["name"] for row in form["rows"] if row["picked"]] == ["zip"]
    # The column in which people repeat is what the page before suggests.
    asked = people_form(TableRequest(), OfferedTable("visits.csv", "visits.csv", {}, "", None), result)
    assert (asked["suggested"], asked["person"]) == ("column", "patient_id")
    assert asked["looks_like_records"] == {"column": "patient_id", "values": "12", "each": "5"}


def wide(n_columns: int) -> dict[str, object]:
    """Return a table with many measured values and a few columns that someone may know."""
    known = {"kind": "text", "reads_as": "text", "role": "quasi-identifier", "reason": "its name", "evidence": [],
             "distinct": 5, "nulls": 0, "unique": 0, "odd": []}  # fmt: skip
    measured = {**known, "kind": "number", "role": "measurement", "suggested": None}
    columns = [{**known, "column": f"town {n}", "suggested": f"town {n}"} for n in range(4)]
    columns += [{**measured, "column": f"laboratory value {n:04}"} for n in range(n_columns - 4)]
    return {"columns": columns, "views": [["round1"]] * n_columns, "n_rows": 100, "notes": [], "withheld": False,
            "persons": []}  # fmt: skip


def test_a_thousand_columns_are_grouped_and_the_harmless_ones_closed() -> None:
    table = OfferedTable("wide.csv", "wide.csv", {}, "", None)
    form = column_form(TableRequest(), table, wide(1000))
    assert form["ticked"] == 4
    groups = {group.role: group for group in form["groups"]}
    assert groups["quasi-identifier"].is_open
    assert not groups["measurement"].is_open
    sent = SentColumns.read([("find", "VALUE 01"), ("tick", "all"), ("pick", "0|town 0"), ("view", "7|round1")])
    again = column_form(TableRequest(), table, wide(1000), sent)
    assert again["shown"] == 100
    assert again["ticked"] == 101
    assert again["rows"][7]["view"] == "round1"
    assert not {group.role: group for group in again["groups"]}["quasi-identifier"].has_shown


def test_a_form_with_a_thousand_ticks_is_read_and_its_address_is_short_enough() -> None:
    columns = [column["column"] for column in wide(1000)["columns"]]
    sent = [("in", "0"), ("file", "wide.csv"), ("sent", "yes")]
    sent += [("pick", f"{index}|{name}") for index, name in enumerate(columns)] + [("view", "")] * 1000
    asked = TableRequest.read(sent)
    assert asked.qid == tuple(columns)
    # A browser without scripts sends all fields; the head of a request may have 64 kB.
    assert len(urlencode(sent)) < 60_000
    assert len(asked.query()) < 30_000


def test_the_person_cannot_be_ticked() -> None:
    table = OfferedTable("wide.csv", "wide.csv", {}, "", None)
    sent = SentColumns.read([("pick", "0|town 0"), ("pick", "1|town 1")])
    form = column_form(TableRequest(options=(("person", "town 0"),)), table, wide(10), sent)
    assert [row["name"] for row in form["rows"] if row["picked"]] == ["town 1"]


@pytest.mark.parametrize(
    ("persons", "count_role", "suggested"),
    [
        ([], False, "rows"),
        ([], True, "count"),
        ([{"column": "town 0", "values": 90, "names_people": True}], False, "column"),
        # Nothing says that it names people, and it hardly repeats.
        ([{"column": "town 0", "values": 90, "names_people": False}], False, "rows"),
        ([{"column": "town 0", "values": 20, "names_people": False}], True, "column"),
    ],
)
def test_what_is_suggested(persons: list[dict[str, object]], count_role: bool, suggested: str) -> None:
    result = wide(6) | {"persons": persons}
    if count_role:
        result["columns"][5]["role"] = "count"  # type: ignore[index]
    form = people_form(TableRequest(), OfferedTable("t.csv", "t.csv", {}, "", None), result)  # type: ignore[arg-type]
    assert form["suggested"] == form["chosen"] == suggested
