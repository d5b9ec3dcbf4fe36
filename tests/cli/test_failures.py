"""Whatever goes wrong: one clear line on stderr, the right exit code, no traceback, and never a cell."""

import re
from pathlib import Path
from typing import NamedTuple

import pyarrow
import pyarrow.parquet
import pytest

from commands import Run
from idbits.cli.failures import failures
from idbits.progress import INTERRUPTED

# What stands in cells and literals of these tests: no message may hold it.
MARKER = "zqx"
PEOPLE = "id,birthdate,zip,sex,people\n" + "".join(
    f"zqx{i},{1950 + i}-03-04,zqx-{i % 3},{'FM'[i % 2]}zqx,{i}\n" for i in range(8)
)


class Case(NamedTuple):
    """A failure: the arguments, the exit code, what the line says (parted by &), and the file if it is another one."""

    arguments: str
    code: int
    says: str
    content: str | bytes = PEOPLE


CASES = {
    "no column that may be known": Case("FILE", 2, "--qid", "email\n" + "".join(f"a{n}@b.org\n" for n in range(60))),
    "empty name": Case("FILE --qid zip,,sex", 2, "empty name"),
    "missing column": Case("FILE --qid brithdate", 2, '"brithdate"; did you mean "birthdate"'),
    "missing by": Case("FILE --qid zip --by twon", 2, 'no column named "twon"'),
    "missing person": Case("FILE --qid zip --person nobody", 2, 'no column named "nobody"'),
    "missing count": Case("FILE --qid zip --count peopel", 2, 'did you mean "people"'),
    "missing in columns": Case("FILE --qid zip --columns zip,sexx", 2, 'did you mean "sex"'),
    "empty file": Case("FILE --qid zip", 3, "is empty", ""),
    "only line breaks": Case("FILE --qid zip", 3, "is empty", "\n\n\n"),
    "header only": Case("FILE --qid zip", 3, "nobody to measure", "zip,sex\n"),
    "filtered to nobody": Case("FILE --qid zip --where sex='zqxliteral'", 3, "nobody to measure"),
    "duplicate headers": Case("FILE --qid zip", 3, "have the same name", "zip,zip\nzqx1,zqx2\n"),
    "bad memory": Case("FILE --qid zip --memory lots", 2, "--memory"),
    "negative memory": Case("FILE --qid zip --memory=-500MB", 2, "--memory"),
    "little memory": Case("FILE --qid zip --memory 1KB", 2, "64MB"),
    "bad transform": Case("FILE --qid zip:yaer", 2, "use one of prefix2, top20"),
    "transform without its number": Case("FILE --qid zip:prefix", 2, "use one of"),
    "unfit numbers": Case("FILE --qid zip:band5", 3, '8 values & "zip" & number'),
    "unfit dates": Case("FILE --qid zip:year", 3, '8 values & "zip" & date'),
    "ambiguous dates": Case("FILE --qid d:year", 2, "--dates dmy", "d,x\n01/02/1999,zqx\n03/04/1987,zqx\n"),
    "bad dates": Case("FILE --qid birthdate:year --dates yyy", 2, "ymd, dmy or mdy"),
    "wrong dates": Case("FILE --qid day:year --dates mdy", 3, "2 values", "day,zip\n13/02/1980,zqx\n14/02/1980,zqx\n"),
    "unparsable filter": Case("FILE --qid zip --where sex='zqxliteral'and(", 2, "filter cannot be parsed"),
    "half a filter": Case("FILE --qid zip --where sex='zqxliteral", 2, "filter cannot be parsed"),
    "function in filter": Case("FILE --qid zip --where read_text('zqxliteral')='x'", 2, "but has"),
    "arithmetic in filter": Case("FILE --qid zip --where sex||'zqxliteral'='x'", 2, "but has"),
    "statement in filter": Case("FILE --qid zip --where zip='zqxliteral';drop", 2, "filter"),
    "subquery in filter": Case("FILE --qid zip --where zip=(select('zqxliteral'))", 2, "but has"),
    "column of filter": Case("FILE --qid zip --where sexx='zqxliteral'", 2, 'did you mean "sex"'),
    "numbers in filter": Case("FILE --qid sex --where zip>3", 3, "8 values & number & filter"),
    "too long rows": Case(
        "FILE --qid zip", 3, "1 row & more fields & line 3", "zip,sex\nzqx1,F\nzqx2,F,zqx3\nzqx4,M\n"
    ),
    "quote that does not close": Case("FILE --qid zip", 3, "quote", 'zip,sex\nzqx1,F\n"zqx2,F\nzqx4,M\n'),
    "bad counts": Case("FILE --qid zip --count birthdate", 3, '8 rows & "birthdate" & whole number'),
    "negative counts": Case("FILE --qid zip --count n", 3, '1 row & "n" & whole number', "zip,n\nzqx1,3\nzqx2,-3\n"),
    "one person": Case("FILE --qid zip --person sex --where sex='Fzqx'", 3, '"sex" & has only one value'),
    "persons without name": Case(
        "FILE --qid zip --person id", 3, '1 row & "id" & --null-person', "id,zip\n,zqx\nzqx,zqx\n"
    ),
    "person and count": Case("FILE --qid zip --person id --count people", 2, "cannot be combined"),
    "by and population": Case("FILE --qid zip --by sex --population FILE", 2, "--by and --population"),
    "values and population": Case("FILE --qid zip --values --population FILE", 2, "--population"),
    "no population": Case("FILE --qid zip --population no.csv", 2, "no.csv does not exist"),
    "what missing means": Case("FILE --qid zip --missing maybe", 2, "unbounded"),
    "suppression of nobody": Case("FILE --qid zip --suppress 1", 2, "--suppress"),
    "fewer values than there are": Case("FILE --qid zip --possible-values 2", 2, "3 values occur"),
    "no values": Case("FILE --qid zip --possible-values 0", 2, "--possible-values"),
    "long delimiter": Case("FILE --qid zip --delimiter ;;", 2, "delimiter"),
    "binary file": Case("FILE --qid zip", 3, "", bytes(range(256)) * 40),
    "zip archive": Case("FILE --qid zip", 3, "", b"PK\x03\x04" + bytes(range(255, -1, -1)) * 40),
    "cut Parquet": Case("FILE --qid zip", 3, "damaged", b"PAR1" + b"zqx" * 100),
    "cut gzip": Case("FILE --qid zip", 3, "damaged", b"\x1f\x8b\x08\x00\x00\x00\x00\x00"),
}


def one_line(ended: object) -> str:
    """Return the only line on stderr."""
    assert ended.out == ""
    assert re.fullmatch(r"idbits: [^\n]+\n", ended.err), ended.err
    assert "Traceback" not in ended.err
    assert "internal error" not in ended.err
    assert len(ended.err) < 1000
    return ended.err


@pytest.mark.big
@pytest.mark.parametrize("name", CASES)
def test_one_clear_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    case = CASES[name]
    monkeypatch.chdir(tmp_path)
    content = case.content if isinstance(case.content, bytes) else case.content.encode()
    Path("people.csv").write_bytes(content)
    ended = run("measure", *case.arguments.replace("FILE", "people.csv").split(" "))
    line = one_line(ended)
    assert MARKER not in line
    assert [words for words in case.says.split(" & ") if words not in line] == []
    assert ended.code == case.code


def test_missing_file_and_folder(run: Run, tmp_path: Path) -> None:
    missing = run("measure", tmp_path / "no.csv", "--qid", "zip")
    assert (missing.code, "does not exist" in one_line(missing)) == (2, True)
    glob = run("measure", tmp_path / "*.csv", "--qid", "zip")
    assert (glob.code, "no file matches" in one_line(glob)) == (2, True)
    folder = run("measure", tmp_path, "--qid", "zip")
    assert (folder.code, "folder" in one_line(folder)) == (2, True)


def test_the_password_of_a_database_is_not_repeated(run: Run) -> None:
    ended = run("measure", "postgresql://reader:zqx@localhost/people", "--qid", "zip")
    assert ended.code == 2
    assert MARKER not in one_line(ended)


@pytest.mark.big
@pytest.mark.parametrize("name", ["zqx\nfake line", "zqx\x1b[31m", "\u202ezqx"])
def test_names_cannot_break_the_line(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    assert "\x1b" not in one_line(run("measure", tmp_path / "people.csv", "--qid", f'"{name}"'))
    assert "\u202e" not in one_line(run("measure", tmp_path / name, "--qid", "zip"))


def test_a_population_that_misses_values(run: Run, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "population.csv").write_text("zip,sex\nzqx-0,Fzqx\n")
    ended = run("measure", tmp_path / "people.csv", "--qid", "zip", "--population", tmp_path / "population.csv")
    line = one_line(ended)
    assert (ended.code, MARKER in line) == (3, False)
    assert "2 values" in line
    assert "5 records" in line


def test_no_cell_of_a_headerless_population_gets_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bare.csv").write_text("zqx1,zqx2\nzqx3,zqx4\n")
    bare = tmp_path / "bare.csv"
    ended = run("measure", bare, "--no-header", "--qid", "column1", "--population", bare, "--json")
    assert MARKER not in ended.out + ended.err


def test_no_cell_of_a_json_lines_file_gets_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "people.jsonl").write_text('{"zip": "zqx1", "sex": "F"}\n{"zip": "zqx2", "sex": "M"}\n')
    ended = run("measure", tmp_path / "people.jsonl", "--qid", "zip", "--json")
    assert MARKER not in ended.out + ended.err


def test_a_first_line_without_end_makes_no_endless_message(run: Run, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes(b"\xfe" * 50_000)
    one_line(run("measure", tmp_path / "people.csv", "--qid", "zip"))


@pytest.mark.parametrize("words", [("--threads", "0"), ("--nonsense",), ("--suppress", "few"), ("--seed", "x")])
def test_wrong_usage(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    ended = run("measure", tmp_path / "people.csv", "--qid", "zip", *words)
    assert (ended.code, ended.out) == (2, "")
    assert words[0] in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.big
def test_an_internal_error_tells_no_value(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("zqx")

    monkeypatch.setattr("idbits.studies.measure.study.measure", broken)
    ended = run("measure", tmp_path / "people.csv", "--qid", "zip")
    assert ended.code == 3
    assert re.fullmatch(r"idbits: internal error \(RuntimeError\)[^\n]+\n", ended.err)
    assert MARKER not in ended.err


def test_the_damaged_file_of_many_is_named(run, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"zip": ["zqx"]}), tmp_path / "a.parquet")
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(whole[:-12])
    for source in (tmp_path, tmp_path / "b.parquet"):
        ended = run("measure", source, "--qid", "zip")
        assert ended.code == 3
        assert f"{tmp_path / 'b.parquet'} cannot be read as Parquet" in ended.err


def test_an_empty_folder_is_one_without_files(run, tmp_path: Path) -> None:
    ended = run("measure", tmp_path, "--qid", "zip")
    assert (ended.code, "contains no files" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["columns", "x.csv", "--share", "80%"],
            "'--share': must be a number (see idbits columns --help)",
        ),
        (["columns", "x.csv", "--max-size", "2.5"], "must be a whole number (see idbits columns --help)"),
        (["columns", "x.csv", "--max-size", "0"], "must be at least 1 (see idbits columns --help)"),
        (["repository", "backup"], "argument FILE (see idbits repository backup --help)"),
        (["colums"], "Did you mean 'columns'? (see idbits --help)"),
    ],
)
def test_wrong_usage_is_told_plainly_with_the_help_of_its_command(run, words: list[str], said: str) -> None:
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.endswith(f"{said}\n")


def test_an_interrupt_that_a_library_turned_into_an_error_still_stops(capsys: pytest.CaptureFixture[str]) -> None:
    INTERRUPTED.set()
    try:
        with pytest.raises(SystemExit) as ended, failures():
            raise UnboundLocalError
    finally:
        INTERRUPTED.clear()
    assert (ended.value.code, capsys.readouterr().err) == (130, "idbits: stopped\n")
