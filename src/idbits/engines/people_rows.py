"""Rows of people as codes, from their records as texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idbits.counts import CodedRows, Value
from idbits.engines.backends.gains import PeopleRows
from idbits.engines.backends.persons import PersonRecord

__all__ = ["people_rows_of_records"]


def people_rows_of_records(records: Sequence[PersonRecord], n_attributes: int) -> PeopleRows:
    """Number the texts of each attribute, and the people, in the order in which they occur.

    >>> rows = people_rows_of_records([(7, ("a", None), 2), (9, ("b", None), 1)], 2)
    >>> rows.persons.tolist(), rows.rows.codes[0].tolist(), rows.rows.people.tolist(), rows.labels(1)
    ([0, 1], [0, 1], [2, 1], [None])
    """
    people: dict[int, int] = {}
    codes: list[dict[Value, int]] = [{} for _ in range(n_attributes)]
    persons = [people.setdefault(person, len(people)) for person, _, _ in records]
    columns = tuple(
        np.array([known.setdefault(value[index], len(known)) for _, value, _ in records], np.uint32)
        for index, known in enumerate(codes)
    )
    labels = [list(known) for known in codes]
    rows = CodedRows(columns, tuple(map(len, labels)), np.array([rows for *_, rows in records], np.int64))
    return PeopleRows(rows, np.array(persons, np.int64), lambda column: labels[column])
