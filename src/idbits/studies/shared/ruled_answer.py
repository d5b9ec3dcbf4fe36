"""Answers whose figures can have limits."""

from __future__ import annotations

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.rules import CheckedRule

__all__ = ["RuledAnswer"]


class RuledAnswer(Answer):
    """An answer with rules, which decide the exit code of its command."""

    rules: tuple[CheckedRule, ...]

    @property
    def exit_code(self) -> int:
        """0 if all rules are met, 1 if one is broken, 3 if one could not be measured."""
        if not all(rule.measured for rule in self.rules):
            return 3
        return 0 if all(rule.passed for rule in self.rules) else 1
