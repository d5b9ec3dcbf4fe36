"""Rules about the columns of a table: which are allowed, which identify people, which changed since the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from idbits.studies.check.policy import ALLOWED_COLUMNS, FORBID_IDENTIFIERS, UNCHANGED_COLUMNS, Dataset
from idbits.studies.check.result import Outcome
from idbits.wording import counted, joined

__all__ = ["column_changes", "column_outcomes"]

_NAMED = 6


def column_outcomes(
    dataset: Dataset, columns: Mapping[str, str], identifiers: Sequence[str], before: Mapping[str, str] | None
) -> list[Outcome]:
    """Check the columns of a dataset.

    Args:
        dataset: the dataset with its rules.
        columns: the columns of the table with their types.
        identifiers: those that identify people or may contain names.
        before: the columns and types in the baseline; None if there is no baseline.
    """
    outcomes = []
    if dataset.allowed_columns is not None:
        others = [name for name in columns if name not in dataset.allowed_columns]
        outcomes.append(_outcome(dataset, ALLOWED_COLUMNS, others, "not allowed"))
    if dataset.forbid_identifiers:
        outcomes.append(_outcome(dataset, FORBID_IDENTIFIERS, identifiers, "may identify people"))
    if before is not None:
        changed = [name for name in _changed(dataset, before, columns) if name not in dataset.allowed_changes]
        # The policy does not name this rule, so it is listed only if it is broken.
        outcomes += [_outcome(dataset, UNCHANGED_COLUMNS, changed, "changed since the baseline")] if changed else []
    return outcomes


def column_changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Say which columns appeared, disappeared or changed their type.

    >>> column_changes({"zip": "text", "age": "integer"}, {"zip": "integer", "email": "text"})
    ['email is a new column', 'age is no longer a column', 'zip was text and is integer']
    """
    new = [f"{name} is a new column" for name in now if name not in before]
    gone = [f"{name} is no longer a column" for name in before if name not in now]
    types = [
        f"{name} was {before[name]} and is {kind}"
        for name, kind in now.items()
        if name in before and before[name] != kind
    ]
    return [*new, *gone, *types]


def _changed(dataset: Dataset, before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the columns that changed and that no list of allowed columns explains."""
    allowed = dataset.allowed_columns or ()
    new = [name for name in now if name not in before and name not in allowed]
    # A column that the policy no longer allows has to go.
    expected = before if dataset.allowed_columns is None else [name for name in before if name in allowed]
    gone = [name for name in expected if name not in now]
    types = [name for name, kind in now.items() if name in before and before[name] != kind]
    return [*new, *gone, *types]


def _outcome(dataset: Dataset, rule: str, columns: Sequence[str], what: str) -> Outcome:
    return Outcome(
        dataset=dataset.name,
        rule=rule,
        value=len(columns),
        limit=0.0,
        level="fail",
        passed=not columns,
        reason=f"{_few(columns)}: {what}" if columns else None,
    )


def _few(names: Sequence[str]) -> str:
    rest = len(names) - _NAMED
    return joined(names if rest <= 0 else [*names[:_NAMED], counted(rest, "more column")])
