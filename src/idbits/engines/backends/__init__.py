"""What a table can be asked beside one count at a time: one protocol per capability.

A study asks the table for a capability and never looks which engine it has: ``table.subset_counts(...)``. Engines that
can hand out rows as codes inherit the capabilities over those (``engines/local.py``); Spark has its own, which leave
the rows on the cluster. An engine that lacks one raises an ``EngineError`` that says so. What comes back are whole
numbers; where a cluster has to add logarithms up, the study hands them over as whole numbers of a fixed unit.
"""

from __future__ import annotations

from typing import Protocol

from idbits.engines.backends.explaining import Explaining
from idbits.engines.backends.gains import Gains
from idbits.engines.backends.points import EventPoints
from idbits.engines.backends.subsets import SubsetCounting

__all__ = ["Capabilities"]


class Capabilities(SubsetCounting, Gains, EventPoints, Explaining, Protocol):
    """All that a table can be asked; each capability is a protocol of its own in this folder."""
