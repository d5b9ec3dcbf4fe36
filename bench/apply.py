"""How fast is `idbits apply`? Ratios to the time that DuckDB needs to copy the same file, in one run.

    python bench/apply.py [--people 10004090]

Times are the best of three, both sides in one process. apply hashes the source twice, treats three columns, withholds
small groups, sorts all rows, writes them, reads the file back and measures it. Memory is the peak of a process.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import duckdb

import idbits
from idbits.examples.registry import write_registry
from measure import command
from pycanon_python import FOLDER
from rows import add_json_option, at_most, record
from timing import best_of

QID = "birthdate:year:band5,zip:prefix2,gender"
LIMIT = 6


def copy(source: Path, target: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT * FROM '{source}') TO '{target}'")


def against_a_copy(source: Path) -> None:
    target = source.with_name(f"treated{source.suffix}")
    for clock, name in ((time.perf_counter, "s"), (time.process_time, "s CPU")):
        theirs, _ = best_of(3, lambda: copy(source, target), clock)
        ours, _ = best_of(3, lambda: idbits.apply(source, out=target, qid=QID, withhold_below=5, force=True), clock)
        print(
            f"{source.suffix}: idbits {ours:.2f} {name}, DuckDB's copy {theirs:.2f} {name}, "
            f"ratio {ours / theirs:.1f} (limit {LIMIT})"
        )
        key = f"apply.{source.suffix[1:]}{'_cpu' if name == 's CPU' else ''}"
        task = f"`apply`, {source.stem.partition('-')[2]} people, {source.suffix[1:]}"
        record(key, task, ours, name, peer="DuckDB's copy", theirs=theirs, goals=[at_most(LIMIT, "ratio")])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=10_004_090)
    add_json_option(parser)
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"{options.people:,} people, {QID}, groups below 5 withheld; DuckDB {duckdb.__version__}\n")
    for end in ("parquet", "csv"):
        source = FOLDER / f"registry-{options.people}.{end}"
        if not source.exists():
            write_registry(source, options.people)
        against_a_copy(source)
        words = ("apply", str(source), "--qid", QID, "--withhold-below", "5", "--force", "--json", "--quiet")
        target = str(source.with_name(f"treated.{end}"))
        for limit in ((), ("--memory", "500MB")):
            seconds, megabytes, answer = command(*words, "--out", target, *limit)
            print(
                f"  as a command {' '.join(limit)}: {seconds:.2f} s, peak memory {megabytes:,} MB, {answer['output']}"
            )
            task = f"`idbits apply {' '.join(limit)}`".replace(" `", "`") + f", {options.people:,} people, {end}"
            record(f"apply.command_{end}{'_500mb' if limit else ''}", task, seconds, memory_mb=megabytes)


if __name__ == "__main__":
    main()
