"""Run the benchmarks and write one table of their figures: bench/results.json and docs/reference/benchmarks.md.

    python bench/all.py                          every part but the long ones
    python bench/all.py --only measure,gain      some parts
    python bench/all.py --long                   the long ones, too: hundreds of millions of rows, a Spark cluster
    python bench/all.py --quick                  small tables, to try it out; build/bench/quick.json instead
    python bench/all.py --write-docs             no run: write the page and the quotes from bench/results.json

A part that fails is reported, and the others still run. Each figure replaces its own row, so parts can run on different
days; a row has its date, its machine and how busy that was. After a run, the pages quote the new figures.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from peer import last_words
from quotes import GENERATED, missing_quotes, pages, rewritten
from results import RESULTS, ROOT, load, save
from table_page import is_busy, page

QUICK_RESULTS = ROOT / "build" / "bench" / "quick.json"
KEPT_LINES = 30


@dataclass(frozen=True)
class Part:
    """A benchmark with its options; ``quick`` are those of a short run on small tables."""

    name: str
    script: str
    options: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    is_long: bool = False


PARTS = (
    Part("measure", "measure.py", quick=("--people", "200000")),
    Part("sort", "sort.py", quick=("--keys", "1000000")),
    Part("persons", "persons.py", quick=("--rows", "200000")),
    Part("apply", "apply.py", quick=("--people", "200000")),
    Part("roles", "roles.py", quick=("--rows", "50000")),
    Part("inspect", "inspect_wide.py", quick=("--part", "0.02")),
    Part("sql", "sql.py", quick=("--people", "100000")),
    Part("gain", "gain.py", quick=("--rows", "200000")),
    Part("disclosure", "disclosure.py", quick=("--rows", "200000")),
    Part("advise", "advise.py", quick=("--people", "200000", "--rows", "20000")),
    Part("predict", "predict.py", quick=("--values", "20000", "--people", "500", "--histogram", "100000")),
    Part("population", "population.py", quick=("--rows", "200000")),
    Part("leak", "leak.py", quick=("--rows", "2000")),
    Part("overlap", "overlap.py", quick=("--blocks", "20000")),
    Part("link", "link.py", quick=("--rows", "200000", "--near-rows", "50000")),
    Part("link_peers", "link_peers.py", quick=("--people", "20000")),
    Part("events", "events.py", ("--all-months",), quick=("--people", "20000", "--all-months")),
    Part("mobility", "mobility.py", quick=("--people", "10")),
    Part("columns", "columns.py", ("--large",), quick=("--wide-rows", "20000")),
    Part(
        "spark",
        "spark.py",
        ("--no-workers", "--repeat", "2"),
        quick=("--rows", "200000", "--no-workers", "--repeat", "1"),
    ),
    Part("spark_commands", "spark_commands.py", quick=("--rows", "5000", "--record-rows", "5000")),
    Part("repository", "repository.py", ("--seconds", "20"), quick=("--seconds", "3")),
    Part("repository-queries", "repository.py", ("--query", "100000"), quick=("--query", "5000")),
    Part("repository-restart", "repository.py", ("--query", "35000"), quick=("--query", "4000")),
    Part("repository-cells", "repository_cells.py"),
    Part("repository-million", "repository.py", ("--query", "1000000", "--database", "postgresql"), is_long=True),
    Part("report", "report.py", quick=("--people", "200000")),
    Part("app", "app.py", quick=("--rounds", "3")),
    Part("install", "install_size.py"),
    Part("spark-large", "spark.py", ("--large", "--repeat", "1"), is_long=True),
    Part("events-full", "events.py", ("--people", "12300000", "--all-months"), is_long=True),
)


def chosen_parts(only: str | None, *, with_long: bool) -> list[Part]:
    if only is None:
        return [part for part in PARTS if with_long or not part.is_long]
    names = [name.strip() for name in only.split(",")]
    unknown = set(names) - {part.name for part in PARTS}
    if unknown:
        raise SystemExit(f"no such part: {', '.join(sorted(unknown))}; parts: {', '.join(p.name for p in PARTS)}")
    return [part for part in PARTS if part.name in names]


def run(part: Part, target: Path, *, is_quick: bool, timeout: float) -> tuple[float, str | None]:
    """Run a part and show what it prints; return its seconds and its error."""
    options = part.quick if is_quick else part.options
    words = [sys.executable, str(ROOT / "bench" / part.script), *options, "--json", str(target)]
    began = time.perf_counter()
    last: list[str] = []
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, start_new_session=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    with process:
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
        signal.alarm(int(timeout))
        try:
            for line in process.stdout:
                print(f"  {line}", end="", flush=True)
                last = [*last, line.strip()][-KEPT_LINES:]
            code = process.wait()
        except KeyboardInterrupt:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            signal.alarm(0)
    seconds = time.perf_counter() - began
    if code == -signal.SIGKILL and seconds >= timeout - 1:
        return seconds, f"stopped after {timeout:.0f} s"
    error = None if code == 0 else last_words("\n".join(last)) if last else f"exit code {code}"
    return seconds, error


def note_run(part: Part, target: Path, seconds: float, error: str | None) -> None:
    results = load(target)
    date = datetime.now(UTC).isoformat(timespec="minutes").replace("+00:00", "Z")
    results["parts"][part.name] = {"date": date, "seconds": round(seconds, 1), "error": error}
    save(results, target)


def write_docs() -> None:
    """Write the page of the table, and every quote in the other pages."""
    results = load()
    GENERATED.write_text(page(results, [part.name for part in PARTS]), encoding="utf-8")
    for path in pages():
        before = path.read_text(encoding="utf-8")
        for missing in missing_quotes(before, results["rows"]):
            print(f"{path.relative_to(ROOT)}: the table has no {missing}", file=sys.stderr)
        after = rewritten(before, results["rows"])
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{path.relative_to(ROOT)} quotes new figures")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="A,B,..", help="run only these parts")
    parser.add_argument("--long", action="store_true", help="also run the long parts")
    parser.add_argument("--quick", action="store_true", help="small tables; leaves the table of the pages alone")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds until a part is stopped")
    parser.add_argument("--write-docs", action="store_true", help="run nothing; write the pages from the table")
    options = parser.parse_args()
    if options.write_docs:
        write_docs()
        return
    target = QUICK_RESULTS if options.quick else RESULTS
    done: list[tuple[Part, float, str | None]] = []
    for part in chosen_parts(options.only, with_long=options.long):
        print(f"{part.name}", flush=True)
        seconds, error = run(part, target, is_quick=options.quick, timeout=options.timeout)
        note_run(part, target, seconds, error)
        done.append((part, seconds, error))
        print(f"  {part.name} took {seconds:.0f} s{f' and FAILED: {error}' if error else ''}\n", flush=True)
    if not options.quick:
        write_docs()
    print(f"all parts took {sum(seconds for _, seconds, _ in done) / 60:.1f} minutes; {target.relative_to(ROOT)}")
    for part, seconds, error in done:
        print(f"  {part.name:20} {seconds:7.0f} s  {'FAILED: ' + error if error else 'ok'}")
    busy = sum(is_busy(row) for row in load(target)["rows"].values())
    if busy:
        print(f"{busy} rows were measured while other programs worked; run their parts again on an idle machine")
    if any(error for *_, error in done):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
