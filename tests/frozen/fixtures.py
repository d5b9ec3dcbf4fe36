"""Files that a released version wrote, kept so that every later version is held to opening them.

``python tests/frozen/fixtures.py`` writes those of the present version into ``written_by/VERSION/``. It never writes
over a folder that is there: what a released version wrote does not change.
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

__all__ = ["EVENTS", "FOLDERS", "SAVED", "write_visits"]

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
}
_MADE_AT_NS = 1_700_000_000_000_000_000


def write_visits(folder: Path) -> None:
    """Write the events of the resume folder: the same bytes with the same time of change."""
    path = folder / "visits.csv"
    rows = visits(60).to_pylist()
    path.write_text("patient,date,place\n" + "".join(f"{r['patient']},{r['date']},{r['place']}\n" for r in rows))
    os.utime(path, ns=(_MADE_AT_NS, _MADE_AT_NS))


def write_fixtures(folder: Path) -> None:
    """Write what this version writes: a policy, a baseline, saved answers, a resume folder, a repository."""
    with surface.folder_of_tables() as here:
        write_visits(here)
        surface.run(f"{ANSWERS['check']} --json --out baseline.json")
        commands = [f"{command} --json --out saved/{name}.json" for name, command in SAVED.items()]
        commands += [f"{EVENTS} --json --out resumed.json", "init people.parquet -o init.toml"]
        (here / "saved").mkdir()
        for command in [*commands, *REPOSITORY]:
            ended = surface.run(command)
            assert ended.code in (0, 1), (command, ended.err)
        folder.mkdir(parents=True)
        for name in ("policy.toml", "init.toml", "baseline.json", "survey.toml", "resumed.json", "backup.jsonl"):
            shutil.copy(here / name, folder / name)
        for name in ("saved", "resume"):
            shutil.copytree(here / name, folder / name)
        shutil.copy(here / "data" / "repository.db", folder / "repository.db")


if __name__ == "__main__":
    target = WRITTEN_BY / idbits.__version__
    if target.exists():
        sys.exit(f"{target} is there: what a version wrote never changes")
    write_fixtures(target)
