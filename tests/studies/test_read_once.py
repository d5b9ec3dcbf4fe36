"""Text files are read once, also by commands that count columns beside those they treat."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import idbits
from idbits.engines.duckdb import loading
from idbits.engines.open import open_table

ROWS = 60
HEADER = "age,sex,remark,visit,size"
LINES = [f"{20 + row % 3},{'FM'[row % 2]},text {row},{row // 2},{row % 7}" for row in range(ROWS)]
POLICY = """version = 1
[[dataset]]
name = "people"
source = "people.csv"
qid = ["age", "sex"]
rules = ["k_min >= 11"]
"""


@pytest.fixture
def reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("\n".join([HEADER, *LINES, ""]))
    Path("policy.toml").write_text(POLICY)
    found: list[Path] = []
    read = loading._read_directly

    def noted(connection, part, path, table, wanted):  # type: ignore[no-untyped-def]
        found.append(path)
        return read(connection, part, path, table, wanted)

    monkeypatch.setattr(loading, "_read_directly", noted)
    return found


def report() -> str:
    return idbits.report("people.csv", "age,sex", rows_are_people=True, sections="changes").to_json()


def advise() -> str:
    answer = idbits.advise("people.csv", "age,sex", goal="k_min >= 11", rows_are_people=True)
    return json.dumps([answer.to_dict() | {"seconds": 0}, answer.next_command])


def check() -> str:
    return idbits.check("policy.toml").to_json()


@pytest.mark.parametrize(("command", "times"), [(report, 1), (advise, 1), (check, 3)])
def test_a_file_is_read_once_and_the_answer_is_that_of_two_readings(
    reads: list[Path], monkeypatch: pytest.MonkeyPatch, command: Callable[[], str], times: int
) -> None:
    """A policy is measured, then a treatment is sought, then the command for it."""
    answer = command()
    assert len(reads) == times
    assert "--drop remark" in answer
    assert "--drop visit" not in answer
    for limit in ("_SPARE_CELLS", "_SPARE_COLUMNS"):
        reads.clear()
        with monkeypatch.context() as patch:
            patch.setattr(loading, limit, 0)
            assert command() == answer
        assert len(reads) > times


def test_spare_columns_do_not_decide_which_rows_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    lines = [f"{n * 7919 % 30_011},{n % 90},{n % 2},{n % 997}" for n in range(30_000)]
    path.write_text("\n".join(["id,age,sex,zip", *lines, ""]))
    drawn = []
    for spare in ((), ("id", "sex", "zip")):
        table = open_table(path)
        table.load(["age"], ["id", "sex", "zip"], spare)
        sample = table.draw_sample()
        assert sample is not None
        drawn.append((sample.n_drawn, sample.profiles))
        assert table.unique_people(["id", "zip"]) == {"id": 30_000, "zip": 0}
        table.close()
    assert drawn[0] == drawn[1]
    assert 0 < drawn[0][0] < 30_000
