"""The values of a sensitive column in a hierarchy: which of them are the same at each level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idbits.counts import Integers, Value
from idbits.errors import DataError
from idbits.studies.shared.hierarchies import Hierarchy
from idbits.wording import counted

__all__ = ["hierarchy_levels"]


def hierarchy_levels(
    hierarchy: Hierarchy, labels: Sequence[Value], people: Sequence[int], column: str
) -> list[Integers]:
    """Return the node of each value at each height; a null without a line stays apart up to the top."""
    hierarchy.require_values(labels, people, column)
    lacking = sum(label is not None and label not in hierarchy.lines for label in labels)
    if lacking:
        raise DataError(
            f'{counted(lacking, "value")} of the prior of "{column}" {"is" if lacking == 1 else "are"} not in '
            f"{hierarchy.file.name}; add a line for each (--hierarchy)"
        )
    levels = []
    for level in range(1, hierarchy.n_levels - 1):
        nodes: dict[Value, int] = {}
        of_labels = [nodes.setdefault(hierarchy.value(label, level), len(nodes)) for label in labels]
        levels.append(np.array(of_labels, np.int64))
    return [*levels, np.zeros(len(labels), np.int64)]
