"""Text files: nothing is trimmed, guessed or lost; every irregular row is accounted for."""

import gzip
import re

import pyarrow
import pyarrow.parquet
import pytest

from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.errors import DataError, IdbitsError
from idbits.values.attributes import parse_attributes


@pytest.fixture(params=["", ".gz"])
def count(request, tmp_path):
    """Write a text file and count the values of some of its columns."""

    def write_and_count(content, names, **options):
        data = content if isinstance(content, bytes) else content.encode()
        path = tmp_path / f"file.csv{request.param}"
        path.write_bytes(gzip.compress(data) if request.param else data)
        return counted(path, names, **options)[0]

    return write_and_count


def counted(source, names, **options):
    table = open_table(source, OpenOptions(**options))
    qid = parse_attributes(names, table.columns)
    table.load(attribute.column for attribute in qid)
    histogram = table.histogram(qid)
    assert sum(histogram.people) == table.n_people() == table.spectrum(qid).n_people
    notes = " ".join(table.notes)
    table.close()
    return dict(zip(histogram.values, histogram.people, strict=True)), notes


def test_an_empty_field_is_null_quoted_or_not(count):
    found = count('a,b\n,x\n"",x\n" ",x\nNA,x\nnull,\n', ["a", "b"])
    assert found == {(None, "x"): 2, (" ", "x"): 1, ("NA", "x"): 1, ("null", None): 1}


def test_words_for_null(count):
    found = count('a,b\nNA,1\n"NA",1\nna,1\n NA,1\n-9,1\n,1\n', ["a"], null=("NA", "-9"))
    assert found == {(None,): 4, ("na",): 1, (" NA",): 1}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_are_no_part_of_a_value(count, end, last):
    content = end.join(["a,b", "1,x", '2,"x"', "3,", '4,"y' + end + 'z"']) + (end if last else "")
    assert count(content, ["b"]) == {("x",): 2, (None,): 1, ("y" + end + "z",): 1}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("within", ["\n", "\r\n", "\r"])
def test_a_name_may_hold_a_line_end(count, end, within):
    content = end.join([f'"date of{within}birth",b', "1,x", '2,"x' + within + 'y"', "3,x", ""])
    assert count(content, ["b"]) == {("x",): 2, (f"x{within}y",): 1}
    assert count(content, [f"date of{within}birth"]) == {("1",): 1, ("2",): 1, ("3",): 1}


def test_a_byte_order_mark_is_no_part_of_a_name(count):
    assert count(b"\xef\xbb\xbfa,b\n1,2\n", ["a"]) == {("1",): 1}


def test_quotes(count):
    content = 'a,b\n"say ""hi""",1\n"a,b",2\n" x ",3\n x ,4\n"\n",5\n"""",6\n\'q\',7\n'
    expected = ['say "hi"', "a,b", " x ", " x ", "\n", '"', "'q'"]
    assert count(content, ["a"]) == {(text,): expected.count(text) for text in expected}


def test_one_column(count):
    assert count('a\nx\n""\ny\nx\n', ["a"]) == {("x",): 2, (None,): 1, ("y",): 1}
    assert count("a\nx y\ny z w\n", ["a"]) == {("x y",): 1, ("y z w",): 1}


def test_short_rows_are_padded_and_counted(tmp_path):
    path = tmp_path / "short.csv"
    path.write_text('a,b,c\n1,2,3\n1\n1,2\n"1\n",2,3\n1,,\n')
    for names, expected in (
        (["a", "b", "c"], {("1", "2", "3"): 1, ("1", None, None): 2, ("1", "2", None): 1, ("1\n", "2", "3"): 1}),
        (["a"], {("1",): 4, ("1\n",): 1}),
        (["c"], {("3",): 2, (None,): 3}),
    ):
        found, notes = counted(path, names)
        assert found == expected
        assert re.search(r"\b2\b", notes)


def test_blank_lines_are_no_rows_also_where_rows_are_padded(count):
    assert count("a,b\n\n1,2\n\n3,4\n\n\n", ["a"]) == {("1",): 1, ("3",): 1}
    assert count("a,b\n\n1,2\n\n3\n\n\n", ["a", "b"]) == {("1", "2"): 1, ("3", None): 1}


@pytest.mark.parametrize("row", ["1,2,3", "1,2,", '1,2,""', "1,2,3,4"])
@pytest.mark.parametrize("names", [["a"], ["b"], ["a", "b"]])
def test_long_rows_are_an_error_with_their_number(count, row, names):
    with pytest.raises(DataError, match=r"\b2 rows"):
        count(f"a,b\n1,2\n{row}\n3,4\n{row}\n", names)


@pytest.mark.parametrize("content", ['a,b\n1,"2\n3,4\n', 'a,b\n1,2\n"3,4'])
def test_a_quote_that_does_not_close(count, content):
    with pytest.raises(IdbitsError):
        count(content, ["a", "b"])


def test_cells_of_a_megabyte_and_quoted_line_ends(count):
    big = "x" * 1_000_000
    content = "a,b\n" + "".join(f'{number},"{big}\n{number % 2}"\n' for number in range(4))
    assert count(content, ["b"]) == {(f"{big}\n0",): 2, (f"{big}\n1",): 2}


@pytest.mark.big
def test_many_rows_with_quoted_line_ends_and_one_short(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("a,b,c\n" + "".join(f'"{n % 7}\n,",{n % 3},z\n' for n in range(60_000)) + "5\n")
    found, notes = counted(path, ["a", "b"])
    assert sum(found.values()) == 60_001
    assert found["0\n,", "0"] == len(range(0, 60_000, 21))
    assert found["5", None] == 1
    assert re.search(r"\b1 row\b", notes)


def test_files_in_one_glob_in_the_same_and_in_another_order(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,x\n2,y\n")
    (tmp_path / "2.csv").write_text("b;a\nx;1\nx;3\n")
    (tmp_path / "3.csv").write_text("a,b\n1,x\n")
    (tmp_path / "4.csv").write_bytes(gzip.compress(b"b,a\nx\n"))
    found, notes = counted(str(tmp_path / "*.csv"), ["a", "b"])
    assert found == {("1", "x"): 3, ("2", "y"): 1, ("3", "x"): 1, (None, "x"): 1}
    assert re.search(r"\b1 row\b", notes)
    assert counted([tmp_path / "3.csv", tmp_path / "2.csv"], ["b"])[0] == {("x",): 3}


def test_files_with_other_columns_are_refused(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,x\n")
    (tmp_path / "2.csv").write_text("a,c\n1,x\n")
    with pytest.raises(DataError):
        open_table(str(tmp_path / "*.csv"))


@pytest.mark.parametrize(
    "name", ["a[1].csv", "it's.csv", "50%.csv", "a?b.csv", "a*b.csv", "é.csv", "a b.csv", "{x}.csv"]
)
def test_paths_with_signs(tmp_path, name):
    (tmp_path / name).write_text("a,b\n1,2\n")
    (tmp_path / "a1.csv").write_text("a,b\nwrong,2\n")
    assert counted(tmp_path / name, ["a"])[0] == {("1",): 1}


@pytest.mark.parametrize("folders", [("zip=9",), ("zip=9", "zip=8")])
def test_a_folder_that_looks_like_a_value_is_no_column(tmp_path, folders):
    paths = {"csv": [], "parquet": []}
    for folder in folders:
        (tmp_path / folder / "year=2020").mkdir(parents=True)
        path = tmp_path / folder / "year=2020" / "file"
        path.with_suffix(".csv").write_text("zip,sex\n1,F\n2,F\n")
        pyarrow.parquet.write_table(pyarrow.table({"zip": ["1", "2"], "sex": ["F", "F"]}), path.with_suffix(".parquet"))
        for kind, members in paths.items():
            members.append(path.with_suffix(f".{kind}"))
    for members in paths.values():
        assert list(open_table(members).columns) == ["zip", "sex"]
        assert counted(members, ["zip"])[0] == {("1",): len(folders), ("2",): len(folders)}


def test_without_names(count):
    found = count("1,x\n2,x\n", ["column2"], header=False)
    assert found == {("x",): 2}
