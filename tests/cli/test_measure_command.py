"""``idbits measure``: what it prints, where it writes, and what it never shows."""

import errno
import json
import re
from pathlib import Path

import pytest

import idbits
from commands import Run

QUESTION = ("--qid", "zip,sex", "--by", "town", "--suppress", "5")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rows = [f"{['1011', '9985', '4032'][i % 3]},{'FM'[i % 2]},{'Szeged' if i % 4 else 'Tata'}" for i in range(60)]
    rows.append("0012,F,Tata")
    path = tmp_path / "people.csv"
    path.write_text("zip,sex,town\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def short_rows(tmp_path: Path) -> Path:
    path = tmp_path / "short.csv"
    path.write_text("zip,sex\n1011,F\n9985\n1011,M\n")
    return path


def test_text(run: Run, people: Path) -> None:
    ended = run("measure", people, *QUESTION)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[0] == "Do not hand this over as it is"
    assert "\x1b" not in ended.out
    assert re.search(r"^together +\| ", ended.out, flags=re.MULTILINE)


def test_json_is_what_python_returns(run: Run, people: Path) -> None:
    ended = run("measure", people, *QUESTION, "--json")
    assert (ended.code, ended.err) == (0, "")
    expected = idbits.measure(people, ["zip", "sex"], by="town", suppress=5)
    assert ended.out == expected.to_json() + "\n"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--qid", "zip", "--qid", "zip,sex"), "--values needs"),
        (("--qid", "zip,sex", "--by", "zip"), "--values and --by"),
    ],
)
def test_lists_that_could_be_subtracted_are_a_clear_line(
    run: Run, people: Path, options: tuple[str, ...], named: str
) -> None:
    ended = run("measure", people, *options, "--values")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith(f"idbits: {named}")
    assert "at a time" in ended.err
    assert run("measure", people, *options, "--values", "--reveal").code == 0


def test_several_quasi_identifiers(run: Run, people: Path) -> None:
    data = json.loads(run("measure", people, "--qid", "zip,sex", "--qid", "town", "--json").out)
    assert [one["qid"] for one in data["measurements"]] == [["zip", "sex"], ["town"]]


def test_every_option_reaches_the_study(run: Run, people: Path, tmp_path: Path) -> None:
    (tmp_path / "table.txt").write_text("7|x|NA|2|1\n7|y|b|3|2\n8|x|b|5|3\n")
    words = ("measure", tmp_path / "table.txt", "--delimiter", "|", "--no-header", "--null", "NA", "--json")
    counted = json.loads(run(*words, "--qid", "column3", "--count", "column4").out)
    assert (counted["n_rows"], counted["nulls"], counted["k_max"]) == (10, {"column3": 2}, 8)
    filtered = json.loads(run(*words, "--qid", "column1", "--where", "column2 = 'x'", "--possible-values", "9").out)
    assert (filtered["n_rows"], filtered["n_values"]) == (2, 9)
    assert run(*words, "--qid", "column1", "--columns", "column2").code == 2
    assert run(*words, "--qid", "column1", "--person", "column5", "--threads", "1", "--memory", "200MB").code == 0
    against = json.loads(run("measure", people, "--qid", "zip", "--population", people, "--json").out)
    assert against["population"]["n_people"] == 61


def test_tabs_can_be_written_as_such(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tabs.txt").write_text("a\tb,c\n1\t2,3\n")
    data = json.loads(run("measure", tmp_path / "tabs.txt", "--delimiter", "\\t", "--qid", '"b,c"', "--json").out)
    assert data["qid"] == ["b,c"]


@pytest.mark.big
@pytest.mark.parametrize("options", [(), ("--json",), ("--plain",)], ids=["text", "json", "plain"])
def test_out_writes_what_stdout_would(run: Run, people: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    printed = run("measure", people, *QUESTION, *options)
    written = run("measure", people, *QUESTION, *options, "--out", tmp_path / "answer")
    assert (written.code, written.out, written.err) == (0, "", "")
    assert (tmp_path / "answer").read_text() == printed.out


def test_an_existing_answer_is_replaced_whole(run: Run, people: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    answer.write_text("old")
    with answer.open() as reader:
        assert run("measure", people, "--qid", "zip", "--json", "--out", answer).code == 0
        assert reader.read() == "old"
    assert json.loads(answer.read_text())["n_rows"] == 61
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.json", "people.csv"]


def test_a_failed_write_leaves_the_old_answer(
    run: Run, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    answer = tmp_path / "answer.json"
    answer.write_text("old")
    monkeypatch.setattr(Path, "replace", full)
    ended = run("measure", people, "--qid", "zip", "--json", "--out", answer)
    assert ended.code == 2
    assert ended.err == f"idbits: {answer} cannot be written: No space left on device\n"
    assert answer.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.json", "people.csv"]


def test_a_failed_measurement_leaves_the_old_answer(run: Run, people: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    answer.write_text("old")
    assert run("measure", people, "--qid", "nonsense", "--out", answer).code == 2
    assert answer.read_text() == "old"


@pytest.mark.parametrize("where", ["no/such/folder/answer", ".", "people.csv/answer"])
def test_an_answer_that_cannot_be_written(run: Run, people: Path, tmp_path: Path, where: str) -> None:
    ended = run("measure", people, "--qid", "zip", "--out", tmp_path / where)
    assert ended.code == 2
    assert re.fullmatch(r"idbits: .* cannot be written: [^\n]+\n", ended.err)


def test_plain_is_ascii(run: Run, people: Path) -> None:
    ended = run("measure", people, *QUESTION, "--plain", "--reveal")
    assert ended.code == 0
    assert ended.out.isascii()
    assert len(ended.out) > 1000


def test_notes_are_on_stderr_unless_quiet(run: Run, short_rows: Path) -> None:
    told = run("measure", short_rows, "--qid", "zip,sex")
    assert re.fullmatch(r"note: .*\b1 row.*\n", told.err)
    silent = run("measure", short_rows, "--qid", "zip,sex", "--quiet")
    assert (silent.err, silent.out) == ("", told.out)
    data = json.loads(run("measure", short_rows, "--qid", "zip,sex", "--quiet", "--json").out)
    assert len(data["notes"]) == 1


def test_the_next_command_works(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "it's a table, really.csv"
    path.write_text('"born, where",sex\n' + "".join(f"{1900 + i}-01-01,{'FM'[i % 2]}\n" for i in range(99)))
    told = run("measure", path, "--qid", '"born, where",sex')
    import shlex

    (command,) = [line for line in told.out.splitlines() if line.startswith("  idbits advise ")]
    again = run(*shlex.split(command)[1:], "--json")
    assert again.code == 0
    assert json.loads(again.out)["ladders"][1]["column"] == "sex"
