"""Tables in databases: counted there, with SQL that returns only counts."""

from idbits.engines.sql.table import SQLTable

__all__ = ["SQLTable"]
