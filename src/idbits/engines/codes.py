"""Values from a database or a cluster, as small integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers
from idbits.engines.base import Row
from idbits.errors import EngineError

__all__ = ["Codes"]

# A code takes 4 bytes and the people of a row 8; a value that is kept for display takes about 200.
_VALUE_BYTES = 200


class Codes:
    """The codes of an attribute's values, assigned in the order in which the values arrive."""

    def __init__(self) -> None:
        self._codes: dict[tuple[object, object], int] = {}
        self.shown: list[tuple[bool, object]] = []

    def code(self, key: object, shown: object, *, other: object = 0) -> int:
        """Return the code of a value, a new one if needed; ``other`` marks the rest that ``top`` merged."""
        code = self._codes.get((other, key))
        if code is None:
            code = self._codes[other, key] = len(self.shown)
            self.shown.append((bool(other), shown))
        return code

    @staticmethod
    def fetched(
        batches: Iterable[Sequence[Row]], names: Sequence[str], codes: Sequence[Codes], memory: int | None
    ) -> CodedRows:
        """Return rows of keys (g0, g1, ...) and people as codes; refuse more than fits in memory."""
        positions = {name: position for position, name in enumerate(names)}
        arrays: list[list[NDArray[np.uint32]]] = [[] for _ in codes]
        people: list[Integers] = []
        n_rows = 0
        for batch in batches:
            n_rows += len(batch)
            for index, column in enumerate(codes):
                key = positions[f"g{index}"]
                shown, other = positions.get(f"s{index}", key), positions.get(f"o{index}")
                of_rows = [column.code(row[key], row[shown], other=0 if other is None else row[other]) for row in batch]
                arrays[index].append(np.array(of_rows, np.uint32))
            people.append(np.array([int(row[positions["people"]]) for row in batch], np.int64))
            used = n_rows * (4 * len(codes) + 8) + _VALUE_BYTES * sum(len(column.shown) for column in codes)
            if memory is not None and 2 * used > memory:
                raise EngineError(
                    "the distinct rows of these columns do not fit in the memory; allow more with --memory, "
                    "or name fewer or coarser columns"
                )
        return CodedRows(
            tuple(np.concatenate(parts) if parts else np.zeros(0, np.uint32) for parts in arrays),
            tuple(len(column.shown) for column in codes),
            np.concatenate(people) if people else np.zeros(0, np.int64),
        )
