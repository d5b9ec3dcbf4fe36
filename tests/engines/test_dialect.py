"""The delimiter is the one that cuts the first rows into equally many fields."""

import gzip

import pytest

from idbits.engines.sources.dialect import read_dialect
from idbits.errors import DataError, InputError


@pytest.fixture
def dialect(tmp_path):
    def read(content, **options):
        path = tmp_path / "file.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_dialect(path, **options)

    return read


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_each_delimiter(dialect, delimiter):
    found = dialect(f"a{delimiter}b{delimiter}c\n1{delimiter}2{delimiter}3\n")
    assert (found.delimiter, found.names) == (delimiter, ("a", "b", "c"))


@pytest.mark.parametrize(
    ("content", "delimiter", "names"),
    [
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";", ("a", "b")),
        ("a,b\n1;2,3\n4,5;6\n", ",", ("a", "b")),
        ('"a,b";c\n"1,2";3\n', ";", ("a,b", "c")),
        ('"a;b",c\n"1;2",3\n', ",", ("a;b", "c")),
        ("name\tnote\nx\ta, b, c\ny\td\n", "\t", ("name", "note")),
        ("a|b\n1,2|3\n4|5,6\n", "|", ("a", "b")),
        ('a,b\n"x;y;z",1\n"x;y;z",2\n', ",", ("a", "b")),
        ('"a\nb",c\n1,2\n', ",", ("a\nb", "c")),
        ("a,b\r\n1,2\r\n", ",", ("a", "b")),
        ("\ufeffa,b\n1,2\n", ",", ("a", "b")),
        (" a , b \n1,2\n", ",", (" a ", " b ")),
        ("a,,b\n1,2,3\n", ",", ("a", "column2", "b")),
        ("a;b;c\n1;2\n1;2;3\n", ";", ("a", "b", "c")),
        ("date,amount;eur\n1,2\n3,4\n5,6\n", ",", ("date", "amount;eur")),
    ],
)
def test_what_the_rows_have_in_common_decides(dialect, content, delimiter, names):
    found = dialect(content)
    assert (found.delimiter, found.names) == (delimiter, names)


@pytest.mark.parametrize(
    "content",
    ["a\n1\n2\n", "a", "first name\nx\ny z\n", "time\n10:30\n11:45\n", "a\n1,5\n2,5\n", "a\n\n\n", '"a"\n"1"\n'],
)
def test_one_column_has_no_delimiter(dialect, content):
    assert len(dialect(content).names) == 1


def test_a_delimiter_that_is_given_is_taken(dialect):
    assert dialect("a,b;c\n1,2;3\n", delimiter=";").names == ("a,b", "c")
    assert dialect("a#b\n1#2\n", delimiter="#").names == ("a", "b")


@pytest.mark.parametrize("delimiter", ["", ",,", "\n", '"'])
def test_a_delimiter_is_one_character(dialect, delimiter):
    with pytest.raises(InputError):
        dialect("a,b\n1,2\n", delimiter=delimiter)


@pytest.mark.parametrize("content", ["", "\n", "\r\n\r\n", "\ufeff", "\ufeff\n"])
def test_an_empty_file(dialect, content):
    with pytest.raises(DataError, match="empty"):
        dialect(content)


def test_names_must_differ(dialect):
    with pytest.raises(DataError, match="have the same name"):
        dialect("a,b,a\n1,2,3\n")
    with pytest.raises(DataError, match="have the same name"):
        dialect("column2,\n1,2\n")


def test_a_first_row_longer_than_the_head(dialect):
    names = tuple(f"column {position} {'x' * 50}" for position in range(20_000))
    assert dialect(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n").names == names


def test_a_long_quoted_cell_does_not_hide_the_delimiter(dialect):
    assert dialect('a;b\n"' + "x,\n" * 200_000 + '";2\n').names == ("a", "b")


def test_packed_files_are_known_by_their_bytes(dialect):
    found = dialect(gzip.compress(b"a;b\n1;2\n"))
    assert (found.packing, found.names) == ("gzip", ("a", "b"))


def test_without_names(dialect):
    assert dialect("1;2\n3;4\n", header=False).names == ("column1", "column2")


def test_a_packed_file_that_is_cut_short(dialect):
    with pytest.raises(DataError):
        dialect(gzip.compress(b"a,b\n" + bytes(range(256)) * 400)[:60])
