"""Rules about figures: a figure, a comparison and a limit, such as ``k_min >= 5`` or ``l_distinct.diagnosis >= 2``.

The figure is a path of keys; figures of a sensitive column end with its name, in double quotes if it has a dot or a
blank.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from idbits.errors import InputError
from idbits.render.numbers import count, decimal, told_apart
from idbits.studies.shared.serialisation import Serialisable, UncheckedData
from idbits.wording import listed_names, near_names

__all__ = [
    "CHANGE",
    "CheckedRule",
    "Rule",
    "checked_rules",
    "parse_rule",
    "reason_of",
    "rule_column",
    "satisfies",
    "shown_figure",
    "value_of",
]

_OPERATORS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq}
_COLUMN = r'(?:"(?:[^"]|"")+"|[^\s."<>=]+)'
_KEY = re.compile(rf"[a-z_0-9]+(?=\.|$)|{_COLUMN}", re.ASCII)
_GRAMMAR = re.compile(
    rf"\s*([a-z_0-9]+(?:\.[a-z_0-9]+)*(?:\.{_COLUMN})?)\s*(>=|<=|==|=|>|<)\s*(-?[0-9]{{1,18}}(?:\.[0-9]{{1,30}})?)\s*(%?)\s*",
    re.ASCII,
)
_COUNTS = re.compile(
    r"singletons|n_sets|k_max|guaranteed_singletons|people_(below|at_most|exactly)\.[0-9]+|rows_at_pif|"
    r"(certain|nearly_certain|more_likely|enhanced_beta_violations|near\.people|people_below_l\.[0-9]+)"
    r"\.(people|alone|in_company|empty|right|wrong)\..+|"
    r"(link\.)?(records\.(no_candidate|nulls|one_to_one|crowded|ambiguous)|right\.(at_least|at_most|expected)|"
    r"right\.expected_claims\.(value|low|high)|truth\.(right|wrong|claims|missed))|"
    r"(overlap\.)?(isolated|published_small)\.people|certain\.(first|second|both|new|new_common)|joint\.(alone|certain)"
)
_SHARES = re.compile(
    r"(link\.)?(truth\.(precision|recall)|(rate|control|baseline|risk)\.(value|low|high))|"
    r"mean_risk|max_risk|degree_of_anonymity|(period\.)?share|sample\.(pi|unique_share|correctness)(_low|_high)?|"
    r"(alpha|t_equal|t_ordered|t_distance|t_hierarchical|guess\.(before|after|without)|near\.(mean|baseline_mean))\..+"
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
    def keys(self) -> list[str]:
        """The keys of the figure; the last may be the name of a column.

        >>> parse_rule('l_distinct."salary class" >= 2').keys
        ['l_distinct', 'salary class']
        """
        keys = _KEY.findall(self.figure)
        return [key[1:-1].replace('""', '"') if key.startswith('"') else key for key in keys]

    @property
    def of_people(self) -> bool:
        """Whether the limit is a share of the people."""
        return self.percent and _COUNTS.fullmatch(self.figure) is not None


def rule_column(name: str) -> str:
    """Return the name of a column as a rule has it: in double quotes if it has a dot or a blank.

    >>> rule_column("diagnosis"), rule_column("main diagnosis")
    ('diagnosis', '"main diagnosis"')
    """
    is_plain = re.fullmatch(r'[^\s."<>=]+', name) is not None
    return name if is_plain else '"' + name.replace('"', '""') + '"'


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


def value_of(rule: Rule, figures: UncheckedData) -> int | float | None:
    """Return the figure of a rule from the data of a result; None if it does not exist for this table."""
    value: Any = figures
    for key in rule.keys:
        if not isinstance(value, dict) or key not in value:
            names = [name for name in _numbers(figures) if not name.startswith(f"{CHANGE}.")]
            alike = [name for name in names if name.startswith(f"{rule.keys[0]}.")]
            hint = listed_names(alike, most=4) if alike else near_names(rule.figure, names) or _LOOK
            raise InputError(f'no figure is named "{rule.figure}"{hint}')
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
class CheckedRule(Serialisable):
    """A rule with its figure.

    Attributes:
        rule: the rule as it was given.
        value: the figure, or a share if the limit is a percentage of people; None if it does not exist.
        reason: why there is no value.
    """

    json_keys: ClassVar = ("rule", "value", "limit", "passed", "reason")

    rule: str
    value: int | float | None
    limit: float
    passed: bool
    percent: bool = False
    reason: str | None = None

    @property
    def measured(self) -> bool:
        """Whether the figure exists."""
        return self.value is not None

    @property
    def word(self) -> str:
        """PASS, FAIL, or ERROR if nothing was measured."""
        return "ERROR" if not self.measured else "PASS" if self.passed else "FAIL"

    @property
    def shown_value(self) -> str:
        """The value as it is shown."""
        return shown_figure(self.value, self.limit, percent=self.percent)


def checked_rules(
    rules: Sequence[Rule],
    figures: UncheckedData,
    n_people: int,
    missing: str = "this figure does not exist for this table",
) -> tuple[CheckedRule, ...]:
    """Check rules against the figures of an answer; a percentage of a count is one of its people.

    ``missing`` is the reason of a figure that is None if the answer does not give one.
    """
    checked = []
    for rule in rules:
        reason = reason_of(rule.figure, figures)
        value = value_of(rule, figures) if reason is None else None
        if value is None:
            checked.append(CheckedRule(rule.text, None, float(rule.limit), False, rule.percent, reason or missing))
            continue
        shown = value / n_people if rule.of_people else value
        passed = satisfies(rule, value, n_people)
        checked.append(CheckedRule(rule.text, shown, float(rule.limit), passed, rule.percent))
    return tuple(checked)


def reason_of(figure: str, figures: UncheckedData) -> str | None:
    """Return why an answer does not have a figure, or the figure that it is a part of.

    >>> reason_of("truth.right", {"truth": None, "reasons": {"truth": "no IDs"}})
    'no IDs'
    """
    reasons = figures.get("reasons") or {}
    return next((str(why) for key, why in reasons.items() if figure == key or figure.startswith(f"{key}.")), None)


def shown_figure(value: int | float | None, limit: float, *, percent: bool) -> str:
    """Return the figure of a rule with enough digits to show on which side of the limit it is.

    >>> shown_figure(0.0171, 0.01, percent=True)
    '1.71%'
    >>> shown_figure(0, 5, percent=False), shown_figure(None, 5, percent=False)
    ('0', 'none')
    """
    if value is None:
        return "none"
    shown, bound = (100 * value, 100 * limit) if percent else (value, limit)
    if isinstance(shown, int):
        return count(shown) if shown >= 0 else str(shown)
    if math.isinf(shown):
        return decimal(shown) if shown >= 0 else str(shown)
    return f"{told_apart(shown, bound)}{'%' if percent else ''}"
