"""Who is in the release at all, compared with the population that it is part of."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing

from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.open import open_table
from idbits.errors import DataError, InputError, NotEstimableError
from idbits.kernels.subsets import Chain
from idbits.measures.disclosure.presence import Presence, presence
from idbits.values.attributes import Attribute, parse_attribute
from idbits.wording import counted

__all__ = ["presence_in"]


def presence_in(
    table: Table,
    qid: Sequence[Attribute],
    population: Source,
    options: OpenOptions,
    certainty: float,
    opened_tables: ExitStack,
) -> Presence:
    """Compare the groups of a release with those of a population, by the texts of values.

    The population may share the connection of the release, so it is closed with ``opened_tables``, not here.
    """
    if any(transform.name == "top" for attribute in qid for transform in attribute.transforms):
        raise InputError('":top" selects different values in the release and in the population; remove it')
    opened = opened_tables.enter_context(closing(open_table(population, options, beside=table)))
    try:
        theirs = [parse_attribute(attribute.name, opened.columns) for attribute in qid]
    except InputError as error:
        error.args = (f"population: {error}",)
        raise
    opened.load([attribute.column for attribute in theirs])
    if opened.n_people() == 0:
        raise NotEstimableError("the population has no people in it")
    whole = Chain(tuple(range(len(qid))), len(qid))
    ((_, pairs),) = table.pair_counts(qid, opened, theirs, [whole], null_is_value=True).items()
    over = pairs.records > pairs.people
    groups, records = int(pairs.values[over].sum()), int((pairs.records * pairs.values)[over].sum())
    if groups:
        raise DataError(
            f"the release has more people than the population in {counted(groups, 'group')} "
            f"({counted(records, 'record')}); it must be part of it (--population)"
        )
    return presence(pairs.records, pairs.people, pairs.values, certainty)
