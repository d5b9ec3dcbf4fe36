"""The embedded engine: DuckDB reads files and frames, encodes columns as small integers and spills to disk."""

from idbits.engines.duckdb.table import DuckDBTable

__all__ = ["DuckDBTable"]
