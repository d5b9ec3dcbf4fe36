"""Values that came back from a database or a cluster as small integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from idbits.counts import CodedRows
from idbits.errors import EngineError

__all__ = ["Codes"]

# A code takes 4 bytes and the people of a row 8; a value that is kept to be shown takes about 200.
_VALUE_BYTES = 200


class Codes:
    """The codes of an attribute's values, given as the values come."""

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}
        self.shown: list[tuple[bool, Any]] = []

    def code(self, key: Any, shown: Any) -> int:
        """Return the code of a value, a new one if it has none."""
        found = self._codes.get(key)
        if found is None:
            found = self._codes[key] = len(self.shown)
            self.shown.append((bool(key[0]), shown))
        return found

    @staticmethod
    def fetched(
        batches: Iterable[Sequence[tuple[Any, ...]]], names: Sequence[str], codes: Sequence[Codes], memory: int | None
    ) -> CodedRows:
        """Return rows of keys (g0, g1, ...) and people as codes; more than fits the memory is refused."""
        places = {name: place for place, name in enumerate(names)}
        arrays: list[list[np.ndarray[Any, Any]]] = [[] for _ in codes]
        people: list[np.ndarray[Any, Any]] = []
        n_rows = 0
        for batch in batches:
            n_rows += len(batch)
            for place, column in enumerate(codes):
                key, shown, other = (places.get(f"{letter}{place}") for letter in "gso")
                assert key is not None
                arrays[place].append(
                    np.array(
                        [
                            column.code(
                                (row[other] if other is not None else 0, row[key]),
                                row[shown if shown is not None else key],
                            )
                            for row in batch
                        ],
                        np.uint32,
                    )
                )
            people.append(np.array([int(row[places["people"]]) for row in batch], np.int64))
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
