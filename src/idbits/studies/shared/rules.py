"""Rules: a figure, a comparison and a limit, such as ``k_min >= 5`` or ``people_below.5 <= 1%``."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from idbits.errors import InputError
from idbits.studies.shared.serialisation import UncheckedData
from idbits.wording import near_names

__all__ = ["CHANGE", "Rule", "RuleOutcome", "parse_rule", "satisfies", "value_of"]

_OPERATORS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq}
_GRAMMAR = re.compile(
    r"\s*([a-z_0-9]+(?:\.[a-z_0-9]+)*)\s*(>=|<=|==|=|>|<)\s*(-?[0-9]{1,18}(?:\.[0-9]{1,30})?)\s*(%?)\s*", re.ASCII
)
_COUNTS = re.compile(
    r"singletons|n_sets|k_max|guaranteed_singletons|people_(below|at_most|exactly)\.[0-9]+|rows_at_pif|"
    r"(overlap\.)?(isolated|published_small)\.people|certain\.[a-z_]+|joint\.(alone|certain)|changed|empty"
)
_SHARES = re.compile(
    r"mean_risk|max_risk|degree_of_anonymity|(period\.)?share|sample\.(pi|unique_share|correctness)(_low|_high)?"
)
CHANGE = "change"
"""Figures that start with ``change.`` are differences from the baseline."""
_LOOK = "; idbits measure --json and idbits gain --json list them"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        text: the rule as the policy has it.
        figure: the figure, the keys of a result joined by dots.
        comparison: >=, <=, >, < or ==.
        limit: the limit as an exact number; a percentage as a share.
        percent: whether the limit is a percentage.
    """

    text: str
    figure: str
    comparison: str
    limit: Fraction
    percent: bool
    level: str = "fail"

    @property
    def of_people(self) -> bool:
        """Whether the limit is a share of the people."""
        return self.percent and _COUNTS.fullmatch(self.figure) is not None


def parse_rule(text: str, level: str = "fail") -> Rule:
    """Parse a rule.

    >>> parse_rule("people_below.5 <= 1%").limit
    Fraction(1, 100)
    """
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        raise InputError(f'"{text}" is not a rule; write it like "k_min >= 5" or "people_below.5 <= 1%"')
    figure, comparison, number, percent = match.groups()
    limit = Fraction(number) / (100 if percent else 1)
    rule = Rule(text, figure, "==" if comparison == "=" else comparison, limit, bool(percent), level)
    if percent and not rule.of_people and _SHARES.fullmatch(figure) is None:
        raise InputError(f'"{text}": "{figure}" is not a number of people or a share; its limit cannot be a percentage')
    return rule


def value_of(rule: Rule, figures: UncheckedData, look: str = _LOOK) -> int | float | None:
    """Return the figure of a rule from the data of a result; None if it does not exist for this table."""
    value: Any = figures
    for key in rule.figure.split("."):
        if not isinstance(value, dict) or key not in value:
            names = [name for name in _numbers(figures) if not name.startswith(f"{CHANGE}.")]
            raise InputError(f'no figure is named "{rule.figure}"{near_names(rule.figure, names) or look}')
        value = value[key]
    if value in ("inf", "-inf"):
        return float(value)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise InputError(f'"{rule.text}": "{rule.figure}" is not a number and cannot have a limit')
    return value


def _numbers(figures: UncheckedData, before: str = "") -> list[str]:
    names = []
    for key, value in figures.items():
        if isinstance(value, dict):
            names += _numbers(value, f"{before}{key}.")
        elif isinstance(value, int | float):
            names.append(f"{before}{key}")
    return names


def satisfies(rule: Rule, value: int | float, n_people: int) -> bool:
    """Whether a figure meets its rule; counts and shares of people are compared exactly.

    Other figures are floats, so they are compared with the limit as a float: a mean risk of one in ten meets 10%,
    although no float is exactly a tenth.

    >>> satisfies(parse_rule("mean_risk <= 10%"), 1 / 10, 10)
    True
    """
    limit = rule.limit * n_people if rule.of_people else rule.limit
    return bool(_OPERATORS[rule.comparison](value, limit if isinstance(value, int) else float(limit)))


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """A rule of a command (``--rule``), compared with its figure.

    Attributes:
        rule: the rule as it was given.
        value: the figure; None if nothing in the table has it, which meets the rule.
        passed: whether the figure meets the rule.
    """

    rule: str
    value: int | float | None
    passed: bool
