"""How many people would be unique if someone knew one more column of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from idbits.engines.base import Table
from idbits.errors import IdbitsError
from idbits.reading import OpenOptions
from idbits.studies.measure.people_result import AddedColumn
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.roles.choice import is_known
from idbits.studies.shared.roles.evidence import RoleFacts
from idbits.studies.shared.roles.judgement import judge
from idbits.studies.shared.roles.judging import must_withhold_names
from idbits.studies.shared.surroundings import Surroundings
from idbits.values.attributes import Attribute, parse_attribute

__all__ = ["TriedSurroundings"]

_MOST_TRIED = 5
_MOST_LOADED = 12
# Text is read column by column: above this size, no columns are read only to try them.
_MOST_BYTES = 200_000_000
_MOST_ROWS = 2_000_000


class TriedSurroundings(Surroundings):
    """The columns beside the measured ones, some of which are tried together with them."""

    def __init__(
        self, table: Table, options: OpenOptions, used: Sequence[str], declared: Sequence[str], *, tries: bool
    ) -> None:
        super().__init__(table, options, used, declared)
        self._tried = self._worth_trying() if tries else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of which all rows are needed."""
        return (*super().columns, *self._tried)

    def added(
        self, qid: Sequence[Attribute], before: Figures, count: Callable[[Sequence[Attribute]], Figures]
    ) -> tuple[AddedColumn, ...]:
        """Return how many people are unique if one more column is known, for a few columns with few values first."""
        if before.n_rows > _MOST_ROWS:
            return ()
        views = [parse_attribute(name, self._table.columns) for name in self.beside.may_be_known]
        views = [view for view in views if view.column in self._tried]
        values = self._table.count_values([view.column for view in views])
        tried = []
        for view in sorted(views, key=lambda view: values.get(view.column, 0))[:_MOST_TRIED]:
            try:
                figures = count([*qid, view])
            except IdbitsError:
                # Its values do not fit its view.
                continue
            tried.append(AddedColumn(view.name, figures.singletons, figures.share(figures.singletons)))
        return tuple(tried)

    def _worth_trying(self) -> tuple[str, ...]:
        """Return columns that someone may know by their names."""
        table = self._table
        if not table.trials_are_cheap or must_withhold_names(table, self._options):
            return ()
        if sum(path.stat().st_size for path in table.files) > _MOST_BYTES:
            return ()
        others = (name for name in table.columns if name not in self._used and name != self._options.count)
        known = (name for name in others if is_known(judge(name, RoleFacts(name, table.columns[name]))))
        return tuple(known)[:_MOST_LOADED]
