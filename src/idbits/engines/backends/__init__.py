"""The capabilities of a table beyond single counts: one protocol each.

A study calls a capability of the table, such as ``table.subset_counts(...)``, whichever engine the table has. Engines
that provide coded rows inherit the capabilities based on them (``engines/local.py``); Spark has its own, which leave
the rows on the cluster. An engine without a capability raises an ``EngineError`` that says so. Results are whole
numbers; if a cluster has to add logarithms, the study passes them as whole numbers of a fixed unit.
"""

from __future__ import annotations

from typing import Protocol

from idbits.engines.backends.explaining import Explaining
from idbits.engines.backends.gains import Gains
from idbits.engines.backends.group_values import GroupValueCounting
from idbits.engines.backends.linking import PersonLinking, ValueLinking
from idbits.engines.backends.persons import PersonCounting
from idbits.engines.backends.points import EventPoints
from idbits.engines.backends.sampling import Sampling
from idbits.engines.backends.subsets import SubsetCounting
from idbits.engines.backends.treating import Treating
from idbits.engines.backends.views import ViewCodes

__all__ = ["Capabilities"]


class Capabilities(
    SubsetCounting,
    Gains,
    GroupValueCounting,
    EventPoints,
    PersonCounting,
    PersonLinking,
    ValueLinking,
    Sampling,
    Treating,
    Explaining,
    ViewCodes,
    Protocol,
):
    """All capabilities of a table; each is a separate protocol in this folder."""
