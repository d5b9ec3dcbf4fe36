"""What columns and gain say about the other columns of a table, and which columns they take if nobody names any."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest

import idbits
from idbits.errors import InputError

N = 60
PEOPLE = {
    "zip": [str(1000 + number % 3) for number in range(N)],
    "sex": ["FM"[number % 2] for number in range(N)],
}
COMMANDS = [
    pytest.param(lambda table, **named: idbits.columns(table, "zip,sex", **named), id="columns"),
    pytest.param(lambda table, **named: idbits.gain(table, columns="zip,sex", threshold=99, **named), id="gain"),
]
Ask = Callable[..., idbits.ColumnSubsets | idbits.Gain]


def with_email(**more: object) -> pyarrow.Table:
    return pyarrow.table(PEOPLE | {"email": [f"person{number}@example.org" for number in range(N)]} | more)


@pytest.mark.parametrize("ask", COMMANDS)
def test_an_identifier_beside_the_columns_is_in_the_verdict(ask: Ask) -> None:
    clean = ask(pyarrow.table(PEOPLE)).to_dict()
    assert (clean["verdict_level"], clean["identifiers"]) == ("good", [])
    data = json.loads(ask(with_email()).to_json())
    assert (data["verdict_level"], data["verdict"]) == ("bad", "Identifiers are still in the table")
    assert data["verdict_reasons"][1] == (
        "The table also has email, which identifies people by itself. Remove or replace it before you hand the table "
        "over."
    )
    assert data["identifiers"] == ["email"]


@pytest.mark.parametrize("ask", COMMANDS)
def test_free_text_beside_the_columns_is_in_the_verdict(ask: Ask) -> None:
    notes = [f"called again about the letter number {number}, said that the street was closed" for number in range(N)]
    data = ask(pyarrow.table(PEOPLE | {"remarks": notes})).to_dict()
    assert (data["verdict_level"], data["free_text"]) == ("warn", ["remarks"])


@pytest.mark.parametrize("ask", COMMANDS)
def test_records_are_not_called_people(ask: Ask, tmp_path: Path) -> None:
    visits = pyarrow.table(PEOPLE | {"patient_id": [7000 + 13 * (number // 5) for number in range(N)]})
    answer = ask(visits)
    data = answer.to_dict()
    assert (data["unit"], data["verdict_level"], data["person_candidates"]) == ("records", "undecided", ["patient_id"])
    assert data["verdict"] == "These are records, not people: 60 records of about 12 patient_id values"
    text = str(answer).lower().replace("not people", "").split("to measure people, add person='patient_id'.")[1]
    assert "of people" not in text
    assert " rows" not in text.replace("rows_are_people=true", "")
    assert ask(visits, rows_are_people=True).to_dict()["unit"] == "people"
    both = ask(visits.append_column("case_id", pyarrow.array([100 + 7 * (number // 4) for number in range(N)])))
    assert len(both.beside.persons) in (1, 2)


def test_the_next_command_names_the_person(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    days = [str(number % 29) for number in range(N)]
    rows = zip(PEOPLE["zip"], PEOPLE["sex"], days, strict=True)
    lines = [f"{7000 + 13 * (n // 5)},{zip_code},{sex},{day}" for n, (zip_code, sex, day) in enumerate(rows)]
    path.write_text("\n".join(["patient_id,zip,sex,birth_day", *lines]) + "\n")
    for answer in (idbits.columns(path), idbits.gain(path)):
        assert answer.next_command is not None
        assert answer.next_command.endswith("--person patient_id")


def test_without_names_the_columns_someone_may_know_are_examined() -> None:
    table = with_email(diagnosis=["flu", "cold", "asthma"] * 20, income=[1000.5 + 7 * n for n in range(N)])
    measured = idbits.measure(table)
    for answer, option in ((idbits.columns(table), "candidates="), (idbits.gain(table), "columns=")):
        names = answer.candidates if isinstance(answer, idbits.ColumnSubsets) else answer.columns
        assert names == measured.qid == ("zip", "sex")
        text = " ".join(str(answer).split())
        assert "we chose those that someone may know" in text
        assert f"To choose others, name them with {option}." in text
        key = "candidate_judgements" if option == "candidates=" else "column_judgements"
        assert [row["column"] for row in answer.to_dict()[key]] == ["zip", "sex"]
    named = idbits.gain(table, columns="zip,sex").to_dict()
    chosen = idbits.gain(table).to_dict()
    del chosen["column_judgements"]
    assert chosen == named


def test_options_that_name_a_column_include_it() -> None:
    table = with_email(income=[1000.5 + 7 * n for n in range(N)])
    assert idbits.gain(table, sweep="income:band100").columns == ("zip", "sex", "income")
    assert idbits.gain(table, attacker="named:income").columns == ("zip", "sex", "income")


def test_without_a_column_someone_may_know_gain_asks_for_names() -> None:
    with pytest.raises(
        InputError, match="no column looks like one that someone may know; name the columns with columns="
    ):
        idbits.gain(pyarrow.table({"email": [f"a{n}@example.org" for n in range(N)]}))
    with pytest.raises(InputError, match="columns= is missing"):
        idbits.gain("-")


@pytest.mark.parametrize("ask", COMMANDS)
def test_what_was_not_assessed_says_that_no_column_tells(ask: Ask) -> None:
    text = " ".join(str(ask(pyarrow.table(PEOPLE))).split())
    assert "we assumed one row per person, because we found no column that tells" in text
    assert "same person" not in str(ask(pyarrow.table(PEOPLE), rows_are_people=True))
