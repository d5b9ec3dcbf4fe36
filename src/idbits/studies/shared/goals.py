"""Goals: rules that a treated table has to meet, such as ``k_min >= 5`` or ``l_distinct.illness >= 2``.

The figure comes first and the sensitive column last, as in ``idbits check``; a column whose name has a dot or a blank
is written in double quotes.

Implements: SPEC page advise.md, sections 1 and 10.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from idbits.errors import InputError
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.measures.treatment.goal import Goal, TableRule
from idbits.measures.treatment.group_rules import GroupRule, SensitiveValues
from idbits.wording import joined, near_names

__all__ = ["DEFAULT_GOAL", "GoalRule", "goal_of", "parse_goal", "parse_goals", "parse_share", "sensitive_columns"]

DEFAULT_GOAL = "k_min >= 5"

_AT_LEAST, _AT_MOST = (">=", ">"), ("<=", "<")
_OF_GROUPS = {"k_min": _AT_LEAST}
_OF_COLUMNS = {
    "l_distinct": _AT_LEAST,
    "l_entropy": _AT_LEAST,
    "recursive": _AT_MOST,
    "alpha": _AT_MOST,
    "t_equal": _AT_MOST,
    "t_ordered": _AT_MOST,
    "t_hierarchical": _AT_MOST,
    "beta": _AT_MOST,
    "enhanced_beta": _AT_MOST,
    "delta_bits_present": _AT_MOST,
}
_OF_TABLES = {
    "singletons": _AT_MOST,
    "people_below": _AT_MOST,
    "mean_risk": _AT_MOST,
    "entropy_bits": _AT_MOST,
    "k_hat": _AT_LEAST,
}
_WITH_NUMBER = ("recursive", "people_below")
_PERCENT = ("singletons", "people_below", "mean_risk", "alpha", "t_equal", "t_ordered", "t_hierarchical")
_COUNTS = ("singletons", "people_below")
_GRAMMAR = re.compile(
    r'\s*([a-z_]+)((?:\.[0-9]+)?)((?:\.(?:"(?:[^"]|"")+"|.*?\S))?)\s*(>=|<=|==|=|>|<)\s*'
    r"(-?[0-9]{1,18}(?:\.[0-9]{1,30})?)\s*(%?)\s*",
    re.ASCII,
)
_MOST_NUMBER = 10**6


@dataclass(frozen=True, slots=True)
class GoalRule:
    """One rule of a goal.

    Attributes:
        text: the rule as it was written.
        figure: the name of the figure, without number and column.
        number: the l of ``recursive``, the size of ``people_below``; else None.
        column: the sensitive column; None if the rule is about group sizes.
        comparison: >=, >, <= or <.
        limit: the limit as an exact number; a percentage as a share.
        percent: whether the limit was written as a percentage.
    """

    text: str
    figure: str
    number: int | None
    column: str | None
    comparison: str
    limit: Fraction
    percent: bool

    @property
    def key(self) -> str:
        """The figure under which an answer reports it, such as ``recursive.3.illness``."""
        return ".".join(str(part) for part in (self.figure, self.number, self.column) if part is not None)

    @property
    def is_of_groups(self) -> bool:
        """Whether the rule is about each group; the others are about the table as a whole."""
        return self.figure not in _OF_TABLES

    @property
    def is_share_of_people(self) -> bool:
        """Whether the limit is a share of the people, of a figure that counts people."""
        return self.percent and self.figure in _COUNTS

    @property
    def is_strict(self) -> bool:
        """Whether the limit itself breaks the rule."""
        return self.comparison in ("<", ">")


def parse_goals(goals: str | Sequence[str] | None) -> tuple[GoalRule, ...]:
    """Return the rules of a goal; the default goal if there are none."""
    texts = [DEFAULT_GOAL] if goals is None else [goals] if isinstance(goals, str) else list(goals)
    if not texts:
        raise InputError(f'a goal needs at least one rule, such as "{DEFAULT_GOAL}" (--goal)')
    return tuple(dict.fromkeys(map(parse_goal, texts)))


def parse_goal(text: str) -> GoalRule:
    """Parse a rule.

    >>> rule = parse_goal('recursive.3."my illness" < 4')
    >>> rule.figure, rule.number, rule.column, rule.limit
    ('recursive', 3, 'my illness', Fraction(4, 1))
    """
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        raise InputError(f'"{text}" is not a rule; write it like "k_min >= 5" or "people_below.5 <= 1%" (--goal)')
    figure, digits, name, comparison, limit, percent = match.groups()
    known = {**_OF_GROUPS, **_OF_COLUMNS, **_OF_TABLES}
    if figure not in known:
        near = near_names(figure, known) or f"; a goal can be about {joined(known)}"
        raise InputError(f'"{text}": "{figure}" cannot be a goal{near}')
    _check_parts(text, figure, digits, name)
    if comparison not in known[figure]:
        raise InputError(f'"{text}": a goal for "{figure}" needs {" or ".join(known[figure])}')
    if percent and figure not in _PERCENT:
        raise InputError(f'"{text}": "{figure}" is not a share; its limit cannot be a percentage')
    value = Fraction(limit) / (100 if percent else 1)
    if value < 0:
        raise InputError(f'"{text}": the limit cannot be negative')
    column = name[1:] or None
    if column is not None and column.startswith('"'):
        column = column[1:-1].replace('""', '"')
    return GoalRule(text.strip(), figure, int(digits[1:]) if digits else None, column, comparison, value, bool(percent))


def _check_parts(text: str, figure: str, digits: str, name: str) -> None:
    if figure in _WITH_NUMBER:
        example = "recursive.3.S < 4" if figure == "recursive" else "people_below.5 <= 1%"
        if not digits or not 1 <= int(digits[1:]) <= _MOST_NUMBER:
            raise InputError(f'"{text}": "{figure}" needs a number after it, as in "{example}"')
    elif digits:
        raise InputError(f'"{text}": "{figure}" takes no number')
    if figure in _OF_COLUMNS and not name:
        raise InputError(f'"{text}": name the sensitive column, as in "{figure}{digits}.illness"')
    if figure not in _OF_COLUMNS and name:
        raise InputError(f'"{text}": "{figure}" is about groups of people and takes no column')


def sensitive_columns(rules: Iterable[GoalRule]) -> list[str]:
    """Return the sensitive columns of some rules, each once."""
    return list(dict.fromkeys(rule.column for rule in rules if rule.column is not None))


def goal_of(
    rules: Iterable[GoalRule],
    names: Sequence[str],
    sensitive: Sequence[SensitiveValues],
    most_withheld: int,
    columns: Sequence[ColumnLevels] = (),
) -> Goal:
    """Return rules as the goal of a search or a treatment.

    Args:
        rules: the rules.
        names: the sensitive columns.
        sensitive: their values, in the same order.
        most_withheld: the most people who may be withheld.
        columns: the levels of the columns that someone may know (see ``Goal``).

    >>> goal_of(parse_goals(["k_min > 4", "mean_risk <= 5%"]), [], [], 3).least_size
    5
    """
    rules = tuple(rules)
    return Goal(
        least_size=max((_least_size(rule) for rule in rules if rule.figure == "k_min"), default=1),
        group_rules=tuple(
            (names.index(rule.column), GroupRule(rule.figure, rule.number, rule.limit, rule.is_strict))
            for rule in rules
            if rule.column is not None
        ),
        table_rules=tuple(
            TableRule(rule.figure, rule.number, rule.limit, rule.is_strict, rule.is_share_of_people)
            for rule in rules
            if not rule.is_of_groups
        ),
        most_withheld=most_withheld,
        sensitive=tuple(sensitive),
        columns=tuple(columns),
    )


def _least_size(rule: GoalRule) -> int:
    """Return the smallest group that meets a rule about ``k_min``."""
    return max(1, math.floor(rule.limit) + 1 if rule.is_strict else math.ceil(rule.limit))


def parse_share(text: str | float, option: str) -> Fraction:
    """Return a share of people, written as ``4%`` or ``0.04``.

    >>> parse_share("4%", "--withhold"), parse_share(0.04, "--withhold")
    (Fraction(1, 25), Fraction(1, 25))
    """
    match = re.fullmatch(r"\s*([0-9]{1,3}(?:\.[0-9]{1,30})?|[0-9.e-]+)\s*(%?)\s*", str(text), re.ASCII)
    try:
        share = Fraction(match.group(1)) / (100 if match.group(2) else 1) if match is not None else None
    except ValueError:
        share = None
    if share is None or not 0 <= share <= 1:
        raise InputError(f"the share of people that may be withheld must be 0% to 100% ({option})")
    return share
