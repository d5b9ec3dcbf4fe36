"""What ``idbits columns`` returns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from idbits.render.blocks import Block
from idbits.studies.columns.figures import (
    Budget,
    Contribution,
    LeftOut,
    Minimal,
    NotSearched,
    RecordsFile,
    Subset,
    SubsetFigures,
)
from idbits.studies.shared.presentation import Answer

__all__ = ["ColumnSubsets"]

_NOT_ASKED = "ask for it with --max-bits or --min-k"
_STOPPED = "the search was stopped before it was counted"
_ONE_PERSON = "one person alone makes no pair"
_NO_OTHERS = "there is no other column, and nobody to tell the one person from"


@dataclass(frozen=True, kw_only=True, repr=False)
class ColumnSubsets(Answer):
    """Which columns together single people out, and what each of them adds.

    Attributes:
        candidates: the columns that were looked at.
        left_out: those that were not, and why.
        shares: the shares that were asked for.
        subsets: all subsets, or, of more than 10 columns, the most telling that were counted; most bits first.
        complete: whether everything that was asked for was looked at.
        stopped: why it ended early, or None.
        interrupted: whether that was Ctrl-C.
        orders: from how many orders of the columns the Shapley values are estimated; 0: they are exact.
    """

    command: ClassVar[str] = "columns"

    source: str | None
    n_rows: int
    candidates: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    shares: tuple[float, ...]
    max_size: int
    together: SubsetFigures | None
    subsets: tuple[Subset, ...]
    n_counted: int
    minimal: tuple[Minimal, ...]
    contribution: tuple[Contribution, ...]
    orders: int = 0
    budget: Budget | None = None
    records: RecordsFile | None = None
    not_searched: tuple[NotSearched, ...] = ()
    complete: bool = True
    stopped: str | None = None
    interrupted: bool = False
    every_subset: bool = True
    internal: bool = False
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    def __repr__(self) -> str:
        found = {entry.share: len(entry.sets) for entry in self.minimal}
        return (
            f"ColumnSubsets(candidates={list(self.candidates)}, n_rows={self.n_rows}, minimal={found}, "
            f"complete={self.complete})"
        )

    @property
    def n_subsets(self) -> int:
        """How many subsets there are, the empty one left out."""
        return (1 << len(self.candidates)) - 1

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        from idbits.studies.columns.text import column_blocks

        return column_blocks(self)

    def charts(self) -> dict[str, dict[str, Any]]:
        """Return Vega-Lite specifications: subsets by size against bits, contributions, the lattice at the share."""
        from idbits.studies.columns.charts import contribution_chart, lattice_chart, subsets_chart

        rows = [subset.to_dict() for subset in self.subsets]
        most = self.minimal[0]
        names = list(self.candidates)
        return {
            "subsets": subsets_chart(rows, self.n_rows),
            "contribution": contribution_chart([asdict(part) for part in self.contribution]),
            "lattice": lattice_chart(rows, [list(s.columns) for s in most.sets], names, self.n_rows, most.share),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data; the reference lists its keys."""
        data: dict[str, Any] = {"internal": True} if self.internal else {}
        return data | {
            "n_rows": self.n_rows,
            "candidates": list(self.candidates),
            "left_out": [asdict(column) for column in self.left_out],
            "shares": list(self.shares),
            "max_size": self.max_size,
            "together": asdict(self.together) if self.together is not None else None,
            "n_subsets": self.n_subsets,
            "n_counted": self.n_counted,
            "subsets": [subset.to_dict() for subset in self.subsets],
            "minimal": [entry.to_dict() for entry in self.minimal],
            "contribution": [asdict(part) for part in self.contribution],
            "shapley_orders": self.orders,
            "budget": self.budget.to_dict() if self.budget is not None else None,
            "records": self._records(),
            "not_searched": [asdict(part) for part in self.not_searched],
            "complete": self.complete,
            "stopped": self.stopped,
            "reasons": self._reasons(),
            "notes": list(self.notes),
        }

    def _records(self) -> dict[str, Any] | None:
        return asdict(self.records) | {"smallest": list(self.records.smallest)} if self.records is not None else None

    def _reasons(self) -> dict[str, str]:
        """Say why what is null does not exist."""
        reasons = {}
        if self.together is None:
            reasons["together"] = _STOPPED
        if any(part.conditional_bits is None or part.shapley_bits is None for part in self.contribution):
            reasons["contribution"] = _STOPPED
        if self.n_rows == 1:
            reasons["separation"] = _ONE_PERSON
            if len(self.candidates) == 1:
                reasons["singletons_without"] = _NO_OTHERS
        if self.budget is None:
            reasons["budget"] = _NOT_ASKED
        if self.records is None:
            reasons["records"] = "ask for it with --records" + (f"; {_STOPPED}" if self.stopped is not None else "")
        if self.stopped is None:
            reasons["stopped"] = "it was not stopped"
        return reasons

    def to_arrow(self) -> Any:
        """Return the subsets as an Arrow table, one row each."""
        import pyarrow

        return pyarrow.Table.from_pylist([subset.to_dict() for subset in self.subsets])
