"""Goals in plain words: every group has at least 5 people."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from idbits.studies.shared.goals import GoalRule, parse_goals
from idbits.studies.shared.units import Unit
from idbits.wording import joined

__all__ = ["goal_in_words", "least_group"]

_PHRASES = {
    "k_min": "every group has {at} {limit} {unit}",
    "singletons": "{at} {limit} of the {unit} are unique",
    "people_below": "{at} {limit} of the {unit} are in groups smaller than {number}",
    "mean_risk": "a guess within the group is right {at} {limit} of the time",
    "entropy_bits": "{at} {limit} bits are given away",
    "k_hat": "the typical group has {at} {limit} {unit}",
    "l_distinct": "every group has {at} {limit} different values of {column}",
    "alpha": "in every group, {at} {limit} have the same {column}",
}
_COMPARED = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}


def goal_in_words(goal: Sequence[str], unit: Unit, name: Callable[[str], str] = str) -> str:
    """Return a goal as the end of a sentence; a rule without plain words stands as it was written.

    >>> goal_in_words(["k_min >= 5", "people_below.10 <= 1%"], Unit.PEOPLE)
    'every group has at least 5 people and at most 1% of the people are in groups smaller than 10'
    """
    return joined(_rule_in_words(rule, unit, name) for rule in parse_goals(goal))


def _rule_in_words(rule: GoalRule, unit: Unit, name: Callable[[str], str]) -> str:
    phrase = _PHRASES.get(rule.figure)
    if phrase is None:
        return f'"{rule.text}" holds'
    limit = re.split(r"[<>]=?", rule.text)[-1].strip()
    if rule.figure in ("singletons", "people_below") and not rule.percent:
        phrase = phrase.replace(" of the", "")
    return phrase.format(
        at=_COMPARED[rule.comparison],
        limit=limit,
        unit=unit,
        number=rule.number,
        column=name(rule.column) if rule.column is not None else "",
    )


def least_group(goal: Sequence[str]) -> int | None:
    """Return the smallest group that a goal allows, if the goal says nothing else.

    >>> least_group(["k_min >= 5"]), least_group(["k_min >= 5", "mean_risk <= 5%"])
    (5, None)
    """
    rules = parse_goals(goal)
    if len(rules) != 1 or rules[0].figure != "k_min" or rules[0].comparison != ">=":
        return None
    return int(rules[0].limit) if rules[0].limit.denominator == 1 and rules[0].limit >= 1 else None
