"""How fast is `idbits report`? The registry of 10 million people and a small table, each in a separate process.

    python bench/report.py [--people 10004090] [--table FILE --qid A,B,..]

The limits for the registry are 25 s and 3 GB, and 12 s without treatments (`--keep` for every column: none may become
coarser); 5 s for a table of about 30,000 rows. `--table` names such a table; without it, we make up 30,000 people.
`idbits gain` on the same table is timed for comparison.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from idbits.examples.registry import write_registry
from rows import Goal, add_json_option, at_most, record

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
QID = "birthdate,zip,gender"
COMMAND = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([seconds, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, done.returncode]))
"""


def command(*words: str) -> tuple[float, float, int]:
    """Run the command; return its wall seconds, its CPU seconds and its peak memory in MB."""
    idbits_command = [sys.executable, "-m", "idbits.cli.main", *words]
    done = subprocess.run([sys.executable, "-c", COMMAND, *idbits_command], capture_output=True, text=True, check=True)
    seconds, processor, megabytes, code = json.loads(done.stdout)
    if code:
        raise SystemExit(f"idbits failed with exit code {code}")
    return seconds, processor, megabytes


def made(people: int) -> Path:
    path = FOLDER / f"registry-{people}.parquet"
    if not path.exists():
        write_registry(path, people)
    return path


def compared(name: str, path: Path, qid: str, limit: str, *more: str) -> None:
    page = FOLDER / "report.html"
    seconds, processor, megabytes = command("report", str(path), "--qid", qid, "--quiet", "--out", str(page), *more)
    beside, *_ = command("gain", str(path), "--columns", qid, "--quiet", "--json")
    kilobytes = page.stat().st_size // 1000
    page.unlink()
    print(
        f"{name}: report {seconds:.1f} s ({processor:.1f} s CPU time), "
        f"peak memory {megabytes:,} MB, page {kilobytes} kB ({limit}); "
        f"gain alone {beside:.1f} s, ratio {seconds / beside:.1f}"
    )
    key = "untreated" if "without treatments" in name else "large" if "people" in name else "small"
    record(
        f"report.{key}", f"`idbits report`, {name}", seconds, peer="`idbits gain` alone", theirs=beside,
        memory_mb=megabytes, goals=goals_in(limit), facts={"cpu_s": processor, "page_kb": kilobytes},
    )  # fmt: skip


def goals_in(limit: str) -> list[Goal]:
    """Read the goals from a limit such as "limit 25 s, 3,000 MB"."""
    figures = {"s": "ours", "MB": "memory_mb"}
    found = re.findall(r"([\d,]+) (s|MB)", limit)
    return [at_most(float(number.replace(",", "")), figures[unit]) for number, unit in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=10_004_090)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--qid", default=QID)
    add_json_option(parser)
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    small = options.table if options.table is not None else made(30_000)
    compared(small.name, small, options.qid, "limit 5 s")
    kept = [word for column in QID.split(",") for word in ("--keep", column)]
    registry, name = made(options.people), f"{options.people:,} people"
    compared(f"{name}, without treatments", registry, QID, "limit 12 s, 3,000 MB", *kept)
    compared(f"{name}, with treatments", registry, QID, "limit 25 s, 3,000 MB")


if __name__ == "__main__":
    main()
