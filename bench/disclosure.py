"""How fast is `idbits disclosure`? Ratios to `idbits measure` and to pycanon, in one run.

    python bench/disclosure.py [--rows 10000000] [--no-pycanon]

Times are CPU seconds, user and system together. Memory is the peak of a separate process. pycanon computes
four figures on a tenth of the rows (its t-closeness takes too long). The goal of 200 times was set for a table on which
its l-diversity takes 25 to 63 seconds, but the table was not recorded. pycanon's time grows with the number of groups,
so its l-diversity is also measured on tables with more of them. bench/pycanon_defects.py shows where it is wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow
import pyarrow.parquet

import idbits
from idbits.kernels.group_values import counted_keys
from idbits.kernels.packed import Layout
from idbits.measures.disclosure.attackers import after_excluding, after_knowing
from idbits.measures.disclosure.certainty import certain_people, given_away, people_above_share, top_shares
from idbits.measures.disclosure.closeness import equal_distance, ordered_distances
from idbits.measures.disclosure.column import SensitiveColumn, ValuePrior
from idbits.measures.disclosure.diversity import (
    distinct_values,
    entropy_values,
    people_below_distinct,
    recursive_limits,
    recursive_values,
)
from idbits.measures.disclosure.guess import guess_chances
from idbits.measures.disclosure.information import learnt_bits
from idbits.measures.disclosure.likeness import delta_bits, delta_bits_present, likeness
from idbits.studies.disclosure.result import ColumnDisclosure
from pycanon_python import FOLDER, run_pycanon
from rows import add_json_option, at_least, at_most, record, row_without_peer
from timing import best_of

# About 180,000 groups of very uneven size, as combinations of age, postcode and sex are.
SIZES = {"age": 100, "postcode": 900, "sex": 2}
N_VALUES = 50
QID = list(SIZES)
# As many groups as the first table at ten times the rows, and as many as a table of exact birthdates has.
EVEN_SIZES = {
    "about 180,000 groups of even size": SIZES,
    "nearly everyone unique": {"age": 36_500, "postcode": 9_000, "sex": 2},
}


def table(rows: int) -> Path:
    """Write a table of three known columns and a sensitive one that depends on one of them."""
    path = FOLDER / f"disclosure-{rows}.parquet"
    if not path.exists():
        draw = np.random.default_rng(0)
        columns = {name: (draw.random(rows) ** 3 * size).astype(np.int32) for name, size in SIZES.items()}
        shifted = draw.random(rows) ** 4 * N_VALUES + columns["age"] % 5
        columns["illness"] = shifted.astype(np.int32) % N_VALUES
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


def even_table(rows: int, name: str) -> Path:
    """Write a table whose columns are even and independent."""
    path = FOLDER / f"disclosure-{name.replace(' ', '-').replace(',', '')}-{rows}.parquet"
    if not path.exists():
        draw = np.random.default_rng(0)
        sizes = {**EVEN_SIZES[name], "illness": N_VALUES}
        columns = {column: draw.integers(size, size=rows, dtype=np.int32) for column, size in sizes.items()}
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


def kernel(rows: int) -> tuple[float, SensitiveColumn]:
    """Return the CPU seconds of counting packed keys and of every figure of the worst group and of people."""
    frame = pyarrow.parquet.read_table(table(rows))
    arrays = [frame.column(name).to_numpy().astype(np.uint64) for name in [*QID, "illness"]]
    layout = Layout([*SIZES.values(), N_VALUES])
    start = time.process_time()
    keys = np.zeros(rows, np.uint64)
    for array, shift in zip(arrays, layout.shifts, strict=True):
        keys |= array << np.uint64(shift)
    cells = counted_keys(keys, layout, N_VALUES).cells
    column = SensitiveColumn(cells, ValuePrior(cells.value_people, cells.n_people), table_people=cells.value_people)
    every_figure(column)
    return time.process_time() - start, column


def every_figure(column: SensitiveColumn) -> None:
    """Compute all figures of section 2 of the specification."""
    everyone = np.ones(column.cells.n_groups, np.bool_)
    for figure in (distinct_values, entropy_values, equal_distance, likeness, delta_bits, delta_bits_present,
                   learnt_bits, certain_people, guess_chances, top_shares):  # fmt: skip
        figure(column)
    ordered_distances(column.cells, column.prior, everyone, np.arange(N_VALUES, dtype=np.float64))
    recursive_limits(column, (2, 3, 5))
    recursive_values(column, 4.0)
    people_below_distinct(column, (2, 3, 5))
    people_above_share(column, 0.9)
    given_away(column, 0.9)
    after_excluding(column, (0, 1, 2), 0.9)
    after_knowing(column, (0, 1, 2), 0.9)


COMMAND = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, done.returncode]))
"""


def command(*words: str) -> tuple[float, int]:
    """Run the command; return its CPU seconds and its peak memory in MB."""
    idbits_command = [sys.executable, "-m", "idbits.cli.main", *words]
    done = subprocess.run([sys.executable, "-c", COMMAND, *idbits_command], capture_output=True, text=True, check=True)
    seconds, megabytes, code = json.loads(done.stdout)
    if code:
        raise SystemExit(f"idbits failed with exit code {code}")
    return seconds, megabytes


PYCANON_FIGURES = ("l_diversity", "entropy_l_diversity", "recursive_c_l_diversity", "alpha_k_anonymity")
PYCANON = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import pandas
from pycanon import anonymity
frame = pandas.read_parquet(sys.argv[1])
seconds = {}
for name in sys.argv[2:]:
    start = time.process_time()
    found = getattr(anonymity, name)(frame, ["age", "postcode", "sex"], ["illness"])
    seconds[name] = time.process_time() - start
    if name == "l_diversity":
        l = int(found)
print(json.dumps([seconds, l]))
"""


def figures(source: object, qid: list[str], sensitive: str) -> ColumnDisclosure:
    answer = idbits.disclosure(source, qid, sensitive)
    assert isinstance(answer, idbits.Disclosure)
    return answer[sensitive]


def pycanon(path: Path, *functions: str) -> tuple[dict[str, float], int]:
    """Return the CPU seconds of pycanon's functions, and its l."""
    return cast("tuple[dict[str, float], int]", run_pycanon(PYCANON, str(path), *functions))


def against_pycanon(rows: int) -> None:
    path = table(rows)
    ours, column = best_of(5, lambda: figures(path, QID, "illness"), time.process_time)
    theirs, l_diversity = pycanon(path, *PYCANON_FIGURES)
    together = sum(theirs.values())
    print(
        f"{rows:,} rows: idbits with all figures {ours:.2f} s of CPU; pycanon's l-diversity, entropy l-diversity, "
        f"recursive diversity and alpha {together:.1f} s, {together / ours:.0f} times as long; "
        f"{_alone(theirs, ours)}; same l: {l_diversity == column.l_distinct}"
    )
    task = f"`disclosure`, {rows:,} rows, all figures of one sensitive column"
    peer, alone = "pycanon, four of these figures", "pycanon, l-diversity alone"
    record("disclosure.pycanon", task, ours, "s CPU", peer=peer, theirs=together, uses=["pycanon"])
    goals = [at_least(200)]
    record(
        "disclosure.pycanon_l", task, ours, "s CPU", peer=alone, theirs=theirs["l_diversity"], goals=goals,
        uses=["pycanon"],
    )  # fmt: skip
    for name in EVEN_SIZES:
        other = even_table(rows, name)
        answer = idbits.disclosure(other, QID, "illness")
        assert isinstance(answer, idbits.Disclosure)
        ours, column = best_of(3, partial(figures, other, QID, "illness"), time.process_time)
        theirs, l_diversity = pycanon(other, "l_diversity")
        print(
            f"{rows:,} rows, {name} ({answer.n_sets:,} groups): idbits with all figures {ours:.2f} s of CPU; "
            f"{_alone(theirs, ours)}; same l: {l_diversity == column.l_distinct}"
        )
        record(
            f"disclosure.pycanon_{'unique' if 'unique' in name else 'even'}", f"{task}, {name}", ours, "s CPU",
            peer=alone, theirs=theirs["l_diversity"], goals=goals, facts={"groups": answer.n_sets}, uses=["pycanon"],
        )  # fmt: skip


def _alone(theirs: dict[str, float], ours: float) -> str:
    alone = theirs["l_diversity"]
    return f"pycanon's l-diversity alone {alone:.1f} s, {alone / ours:.0f} times as long (goal 200)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--no-pycanon", action="store_true")
    add_json_option(parser)
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = options.rows
    seconds, column = min((kernel(rows) for _ in range(3)), key=lambda found: found[0])
    cells = column.cells
    print(
        f"{rows:,} rows, {N_VALUES} values, {cells.n_groups:,} groups, {cells.n_cells:,} cells: every figure from "
        f"codes in {seconds:.2f} s of CPU (limit 1.5)"
    )
    task = f"`disclosure`, {rows:,} rows, 3 columns and a sensitive one"
    facts = {"groups": cells.n_groups, "cells": cells.n_cells}
    record("disclosure.kernel", f"{task}, every figure from codes", seconds, "s CPU", goals=[at_most(1.5)], facts=facts)
    path, qid = str(table(rows)), ",".join(QID)
    measured, _ = min(command("measure", path, "--qid", qid, "--json", "--quiet") for _ in range(2))
    words = ("disclosure", path, "--qid", qid, "--sensitive", "illness", "--json", "--quiet")
    ours, megabytes = min(command(*words) for _ in range(2))
    print(
        f"as a command: {ours:.2f} s of CPU, measure {measured:.2f} s, ratio {ours / measured:.2f} (limit 2); peak "
        f"memory {megabytes:,} MB (limit 1,500)"
    )
    record(
        "disclosure.command", f"{task}, whole command", ours, "s CPU", peer="`idbits measure`, whole command",
        theirs=measured, memory_mb=megabytes, goals=[at_most(2, "ratio"), at_most(1500, "memory_mb")],
    )  # fmt: skip
    if not options.no_pycanon:
        task = f"`disclosure`, {rows // 10:,} rows"
        with row_without_peer("disclosure.pycanon", task, "pycanon, four of these figures", "pycanon"):
            against_pycanon(rows // 10)


if __name__ == "__main__":
    main()
