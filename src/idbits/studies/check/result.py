"""What ``idbits check`` returns: each rule with the figure and the limit, and whether the data may go out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.render.blocks import Block, Items, Level, Table, Verdict
from idbits.render.numbers import decimal
from idbits.studies.shared.presentation import Answer

__all__ = ["Check", "Outcome"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One rule of one dataset, held against the data.

    Attributes:
        rule: the rule as it stands in the policy.
        value: the figure; of a rule in percent, the share. None where it could not be measured.
        limit: the limit as a number.
        level: ``fail`` or ``warn``.
        passed: whether the data keep to the rule.
        reason: why there is no value, or what a waiver says.
        waived_by: who waived the rule, where it is broken with somebody's leave.
    """

    dataset: str
    rule: str
    value: int | float | None
    limit: float
    level: str
    passed: bool
    percent: bool = False
    measured: bool = True
    reason: str | None = None
    waived_by: str | None = None

    @property
    def word(self) -> str:
        """PASS, WARN, FAIL, WAIVED, or ERROR where nothing was measured."""
        if not self.measured:
            return "ERROR"
        if self.passed:
            return "PASS"
        if self.waived_by is not None:
            return "WAIVED"
        return "WARN" if self.level == "warn" else "FAIL"

    @property
    def sentence(self) -> str:
        """What there is to say, in one line."""
        told = f"{self.rule}: the value is {_shown(self)}"
        return f"{told} ({self.reason})" if self.reason is not None else told

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        return {
            "dataset": self.dataset,
            "rule": self.rule,
            "value": self.value,
            "limit": self.limit,
            "level": self.level,
            "passed": self.passed,
            "outcome": self.word.lower(),
            "reason": self.reason,
            "waived_by": self.waived_by,
        }


@dataclass(frozen=True, kw_only=True)
class Check(Answer):
    """The outcome of a policy.

    Attributes:
        figures: the figures of each dataset, to be kept as a baseline for the next check.
        compared: whether there was a baseline.
        changes: sentences on what changed since the baseline.
    """

    command: ClassVar[str] = "check"

    policy: str
    rules: tuple[Outcome, ...]
    figures: dict[str, dict[str, Any]]
    compared: bool = False
    changes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def measured(self) -> bool:
        """Whether every figure could be measured."""
        return all(rule.measured for rule in self.rules)

    @property
    def passed(self) -> bool:
        """Whether the data may go out: all measured, and no rule broken but by leave or as a warning."""
        return all(rule.word not in ("ERROR", "FAIL") for rule in self.rules)

    @property
    def exit_code(self) -> int:
        """0 when the data may go out, 1 when a rule is broken, 3 when something could not be measured."""
        return 0 if self.passed else 1 if self.measured else 3

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain data."""
        return {
            "passed": self.passed,
            "rules": [rule.to_dict() for rule in self.rules],
            "changes": list(self.changes),
            "figures": self.figures,
            "notes": list(self.notes),
        }

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        rows = [[rule.word, rule.dataset, rule.rule, _shown(rule), rule.reason or ""] for rule in self.rules]
        bad = tuple(place for place, rule in enumerate(self.rules) if rule.word in ("ERROR", "FAIL"))
        columns: tuple[str, ...] = ("", "dataset", "rule", "value", "why")
        left: tuple[int, ...] = (0, 1, 2, 4)
        if not any(row[4] for row in rows):
            columns, left, rows = columns[:4], left[:3], [row[:4] for row in rows]
        blocks: list[Block] = [self._verdict(), Table("Rules", columns, rows, left=left, emphasis=bad)]
        if self.compared:
            blocks.append(Items("What changed since the baseline", self.changes or ("nothing to speak of",)))
        return blocks

    def _verdict(self) -> Verdict:
        words = [rule.word for rule in self.rules]
        said = {
            "FAIL": "broken",
            "WARN": "with a warning",
            "WAIVED": "broken by leave (waived)",
            "ERROR": "not measured: that is never a pass",
        }
        found = [f"{words.count(word)} {meaning}" for word, meaning in said.items() if word in words]
        sentence = ", ".join([f"{_rules(len(words))} checked", *(found or ["all kept"])]) + "."
        if "ERROR" in words:
            return Verdict(Level.BAD, "This could not be measured", sentence)
        if "FAIL" in words:
            return Verdict(Level.BAD, "Do not hand this over", sentence)
        return Verdict(Level.WARN if found else Level.GOOD, "This may be handed over", sentence)


def _rules(number: int) -> str:
    return f"{number} rule{'' if number == 1 else 's'}"


def _shown(rule: Outcome) -> str:
    """Return the value with as many digits as it takes to see on which side of the limit it lies."""
    if rule.value is None:
        return "none"
    value, limit = (100 * rule.value, 100 * rule.limit) if rule.percent else (rule.value, rule.limit)
    if isinstance(value, int) or math.isinf(value):
        return decimal(value) if value >= 0 else str(value)
    decimals = 2
    while value != limit and f"{value:.{decimals}f}" == f"{limit:.{decimals}f}" and decimals < 12:
        decimals += 1
    return f"{value:,.{decimals}f}{'%' if rule.percent else ''}"
