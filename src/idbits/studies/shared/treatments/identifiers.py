"""Columns that no treatment makes coarser, because each of their values names a person."""

from __future__ import annotations

from collections.abc import Container, Sequence

from idbits.engines.base import OpenOptions, Table
from idbits.studies.shared.roles.evidence import Role, RoleFacts
from idbits.studies.shared.roles.judgement import judge
from idbits.studies.shared.roles.judging import must_withhold_names
from idbits.values.attributes import Attribute

__all__ = ["identifiers_among"]

_SURE = 0.8


def identifiers_among(
    table: Table, qid: Sequence[Attribute], options: OpenOptions, with_hierarchy: Container[str] = ()
) -> list[str]:
    """Return the columns that identify people by themselves: a coarser name or number still helps nobody."""
    if must_withhold_names(table, options) or not table.trials_are_cheap:
        return []
    found = []
    for attribute in qid:
        if attribute.transforms or attribute.column in with_hierarchy:
            continue
        facts = RoleFacts(attribute.column, attribute.kind, table.profile(attribute.column))
        judgement = judge(attribute.column, facts)
        if judgement.role is Role.IDENTIFIER and judgement.confidence >= _SURE:
            found.append(attribute.column)
    return found
