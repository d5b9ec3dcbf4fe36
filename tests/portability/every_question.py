"""Asks every question and compares each answer with the frozen one, then runs every command; one line for each.

``test_other_systems.py`` runs it in a process without what only POSIX has.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path

import surface
from frozen_commands import ANSWERS

import smoke

NAMES = (
    "measure-csv", "measure-sqlite", "measure-records", "inspect", "columns", "gain", "events", "predict-uniqueness",
    "predict-singletons", "predict-width", "predict-correlated", "predict-group",
    "questionnaire", "leak", "report-about", "check-baseline",
    "advise-kept", "apply", "apply-plan", "decide", "decide-list", "decide-verify", "disclosure", "population", "link",
    "link-truth", "overlap-zones", "overlap-releases", "randomise",
)  # fmt: skip
"""Answers of every question, each as fast as possible."""


COMMANDS = smoke.TRIALS | smoke.WITH_EXTRA["sql"] | smoke.WITH_EXTRA["web"]
"""Commands of the smoke test, except those that need Java or libraries outside Python."""


def main() -> None:
    """Ask."""
    with surface.folder_of_tables():
        for name in NAMES:
            report(name, surface.answer(ANSWERS[name]))
        report("repository", surface.story())
        made = surface.run("init people.csv -o init.toml")
        print("init", "ok" if made.code == 0 else made.err)
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        os.environ["IDBITS_DATA"] = str(Path(name) / "data")
        run_every_command()


def run_every_command() -> None:
    """Run every command in the current folder, the app as a process of its own; say which was not run."""
    smoke.write_tables()
    for name, command in COMMANDS.items():
        if "REF" in command:
            entries = json.loads(surface.run("repository entries --json").out)
            command = command.replace("REF", entries["entries"][0]["ref"])
        ended = surface.run(command)
        print(f"command {name}", "ok" if ended.code in smoke.CODES.get(name, (0,)) else f"{ended.code} {ended.err}")
    is_served, link = smoke.served()
    print("command serve", "ok" if is_served else link)
    print("left out", sorted({*smoke.all_commands()} - {*COMMANDS, "serve"}))


def report(name: str, answer: object) -> None:
    """Print whether an answer is the frozen one."""
    frozen = json.loads((surface.FILES / "json" / f"{name}.json").read_text(encoding="utf-8"))
    print(name, [*surface.differences(frozen, answer)] or "ok")


if __name__ == "__main__":
    main()
