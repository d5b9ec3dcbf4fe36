"""The rows of treated files, compared with a slow program that treats people one by one."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits

People = list[dict[str, Any]]
COLUMNS = ["born", "age", "zip", "job", "illness"]


def people_of(seed: int, number: int = 300) -> People:
    draw = random.Random(seed)
    jobs = ["cook", "nurse", "judge", "clerk", "smith", None]
    return [
        {
            "born": date(draw.randint(1950, 1999), draw.randint(1, 12), draw.randint(1, 28)),
            "age": draw.choice([None, *range(18, 70)]),
            "zip": f"{draw.randint(10, 13)}{draw.randint(0, 20):02}",
            "job": draw.choices(jobs, [9, 7, 5, 1, 1, 2])[0],
            "illness": draw.choice("abc"),
        }
        for _ in range(number)
    ]


def write_csv(path: Path, people: People) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(people)


def slow_labels(people: People) -> dict[str, Callable[[Any], str | None]]:
    """Return the meaning of each view, written down once more."""
    frequent = [job for job, _ in Counter(p["job"] for p in people if p["job"]).most_common(2)]

    def band(width: int) -> Callable[[int], str]:
        return lambda age: f"{age // width * width}-{age // width * width + width - 1}"

    return {
        "born:year": lambda born: str(born.year),
        "born:year:band5": lambda born: f"{born.year // 5 * 5}-{born.year // 5 * 5 + 4}",
        "born:quarter": lambda born: f"{born.year}-Q{(born.month + 2) // 3}",
        "born:month": lambda born: f"{born.year}-{born.month:02}",
        "born": lambda born: born.isoformat(),
        "born:all": lambda _: "*",
        "age": str,
        "age:band20": band(20),
        "age:band5": band(5),
        "age:round10": lambda age: str((age + 5) // 10 * 10),
        "age:cap60": lambda age: str(min(age, 60)),
        "age:all": lambda _: "*",
        "zip": lambda code: code,
        "zip:prefix2": lambda code: f"{code[:2]}**",
        "zip:prefix1": lambda code: f"{code[:1]}***",
        "job": lambda job: job,
        "job:top2": lambda job: job if job in frequent else "other",
        "job:all": lambda _: "*",
    }


def slowly_treated(people: People, views: list[str], least: int) -> list[list[str]]:
    labels = slow_labels(people)
    rows = []
    for person in people:
        row: dict[str, str | None] = {name: None if v is None else str(v) for name, v in person.items()}
        for view in views:
            column = view.partition(":")[0]
            value = person[column]
            row[column] = labels[view](value) if value is not None or view.endswith(":all") else None
        rows.append(row)
    used = [view.partition(":")[0] for view in views]
    sizes = Counter(tuple(row[name] for name in used) for row in rows)
    kept = [row for row in rows if sizes[tuple(row[name] for name in used)] >= least]
    lines = [[row[name] or "" for name in COLUMNS] for row in kept]
    return sorted(lines, key=lambda line: [cell.encode() for cell in line])


def rows_in(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))[1:]


VIEWS = {
    "born": ["born:year", "born:year:band5", "born:quarter", "born:month", "born", "born:all"],
    "age": ["age", "age:band20", "age:band5", "age:round10", "age:cap60", "age:all"],
    "zip": ["zip", "zip:prefix2", "zip:prefix1"],
    "job": ["job", "job:top2", "job:all"],
}


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.tuples(*(st.sampled_from(views) for views in VIEWS.values())),
    st.integers(1, 4),
    st.integers(1, 6),
)
def test_a_slow_program_writes_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, seed: int, views: tuple[str, ...], used: int, least: int
) -> None:
    folder, people = tmp_path_factory.mktemp("rows"), people_of(seed, 60)
    write_csv(folder / "people.csv", people)
    chosen = list(views[:used])
    expected = slowly_treated(people, chosen, least)
    others = [name for name in COLUMNS if name not in {view.partition(":")[0] for view in chosen}]
    options = {"out": folder / "out.csv", "qid": chosen, "withhold_below": least, "keep_identifier": others}
    if not expected:
        with pytest.raises(idbits.RefusedError):
            idbits.apply(folder / "people.csv", **options)
        return
    answer = idbits.apply(folder / "people.csv", **options)
    assert rows_in(folder / "out.csv") == expected
    assert answer.withheld.people == len(people) - len(expected)
    # What the receipt says is what anybody measures in the file.
    measured = idbits.measure(folder / "out.csv", [view.partition(":")[0] for view in chosen])
    assert answer.after.to_dict() == measured.figures.to_dict()


@pytest.fixture
def people(tmp_path: Path) -> Path:
    write_csv(tmp_path / "people.csv", people_of(1))
    return tmp_path / "people.csv"


QID = "born:year:band5,zip:prefix2,job:top2"


def test_bytes_do_not_depend_on_the_run_or_the_order_of_the_source(people: Path, tmp_path: Path) -> None:
    first = idbits.apply(people, out=tmp_path / "a.csv", qid=QID, withhold_below=3)
    second = idbits.apply(people, out=tmp_path / "b.csv", qid=QID, withhold_below=3, threads=1)
    shuffled = people_of(1)
    random.Random(5).shuffle(shuffled)
    write_csv(tmp_path / "shuffled.csv", shuffled)
    idbits.apply(tmp_path / "shuffled.csv", out=tmp_path / "c.csv", qid=QID, withhold_below=3)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()
    assert first.output == second.output


def test_bytes_do_not_depend_on_the_types_of_the_source(people: Path, tmp_path: Path) -> None:
    """A CSV file is sorted by its texts, even if the source has numbers and dates."""
    rows = people_of(1)
    frame = pa.table({name: [row[name] for row in rows] for name in COLUMNS})
    qid = "born:month,age,zip:prefix1"
    idbits.apply(people, out=tmp_path / "a.csv", qid=qid)
    idbits.apply(frame, out=tmp_path / "b.csv", qid=qid)
    idbits.apply(frame, out=tmp_path / "c.csv", qid=f"{qid},job")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()


def test_a_treated_file_stays_as_it_is_when_its_columns_do(people: Path, tmp_path: Path) -> None:
    idbits.apply(people, out=tmp_path / "a.csv", qid=QID, withhold_below=3)
    again = idbits.apply(tmp_path / "a.csv", out=tmp_path / "b.csv", qid="born,zip,job", withhold_below=3)
    assert again.withheld.people == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    idbits.apply(people, out=tmp_path / "a.parquet", qid=QID, withhold_below=3)
    idbits.apply(tmp_path / "a.parquet", out=tmp_path / "b.parquet", qid="born,zip,job", withhold_below=3)
    assert pq.read_table(tmp_path / "a.parquet") == pq.read_table(tmp_path / "b.parquet")


def test_rows_can_keep_their_order(people: Path, tmp_path: Path) -> None:
    idbits.apply(people, out=tmp_path / "a.csv", qid="born:year", drop="zip", rows="kept")
    assert [row[0] for row in rows_in(tmp_path / "a.csv")] == [str(person["born"].year) for person in people_of(1)]
    assert [row[3] for row in rows_in(tmp_path / "a.csv")] == [person["illness"] for person in people_of(1)]


def typed() -> pa.Table:
    n = 40
    return pa.table(
        {
            "born": pa.array([date(1950 + i % 4, 1 + i % 12, 1) for i in range(n)]),
            "small": pa.array([252 + i % 4 for i in range(n)], pa.uint8()),
            "price": pa.array([i % 8 / 4 - 0.5 for i in range(n)]),
            "debt": pa.array([i % 12 - 6 for i in range(n)], pa.int32()),
            "cost": pa.array([Decimal(i % 5) / 4 for i in range(n)], pa.decimal128(6, 2)),
            "kind": pa.array(["x", "y"] * (n // 2)).dictionary_encode(),
            "list": pa.array([[i % 2] for i in range(n)]),
        }
    ).replace_schema_metadata({"secret": "of the source"})


def test_types_of_a_parquet_file(tmp_path: Path) -> None:
    pq.write_table(typed(), tmp_path / "typed.parquet")
    out = tmp_path / "out.parquet"
    qid = "born:year,small:round10,price:band0.5,debt:band5,cost:round1"
    idbits.apply(tmp_path / "typed.parquet", out=out, qid=qid)
    table = pq.read_table(out)
    types = dict(zip(table.column_names, map(str, table.schema.types), strict=True))
    # 255 is rounded to 260, which an unsigned byte does not hold.
    assert types.pop("list").startswith("list<")
    assert types == {
        "born": "int64", "small": "int64", "price": "string", "debt": "string", "cost": "decimal128(6, 2)",
        "kind": "string",
    }  # fmt: skip
    assert sorted(set(table.column("born").to_pylist())) == [1950, 1951, 1952, 1953]
    assert set(table.column("small").to_pylist()) == {250, 260}
    assert set(table.column("price").to_pylist()) == {"-0.5..0.0", "0.0..0.5", "0.5..1.0", "1.0..1.5"}
    assert set(table.column("debt").to_pylist()) == {"-10..-6", "-5..-1", "0-4", "5-9"}
    assert set(table.column("cost").to_pylist()) == {Decimal("0.00"), Decimal("1.00")}
    metadata = pq.read_metadata(out).metadata or {}
    assert not any(b"secret" in key for key in metadata)


def test_labels_that_begin_like_a_formula_are_protected_in_csv(tmp_path: Path) -> None:
    pq.write_table(typed(), tmp_path / "typed.parquet")
    idbits.apply(tmp_path / "typed.parquet", out=tmp_path / "out.csv", qid="debt:band5", drop="list")
    found = {row[3] for row in rows_in(tmp_path / "out.csv")}
    assert found == {"'-10..-6", "'-5..-1", "0-4", "5-9"}
    idbits.apply(tmp_path / "typed.parquet", out=tmp_path / "round.csv", qid="debt:round5", drop="list")
    assert {row[3] for row in rows_in(tmp_path / "round.csv")} == {"-5", "0", "5"}


def test_codes_of_different_length_end_in_one_character(tmp_path: Path) -> None:
    frame = pa.table({"code": ["123", "12", "1", "1299", "9"] * 4})
    idbits.apply(frame, out=tmp_path / "a.csv", qid="code:prefix2")
    assert Counter(row[0] for row in rows_in(tmp_path / "a.csv")) == {"12*": 12, "1": 4, "9": 4}


def test_null_and_empty_text_are_the_same_in_csv_only(tmp_path: Path) -> None:
    frame = pa.table({"a": ["", None, "x", "x"] * 3, "b": ["p"] * 12})
    both = idbits.apply(frame, out=tmp_path / "a.csv", qid="a", withhold_below=4)
    assert (both.withheld.people, both.after.n_sets) == (0, 2)
    apart = idbits.apply(frame, out=tmp_path / "a.parquet", qid="a")
    assert apart.after.n_sets == 3
    assert sorted(map(str, pq.read_table(tmp_path / "a.parquet").column("a").unique().to_pylist())) == ["", "None", "x"]


def test_one_column_with_missing_values(tmp_path: Path) -> None:
    frame = pa.table({"a": [None, "x", "x", None]})
    answer = idbits.apply(frame, out=tmp_path / "a.csv", qid="a", withhold_below=2)
    assert (tmp_path / "a.csv").read_text() == 'a\n""\n""\nx\nx\n'
    assert idbits.measure(tmp_path / "a.csv", "a").figures.to_dict() == answer.after.to_dict()


def test_not_a_number_is_a_missing_value(tmp_path: Path) -> None:
    frame = pa.table({"a": [float("nan"), None, 1.5, 1.5], "b": [float("nan")] * 4})
    answer = idbits.apply(frame, out=tmp_path / "a.csv", qid="a", withhold_below=2)
    assert answer.after.n_sets == 2
    assert rows_in(tmp_path / "a.csv") == [["", "nan"], ["", "nan"], ["1.5", "nan"], ["1.5", "nan"]]


@pytest.mark.parametrize(
    ("qid", "options", "sentence"),
    [
        ("a:top1", {}, '"other" is already a value of column "a"; choose another word with rest='),
        ("a:all", {}, '"\\*" is already a value of column "a"; choose another text with blank='),
        ("b:prefix1", {}, '"b:prefix1" would write is already a value of column "b"; choose another character'),
        ("a:top1", {"rest": "*"}, "rest="),
    ],
)
def test_a_text_that_is_already_a_value(tmp_path: Path, qid: str, options: dict[str, str], sentence: str) -> None:
    frame = pa.table({"a": ["other", "*", "x", "x"], "b": ["12", "1*", "13", "22"]})
    with pytest.raises(idbits.InputError, match=sentence):
        idbits.apply(frame, out=tmp_path / "a.csv", qid=qid, **options)
    assert list(tmp_path.iterdir()) == []


def test_other_words(tmp_path: Path) -> None:
    frame = pa.table({"a": ["other", "*", "x", "x"] * 3, "b": ["12", "1*", "13", "22"] * 3, "c": ["*"] * 12})
    idbits.apply(frame, out=tmp_path / "a.csv", qid="a:top1,b:prefix1,c:all", rest="rest", blank="#")
    rows = rows_in(tmp_path / "a.csv")
    assert Counter(row[0] for row in rows) == {"x": 6, "rest": 6}
    assert Counter(row[1] for row in rows) == {"1#": 9, "2#": 3}
    assert {row[2] for row in rows} == {"#"}


def test_columns_that_are_given_up_can_be_left_out(people: Path, tmp_path: Path) -> None:
    answer = idbits.apply(people, out=tmp_path / "a.csv", qid="born:all,job", drop_empty=True, drop="zip")
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == "age,job,illness"
    assert answer.columns[0].values_after is None
    assert answer.dropped == ("born", "zip")
    everything = idbits.apply(people, out=tmp_path / "b.csv", qid="born:all", drop_empty=True, withhold_below=300)
    assert (everything.after.n_sets, everything.after.k_min) == (1, 300)


TEXTS = st.text(
    st.one_of(st.sampled_from(list(",;\"'\n\r\t =+-@#\\ ")), st.characters(codec="utf-8", exclude_characters="\x00")),
    max_size=6,
)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.none() | TEXTS, st.none() | TEXTS), min_size=1, max_size=12), st.booleans())
def test_any_text_survives(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, Any]], parquet: bool
) -> None:
    """What another program reads in the file is what was in the table; a CSV file has no null."""
    folder = tmp_path_factory.mktemp("texts")
    frame = pa.table(
        {"a": pa.array([a for a, _ in rows], pa.string()), "b": pa.array([b for _, b in rows], pa.string())}
    )
    out = folder / ("out.parquet" if parquet else "out.csv")
    idbits.apply(frame, out=out, qid="a", keep_identifier="b", rows_are_people=True)
    if parquet:
        assert Counter(tuple(row.values()) for row in pq.read_table(out).to_pylist()) == Counter(rows)
        return
    with out.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    assert header == ["a", "b"]
    assert Counter(map(tuple, lines)) == Counter((a or "", b or "") for a, b in rows)
