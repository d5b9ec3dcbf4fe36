"""What a second table tells about records, and attacks on synthetic data, as figures: ``link.records.one_to_one``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from idbits.errors import DataError, EngineError, IdbitsError, NotEstimableError
from idbits.studies.check.policy import LINK, Dataset, Rule
from idbits.studies.shared.rules import reason_of
from idbits.studies.shared.serialisation import UncheckedData

if TYPE_CHECKING:
    from idbits.engines.base import Table
    from idbits.studies.link.study import LinkedColumns
    from idbits.studies.shared.presentation import Answer

__all__ = ["DatasetLink", "why_not_linked"]

_REASON = "reason"
_IN_ORDER = {"probabilistic", "block", "levels", "threshold", "original"}
"""Options of links that need the rows in order."""


class DatasetLink:
    """The link of a dataset whose table is open.

    Values are compared on the open table, so that it is read once. Links by odds and attacks need the rows in order and
    read them again, and so do links whose second table or columns have an error, which they report.
    """

    def __init__(self, dataset: Dataset, table: Table, machine: UncheckedData) -> None:
        self._dataset, self._table = dataset, table
        self._second: Table | None = None
        self._columns: LinkedColumns | None = None
        asked: dict[str, Any] = dict(dataset.link or {})
        own = {f"{name}_b": asked.pop(name) for name in ("where", "count", "table") if name in asked}
        self._asked = asked
        self._reading: dict[str, Any] = {**dataset.reading, **machine, **own}
        self._is_needed = dataset.link is not None and any(rule.figure.startswith(f"{LINK}.") for rule in dataset.rules)
        if self._is_needed and not _IN_ORDER & set(asked):
            with suppress(IdbitsError):
                self._open()

    def _open(self) -> None:
        from idbits.studies.link.study import link_question, linked_columns, open_second, paired_options

        self._question = link_question(**{key: value for key, value in self._asked.items() if key != "second"})
        self._options = paired_options(self._reading)  # type: ignore[arg-type]
        self._second = open_second(self._asked["second"], self._options[1], self._table)
        self._columns = linked_columns(self._question, self._table, self._second)

    @property
    def columns(self) -> Sequence[str]:
        """The columns to load from the table of the dataset."""
        return [] if self._columns is None else self._columns.of_first

    def figures(self) -> UncheckedData:
        """Return the figures of link if a rule is about them; the reason if they cannot be measured."""
        if not self._is_needed:
            return {}
        try:
            return {LINK: self._figures()}
        except (DataError, EngineError, NotEstimableError) as error:
            return {LINK: {_REASON: str(error)}}

    def _figures(self) -> UncheckedData:
        from idbits.studies.link.study import link, link_loaded_tables

        if self._second is None or self._columns is None:
            asked = dict(self._asked)
            second = asked.pop("second", None)
            linked: Answer = link(self._dataset.source, second, **asked, **self._reading)
            return linked.to_dict()
        self._second.load(self._columns.of_second)
        answer = link_loaded_tables(self._table, self._second, self._columns, self._question, self._options)
        self._second.check_unchanged()
        return answer.to_dict()

    def close(self) -> None:
        """Close the second table."""
        if self._second is not None:
            self._second.close()


def why_not_linked(figures: UncheckedData | None, rule: Rule) -> str | None:
    """Return why a rule cannot be checked, if so."""
    if figures is None:
        return 'the dataset does not name a second table; add [dataset.link] with second = "FILE" and on = ["A", "B"]'
    if _REASON in figures:
        return str(figures[_REASON])
    return reason_of(rule.figure.removeprefix(f"{LINK}."), figures)
