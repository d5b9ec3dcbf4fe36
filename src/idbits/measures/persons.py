"""People with several records: how many people share them, for an attacker who knows one or all of them.

Implements: SPEC page people.md, section 1. k_v is the number of people who have the value v, V_p the values of person
p.

============  =============================================================
one record    k_p = min of k_v over V_p: the attacker knows the most telling record
drawn record  k_v of one row drawn from the person's rows: figures are expectations
all records   the number of people with the same V_p: an ordinary spectrum
============  =============================================================
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from idbits.counts import DrawnRecords, GroupSizes, Integers, PeopleBySize, PeopleCounts
from idbits.measures.anonymity import BITS_LEVELS
from idbits.measures.logarithms import fixed_log2
from idbits.measures.quantiles import counted_quantiles

__all__ = [
    "RowsPerPerson", "drawn_record_bits_quantiles", "drawn_record_sizes", "expected_sizes", "group_sizes",
    "rows_per_person",
]  # fmt: skip

_HALF_BITS = 25
_UNIT = 2.0**50


@dataclass(frozen=True, slots=True)
class RowsPerPerson:
    """Summary of the rows that people have."""

    min: int
    median: float
    mean: float
    max: int


def rows_per_person(people_by_rows: Sequence[tuple[int, int]]) -> RowsPerPerson:
    """Summarise (rows of a person, number of such people) pairs.

    >>> rows_per_person([(1, 3), (5, 1)])
    RowsPerPerson(min=1, median=1.0, mean=2.0, max=5)
    """
    rows, people = np.array(sorted(people_by_rows), np.int64).T
    (median,) = counted_quantiles(rows, people, (0.5,))
    mean = sum(number * count for number, count in people_by_rows) / int(people.sum())
    return RowsPerPerson(int(rows[0]), median, mean, int(rows[-1]))


def expected_sizes(
    drawn: DrawnRecords, n_reference: int | None = None, *, is_own_reference: bool = True
) -> PeopleBySize:
    """Expected number of people in groups of each size, if one of each person's rows is drawn.

    Each row adds 1 / rows of the person. Rows of people with equally many are added as whole numbers first, so the
    expectation is a whole number without any error if all rows of each person have the same size.

    >>> expected_sizes(DrawnRecords.of({(1, 2): 1, (3, 2): 2, (3, 1): 1, (2, 2): 1, (2, 1): 1}, 4)).pairs()
    [(1, 0.5), (2, 1.5), (3, 2.0)]
    """
    order = np.argsort(drawn.sizes, kind="stable")
    terms = (drawn.rows[order] / drawn.rows_of_person[order]).tolist()
    sizes, starts = np.unique(drawn.sizes[order], return_index=True)
    borders = [*starts.tolist(), len(terms)]
    people = [math.fsum(terms[begin:end]) for begin, end in itertools.pairwise(borders)]
    reference = drawn.n_people if n_reference is None else n_reference
    return PeopleBySize(sizes, np.array(people, np.float64), drawn.n_people, reference, is_own_reference)


def group_sizes(counts: PeopleCounts) -> GroupSizes:
    """Return people by the size of their group; if a record is drawn, the expectation."""
    return expected_sizes(counts) if isinstance(counts, DrawnRecords) else counts


def drawn_record_sizes(
    records: Iterable[tuple[int, int, int, int]],
    n_people: int,
    n_reference: int,
    *,
    is_own_reference: bool = True,
) -> PeopleBySize:
    """Return ``expected_sizes`` of (rows of a person, rows with a value, k of the value, number of such pairs).

    >>> drawn_record_sizes([(2, 1, 1, 1), (2, 1, 3, 2), (2, 1, 2, 1), (1, 1, 2, 1), (1, 1, 3, 1)], 4, 4).pairs()
    [(1, 0.5), (2, 1.5), (3, 2.0)]
    """
    return expected_sizes(DrawnRecords.of_pairs(records, n_people), n_reference, is_own_reference=is_own_reference)


def drawn_record_bits_quantiles(
    starts: Integers, sizes: Integers, rows: Integers, people: Integers, n_reference: int
) -> dict[str, float]:
    """Quantiles over people of the mean of log2(N/k) over a person's rows.

    Profile i has the entries ``starts[i]`` to ``starts[i + 1]``: ``rows`` rows with values of ``sizes`` people;
    ``people[i]`` people have it. Sums are whole numbers, so the order of entries does not matter.

    >>> one = np.array([0, 2]), np.array([1, 4]), np.array([1, 1]), np.array([1])
    >>> drawn_record_bits_quantiles(*one, n_reference=4)["p50"]
    1.0
    """
    first = starts[:-1]
    logarithms = fixed_log2(sizes)
    # A logarithm times many rows does not fit in 64 bits; its halves do.
    high = np.add.reduceat((logarithms >> _HALF_BITS) * rows, first)
    low = np.add.reduceat((logarithms & ((1 << _HALF_BITS) - 1)) * rows, first)
    hidden = (high * 2.0**_HALF_BITS + low) / np.add.reduceat(rows, first) / _UNIT
    bits = math.log2(n_reference) - hidden
    order = np.argsort(bits, kind="stable")
    quantiles = counted_quantiles(np.maximum(bits[order], 0.0), people[order], list(BITS_LEVELS.values()))
    return dict(zip(BITS_LEVELS, quantiles, strict=True))
