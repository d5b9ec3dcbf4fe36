"""Rules about the columns of a table: which are allowed, which identify people, which changed since the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from idbits.studies.check.column_contents import changed_contents
from idbits.studies.check.policy import ALLOWED_COLUMNS, FORBID_IDENTIFIERS, UNCHANGED_COLUMNS, Dataset
from idbits.studies.check.result import Outcome
from idbits.wording import counted, joined

__all__ = ["DatasetColumns", "column_changes", "column_outcomes"]

_NAMED = 6
_MAY_BE_DATA = "the first row may contain data instead of column names (header = false, or columns = [...] names them)"


@dataclass(frozen=True, slots=True)
class DatasetColumns:
    """The columns of a table.

    Attributes:
        types: the type of each column.
        contents: what columns of text contain; empty if unknown, as in baselines of earlier versions.
        may_be_data: whether the names may be the values of a first person, which must not be shown.
    """

    types: Mapping[str, str]
    contents: Mapping[str, str] = field(default_factory=dict)
    may_be_data: bool = False


def column_outcomes(
    dataset: Dataset, columns: DatasetColumns, identifiers: Sequence[str], before: DatasetColumns | None
) -> list[Outcome]:
    """Check the columns of a dataset.

    Args:
        dataset: the dataset with its rules.
        columns: the columns of the table.
        identifiers: those that identify people or may contain names.
        before: the columns in the baseline; None if there is no baseline.
    """
    outcomes = []
    if dataset.allowed_columns is not None:
        others = [name for name in columns.types if name not in dataset.allowed_columns]
        outcomes.append(_outcome(dataset, ALLOWED_COLUMNS, others, "not allowed", columns))
    if dataset.forbid_identifiers:
        outcome = _outcome(dataset, FORBID_IDENTIFIERS, identifiers, "may identify people", columns)
        if columns.may_be_data:
            # Nobody looked, so the rule cannot pass.
            outcome = replace(outcome, value=None, passed=False, measured=False, reason=_MAY_BE_DATA)
        outcomes.append(outcome)
    if before is not None:
        changed = [name for name in _changed(dataset, before, columns) if name not in dataset.allowed_changes]
        # The policy does not name this rule, so it is listed only if it is broken.
        what = "changed since the baseline"
        outcomes += [_outcome(dataset, UNCHANGED_COLUMNS, changed, what, columns)] if changed else []
    return outcomes


def column_changes(before: DatasetColumns, now: DatasetColumns) -> list[str]:
    """Say which columns appeared, disappeared, or changed their type or what they contain.

    >>> old = DatasetColumns({"zip": "text", "age": "integer", "day": "text"}, {"day": "dates"})
    >>> column_changes(old, DatasetColumns({"zip": "integer", "email": "text", "day": "text"}, {"day": "words"}))
    ['email is a new column', 'age is no longer a column', 'zip was text and is integer', 'day had dates and has words']
    """
    new = [f"{name} is a new column" for name in now.types if name not in before.types]
    gone = [f"{name} is no longer a column" for name in before.types if name not in now.types]
    types = [f"{name} was {before.types[name]} and is {now.types[name]}" for name in _changed_types(before, now)]
    contents = changed_contents(before.contents, now.contents).items()
    return [*new, *gone, *types, *(f"{name} had {old} and has {new}" for name, (old, new) in contents)]


def _changed_types(before: DatasetColumns, now: DatasetColumns) -> list[str]:
    return [name for name, kind in now.types.items() if name in before.types and before.types[name] != kind]


def _changed(dataset: Dataset, before: DatasetColumns, now: DatasetColumns) -> list[str]:
    """Return the columns that changed and that no list of allowed columns explains."""
    allowed = dataset.allowed_columns or ()
    new = [name for name in now.types if name not in before.types and name not in allowed]
    # A column that the policy no longer allows has to go.
    expected = before.types if dataset.allowed_columns is None else [name for name in before.types if name in allowed]
    gone = [name for name in expected if name not in now.types]
    return [*new, *gone, *_changed_types(before, now), *changed_contents(before.contents, now.contents)]


def _outcome(dataset: Dataset, rule: str, names: Sequence[str], what: str, columns: DatasetColumns) -> Outcome:
    return Outcome(
        dataset=dataset.name,
        rule=rule,
        value=len(names),
        limit=0.0,
        level="fail",
        passed=not names,
        reason=_reason(names, what, columns) if names else None,
        causes=() if columns.may_be_data else tuple(names),
    )


def _reason(names: Sequence[str], what: str, columns: DatasetColumns) -> str:
    if columns.may_be_data:
        return f"{counted(len(names), 'column')}: {what}; {_MAY_BE_DATA}"
    return f"{_few(names)}: {what}"


def _few(names: Sequence[str]) -> str:
    rest = len(names) - _NAMED
    return joined(names if rest <= 0 else [*names[:_NAMED], counted(rest, "more column")])
