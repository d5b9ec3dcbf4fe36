"""Hierarchy files of a plan: given again, recognised by their hash, and turned into the texts that replace values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from idbits.counts import Integers, Value
from idbits.engines.base import Table
from idbits.errors import InputError
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.studies.shared.hierarchies import Hierarchy, read_hierarchy
from idbits.studies.shared.plans import Plan, PlannedColumn
from idbits.studies.shared.serialisation import JsonObject
from idbits.values.attributes import Attribute

__all__ = ["GivenHierarchies", "by_column"]


def by_column(given: Mapping[str, object] | Sequence[str], option: str) -> dict[str, str]:
    """Return what an option says per column, from ``COL=TEXT`` or from a mapping.

    >>> by_column(["zip=zip.csv"], "--hierarchy")
    {'zip': 'zip.csv'}
    """
    if isinstance(given, Mapping):
        return {column: str(value) for column, value in given.items()}
    made: dict[str, str] = {}
    for text in given:
        column, _, value = text.partition("=")
        if not column or not value or column in made:
            raise InputError(f"write {option} as COLUMN=..., once per column")
        made[column] = value
    return made


@dataclass(frozen=True, slots=True)
class GivenHierarchies:
    """The hierarchy files that the user gave, by column."""

    files: Mapping[str, Hierarchy] = field(default_factory=dict)

    @classmethod
    def read(cls, given: Mapping[str, object] | Sequence[str]) -> GivenHierarchies:
        """Read the files."""
        return cls({column: read_hierarchy(path) for column, path in by_column(given, "--hierarchy").items()})

    def check(self, plan: Plan, sensitive: Collection[str]) -> None:
        """Refuse a file that is missing, is another one than the plan was made with, or is not needed."""
        planned = {column.column: column for column in plan.columns if column.hierarchy is not None}
        for name, column in planned.items():
            if name not in self.files:
                raise InputError(f'column "{name}" needs its hierarchy file again: --hierarchy {name}=FILE')
            assert column.hierarchy is not None
            if self.files[name].file.sha256 != column.hierarchy.sha256:
                raise InputError(
                    f'the hierarchy of column "{name}" is not the file that the plan was made with '
                    f"({column.hierarchy.name}): its content differs"
                )
            if column.level >= self.files[name].n_levels:
                raise InputError(f'the hierarchy of column "{name}" does not have level {column.level}')
        for name in self.files:
            if name not in planned and name not in sensitive:
                raise InputError(f'the plan takes no hierarchy for column "{name}"; leave out --hierarchy {name}=...')

    def labels(self, planned: PlannedColumn) -> dict[Value, Value]:
        """Return the text that replaces each text of a column."""
        hierarchy = self.files[planned.column]
        labels: dict[Value, Value] = {raw: hierarchy.value(raw, planned.level) for raw in hierarchy.lines}
        return labels | {None: hierarchy.value(None, planned.level)}

    def require_values(self, table: Table, planned: Sequence[PlannedColumn]) -> None:
        """Raise an error if a file lacks values that people have."""
        for column in planned:
            if column.hierarchy is not None:
                counted = table.histogram([Attribute(column.column, table.columns[column.column])])
                values = [value for (value,) in counted.values]
                self.files[column.column].require_values(values, list(counted.people), column.column)

    def raw_values(self, table: Table, planned: PlannedColumn) -> tuple[Integers, int]:
        """Return how many raw values stand behind what replaces each value of the table, and how many there are."""
        hierarchy = self.files[planned.column]
        texts = table.labels(Attribute(planned.column, table.columns[planned.column]))
        has_own_null = None in texts and "" not in hierarchy.lines
        every = [*hierarchy.lines, *([None] if has_own_null else [])]
        is_all = planned.level == hierarchy.n_levels - 1
        becomes = {raw: None if is_all else hierarchy.value(raw, planned.level) for raw in every}
        counts: dict[Value, int] = {}
        for text in becomes.values():
            counts[text] = counts.get(text, 0) + 1
        null = "" if "" in hierarchy.lines else None
        return np.array([counts[becomes[null if text is None else text]] for text in texts], np.int64), len(every)

    def levels(self, column: str, texts: Sequence[Value]) -> ColumnLevels | None:
        """Return the levels of the values of a sensitive column; None without a hierarchy."""
        hierarchy = self.files.get(column)
        if hierarchy is None:
            return None
        hierarchy.require_values(list(texts), [1] * len(texts), column)
        levels = []
        for level in range(hierarchy.n_levels - 1):
            numbers: dict[Value, int] = {}
            values = [hierarchy.value(text, level) for text in texts]
            levels.append(np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64))
        return ColumnLevels.of([*levels, np.zeros(len(texts), np.int64)])

    def digests(self) -> tuple[JsonObject, ...]:
        """Return the files by their hashes."""
        return tuple({"column": name, "sha256": given.file.sha256} for name, given in self.files.items())
