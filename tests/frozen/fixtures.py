"""Files that a released version wrote, kept so that every later version is held to opening them.

``python tests/frozen/fixtures.py`` writes those of the present version into ``written_by/VERSION/``. It never writes
over a folder that is there: what a released version wrote does not change. Until the version is released, delete its
folder and write it again.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import surface
from frozen_commands import ANSWERS, REPOSITORY

import idbits
from idbits.examples.visits import visits

__all__ = ["EVENTS", "FOLDERS", "SAVED", "WRITTEN_BY", "saved_answers", "write_fixtures", "write_visits"]

WRITTEN_BY = Path(__file__).parent / "written_by"
FOLDERS = sorted(path for path in WRITTEN_BY.iterdir() if path.is_dir()) if WRITTEN_BY.is_dir() else []
EVENTS = "events visits.csv --person patient --time date --attributes place --period 2005-01..2005-03 --resume resume"
SAVED = {
    "measure": ANSWERS["measure"],
    "columns": ANSWERS["columns"],
    "gain": ANSWERS["gain"],
    "events": ANSWERS["events-points"],
    "leak": ANSWERS["leak"],
    "inspect": ANSWERS["inspect"],
    "singletons": ANSWERS["predict-singletons"],
    "questionnaire": ANSWERS["questionnaire"],
    "population": ANSWERS["population"],
    "disclosure": ANSWERS["disclosure"],
    "advise": ANSWERS["advise"],
    "link": ANSWERS["link"],
    "overlap-zones": ANSWERS["overlap-zones"],
    "overlap-releases": ANSWERS["overlap-releases"],
    "uniqueness": ANSWERS["predict-uniqueness"],
    "width": ANSWERS["predict-width"],
}
"""Commands whose answers are saved; folders of older versions have some of them."""

TREATMENT = (
    "advise people.parquet --qid birthdate,zip --plan plan.json",
    "apply people.parquet --plan plan.json --out treated.csv --receipt receipt.json",
    "report treated.csv --qid birthdate,zip --format json -o report.json",
    "decide report.json --decision approve-with-treatment --by 'A. Example' --why 'years in bands' --plan plan.json "
    "--receipt receipt.json",
)
"""A plan, its receipt, a report and a decision, one after the other."""

_FILES = (
    "policy.toml", "init.toml", "baseline.json", "survey.toml", "resumed.json", "backup.jsonl", "export.jsonl",
    "plan.json", "receipt.json", "report.json", "decisions.jsonl",
)  # fmt: skip
_MADE_AT_NS = 1_700_000_000_000_000_000


def write_visits(folder: Path) -> None:
    """Write the events of the resume folder: the same bytes with the same time of change."""
    path = folder / "visits.csv"
    rows = visits(60).to_pylist()
    path.write_text("patient,date,place\n" + "".join(f"{r['patient']},{r['date']},{r['place']}\n" for r in rows))
    os.utime(path, ns=(_MADE_AT_NS, _MADE_AT_NS))


def saved_answers(folder: Path) -> list[Path]:
    """Return every answer that a version saved."""
    names = ("baseline.json", "receipt.json", "report.json", "resumed.json")
    return [*sorted((folder / "saved").iterdir()), *(folder / name for name in names if (folder / name).is_file())]


def write_fixtures(folder: Path) -> None:
    """Write what this version writes: a policy, saved answers, a treatment, a resume folder, a repository and others.

    The folder is there only if it is complete.
    """
    with surface.folder_of_tables() as here:
        write_visits(here)
        (here / "saved").mkdir()
        commands = [f"{ANSWERS['check']} --json --out baseline.json"]
        commands += [f"{command} --json --out saved/{name}.json" for name, command in SAVED.items()]
        commands += [f"{EVENTS} --json --out resumed.json", "init people.parquet -o init.toml"]
        for command in [*commands, *TREATMENT, *REPOSITORY]:
            ended = surface.run(command)
            assert ended.code in (0, 1), (command, ended.err)
        complete = here / "complete"
        complete.mkdir()
        for name in _FILES:
            shutil.copy(here / name, complete / name)
        for name in ("saved", "resume"):
            shutil.copytree(here / name, complete / name)
        shutil.copy(here / "data" / "repository.db", complete / "repository.db")
        for path in (path for path in complete.rglob("*") if path.is_file()):
            assert str(here).encode() not in path.read_bytes(), f"{path.name} names a folder of this machine"
        shutil.copytree(complete, folder)


if __name__ == "__main__":
    target = WRITTEN_BY / idbits.__version__
    if target.exists():
        sys.exit(f"{target} is there: what a version wrote never changes")
    write_fixtures(target)
