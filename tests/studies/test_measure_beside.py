"""What is beside the measured columns changes the verdict: identifiers, free text, people in several rows."""

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.csv
import pytest

import idbits
from idbits.errors import InputError

N = 600
DRAW = random.Random(1)
QID: dict[str, list[Any]] = {
    "gender": [DRAW.choice("FM") for _ in range(N)],
    "region": [DRAW.choice(["north", "south", "east"]) for _ in range(N)],
}
EMAIL = [f"{DRAW.choice(['ann', 'bob', 'eve'])}{number}@example.org" for number in range(N)]
IDS = [DRAW.randrange(10**8, 10**9) for _ in range(N)]
NOTES = [
    f"The patient {DRAW.choice(['came', 'called', 'wrote'])} about the {DRAW.choice(['knee', 'arm', 'back'])} and "
    f"the {DRAW.choice(['doctor', 'nurse'])} gave advice number {number} to the family."
    for number in range(N)
]
DAYS = [date(2020, 1, 1) + timedelta(DRAW.randrange(700)) for _ in range(N)]


def measured(**columns: list[Any]) -> dict[str, Any]:
    return idbits.measure(pyarrow.table(QID | columns), ["gender", "region"]).to_dict()


def test_without_identifiers_the_verdict_may_be_good() -> None:
    data = measured()
    assert (data["verdict_level"], data["identifiers"], data["unit"]) == ("good", [], "rows")


def test_an_email_column_is_seen() -> None:
    data = measured(email=EMAIL)
    assert (data["verdict_level"], data["identifiers"]) == ("bad", ["email"])
    assert data["verdict"] == "Identifiers are still in the table"
    assert any("email" in reason and "Remove or replace it" in reason for reason in data["verdict_reasons"])
    assert not any("@" in reason for reason in data["verdict_reasons"])


def test_several_identifiers_are_named_together() -> None:
    data = measured(email=EMAIL, passport_number=[f"P{number}" for number in IDS])
    assert set(data["identifiers"]) == {"email", "passport_number"}
    assert any("identify people by themselves" in reason for reason in data["verdict_reasons"])


def test_a_bad_verdict_stays_and_names_the_identifiers() -> None:
    table = pyarrow.table({"zip": [str(number) for number in range(N)], "email": EMAIL})
    data = idbits.measure(table, ["zip"]).to_dict()
    assert data["verdict"] == "Do not hand this over as it is"
    assert any("email" in reason for reason in data["verdict_reasons"])


def test_free_text_is_seen() -> None:
    data = measured(notes=NOTES)
    assert (data["verdict_level"], data["free_text"]) == ("warn", ["notes"])
    assert any("Names may occur in notes" in reason for reason in data["verdict_reasons"])


def test_a_measured_column_is_not_beside_itself() -> None:
    table = pyarrow.table(QID | {"email": EMAIL})
    assert idbits.measure(table, ["email"]).to_dict()["identifiers"] == []


def test_a_column_of_persons_is_an_identifier() -> None:
    data = idbits.measure(pyarrow.table(QID | {"code": IDS}), ["gender", "region"], person="code").to_dict()
    assert data["identifiers"] == ["code"]
    assert data["verdict_level"] == "bad"


def test_records_are_not_called_people() -> None:
    cases = [DRAW.randrange(10_000, 10_150) for _ in range(N)]
    answer = idbits.measure(pyarrow.table(QID | {"case_id": cases}), ["gender", "region"])
    data = answer.to_dict()
    assert (data["unit"], data["verdict_level"], data["person_candidates"]) == ("records", "undecided", ["case_id"])
    assert data["verdict"].startswith(f"These are records, not people: {N} records of about {len(set(cases))} case_id")
    assert "person='case_id'" in (answer.next_command or "")
    figures, _, _ = str(answer).partition("Not assessed")
    assert "records" in figures


def test_a_column_that_names_each_person_once_makes_rows_people() -> None:
    data = measured(patient_id=IDS)
    assert (data["unit"], data["identifiers"]) == ("people", ["patient_id"])


def test_columns_that_may_be_known_are_tried() -> None:
    answer = idbits.measure(pyarrow.table(QID | {"admission_date": DAYS}), ["gender", "region"])
    (added,) = answer.added
    together = idbits.measure(pyarrow.table(QID | {"admission_date": DAYS}), ["gender", "region", "admission_date"])
    assert (added.column, added.singletons) == ("admission_date", together.singletons)
    assert answer.to_dict()["not_measured"] == ["admission_date"]
    assert "admission_date" in str(answer)


def test_nobody_has_to_name_columns(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    table = pyarrow.table({"patient_id": IDS, "email": EMAIL} | QID | {"admission_date": DAYS, "notes": NOTES})
    pyarrow.csv.write_csv(table, path)
    answer = idbits.measure(path)
    assert set(answer.qid) == {"gender", "region", "admission_date"}
    named = idbits.measure(path, list(answer.qid))
    assert answer.figures.to_dict() == named.figures.to_dict()
    assert [row["column"] for row in answer.to_dict()["qid_judgements"]] == list(answer.qid)
    assert "qid=" in " ".join(str(answer).split())
    assert "qid_judgements" not in named.to_dict()


def test_a_table_without_columns_that_may_be_known_needs_names() -> None:
    with pytest.raises(InputError, match="qid="):
        idbits.measure(pyarrow.table({"email": EMAIL, "patient_id": IDS}))


def test_data_in_place_of_names_are_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("1980-01-01,1011,F\n1981-02-03,1012,M\n1981-02-03,1012,M\n")
    with pytest.raises(InputError, match="header=False") as error:
        idbits.measure(path)
    assert "1980" not in str(error.value)
