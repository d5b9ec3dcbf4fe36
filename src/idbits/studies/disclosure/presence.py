"""Who is in the release at all, compared with the population that it is part of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing

import numpy as np

from idbits.engines.base import OpenOptions, Source, Table, labels_to_compare
from idbits.engines.open import open_table
from idbits.errors import DataError, InputError, NotEstimableError
from idbits.measures.disclosure.presence import Presence, presence
from idbits.values.attributes import Attribute, parse_attribute
from idbits.wording import counted

__all__ = ["presence_in"]


def presence_in(
    table: Table, qid: Sequence[Attribute], population: Source, options: OpenOptions, certainty: float
) -> Presence:
    """Compare the groups of a release with those of a population, by the texts of values."""
    if any(transform.name == "top" for attribute in qid for transform in attribute.transforms):
        raise InputError('":top" selects different values in the release and in the population; remove it')
    with closing(open_table(population, options, beside=table)) as opened:
        try:
            theirs = [parse_attribute(attribute.name, opened.columns) for attribute in qid]
        except InputError as error:
            error.args = (f"population: {error}",)
            raise
        opened.load([attribute.column for attribute in theirs])
        if opened.n_people() == 0:
            raise NotEstimableError("the population has no people in it")
        held, released = opened.histogram(theirs), table.histogram(qid)
    sizes = dict(zip(map(labels_to_compare, held.values), held.people, strict=True))
    pairs: Counter[tuple[int, int]] = Counter()
    groups = records = 0
    for values, people in zip(map(labels_to_compare, released.values), released.people, strict=True):
        size = sizes.pop(values, 0)
        pairs[people, size] += 1
        if people > size:
            groups += 1
            records += people
    if groups:
        raise DataError(
            f"the release has more people than the population in {counted(groups, 'group')} "
            f"({counted(records, 'record')}); it must be part of it (--population)"
        )
    for size in sizes.values():
        pairs[0, size] += 1
    columns = np.array([(*pair, number) for pair, number in sorted(pairs.items())], np.int64).T
    return presence(columns[0], columns[1], columns[2], certainty)
