"""Asks every question and compares each answer with the frozen one; one line per question.

``test_other_systems.py`` runs it in a process without what only POSIX has.
"""

from __future__ import annotations

import json

import surface
from frozen_commands import ANSWERS

NAMES = (
    "measure-csv", "measure-sqlite", "measure-records", "inspect", "columns", "gain", "events", "predict-uniqueness",
    "predict-singletons", "predict-width", "predict-group", "questionnaire", "leak", "report-about", "check-baseline",
    "advise-kept", "apply", "apply-plan", "decide", "decide-list", "decide-verify", "disclosure", "population", "link",
    "link-truth", "overlap-zones", "overlap-releases", "randomise",
)  # fmt: skip
"""Answers of every question, each as fast as possible."""


def main() -> None:
    """Ask."""
    with surface.folder_of_tables():
        for name in NAMES:
            report(name, surface.answer(ANSWERS[name]))
        report("repository", surface.story())
        made = surface.run("init people.csv -o init.toml")
        print("init", "ok" if made.code == 0 else made.err)


def report(name: str, answer: object) -> None:
    """Print whether an answer is the frozen one."""
    frozen = json.loads((surface.FILES / "json" / f"{name}.json").read_text(encoding="utf-8"))
    print(name, [*surface.differences(frozen, answer)] or "ok")


if __name__ == "__main__":
    main()
