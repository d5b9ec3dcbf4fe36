"""The goal of a plan: which groups are withheld for it, and whether a treated file meets it.

Implements: advise sections 1, 6 and 10 (goals).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from idbits.counts import Integers, Value
from idbits.engines.backends.treating import TreatedRows
from idbits.errors import RefusedError
from idbits.kernels.group_values import GroupCells
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.measures.treatment.group_rules import TOLERANCE, GroupRule, SensitiveValues, group_figure
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.goals import GoalRule, goal_of
from idbits.studies.shared.units import Unit

__all__ = [
    "DescribeValues", "GroupValues", "GroupedTable", "VerifiedRule", "WithheldGroups", "check_limit", "grouped",
    "outcome_of", "withhold",
]  # fmt: skip

DescribeValues = Callable[[str, Sequence[Value], Integers], SensitiveValues]
"""Describes the values of a sensitive column from their texts and their people."""

_SIZES = ("k_min", "singletons", "people_below")


@dataclass(frozen=True, eq=False)
class GroupedTable:
    """The groups of a treated table.

    Attributes:
        sizes: the people of each group.
        cells: for each sensitive column, people by group and value.
        values: for each sensitive column, its values before anybody is withheld.
        places: for each column that someone may know, the place of each group's value, which orders equally small
            groups; none if nobody will be withheld.
    """

    sizes: Integers
    cells: Mapping[str, GroupCells]
    values: Mapping[str, SensitiveValues]
    places: Sequence[Integers] = ()


@dataclass(frozen=True, slots=True)
class WithheldGroups:
    """The groups that are left out.

    Attributes:
        is_withheld: for each group, whether it is left out.
        people: the people of these groups.
        by_rule: for each rule the people of the groups that it withholds; a group can break several rules.
    """

    is_withheld: np.typing.NDArray[np.bool_]
    people: int
    by_rule: dict[str, int]

    @property
    def numbers(self) -> Integers:
        """The numbers of the groups that are left out."""
        return np.flatnonzero(self.is_withheld).astype(np.int64)


@dataclass(frozen=True, slots=True)
class VerifiedRule:
    """A rule with the figure of the treated file.

    Attributes:
        passed: whether the file meets the rule.
        released_value: for figures that compare groups with the whole table, the figure against the values of the
            file; ``value`` is against those of the source.
    """

    rule: str
    value: int | float
    passed: bool
    released_value: float | None = None

    @property
    def is_worse_released(self) -> bool:
        """Whether the figure is worse against the values of the file."""
        if self.released_value is None:
            return False
        is_worse = operator.lt if self.rule.startswith("l_") else operator.gt
        return bool(is_worse(self.released_value, self.value))


def withhold(rules: Sequence[GoalRule], table: GroupedTable) -> WithheldGroups:
    """Choose the groups to withhold: all that break a rule about groups, then the smallest ones for other rules.

    >>> from idbits.studies.shared.goals import parse_goals
    >>> table = GroupedTable(np.array([5, 2, 3, 1]), {}, {})
    >>> withhold(parse_goals(["k_min >= 3"]), table).is_withheld.tolist()
    [False, True, False, True]
    """
    n_people = int(table.sizes.sum())
    names = list(table.cells)
    cells = tuple(table.cells[name] for name in names)
    groups = NodeGroups((), np.arange(len(table.sizes)), table.sizes, cells, GroupValues(table.places))
    sensitive = [table.values[name] for name in names]

    def withheld_by(some: Sequence[GoalRule]) -> np.typing.NDArray[np.bool_]:
        # All people may be withheld: the limit is checked afterwards.
        out = goal_of(some, names, sensitive, n_people).withheld(groups).out
        return np.zeros(len(table.sizes), bool) if out is None else out

    together = withheld_by(rules)
    by_rule = {rule.text: int(table.sizes[withheld_by([rule])].sum()) for rule in rules}
    return WithheldGroups(together, int(table.sizes[together].sum()), by_rule)


@dataclass(frozen=True, eq=False)
class GroupValues:
    """Reads the values of groups that are numbered."""

    by_column: Sequence[Integers]

    def values(self, keys: Integers, levels: tuple[int, ...]) -> list[Integers]:  # noqa: ARG002
        """Return, for each column, the value of each group."""
        return [values[keys] for values in self.by_column]


def check_limit(withheld: WithheldGroups, n_people: int, limit: Fraction, unit: Unit) -> None:
    """Raise an error if nobody would be left, or more would be withheld than the plan allows."""
    if withheld.people == n_people:
        everyone = f"all {unit.counted(n_people)}" if n_people > 1 else f"the only {unit.singular}"
        raise RefusedError("withheld", f"{everyone} would have to be withheld to meet the goal; no file was written")
    most = int(limit * n_people)
    if withheld.people > most:
        raise RefusedError(
            "withhold_limit",
            f"{withheld.people:,} of {unit.counted(n_people)} would have to be withheld, but the plan allows only "
            f"{most:,}; no file was written",
        )


def grouped(
    rows: TreatedRows, sensitive: Sequence[str], texts: Mapping[str, Sequence[Value]], describe: DescribeValues
) -> GroupedTable:
    """Return the groups of a table with their sensitive values, numbered as in ``texts``."""
    cells, values = {}, {}
    for column in sensitive:
        numbers = {text: number for number, text in enumerate(texts[column])}
        of_code = np.array([numbers[text] for text in rows.cell_texts(column)], np.int64)
        group, code, people = rows.group_cells(column)
        # A text file does not distinguish all values: equal texts of a group are one cell.
        keys, where = np.unique(group * len(numbers) + of_code[code], return_inverse=True)
        counts = np.zeros(len(keys), np.int64)
        np.add.at(counts, where, people)
        starts = np.flatnonzero(np.diff(keys // len(numbers), prepend=-1))
        cells[column] = GroupCells(keys % len(numbers), counts, starts, len(numbers))
        totals = np.zeros(len(numbers), np.int64)
        np.add.at(totals, keys % len(numbers), counts)
        values[column] = describe(column, texts[column], totals)
    return GroupedTable(rows.group_sizes, cells, values)


def outcome_of(
    rule: GoalRule, figures: Figures, table: GroupedTable, before: Mapping[str, SensitiveValues]
) -> VerifiedRule:
    """Compare a treated file with a rule; ``before`` has the sensitive values of the source."""
    value: int | float
    if rule.column is not None:
        cells, values = table.cells[rule.column], before[rule.column]
        value = group_figure(rule.figure, rule.number, cells, values)
        broken = GroupRule(rule.figure, rule.number, rule.limit, rule.is_strict).broken(cells, values)
        against = group_figure(rule.figure, rule.number, cells, table.values[rule.column])
        return VerifiedRule(rule.text, value, not broken.any(), against)
    if rule.figure == "people_below":
        number = rule.number or 0
        value = figures.people_between(1, number - 1) if number > 1 else 0
    else:
        value = getattr(figures, rule.figure)
    return VerifiedRule(rule.text, value, _meets(rule, value, figures.n_people))


def _meets(rule: GoalRule, value: int | float, n_people: int) -> bool:
    limit = rule.limit * n_people if rule.is_share_of_people else rule.limit
    if rule.figure in _SIZES:
        exact = Fraction(value)
        return {">=": exact >= limit, ">": exact > limit, "<=": exact <= limit, "<": exact < limit}[rule.comparison]
    slack = TOLERANCE * float(limit)
    if rule.comparison in (">", ">="):
        return value > limit + slack if rule.is_strict else value >= float(limit) - slack
    return value < float(limit) - slack if rule.is_strict else value <= float(limit) + slack
