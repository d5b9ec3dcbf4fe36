"""Reads the compared columns of two open tables and links them by odds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows
from idbits.engines.backends.agreement import AgreementTables
from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.open import is_database
from idbits.errors import DataError, InputError
from idbits.studies.link.probabilistic.columns import ColumnSide, compare_column, shared_codes
from idbits.studies.link.probabilistic.linking import LinkedTables, link_by_odds
from idbits.studies.link.probabilistic.links import ProbabilisticLinks
from idbits.studies.link.question import LinkQuestion
from idbits.studies.link.tolerances import ComparedColumn
from idbits.values.attributes import Attribute
from idbits.wording import counted

__all__ = ["link_probabilistically", "refuse_databases"]


_FETCHED = "the distinct rows were fetched from Spark to compare them on this machine"


def refuse_databases(sources: Sequence[Source]) -> None:
    """Refuse databases, whose rows stay where they are."""
    if any(is_database(source) for source in sources):
        raise InputError("--probabilistic compares rows, but only counts leave a database; export both tables to files")


def link_probabilistically(
    tables: tuple[Table, Table],
    compared: Sequence[ComparedColumn],
    truth: tuple[Attribute, Attribute] | None,
    question: LinkQuestion,
    options: tuple[OpenOptions, OpenOptions],
) -> ProbabilisticLinks:
    """Link two loaded tables by the odds of their pairs."""
    settings = question.probabilistic
    assert settings is not None
    if any(not item.is_exact for item in compared):
        raise InputError("with --probabilistic, name how near values are with --levels instead of ~ (--on)")
    if any(each.count is not None for each in options):
        raise InputError("--probabilistic needs one row per person; leave out --count and --count-b")
    sides = ([item.first[0] for item in compared], [item.second[0] for item in compared])
    names = tuple(attribute.name for attribute in sides[0])
    levels = settings.levels_of(names)
    settings.block_indices(names)
    extra: tuple[list[Attribute], list[Attribute]] = ([], []) if truth is None else ([truth[0]], [truth[1]])
    fetched = [table.coded_rows([*own, *more]) for table, own, more in zip(tables, sides, extra, strict=True)]
    rows = [_one_row_per_person(each) for each in fetched]
    with options[0].progress.step("reading values"):
        columns = tuple(
            compare_column(*_sides(index, pair, rows, tables, options), levels.get(index))
            for index, pair in enumerate(zip(*sides, strict=True))
        )
        known = AgreementTables(columns)
        is_in_both = None
        if truth is not None:
            codes = _truth_codes(rows, tables, truth)
            known = AgreementTables(columns, *codes)
            is_in_both = np.isin(codes[0], codes[1]) & (codes[0] >= 0)
    linked = LinkedTables(names, known, (rows[0].numbers, rows[1].numbers), is_in_both)
    links = link_by_odds(linked, settings, question.max_pairs, options[0])
    is_fetched = any(each.people is not None for each in fetched)
    return replace(links, notes=(*links.notes, _FETCHED)) if is_fetched else links


def _one_row_per_person(rows: CodedRows) -> CodedRows:
    """Return rows that are one person each: a cluster gives distinct rows with their numbers of people."""
    if rows.people is None:
        return rows
    return CodedRows(tuple(np.repeat(codes, rows.people) for codes in rows.codes), rows.sizes)


def _sides(
    index: int,
    pair: tuple[Attribute, Attribute],
    rows: Sequence[CodedRows],
    tables: tuple[Table, Table],
    options: tuple[OpenOptions, OpenOptions],
) -> tuple[ColumnSide, ColumnSide]:
    first, second = (
        ColumnSide(attribute.result_kind, row.codes[index], table.labels(attribute), option.dates)
        for attribute, row, table, option in zip(pair, rows, tables, options, strict=True)
    )
    return first, second


def _truth_codes(
    rows: Sequence[CodedRows], tables: tuple[Table, Table], truth: tuple[Attribute, Attribute]
) -> list[NDArray[np.int32]]:
    """Return common codes of the people; an ID that occurs twice in a table is an error."""
    texts = [table.labels(attribute) for table, attribute in zip(tables, truth, strict=True)]
    own = [CodedRows((row.codes[-1],), row.sizes[-1:]) for row in rows]
    _, codes = shared_codes(own, texts)
    for side, attribute, which in zip(codes, truth, ("first", "second"), strict=True):
        repeated = int(np.count_nonzero(np.bincount(side[side >= 0]) > 1)) if (side >= 0).any() else 0
        if repeated:
            raise DataError(
                f'{counted(repeated, "value")} of "{attribute.name}" {"occurs" if repeated == 1 else "occur"} more '
                f"than once in the {which} table; the column must identify people (--truth)"
            )
    return codes
