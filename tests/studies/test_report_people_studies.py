"""Combinations of columns and information gain in reports about people with several rows."""

import math
import random
import re
import sqlite3
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import idbits
from idbits.engines import pair_counts
from idbits.engines.backends.persons import PersonRequest
from idbits.engines.open import open_table
from idbits.reading import OpenOptions
from idbits.render.page import Section, plain
from idbits.studies.columns.study import column_subsets
from idbits.studies.shared.persons import PersonOptions
from idbits.values.attributes import parse_attributes

COLUMNS = ["age", "place", "sex"]


def visits(seed: int = 1, n: int = 240, people: int = 40) -> pa.Table:
    draw = random.Random(seed)
    return pa.table(
        {
            "person": [*range(people), *(draw.randrange(people) for _ in range(n - people))],
            "age": [draw.randrange(12) for _ in range(n)],
            "place": [draw.choice("abcdefgh") for _ in range(n)],
            "sex": [draw.choice("FM") for _ in range(n)],
        }
    )


def section(report: idbits.Report, name: str) -> Section:
    return next(part for part in report.page.sections if part.name == name)


def unique_people(table: pa.Table, columns: tuple[str, ...], knows: str) -> float:
    """Count unique people slowly, by the definitions."""
    records = defaultdict(list)
    for row in table.to_pylist():
        records[row["person"]].append(tuple(row[name] for name in columns))
    if knows == "all-records":
        sets = Counter(frozenset(own) for own in records.values())
        return sum(sets[frozenset(own)] == 1 for own in records.values())
    having = Counter(value for own in records.values() for value in set(own))
    alone = [[having[value] == 1 for value in own] for own in records.values()]
    return sum(map(any, alone)) if knows == "one-record" else math.fsum(sum(own) / len(own) for own in alone)


@pytest.mark.parametrize("knows", ["one-record", "any-record", "all-records"])
def test_combinations_are_those_of_people(knows: str) -> None:
    table = visits()
    report = idbits.report(table, COLUMNS, person="person", knows=knows, sections="columns")
    answer = report.columns
    assert answer is not None
    assert answer.n_people == 40
    assert len(answer.subsets) == 7
    for subset in answer.subsets:
        assert subset.figures.singletons == pytest.approx(unique_people(table, subset.columns, knows))
    study = idbits.columns(table, COLUMNS, person="person", knows=knows)
    assert (answer.subsets, answer.contribution) == (study.subsets, study.contribution)
    (figure,) = [each for each in section(report, "columns").figures if each.title.startswith("How many columns")]
    by_size = figure.table
    assert by_size is not None
    best = [
        max(unique_people(table, columns, knows) for columns in combinations(COLUMNS, size)) / 40 for size in (1, 2, 3)
    ]
    assert [bar.value / 40 for bar in figure.chart.rows] == pytest.approx(best)
    who = {
        "one-record": "people with a record whose values nobody else has",
        "any-record": "people whose record, drawn at random, has values that nobody else has (expected)",
        "all-records": "people whose set of records nobody else has",
    }
    assert by_size.caption == f"unique: share of {who[knows]}."


def largest_gains(table: pa.Table) -> dict[int, float]:
    """Return the largest RIG among each person's rows, by the definition of information gain."""
    rows = [(row["person"], tuple(row[name] for name in COLUMNS)) for row in table.to_pylist()]
    priors = [Counter(values[column] for _, values in rows) for column in range(len(COLUMNS))]
    given: dict[Any, Counter[Any]] = defaultdict(Counter)
    for _, values in rows:
        for column, value in enumerate(values):
            given[column, values[:column] + values[column + 1 :]][value] += 1
    gains: dict[int, float] = defaultdict(float)
    for person, values in rows:
        rig = 0.0
        for column in range(len(COLUMNS)):
            posterior = given[column, values[:column] + values[column + 1 :]]
            total = sum(posterior.values())
            rig += sum(
                n / total * math.log2(n / total / (priors[column][value] / len(rows))) for value, n in posterior.items()
            )
        gains[person] = max(gains[person], rig)
    return gains


def percent(cell: str) -> float:
    return float(cell.rstrip("%")) / 100


@pytest.mark.parametrize("seed", [1, 2])
def test_shares_of_information_gain_are_of_people_not_rows(seed: int) -> None:
    table = visits(seed)
    report = idbits.report(table, COLUMNS, person="person", sections="gain")
    gain = report.gain
    assert gain is not None
    gains = largest_gains(table)
    assert gain.rig["mean"] == pytest.approx(math.fsum(gains.values()) / 40)
    assert gain.rig["max"] == pytest.approx(max(gains.values()))
    above = section(report, "gain").figures[1].table
    assert above is not None
    assert above.columns == ("bits", "people", "share")
    for bits, people, share in above.rows:
        expected = sum(rig > float(bits) + 1e-9 for rig in gains.values())
        assert int(people) == expected
        assert percent(share) == pytest.approx(expected / 40, abs=5e-5)
    assert percent(above.rows[0][2]) == 1
    (found,) = re.findall(r"; (\d+) people \(([\d.]+%)\) are at or above", section(report, "gain").text[1])
    assert percent(found[1]) == pytest.approx(int(found[0]) / 40, abs=5e-5)
    assert int(found[0]) == gain.people_at_threshold > 0


def test_information_gain_is_that_of_the_study_whatever_the_attacker_of_the_page_knows() -> None:
    table = visits()
    study = idbits.gain(table, columns=COLUMNS, person="person")
    for knows in ("one-record", "any-record", "all-records"):
        report = idbits.report(table, COLUMNS, person="person", knows=knows, sections="people,gain")
        assert report.gain is not None
        assert report.gain.figures == study.figures
        assert report.gain.people == study.people
        assert "all cells of one record of a person but one" in section(report, "gain").text[0]
        assert "Unless a section says otherwise" in section(report, "people").text[1]


def test_cells_and_columns_are_those_of_records() -> None:
    report = idbits.report(visits(), COLUMNS, person="person")
    part = section(report, "gain")
    assert "bits per record on average" in part.text[0]
    cells, _, columns = (figure.table for figure in part.figures)
    assert cells is not None
    assert columns is not None
    assert cells.columns[:2] == ("record", "people")
    assert columns.caption.startswith("mean gain: bits learnt about the column per record")
    assert part.figures[0].chart.title == "records, most exposed first"
    assert report.gain is not None
    assert report.gain.figures.rig_sum is not None
    assert "All records of a person add up to" in part.text[1]
    missing = "Combinations of columns and information gain for an attacker who knows more than one record of a person."
    assert missing in section(report, "not-assessed").items
    words = {term.name for term in section(report, "glossary").terms}
    assert {"RIG of a person", "adds, part", "the most telling record"} <= words


def test_all_records_leave_only_information_gain_to_one_record() -> None:
    report = idbits.report(visits(), COLUMNS, person="person", knows="all-records")
    missing = "Information gain for an attacker who knows more than one record of a person."
    assert missing in section(report, "not-assessed").items


def test_a_column_that_adds_more_than_it_has_is_explained() -> None:
    """By one record, two columns can give away more together than the sum of both."""
    table = pa.table({"person": [1, 1, 2, 2], "a": list("xyxy"), "b": list("uvvu")})
    report = idbits.report(table, ["a", "b"], person="person")
    assert report.columns is not None
    assert all(part.conditional_bits > part.entropy_bits for part in report.columns.contribution)
    explained = "That may be more than it gives away by itself, because a record can tell more"
    assert explained in plain(section(report, "columns").figures[-1].words)
    one_row = idbits.report(visits(), COLUMNS, rows_are_people=True)
    assert "adds: the bits that a column adds" in plain(section(one_row, "columns").figures[-1].words)
    assert "That may be more" not in plain(section(one_row, "columns").figures[-1].words)


def test_rows_without_a_person_are_in_no_combination_and_no_gain() -> None:
    table = visits()
    people = [None if index % 7 == 3 else person for index, person in enumerate(table["person"].to_pylist())]
    with_nulls = table.set_column(0, "person", pa.array(people))
    kept = with_nulls.filter(pa.compute.is_valid(with_nulls["person"]))
    report = idbits.report(with_nulls, COLUMNS, person="person", null_person="drop")
    filtered = idbits.report(kept, COLUMNS, person="person")
    assert report.columns is not None
    assert report.columns.subsets == filtered.columns.subsets
    assert report.gain.figures == filtered.gain.figures
    assert report.gain.sweep == filtered.gain.sweep


def test_equal_records_are_not_counted_in_combinations() -> None:
    report = idbits.report(visits(), COLUMNS, person="person", knows="all-records", multiset=True)
    assert report.columns is None
    reason = "equal records of a person count, and combinations are counted without them"
    assert report.to_dict()["reasons"]["columns"] == reason
    assert f"Combinations of columns were not assessed: {reason}." in section(report, "columns").text
    assert report.gain is not None
    table = open_table(visits(), OpenOptions())
    table.load(["person", *COLUMNS])
    person = PersonOptions(column="person", knows="all-records", multiset=True)
    with pytest.raises(idbits.InputError, match="cannot be counted with equal records"):
        column_subsets(
            table, parse_attributes(COLUMNS, table.columns), OpenOptions(), share=0.5, work_rows=1, fewest_sets=1,
            seed=0, source=None, person=person,
        )  # fmt: skip


def test_sets_of_records_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is unique by one record, so every study wants to know who is by all records."""
    pairs = list(combinations("abcdefg", 2))
    values = [value for pair in pairs for value in pair]
    table = pa.table({"person": [n for n, _ in enumerate(pairs) for _ in range(2)], "a": values, "b": values})
    counted: list[PersonRequest] = []
    count_people = pair_counts.count_people

    def count_and_note(pairs: Any, request: PersonRequest) -> Any:
        counted.append(request)
        return count_people(pairs, request)

    monkeypatch.setattr(pair_counts, "count_people", count_and_note)
    report = idbits.report(table, ["a", "b"], person="person")
    assert sum(request.sets for request in counted) == 1
    monkeypatch.undo()
    assert report.columns is not None
    assert report.gain is not None
    study = idbits.columns(table, ["a", "b"], person="person")
    assert report.columns.together_all_records == study.together_all_records
    assert study.together_all_records is not None
    assert study.together_all_records.singletons == 21
    gain = idbits.gain(table, columns=["a", "b"], person="person")
    assert report.gain.people == gain.people


def test_a_database_combines_few_columns(tmp_path: Path) -> None:
    table = visits()
    names = ["age", "place", "sex", "more", "most"]
    path = tmp_path / "visits.db"
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE visits (person INTEGER, {', '.join(names)})")
        rows = [(*row.values(), row["age"] % 2, row["age"] % 5) for row in table.to_pylist()]
        database.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?)", rows)
    database.close()
    report = idbits.report(f"sqlite:///{path}", names, person="person", table="visits", sections="columns,gain,sweep")
    answer = report.columns
    assert answer is not None
    assert answer.n_counted == 15
    assert [column.column for column in answer.left_out] == ["sex"]
    for subset in answer.subsets:
        own = tuple(name for name in subset.columns if name in COLUMNS)
        if own == subset.columns:
            assert subset.figures.singletons == unique_people(table, own, "one-record")
    assert report.gain is not None
    assert report.sweep_reason == "each step would need another query to the database"
