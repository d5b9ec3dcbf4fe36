"""The columns that a link needs of both tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from idbits.engines.base import Table
from idbits.errors import ColumnNotFoundError, InputError
from idbits.studies.link.question import LinkQuestion
from idbits.studies.link.tolerances import ComparedColumn, parse_compared
from idbits.values.attributes import Attribute, parse_attribute

__all__ = ["LinkedColumns", "linked_columns"]


@dataclass(frozen=True, slots=True)
class LinkedColumns:
    """The columns of a release and of a second table.

    Attributes:
        compared: those that are compared.
        truth: those that identify people in the first and in the second table.
        sensitive: columns of the release that must not be learnt.
        also: columns that only the second table has.
    """

    compared: tuple[ComparedColumn, ...]
    truth: tuple[Attribute, Attribute] | None
    sensitive: tuple[Attribute, ...]
    also: tuple[Attribute, ...]

    @property
    def own(self) -> list[Attribute]:
        """The compared columns of the release."""
        return [attribute for item in self.compared for attribute in item.first]

    @property
    def theirs(self) -> list[Attribute]:
        """The compared columns of the second table."""
        return [attribute for item in self.compared for attribute in item.second]

    @property
    def of_first(self) -> list[str]:
        """The columns to read from the release."""
        return _names([*self.own, *(self.truth or ())[:1], *self.sensitive])

    @property
    def of_second(self) -> list[str]:
        """The columns to read from the second table."""
        return _names([*self.theirs, *(self.truth or ())[1:], *self.also])


def linked_columns(question: LinkQuestion, first: Table, second: Table) -> LinkedColumns:
    """Find the columns of a question in two open tables; a column has one role."""
    compared = tuple(parse_compared(text, first.columns, second.columns) for text in question.on)
    own = {attribute.column for item in compared for attribute in item.first}
    theirs = {attribute.column for item in compared for attribute in item.second}
    truth = None
    if question.truth is not None:
        truth = (_column(question.truth[0], first, "first"), _column(question.truth[1], second, "second"))
        if truth[0].column in own or truth[1].column in theirs:
            raise InputError(
                f'"{truth[0].name}" identifies people (--truth), so it cannot be compared; remove it (--on)'
            )
    sensitive = tuple(dict.fromkeys(_column(name, first, "first") for name in question.sensitive))
    also = tuple(dict.fromkeys(_column(name, second, "second") for name in question.also))
    for attribute in sensitive:
        if attribute.column in own or (truth is not None and attribute.column == truth[0].column):
            raise InputError(f'"{attribute.column}" cannot be both known and secret (--sensitive)')
    for attribute in also:
        if attribute.column in theirs:
            raise InputError(f'"{attribute.column}" is compared already; remove it (--also)')
    return LinkedColumns(compared, truth, sensitive, also)


def _names(attributes: Sequence[Attribute]) -> list[str]:
    return list(dict.fromkeys(attribute.column for attribute in attributes))


def _column(name: str, table: Table, which: str) -> Attribute:
    try:
        return parse_attribute(name, table.columns)
    except ColumnNotFoundError as error:
        error.args = (f"in the {which} table, {error}",)
        raise
