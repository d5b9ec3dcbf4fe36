"""What does a question cost on Spark, and what would it cost on a cluster? Runs, a fitted model and its check.

    python experiments/scale.py FOLDER          the runs that experiments/scale.json lacks, then the tables
    python experiments/scale.py                 only the tables, from experiments/scale.json
    python experiments/scale.py --page          writes the tables into docs/explanation/scale.md

FOLDER takes 2 GB for the made-up people and up to 20 GB while Spark shuffles; 300 million rows take most of an hour on
two cores. All runs share one session; their costs come from Spark's event log.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import scale_runs  # noqa: E402 (a folder of scripts)
import scale_tables  # noqa: E402

import spark_costs  # noqa: E402 (found by scale_runs)

RESULTS = HERE / "scale.json"
PAGE = HERE.parent / "docs" / "explanation" / "scale.md"
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
    Planned("spectrum", "coarse", 0.1, "warm-up"),
    Planned("spectrum", "fine", 1),
    Planned("spectrum", "coarse", 1),
    Planned("spectrum", "coarse", 10),
    Planned("spectrum", "fine", 10),
    Planned("sql-spectrum", "fine", 10, "peer"),
    Planned("spectrum", "coarse", 30, "check"),
    Planned("spectrum", "coarse", 100),
    Planned("spectrum", "coarse", 300),
    Planned("subsets", "fine", 0.1, "warm-up"),
    Planned("subsets", "coarse", 1),
    Planned("subsets", "fine", 1),
    Planned("subsets", "coarse", 10),
    Planned("subsets", "coarse", 30, "check"),
    Planned("gain", "fine", 0.3, "warm-up"),
    Planned("gain", "coarse", 0.1),
    Planned("gain", "coarse", 1),
    Planned("gain", "fine", 1),
    Planned("gain", "fine", 3),
    Planned("gain", "fine", 5, "check"),
    Planned("gain", "coarse", 10),
    Planned("gain", "coarse", 30, "check"),
    Planned("records", "fine", 0.1),
    Planned("records", "fine", 0.3),
    Planned("records", "fine", 0.2, "check"),
    Planned("events", "fine", 0.1),
    Planned("events", "fine", 0.3),
    Planned("events", "fine", 0.2, "check"),
    Planned("measure", "wide10", 0.1, "warm-up"),
    Planned("measure", "wide25", 0.1),
    Planned("measure", "wide50", 0.1),
    Planned("measure", "wide100", 0.1),
    Planned("measure", "wide200", 0.1),
    Planned("measure", "wide300", 0.1, "check"),
    Planned("measure", "wide400", 0.1),
    Planned("subsets", "coarse", 100),
    Planned("gain", "coarse", 100),
    Planned("subsets", "coarse", 300),
    Planned("gain", "coarse", 300),
    Planned("records", "fine", 1),
    Planned("events", "fine", 1),
    Planned("spectrum", "fine", 100),
    Planned("sql-spectrum", "fine", 100, "peer"),
    Planned("sql-subsets", "fine", 10, "peer"),
    Planned("subsets", "fine", 10),
    Planned("sql-gain", "fine", 10, "peer"),
    Planned("gain", "fine", 10),
]


def load() -> dict[str, Any]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"runs": []}


def save(results: dict[str, Any]) -> None:
    runs = ",\n".join(f"    {json.dumps(run)}" for run in results["runs"])
    others = "".join(f',\n  "{key}": {json.dumps(value)}' for key, value in results.items() if key != "runs")
    RESULTS.write_text(f'{{\n  "runs": [\n{runs}\n  ]{others}\n}}\n', encoding="utf-8")


def make_runs(folder: Path) -> None:
    """Make the runs that are missing, one after the other in one session, and save each."""
    folder.mkdir(parents=True, exist_ok=True)
    with spark_costs.logged(folder / "spark", {}) as events:
        session = scale_runs.start()
    for planned in PLANNED:
        results = load()
        done = {(run["question"], run["group"], run["rows"], run["place"]) for run in results["runs"]}
        if (planned.question, planned.group, planned.rows, planned.place) in done:
            continue
        fetch = planned.place == "default"
        run = scale_runs.run(session, events, planned.question, planned.group, planned.rows, folder, fetch=fetch)
        print(json.dumps(run), flush=True)
        # The JVM compiles in a warm-up, in every session.
        if planned.use != "warm-up":
            results["runs"].append({"use": planned.use, "group": planned.group, **run})
            save(results)
    session.close()


def with_tables(page: str, results: dict[str, Any]) -> str:
    """Return the page with current tables: each comes after its title in bold letters."""
    for title, text in scale_tables.all_tables(results):
        found = re.search(rf"\*\*{re.escape(title)}\*\*[^\n]*\n\n((?:\|[^\n]*\n)+|TABLE\n)", page)
        if found is None:
            raise SystemExit(f'the page has no table "{title}"')
        page = f"{page[: found.start(1)]}{text}\n{page[found.end(1) :]}"
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args()
    if given.folder is not None:
        make_runs(given.folder)
    if given.page:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), load()), encoding="utf-8")
        return
    for title, text in scale_tables.all_tables(load()):
        print(f"{title}\n\n{text}\n")


if __name__ == "__main__":
    main()
