"""How often the best guess is right: before the table, with it, and for somebody who is not in it.

Implements: SPEC page disclosure.md, sections 2 and 8. Figures of small groups are certainty for their members, whose
values the table has, but chance for others; so both are reported, and neither is corrected.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from idbits.counts import Integers
from idbits.measures.disclosure.column import SensitiveColumn

__all__ = ["GuessChances", "guess_chances"]


@dataclass(frozen=True, slots=True)
class GuessChances:
    """The chance that the best guess is right.

    Attributes:
        before: without the table: the most frequent value.
        after: the most frequent value of the person's group.
        without: the same for a person whose row is taken out; None for a table of one person.
    """

    before: float
    after: float
    without: float | None

    @property
    def gained_by_taking_part(self) -> float:
        """How much more often the guess is right than the better one of those without the person's row.

        In groups that are split evenly, a guess from the others is worse than the most frequent value of all, which
        an attacker would guess instead.
        """
        return 0.0 if self.without is None else self.after - max(self.before, self.without)


def guess_chances(column: SensitiveColumn) -> GuessChances:
    """Return how often a guess is right; a guess among equally frequent values is right in proportion."""
    cells, prior = column.cells, column.prior
    n = cells.n_people
    people = column.table_people if column.table_people is not None else cells.value_people
    without = None
    if int(people.sum()) > 1:
        without = float((_in_company(column) + _alone(column, people)) / n)
    before = int(prior.weights.max()) / prior.total
    top = cells.largest(1) if cells.times is None else cells.largest(1) * cells.times
    return GuessChances(before, int(top.sum()) / n, without)


def _in_company(column: SensitiveColumn) -> Fraction:
    """Return the expected right guesses about people whose group others share, without their own row."""
    cells = column.cells
    first, second = cells.largest(1), cells.largest(2)
    right = Fraction(int(first[(cells.sizes > 1) & (first - 1 > second)].sum()))
    tied = (cells.sizes > 1) & (first - 1 == second)
    at_second = cells.group_sums((cells.counts == np.repeat(second, cells.lengths)).astype(np.int64))
    people: Counter[int] = Counter()
    ties, counts = at_second[tied], first[tied]
    for number in np.unique(ties).tolist():
        people[number] = int(counts[ties == number].sum())
    return right + sum((Fraction(total, 1 + number) for number, total in people.items()), Fraction(0))


def _alone(column: SensitiveColumn, people: Integers) -> Fraction:
    """Return the expected right guesses about unique people: the most frequent value of the others in the table."""
    cells = column.cells
    mode = int(np.argmax(people))
    others = np.delete(people, mode)
    most = int(others.max(initial=0))
    # Without their own row, only people with the single most frequent value can still have the most frequent one.
    if int(people[mode]) - 1 < most:
        return Fraction(0)
    ties = int(np.count_nonzero(others == most)) if int(people[mode]) - 1 == most else 0
    alone = cells.sizes == 1
    with_mode = cells.values[cells.starts[alone]] == mode
    return Fraction(int(cells.group_people[alone][with_mode].sum()), 1 + ties)
