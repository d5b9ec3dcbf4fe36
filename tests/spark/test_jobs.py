"""Each question takes the same few jobs for three columns as for six, here and on the cluster."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest

import clusters
import idbits
from idbits.engines.open import open_table
from idbits.engines.spark import driver_rows
from idbits.engines.spark.session import ClusterSession
from idbits.engines.spark.subsets import FetchedSubsetCounts, SparkSubsetCounts
from idbits.reading import OpenOptions
from idbits.values.attributes import parse_attributes

DRAWN = np.random.default_rng(1)
WIDE = pyarrow.table({f"c{index}": DRAWN.integers(0, 3 + index, 300) for index in range(6)})
MOST_JOBS = {
    ("measure", "here"): 3, ("measure", "cluster"): 4,
    ("columns", "here"): 3, ("columns", "cluster"): 5,
    ("records", "here"): 5, ("records", "cluster"): 14,
    ("gain", "here"): 3, ("gain", "cluster"): 14,
    ("named", "here"): 3, ("named", "cluster"): 16,
}  # fmt: skip


def questions(folder: Path) -> dict[str, Callable[[Any, list[str]], Any]]:
    return {
        "measure": idbits.measure,
        "columns": idbits.columns,
        "records": lambda frame, names: idbits.columns(frame, names, records=folder / f"{len(names)}.csv"),
        "gain": lambda frame, names: idbits.gain(frame, columns=names),
        "named": lambda frame, names: idbits.gain(frame, columns=names, attacker="named:c0,c1"),
    }


def jobs() -> int:
    return int(clusters.spark().sparkContext._jsc.sc().dagScheduler().numTotalJobs())


@pytest.mark.parametrize("question", ["measure", "columns", "records", "gain", "named"])
def test_the_number_of_jobs_does_not_grow_with_the_columns(question, place, tmp_path):
    ask = questions(tmp_path)[question]
    numbers = []
    for width in (3, 6):
        frame = clusters.frame_of(WIDE.select(WIDE.column_names[:width]), tmp_path)
        before = jobs()
        ask(frame, WIDE.column_names[:width])
        numbers.append(jobs() - before)
    assert numbers[0] == numbers[1] <= MOST_JOBS[question, place]


@pytest.mark.parametrize(
    ("memory", "sent", "expected"),
    [
        (10**9, None, FetchedSubsetCounts),
        # 300 rows take more than 6,000 bytes, but only 12 of them are distinct.
        (6_000, 10**9, FetchedSubsetCounts),
        (300, None, SparkSubsetCounts),
        (10**9, 300, SparkSubsetCounts),
    ],
)
def test_the_memory_decides_where_rows_are_counted(memory, sent, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(driver_rows, "_MEMORY_BYTES", memory)
    monkeypatch.setattr(ClusterSession, "most_result_bytes", lambda _: sent)
    frame = clusters.frame_of(WIDE, tmp_path)
    counted = []
    for source in (frame, WIDE):
        table = open_table(source)
        table.load(["c0", "c1"])
        counts = table.subset_counts(parse_attributes(["c0", "c1"], table.columns), OpenOptions())
        spectra: dict[int, Any] = {}
        counts.count_every_set(spectra.update)
        counted.append((spectra, counts.sizes, counts.n_people, counts.n_rows))
        if source is frame:
            assert type(counts) is expected
        table.close()
    assert counted[0] == counted[1]
