"""``idbits events``: what it prints, where it writes, what it says of bad input, and that no value leaves."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import idbits
from commands import Run
from idbits.examples.visits import write_visits

QUESTION = ("--person", "patient", "--time", "date", "--attributes", "place")


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("visits") / "visits.parquet"
    write_visits(path, 400)
    return path


def text_file(folder: Path, times: list[str]) -> Path:
    path = folder / "visits.csv"
    rows = [f"RarePerson{i // 2:03},{when},RarePlace{i % 3}" for i, when in enumerate(times)]
    path.write_text("patient,date,place\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.big
def test_a_month_is_one_row_a_day_and_the_period(run: Run, visits: Path) -> None:
    ended = run("events", visits, *QUESTION, "--period", "2005-01")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Two events single people out")
    days = re.findall(r"^2005-01-\d\d \| (Mon|Tue|Wed|Thu|Fri|Sat|Sun) \|", ended.out, re.MULTILINE)
    assert len(days) > 20
    assert re.search(r"^2005-01 +\| ", ended.out, re.MULTILINE)
    assert max(map(len, ended.out.splitlines()[:-1])) <= 100


@pytest.mark.big
def test_without_a_period_one_row_a_month(run: Run, visits: Path) -> None:
    told = run("events", visits, *QUESTION).out
    assert len(re.findall(r"^20\d\d-\d\d +\| ", told, re.MULTILINE)) == 156
    assert re.search(r"^all +\| ", told, re.MULTILINE)


@pytest.mark.big
def test_json_is_what_python_returns(run: Run, visits: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.json"
    words = ("--period", "2005-01", "--points", "1..3,all", "--draws", "200", "--seed", "3")
    ended = run("events", visits, *QUESTION, *words, "--json", "--out", out)
    assert (ended.code, ended.out) == (0, "")
    expected = idbits.events(visits, "patient", "date", "place", "2005-01", points="1..3,all", draws=200, seed=3)
    assert out.read_text() == expected.to_json() + "\n"
    data = json.loads(out.read_text())
    assert (data["schema"], data["command"]) == ("idbits/1", "events")
    for row in (*data["days"], data["period"]):
        assert row["k_hat"] * 2 ** row["entropy_bits"] == pytest.approx(row["n_pairs"])


@pytest.mark.big
def test_a_heat_map_is_written(run: Run, visits: Path, tmp_path: Path) -> None:
    chart = tmp_path / "chart.json"
    words = ("--points", "1..2", "--coarser", "place:prefix1", "--period", "2005-01", "--chart", chart)
    assert run("events", visits, *QUESTION, *words).code == 0
    spec = json.loads(chart.read_text())
    cells = {(row["points"], row["time"], row["attributes"]) for row in spec["data"]["values"]}
    assert len(cells) == 2 * 3 * 3


@pytest.mark.big
def test_the_heat_map_can_be_drawn(visits: Path) -> None:
    converter = pytest.importorskip("vl_convert")
    spec = idbits.events(visits, "patient", "date", "place", "2005-01", points="1..2").chart()
    drawn = converter.vegalite_to_svg(spec, allowed_base_urls=[])
    assert drawn.count("%") >= 12


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 2, "--person patient"),
        (("--person", "patient"), 2, "--time date"),
        (("--person", "patient", "--time", "dat"), 2, 'did you mean "date"'),
        ((*QUESTION, "--period", "soon"), 2, "2005-W05"),
        ((*QUESTION, "--period", "1999-01"), 3, "no pair of events begins in 1999-01"),
        ((*QUESTION, "--chart", "x.json"), 2, "--chart needs --points"),
        ((*QUESTION, "--coarser", "place"), 2, "--coarser needs --points"),
        ((*QUESTION, "--max-events", "0"), 2, "--max-events 3"),
        (("--person", "place", "--time", "date:hour"), 2, "hour"),
        (("--person", "date", "--time", "place"), 3, "no times"),
    ],
)
def test_one_line_for_bad_input(run: Run, visits: Path, words: tuple[str, ...], code: int, sentence: str) -> None:
    ended = run("events", visits, *words)
    assert (ended.code, ended.out) == (code, "")
    assert sentence in ended.err
    assert ended.err.count("\n") == 1


def test_the_chart_is_not_written_over_the_data(run: Run, visits: Path) -> None:
    before = visits.read_bytes()
    ended = run("events", visits, *QUESTION, "--points", "1", "--chart", visits)
    assert (ended.code, visits.read_bytes() == before) == (2, True)


@pytest.mark.big
def test_unreadable_times_are_reported(run: Run, tmp_path: Path) -> None:
    path = text_file(tmp_path, ["2005-01-03", "2005-01-04"] * 4 + ["2005-01-03", "RareTime"])
    ended = run("events", path, *QUESTION)
    assert ended.code == 0
    assert "1 record with a time that cannot be read as a date" in " ".join(ended.out.split())
    assert "year-month-day" in ended.err
    path = text_file(tmp_path, ["RareTime"] * 4)
    ended = run("events", path, *QUESTION)
    assert (ended.code, ended.err.count("\n")) == (3, 1)
    assert "4 records cannot be read as a date" in ended.err


@pytest.mark.big
def test_no_value_of_a_person_or_place_leaves(run: Run, tmp_path: Path) -> None:
    path = text_file(tmp_path, ["2005-01-03", "2005-01-04"] * 4 + ["2005-01-03", "RareTime"])
    for shown in (("--plain",), ("--json",), ("--period", "2011"), ("--points", "1..3,all", "--draws", "100")):
        ended = run("events", path, *QUESTION, *shown)
        assert "Rare" not in ended.out + ended.err
    kept = tmp_path / "kept"
    run("events", path, *QUESTION, "--resume", kept)
    assert all(b"Rare" not in file.read_bytes() for file in kept.iterdir())


def test_ctrl_c_leaves_nothing_behind(start: Callable[..., subprocess.Popen[bytes]], tmp_path: Path) -> None:
    path, temporary = tmp_path / "visits.parquet", tmp_path / "temporary"
    write_visits(path, 60_000)
    temporary.mkdir()
    process = start(
        "events", path, *QUESTION, "--points", "2", environment={"TMPDIR": str(temporary)},
        # Shells start background work with SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    until = time.monotonic() + 40
    while not any(temporary.iterdir()) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.decode().splitlines()[-1] == "idbits: stopped"
    assert not list(temporary.iterdir())
