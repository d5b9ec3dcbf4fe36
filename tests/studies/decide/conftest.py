"""A report of a few people, made once, and a fresh folder with it for every test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import idbits

CSV = (
    "zip,sex,job\n" + "".join(f"{10 + row % 4},{'FM'[row % 2]},secretjob{row % 7}\n" for row in range(60)) + "99,F,x\n"
)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("decided")
    (folder / "people.csv").write_text(CSV, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        report = idbits.report("people.csv", "zip,sex", sections="bits")
        (folder / "report.json").write_text(report.to_json(), encoding="utf-8")
        idbits.advise("people.csv", "zip,sex", plan="plan.json")
        idbits.apply("people.csv", "plan.json", "treated.csv", receipt="receipt.json")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
