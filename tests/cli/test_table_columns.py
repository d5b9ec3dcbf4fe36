"""A missing --qid: the columns of the table and a command that works. Completion is silent about errors."""

import shlex
from pathlib import Path

import pytest

from commands import Run
from idbits.cli.table_columns import complete_columns

TABLES = {
    "columns someone may know": "zip,sex\n1011,F\n1011,M\n1012,F\n",
    "one row": "a,b\n1,2\n",
    "nobody": "a\n",
    "a first row of data": "1980-01-01,1011,F\n1981-02-03,1012,M\n1981-02-03,1012,M\n",
    "names with commas and blanks": '"a, b",c d\n1,2\n1,3\n',
    "many columns": ",".join(f"c{i}" for i in range(40)) + "\n" + ",".join("x" * 40) + "\n",
}


@pytest.mark.parametrize("command", ["measure", "report"])
@pytest.mark.parametrize("table", TABLES)
def test_the_proposed_command_works(run: Run, tmp_path: Path, table: str, command: str) -> None:
    path = tmp_path / "my people.csv"
    path.write_text(TABLES[table])
    line = run(command, path).failed(2)
    assert "--qid is missing" in line
    program, *words = shlex.split(line.partition("try: ")[2])
    assert (program, words[0]) == ("idbits", command)
    ended = run(*words, "--json")
    # Nobody to measure is the table's fault, not the command's.
    assert ended.code == (3 if table == "nobody" else 0)


def test_names_that_may_be_data_are_not_listed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(TABLES["a first row of data"])
    line = run("measure", path).failed(2)
    assert "1980" not in line
    assert "--no-header" in line


class Typed:
    """What the parser knows while a shell completes."""

    def __init__(self, path: Path) -> None:
        self.params, self.args = {}, [str(path)]


@pytest.mark.parametrize("content", [b"%PDF-1.7", b"", b"1980-01-01,1011\n1981-02-03,1012\n1981-02-03,1012\n"])
def test_nothing_is_completed_from_what_is_no_table_with_names(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    assert complete_columns(Typed(path), "") == []  # type: ignore[arg-type]


def test_columns_are_completed_after_the_last_comma(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(TABLES["columns someone may know"])
    assert complete_columns(Typed(path), "zip,") == ["zip,sex"]  # type: ignore[arg-type]
    assert complete_columns(Typed(path), "s") == ["sex"]  # type: ignore[arg-type]
