"""``idbits leak`` and ``idbits randomise`` as commands: output, files, exit codes, and no cell value anywhere."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from commands import Run


def write(path: Path, header: str, rows: list[str]) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(0)
    ages = rng.integers(18, 90, 120).tolist()
    names = [f"Secret{place:03}" for place in range(120)]
    original = write(tmp_path / "a.csv", "age,name", [f"{a},{n}" for a, n in zip(ages, names, strict=True)])
    other = rng.permutation(names).tolist()
    released = write(tmp_path / "b.csv", "age,name", [f"{a + 1},{n}" for a, n in zip(ages, other, strict=True)])
    return original, released


def test_it_answers(run: Run, tables: tuple[Path, Path]) -> None:
    ended = run("leak", *tables)
    assert ended.code == 0
    assert ended.out.startswith("The release leaks the original\n")
    text = " ".join(ended.out.split())
    for words in ("MIC", "rho1, rho2", "gamma", "r1", "epsilon", "pattern length", "looks private", "says nothing"):
        assert words in text
    assert "Secret" not in ended.out + ended.err


def test_json_has_the_keys_of_the_interface(run: Run, tables: tuple[Path, Path]) -> None:
    ended = run("leak", *tables, "--json")
    data = json.loads(ended.out)
    keys = {"schema", "rho1", "rho2", "ceiling", "saturated", "order", "gamma", "r1", "epsilon", "change", "verdict"}
    assert keys <= set(data)
    assert {"column", "mic", "mutual_information_bits", "pearson", "spearman", "distance_correlation"} <= set(
        data["columns"][0]
    )
    assert data["verdict"] == "leaks"
    assert "Secret" not in ended.out + ended.err


def test_out_chart_and_options(run: Run, tables: tuple[Path, Path], tmp_path: Path) -> None:
    out, chart = tmp_path / "answer.txt", tmp_path / "curve.json"
    ended = run(
        "leak", *tables, "--columns", "age", "--order", "4", "--delay", "2", "--scales", "2", "--conditional",
        "--out", out, "--chart", chart, "--quiet", "--seed", "5", "--memory", "500MB", "--threads", "1",
    )  # fmt: skip
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert "pattern length 4, as given, delay 2" in out.read_text()
    assert "At coarser scales" in out.read_text()
    assert "Conditional permutation entropy" in out.read_text()
    assert json.loads(chart.read_text())["layer"][0]["mark"]["type"] == "line"


def test_the_next_command_reads_the_tables_in_the_same_way(run: Run, tmp_path: Path) -> None:
    ages = np.random.default_rng(0).integers(18, 90, 120).tolist()
    original = write(tmp_path / "a b.csv", "age;zip", [f"{age};{age * 7}" for age in ages])
    released = write(tmp_path / "b.csv", "age;zip", [f"{age + 1};{age}" for age in ages])
    ended = run("leak", original, released, "--delimiter", ";", "--no-header", "--columns", "column1,column2")
    command = ended.out.rpartition("\n  idbits ")[2].strip()
    options = "--order 3 --columns column1,column2 --delimiter ';' --no-header"
    assert command == f"leak {shlex.quote(str(original))} {released} {options}"
    assert run(*shlex.split(command)).code == 0


def test_lines_fit_a_terminal_of_100_columns(run: Run, tables: tuple[Path, Path]) -> None:
    lines = run("leak", *tables, "--scales", "2", "--plain", "--quiet").out.splitlines()
    assert max(len(line) for line in lines if not line.startswith("  idbits")) <= 100


def test_files_without_names_keep_their_cells_inside(run: Run, tmp_path: Path) -> None:
    rows = [f"1950-01-{place % 28 + 1:02},Secret{place}" for place in range(40)]
    one, two = write(tmp_path / "a.csv", rows[0], rows[1:]), write(tmp_path / "b.csv", rows[0], rows[1:])
    ended = run("leak", one, two)
    assert ended.code == 0
    assert "Secret" not in ended.out + ended.err
    assert "column1" in ended.out
    other = write(tmp_path / "c.csv", rows[5], rows[1:])
    ended = run("leak", one, other)
    assert ended.code == 2
    assert "--no-header" in ended.err
    assert "Secret" not in ended.err


BAD = {
    "lengths": ("v\n1\n2\n3\n", "v\n1\n2\n", [], 3, "3 rows and the release 2 rows"),
    "order": ("v\n1\n2\n", "v\n1\n2\n", ["--order", "7"], 3, "needs at least 7 rows"),
    "order word": ("v\n1\n2\n", "v\n1\n2\n", ["--order", "x"], 2, "--order"),
    "one row": ("v\n1\n", "v\n1\n", [], 3, "at least two rows"),
    "no rows": ("v\n", "v\n", [], 3, "at least two rows"),
    "column": ("v\n1\n2\n", "v\n1\n2\n", ["--columns", "u"], 2, 'no column named "u"'),
    "pattern": ("v\n1\n2\n", "v\n1\n2\n", ["--patterns", "a-b"], 2, "ranks"),
    "delay": ("v\n1\n2\n", "v\n1\n2\n", ["--delay", "0"], 2, "--delay"),
    "reduction": ("v\n1\n2\n", "v\n1\n2\n", ["--reduction", "x"], 2, "pca or tsne"),
    "error rate": ("v\n1\n2\n", "v\n1\n2\n", ["--error-rate", "2"], 2, "--error-rate"),
}


@pytest.mark.big
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line(run: Run, tmp_path: Path, name: str) -> None:
    first, second, options, code, words = BAD[name]
    one, two = tmp_path / "a.csv", tmp_path / "b.csv"
    one.write_text(first)
    two.write_text(second)
    ended = run("leak", one, two, *options)
    assert (ended.code, ended.out) == (code, "")
    lines = [line for line in ended.err.splitlines() if not line.startswith("note:")]
    assert len(lines) == 1
    assert words in lines[0]


def test_the_data_are_never_written_over(run: Run, tables: tuple[Path, Path]) -> None:
    before = [path.read_bytes() for path in tables]
    assert run("leak", *tables, "--out", tables[1]).code == 2
    assert run("leak", *tables, "--chart", tables[0]).code == 2
    assert run("randomise", tables[0], "--mechanism", "laplace", "--epsilon", "1", "--out", tables[0]).code == 2
    assert [path.read_bytes() for path in tables] == before
    assert run("leak", *tables, "--out", tables[0].parent / "x", "--chart", tables[0].parent / "x").code == 2


def test_a_missing_file(run: Run, tables: tuple[Path, Path], tmp_path: Path) -> None:
    for words in ((tables[0], tmp_path / "none.csv"), (tmp_path / "none.csv", tables[0])):
        ended = run("leak", *words)
        assert (ended.code, ended.out) == (2, "")
        assert "does not exist" in ended.err


@pytest.mark.big
def test_randomise_makes_a_release_that_leak_takes(run: Run, tables: tuple[Path, Path], tmp_path: Path) -> None:
    for mechanism in ("exponential", "laplace", "gaussian", "response"):
        release = tmp_path / f"{mechanism}.csv"
        ended = run("randomise", tables[0], "--mechanism", mechanism, "--epsilon", "1", "--out", release)
        assert (ended.code, ended.out) == (0, "")
        assert "not for protecting real data" in ended.err
        lines = release.read_text().splitlines()
        assert (lines[0], len(lines)) == ("age,name", 121)
        assert run("leak", tables[0], release, "--quiet").code == 0


def test_randomise_prints_csv_or_json(run: Run, tables: tuple[Path, Path]) -> None:
    words = ("randomise", tables[0], "--mechanism", "response", "--epsilon", "60", "--quiet")
    assert run(*words).out == tables[0].read_text()
    data = json.loads(run(*words, "--json").out)
    assert (data["schema"], data["experimental"], data["n_rows"], data["delta"]) == ("idbits/1", True, 120, None)
    assert run(*words, "--seed", "1").out == run(*words, "--seed", "1").out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--epsilon", "1"], "--mechanism"),
        (["--mechanism", "laplace"], "--epsilon"),
        (["--mechanism", "magic", "--epsilon", "1"], "exponential, laplace"),
        (["--mechanism", "laplace", "--epsilon", "-1"], "greater than 0"),
        (["--mechanism", "laplace", "--epsilon", "x"], "--epsilon"),
    ],
)
def test_randomise_refuses(run: Run, tables: tuple[Path, Path], options: list[str], words: str) -> None:
    ended = run("randomise", tables[0], *options)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
