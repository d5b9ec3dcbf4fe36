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
from idbits.engines.spark.set_copies import batches
from idbits.engines.spark.subsets import FetchedSubsetCounts, SparkSubsetCounts
from idbits.reading import OpenOptions
from idbits.values.attributes import parse_attributes

DRAWN = np.random.default_rng(1)
WIDE = pyarrow.table({f"c{index}": DRAWN.integers(0, 3 + index, 300) for index in range(6)})
WRITTEN = [f"{day:02}/{month:02}/{year}" for day, month, year in zip(
    DRAWN.integers(13, 29, 300), DRAWN.integers(1, 13, 300), DRAWN.integers(1950, 1960, 300), strict=True)]  # fmt: skip
TEXTS = pyarrow.table(
    {f"c{index}": (WRITTEN if index % 3 == 0 else [f"{number},25" for number in DRAWN.integers(0, 9 * index, 300)])
     for index in range(6)}
)  # fmt: skip
VIEWS = {f"c{index}": "year" if index % 3 == 0 else "band5" for index in range(6)}
MOST_JOBS = {
    ("measure", "here"): 3, ("measure", "cluster"): 4,
    ("columns", "here"): 3, ("columns", "cluster"): 5,
    ("records", "here"): 5, ("records", "cluster"): 14,
    ("gain", "here"): 3, ("gain", "cluster"): 14,
    ("named", "here"): 3, ("named", "cluster"): 16,
    ("inspect", "here"): 4, ("inspect", "cluster"): 4,
    ("persons", "here"): 5, ("persons", "cluster"): 10,
    ("texts", "here"): 8, ("texts", "cluster"): 10,
}  # fmt: skip


def questions(folder: Path) -> dict[str, Callable[[Any, list[str]], Any]]:
    return {
        "measure": idbits.measure,
        "columns": idbits.columns,
        "records": lambda frame, names: idbits.columns(frame, names, records=folder / f"{len(names)}.csv"),
        "gain": lambda frame, names: idbits.gain(frame, columns=names),
        "named": lambda frame, names: idbits.gain(frame, columns=names, attacker="named:c0,c1"),
        "inspect": lambda frame, _: idbits.inspect(frame),
        "persons": lambda frame, names: idbits.columns(frame, names[1:], person=names[0]),
        "texts": lambda frame, names: idbits.measure(frame, [f"{name}:{VIEWS[name]}" for name in names]),
    }


def jobs() -> int:
    return int(clusters.spark().sparkContext._jsc.sc().dagScheduler().numTotalJobs())


@pytest.mark.parametrize("question", ["measure", "columns", "records", "gain", "named", "inspect", "texts"])
def test_the_number_of_jobs_does_not_grow_with_the_columns(question, place, tmp_path):
    numbers = jobs_by_width(question, TEXTS if question == "texts" else WIDE, tmp_path)
    assert numbers[0] == numbers[1] <= MOST_JOBS[question, place]


def test_the_number_of_jobs_does_not_grow_with_the_columns_of_people(place, tmp_path):
    few, many = jobs_by_width("persons", WIDE, tmp_path)
    assert many <= few <= MOST_JOBS["persons", place]


def test_thousands_of_sets_of_few_rows_are_counted_in_one_job():
    masks = range(1, 1 << 12)
    assert list(batches(masks, n_rows=300)) == [list(masks)]
    assert max(map(len, batches(masks, n_rows=1 << 28))) == 32


def jobs_by_width(question: str, table: pyarrow.Table, folder: Path) -> list[int]:
    numbers = []
    for width in (3, 6):
        names = table.column_names[:width]
        frame = clusters.frame_of(table.select(names), folder)
        before = jobs()
        questions(folder)[question](frame, names)
        numbers.append(jobs() - before)
    return numbers


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
