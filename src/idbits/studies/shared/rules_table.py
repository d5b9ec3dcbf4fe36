"""Rules with their figures as a table."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.blocks import Block, TableBlock
from idbits.studies.shared.rules import CheckedRule

__all__ = ["rules_table"]


def rules_table(rules: Sequence[CheckedRule]) -> list[Block]:
    """Return the rules with their figures, broken ones emphasised; nothing without rules."""
    if not rules:
        return []
    rows = [[rule.word, rule.rule, rule.shown_value, rule.reason or ""] for rule in rules]
    columns: tuple[str, ...] = ("", "rule", "value", "why")
    left: tuple[int, ...] = (0, 1, 3)
    if not any(rule.reason for rule in rules):
        columns, left, rows = columns[:3], left[:2], [row[:3] for row in rows]
    broken = tuple(index for index, rule in enumerate(rules) if not rule.passed)
    return [TableBlock("Rules", columns, rows, left=left, emphasis=broken)]
