"""The rows of a source with what is gained of each of their cells, in the order of the source, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.distinct import values_of
from idbits.engines.spark.numbering import numbered, numbered_batches
from idbits.values.attributes import Attribute

__all__ = ["cell_batches"]


def cell_batches(
    counting: SparkCounting,
    attributes: Sequence[Attribute],
    gained: Any,
    letter: str,
    weights: Sequence[float],
    n_rows: int,
) -> Iterator[list[Any]]:
    """Return rows (number, a cell a feature, rig, cohort); cells are the columns c0, ... or s0, ... of ``gained``."""
    from pyspark.sql import functions as F  # noqa: N812

    rows = numbered(counting, attributes)
    values = [value.alias(f"w{place}") for place, value in enumerate(values_of(rows, len(attributes)))]
    condition = F.lit(True)
    for place in range(len(attributes)):
        condition = condition & F.col(f"w{place}").eqNullSafe(F.col(f"v{place}"))
    cells = [F.col(f"{letter}{place}") * F.lit(weight) for place, weight in enumerate(weights)]
    shown = (
        rows.select("number", *values)
        .join(gained, condition, "inner")
        .select("number", *(cell.alias(f"cell{place}") for place, cell in enumerate(cells)), "rig", "people")
    )
    return numbered_batches(counting, shown, n_rows)
