"""Columns that name people badly, and people spread over several files: a clear sentence, or the right number."""

from pathlib import Path

import pyarrow
import pytest

import idbits
from idbits.errors import DataError, InputError

VISITS = pyarrow.table({"who": ["1", "1", "2", "3"], "home": ["a", "a", "a", "b"], "place": ["x", "y", "y", "y"]})


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda table, **more: idbits.measure(table, "place", person="who", **more), id="measure"),
        pytest.param(lambda table, **more: idbits.columns(table, "place", person="who", **more), id="columns"),
        pytest.param(lambda table, **more: idbits.gain(table, columns="place", person="who", **more), id="gain"),
        pytest.param(lambda table, **more: idbits.report(table, "place", person="who", **more), id="report"),
    ],
)
def test_columns_that_cannot_name_people_are_refused(ask) -> None:  # type: ignore[no-untyped-def]
    constant = VISITS.set_column(0, "who", pyarrow.array(["1"] * 4))
    with pytest.raises(DataError, match='column "who" has only one value, so it cannot identify people'):
        ask(constant)
    some = VISITS.set_column(0, "who", pyarrow.array(["1", None, None, "3"]))
    with pytest.raises(DataError, match="column \"who\" is empty in 2 rows; leave them out with null_person='drop'"):
        ask(some)
    empty = VISITS.set_column(0, "who", pyarrow.array([None] * 4, pyarrow.string()))
    with pytest.raises(DataError, match='column "who" is empty in every row; name a column that identifies people'):
        ask(empty, null_person="drop")
    unique = VISITS.set_column(0, "who", pyarrow.array(list("1234")))
    assert ask(unique) is not None


def test_the_column_of_people_cannot_be_measured_itself() -> None:
    for ask in (idbits.measure, idbits.report):
        with pytest.raises(InputError, match=r'column "who" identifies people \(person=\), so it cannot be examined'):
            ask(VISITS, "who,place", person="who")


def test_people_who_are_spread_over_files_are_one_person(tmp_path: Path) -> None:
    (tmp_path / "january.csv").write_text("who,place\n1,x\n2,y\n")
    (tmp_path / "february.csv").write_text("who,place\n1,z\n3,y\n")
    answer = idbits.measure(str(tmp_path / "*.csv"), "place", person="who")
    # Person 1 has {x, z}, which nobody else has; 2 and 3 have {y}.
    assert (answer.n_rows, answer.n_people, answer.singletons) == (4, 3, 1)
    assert answer.people.rows_per_person.max == 2
    assert [attacker.figures.singletons for attacker in answer.people.attackers] == [1, 1, 1]


def test_a_household_needs_no_person_and_a_person_one_household() -> None:
    rows = idbits.measure(VISITS.slice(1), "place", household="home")
    assert (rows.household.n_households, rows.to_dict()["unit"]) == (2, "people")
    moved = VISITS.set_column(1, "home", pyarrow.array(["a", "b", "a", "b"]))
    with pytest.raises(DataError, match='1 person has rows in several households \\("home"\\)'):
        idbits.measure(moved, "place", person="who", household="home")


def test_a_report_says_what_it_chose_and_what_one_more_column_does() -> None:
    n = 60
    columns = {
        "zip": [str(1000 + number % 3) for number in range(n)],
        "sex": ["FM"[number % 2] for number in range(n)],
        "birth_year": [str(1950 + number) for number in range(n)],
    }
    page = idbits.report(pyarrow.table(columns), "zip,sex", rows_are_people=True).to_markdown().replace("\\", "")
    assert "If one of them is known, this share of people is unique: 100% with birth_year." in page
    assert "which we chose by their names and values" not in page
    chosen = idbits.report(pyarrow.table(columns), rows_are_people=True).to_markdown().replace("\\", "")
    assert "Columns someone may know, which we chose by their names and values: zip, sex and birth_year." in chosen
