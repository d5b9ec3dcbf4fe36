"""What does a question cost on Spark, and what would it cost on a cluster? Runs, a fitted model and its check.

    python experiments/scale.py FOLDER          the runs that experiments/scale.json lacks, then the tables
    python experiments/scale.py                 only the tables, from experiments/scale.json

FOLDER takes 2 GB for the made-up people and up to 20 GB while Spark shuffles; 300 million rows take most of an hour on
two cores. Each run is a process with a Spark of its own; its costs come from Spark's event log.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "scale.json"
MOST_ROWS = 300_000_000
MILLION = 1_000_000


class Planned(NamedTuple):
    """A run: the question, its columns (fine or coarse), the millions of rows, and what it is for."""

    question: str
    group: str
    millions: float
    use: str = "fit"
    place: str = "cluster"

    @property
    def rows(self) -> int:
        return round(self.millions * MILLION)


PLANNED = [
    Planned("spectrum", "fine", 1),
    Planned("spectrum", "coarse", 1),
    Planned("subsets", "coarse", 1),
    Planned("subsets", "fine", 1),
    Planned("gain", "coarse", 1),
    Planned("gain", "fine", 1),
    Planned("spectrum", "fine", 10),
    Planned("spectrum", "coarse", 10),
    Planned("subsets", "coarse", 10),
    Planned("gain", "coarse", 10),
    Planned("spectrum", "fine", 100),
    Planned("sql-spectrum", "fine", 100, "peer"),
    Planned("subsets", "fine", 10),
    Planned("sql-subsets", "fine", 10, "peer"),
    Planned("gain", "fine", 10),
    Planned("subsets", "fine", 10, "peer", "default"),
    Planned("gain", "fine", 10, "peer", "default"),
    Planned("records", "fine", 0.1),
    Planned("records", "fine", 1),
    Planned("events", "fine", 0.2),
    Planned("events", "fine", 1),
    Planned("subsets", "coarse", 100),
    Planned("gain", "coarse", 100),
    Planned("spectrum", "fine", 300),
    Planned("spectrum", "fine", 30, "check"),
    Planned("subsets", "coarse", 30, "check"),
    Planned("gain", "coarse", 30, "check"),
    Planned("records", "fine", 0.5, "check"),
    Planned("events", "fine", 0.5, "check"),
    Planned("subsets", "coarse", 300),
    Planned("gain", "coarse", 300),
]


def load() -> dict[str, Any]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"runs": []}


def save(results: dict[str, Any]) -> None:
    runs = ",\n".join(f"    {json.dumps(run)}" for run in results["runs"])
    others = "".join(f',\n  "{key}": {json.dumps(value)}' for key, value in results.items() if key != "runs")
    RESULTS.write_text(f'{{\n  "runs": [\n{runs}\n  ]{others}\n}}\n', encoding="utf-8")


def in_process(*words: str) -> str:
    command = [sys.executable, str(HERE / "scale_runs.py"), *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def make_runs(folder: Path) -> None:
    """Make the runs that are missing, one after the other, and save each."""
    folder.mkdir(parents=True, exist_ok=True)
    for planned in PLANNED:
        results = load()
        done = {(run["question"], run["group"], run["rows"], run["place"]) for run in results["runs"]}
        if (planned.question, planned.group, planned.rows, planned.place) in done:
            continue
        if planned.question == "events":
            in_process("make-visits", "-", str(planned.rows), str(folder))
        else:
            rows = planned.rows if planned.rows < 5 * MILLION else MOST_ROWS
            in_process("make-people", "-", str(rows), str(folder))
        fetch = ["--fetch"] if planned.place == "default" else []
        run = json.loads(
            in_process(planned.question, planned.group, str(planned.rows), str(folder), *fetch).splitlines()[-1]
        )
        results["runs"].append({"use": planned.use, "group": planned.group, **run})
        save(results)
        print(json.dumps(run), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    given = parser.parse_args()
    if given.folder is not None:
        make_runs(given.folder)


if __name__ == "__main__":
    main()
