"""Tables in databases: counted there, by SQL that only counts come back from."""

from idbits.engines.sql.table import SQLTable

__all__ = ["SQLTable"]
