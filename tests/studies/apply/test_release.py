"""What a treated file has besides the columns of the plan: identifiers, pseudonyms, formulas; and what is beside it."""

from __future__ import annotations

import base64
import csv
import hashlib
import hmac
import json
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import idbits
from idbits.studies.apply.receipt import without_literals

N = 60


@pytest.fixture
def people(tmp_path: Path) -> Path:
    table = pa.table(
        {
            "patient": [f"P{7919 * i % 100000:05}" for i in range(N)],
            "age": [20 + i % 30 for i in range(N)],
            "zip": [f"{1000 + 37 * i % 400}" for i in range(N)],
            "dose": [0.125 * i + 1 for i in range(N)],
            "group": [["=a", "+b", "c", "-3"][i % 4] for i in range(N)],
        }
    )
    pq.write_table(table, tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_identifiers_are_refused_until_they_are_named(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with pytest.raises(idbits.InputError, match="patient identifies people by itself; leave it out with drop="):
        idbits.apply(people, out=out, qid="age:band10", drop="dose")
    with pytest.raises(idbits.InputError, match="more than half of the rows are unique with dose alone"):
        idbits.apply(people, out=out, qid="age:band10", drop="patient,zip")
    assert not out.exists()
    assert not out.with_name("out.csv.receipt.json").exists()
    kept = idbits.apply(people, out=out, qid="age:band10,zip:prefix1", drop="patient", keep_identifier="dose")
    assert kept.kept_identifiers == ("dose",)
    assert "You kept dose" in str(kept)


def test_what_is_unique_in_half_of_the_rows_is_not_refused(tmp_path: Path) -> None:
    """Exactly half is not more than half."""
    half = ["x"] * 20 + [f"v{i * 31 % 100}" for i in range(20)]
    frame = pa.table({"age": [i % 2 for i in range(40)], "remark": half})
    idbits.apply(frame, out=tmp_path / "a.csv", qid="age")
    more = pa.table({"age": [i % 2 for i in range(41)], "remark": [*half, "another"]})
    with pytest.raises(idbits.InputError, match="more than half of the rows"):
        idbits.apply(more, out=tmp_path / "b.csv", qid="age")


def test_people_with_several_rows(tmp_path: Path) -> None:
    frame = pa.table(
        {
            "patient_id": [f"{100000 + 7919 * (i // 4) % 90000}" for i in range(400)],
            "age": [20 + i // 4 % 40 for i in range(400)],
            "visit": [i % 4 for i in range(400)],
        }
    )
    with pytest.raises(idbits.DataError, match="several rows"):
        idbits.apply(frame, out=tmp_path / "a.csv", qid="age:band10", drop="patient_id")
    with pytest.raises(idbits.DataError, match="more than one row"):
        idbits.apply(frame, out=tmp_path / "a.csv", qid="age:band10", drop="patient_id", person="patient_id")
    idbits.apply(frame, out=tmp_path / "a.csv", qid="age:band10", drop="patient_id", rows_are_people=True)


def test_pseudonyms_are_keyed_and_the_same_in_all_files(people: Path, tmp_path: Path) -> None:
    key = tmp_path / "secret.key"
    options = {"qid": "age:band10,zip:prefix1", "drop": "dose", "pseudonym": "patient", "key": key}
    idbits.apply(people, out=tmp_path / "a.csv", **options)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    secret = bytes.fromhex(key.read_text())
    assert len(secret) == 32
    # The definition, once more: 128 bits of HMAC-SHA-256 in base 32.
    expected = {
        base64.b32encode(hmac.new(secret, text.encode(), hashlib.sha256).digest()[:16]).decode().rstrip("=").lower()
        for text in pq.read_table(people).column("patient").to_pylist()
    }
    assert {row["patient"] for row in rows_in(tmp_path / "a.csv")} == expected
    assert len(expected) == N
    before = key.read_bytes()
    idbits.apply(people, out=tmp_path / "b.parquet", **options)
    assert set(pq.read_table(tmp_path / "b.parquet").column("patient").to_pylist()) == expected
    assert key.read_bytes() == before
    for file in tmp_path.iterdir():
        if file != key:
            assert secret.hex().encode() not in file.read_bytes()
            assert secret not in file.read_bytes()


def test_numbers_and_texts_have_the_same_pseudonym_and_nulls_have_none(tmp_path: Path) -> None:
    key = tmp_path / "key"
    number = [11, 12, None, 13] * 3
    for name, values in (("a", number), ("b", [None if n is None else str(n) for n in number])):
        frame = pa.table({"id": values, "sex": ["F", "M"] * 6})
        idbits.apply(frame, out=tmp_path / f"{name}.csv", qid="sex", pseudonym="id", key=key, rows_are_people=True)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert sum(row["id"] == "" for row in rows_in(tmp_path / "a.csv")) == 3


def test_keys_that_are_none(people: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    options = {"out": tmp_path / "a.csv", "qid": "age:band10", "drop": "dose,zip", "pseudonym": "patient", "key": key}
    for content in (b"", b"abc", b"0" * 30, b"\xff" * 64):
        key.write_bytes(content)
        with pytest.raises(idbits.InputError, match="is not a key of idbits"):
            idbits.apply(people, **options)
        assert key.read_bytes() == content
    key.write_text("ab" * 32)
    key.chmod(0o644)
    answer = idbits.apply(people, **options)
    assert any("others can read the key" in note for note in answer.notes)
    with pytest.raises(idbits.InputError, match="belong together"):
        idbits.apply(people, **(options | {"key": None}))


def test_a_new_key_is_not_left_behind_by_a_failure(people: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    with pytest.raises(idbits.RefusedError):
        idbits.apply(
            people, out=tmp_path / "a.csv", qid="age", drop="dose,zip", pseudonym="patient", key=key, withhold_below=99
        )
    assert not key.exists()


def test_cells_that_begin_like_formulas(people: Path, tmp_path: Path) -> None:
    drop = "patient,dose,zip"
    answer = idbits.apply(people, out=tmp_path / "a.csv", qid="age:band10", drop=drop)
    # -3 is a number, not a formula.
    assert any(note.startswith("30 untouched cells begin with = + - or @") for note in answer.notes)
    assert {row["group"] for row in rows_in(tmp_path / "a.csv")} == {"=a", "+b", "c", "-3"}
    safe = idbits.apply(people, out=tmp_path / "b.csv", qid="age:band10,group", drop=drop, safe_csv=True)
    assert {row["group"] for row in rows_in(tmp_path / "b.csv")} == {"'=a", "'+b", "c", "-3"}
    assert not any("formula" in note for note in safe.notes)
    idbits.apply(people, out=tmp_path / "c.csv", qid="age:band10,group:top2", drop=drop)
    assert {row["group"] for row in rows_in(tmp_path / "c.csv")} == {"'+b", "-3", "other"}
    parquet = idbits.apply(people, out=tmp_path / "d.parquet", qid="age:band10,group:top2", drop=drop)
    assert set(pq.read_table(tmp_path / "d.parquet").column("group").to_pylist()) == {"+b", "-3", "other"}
    assert not any("formula" in note for note in parquet.notes)


def test_a_header_that_begins_like_a_formula(tmp_path: Path) -> None:
    frame = pa.table({"=age": [1, 1, 2, 2], "-x": ["a"] * 4})
    answer = idbits.apply(frame, out=tmp_path / "a.csv", qid="=age", withhold_below=2)
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == "'=age,'-x"
    assert answer.after.k_min == 2


def test_a_filter_and_fewer_columns(people: Path, tmp_path: Path) -> None:
    where = "age >= 30 and \"group\" <> '=a'"
    answer = idbits.apply(people, out=tmp_path / "a.csv", qid="age:band10", columns="age,group", where=where)
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == "age,group"
    assert answer.source_digest.rows == len(rows_in(tmp_path / "a.csv")) == 30
    receipt = json.loads((tmp_path / "a.csv.receipt.json").read_text())
    assert receipt["reading"] == {"where": ['age >= ? and "group" <> ?'], "columns": ["age", "group"]}


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        ("name = 'O''Hara' or n in (1, 2.5e3)", "name = ? or n in (?, ?)"),
        ('"it""s 7" = 7 and q7 < -3', '"it""s 7" = ? and q7 < ?'),
        ("born >= '1990-01-01'", "born >= ?"),
    ],
)
def test_literals_of_filters_are_not_in_receipts(condition: str, shown: str) -> None:
    assert without_literals(condition) == shown


def test_a_receipt_has_all_keys_and_no_values(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    answer = idbits.apply(people, out=out, qid="age:band10,zip:prefix1", drop="patient,dose", withhold_below=3)
    receipt = json.loads((tmp_path / "out.csv.receipt.json").read_text())
    assert {
        "schema", "version", "command", "source", "output", "plan", "columns", "withheld", "before", "after", "loss",
        "rules", "hierarchies", "seed", "not_assessed",
    } <= set(receipt)  # fmt: skip
    assert receipt == json.loads(answer.to_json())
    assert receipt["source"] == {"sha256": hashlib.sha256(people.read_bytes()).hexdigest(), "rows": N}
    assert receipt["output"]["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert receipt["output"]["rows"] == len(rows_in(out)) == N - receipt["withheld"]["people"]
    assert receipt["withheld"]["by_rule"] == {"k_min >= 3": receipt["withheld"]["people"]}
    before = idbits.measure(people, "age,zip").to_dict()
    after = idbits.measure(out, "age,zip").to_dict()
    assert receipt["before"] == {key: before[key] for key in receipt["before"]}
    assert receipt["after"] == {key: after[key] for key in receipt["after"]}
    texts = json.dumps(receipt)
    for column in pq.read_table(people).columns:
        for value in column.to_pylist():
            if isinstance(value, str) and len(value) > 2:
                assert f'"{value}"' not in texts


def test_a_frame_has_no_hash(tmp_path: Path) -> None:
    answer = idbits.apply(pa.table({"sex": ["F", "M"] * 3}), out=tmp_path / "a.csv", qid="sex")
    assert answer.source_digest.sha256 is None
    assert answer.source_digest.reason == "the table was in memory"


def test_the_mapping_is_for_its_owner(people: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.json"
    idbits.apply(people, out=tmp_path / "a.csv", qid="age:band10,group,zip:all", drop="patient,dose", mapping=mapping)
    assert stat.S_IMODE(mapping.stat().st_mode) == 0o600
    data = json.loads(mapping.read_text())
    assert data["internal"] is True
    assert [column["column"] for column in data["columns"]] == ["age", "zip"]
    assert data["columns"][0]["values"] == [[str(age), f"{age // 10}0-{age // 10}9"] for age in range(20, 50)]
    assert {treated for _, treated in data["columns"][1]["values"]} == {"*"}


def test_wrong_requests(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    wrong = {
        "name the file to write": {"qid": "age"},
        "either plan=FILE, or": {"out": out},
        "must end in .parquet or .csv": {"out": tmp_path / "a.xlsx", "qid": "age"},
        "only one view": {"out": out, "qid": "age,age:band5"},
        "at least 1": {"out": out, "qid": "age", "withhold_below": 0},
        "sorted or kept": {"out": out, "qid": "age", "rows": "mixed"},
        'no column named "nothing"': {"out": out, "qid": "age", "drop": "nothing"},
        "is part of the plan; to leave it out": {"out": out, "qid": "age", "drop": "age"},
        "cannot be both": {"out": out, "qid": "age", "drop": "dose", "keep_identifier": "dose"},
        "must not be empty": {"out": out, "qid": "age", "blank": ""},
        "many people": {"out": out, "qid": "age", "count": "dose"},
        "cannot be opened": {"out": out, "plan": tmp_path / "plan.json"},
        "is not a transform": {"out": out, "qid": "age:bland5"},
    }
    for sentence, options in wrong.items():
        with pytest.raises(idbits.InputError, match=sentence):
            idbits.apply(people, **options)
    assert list(tmp_path.iterdir()) == [people]


def test_databases_keep_their_rows(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "people.db") as database:
        database.execute("CREATE TABLE people (sex TEXT)")
        database.execute("INSERT INTO people VALUES ('F')")
    database.close()
    with pytest.raises(idbits.InputError, match="stay where they are; export the table"):
        idbits.apply(f"sqlite:///{tmp_path}/people.db", out=tmp_path / "a.csv", qid="sex", table="people")
