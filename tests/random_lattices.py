"""Random ladders, tables and goals for the tests of treatments, and slow counts to compare with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.walk import Lattice, Node
from idbits.measures.treatment.goal import Goal, TableRule
from idbits.measures.treatment.group_rules import GroupRule, SensitiveValues
from idbits.measures.treatment.losses import ColumnTotals
from idbits.measures.treatment.regional import people_by_number


@dataclass(frozen=True)
class Drawn:
    """A lattice with the data it was made of: levels[column][level][code] and rows of codes."""

    lattice: Lattice
    levels: list[list[list[int]]]
    rows: list[tuple[int, ...]]
    people: list[int]
    secrets: list[int]

    def value(self, column: int, level: int, row: int) -> int:
        return self.levels[column][level][self.rows[row][column]]

    def groups(self, node: Node) -> dict[tuple[int, ...], list[int]]:
        """Return the rows of each group, counted in the slowest way."""
        found: dict[tuple[int, ...], list[int]] = {}
        for row in range(len(self.rows)):
            key = tuple(self.value(column, level, row) for column, level in enumerate(node))
            found.setdefault(key, []).append(row)
        return found

    def sizes(self, node: Node) -> list[int]:
        return sorted(sum(self.people[row] for row in rows) for rows in self.groups(node).values())

    def totals(self, weights: list[float] | None = None) -> ColumnTotals:
        return ColumnTotals(self.lattice.columns, people_by_number(self.lattice), importance=weights)

    def secret_people(self) -> SensitiveValues:
        counts = Counter[int]()
        for secret, people in zip(self.secrets, self.people, strict=True):
            counts[secret] += people
        return SensitiveValues(np.array([counts[value] for value in range(3)]), np.arange(3))


@st.composite
def ladders(draw: st.DrawFn) -> list[list[int]]:
    """Draw nested levels of up to 6 codes, each level merging values of the one before, the last into one."""
    n_codes = draw(st.integers(1, 6))
    levels = [list(range(n_codes))]
    for _ in range(draw(st.integers(0, 2))):
        merge = draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))
        levels.append([merge[value] for value in levels[-1]])
    return [*levels, [0] * n_codes]


@st.composite
def drawn_lattices(draw: st.DrawFn, *, most_columns: int = 3, sensitive: bool = False) -> Drawn:
    levels = draw(st.lists(ladders(), min_size=1, max_size=most_columns))
    row = st.tuples(*(st.integers(0, len(ladder[0]) - 1) for ladder in levels))
    rows = draw(st.lists(row, min_size=1, max_size=25))
    people = draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    secrets = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    columns = [ColumnLevels.of([np.array(level) for level in ladder]) for ladder in levels]
    codes = [column.ranks[np.array([row[index] for row in rows])] for index, column in enumerate(columns)]
    secret = [(np.array(secrets), 3)] if sensitive else []
    lattice = Lattice(columns, codes, np.array(people), secret)
    return Drawn(lattice, levels, rows, people, secrets)


def goals(drawn: Drawn, *, sensitive: bool) -> st.SearchStrategy[Goal]:
    """Draw a goal: a size, a rule about groups if there is a sensitive column, a rule about the table, a limit."""
    shares = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 4)])
    group_rules: st.SearchStrategy[tuple[Any, ...]] = st.just(())
    if sensitive:
        limits = {"l_distinct": 2, "l_entropy": 2, "alpha": Fraction(2, 3), "t_equal": Fraction(1, 3), "beta": 1}
        one = st.sampled_from(sorted(limits)).map(lambda name: GroupRule(name, None, Fraction(limits[name]), False))
        group_rules = one.map(lambda rule: ((0, rule),))
    table_rules = st.sampled_from(
        [
            (),
            (TableRule("singletons", None, Fraction(1, 10), strict=False, of_people=True),),
            (TableRule("mean_risk", None, Fraction(1, 5), strict=False),),
            (TableRule("entropy_bits", None, Fraction(3, 2), strict=False),),
        ]
    )
    values = (drawn.secret_people(),) if sensitive else ()
    return st.builds(
        lambda size, rules, tables, share: Goal(size, rules, tables, int(share * drawn.lattice.n_people), values),
        st.integers(1, 6),
        group_rules,
        table_rules,
        shares,
    )
