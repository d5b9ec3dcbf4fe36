"""The file about records: equal to a direct implementation, safe in a spreadsheet, without values by default."""

import csv
import itertools
import random
import re
from collections import Counter
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import idbits
from idbits.errors import InputError


def people(n=120, seed=0):
    draw = random.Random(seed)
    return {
        "zip": [f"{draw.randrange(30):04}" for _ in range(n)],
        "age": [draw.randrange(18, 90) for _ in range(n)],
        "sex": [draw.choice("FM") for _ in range(n)],
        "job": [draw.choice(["cook", "smith", "=cmd()", None]) for _ in range(n)],
    }


def uniques_by_hand(data, max_size):
    """Return the minimal sample uniques of each row by trying every set of columns in every row."""
    names = list(data)
    rows = list(zip(*data.values(), strict=True))
    found = [[] for _ in rows]
    for size in range(1, max_size + 1):
        for columns in itertools.combinations(range(len(names)), size):
            counts = Counter(tuple(row[c] for c in columns) for row in rows)
            for place, row in enumerate(rows):
                inside = any({names.index(n) for n in known} < set(columns) for known in found[place])
                if counts[tuple(row[c] for c in columns)] == 1 and not inside:
                    found[place].append(tuple(names[c] for c in columns))
    return found


def score_by_hand(sets, n_columns, max_size):
    total = 0
    for columns in sets:
        product = 1
        for taken in range(len(columns), max_size + 1):
            product *= n_columns - taken if taken < n_columns else 1
        total += product
    return total


@pytest.mark.parametrize("max_size", [2, 3, 4])
def test_records_equal_a_direct_implementation(tmp_path: Path, max_size: int) -> None:
    data = people()
    path = tmp_path / "records.parquet"
    answer = idbits.columns(pyarrow.table(data), candidates=list(data), records=path, record_size=max_size)
    rows = pyarrow.parquet.read_table(path).to_pylist()
    expected = uniques_by_hand(data, max_size)
    assert [row["row"] for row in rows] == list(range(1, 121))
    for row, sets in zip(rows, expected, strict=True):
        assert row["minimal_uniques"] == len(sets)
        assert [row[f"of_{size}"] for size in range(1, max_size + 1)] == [
            sum(len(s) == size for s in sets) for size in range(1, max_size + 1)
        ]
        assert row["smallest"] == (min(map(len, sets)) if sets else None)
        assert row["score"] == score_by_hand(sets, 4, max_size)
        assert (row["columns"] is None) == (not sets)
        if sets:
            assert tuple(row["columns"].split(" + ")) in sets
    assert answer.records.with_uniques == sum(map(bool, expected))
    assert sum(answer.records.smallest) == answer.records.with_uniques
    assert answer.records.max_score == max(row["score"] for row in rows)


def test_the_reason_counts_who_would_be_left(tmp_path: Path) -> None:
    data = people(400)
    path = tmp_path / "records.parquet"
    idbits.columns(pyarrow.table(data), candidates=list(data), records=path)
    rows = list(zip(*data.values(), strict=True))
    names = list(data)
    checked = 0
    for row, written in zip(rows, pyarrow.parquet.read_table(path).to_pylist(), strict=True):
        if written["why"] is None or ";" not in written["why"]:
            continue
        reason, remedy = written["why"].split("; ")
        words, number = remedy.removeprefix("with ").split(" in a group of ")
        columns = written["columns"].split(" + ")
        listed = " and ".join([", ".join(columns[:-1]), columns[-1]] if columns[1:] else columns)
        assert reason == f"unique with {listed}"

        def coarse(other, words=words, columns=columns):
            seen = {"zip": other[0], "age": other[1], "sex": other[2], "job": other[3]}
            cut = re.fullmatch("zip cut to ([0-9]) characters", words)
            seen["zip"] = seen["zip"][: int(cut[1])] if cut is not None else seen["zip"]
            seen["age"] = seen["age"] // 5 if words == "age in bands of 5" else seen["age"]
            return tuple(seen[c] for c in columns)

        assert int(number) == sum(coarse(other) == coarse(row) for other in rows)
        checked += 1
    assert checked > 20
    assert names == ["zip", "age", "sex", "job"]


def test_a_view_of_several_steps_is_told_in_words(tmp_path: Path) -> None:
    # Rounding to whole numbers leaves more than half of the values, so they are rounded once more.
    sizes = [number + part for number in range(30) for part in ([0.0, 0.4] if number % 3 == 0 else [0.0])]
    path = tmp_path / "records.parquet"
    idbits.columns(pyarrow.table({"size": sizes}), candidates=["size"], records=path)
    reasons = pyarrow.parquet.read_table(path).column("why").to_pylist()
    assert all("size rounded to 10 " in reason for reason in reasons)


def test_no_value_is_written_unless_asked(tmp_path: Path) -> None:
    data = people()
    frame = pyarrow.table(data)
    idbits.columns(frame, candidates=list(data), records=tmp_path / "r.csv")
    text = (tmp_path / "r.csv").read_text()
    assert not re.search("cook|smith|cmd|=", text)
    answer = idbits.columns(frame, candidates=list(data), records=tmp_path / "v.csv", reveal=True)
    assert re.search(r"zip=00\d\d, age=\d\d", (tmp_path / "v.csv").read_text())
    assert answer.internal
    assert "INTERNAL" in str(answer)
    assert answer.to_dict()["internal"] is True


def test_a_spreadsheet_sees_no_formula(tmp_path: Path) -> None:
    frame = pyarrow.table({"=1+1": ["@x", "y", "y"], "-b": ["+1", "+1", "-2"]})
    idbits.columns(frame, candidates=["=1+1", "-b"], records=tmp_path / "r.csv", reveal=True)
    with (tmp_path / "r.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert any(cell.startswith("'=1+1") for cell in cells)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_counted_rows_and_filters_keep_their_numbers(tmp_path: Path) -> None:
    frame = pyarrow.table({"a": ["x", "y", "z", "x"], "n": [1, 2, 0, 3], "keep": ["1", "1", "1", "1"]})
    idbits.columns(frame, candidates=["a"], count="n", records=tmp_path / "r.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "r.parquet").to_pylist()
    assert [(row["row"], row["people"], row["minimal_uniques"]) for row in rows] == [(1, 1, 0), (2, 2, 0), (4, 3, 0)]
    idbits.columns(frame, candidates=["a"], where="a <> 'x'", records=tmp_path / "f.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "f.parquet").to_pylist()
    assert [(row["row"], row["minimal_uniques"]) for row in rows] == [(2, 1), (3, 1)]


def test_data_are_never_written_over(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text("a,b\nx,1\ny,2\n")
    for name in (source, str(tmp_path / "*.csv"), tmp_path):
        with pytest.raises(InputError, match="data"):
            idbits.columns(name, records=source)
    assert source.read_text() == "a,b\nx,1\ny,2\n"
    with pytest.raises(InputError, match=r"\.csv or \.parquet"):
        idbits.columns(source, records=tmp_path / "people.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


@pytest.mark.big
def test_too_many_sets_are_refused(tmp_path: Path) -> None:
    frame = pyarrow.table({f"c{i}": ["x", "y"] for i in range(70)})
    with pytest.raises(InputError, match="record_size="):
        idbits.columns(frame, candidates=list(frame.column_names), records=tmp_path / "r.csv", max_sets=1)
    idbits.columns(frame, candidates=list(frame.column_names), records=tmp_path / "r.csv", record_size=1, max_sets=1)
    rows = (tmp_path / "r.csv").read_text().splitlines()
    assert rows[1].startswith("1,70,70,1,")


def test_a_source_without_rows_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from idbits.counts import CodedRows
    from idbits.engines.duckdb.table import DuckDBTable

    whole = DuckDBTable.coded_rows

    def only_counts(self, attributes):
        rows = whole(self, attributes)
        return CodedRows(rows.codes, rows.sizes, rows.people)

    monkeypatch.setattr(DuckDBTable, "coded_rows", only_counts)
    frame = pyarrow.table({"a": ["x", "y"]})
    assert idbits.columns(frame).n_rows == 2
    with pytest.raises(InputError, match="records="):
        idbits.columns(frame, records=tmp_path / "r.csv")
