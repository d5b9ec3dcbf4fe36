"""Judges the columns of a table: thoroughly, by all its rows, or cheaply, by names, kinds and a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from idbits.engines.base import Table
from idbits.kernels.determination import determination
from idbits.reading import OpenOptions
from idbits.studies.shared.roles.content import has_decimals, is_whole, looks_like_time
from idbits.studies.shared.roles.evidence import ColumnFacts, Dependence, Role
from idbits.studies.shared.roles.judgement import Judgement, judge
from idbits.studies.shared.roles.naming import name_evidence
from idbits.values.profile import Profile

__all__ = ["judge_all_rows", "must_withhold_names"]

_MOST_CANDIDATES = 20
_MOST_OTHERS = 100
_DRAWN_ROWS = 10_000
_FEWEST_VALUES = 10
_CONSTANT = 0.98
_EXPECTED_EXCEPTIONS = 5
_RISES = 0.999


def must_withhold_names(table: Table, options: OpenOptions) -> bool:
    """Whether names may be the values of a first person; names that the user typed need no hiding."""
    return table.names_may_be_data and options.columns is None


def judge_all_rows(table: Table, options: OpenOptions) -> tuple[Judgement, ...]:
    """Judge every column except the column of counts by all rows; the columns must be loaded."""
    names = [name for name in table.columns if name != options.count]
    profiles = {name: table.profile(name) for name in names}
    return judge_profiles(table, options, profiles)


def judge_profiles(table: Table, options: OpenOptions, profiles: Mapping[str, Profile]) -> tuple[Judgement, ...]:
    """Judge columns whose profiles of all rows are known."""
    is_named = not must_withhold_names(table, options)
    n_rows = next((profile.people for profile in profiles.values()), 0)
    facts = {
        name: ColumnFacts(name if is_named else None, table.columns[name], profile, n_rows, profile.distinct)
        for name, profile in profiles.items()
    }
    if options.count is None:
        facts = {name: replace(known, rises=_rises(table, name, known)) for name, known in facts.items()}
        facts = _with_dependence(table, facts)
    return tuple(judge(name, known) for name, known in facts.items())


def _rises(table: Table, name: str, facts: ColumnFacts) -> bool | None:
    profile = facts.profile
    assert profile is not None
    if not is_whole(facts) or profile.distinct < profile.known or profile.span == profile.distinct:
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
        rows = table.hashed_rows(name, compared, _DRAWN_ROWS) if compared else None
        if rows is None:
            continue
        found[name] = replace(facts[name], dependence=_dependence(rows, compared))
    return found


def _candidates(facts: Mapping[str, ColumnFacts]) -> Sequence[str]:
    """Return the columns that may be repeated keys and whose name does not say that they are something else."""
    repeated = [name for name, known in facts.items() if _may_be_repeated_key(known)]
    return sorted(repeated, key=lambda name: -(facts[name].distinct or 0))[:_MOST_CANDIDATES]


def _may_be_repeated_key(facts: ColumnFacts) -> bool:
    profile = facts.profile
    assert profile is not None
    if profile.distinct < _FEWEST_VALUES or profile.known < 1.05 * profile.distinct:
        return False
    if has_decimals(profile) or profile.negatives or looks_like_time(facts) is not None:
        return False
    named = name_evidence(facts.name) if facts.name is not None else ()
    return all(item.role is Role.IDENTIFIER or item.strength < 0.5 for item in named)


def _dependence(rows: np.typing.NDArray[np.uint64], others: Sequence[str]) -> Dependence:
    found = determination(rows[:, 0], rows[:, 1:])
    unequal = 1 - found.equal_pairs / max(1, found.pairs)
    # A column that hardly varies is constant within any other column by chance.
    varies = unequal * found.values >= _EXPECTED_EXCEPTIONS
    determines = varies & (found.constant >= _CONSTANT * found.values) & (found.values >= _FEWEST_VALUES)
    return Dependence(
        others=int(np.count_nonzero(varies)),
        determined=tuple(name for name, yes in zip(others, determines, strict=True) if yes),
        varying=tuple(name for name, yes in zip(others, varies & ~determines, strict=True) if yes),
    )
