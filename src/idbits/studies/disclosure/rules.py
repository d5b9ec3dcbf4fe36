"""Rules about what groups give away: ``l_distinct.diagnosis >= 2``."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.studies.disclosure.result import ColumnDisclosure
from idbits.studies.shared.rules import CheckedRule, Rule, satisfies, value_of
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
    figures = rule_figures(columns) if rules else {}
    checked = []
    for rule in rules:
        value = value_of(rule, figures)
        if value is None:
            checked.append(CheckedRule(rule.text, None, float(rule.limit), passed=False, percent=rule.percent,
                                       reason="this figure does not exist for this table"))  # fmt: skip
            continue
        shown = value / n_people if rule.of_people else value
        passed = satisfies(rule, value, n_people)
        checked.append(CheckedRule(rule.text, shown, float(rule.limit), passed=passed, percent=rule.percent))
    return tuple(checked)
