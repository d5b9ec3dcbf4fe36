"""Every study in Spark gives DuckDB's answer with ``==``, and the rows stay where they are."""

import random
from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest

import clusters
import idbits
from idbits.engines import coded_points
from idbits.engines.spark import SparkTable
from idbits.engines.spark.events import PointFrame
from idbits.engines.spark.person_subsets import SparkPersonSubsets
from idbits.examples.visits import visits

MEASURED: list[dict[str, Any]] = [
    {"qid": ["born:year", "zip", "sex"]},
    {"qid": "zip,age:band5", "by": "sex", "values": True, "reveal": True, "suppress": 3, "where": "age >= 18"},
    {"qid": "zip,age:band5", "values": True},
    {"qid": "income:band0.5,zip:top2", "reveal": True},
]
GAINED: list[dict[str, Any]] = [
    {"columns": ["zip", "sex", "age:band20"], "growth": "given"},
    {"columns": ["zip", "sex", "born:year"], "attacker": "named:sex,zip", "accuracy": {"zip": 0.5}},
    {"columns": ["zip:top2", "sex"], "attacker": "knows:1"},
    {"columns": ["zip:top2", "sex"], "analysis": "age:band30", "attacker": "named:sex"},
    {
        "columns": ["sex", "age:band30"],
        "prior": {"sex": pyarrow.table({"sex": ["M", "X"], "count": [10, 30]})},
        "smoothing": 0.1,
        "sweep": "age:band45",
    },
]
PERSONS: list[dict[str, Any]] = [
    {"columns": ["zip:top2", "sex", "age:band20"], "growth": "given", "sweep": "age:band45", "null_person": "own"},
    {"columns": ["zip", "sex"], "attacker": "named:sex", "accuracy": {"zip": 0.5}, "null_person": "drop"},
]
EVENTS = visits(30)
NAMES = ["an", "bea", "cor", "dirk", "els", "fem", "guus", "hans", "ida", "jan"]
ASKED: list[dict[str, Any]] = [
    {"max_events": 30},
    {"attributes": "place", "period": "2005"},
    {"attributes": "place:prefix1", "period": "2005", "gain": True},
    {"attributes": "place", "points": "1..2,all", "coarser": ["place:prefix2"], "times": "day,month"},
]


@pytest.mark.parametrize("asked", MEASURED, ids=str)
def test_measure(frame, people, same, asked, place):
    same(idbits.measure(frame, **asked), idbits.measure(people, **asked))


def test_measure_against_a_population(frame, people, same):
    ours = idbits.measure(frame.where("age < 50"), "zip,born:year", population=frame)
    same(ours, idbits.measure(people, "zip,born:year", where="age < 50", population=people))


def test_population(frame, people, same):
    asked: dict[str, Any] = {"people": 10_000_000, "sizes": "1e6", "all": True}
    same(
        idbits.population(frame, "zip,born:year,sex", **asked), idbits.population(people, "zip,born:year,sex", **asked)
    )


def test_inspect(frame, people, same):
    same(idbits.inspect(frame), idbits.inspect(people))


def test_columns(frame, people, same, place):
    asked: dict[str, Any] = {"candidates": ["born:year", "zip:top2", "sex", "age:band10"], "max_bits": 4.0}
    same(idbits.columns(frame, **asked), idbits.columns(people, **asked))


def test_more_columns_than_all_subsets_can_be_counted_of(same, tmp_path, place):
    wide = pyarrow.table({f"c{i}": [(row * (i + 3)) % (2 + i % 3) for row in range(60)] for i in range(11)})
    asked: dict[str, Any] = {"candidates": wide.column_names, "max_size": 2}
    same(idbits.columns(clusters.frame_of(wide, tmp_path), **asked), idbits.columns(wide, **asked))


def test_a_report_counts_combinations_on_the_cluster(frame, people, monkeypatch, on_cluster):
    asked: dict[str, Any] = {"qid": ["zip", "sex", "age:band10"], "sections": "columns"}
    theirs = idbits.report(people, **asked)
    monkeypatch.setattr(SparkTable, "coded_rows", None)
    ours = idbits.report(frame, **asked)
    assert ours.columns is not None
    assert ours.columns.to_dict() == theirs.columns.to_dict()


def test_a_whole_report_of_a_cluster_leaves_out_what_it_cannot_make(frame, on_cluster):
    report = idbits.report(frame, "zip,sex", sensitive="age:band20", fraction=0.5)
    assert "</html>" in report.to_html()
    shown = {section.name: section for section in report.page.sections}
    assert {"sizes", "bits", "columns", "not-assessed"} <= set(shown)
    assert "changes" not in shown
    assert any(item.startswith("Treatments: ") for item in shown["not-assessed"].items)
    for name in ("disclosure", "population", "gain"):
        assert (name in shown) == (name not in report.reasons)


def test_a_check_counts_on_the_cluster(people, tmp_path, monkeypatch, on_cluster):
    pyarrow.parquet.write_table(people, tmp_path / "people.parquet")
    dataset = 'name = "people"\nsource = "people.parquet"\nqid = ["zip", "sex", "age:band10"]\n'
    rules = 'rules = ["k_min >= 1", "pif <= 99", "rig.p95 <= 99"]\n'
    (tmp_path / "here.toml").write_text(f"[[dataset]]\n{dataset}{rules}")
    (tmp_path / "cluster.toml").write_text(f'[[dataset]]\n{dataset}{rules}engine = "spark"\n')
    theirs = idbits.check(tmp_path / "here.toml")
    assert theirs.passed
    monkeypatch.setattr(SparkTable, "coded_rows", lambda *_: pytest.fail("rows came to the driver"))
    ours = idbits.check(tmp_path / "cluster.toml").to_dict()
    expected = theirs.to_dict()
    # What columns of text contain is only looked at on this machine.
    assert ours["figures"]["people"].pop("column_contents") == {}
    assert set(expected["figures"]["people"].pop("column_contents")) == {"zip", "sex"}
    assert ours == expected


@pytest.mark.parametrize("asked", GAINED, ids=lambda asked: str(asked)[:60])
def test_gain(frame, people, same, asked, place):
    same(idbits.gain(frame, **asked), idbits.gain(people, **asked))


@pytest.fixture
def visitors(people) -> pyarrow.Table:
    """People with several rows, and rows of nobody."""
    return people.append_column("who", pyarrow.array([f"p{n % 150}" if n % 7 else None for n in range(len(people))]))


@pytest.mark.parametrize("asked", PERSONS, ids=lambda asked: str(asked)[:60])
def test_gain_of_people_with_several_rows(visitors, same, tmp_path, monkeypatch, asked):
    frame = clusters.frame_of(visitors, tmp_path)
    theirs = idbits.gain(visitors, person="who", **asked)
    monkeypatch.setattr(SparkTable, "coded_rows", lambda *_: pytest.fail("rows came to the driver"))
    same(idbits.gain(frame, person="who", **asked), theirs)
    assert theirs.figures.rig_sum is not None


def test_cells_of_people_with_several_rows(visitors, tmp_path):
    pyarrow.parquet.write_table(visitors, tmp_path / "visitors.parquet")
    asked: dict[str, Any] = {"columns": ["zip", "sex"], "person": "who", "null_person": "drop", "cells": True}
    ours = idbits.gain(tmp_path / "visitors.parquet", **asked, engine="spark")
    theirs = idbits.gain(tmp_path / "visitors.parquet", **asked)
    assert ours.cells.to_pydict() == theirs.cells.to_pydict()
    assert ours.to_dict() == theirs.to_dict()


@pytest.mark.parametrize("knows", ["one-record", "any-record", "all-records"])
def test_columns_of_people_with_several_rows(visitors, same, tmp_path, monkeypatch, knows, place):
    counted, together = [], SparkPersonSubsets._count_together
    monkeypatch.setattr(
        SparkPersonSubsets, "_count_together", lambda self, masks: counted.append(masks) or together(self, masks)
    )
    asked: dict[str, Any] = {"candidates": ["zip:top2", "sex", "age:band45"], "person": "who", "null_person": "drop"}
    ours = idbits.columns(clusters.frame_of(visitors, tmp_path), **asked, knows=knows)
    same(ours, idbits.columns(visitors, **asked, knows=knows))
    assert [len(masks) for masks in counted] == ([3, 4] if place == "cluster" else [])


def test_information_gain_of_a_report_and_of_an_open_table_stays_on_the_cluster(frame, people, monkeypatch, on_cluster):
    expected = idbits.report(people, "zip,sex,age:band20", sections="gain").gain
    monkeypatch.setattr(SparkTable, "coded_rows", lambda *_: pytest.fail("rows came to the driver"))
    gained = idbits.report(frame, "zip,sex,age:band20", sections="gain").gain
    assert gained.to_dict() == expected.to_dict()


def test_the_work_grows_with_the_features_not_with_their_subsets(same, tmp_path, on_cluster):
    wide = pyarrow.table({f"c{i}": [row * (i + 3) % (2 + i % 3) for row in range(40)] for i in range(10)})
    asked = {"columns": wide.column_names, "attacker": "named:c0,c1"}
    same(idbits.gain(clusters.frame_of(wide, tmp_path), **asked), idbits.gain(wide, **asked))


def test_gain_of_two_versions(frame, people, same, place):
    young = people.filter(pyarrow.compute.less(people["age"], 50))
    ours = idbits.gain(frame, columns=["zip", "sex"], compare=frame.where("age < 50"), target="born:year")
    same(ours, idbits.gain(people, columns=["zip", "sex"], compare=young, target="born:year"))


def test_utility_beyond_chance(same, tmp_path, place):
    working = pyarrow.table(
        {"age": [*range(20, 60)] * 5, "job": ["x" if age < 38 else "y" for age in range(20, 60)] * 5}
    )
    asked: dict[str, Any] = {"columns": ["age", "job"], "sweep": "age:band10,age:band50", "compare": working}
    ours = idbits.gain(clusters.frame_of(working, tmp_path), **asked)
    same(ours, idbits.gain(working, **asked))
    assert ours.comparison.utility.kept == 1.0
    assert 0 < ours.sweep[1].utility < 1


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_events(same, tmp_path, asked):
    frame = clusters.frame_of(EVENTS, tmp_path)
    same(idbits.events(frame, "patient", "date", **asked), idbits.events(EVENTS, "patient", "date", **asked))


@pytest.fixture
def visits_file(tmp_path):
    clusters.spark()
    (tmp_path / "visits").mkdir()
    pyarrow.parquet.write_table(EVENTS, tmp_path / "visits" / "1.parquet")
    return tmp_path / "visits" / "1.parquet"


def test_a_stopped_count_is_carried_on(same, visits_file, tmp_path, monkeypatch):
    asked: dict[str, Any] = {"attributes": "place", "period": "2005-01-10..2005-04"}
    on_cluster = asked | {"engine": "spark", "resume": tmp_path / "kept"}
    count, months = PointFrame._counted_spectra, []

    def stopped(points: PointFrame, first: int, last: int) -> Any:
        months.append(first)
        if len(months) == 3:
            raise KeyboardInterrupt
        return count(points, first, last)

    monkeypatch.setattr(PointFrame, "_counted_spectra", stopped)
    with pytest.raises(KeyboardInterrupt):
        idbits.events(visits_file, "patient", "date", **on_cluster)
    assert len(list((tmp_path / "kept").glob("days-*.json"))) == 2
    ours = idbits.events(visits_file, "patient", "date", **on_cluster)
    assert len(months) == 3 + 2
    same(ours, idbits.events(visits_file, "patient", "date", **asked))
    with pytest.raises(idbits.InputError, match="another question"):
        idbits.events(visits_file, "patient", "date", **(on_cluster | {"attributes": ()}))
    pyarrow.parquet.write_table(EVENTS.slice(1), visits_file)
    with pytest.raises(idbits.InputError, match="another question"):
        idbits.events(visits_file, "patient", "date", **on_cluster)


def test_points_that_are_drawn_here_are_kept(same, visits_file, tmp_path, monkeypatch):
    asked: dict[str, Any] = {"period": "2005-01", "points": "3", "draws": 100, "times": "day"}
    on_cluster = asked | {"engine": "spark", "resume": tmp_path / "kept"}
    first = idbits.events(visits_file, "patient", "date", **on_cluster)
    monkeypatch.setattr(coded_points, "load_points", None)
    same(idbits.events(visits_file, "patient", "date", **on_cluster), first)
    monkeypatch.undo()
    same(first, idbits.events(visits_file, "patient", "date", **asked))


def test_events_with_texts_that_are_no_dates(same, tmp_path):
    events = pyarrow.table(
        {
            "who": ["a", "a", "b", "b", None, "c", "c", "c"],
            "when": ["03.01.2005", "25.01.2005", "03.01.2005", "25.01.2005", "25.01.2005", "soon", None, "26.01.2005"],
        }
    )
    frame = clusters.frame_of(events, tmp_path)
    same(idbits.events(frame, "who", "when"), idbits.events(events, "who", "when"))


def days_since_1970(*days: int) -> pyarrow.Array:
    return pyarrow.array(days, pyarrow.int32()).cast(pyarrow.date32())


@pytest.mark.parametrize("points", [None, "3"])
def test_events_of_years_that_no_date_has(same, tmp_path, points):
    before, after = -719_163, 2_932_897
    events = pyarrow.table(
        {"who": [1, 1, 1, 1, 1, 2, 2], "when": days_since_1970(before, 12_784, 12_785, 12_900, after, 12_784, after)}
    )
    frame, asked = clusters.frame_of(events, tmp_path), {"points": points, "draws": 100, "times": "day"}
    ours = idbits.events(frame, "who", "when:month", **asked)
    assert ours.excluded.unreadable_time == 3
    same(ours, idbits.events(events, "who", "when:month", **asked))


def test_values_of_years_that_no_date_has(same, tmp_path, place):
    days = days_since_1970(-719_163, -719_163, -719_528, 2_932_897, 5)
    people = pyarrow.table({"day": days, "moment": days.cast(pyarrow.timestamp("us")), "sex": list("MFMFM")})
    frame = clusters.frame_of(people, tmp_path)
    for qid in ("day", "moment:month,sex", "day:top1,moment:top2"):
        asked: dict[str, Any] = {"qid": qid, "by": "day:quarter", "values": True, "reveal": True}
        same(idbits.measure(frame, **asked), idbits.measure(people, **asked))


def test_bytes_are_ranked_and_shown_as_everywhere(same, tmp_path):
    table = pyarrow.table({"key": [b"\xff", b"a", b"'", b"", None], "sex": list("MMFFF")})
    frame = clusters.frame_of(table, tmp_path)
    for qid in ("key", "key:top1,sex"):
        asked: dict[str, Any] = {"qid": qid, "values": True, "reveal": True}
        same(idbits.measure(frame, **asked), idbits.measure(table, **asked))


def test_three_points_are_drawn_here(same, tmp_path):
    frame, asked = clusters.frame_of(EVENTS, tmp_path), {"points": "3", "draws": 100, "times": "day"}
    same(idbits.events(frame, "patient", "date", **asked), idbits.events(EVENTS, "patient", "date", **asked))


@pytest.mark.parametrize("asked", [{}, {"cells_as": "weighted", "where": "age >= 30"}, {"cells_as": "csf"}], ids=str)
def test_the_cells_of_every_row(people, tmp_path, asked, place):
    clusters.spark()
    for number, part in enumerate((people.slice(0, 150), people.slice(150))):
        pyarrow.parquet.write_table(part, tmp_path / f"{number}.parquet", row_group_size=40)
    source, columns = str(tmp_path / "[01].parquet"), ["zip:top2", "sex", "income"]
    for name, more in (("ours", {"engine": "spark"}), ("theirs", {})):
        (tmp_path / name).mkdir()
        idbits.gain(source, columns=columns, cells=tmp_path / name / "cells.parquet", **more, **asked)
    ours, theirs = (pyarrow.parquet.read_table(tmp_path / name / "cells.parquet") for name in ("ours", "theirs"))
    assert ours == theirs


def test_the_cells_of_a_frame(frame, people, place):
    ours = idbits.gain(frame, columns=["zip", "sex"], cells=True).cells
    theirs = idbits.gain(people, columns=["zip", "sex"], cells=True).cells
    assert ours.column("row").to_pylist() == list(range(1, 401))
    assert ours == theirs


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda frame, path: idbits.randomise(frame, mechanism="response", epsilon=1), "order"),
        (lambda frame, path: idbits.events(frame, "zip", "born", resume=path / "kept"), "resume="),
    ],
)
def test_what_needs_the_rows_themselves_is_refused(frame, tmp_path, ask, said):
    with pytest.raises(idbits.InputError, match=said):
        ask(frame, tmp_path)
    assert list(tmp_path.glob("*.csv")) == []


RECORDS: list[dict[str, Any]] = [
    {"candidates": ["born", "zip", "sex", "age", "income"], "reveal": True},
    {"candidates": ["born:year", "zip:top2", "age"], "record_size": 2, "reveal": True, "where": "age >= 18"},
    {"candidates": ["zip", "sex", "income"], "count": "age"},
    {"candidates": ["sex"], "record_size": 1},
]


@pytest.mark.parametrize("asked", RECORDS, ids=str)
def test_records(frame, people, tmp_path, asked, place):
    files = [tmp_path / "ours.parquet", tmp_path / "theirs.parquet"]
    answers = [
        idbits.columns(source, records=file, **asked).to_dict()
        for source, file in zip([frame, people], files, strict=True)
    ]
    for answer in answers:
        answer["records"].pop("file")
        answer.pop("notes")
    assert answers[0] == answers[1]
    ours, theirs = [pyarrow.parquet.read_table(file) for file in files]
    assert ours == theirs
    assert ours.num_rows > 100


def test_records_of_files_have_the_numbers_of_their_rows(people, tmp_path, place):
    for number in range(3):
        pyarrow.parquet.write_table(people.slice(number * 100, 100), tmp_path / f"{number}.parquet", row_group_size=30)
    source = str(tmp_path / "[012].parquet")
    asked: dict[str, Any] = {"candidates": ["born", "zip", "age"], "where": "age >= 18"}
    (tmp_path / "files").mkdir()
    ours, theirs = tmp_path / "files" / "ours.csv", tmp_path / "files" / "theirs.csv"
    idbits.columns(source, records=ours, engine="spark", **asked)
    idbits.columns(source, records=theirs, **asked)
    assert ours.read_bytes() == theirs.read_bytes()


def test_more_sets_than_a_cluster_looks_for(tmp_path, on_cluster):
    wide = pyarrow.table({f"c{i}": [1, 2] for i in range(40)})
    with pytest.raises(idbits.InputError, match="record_size="):
        idbits.columns(clusters.frame_of(wide, tmp_path), wide.column_names, records=tmp_path / "r.csv")
    assert list(tmp_path.glob("*.csv")) == []


def test_a_stopped_search_keeps_what_is_proven(frame, place):
    answer = idbits.columns(frame, ["zip", "sex", "age"], max_seconds=1e-9)
    assert not answer.complete
    assert answer.stopped is not None


def _with_errors(n: int) -> tuple[pyarrow.Table, pyarrow.Table]:
    """Return people, and the same people with typing errors, in other orders; some rows are equal."""
    draw = random.Random(4)
    rows = [
        {"id": str(i), "name": draw.choice(NAMES) + draw.choice(NAMES), "zip": f"{1000 + draw.randrange(60)}",
         "born": f"{1950 + draw.randrange(40)}-0{1 + draw.randrange(9)}-1{draw.randrange(10)}"}
        for i in range(n)
    ]  # fmt: skip
    rows += [{**rows[0], "id": "x"}, {**rows[1], "id": None}, {**rows[1], "id": None}]
    wrong = [{**row, "zip": row["zip"][::-1]} if draw.random() < 0.2 else row for row in rows]
    wrong = [{**row, "name": row["name"][1:] or None} if draw.random() < 0.2 else row for row in wrong]
    draw.shuffle(wrong)
    return pyarrow.Table.from_pylist(rows), pyarrow.Table.from_pylist(wrong)


@pytest.mark.parametrize("options", [{}, {"truth": "id"}, {"levels": ["name=equal,edit1,edit2,else"]}], ids=str)
def test_links_by_odds(tmp_path, same, options):
    first, second = _with_errors(250)
    frames = []
    for name, table in (("first", first), ("second", second)):
        (tmp_path / name).mkdir()
        frames.append(clusters.frame_of(table, tmp_path / name))
    asked = {"on": "name,zip,born", "probabilistic": True, **options}
    found = idbits.link(*frames, **asked)
    assert "the distinct rows were fetched from Spark to compare them on this machine" in found.notes
    expected = idbits.link(first, second, **asked)
    assert expected.mean_claim.claims > 100
    same(found, expected)
    # One of the tables may be elsewhere.
    assert idbits.link(frames[0], second, **asked).thresholds == expected.thresholds
