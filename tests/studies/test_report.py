"""Reports: figures are those of the other commands, and the page says what must be said."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import databases
import idbits
from idbits.examples.registry import registry

QID = ["birthdate", "zip", "gender"]
PEOPLE = registry(3_000)
REPORT = idbits.report(PEOPLE, QID)


def test_the_measurement_and_the_gain_are_those_of_the_other_commands() -> None:
    assert REPORT.measurement.to_dict() == idbits.measure(PEOPLE, QID).to_dict()
    alone = idbits.gain(PEOPLE, columns=QID).to_dict()
    mine = REPORT.gain.to_dict()
    assert {k: v for k, v in mine.items() if k != "sweep"} == {k: v for k, v in alone.items() if k != "sweep"}


@pytest.mark.big
def test_sentences_hold_where_all_people_are_alike_and_of_one_person() -> None:
    pairs = pa.table({"a": [str(i // 2) for i in range(50)], "b": [str(i // 2 % 5) for i in range(50)]})
    page = idbits.report(pairs, ["a", "b"]).to_markdown()
    # Everybody has the same gain, so that nobody is above the median.
    assert re.search("at least half have 4.64 bits or more, .* 5% have 4.64 or more, .* exposed have 4.64", page)
    one = idbits.report(pairs.slice(0, 1), ["a", "b"]).to_markdown()
    assert "There is 1 group:" in one
    assert "1 of 1 has values that no other row has." in one
    assert "1 shares its values with at most 3 others." in one
    people = idbits.report(pairs.slice(0, 1), ["a", "b"], rows_are_people=True).to_markdown()
    assert "1 of 1 has values that nobody else has." in people
    assert "1 shares their values with at most 3 others." in people


def test_no_change_where_none_is_needed_and_none_where_none_helps() -> None:
    same = pa.table({"a": ["x"] * 20, "b": ["y"] * 20})
    good = idbits.report(same, ["a", "b"])
    assert good.verdict.level == "good"
    assert good.changes.smallest is not None
    assert good.changes.smallest.replaced == ()
    assert "The table meets it as it is." in good.to_markdown()
    hopeless = idbits.report(pa.table({"id": [f"{n:09}" for n in range(50)]}), ["id"])
    assert hopeless.changes.smallest is None
    assert "id is an identifier" in hopeless.to_dict()["changes"]["reasons"]["smallest"]
    assert hopeless.to_dict()["reasons"]["advice"] == hopeless.treatments.reason
    assert hopeless.gain is None
    assert "at least two columns" in hopeless.to_dict()["reasons"]["gain"]
    assert hopeless.to_html()


@pytest.mark.big
@pytest.mark.parametrize(
    "table",
    [
        pa.table({"a": ["x"], "b": ["y"]}),
        pa.table({"a": [None, None], "b": [1, 2]}),
        pa.table({"a": [1.5, 2.5, float("nan")], "b": [True, False, None]}),
        pa.table({"a": list(range(100)), "b": [n % 3 for n in range(100)]}),
    ],
)
def test_small_and_odd_tables_have_a_page(table: Any) -> None:
    answer = idbits.report(table, ["a", "b"])
    assert answer.to_html().endswith("</html>\n") or "</html>" in answer.to_html()
    assert json.loads(answer.to_json())["measurement"]["n_rows"] == table.num_rows
    assert answer.to_markdown().startswith("# ")
    assert str(answer)


def test_counted_tables_and_groups() -> None:
    table = pa.table({"age": [1, 2, 3, 4], "sex": ["F", "M", "F", "M"], "n": [10, 1, 3, 30]})
    answer = idbits.report(table, ["age", "sex"], by="sex", count="n")
    assert answer.measurement.figures.n_rows == 44
    assert answer.measurement.groups is not None
    assert all(change.figures.n_people + change.withheld == 44 for change in answer.changes.tried)
    # A treated file has one row per person, so there is no command that writes one.
    assert all(not item.commands for item in answer.treatments.suggested)
    assert "Group sizes within each sex" in answer.to_html()


def test_the_top_of_the_page_does_not_contradict_the_verdict() -> None:
    # Nobody is in a small set of the whole table; within their place, 2 are alone.
    table = pa.table({"x": ["a"] * 40 + ["b"] * 40, "place": (["north"] + ["south"] * 39) * 2})
    page = idbits.report(table, ["x"], by="place").to_markdown()
    assert "Do not hand this over" in page
    assert "The table meets it as it is." in page
    assert "Groups within each place were not treated" in page
    assert re.search("0 of 80 have values that no other row has, 2 within their place", page)
    assert re.search("Every row is in a group of at least 40, 1 within its place", page)
    release = pa.table({"x": ["a"] * 4 + ["z"] * 2})
    against = idbits.report(release, ["x"], population=table.select(["x"]), missing="unbounded").to_markdown()
    assert "4 rows in the population, 2 not in it. We assumed one row per person." in against
    assert "Every row in the population is in a group of at least 40." in against


def test_the_group_with_the_smallest_sets_is_named_wherever_it_stands() -> None:
    # The groups of 8 and 9 people are shown as one, on top; each is one set. In the group of 12, everyone is alone.
    people = [("large", n) for n in range(12)] + [(f"small {n}", n) for n in range(3) for _ in range(9 - n // 2)]
    table = pa.table({"g": [g for g, _ in people], "x": [x for _, x in people]})
    page = idbits.report(table, ["x"], by="g").to_markdown()
    assert "Lowest: large with a median group of 1;" in page
    assert "| 3 categories unnamed | 26 |" in page
    assert "smallest median first, after one row for categories of fewer than 10 rows" in page


def test_further_features_count_for_gain() -> None:
    answer = idbits.report(PEOPLE, ["birthdate:year", "gender"], features="zip:prefix1")
    assert answer.gain.columns == ("birthdate:year", "gender", "zip:prefix1")
    assert answer.changes.utility_columns == ("birthdate:year", "gender")
    assert answer.measurement.qid == ("birthdate:year", "gender")


@pytest.mark.big
def test_the_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(PEOPLE.slice(0, 100), one)
    pq.write_table(PEOPLE.slice(100, 100), two)
    own = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (one, two)]
    assert idbits.report(one, QID, sections="bits").origin.sha256 == own[0]
    both = idbits.report(str(tmp_path / "*.parquet"), QID, sections="bits").origin
    assert both.sha256 == hashlib.sha256(f"{own[0]}\n{own[1]}\n".encode()).hexdigest()
    assert both.files == 2
    frame = REPORT.origin
    assert frame.sha256 is None
    assert frame.reason


def test_sections_are_chosen_and_what_must_be_said_stays() -> None:
    page = idbits.report(PEOPLE, QID, sections="method,bits").page
    assert [section.name for section in page.sections] == ["bits", "not-assessed", "method"]
    with pytest.raises(idbits.InputError, match=r"nonsense.*the sections are people, sizes, bits, columns, "):
        idbits.report(PEOPLE, QID, sections="bits,nonsense")


@pytest.mark.big
def test_the_same_table_gives_the_same_page() -> None:
    assert idbits.report(PEOPLE, QID).to_html() == REPORT.to_html()


def test_combinations_are_those_of_the_command_for_columns() -> None:
    alone = idbits.columns(PEOPLE, QID, share=REPORT.columns.shares).to_dict()
    mine = REPORT.columns.to_dict()
    words = ("notes", "verdict_reasons")
    assert {k: v for k, v in mine.items() if k not in words} == {k: v for k, v in alone.items() if k not in words}


def test_the_share_of_combinations_is_one_that_can_be_reached() -> None:
    assert REPORT.columns.shares == (0.8,)
    coarse = idbits.report(PEOPLE, ["birthdate:year", "zip:prefix1", "gender"], sections="columns")
    reached = coarse.measurement.figures.singletons / 3_000
    assert 0 < coarse.columns.shares[0] < reached < 0.8
    assert coarse.columns.minimal[0].sets


@pytest.mark.big
def test_many_columns_are_combined_by_their_bits() -> None:
    table = pa.table({f"c{n:02}": [row * (n + 3) % (n + 2) for row in range(200)] for n in range(30)})
    answer = idbits.report(table, table.column_names, sections="columns")
    assert len(answer.columns.candidates) == 16
    assert len(answer.columns.left_out) == 14
    bits = {name: figures.entropy_bits for name, figures in answer.measurement.columns}
    least = min(bits[name] for name in answer.columns.candidates)
    assert all(bits[column.column] <= least for column in answer.columns.left_out)
    assert "14 columns were not combined" in answer.to_markdown()
    assert idbits.report(table, table.column_names, sections="columns").to_html() == answer.to_html()


@pytest.mark.server
def test_a_report_of_a_database_is_that_of_the_same_rows_in_memory() -> None:
    address = databases.postgresql_address()
    columns = (sa.Column("birthdate", sa.Date), sa.Column("zip", sa.Text), sa.Column("gender", sa.Text))
    databases.fill(address, sa.Table("report_people", sa.MetaData(), *columns), PEOPLE.to_pylist())
    answer = idbits.report(address, QID, by="gender", table="report_people", where="gender <> 'Secret7'")
    mine, own = json.loads(answer.to_json()), json.loads(idbits.report(PEOPLE, QID, by="gender").to_json())
    for name in ("entropy_bits", "singletons", "spectrum", "groups", "gain_table"):
        assert mine["measurement"][name] == own["measurement"][name]
    for name in ("minimal", "contribution", "together"):
        assert mine["columns"][name] == own["columns"][name]
    assert mine["gain"]["rig"] == own["gain"]["rig"]
    assert mine["changes"]["tried"] == []
    assert "is in a database" in mine["changes"]["reasons"]["smallest"]
    assert "Treatments: the table is in a database or on a cluster" in answer.to_html()
    assert mine["origin"]["sha256"] is None
    assert "a database has no file to hash" in answer.to_html()
    assert "What report_people gives away" in answer.to_html()
    assert "Secret7" not in answer.to_html() + answer.to_json() + answer.to_markdown()


@pytest.mark.big
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_and_notebooks(kind: str) -> None:
    frame = PEOPLE.to_pandas() if kind == "pandas" else pl.from_arrow(PEOPLE)
    answer = idbits.report(frame, qid=QID, by="gender")
    assert answer.measurement.figures == REPORT.measurement.figures
    assert answer.changes == REPORT.changes
    shown = answer._repr_html_()
    assert "Do not hand this over as it is" in shown
    assert "<script" not in shown
    assert "idbits.report(frame, ['birthdate', 'zip', 'gender'], by='gender')" in answer.to_markdown().replace("\\", "")
