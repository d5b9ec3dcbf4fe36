"""``idbits columns`` on the command line."""

import json
import os
import random
import re
import signal
import sys
import time
from pathlib import Path

import pytest

MARKER = "zqx"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    draw = random.Random(0)
    lines = ["birthdate,zip,sex,same"]
    lines += [
        f"{draw.randrange(1930, 2010)}-0{draw.randrange(1, 10)}-1{draw.randrange(10)},{MARKER}{draw.randrange(40)},"
        f"{draw.choice('FM')},{MARKER}"
        for _ in range(500)
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_verdict_names_the_column_to_give_up_where_no_combination_reaches_the_share(run, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,job\n" + "".join(f"{age},{job}\n" for age, job in [(1, "a"), (2, "a"), *[(3, "b")] * 18]))
    ended = run("columns", path, "--candidates", "age,job")
    said = " ".join(ended.out.split("\n\n")[0].split())
    assert said.endswith(
        "both together single out 10.00% of rows. Dropping age helps most: job by itself singles out no row."
    )


@pytest.mark.big
def test_the_verdict_comes_first_and_no_value_gets_out(run, people: Path) -> None:
    ended = run("columns", people)
    assert ended.code == 0
    first, second, *_ = ended.out.splitlines()
    assert first == "Do not hand these columns over together"
    assert re.match(r"(One|Two|Three) columns?, .*birthdate.*, singles? out \d+\.\d+% of rows\.", second)
    assert "constant" in ended.out
    assert "idbits measure" in ended.out
    assert MARKER not in ended.out + ended.err


def test_json_has_the_keys_that_scripts_rely_on(run, people: Path) -> None:
    ended = run("columns", people, "--json", "--share", "0.5", "--share", "0.9", "--candidates", "birthdate,zip,sex")
    data = json.loads(ended.out)
    assert (data["schema"], data["command"]) == ("idbits/1", "columns")
    assert len(data["subsets"]) == 7
    for subset in data["subsets"]:
        assert {"columns", "entropy_bits", "singletons", "k_min", "distinction", "separation"} <= subset.keys()
    assert [entry["share"] for entry in data["minimal"]] == [0.5, 0.9, 1.0]
    assert {"column", "conditional_bits", "shapley_bits"} <= data["contribution"][0].keys()
    assert data["complete"] is True


def test_files_that_are_written(run, people: Path, tmp_path: Path) -> None:
    records, charts, out = tmp_path / "r.csv", tmp_path / "c.json", tmp_path / "answer.txt"
    ended = run("columns", people, "--records", records, "--charts", charts, "--out", out, "--max-bits", "8")
    assert (ended.code, ended.out) == (0, "")
    assert "released together" in out.read_text()
    assert set(json.loads(charts.read_text())) == {"subsets", "contribution", "lattice"}
    assert len(records.read_text().splitlines()) == 501
    assert MARKER not in records.read_text()


CASES = {
    "a share above 1": (["--share", "1.5"], 2, "--share"),
    "a share below 0": (["--share", "-0.5"], 2, "--share"),
    "no number": (["--share", "most"], 2, "--share"),
    "a candidate that is not there": (["--candidates", "birthdat"], 2, 'did you mean "birthdate"'),
    "an empty candidate": (["--candidates", "zip,,sex"], 2, "empty"),
    "a bad transform": (["--candidates", "zip:yaer"], 2, "use one of"),
    "no time": (["--max-seconds", "0"], 2, "--max-seconds"),
    "no size": (["--max-size", "0"], 2, "--max-size"),
    "no k": (["--min-k", "0"], 2, "--min-k"),
    "negative bits": (["--max-bits", "-1"], 2, "--max-bits"),
    "records as what": (["--records", "r.xlsx"], 2, ".csv or .parquet"),
    "records over the data": (["--records", "FILE"], 2, "is read by this command"),
    "charts over the data": (["--charts", "FILE"], 2, "is read by this command"),
    "one file twice": (["--records", "x.csv", "--charts", "x.csv"], 2, "name the same file"),
    "nobody": (["--where", "sex = 'zqx'"], 3, "nobody"),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_one_clear_line(run, people: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(people.parent)
    words, code, says = CASES[name]
    before = people.read_bytes()
    ended = run("columns", people, *(word.replace("FILE", str(people)) for word in words))
    assert (ended.code, ended.out) == (code, "")
    assert re.fullmatch(r"idbits: [^\n]+\n", ended.err), ended.err
    assert says in ended.err
    assert MARKER not in ended.err
    assert people.read_bytes() == before


@pytest.mark.big
def test_tables_that_hold_little(run, tmp_path: Path) -> None:
    for text in ("a\nx\ny\nx\n", "a,b\nx,y\nx,y\n", "a\nx\n", ",".join(map(str, range(15))) + "\n" + "q," * 14 + "q\n"):
        (tmp_path / "t.csv").write_text(text)
        ended = run("columns", tmp_path / "t.csv")
        assert ended.code == 0, ended.err
        assert ended.out
    (tmp_path / "t.csv").write_text("a,b\n")
    assert run("columns", tmp_path / "t.csv").code == 3


def test_names_that_may_be_data_are_withheld(run, tmp_path: Path) -> None:
    lines = [f"Kovacs {MARKER},1985-03-04,1011", *(f"Nagy,19{10 + i}-01-02,{1000 + i % 7}" for i in range(30))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    ended = run("columns", tmp_path / "t.csv", "--records", tmp_path / "r.csv")
    assert "names are withheld" in ended.err
    assert "column2" in ended.out
    written = (tmp_path / "r.csv").read_text()
    for cell in (MARKER, "1985", "1011"):
        assert cell not in ended.out + ended.err + written


def test_everything_fits_in_80_columns(people: Path, start, tmp_path: Path) -> None:
    from idbits import columns
    from idbits.render.text import to_text

    text = to_text(columns(people, max_bits=9, records=tmp_path / "r.csv").blocks(), width=80)
    long = [line for line in text.splitlines() if len(line) > 80 and "idbits measure" not in line]
    assert not [line for line in long if str(tmp_path) not in line]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_prints_what_is_proven(start, tmp_path: Path) -> None:
    draw = random.Random(1)
    sizes = [draw.choice([3, 5, 9, 12]) for _ in range(26)]
    lines = [",".join(f"c{i}" for i in range(26))]
    lines += [",".join(str(draw.randrange(size)) for size in sizes) for _ in range(20_000)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    process = start(
        "columns", tmp_path / "wide.csv", "--json", "--max-size", "6", stdout=-1, stderr=-1,
        environment={"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    # Progress shows when the search has begun.
    deadline = time.monotonic() + 60
    os.set_blocking(process.stderr.fileno(), False)
    seen = b""
    while b"combinations of" not in seen and time.monotonic() < deadline and process.poll() is None:
        seen += process.stderr.read() or b""
        time.sleep(0.1)
    assert b"combinations of" in seen, seen
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    data = json.loads(out)
    assert data["complete"] is False
    assert "Ctrl-C" in data["stopped"]
    assert data["not_searched"]
