"""How fast is `idbits inspect` if a table has thousands of columns?

    python bench/inspect_wide.py [--part 1]

Times are those of the whole command, once, by the clock and in CPU seconds. `--part 0.1` takes a tenth of the columns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rows import add_json_option, at_most, record

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
COMMAND = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = time.perf_counter() - start
print(json.dumps([seconds, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, done.returncode]))
"""


def table(columns: int, rows: int) -> Path:
    """Write a table whose columns are flags, numbers, codes and decimals in turn."""
    path = FOLDER / f"wide-{columns}x{rows}.csv"
    if path.exists():
        return path
    draw = np.random.default_rng(5)
    kinds: list[Callable[[], np.ndarray]] = [
        lambda: draw.integers(0, 2, rows).astype(str),
        lambda: draw.integers(0, 1000, rows).astype(str),
        lambda: np.char.add("v", draw.integers(0, 20, rows).astype(str)),
        lambda: np.char.mod("%.2f", draw.normal(size=rows)),
    ]
    cells = [kinds[number % 4]().tolist() for number in range(columns)]
    lines = [",".join(f"c{number}" for number in range(columns)), *map(",".join, zip(*cells, strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=float, default=1.0)
    add_json_option(parser)
    part = parser.parse_args().part
    FOLDER.mkdir(parents=True, exist_ok=True)
    for columns, rows, limit in ((10_000, 1_000, 15), (100_000, 20, 60)):
        path = table(int(columns * part), rows)
        words = [sys.executable, "-m", "idbits", "inspect", str(path), "--json", "--quiet"]
        done = subprocess.run([sys.executable, "-c", COMMAND, *words], capture_output=True, text=True, check=True)
        seconds, processor, megabytes, code = json.loads(done.stdout)
        if code:
            raise SystemExit(f"idbits failed with exit code {code}")
        print(
            f"{int(columns * part):,} columns x {rows:,} rows: {seconds:.1f} s ({processor:.1f} s CPU time), "
            f"peak memory {megabytes:,} MB (limit {limit * part:g} s)"
        )
        task = f"`idbits inspect`, {int(columns * part):,} columns x {rows:,} rows"
        goals = [at_most(limit * part)]
        key = f"inspect.wide_{columns // 1000}k"
        record(key, task, seconds, memory_mb=megabytes, goals=goals, facts={"cpu_s": processor})


if __name__ == "__main__":
    main()
