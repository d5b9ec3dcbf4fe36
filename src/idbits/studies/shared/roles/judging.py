"""Judges the columns of a table: thoroughly, by all its rows, or cheaply, by names, kinds and a sample.

``inspect`` and all that proposes columns look at all rows. Commands that measure some columns judge the others cheaply:
they load what ``columns_to_look_at`` says, and call ``judge_columns``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from idbits.engines.backends.sampling import TableSample
from idbits.engines.base import Table
from idbits.kernels.determination import determination
from idbits.reading import OpenOptions
from idbits.studies.shared.roles.evidence import ColumnFacts, DeterminedColumns, Evidence, Role
from idbits.studies.shared.roles.judgement import RoleJudgement, judge
from idbits.studies.shared.roles.naming import name_evidence
from idbits.studies.shared.roles.times import describe_times
from idbits.values.profile import Profile

__all__ = [
    "ColumnsToLoad",
    "columns_to_look_at",
    "judge_all_rows",
    "judge_columns",
    "judge_profiles",
    "must_withhold_names",
]

_MOST_CANDIDATES = 20
_MOST_OTHERS = 100
_FEWEST_VALUES = 10
_CONSTANT = 0.98
_EXPECTED_EXCEPTIONS = 5
_RISES = 0.999
_MOST_KEYS = 5
_KEY_STRENGTH = 0.6
_FEWEST_DRAWN = 50


def must_withhold_names(table: Table, options: OpenOptions) -> bool:
    """Whether names may be the values of a first person; names that the user typed need no hiding."""
    return table.names_may_be_data and options.columns is None


@dataclass(frozen=True, slots=True)
class ColumnsToLoad:
    """What to load in order to judge columns cheaply.

    Attributes:
        keys: columns that are named like keys, of which all rows are needed to count their values.
        sampled: columns of which a sample suffices.
    """

    keys: tuple[str, ...]
    sampled: tuple[str, ...]


def columns_to_look_at(table: Table, options: OpenOptions, used: Collection[str]) -> ColumnsToLoad:
    """Return what ``table.load`` must load besides the columns in use: ``load([*used, *keys], sampled)``."""
    others = tuple(name for name in table.columns if name not in used and name != options.count)
    if not table.trials_are_cheap:
        return ColumnsToLoad((), ())
    if must_withhold_names(table, options):
        return ColumnsToLoad((), others)
    named = [name for name in others if any(_says_key(item) for item in name_evidence(name))]
    return ColumnsToLoad(tuple(named[:_MOST_KEYS]), others)


def _says_key(item: Evidence) -> bool:
    return item.role is Role.IDENTIFIER and item.subject is not None and item.strength >= _KEY_STRENGTH


def judge_columns(table: Table, options: OpenOptions, columns: ColumnsToLoad) -> tuple[RoleJudgement, ...]:
    """Judge columns by their names, kinds and a sample of rows; in databases and on clusters by names and kinds.

    The table was loaded with ``columns``; without a sample, all columns except the column of counts are judged.
    """
    is_named = not must_withhold_names(table, options)
    sample = table.draw_sample() if columns.sampled else None
    names = columns.sampled or tuple(name for name in table.columns if name != options.count)
    facts = {name: ColumnFacts(name if is_named else None, table.columns[name]) for name in names}
    if sample is not None and _varies(sample):
        facts = _with_sample(facts, sample, table.count_values(columns.keys))
    return tuple(judge(name, known) for name, known in facts.items())


def _varies(sample: TableSample) -> bool:
    """Whether enough different rows were drawn: rows that are equal in all columns are drawn together."""
    if sample.n_drawn == sample.n_rows:
        return True
    return len(np.unique(sample.codes, axis=0)) >= _FEWEST_DRAWN


def _with_sample(
    facts: Mapping[str, ColumnFacts], sample: TableSample, counted: Mapping[str, int]
) -> dict[str, ColumnFacts]:
    """Add what a sample says."""
    is_part = sample.n_drawn < sample.n_rows
    known = {
        name: replace(
            column,
            profile=sample.profiles[name],
            n_rows=sample.n_rows if is_part else None,
            distinct=counted.get(name, _estimated_values(sample, index)) if is_part else None,
        )
        for index, (name, column) in enumerate(facts.items())
    }
    varying = [index for index, column in enumerate(known.values()) if column.profile and column.profile.distinct > 1]
    varying = varying[:: 1 + len(varying) // _MOST_OTHERS]
    names = list(known)
    for name in _candidates(known):
        compared = [index for index in varying if names[index] != name]
        codes = sample.codes[:, names.index(name)]
        if compared:
            rows = np.column_stack([codes, sample.codes[:, compared]])
            known[name] = replace(known[name], dependence=_dependence(rows, [names[index] for index in compared]))
    return known


def _estimated_values(sample: TableSample, index: int) -> int:
    """Estimate the number of distinct values in all rows from the pairs of equal values in a sample.

    A row shares its value with r others on average, so n drawn rows have n (n - 1) / 2 * r / (N - 1) equal pairs.
    If all values are about equally frequent, there are N / (1 + r) of them.
    """
    profile = list(sample.profiles.values())[index]
    if sample.n_drawn == sample.n_rows:
        return profile.distinct
    counts = np.unique(sample.codes[:, index], return_counts=True)[1].astype(np.int64)
    pairs = int((counts * (counts - 1)).sum()) - profile.null_people * (profile.null_people - 1)
    known = max(1, profile.known)
    rows = sample.n_rows * known // max(1, sample.n_drawn)
    others = pairs * (rows - 1) / max(1, known * (known - 1))
    return max(profile.distinct, int(rows / (1 + others)))


def judge_all_rows(table: Table, options: OpenOptions) -> tuple[RoleJudgement, ...]:
    """Judge every column except the column of counts by all rows; the columns must be loaded."""
    names = [name for name in table.columns if name != options.count]
    profiles = {name: table.profile(name) for name in names}
    return judge_profiles(table, options, profiles)


def judge_profiles(table: Table, options: OpenOptions, profiles: Mapping[str, Profile]) -> tuple[RoleJudgement, ...]:
    """Judge columns whose profiles of all rows are known."""
    is_named = not must_withhold_names(table, options)
    facts = {
        name: ColumnFacts(name if is_named else None, table.columns[name], profile)
        for name, profile in profiles.items()
    }
    if options.count is None:
        facts = {name: replace(known, rises=_rises(table, name, known)) for name, known in facts.items()}
        facts = _with_dependence(table, facts)
    return tuple(judge(name, known) for name, known in facts.items())


def _rises(table: Table, name: str, facts: ColumnFacts) -> bool | None:
    profile = facts.profile
    assert profile is not None
    if not facts.is_whole or profile.distinct < profile.known or profile.span == profile.distinct:
        return None
    pairs = table.rising_pairs(name)
    return pairs[0] >= _RISES * pairs[1] if pairs is not None else None


def _with_dependence(table: Table, facts: Mapping[str, ColumnFacts]) -> dict[str, ColumnFacts]:
    """Add which columns each candidate determines."""
    found = dict(facts)
    others = [name for name, known in facts.items() if known.profile is not None and known.profile.distinct > 1]
    others = others[:: 1 + len(others) // _MOST_OTHERS]
    for name in _candidates(facts):
        compared = [other for other in others if other != name]
        rows = table.hashed_rows(name, compared) if compared else None
        if rows is None:
            continue
        found[name] = replace(facts[name], dependence=_dependence(rows, compared))
    return found


def _candidates(facts: Mapping[str, ColumnFacts]) -> Sequence[str]:
    """Return the columns that may be repeated keys and whose name does not say that they are something else."""
    repeated = [name for name, known in facts.items() if _may_be_repeated_key(known)]
    return sorted(repeated, key=lambda name: -facts[name].n_distinct)[:_MOST_CANDIDATES]


def _may_be_repeated_key(facts: ColumnFacts) -> bool:
    profile = facts.profile
    assert profile is not None
    if profile.distinct < _FEWEST_VALUES or profile.known < 1.05 * profile.distinct:
        return False
    if facts.has_decimals or profile.negatives or describe_times(facts) is not None:
        return False
    named = name_evidence(facts.name) if facts.name is not None else ()
    return all(item.role is Role.IDENTIFIER or item.strength < 0.5 for item in named)


def _dependence(rows: np.typing.NDArray[np.uint64], others: Sequence[str]) -> DeterminedColumns:
    found = determination(rows[:, 0], rows[:, 1:])
    unequal = 1 - found.equal_pairs / max(1, found.pairs)
    # A column that hardly varies is constant within any other column by chance.
    varies = unequal * found.values >= _EXPECTED_EXCEPTIONS
    determines = varies & (found.constant >= _CONSTANT * found.values) & (found.values >= _FEWEST_VALUES)
    return DeterminedColumns(
        others=int(np.count_nonzero(varies)),
        determined=tuple(name for name, yes in zip(others, determines, strict=True) if yes),
        varying=tuple(name for name, yes in zip(others, varies & ~determines, strict=True) if yes),
    )
