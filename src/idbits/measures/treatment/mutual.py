"""The relationships between columns that a treatment loses: 1 - utility, beyond chance.

Without withholding it is a sum over pairs of columns, each looked up by the levels of the two. People who are withheld
keep nothing: the relationships that are left count for the share of people who are kept.

Implements: SPEC page advise.md, section 3 (mutual); SPEC section 4 (utility), minus the chance level.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers, Spectrum
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.rolled import NodeGroups, sort_rows
from idbits.kernels.run_lengths import size_counts
from idbits.measures.treatment.necessary import NecessaryLimits
from idbits.measures.utility import ERROR_RATE, Relation, relation_of

__all__ = ["MutualLoss", "relations_of_levels"]

Mask = NDArray[np.bool_]


class MutualLoss:
    """One minus the share of the relationships beyond chance that is preserved.

    Args:
        columns: the levels of each column.
        codes: the numbers of their values per row.
        people: the people per row.
        target: the codes of a column that is not treated; only relationships with it then count.
        first: for each column, the level that is level 0 of the nodes.
    """

    name = "mutual"
    terms = None

    def __init__(
        self,
        columns: Sequence[ColumnLevels],
        codes: Sequence[Integers],
        people: Integers,
        target: Integers | None = None,
        first: Sequence[int] | None = None,
    ) -> None:
        self._first = [0] * len(columns) if first is None else list(first)
        self._n_people = int(people.sum())
        single = None
        if target is None:
            pairs = list(itertools.combinations(range(len(columns)), 2))
        else:
            values = np.arange(int(target.max(initial=0)) + 1)
            single = ColumnLevels(values, (values,), (np.ones(len(values), np.int64),), len(values))
            pairs = [(column, -1) for column in range(len(columns))]
        all_columns = [*columns, *([single] if single is not None else [])]
        all_codes = [*codes, *([target] if target is not None else [])]
        relations = {
            pair: relations_of_levels(
                all_columns[pair[0]], all_columns[pair[1]], all_codes[pair[0]], all_codes[pair[1]], people
            )
            for pair in pairs
        }
        n_tests = sum(len(rows) * len(rows[0]) for rows in relations.values())
        self.kept = {pair: _preserved(rows, ERROR_RATE / max(1, n_tests)) for pair, rows in relations.items()}
        self.total_bits = float(sum(float(table[0, 0]) for table in self.kept.values()))

    @property
    def exists(self) -> bool:
        """Whether any columns are related beyond chance."""
        return self.total_bits > 0

    def finished(self, total: float) -> float:
        """Return the loss from the sum of terms."""
        return total

    def of(self, groups: NodeGroups, out: Mask | None, withheld: int) -> float:  # noqa: ARG002
        """Return the loss of a node from which some groups are withheld."""
        levels = (*(level + first for level, first in zip(groups.levels, self._first, strict=True)), 0)
        left = sum(float(table[levels[a], levels[b]]) for (a, b), table in self.kept.items())
        return 1 - left / self.total_bits * (1 - withheld / self._n_people)

    def least(self, sizes: Integers, limits: NecessaryLimits) -> float:  # noqa: ARG002 (no bound is known)
        """Return a bound on the loss of all nodes that meet a goal and are coarser than one with these group sizes."""
        return 0.0

    @property
    def has_target(self) -> bool:
        """Whether only relationships with one column count."""
        return any(second < 0 for _, second in self.kept)

    def column_terms(self, n_levels: Sequence[int]) -> list[Floats]:
        """Return what each column loses of its relationship with the target, by the levels of nodes."""
        return [
            (self.kept[column, -1][0, 0] - self.kept[column, -1][first : first + n, 0]) / self.total_bits
            for column, (first, n) in enumerate(zip(self._first, n_levels, strict=True))
        ]

    def kept_at_levels(self, pair: tuple[int, int], n_levels: Sequence[int]) -> Floats:
        """Return the bits beyond chance of two columns at each pair of the levels of nodes."""
        first = [self._first[column] for column in pair]
        rows, columns = (slice(begin, begin + n_levels[index]) for begin, index in zip(first, pair, strict=True))
        return self.kept[pair][rows, columns]


def relations_of_levels(
    first: ColumnLevels, second: ColumnLevels, first_codes: Integers, second_codes: Integers, people: Integers
) -> list[list[Relation]]:
    """Return the relationship between two columns at each pair of levels."""
    size = second.sizes[0]
    bits, people_bits = (first.sizes[0] * size).bit_length(), int(people.sum()).bit_length()
    pairs = sort_rows(first_codes * size + second_codes, people, bits, people_bits)
    ours, theirs = pairs.keys // size, pairs.keys % size
    singles = [
        [_spectrum(np.bincount(level[codes], pairs.people).astype(np.int64)) for level in column.maps]
        for column, codes in ((first, ours), (second, theirs))
    ]
    rows = []
    for a, level_a in enumerate(first.maps):
        row = []
        for b, level_b in enumerate(second.maps):
            keys = level_a[ours] * second.sizes[b] + level_b[theirs]
            both = sort_rows(keys, pairs.people, bits, people_bits)
            row.append(relation_of(singles[0][a], singles[1][b], _spectrum(both.people)))
        rows.append(row)
    return rows


def _spectrum(people: Integers) -> Spectrum:
    return Spectrum.of(size_counts(people))


def _preserved(rows: Sequence[Sequence[Relation]], error_rate: float) -> Floats:
    """Return the bits beyond chance at each pair of levels; a relationship in a coarser view is also in a finer one."""
    bits = np.array([[relation.bits_beyond_chance(error_rate) for relation in row] for row in rows])
    for axis in (0, 1):
        bits = np.flip(np.maximum.accumulate(np.flip(bits, axis), axis), axis)
    return bits
