"""Links by equal values: records and people who have the same values in all compared columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idbits.counts import CodedRows, Integers, PairCounts
from idbits.engines.base import Table
from idbits.engines.local_linking import pair_counts_of_rows
from idbits.errors import DataError
from idbits.kernels.group_values import counted_rows
from idbits.kernels.linking import LinkedGroups, LinkedRows, linked_groups
from idbits.kernels.subsets import Chain, symmetric_chains
from idbits.measures.linkage.candidates import CandidateCounts
from idbits.measures.linkage.sensitive import SensitiveLink, sensitive_link
from idbits.studies.link.links import Links, RecordLinks
from idbits.studies.link.question import CERTAINTY
from idbits.values.attributes import Attribute
from idbits.wording import counted

__all__ = ["ComparedTables", "curve_chains", "identified_rows", "link_equal_values"]

_MOST_SUBSETS_OF = 6


@dataclass(frozen=True, slots=True, eq=False)
class ComparedTables:
    """Two open tables and the columns that are used of them.

    Attributes:
        on: the compared columns, of the first and of the second table.
        truth: the columns that identify people.
        sensitive: columns of the first table.
        with_rows: whether the links of each record are needed.
    """

    first: Table
    second: Table
    on: tuple[Sequence[Attribute], Sequence[Attribute]]
    truth: tuple[Attribute, Attribute] | None
    sensitive: Sequence[Attribute]
    with_rows: bool

    def linked_rows(self) -> LinkedRows:
        """Return the rows of both: the compared columns, then the truth, then the sensitive columns of the first."""
        ours, theirs = list(self.on[0]), list(self.on[1])
        if self.truth is not None:
            ours.append(self.truth[0])
            theirs.append(self.truth[1])
        return self.first.linked_rows(ours, self.second, theirs, self.sensitive)


def curve_chains(n_columns: int) -> list[Chain]:
    """Return chains of every subset of up to six columns, otherwise of the beginnings."""
    if n_columns <= _MOST_SUBSETS_OF:
        return symmetric_chains(n_columns)
    return [Chain(tuple(range(n_columns)), 1)]


def link_equal_values(tables: ComparedTables, rows: LinkedRows | None = None) -> Links:
    """Link by equal values; ``rows`` if they were fetched already."""
    n_columns = len(tables.on[0])
    chains = curve_chains(n_columns)
    if rows is None and not (tables.truth or tables.sensitive or tables.with_rows):
        return _links(tables.first.pair_counts(tables.on[0], tables.second, tables.on[1], chains), tables)
    rows = tables.linked_rows() if rows is None else rows
    compared = rows.only(range(n_columns))
    links = _links(pair_counts_of_rows(compared, chains, null_is_value=False), tables)
    groups = linked_groups(compared)
    records = None
    if tables.truth is not None or tables.with_rows:
        records = _record_links(rows, groups, tables.truth)
    sensitive = tuple(
        _sensitive(attribute, codes, tables, rows, groups)
        for attribute, codes in zip(tables.sensitive, rows.more, strict=True)
    )
    return Links(links.counts, links.by_columns, links.pairs, records, sensitive, links.without_common_value)


def _links(by_mask: dict[int, PairCounts], tables: ComparedTables) -> Links:
    n_columns = len(tables.on[0])
    n_records, n_people = tables.first.n_people(), tables.second.n_people()
    whole = (1 << n_columns) - 1
    counts = {mask: CandidateCounts.of_pairs(pairs, n_records, n_people) for mask, pairs in by_mask.items()}
    uncommon = tuple(
        index for index in range(n_columns) if 1 << index in counts and not counts[1 << index].with_candidate
    )
    return Links(counts[whole], counts, by_mask[whole], without_common_value=uncommon)


def _record_links(rows: LinkedRows, groups: LinkedGroups, truth: tuple[Attribute, Attribute] | None) -> RecordLinks:
    known = groups.first >= 0
    candidates = np.where(known, groups.people[groups.first], 0)
    rivals = np.where(known, groups.records[groups.first], 0)
    only_person = np.full(len(groups.people), -1, np.int64)
    named = np.flatnonzero(groups.second >= 0)
    only_person[groups.second[named]] = named
    claimed = np.where((candidates == 1) & (rivals == 1), only_person[groups.first], -1)
    in_both = among = None
    if truth is not None:
        person = identified_rows(rows, truth)
        in_both = person >= 0
        among = in_both & known & (groups.second[person] == groups.first)
    return RecordLinks(rows.numbers[0], candidates, rivals, claimed, rows.numbers[1], in_both, among)


def identified_rows(rows: LinkedRows, truth: tuple[Attribute, Attribute]) -> Integers:
    """Return the row of each record's person in the second table, -1 if there is none; IDs are the last column."""
    codes, null = rows.codes[-1].astype(np.int64), rows.nulls[-1]
    sides = (codes[: rows.n_first], codes[rows.n_first :])
    weights = [None, None] if rows.weights is None else [rows.weights[: rows.n_first], rows.weights[rows.n_first :]]
    for side, weight, attribute, which in zip(sides, weights, truth, ("first", "second"), strict=True):
        times = np.bincount(side, weights=weight, minlength=rows.sizes[-1])
        if null is not None:
            times[null] = 0
        repeated = int(np.count_nonzero(times > 1))
        if repeated:
            raise DataError(
                f'{counted(repeated, "value")} of "{attribute.name}" {"occurs" if repeated == 1 else "occur"} more '
                f"than once in the {which} table; the column must identify people (--truth)"
            )
    row_of = np.full(rows.sizes[-1], -1, np.int64)
    row_of[sides[1]] = np.arange(len(sides[1]))
    if null is not None:
        row_of[null] = -1
    return row_of[sides[0]]


def _sensitive(
    attribute: Attribute, codes: np.ndarray, tables: ComparedTables, rows: LinkedRows, groups: LinkedGroups
) -> SensitiveLink:
    n_values = len(tables.first.labels(attribute))
    weights = None if rows.weights is None else rows.weights[: rows.n_first]
    prior = np.bincount(codes, weights=weights, minlength=n_values).astype(np.int64)
    known = np.flatnonzero(groups.first >= 0)
    pairs = (groups.first[known].astype(np.uint32), codes[known])
    people = None if weights is None else weights[known]
    counts = counted_rows(CodedRows(pairs, (len(groups.records), n_values), people))
    (numbers,) = counts.group_codes()
    return sensitive_link(attribute.name, counts.cells, groups.people[numbers], prior, CERTAINTY)
