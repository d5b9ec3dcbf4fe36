"""Counting sets of columns that have most of their columns in common: these are split once, for all of the sets."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from idbits.counts import Spectrum
from idbits.kernels.coded import CodedColumns
from idbits.kernels.partition import Partition
from idbits.kernels.subsets import has_twins
from idbits.studies.columns.counting import columns_of

__all__ = ["Counted", "Task", "count_task", "make_tasks"]

_LEAVES_A_TASK = 64
_PAIRS = 8


@dataclass(frozen=True, slots=True)
class Task:
    """Sets that share columns, given by the two columns that each adds to them.

    Attributes:
        only_unique: sets that matter only when they make everyone unique, as masks.
    """

    shared: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    only_unique: frozenset[int]


@dataclass(frozen=True, slots=True)
class Counted:
    """The spectra of a task's sets, sets that are not unique for certain, and columns in which two people are alike."""

    spectra: list[tuple[int, Spectrum]]
    not_unique: list[int]
    alike: list[int]


def make_tasks(masks: Iterable[int], rank: Sequence[int], only_unique: frozenset[int]) -> list[Task]:
    """Put sets together that share all but the two columns that rank last."""
    grouped: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for mask in masks:
        *shared, first, last = sorted(columns_of(mask), key=lambda column: rank[column])
        grouped.setdefault(tuple(shared), []).append((first, last))
    tasks = []
    for columns, pairs in sorted(grouped.items()):
        pairs.sort()
        chunks = (pairs[start : start + _LEAVES_A_TASK] for start in range(0, len(pairs), _LEAVES_A_TASK))
        tasks += [Task(columns, tuple(chunk), only_unique) for chunk in chunks]
    return tasks


def count_task(table: CodedColumns, task: Task, drawn: Sequence[CodedColumns], known: Sequence[int]) -> Counted:
    """Count the sets of a task; of those that must be unique, only what some drawn rows and known pairs allow to be."""
    base = sum(1 << column for column in task.shared)
    counted = Counted([], [], [])
    partition: Partition | None = None
    for first, pairs in itertools.groupby(task.pairs, key=lambda pair: pair[0]):
        finer: Partition | None = None
        for _, last in pairs:
            mask = base | 1 << first | 1 << last
            must_be_unique = mask in task.only_unique
            if must_be_unique and (
                any(mask & ~alike == 0 for alike in itertools.chain(known, counted.alike))
                or any(has_twins(some, columns_of(mask)) for some in drawn)
            ):
                counted.not_unique.append(mask)
                continue
            if partition is None:
                partition = Partition.whole(table)
                for column in task.shared:
                    partition = partition.refined(column)
            if finer is None:
                finer = partition.refined(first)
            spectrum = finer.refined_spectrum(last)
            counted.spectra.append((mask, spectrum))
            if must_be_unique and spectrum.n_sets < table.n_people:
                counted.alike.extend(_pairs_alike(table, finer.refined(last)))
    return counted


def _pairs_alike(table: CodedColumns, partition: Partition) -> list[int]:
    """Return, for a few pairs of rows that are together, all columns in which they are alike."""
    if partition.sets is None or partition.rows is None or not partition.n_sets:
        return []
    found = set()
    for number in np.unique(np.linspace(0, partition.n_sets - 1, _PAIRS).astype(np.int64)).tolist():
        first, second = partition.rows[np.flatnonzero(partition.sets == number)[:2]].tolist()
        found.add(sum(1 << c for c, codes in enumerate(table.codes) if codes[first] == codes[second]))
    return sorted(found)
