"""Singling out: conditions that one synthetic record meets, tried on real people.

A condition names three columns of a synthetic record: equal categories, and numbers at least or at most as large,
whichever is farther from the median.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from idbits.counts import Integers
from idbits.studies.link.attacks.tables import AttackColumn, AttackTables

__all__ = ["Predicate", "count_matches", "random_predicates", "unique_predicates"]

_COLUMNS = 3
_TRIES = 50


class Test(StrEnum):
    """How a value is compared."""

    EQUAL = "="
    AT_LEAST = ">="
    AT_MOST = "<="


Predicate = tuple[tuple[int, Test, float], ...]
"""Conditions on columns by their index; NaN is null, which is only equal to null."""


def unique_predicates(tables: AttackTables, wanted: int, generator: np.random.Generator) -> list[Predicate]:
    """Return different predicates that exactly one synthetic record meets, as many as are wanted and found."""
    medians = [_median(column) for column in tables.columns]
    found: dict[str, Predicate] = {}
    for _ in range(_TRIES * wanted):
        if len(found) == wanted:
            break
        predicate = _from_record(tables.columns, medians, tables.sizes[0], generator)
        if repr(predicate) not in found and _matches(predicate, tables.columns, 0) == 1:
            found[repr(predicate)] = predicate
    return list(found.values())


def random_predicates(tables: AttackTables, wanted: int, generator: np.random.Generator) -> list[Predicate]:
    """Return predicates with values and comparisons at random: the guesses of an attacker who knows no record."""
    values = [np.unique(column.values[0]) for column in tables.columns]
    predicates = []
    for _ in range(wanted):
        conditions = []
        for index in _some_columns(len(tables.columns), generator):
            value = float(generator.choice(values[index]))
            is_ordered = tables.columns[index].is_number and not np.isnan(value)
            test = [Test.EQUAL, Test.AT_LEAST, Test.AT_MOST][generator.integers(3)] if is_ordered else Test.EQUAL
            conditions.append((index, test, value))
        predicates.append(tuple(conditions))
    return predicates


def count_matches(tables: AttackTables, predicates: Sequence[Predicate], which: int) -> Integers:
    """Return how many records of a table meet each predicate."""
    return np.array([_matches(predicate, tables.columns, which) for predicate in predicates], np.int64)


def _from_record(
    columns: Sequence[AttackColumn], medians: Sequence[float], n_records: int, generator: np.random.Generator
) -> Predicate:
    record = int(generator.integers(n_records))
    conditions = []
    for index in _some_columns(len(columns), generator):
        value = float(columns[index].values[0][record])
        test = Test.EQUAL
        if columns[index].is_number and not np.isnan(value):
            test = Test.AT_LEAST if value > medians[index] else Test.AT_MOST
        conditions.append((index, test, value))
    return tuple(conditions)


def _some_columns(n_columns: int, generator: np.random.Generator) -> list[int]:
    return sorted(generator.choice(n_columns, min(_COLUMNS, n_columns), replace=False).tolist())


def _median(column: AttackColumn) -> float:
    known = column.values[0][~np.isnan(column.values[0])]
    return float(np.median(known)) if column.is_number and len(known) else float("nan")


def _matches(predicate: Predicate, columns: Sequence[AttackColumn], which: int) -> int:
    met = np.ones(len(columns[0].values[which]), np.bool_)
    for index, test, value in predicate:
        values = columns[index].values[which]
        if np.isnan(value):
            met &= np.isnan(values)
        elif test is Test.EQUAL:
            met &= values == value
        else:
            met &= values >= value if test is Test.AT_LEAST else values <= value
    return int(np.count_nonzero(met))
