"""What ``idbits randomise`` returns: a table to try things on."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.render.blocks import Block, Paragraph
from idbits.studies.shared.presentation import Answer
from idbits.wording import counted

__all__ = ["EXPERIMENTAL", "Release"]

EXPERIMENTAL = "experimental: a release to try idbits leak on, not for protecting real data"


@dataclass(frozen=True, kw_only=True, repr=False)
class Release(Answer):
    """A randomised table. EXPERIMENTAL: not for protecting real data.

    Attributes:
        table: the release as a pyarrow table, rows in the order of the source.
        mechanism, epsilon, delta, seed: how it was drawn; epsilon is per cell.
    """

    command: ClassVar[str] = "randomise"

    source: str | None
    table: Any
    mechanism: str
    epsilon: float
    delta: float | None
    seed: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"Release(mechanism={self.mechanism!r}, epsilon={self.epsilon:g}, n_rows={self.table.num_rows}, "
            f"columns={self.table.column_names})"
        )

    def blocks(self) -> list[Block]:
        """Return what there is to see: not the rows, which are somebody's."""
        return [
            Paragraph(
                f"{counted(self.table.num_rows, 'row')} and {counted(self.table.num_columns, 'column')} drawn anew by "
                f"the mechanism {self.mechanism}, epsilon {self.epsilon:g} a cell, seed {self.seed} ({EXPERIMENTAL})."
            )
        ]

    def to_arrow(self) -> Any:
        """Return the release as an Arrow table."""
        return self.table

    def to_csv(self) -> str:
        """Return the release as CSV text; an empty cell is an empty field."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.table.column_names)
        columns = [column.to_pylist() for column in self.table.columns]
        writer.writerows(zip(*columns, strict=True))
        return out.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Return the release as plain data: how it was drawn, and its rows by column."""
        columns = [
            {"column": name, "values": [_plain(value) for value in self.table.column(place).to_pylist()]}
            for place, name in enumerate(self.table.column_names)
        ]
        return {
            "experimental": True,
            "mechanism": self.mechanism,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "seed": self.seed,
            "n_rows": self.table.num_rows,
            "columns": columns,
            "notes": list(self.notes),
            "reasons": {} if self.delta is not None else {"delta": "only the Gaussian mechanism has one"},
        }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
