"""Every record of a text file is accounted for: counted from the bytes, and compared with what the reader returns."""

import csv
import gzip
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import idbits
from idbits.engines.duckdb import json_lines, loading
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.sources import rewrite
from idbits.engines.sources.dialect import Dialect
from idbits.engines.sources.rewrite import RecordCount, RewrittenFile
from idbits.progress import SILENT

FIELDS = st.text(st.sampled_from('ab,"\n\r'), max_size=4)
ROWS = st.lists(st.one_of(st.none(), st.tuples(FIELDS, FIELDS)), max_size=8)


def written(field: str, quoted: bool) -> str:
    return '"' + field.replace('"', '""') + '"' if quoted or any(sign in field for sign in ',"\n\r') else field


@given(ROWS, st.booleans(), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.lists(st.integers(1, 7)))
def test_as_many_as_the_csv_module_finds(rows, quoted, end, ended, lengths) -> None:  # type: ignore[no-untyped-def]
    lines = ["" if row is None else ",".join(written(field, quoted) for field in row) for row in rows]
    text = end.join(lines) + (end if ended and lines else "")
    found = list(csv.reader(io.StringIO(text, newline="")))
    count, rest = RecordCount(), text.encode()
    for length in lengths:
        count.add(rest[:length])
        rest = rest[length:]
    count.add(rest)
    assert count.records() == sum(map(bool, found))
    assert count.records(blank=True) == len(found)


@given(st.text(st.sampled_from('ab,"\n\r '), max_size=40), st.integers(1, 9))
def test_a_file_is_surveyed_alike_in_pieces_of_any_size(text: str, size: int) -> None:
    dialect = Dialect(",", ("a", "b"), "none")
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode())
        whole = rewrite.survey(path, dialect)
        patch.setattr(rewrite, "_CHUNK", size)
        pieces = rewrite.survey(path, dialect)
    assert pieces.regular == whole.regular
    if whole.regular:
        assert (pieces.delimiters, pieces.trailing) == (whole.delimiters, whole.trailing)
        assert whole.delimiters == text.count(",")
        assert whole.trailing == any(end in text + "\n" for end in (",\n", ",\r", ',""\n', ',""\r'))
        assert [pieces.count.records(blank=blank) for blank in (False, True)] == [
            whole.count.records(blank=blank) for blank in (False, True)
        ]


@pytest.mark.parametrize("packed", [False, True])
def test_a_row_longer_than_the_readers_buffer_is_read(tmp_path: Path, packed: bool) -> None:
    """DuckDB passes over a row without quotes of 128 MiB, and says nothing."""
    path = tmp_path / ("people.csv.gz" if packed else "people.csv")
    with gzip.open(path, "wb", compresslevel=1) if packed else path.open("wb") as file:
        file.write(b"name,sex\n" + b"n,F\n" * 50 + b"x" * (129 << 20) + b",M\n" + b"n,F\n" * 50)
    answer = idbits.measure(path, ["sex"])
    assert (answer.figures.n_rows, answer.figures.singletons) == (101, 1)


def test_rows_that_are_lost_on_the_way_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    path.write_text("name,sex\na,F\nb\n")
    rewrite_file = loading.rewrite

    def one_more(*given: object) -> RewrittenFile:
        found = rewrite_file(*given)  # type: ignore[arg-type]
        return RewrittenFile(found.rows + 1, found.short_rows, found.longest_row)

    monkeypatch.setattr(loading, "rewrite", one_more)
    with pytest.raises(idbits.DataError, match="1 row that cannot be read"):
        idbits.measure(path, ["sex"])


def test_objects_that_are_lost_on_the_way_are_said(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    connection = DuckDBConnection(None, None, SILENT)
    try:
        connection.run("CREATE TEMP TABLE two AS SELECT unnest([1, 2]) AS json")
        path.write_text('{"a": 1}\r\n\r\n{"a": "{"}')
        json_lines._check_count(connection, "two", [path], path)
        path.write_text('{"a": 1}\n{"a": 2}\n{"a": 3}\n')
        with pytest.raises(idbits.DataError, match="cannot be read completely"):
            json_lines._check_count(connection, "two", [path], path)
        for other in ('[{"a": 1},\n{"a": 2},\n{"a": 3}]', '{\n"a": 1\n}\n{"a": 2}'):
            path.write_text(other)
            json_lines._check_count(connection, "two", [path], path)
    finally:
        connection.close()


@pytest.mark.parametrize("text", ['a,b\n5" pipe,1\n6" pipe,2\n7,3\n', 'a,b\n1,x"y\n2,z\n'])
def test_quotes_within_fields_cost_time_only(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pipes.csv"
    path.write_text(text)
    assert idbits.measure(path, ["a", "b"]).figures.n_rows == text.count("\n") - 1
