"""``idbits link`` as a command: options, exit codes, files, and nothing of the second table on any screen."""

import json
import stat
from pathlib import Path

import pytest

from commands import Run

SECRETS = ("Kovacs", "Szabo", "Nagy", "1011", "1012")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    released, voters = tmp_path / "released.csv", tmp_path / "voters.csv"
    released.write_text("zip,sex,id\n1011,F,1\n1011,M,2\n1012,F,3\n", encoding="utf-8")
    voters.write_text(
        "plz;sex;name;id\n1011;F;Kovacs;1\n1011;M;Szabo;9\n1012;F;Nagy;3\n1012;F;Nagy;4\n", encoding="utf-8"
    )
    return released, voters


def test_text_json_charts_and_records(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    asked = ("link", *files, "--on", "zip=plz,sex", "--truth", "id", "--also", "name")
    written = ("--records", tmp_path / "links.csv", "--reveal", "--charts", tmp_path / "charts.json")
    text, data = run(*asked, *written), run(*asked, "--json")
    assert (text.code, data.code) == (0, 0)
    assert "People can be named" in text.out
    assert "1 of 2 claims (50.00%) is right" in " ".join(text.out.split())
    assert "internal use only" in text.out
    assert json.loads(data.out)["truth"] | {"precision": 0, "recall": 0} == {
        "in_both": 2, "claims": 2, "right": 1, "wrong": 1, "missed": 1, "precision": 0, "recall": 0,
        "among_candidates": 1, "expected_right": 1.5,
    }  # fmt: skip
    lines = (tmp_path / "links.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == '"row","candidates","claimed","probability","right","internal_person_row"'
    assert lines[1:] == ["1,1,1,,1,1", "2,1,1,,0,2", "3,2,0,,0,"]
    assert stat.S_IMODE((tmp_path / "links.csv").stat().st_mode) == 0o600
    assert set(json.loads((tmp_path / "charts.json").read_text())) == {"records", "candidates", "columns"}
    shown = text.out + text.err + data.out + data.err
    assert not any(secret in shown for secret in SECRETS)


def test_options_of_the_second_table(run: Run, files: tuple[Path, Path]) -> None:
    second = ("--where-b", "id <> '4'", "--delimiter-b", ";", "--null-b", "M")
    data = json.loads(run("link", *files, "--on", "zip=plz,sex", *second, "--json").out)
    assert (data["n_people"], data["records"]["one_to_one"]) == (3, 2)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "name the columns that both tables have"),
        (("--on", "zip"), 2, "in the second table"),
        (("--on", "zip=plz", "--coverage", "2"), 2, "--coverage must be"),
        (("--on", "zip=plz", "--coverage", "1", "--where-b", "plz = '1012'"), 3, "leave out --coverage 1"),
        (("--on", "zip=plz", "--rule", "records.no_candidate > 0"), 1, ""),
        (("--on", "zip=plz", "--rule", "right.expected <= 1"), 3, ""),
        (("--on", "zip=plz", "--records", "x.txt"), 2, "must end in .parquet or .csv"),
    ],
)
def test_exit_codes(run: Run, files: tuple[Path, Path], words: tuple[str, ...], code: int, message: str) -> None:
    ended = run("link", *files, *words)
    assert ended.code == code
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert not any(secret in ended.err for secret in SECRETS[:3])


def test_records_do_not_overwrite_a_table(run: Run, files: tuple[Path, Path]) -> None:
    before = files[1].read_bytes()
    ended = run("link", *files, "--on", "zip=plz", "--records", files[1])
    assert (ended.code, "is read by this command" in ended.err) == (2, True)
    assert files[1].read_bytes() == before
