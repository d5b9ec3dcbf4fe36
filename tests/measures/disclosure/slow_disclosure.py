"""The figures of disclosure.md once more: one row after the other, in fractions, without any trick."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Value = Any
Row = tuple[Any, Value]
Triple = tuple[int, int, int]


@dataclass
class SlowTable:
    """Rows of (group, value), with the values in their order; None is null and comes last."""

    rows: Sequence[Row]
    order: Sequence[Value]
    prior: dict[Value, Fraction] | None = None
    whole: Sequence[Row] | None = None

    def __post_init__(self) -> None:
        self.n = len(self.rows)
        self.groups: dict[Any, list[Value]] = {}
        for group, value in self.rows:
            self.groups.setdefault(group, []).append(value)
        everyone = [value for _, value in (self.whole or self.rows)]
        counts = Counter(everyone)
        self.q = self.prior or {value: Fraction(number, len(everyone)) for value, number in counts.items()}
        self.table = everyone
        self.values = [value for value in self.order if value in self.q]

    def p(self, group: Any, value: Value) -> Fraction:
        members = self.groups[group]
        return Fraction(members.count(value), len(members))

    def descending(self, group: Any) -> list[int]:
        return sorted(Counter(self.groups[group]).values(), reverse=True)

    def people(self, holds: Callable[[Any], bool]) -> Triple:
        sizes = [len(members) for group, members in self.groups.items() if holds(group)]
        alone = sizes.count(1)
        return sum(sizes), alone, sum(sizes) - alone

    # Diversity.

    def l_distinct(self) -> int:
        return min(len(set(members)) for members in self.groups.values())

    def l_entropy(self) -> float:
        return min(
            2 ** -sum(float(self.p(g, v)) * math.log2(self.p(g, v)) for v in set(self.groups[g])) for g in self.groups
        )

    def recursive(self, limit: int) -> float:
        worst = Fraction(0)
        for group in self.groups:
            counts = self.descending(group)
            tail = sum(counts[limit - 1 :])
            if not tail:
                return math.inf
            worst = max(worst, Fraction(counts[0], tail))
        return float(worst)

    def recursive_l(self, c: str) -> int:
        found = []
        for group in self.groups:
            counts = self.descending(group)
            fitting = [
                limit for limit in range(1, len(counts) + 1) if counts[0] < Fraction(c) * sum(counts[limit - 1 :])
            ]
            found.append(max([1, *fitting]))
        return min(found)

    # Closeness.

    def t_equal(self) -> float:
        return float(max(sum(abs(self.p(g, v) - self.q[v]) for v in self.values) / 2 for g in self.groups))

    def _cumulative(self) -> list[list[Fraction]] | None:
        """|F_g - F| at every value but the last, group by group, nulls left out on both sides."""
        known = [value for value in self.values if value is not None]
        whole = sum((self.q[value] for value in known), Fraction(0))
        rows = []
        for members in self.groups.values():
            present = [value for value in members if value is not None]
            if present and whole:
                ours = theirs = Fraction(0)
                row = []
                for value in known[:-1]:
                    ours += Fraction(present.count(value), len(present))
                    theirs += self.q[value] / whole
                    row.append(abs(ours - theirs))
                rows.append(row)
        return rows or None

    def t_ordered(self) -> float | None:
        rows = self._cumulative()
        if rows is None:
            return None
        known = [value for value in self.values if value is not None]
        return 0.0 if len(known) == 1 else float(max(sum(row) for row in rows) / (len(known) - 1))

    def t_distance(self) -> float | None:
        rows = self._cumulative()
        if rows is None:
            return None
        known = [Fraction(value) for value in self.values if value is not None]
        span = known[-1] - known[0]
        gaps = [later - earlier for earlier, later in itertools.pairwise(known)]
        return (
            float(max(sum(d * gap for d, gap in zip(row, gaps, strict=True)) for row in rows) / span) if span else 0.0
        )

    def t_hierarchical(self, ancestors: dict[Value, Sequence[Any]]) -> float:
        """``ancestors`` has the nodes of each value from height 1 to the top."""
        height = len(next(iter(ancestors.values())))
        worst = Fraction(0)
        for group in self.groups:
            cost = Fraction(0)
            for level in range(1, height + 1):
                children: dict[Any, dict[Any, Fraction]] = {}
                for value in self.values:
                    path = [("leaf", value), *((h, node) for h, node in enumerate(ancestors[value], start=1))]
                    siblings = children.setdefault(path[level], {})
                    siblings[path[level - 1]] = siblings.get(path[level - 1], Fraction(0)) + (
                        self.p(group, value) - self.q[value]
                    )
                for extras in children.values():
                    positive = sum((e for e in extras.values() if e > 0), Fraction(0))
                    negative = -sum((e for e in extras.values() if e < 0), Fraction(0))
                    cost += Fraction(level, height) * min(positive, negative)
            worst = max(worst, cost)
        return float(worst)

    # Likeness.

    def beta(self) -> float:
        return float(max(self.p(g, v) / self.q[v] - 1 for g in self.groups for v in set(self.groups[g])))

    def violations(self) -> Triple:
        def violates(group: Any) -> bool:
            return any(float(self.p(group, v) / self.q[v] - 1) > -math.log(self.q[v]) for v in set(self.groups[group]))

        return self.people(violates)

    def delta(self, *, present_only: bool) -> float:
        worst = 0.0
        for group in self.groups:
            for value in self.values:
                p = self.p(group, value)
                if p:
                    worst = max(worst, abs(math.log2(p / self.q[value])))
                elif not present_only:
                    return math.inf
        return worst

    # Bits.

    def gain(self, group: Any) -> float:
        present = set(self.groups[group])
        return math.fsum(float(self.p(group, v)) * math.log2(self.p(group, v) / self.q[v]) for v in present)

    def gains(self) -> list[float]:
        return [self.gain(group) for group, _ in self.rows]

    # Certainty.

    def top(self, group: Any) -> int:
        return max(Counter(self.groups[group]).values())

    def certain(self) -> Triple:
        return self.people(lambda g: len(set(self.groups[g])) == 1)

    def empty(self) -> int:
        return sum(len(members) for members in self.groups.values() if set(members) == {None})

    def above(self, share: Fraction) -> tuple[Triple, int]:
        def is_above(group: Any) -> bool:
            return Fraction(self.top(group), len(self.groups[group])) > share

        right = sum(
            Counter(self.groups[group])[value] == self.top(group) for group, value in self.rows if is_above(group)
        )
        return self.people(is_above), right

    # Guesses.

    def guess_after(self) -> float:
        return float(Fraction(sum(self.top(group) for group in self.groups), self.n))

    def guess_without(self) -> float | None:
        """Take out each person in turn, and guess evenly among the most frequent values of those left."""
        if len(self.table) == 1:
            return None
        right = Fraction(0)
        for group, value in self.rows:
            others = list(self.groups[group])
            others.remove(value)
            if not others:
                others = list(self.table)
                others.remove(value)
            counts = Counter(others)
            best = [v for v, number in counts.items() if number == max(counts.values())]
            right += Fraction(1, len(best)) if value in best else 0
        return float(right / self.n)

    # Attackers who know more.

    def excluding(self, number: int, share: Fraction) -> tuple[float, Triple]:
        """Try every value, and rule out the most frequent others."""

        def posterior(group: Any) -> Fraction:
            counts = Counter(self.groups[group])
            found = []
            for value, people in counts.items():
                others = sorted((n for v, n in counts.items() if v != value), reverse=True)
                found.append(Fraction(people, people + sum(others[number:])))
            return max(found)

        return float(max(map(posterior, self.groups))), self.people(lambda g: posterior(g) > share)

    def knowing(self, number: int, share: Fraction) -> tuple[float, Triple]:
        def posterior(group: Any) -> Fraction:
            top = self.top(group)
            return Fraction(top, max(top, len(self.groups[group]) - number))

        return float(max(map(posterior, self.groups))), self.people(lambda g: posterior(g) > share)

    def near(self, width: Callable[[Value], Fraction], share: Fraction) -> tuple[Triple, float, float] | None:
        people = alone = asked = 0
        mean = baseline = Fraction(0)
        for group, value in self.rows:
            if value is None:
                continue
            members = self.groups[group]
            asked += 1
            close = [other for other in members if other is not None and abs(other - value) <= width(value)]
            in_table = [other for other in self.table if other is not None and abs(other - value) <= width(value)]
            mean += Fraction(len(close), len(members))
            baseline += Fraction(len(in_table), len(self.table))
            if Fraction(len(close), len(members)) > share:
                people += 1
                alone += len(members) == 1
        return ((people, alone, people - alone), float(mean / asked), float(baseline / asked)) if asked else None
