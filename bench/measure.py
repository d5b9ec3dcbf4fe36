"""How fast is `idbits measure`? Ratios to a DuckDB query and to pycanon, in one run.

    python bench/measure.py [--people 10004090] [--no-pycanon]

Times are the best of three, both sides in one process. Memory is the peak of a separate process.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import duckdb

import idbits
from idbits.examples.registry import write_registry
from pycanon_python import FOLDER, run_pycanon
from rows import add_json_option, at_least, at_most, record, row_without_peer
from timing import best_of

QID = ["birthdate", "zip", "gender"]
QUERY = "SELECT k, count(*) FROM (SELECT count(*) AS k FROM {} GROUP BY birthdate, zip, gender) GROUP BY k ORDER BY k"


def bare_query(relation: str) -> list[list[int]]:
    with duckdb.connect() as connection:
        return [list(row) for row in connection.execute(QUERY.format(relation)).fetchall()]


def against_duckdb(path: Path, relation: str) -> tuple[float, float]:
    bare, counts = best_of(3, lambda: bare_query(relation))
    ours, measured = best_of(3, lambda: idbits.measure(path, QID))
    if measured.to_dict()["spectrum"] != counts:
        raise SystemExit("idbits and DuckDB count different spectra")
    return ours, bare


def command(*words: str) -> tuple[float, int, dict[str, object]]:
    """Run the command; return its seconds, its peak memory in MB and its JSON."""
    code = (
        "import resource, subprocess, sys, time; start = time.perf_counter();"
        "done = subprocess.run(sys.argv[1:], capture_output=True, text=True, check=True);"
        "print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss);"
        "sys.stdout.write(done.stdout)"
    )
    executable = str(Path(sys.executable).parent / "idbits")
    done = subprocess.run([sys.executable, "-c", code, executable, *words], capture_output=True, text=True, check=True)
    first, _, rest = done.stdout.partition("\n")
    seconds, kilobytes = first.split()
    return float(seconds), int(kilobytes) // 1024, json.loads(rest) if rest.startswith("{") else {}


PYCANON = """
import json, sys, time, resource, pandas
from pycanon import anonymity
frame = pandas.read_parquet(sys.argv[1])
start = time.perf_counter()
k = anonymity.k_anonymity(frame, ["birthdate", "zip", "gender"])
print(json.dumps([time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, int(k)]))
"""


def pycanon(path: Path) -> tuple[float, int, int]:
    """Return the seconds and the megabytes of pycanon, and its smallest group."""
    return cast("tuple[float, int, int]", run_pycanon(PYCANON, str(path)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=10_004_090)
    parser.add_argument("--no-pycanon", action="store_true")
    add_json_option(parser)
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    parquet, text, small = (FOLDER / f"registry-{options.people}.{end}" for end in ("parquet", "csv", "small.csv"))
    for path, people in ((parquet, options.people), (text, options.people), (small, 1_000)):
        if not path.exists():
            write_registry(path, people)
    qid = ",".join(QID)
    print(f"{options.people:,} people, three columns; DuckDB {duckdb.__version__}\n")
    ours, bare = against_duckdb(parquet, f"read_parquet('{parquet}')")
    print(f"Parquet: idbits {ours:.2f} s, plain DuckDB query {bare:.2f} s, ratio {ours / bare:.2f} (limit 1.5)")
    task = f"`measure`, {options.people:,} people by 3 columns"
    query = "the counting query alone in DuckDB"
    record("measure.parquet", f"{task}, Parquet", ours, peer=query, theirs=bare, goals=[at_most(1.5, "ratio")])
    seconds, megabytes, answer = command("measure", str(parquet), "--qid", qid, "--json", "--quiet")
    print(f"Parquet, as a command: {seconds:.2f} s, peak memory {megabytes:,} MB (limit 2,000)")
    goals = [at_most(2000, "memory_mb")]
    record("measure.command", f"{task}, Parquet, whole command", seconds, memory_mb=megabytes, goals=goals)
    from_text, typed = against_duckdb(text, f"read_csv('{text}')")
    ratio = from_text / typed
    print(f"CSV: idbits {from_text:.2f} s, DuckDB's typed read and query {typed:.2f} s, ratio {ratio:.2f} (limit 1.15)")
    query, goals = "DuckDB's typed read and query", [at_most(1.15, "ratio")]
    record("measure.csv", f"{task}, CSV", from_text, peer=query, theirs=typed, goals=goals)
    seconds, megabytes, spilled = command("measure", str(text), "--qid", qid, "--json", "--quiet", "--memory", "500MB")
    same = spilled["spectrum"] == answer["spectrum"]
    print(f"CSV with --memory 500MB: {seconds:.2f} s, peak memory {megabytes:,} MB, same answer: {same}")
    record("measure.csv_500mb", f"{task}, CSV, `--memory 500MB`", seconds, memory_mb=megabytes)
    starts = [command("--version")[0] for _ in range(3)]
    smalls = [command("measure", str(small), "--qid", qid, "--json")[0] for _ in range(3)]
    print(f"idbits --version: {min(starts):.2f} s (limit 0.1); 1,000-row CSV: {min(smalls):.2f} s (limit 0.5)")
    record("measure.version", "`idbits --version`", min(starts), goals=[at_most(0.1)])
    record("measure.small", "`idbits measure`, CSV with 1,000 rows, whole command", min(smalls), goals=[at_most(0.5)])
    if not options.no_pycanon:
        peer = "pycanon, smallest group only, from memory"
        with row_without_peer("measure.pycanon", f"{task}, Parquet", peer, "pycanon"):
            theirs, megabytes, k = pycanon(parquet)
            print(f"pycanon k_anonymity: {theirs:.1f} s, {megabytes:,} MB, k = {k} (idbits: k = {answer['k_min']})")
            print(f"  idbits with all its figures is {theirs / ours:.0f} times as fast (limit 100)")
            record(
                "measure.pycanon", f"{task}, Parquet", ours, peer=peer, theirs=theirs, goals=[at_least(100)],
                facts={"peer_memory_mb": megabytes}, uses=["pycanon"],
            )  # fmt: skip


if __name__ == "__main__":
    main()
