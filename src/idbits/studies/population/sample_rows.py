"""The rows of a table as the sets of a sample, in an order that depends on their values only."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Floats, Integers
from idbits.engines.base import OpenOptions, Table
from idbits.errors import InputError
from idbits.kernels.cohorts import Ranks, cells_of
from idbits.kernels.distinct import DistinctRows, distinct_rows
from idbits.kernels.value_order import hash_order, label_hashes, row_hashes
from idbits.measures.population.sets import SampleSets
from idbits.measures.population.weights import SetWeights
from idbits.values.attributes import Attribute

__all__ = ["CodedSample", "RowNumbers", "read_sample"]

Codes = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class RowNumbers:
    """The rows of the source.

    Attributes:
        numbers: the number of each row, from 1.
        sets: the index of its set.
    """

    numbers: Integers
    sets: Codes


@dataclass(frozen=True, eq=False)
class CodedSample:
    """A sample that was read.

    Attributes:
        sets: its distinct rows.
        codes: for each column, the code in the table of each of the codes in ``sets``.
        beside: for each set, the values of the column beside it: (set, code, people), sorted by set and rank.
        rows: the rows of the source, if they are needed.
    """

    sets: SampleSets
    codes: tuple[Integers, ...]
    beside: tuple[Integers, Integers, Integers] | None = None
    rows: RowNumbers | None = None

    def weights(self, numbers: Floats) -> SetWeights:
        """Return the sampling weights of sets, given the weight of each code of the column beside them."""
        assert self.beside is not None
        sets, codes, people = self.beside
        own = numbers[codes]
        # In ascending order within a set, so that sums do not depend on the order of rows.
        order = np.lexsort((own, sets))
        sets, own, people = sets[order], own[order], people[order]
        sums: Floats = np.bincount(sets, own * people, self.sets.n_sets).astype(np.float64)
        squares: Floats = np.bincount(sets, own * own * people, self.sets.n_sets).astype(np.float64)
        return SetWeights(sums, squares, float(own.min()), float(own.max()))


def read_sample(
    table: Table,
    qid: Sequence[Attribute],
    options: OpenOptions,
    seed: int,
    beside: Attribute | None = None,
    *,
    with_rows: bool = False,
) -> CodedSample:
    """Return the distinct rows of some attributes, and the values of a column beside them."""
    threads = options.threads or os.cpu_count() or 1
    if not with_rows and beside is None:
        distinct = table.distinct_rows(qid, threads)
        return CodedSample(*_in_order(distinct, _value_order(table, qid, distinct, seed)))
    coded = table.coded_rows([*qid, *([beside] if beside is not None else [])])
    if with_rows and coded.numbers is None:
        raise InputError(
            "records cannot be written: this source gives distinct rows with their counts, not single rows (--records)"
        )
    table.give_back_memory()
    coded = _without_empty_rows(coded)
    distinct = distinct_rows(_of_columns(coded, len(qid)), with_indices=True, threads=threads)
    assert distinct.indices is not None
    numbers = coded.numbers if with_rows else None
    # Several arrays with a number per row: each is given up when it is no longer needed.
    besides = (coded.codes[-1], coded.sizes[-1], coded.people) if beside is not None else None
    del coded
    indices, distinct = distinct.indices, replace(distinct, indices=None)
    order = _value_order(table, qid, distinct, seed)
    sets, codes = _in_order(distinct, order)
    del distinct
    places = np.empty(len(order), np.uint32)
    places[order] = np.arange(len(order), dtype=np.uint32)
    del order
    set_of_row = places[indices]
    del places, indices
    values = None if besides is None else _values_of_sets(set_of_row, sets.n_sets, *besides)
    return CodedSample(sets, codes, values, None if numbers is None else RowNumbers(numbers, set_of_row))


def _of_columns(coded: CodedRows, number: int) -> CodedRows:
    """Return the first columns."""
    return CodedRows(coded.codes[:number], coded.sizes[:number], coded.people)


def _value_order(table: Table, qid: Sequence[Attribute], distinct: DistinctRows, seed: int) -> Codes:
    """Return the order of distinct rows by a hash of their values."""
    of_labels = [label_hashes(table.labels(attribute), seed) for attribute in qid]
    hashes = np.empty(distinct.n_rows, np.uint64)
    for part, codes in distinct.blocks():
        hashes[part] = row_hashes(codes, of_labels)
    return hash_order(hashes)


def _without_empty_rows(coded: CodedRows) -> CodedRows:
    if coded.people is None or coded.people.all():
        return coded
    held = np.flatnonzero(coded.people)
    numbers = coded.numbers[held] if coded.numbers is not None else None
    return CodedRows(tuple(column[held] for column in coded.codes), coded.sizes, coded.people[held], numbers)


def _in_order(distinct: DistinctRows, order: Codes) -> tuple[SampleSets, tuple[Integers, ...]]:
    """Return the sets in this order, with codes for the values that occur only."""
    kept = tuple(np.flatnonzero(people) for people in distinct.value_people)
    new_codes: list[NDArray[np.unsignedinteger]] = []
    for people, occurring in zip(distinct.value_people, kept, strict=True):
        # As narrow as possible, because there may be as many sets as rows.
        new_codes.append(np.zeros(len(people), np.min_scalar_type(max(0, len(occurring) - 1))))
        new_codes[-1][occurring] = np.arange(len(occurring))
    columns = tuple(np.empty_like(codes, shape=distinct.n_rows) for codes in new_codes)
    cohorts = distinct.cohorts()
    people = np.empty(distinct.n_rows, np.min_scalar_type(int(cohorts.max(initial=0))))
    for part, codes in distinct.blocks(order):
        people[part] = cohorts[order[part]]
        for column, new, old in zip(columns, new_codes, codes, strict=True):
            column[part] = new[old]
    return SampleSets(columns, tuple(map(len, kept)), people), kept


def _values_of_sets(
    sets: Codes, n_sets: int, codes: Codes, size: int, people: Integers | None
) -> tuple[Integers, Integers, Integers]:
    ranks = Ranks(sets, n_sets)
    cohorts, values, numbers = cells_of(ranks, codes, size, people)
    return cohorts.astype(np.int64), values.astype(np.int64), numbers
