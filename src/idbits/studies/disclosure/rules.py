"""Rules about what groups give away: ``l_distinct.diagnosis >= 2``."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.studies.disclosure.result import ColumnDisclosure
from idbits.studies.shared.rules import CheckedRule, Rule, checked_rules
from idbits.studies.shared.serialisation import UncheckedData

__all__ = ["check_rules", "rule_figures"]

_NOT_FIGURES = ("column", "n_values", "nulls", "bits_table", "after_excluding", "after_knowing", "worst", "reasons")


def rule_figures(columns: Sequence[ColumnDisclosure]) -> UncheckedData:
    """Return the figures that rules can limit: each key with the name of the column last."""
    figures: UncheckedData = {}
    for column in columns:
        data = {key: value for key, value in column.to_dict().items() if key not in _NOT_FIGURES}
        _add(figures, data, column.column)
    return figures


def _add(figures: UncheckedData, data: UncheckedData, column: str) -> None:
    for key, value in data.items():
        inner = figures.setdefault(key, {})
        if isinstance(value, dict):
            _add(inner, value, column)
        else:
            inner[column] = value


def check_rules(rules: Sequence[Rule], columns: Sequence[ColumnDisclosure], n_people: int) -> tuple[CheckedRule, ...]:
    """Check rules against the figures of all columns."""
    return checked_rules(rules, rule_figures(columns) if rules else {}, n_people)
