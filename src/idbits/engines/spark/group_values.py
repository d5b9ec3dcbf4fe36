"""Counts people by group and value on a cluster: a group leaves it as a list of values with their people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F  # noqa: N812 (the name everybody uses)

from idbits.counts import Value
from idbits.engines.backends.group_values import GroupValueCounts, GroupValueRequest
from idbits.engines.codes import Codes
from idbits.engines.local_group_values import occurring_values
from idbits.engines.spark.distinct import shown_value
from idbits.engines.spark.remote import in_kind
from idbits.errors import EngineError
from idbits.kernels.group_values import cells_of_triples
from idbits.values.labels import OTHER_VALUES, label

if TYPE_CHECKING:
    from idbits.engines.spark.table import SparkTable

__all__ = ["spark_group_values"]

_CELL_BYTES = 48


def spark_group_values(table: SparkTable, request: GroupValueRequest, memory: int) -> GroupValueCounts:
    """Count on the cluster; only counts, values of the sensitive column and labels of categories leave it."""
    counting, attributes = table.counting, request.attributes
    last = len(attributes) - 1
    frame = counting.with_times_as_text(counting.grouped(attributes), attributes).where(F.col("people") > 0)
    marked = f"o{last}" in frame.columns
    other = F.col(f"o{last}") if marked else F.lit(False)
    cell = F.struct(F.col(f"g{last}").alias("value"), other.alias("other"), F.col("people"))
    groups = frame.groupBy(*counting.keys(attributes[:-1])).agg(F.collect_list(cell).alias("cells"))
    kept = counting.keys(attributes[:1]) if request.by is not None else []
    codes, categories = Codes(), dict[Value, int]()
    triples: list[tuple[int, int, int]] = []
    of_groups: list[int] = []

    def fetched() -> None:
        for group, row in enumerate(groups.select(*kept, "cells").toLocalIterator()):
            if request.by is not None:
                shown = shown_value(row, 0, request.by)
                of_groups.append(categories.setdefault(shown, len(categories)))
            triples.extend((group, _code(codes, each), int(each["people"])) for each in row["cells"])
            if len(triples) * _CELL_BYTES > memory:
                raise EngineError(
                    "the counts of groups and values do not fit in the memory; allow more with --memory, or name "
                    "fewer or coarser columns"
                )

    table.session.run(fetched, "counting groups and values")
    return _counts(triples, codes, request, of_groups, list(categories))


def _code(codes: Codes, cell: Any) -> int:
    return codes.code(cell["value"], cell["value"], other=bool(cell["other"]))


def _counts(
    triples: Sequence[tuple[int, int, int]],
    codes: Codes,
    request: GroupValueRequest,
    of_groups: Sequence[int],
    categories: Sequence[Value],
) -> GroupValueCounts:
    kind = request.sensitive.result_kind
    labels = [OTHER_VALUES if other else label(in_kind(value, kind), request.sensitive) for other, value in codes.shown]
    columns = np.array(triples, np.int64).reshape(-1, 3).T
    cells, _ = cells_of_triples(columns[0], columns[1], columns[2], len(labels))
    found = occurring_values(cells, labels)
    named = None
    if request.by is not None:
        # In the order of their texts, so that every request numbers them alike.
        ranked = sorted(range(len(categories)), key=lambda code: (categories[code] is None, categories[code] or ""))
        named = (np.argsort(ranked)[np.array(of_groups, np.int64)], tuple(categories[code] for code in ranked))
    return GroupValueCounts(found.cells, found.labels, named)
