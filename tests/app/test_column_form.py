"""The form with the columns of a table says what each column is, and does not call record numbers people."""

import json

import pyarrow

import idbits
from idbits.web.pages.column_form import column_form
from idbits.web.table_request import OfferedTable, TableRequest

N = 60


def test_an_identifier_shows_its_evidence() -> None:
    visits = pyarrow.table({
        "patient_id": [7000 + 13 * (number // 5) for number in range(N)],
        "record_id": list(range(N)),
        "zip": [str(1000 + number % 3) for number in range(N)],
    })  # fmt: skip
    inspected = json.loads(idbits.inspect(visits).to_json())
    result = {**inspected, "views": [[], [], []], "withheld": False}
    form = column_form(TableRequest(), OfferedTable("visits.csv", "visits.csv", {}, "", None), result)
    roles = {row["name"]: row["role"] for row in form["rows"]}
    assert roles["record_id"] == "Identifier (named like the number of a record): remove it before release"
    assert roles["patient_id"].startswith("Identifier (named like")
    assert "a person by itself" not in str(roles)
    assert "patient_id (12 values in 60 rows)" in form["repeated"]
    assert [row["name"] for row in form["rows"] if row["picked"]] == ["zip"]
