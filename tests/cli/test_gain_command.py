"""The command: what it prints, what it writes, and how it refuses."""

import json
import re
import shlex
import signal
import time
from pathlib import Path

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

import idbits

ALL = ("--columns", "gender,name,eye_color")
ROWS = ["male,Anton,blue", "male,Bill,green", "male,Charlie,green", "male,Don,green", "male,Emil,blue",
        "male,Emil,green", "female,Charlie,green"]  # fmt: skip


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    path = tmp_path / "toy.csv"
    path.write_text("gender,name,eye_color\n" + "\n".join(ROWS) + "\n")
    return path


def test_the_verdict_names_column_and_people(run, toy):
    ended = run("gain", toy, *ALL)
    assert ended.code == 0
    verdict = " ".join(ended.out.split("\n\n")[0].split())
    assert "The column name gives away most" in verdict
    assert "6 of 7 rows (85.71%) reach the threshold of 1 bit per row" in verdict
    people = " ".join(run("gain", toy, *ALL, "--rows-are-people").out.split("\n\n")[0].split())
    assert "6 of 7 people (85.71%) reach the threshold of 1 bit per person" in people
    assert re.search(r"PIF\)? is 3\.34, reached by 1 of them", verdict)
    assert "Anton" not in ended.out


def test_json_has_the_keys_that_scripts_rely_on(run, toy):
    data = json.loads(run("gain", toy, *ALL, "--json", "--threshold", 2).out)
    assert (data["schema"], data["command"], data["n_rows"]) == ("idbits/1", "gain", 7)
    assert [set(feature) >= {"column", "fig_bits", "mean_cig_bits"} for feature in data["features"]] == [True] * 3
    assert set(data["rig"]) == {"mean", "p50", "p95", "max"}
    assert (data["mics"], data["rows_at_pif"], data["people_at_threshold"]) == (1, 1, 2)
    assert data["gap"] == 2 - data["pif"]
    assert data == json.loads(idbits.gain(toy, columns=ALL[1], threshold=2).to_json())


def test_out_is_what_stdout_would_be(run, toy, tmp_path):
    shown = run("gain", toy, "--json").out
    assert run("gain", toy, "--json", "--out", tmp_path / "answer.json").out == ""
    assert (tmp_path / "answer.json").read_text() == shown


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_cells_are_written(run, toy, tmp_path, form):
    path = tmp_path / f"cells.{form}"
    ended = run("gain", toy, *ALL, "--where", "name <> 'Bill'", "--cells", path)
    assert ended.code == 0
    assert "The gain of every cell is in" in ended.out
    table = pyarrow.parquet.read_table(path) if form == "parquet" else pyarrow.csv.read_csv(path)
    assert table.column_names == ["row", "gender", "name", "eye_color", "rig", "cohort"]
    assert table.column("row").to_pylist() == [1, 3, 4, 5, 6, 7]
    assert table.column("cohort").to_pylist() == [1] * 6
    kept = idbits.gain(toy, columns=ALL[1], where="name <> 'Bill'", cells=True).cells
    assert [table.column(name).to_pylist() for name in table.column_names] == [
        kept.column(name).to_pylist() for name in kept.column_names
    ]
    sums = [
        sum(row) for row in zip(*(table.column(c).to_pylist() for c in ("gender", "name", "eye_color")), strict=True)
    ]
    assert table.column("rig").to_pylist() == pytest.approx(sums, abs=1e-12)
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name, "toy.csv"]


def test_cells_of_counted_rows_leave_nobody_out(run, tmp_path):
    source, path = tmp_path / "counted.csv", tmp_path / "cells.csv"
    source.write_text("a,b,n\nx,1,3\ny,1,0\nx,2,2\nx,1,1\n")
    assert run("gain", source, "--count", "n", "--cells", path).code == 0
    table = pyarrow.csv.read_csv(path).to_pydict()
    assert (table["row"], table["cohort"]) == ([1, 3, 4], [4, 2, 4])


def test_features_that_are_called_like_the_columns_of_the_file(run, tmp_path):
    source, path = tmp_path / "odd.csv", tmp_path / "cells.csv"
    source.write_text('row,rig,"=1+1"\na,b,c\na,c,c\n')
    assert run("gain", source, "--columns", "row,rig,=1+1", "--cells", path).code == 0
    assert path.read_text().splitlines()[0] == '"row","row (feature)","rig (feature)","\'=1+1","rig","cohort"'


def test_many_blocks_of_cells_are_all_written(run, tmp_path, monkeypatch):
    monkeypatch.setattr("idbits.engines.local_gains._BLOCK", 7)
    source = tmp_path / "many.csv"
    source.write_text("a,b\n" + "".join(f"{i % 5},{i % 3}\n" for i in range(100)))
    assert run("gain", source, "--cells", tmp_path / "cells.parquet").code == 0
    table = pyarrow.parquet.read_table(tmp_path / "cells.parquet")
    assert table.column("row").to_pylist() == list(range(1, 101))
    assert table.column("rig").to_pylist() == idbits.gain(source, cells=True).cells.column("rig").to_pylist()


def test_what_the_attacker_knows_is_told_in_words(run, toy):
    told = " ".join(run("gain", toy, "--attacker", "named:gender,name", "--rows-are-people").out.split())
    assert "someone who knows a person's gender and name learns" in told


BAD = [
    (("--accuracy", "2"), 2, "from 0 to 1"),
    (("--accuracy", "-0.1"), 2, "from 0 to 1"),
    (("--accuracy", "nan"), 2, "from 0 to 1"),
    (("--accuracy", "gender=x"), 2, "from 0 to 1"),
    (("--accuracy", "nobody=0.5"), 2, '--accuracy: "nobody"'),
    (("--attacker", "weak"), 2, "strongest, knows:2"),
    (("--attacker", "knows:3", *ALL), 2, "at most 2"),
    (("--attacker", "knows:-1"), 2, "strongest, knows:2"),
    (("--attacker", "named:nam", *ALL), 2, 'did you mean "name"'),
    (("--attacker", "knows:1", "--cells", "c.csv", "--cells-as", "csf"), 2, "--attacker knows:N"),
    (("--prior", "name"), 2, "--prior COLUMN=SOURCE"),
    (("--prior", "name=missing.csv"), 2, "does not exist"),
    (("--prior", "name=a.csv", "--prior", "name=b.csv"), 2, "twice"),
    (("--smoothing", "1", "--prior", "name=a.csv"), 2, "below 1"),
    (("--threshold", "0"), 2, "above 0"),
    (("--percentile", "101"), 2, "from 0 to 100"),
    (("--subsets", "0"), 2, "subsets"),
    (("--seed", "-1"), 2, "seed"),
    (("--growth", "up"), 2, "given or greedy"),
    (("--sweep", "name:band5"), 3, "cannot be read as a number"),
    (("--sweep", "zip:band5"), 2, '"zip"'),
    (("--target", "zip"), 2, '"zip"'),
    (("--columns", "nam"), 2, 'did you mean "name"'),
    (("--person", "name", "--count", "gender"), 2, "cannot be combined with --count"),
    (("--person", "name", "--columns", "name,gender"), 2, "take it out of --columns"),
    (("--person", "name", "--analysis", "gender"), 3, "--analysis needs one row per person"),
    (("--person", "name", "--rows-are-people"), 2, "--rows-are-people cannot be combined"),
    (("--null-person", "drop"), 2, "need --person"),
    (("--compare", "missing.csv"), 2, "does not exist"),
    (("--cells", "cells.txt"), 2, ".parquet or .csv"),
    (("--cells", "nowhere/cells.csv"), 2, "folder does not exist"),
    (("--cells-as", "csf"), 2, "needs --cells"),
    (("--cells", "c.csv", "--cells-as", "bits"), 2, "cig, weighted or csf"),
    (("--cells", "same.csv", "--out", "same.csv"), 2, "same file"),
    (("--where", "name = 'Nobody'"), 3, "nobody to measure"),
]


@pytest.mark.parametrize(
    ("options", "code", "words"), BAD, ids=lambda part: " ".join(part) if type(part) is tuple else ""
)
def test_bad_questions_are_one_clear_line(run, toy, monkeypatch, options, code, words):
    monkeypatch.chdir(toy.parent)
    before = set(toy.parent.iterdir())
    ended = run("gain", toy, *options)
    assert (ended.code, ended.out) == (code, "")
    assert words in ended.err
    assert len(ended.err.splitlines()) == 1
    assert set(toy.parent.iterdir()) == before
    assert not any(name in ended.err for name in ("Anton", "Nobody"))


def test_the_data_are_never_overwritten(run, toy):
    before = toy.read_bytes()
    for options in (("--cells", toy), ("--out", toy)):
        ended = run("gain", toy, *options)
        assert ended.code == 2
        assert "is read by this command" in ended.err
    other = toy.parent / "other.csv"
    other.write_bytes(before)
    assert run("gain", toy, "--compare", other, "--cells", other).code == 2
    with pytest.raises(idbits.InputError, match="is read by this command"):
        idbits.gain(toy, cells=toy)
    assert toy.read_bytes() == other.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\n1\n2\n2\n", "with one column"),
        ("a,b\n1,2\n", "only one person"),
        ("a,b\n1,2\n1,2\n", "all rows are equal"),
        ("a,b\n1,\n2,\n2,\n", 'column "b" has only missing values'),
        ("pay,sex\n" + "".join(f"{10_007 * i},{'MF'[i % 2]}\n" for i in range(50)), "such as pay:band50000)"),
    ],
)
def test_poor_tables_are_measured_and_said(run, tmp_path, text, words):
    source = tmp_path / "poor.csv"
    source.write_text(text)
    columns = ("--columns", text.partition("\n")[0])
    ended = run("gain", source, *columns)
    assert ended.code == 0
    assert words in ended.err
    data = json.loads(run("gain", source, *columns, "--json").out)
    if "pay" not in text:
        assert data["rig"] == {"mean": 0.0, "p50": 0.0, "p95": 0.0, "max": 0.0}
        assert data["pif"] == 0
        assert data["features"][0]["share"] is None
        assert data["reasons"]["share"]


@pytest.mark.big
def test_the_next_command_asks_the_same_question(run, tmp_path):
    path, prior = tmp_path / "people.csv", tmp_path / "sex.csv"
    path.write_text("age,sex,town\n" + "".join(f"{i % 40},{'FM'[i % 2]},{i % 7}\n" for i in range(80)))
    prior.write_text("sex,count\nF,51\nM,49\n")
    asked = {"attacker": "named:age,town", "accuracy": {"age": 0.5, "sex": 0.9}, "threshold": 0.25}
    command = idbits.gain(path, prior={"sex": prior}, **asked).next_command
    assert "--columns age:band5,sex,town --attacker named:age,town --accuracy age=0.5,sex=0.9" in command
    assert f"--threshold 0.25 --prior sex={prior}" in command
    assert run(*shlex.split(command)[1:]).code == 0
    frame = pyarrow.table({"sex": ["F", "M"], "count": [51, 49]})
    assert idbits.gain(path, prior={"sex": frame}, **asked).next_command is None


def test_names_that_may_be_data_are_not_shown(run, tmp_path):
    source = tmp_path / "headless.csv"
    source.write_text("Kovacs,1985-03-12\nNagy,1990-01-01\nKiss,1991-02-02\n")
    ended = run("gain", source)
    assert (ended.code, "Kovacs" in ended.out + ended.err) == (2, False)
    assert "--no-header" in ended.err
    assert run("gain", source, "--no-header").code == 0


def test_ctrl_c_leaves_nothing_behind(start, tmp_path):
    source = tmp_path / "large.csv"
    with source.open("w") as file:
        file.write("a,b,c\n")
        file.writelines(f"{i % 1000},{i % 77},{i % 13}\n" for i in range(400_000))
    process = start(
        "gain", source, "--cells", tmp_path / "cells.csv", stdout=-1, stderr=-1, environment={"TMPDIR": str(tmp_path)}
    )
    try:
        for _ in range(600):
            if any(tmp_path.glob(".cells.csv.*")):
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            process.kill()
    left = sorted(file.name for file in tmp_path.iterdir())
    # On a fast machine, everything may be written before the signal arrives.
    assert left == (["large.csv"] if process.returncode == 130 else ["cells.csv", "large.csv"])


@pytest.mark.big
def test_no_value_is_printed(run, toy):
    prior = toy.parent / "prior.csv"
    prior.write_text("eye_color,n\nblue,3\ngreen,4\nbrown,3\n")
    words = ("--growth", "greedy", "--compare", toy, "--sweep", "name:prefix1", "--prior", f"eye_color={prior}")
    for attacker in ("strongest", "knows:1", "named:name"):
        for shown in ("--plain", "--json"):
            ended = run("gain", toy, *words, "--attacker", attacker, shown)
            assert ended.code == 0
            for value in ("Anton", "Bill", "Emil", "male", "green", "blue", "brown"):
                assert value not in ended.out + ended.err


def test_eighty_columns_are_enough():
    from idbits.render.text import to_text

    frame = pyarrow.table({f"a rather long name {c}": [i * c % 7 for i in range(90)] for c in (1, 2, 3, 4, 5)})
    first = frame.column_names[0]
    answer = idbits.gain(
        frame, growth="greedy", sweep=f"{first}:band2", compare=frame, attacker="knows:2", subsets=6, percentile=99
    )
    assert max(map(len, to_text(answer.blocks(), width=80).splitlines())) <= 80
    assert "A sample: 6 of 10 subsets of 2 known columns, drawn with seed 0." in " ".join(str(answer).split())
