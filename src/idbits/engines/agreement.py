"""Opens the engine that compares the records of two tables pair by pair."""

from __future__ import annotations

from idbits.engines.backends.agreement import AgreementCounter, AgreementTables
from idbits.engines.base import OpenOptions

__all__ = ["count_agreement"]


def count_agreement(tables: AgreementTables, options: OpenOptions) -> AgreementCounter:
    """Load two tables into an engine of their own, within the allowed memory and threads."""
    from idbits.engines.duckdb.agreement import DuckDBAgreement
    from idbits.engines.duckdb.connection import DuckDBConnection

    return DuckDBAgreement(DuckDBConnection(options.memory, options.threads, options.progress), tables)
