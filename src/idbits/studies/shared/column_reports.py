"""A report on each column of a table and its likely role, without any of its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from idbits.engines.base import Table
from idbits.reading import OpenOptions
from idbits.studies.shared.roles import oddities, reads_as, role_of
from idbits.values.attributes import Attribute
from idbits.values.ladder import ladder

__all__ = ["ColumnReport", "must_withhold_names", "report_columns"]


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """One column: its inferred type, its counts, its likely role and why, and what looks odd.

    Attributes:
        views: the coarser views of its ladder, as written after a colon; not part of the plain data.
    """

    json_keys: ClassVar = ("column", "kind", "reads_as", "distinct", "nulls", "unique", "role", "reason", "odd")

    column: str
    kind: str
    reads_as: str
    distinct: int
    nulls: int
    unique: int
    role: str
    reason: str
    odd: tuple[str, ...]
    views: tuple[str, ...] = ()


def must_withhold_names(table: Table, options: OpenOptions) -> bool:
    """Whether names may be the values of a first person; names that the user typed need no hiding."""
    return table.names_may_be_data and options.columns is None


def report_columns(table: Table, options: OpenOptions) -> tuple[ColumnReport, ...]:
    """Load all columns except the column of counts, and describe each; names that may be data become numbers."""
    names = [name for name in table.columns if name != options.count]
    table.load(names)
    withheld = must_withhold_names(table, options)
    reports = []
    for number, name in enumerate(names, start=1):
        kind, profile = table.columns[name], table.profile(name)
        role, why = role_of(name, profile, kind)
        reports.append(
            ColumnReport(
                column=f"column{number}" if withheld else name,
                kind=str(kind),
                reads_as=reads_as(profile, kind),
                distinct=profile.distinct,
                nulls=profile.null_people,
                unique=profile.unique_people,
                role=role,
                reason=why,
                odd=oddities(profile, kind),
                views=tuple(":".join(map(str, view.transforms)) for view in ladder(Attribute(name, kind), profile)),
            )
        )
    return tuple(reports)
