"""The table as a lattice of treatments: codes, ladders, goal and losses, ready to be searched."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers
from idbits.engines.base import Table
from idbits.errors import DataError, InputError
from idbits.kernels.distinct import distinct_rows, people_by_code
from idbits.kernels.lattice.walk import Lattice
from idbits.measures.treatment.goal import Goal
from idbits.measures.treatment.group_rules import SensitiveValues
from idbits.measures.treatment.losses import (
    CellLoss,
    ClassSizeLoss,
    ColumnTotals,
    DiscernibilityLoss,
    EntropyLoss,
    TreatmentLoss,
)
from idbits.measures.treatment.mutual import MutualLoss
from idbits.reading import OpenOptions
from idbits.studies.shared.goals import goal_of
from idbits.studies.shared.hierarchies import Hierarchy
from idbits.studies.shared.treatments.ladders import Ladder, make_ladder, value_order
from idbits.studies.shared.treatments.question import AdviceQuestion
from idbits.values.attributes import Attribute, Kind
from idbits.wording import counted, counted_people

__all__ = ["MOST_PAIR_ROWS", "TreatmentProblem", "read_problem"]

MOST_PAIR_ROWS = 40_000_000
_MOST_ORDERED_ROWS = 2_000_000


@dataclass(frozen=True, eq=False)
class TreatmentProblem:
    """A table that can be treated.

    Attributes:
        ladders: the ladder of each column, in the order of ``--qid``.
        lattice: the distinct rows with the levels that a treatment may choose.
        goal: the rules as the lattice needs them.
        target: the codes of the column of ``--use-for`` per distinct row.
        raw_people: for each column, the people of each raw value.
        sensitive_people: for each sensitive column, the people of each value, by its code in the table; the goal and
            the lattice may have other numbers for them.
        in_order: whether numbers and dates are in their order, which groups of similar people need; in large tables
            only on request.
    """

    table: Table
    question: AdviceQuestion
    ladders: tuple[Ladder, ...]
    lattice: Lattice
    goal: Goal
    target: Integers | None
    raw_people: tuple[Integers, ...]
    sensitive_people: tuple[Integers, ...]
    codes: tuple[NDArray[np.uint32], ...]
    in_order: bool

    @property
    def n_people(self) -> int:
        """All people."""
        return self.lattice.n_people

    def with_question(self, question: AdviceQuestion) -> TreatmentProblem:
        """Return the same table with other rules, which need no sensitive values."""
        most_withheld = math.floor(question.withhold * self.n_people)
        goal = goal_of(question.rules, (), self.goal.sensitive, most_withheld, self.lattice.columns)
        made = replace(self, question=question, goal=goal)
        # What was computed already belongs to the table, not to the rules.
        made.__dict__.update(
            {name: self.__dict__[name] for name in ("totals", "whole", "mutual") if name in self.__dict__}
        )
        return made

    @cached_property
    def totals(self) -> ColumnTotals:
        """The sums that losses need."""
        weights = [ladder.importance for ladder in self.ladders]
        # From the people of each raw value: large tables need not be read again.
        people = [
            np.bincount(column.ranks, counts, minlength=column.sizes[0]).astype(np.int64)
            for column, counts in zip(self.lattice.columns, self.raw_people, strict=True)
        ]
        return ColumnTotals(self.lattice.columns, people, self.raw_people, weights)

    @cached_property
    def whole(self) -> Lattice:
        """The lattice of whole ladders, also with views that the user does not allow."""
        if all(ladder.allowed is ladder.levels for ladder in self.ladders):
            return self.lattice
        codes = [ladder.levels.ranks[codes] for ladder, codes in zip(self.ladders, self.codes, strict=True)]
        return Lattice([ladder.levels for ladder in self.ladders], codes, self.lattice.people, self.lattice.sensitive)

    @cached_property
    def mutual(self) -> MutualLoss | None:
        """The loss of relationships; None if the table is too large to test them, unless it is to be minimised."""
        columns = len(self.ladders)
        work = len(self.lattice.people) * (columns if self.target is not None else columns**2)
        levels, effort = self.lattice.n_levels, self.question.effort
        relations = (sum(levels) ** 2 - sum(n**2 for n in levels)) // 2
        is_large = work > effort.most_pair_rows or relations > effort.most_relations
        if is_large and self.question.loss != "mutual":
            return None
        # Of whole ladders: what counts as kept is what the table as it is says, also if a treatment must begin later.
        whole = self.whole
        first = [ladder.first for ladder in self.ladders]
        return MutualLoss(whole.columns, whole.codes, whole.people, self.target, first)

    def loss(self, name: str) -> TreatmentLoss:
        """Return a loss by its name."""
        made: dict[str, Callable[[], TreatmentLoss]] = {
            "cells": lambda: CellLoss(self.totals),
            "cells:geometric": lambda: CellLoss(self.totals, geometric=True),
            "entropy": lambda: EntropyLoss(self.totals),
            "entropy:kept": lambda: EntropyLoss(self.totals, ignore_withheld=True),
            "discernibility": lambda: DiscernibilityLoss(self.n_people),
            "discernibility:monotone": lambda: DiscernibilityLoss(self.n_people, monotone=True),
            "class_size": lambda: ClassSizeLoss(self.n_people),
            "mutual": self._mutual_loss,
        }
        return made[name]()

    def _mutual_loss(self) -> MutualLoss:
        loss = self.mutual
        assert loss is not None
        if not loss.exists:
            raise DataError(
                "no two columns are related beyond chance, so the loss of relationships is not defined; choose another "
                "--loss"
            )
        return loss


def read_problem(
    table: Table,
    qid: Sequence[Attribute],
    sensitive: Sequence[Attribute],
    target: Attribute | None,
    question: AdviceQuestion,
    options: OpenOptions,
) -> TreatmentProblem:
    """Read the rows of a table as codes and make the ladders."""
    attributes = [*qid, *sensitive, *([target] if target is not None else [])]
    _require_room(table, len(attributes), question)
    rows = table.coded_rows(attributes)
    limits = question.ladders
    is_simple = target is None and len(sensitive) <= 1 and not (limits.keep or limits.finest or limits.coarsest)
    if not is_simple or (rows.people is not None and not rows.people.all()):
        rows = _distinct(rows, options)
    if not rows.n_rows or not rows.n_people:
        raise DataError("the table has no rows")
    codes = rows.codes
    by_code = [people_by_code(column, size, rows.people) for column, size in zip(codes, rows.sizes, strict=True)]
    in_order = rows.n_rows <= _MOST_ORDERED_ROWS or question.method in ("sets", "all", "local")
    ladders = tuple(
        make_ladder(table, attribute, question.ladders, counts, in_order=in_order)
        for attribute, counts in zip(qid, by_code, strict=False)
    )
    values = [
        _sensitive_values(table, attribute, counts, question)
        for attribute, counts in zip(sensitive, by_code[len(qid) :], strict=False)
    ]
    secret = [
        (codes[len(qid) + index].astype(np.int64), rows.sizes[len(qid) + index]) for index in range(len(sensitive))
    ]
    sorts = {rule.column: rule.figure for rule in question.rules if rule.figure in ("t_ordered", "t_hierarchical")}
    for index, attribute in enumerate(sensitive):
        if attribute.name in sorts:
            numbers, values[index] = values[index].sorted_for(sorts[attribute.name])
            secret[index] = (numbers[secret[index][0]], secret[index][1])
    columns = [ladder.allowed for ladder in ladders]
    if is_simple:
        lattice = Lattice(columns, codes[: len(qid)], rows.people, secret, merge=True)
    else:
        inner = [column.ranks[of_rows] for column, of_rows in zip(columns, codes, strict=False)]
        lattice = Lattice(columns, inner, rows.people, secret)
    most_withheld = math.floor(question.withhold * lattice.n_people)
    return TreatmentProblem(
        table,
        question,
        ladders,
        lattice,
        goal_of(question.rules, [attribute.name for attribute in sensitive], values, most_withheld, columns),
        value_order(table.labels(target))[codes[-1]] if target is not None else None,
        tuple(by_code[: len(qid)]),
        tuple(by_code[len(qid) : len(qid) + len(sensitive)]),
        tuple(codes[: len(qid)]),
        in_order,
    )


def _require_room(table: Table, n_columns: int, question: AdviceQuestion) -> None:
    """Refuse a table in a database or on a cluster that is too large to be fetched."""
    if not table.trials_are_cheap and table.n_people() * n_columns > question.max_cells:
        raise DataError(
            f"the table has more than {question.max_cells:,} cells to fetch (--max-cells); idbits advise takes files: "
            "export these columns first, or count equal rows and name the column of counts with --count"
        )


def _distinct(rows: CodedRows, options: OpenOptions) -> CodedRows:
    """Merge equal rows."""
    merged = distinct_rows(rows, threads=options.threads or os.cpu_count() or 1)
    return CodedRows(merged.codes, merged.sizes, merged.cohorts())


def _sensitive_values(
    table: Table, attribute: Attribute, people: Integers, question: AdviceQuestion
) -> SensitiveValues:
    labels = table.labels(attribute)
    null = labels.index(None) if None in labels else None
    figures = {rule.figure for rule in question.rules if rule.column == attribute.name}
    hierarchy = question.ladders.hierarchies.get(attribute.column)
    levels = None
    if "t_hierarchical" in figures:
        if not isinstance(hierarchy, Hierarchy):
            raise InputError(
                f'"t_hierarchical.{attribute.name}" needs the hierarchy of "{attribute.name}", as in --hierarchy '
                f"{attribute.column}=FILE.csv"
            )
        levels = make_ladder(table, attribute, question.ladders, people).levels
    order = _order(table, attribute, people, question, required="t_ordered" in figures)
    if order is not None and null is not None:
        # Null has no rank: the others move up to its place.
        order = order - (order > order[null])
    return SensitiveValues(people, order, null, levels)


def _order(
    table: Table, attribute: Attribute, people: Integers, question: AdviceQuestion, *, required: bool
) -> Integers | None:
    labels = table.labels(attribute)
    ranks = question.ranks.get(attribute.name)
    if ranks is not None:
        places = {text: place for place, text in enumerate(ranks)}
        missing = [int(n) for text, n in zip(labels, people, strict=True) if text is not None and text not in places]
        if missing:
            have = "has" if len(missing) == 1 else "have"
            raise DataError(
                f"{counted(len(missing), 'value')} ({counted_people(sum(missing))}) {have} no place in the order "
                "(--ranks)"
            )
        chosen = [-1 if text is None else places[text] for text in labels]
        return np.argsort(np.argsort(chosen, kind="stable"), kind="stable")
    profile = table.profile(attribute.column) if attribute.kind is Kind.TEXT and not attribute.transforms else None
    is_number = profile is not None and profile.known == profile.numbers > 0
    if attribute.result_kind in (Kind.TEXT, Kind.BOOLEAN, Kind.OTHER) and not is_number:
        if required:
            raise InputError(
                f'"{attribute.name}" is text, which has no order for "t_ordered"; give it one with --ranks '
                f"{attribute.name}=a,b,c, or choose t_equal"
            )
        return None
    return value_order(labels, is_number=is_number or attribute.result_kind in (Kind.INTEGER, Kind.NUMBER))
