"""Each question takes the same few jobs for three columns as for six, here and on the cluster."""

from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest

import clusters
import idbits
from idbits.engines.open import open_table
from idbits.engines.spark import driver_rows, set_copies
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
DAYS = [date(1950, 1, 1) + timedelta(days=int(number)) for number in DRAWN.integers(0, 5_000, 300)]
CODES = [f"{number:05}" for number in DRAWN.integers(0, 99_999, 300)]
NAMED = [f"name {number}" for number in DRAWN.geometric(0.05, 300)]
"""Columns of each kind that has coarser views: whole numbers, days, codes and names."""
VIEWED = pyarrow.table(
    {f"c{index}": (DRAWN.integers(0, 500, 300), DAYS, CODES, NAMED)[index % 4] for index in range(8)}
)
MANY = pyarrow.table({f"c{index}": DRAWN.integers(0, 3, 40) for index in range(70)} | {"t": ["a", "b", None, "c"] * 10})
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


def test_views_of_many_values_are_counted_together(place, tmp_path, monkeypatch):
    monkeypatch.setattr(driver_rows, "_FEW_VALUES", 1)
    few, many = jobs_by_width("records", VIEWED, tmp_path, (4, 8))
    assert few == many
    theirs = tmp_path / "theirs.csv"
    idbits.columns(VIEWED, VIEWED.column_names, records=theirs)
    assert (tmp_path / "8.csv").read_text() == theirs.read_text()


@pytest.mark.parametrize("count", [None, "people"])
def test_views_counted_together_are_those_counted_alone(count, place, tmp_path):
    table = VIEWED.append_column("people", pyarrow.array(DRAWN.integers(0, 3, 300)))
    table = table.append_column("far", pyarrow.array([None, *DAYS[1:]]))
    with closing(open_table(clusters.frame_of(table, tmp_path), OpenOptions(count=count))) as ours:
        wanted = ["c0:band50", "c1:year", "c1:month", "c2:prefix2", "c3", "far:quarter"]
        tops = ["c3:top5", "c2:top3", "c0:top500"]
        views = parse_attributes([*wanted, *tops, "c3:year"], ours.columns)
        ours.load(ours.columns)
        ours.count_ahead(views)
        before = jobs()
        found = [ours.spectrum([view]).pairs() for view in views[: len(wanted)]]
        assert jobs() == before
        found += [ours.spectrum([view]).pairs() for view in views[len(wanted) : -1]]
        with pytest.raises(idbits.DataError):
            ours.spectrum([views[-1]])
    with closing(open_table(table, OpenOptions(count=count))) as theirs:
        theirs.load(theirs.columns)
        assert found == [theirs.spectrum([view]).pairs() for view in views[:-1]]


@pytest.mark.parametrize("most_carried", [0, 1000])
def test_more_than_60_columns_take_as_many_jobs_as_four(tmp_path, on_cluster, monkeypatch, most_carried):
    """Whether copies of rows have all values of a row until they are made, or not."""
    monkeypatch.setattr(set_copies, "_MOST_CARRIED", most_carried)
    counted, numbers = [], []
    for names in (["c0", "c1", "c2", "t"], MANY.column_names):
        chosen = MANY.select(names)
        masks = [1 << column for column in range(len(names))]
        masks += [3 << column for column in range(len(names) - 1)] + [(1 << len(names)) - 2, (1 << len(names)) - 1]
        for source in (clusters.frame_of(chosen, tmp_path), chosen):
            before = jobs()
            with closing(open_table(source)) as table:
                table.load(names)
                counts = table.subset_counts(parse_attributes(names, table.columns), OpenOptions())
                spectra: dict[int, Any] = {}
                counts.count_single_columns(spectra.update)
                counts.count_sets(masks[len(names) :], range(len(names)), (), spectra.update)
                counted.append({mask: spectra[mask].pairs() for mask in masks})
            numbers.append(jobs() - before)
    assert counted[0] == counted[1]
    assert counted[2] == counted[3]
    assert numbers == [numbers[0], 0, numbers[0], 0]


def jobs_by_width(question: str, table: pyarrow.Table, folder: Path, widths: tuple[int, int] = (3, 6)) -> list[int]:
    numbers = []
    for width in widths:
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
