"""The answer of ``idbits randomise``: a table for experiments."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.serialisation import JsonObject, UncheckedData
from idbits.studies.shared.short_repr import short_repr

if TYPE_CHECKING:
    import pyarrow

__all__ = ["EXPERIMENTAL", "Release"]

EXPERIMENTAL = "experimental: for trying idbits leak, not for protecting real data"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Release(Answer):
    """A randomised table. EXPERIMENTAL: not for protecting real data.

    Attributes:
        table: the release as a pyarrow table, rows in the order of the source.
        mechanism, epsilon, delta, seed: how it was drawn; epsilon is per cell.
    """

    command: ClassVar[str] = "randomise"
    json_keys: ClassVar = (
        "experimental", "mechanism", "epsilon", "delta", "seed", "n_rows", "columns", "notes", "reasons"
    )  # fmt: skip
    experimental: ClassVar[bool] = True
    _types_from: ClassVar = ("pyarrow",)

    source: str | None
    table: pyarrow.Table
    mechanism: str
    epsilon: float
    delta: float | None
    seed: int
    notes: tuple[str, ...] = ()

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the table; dates and times come back as texts."""
        import pyarrow

        columns = saved_value(list[dict[str, Any]], data["columns"], "columns")
        names = [saved_value(str, column["column"], "column") for column in columns]
        return {"table": pyarrow.table([pyarrow.array(column["values"]) for column in columns], names=names)}

    def __repr__(self) -> str:
        from idbits.render.numbers import significant

        return (
            f"Release(mechanism={self.mechanism!r}, epsilon={significant(self.epsilon, 6)}, "
            f"n_rows={self.table.num_rows}, columns={short_repr(self.table.column_names)})"
        )

    def to_arrow(self) -> pyarrow.Table:
        """Return the release as an Arrow table."""
        return self.table

    def to_csv(self) -> str:
        """Return the release as CSV text; a null is an empty field."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.table.column_names)
        columns = [column.to_pylist() for column in self.table.columns]
        writer.writerows(zip(*columns, strict=True))
        return out.getvalue()

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.table.num_rows)

    @property
    def columns(self) -> list[JsonObject]:
        """The values of each column, as plain data."""
        return [
            {"column": name, "values": [_plain(value) for value in self.table.column(index).to_pylist()]}
            for index, name in enumerate(self.table.column_names)
        ]

    @property
    def reasons(self) -> dict[str, str]:
        """Why some figures are None."""
        return {} if self.delta is not None else {"delta": "only the Gaussian mechanism has one"}


def _plain(value: object) -> bool | int | float | str | None:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
