"""Rows in the order of the source: the filter says which are kept, and neither threads nor files mix them up."""

import gzip
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from idbits.engines.base import OpenOptions, Table, numbers_of
from idbits.engines.open import open_table
from idbits.engines.spark import SparkTable
from idbits.engines.sql import SQLTable
from idbits.errors import InputError
from idbits.values.attributes import Kind

ROWS = 300_000


def ordered(table: Table, columns: list[str]) -> tuple[dict[str, list[Any]], list[bool]]:
    table.load(columns)
    found = table.rows_in_order(columns)
    return found.table.to_pydict(), found.kept.tolist()


def test_every_engine_with_an_order_returns_rows_in_it(ordered_engine: Any) -> None:
    rows = [{"town": town, "age": age} for town, age in zip("cabca", ["9", "10", None, "8", "77"], strict=True)]
    table = ordered_engine(rows, options=OpenOptions(in_order=True))
    assert ordered(table, ["age", "town"]) == (
        {"age": ["9", "10", None, "8", "77"], "town": ["c", "a", "b", "c", "a"]},
        [True] * 5,
    )


def test_the_filter_says_which_rows_are_kept(ordered_engine: Any) -> None:
    rows = [{"town": town, "age": age} for town, age in zip("cabca", ["9", "10", None, "8", "77"], strict=True)]
    table = ordered_engine(rows, options=OpenOptions(in_order=True, where="age >= 9", columns=("town",)))
    assert ordered(table, ["town"]) == ({"town": list("cabca")}, [True, True, False, False, True])


def test_types_are_kept(typed_engine: Any) -> None:
    kinds = {"n": Kind.INTEGER, "x": Kind.NUMBER, "yes": Kind.BOOLEAN}
    rows = [
        {"n": 2**62 + 1, "x": 0.1, "yes": True},
        {"n": None, "x": float("nan"), "yes": None},
        {"n": -3, "x": -0.0, "yes": False},
    ]
    table = typed_engine(rows, kinds, OpenOptions(in_order=True))
    if isinstance(table, SQLTable | SparkTable):
        with pytest.raises(InputError, match="no order"):
            ordered(table, list(kinds))
        return
    found, _ = ordered(table, list(kinds))
    assert found == {"n": [2**62 + 1, None, -3], "x": [0.1, None, 0.0], "yes": [True, None, False]}


def test_rows_are_read_without_pandas(tmp_path: Path) -> None:
    # Loading it takes half a second, in which Ctrl-C is lost.
    pyarrow.parquet.write_table(
        pyarrow.table({"n": pyarrow.array([3, None, 1]), "x": [0.5, 2.0, 0.5], "t": ["b", "a", None]}),
        tmp_path / "rows.parquet",
    )
    code = f"""
import sys
from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.studies.shared.row_values import read_column

table = open_table({str(tmp_path / "rows.parquet")!r}, OpenOptions(in_order=True, where="x > 0"))
table.load(["n", "x", "t"])
found = table.rows_in_order(["n", "x", "t"])
assert found.kept.tolist() == [True] * 3
codes = [read_column(found.table.column(name), None).codes().tolist() for name in ("n", "x", "t")]
assert codes == [[2, 0, 1], [0, 1, 0], [2, 1, 0]], codes
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["int8", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("values", [[], [1, 0, 2]])
def test_numbers_keep_their_type(name: str, values: list[int]) -> None:
    array = pyarrow.array(np.array(values, name))
    for column in (array, pyarrow.chunked_array([array, array[:1]])):
        assert numbers_of(column).tolist() == column.to_pylist()
        assert numbers_of(column).dtype == array.to_numpy().dtype


def big_file(folder: Path, kind: str) -> Any:
    numbers = np.arange(ROWS)
    filler = [f"{number * 7919 % 100_003:x}" * 3 for number in numbers.tolist()]
    frame = pyarrow.table({"n": numbers, "text": filler})
    if kind == "arrow":
        return frame
    if kind == "parquet":
        pyarrow.parquet.write_table(frame, folder / "big.parquet", row_group_size=5_000)
        return folder / "big.parquet"
    lines = [f"{number},{text}\n" for number, text in zip(numbers.tolist(), filler, strict=True)]
    if kind == "jsonl":
        (folder / "big.jsonl").write_text("".join(f'{{"n": {number}}}\n' for number in numbers.tolist()))
        return folder / "big.jsonl"
    if kind == "csv":
        (folder / "big.csv").write_text("n,text\n" + "".join(lines))
        return folder / "big.csv"
    # One regular, one irregular (a quote inside a field), one packed, one with another delimiter, one regular again.
    fifth = ROWS // 5
    parts = [lines[place * fifth : (place + 1) * fifth] for place in range(5)]
    (folder / "1.csv").write_text("n,text\n" + "".join(parts[0]))
    (folder / "2.csv").write_text("n,text\n" + "".join(parts[1][:-1]) + parts[1][-1].split(",")[0] + "\n")
    with gzip.open(folder / "3.csv", "wt") as file:
        file.write("n,text\n" + "".join(parts[2]))
    (folder / "4.csv").write_text("n;text\n" + "".join(parts[3]).replace(",", ";"))
    (folder / "5.csv").write_text("n,text\n" + "".join(parts[4]))
    return str(folder / "*.csv")


@pytest.mark.big
@pytest.mark.parametrize("kind", ["csv", "files", "parquet", "arrow", "jsonl"])
def test_many_threads_keep_the_order_of_a_large_source(kind: str, tmp_path: Path) -> None:
    options = OpenOptions(in_order=True, threads=4, where="n >= 1000")
    with closing(open_table(big_file(tmp_path, kind), options)) as table:
        table.load(["n"])
        found = table.rows_in_order(["n"])
    numbers = found.table.column("n").to_pylist()
    assert list(map(int, numbers)) == list(range(ROWS))
    assert found.kept.tolist() == [False] * 1000 + [True] * (ROWS - 1000)


def test_a_table_that_was_not_opened_in_order_has_none() -> None:
    with closing(open_table(pyarrow.table({"n": [1]}))) as table:
        table.load(["n"])
        with pytest.raises(AssertionError, match="in_order"):
            table.rows_in_order(["n"])
