"""What SQLite may do for us: read tables and call functions that only compute.

SQLite asks this guard about each function, table and statement while it compiles a query, so nothing is guessed from
the text.
"""

from __future__ import annotations

import sqlite3
from typing import Any

__all__ = ["set_guard"]

_DETERMINISTIC, _DIRECT_ONLY, _INNOCUOUS = 0x800, 0x80000, 0x200000
# Innocuous to SQLite, but they have another value each time, or tell about the connection or write to its log.
_NOT_HARMLESS = ("random", "randomblob", "changes", "total_changes", "last_insert_rowid", "sqlite_log")
_PRAGMAS = ("table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "data_version")
# A virtual table describes itself by an UPDATE that is never run, and that of an R-tree prepares how it would be
# changed. Running any of them is refused by query_only.
_PREPARED_BY_MODULES = (sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_DELETE)
_SHADOWS = ("_node", "_rowid", "_parent")
_SETTINGS = (("query_only", "ON"), ("trusted_schema", "OFF"))
_STATEMENTS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_TRANSACTION)
# Tables that show pages, programs or settings of the database instead of rows.
_NO_TABLES = ("sqlite_dbpage", "dbstat", "bytecode", "tables_used", "sqlite_stmt", "fsdir", "zipfile")


def set_guard(connection: Any) -> None:
    """Let SQLite refuse whatever does more than read and compute."""
    harmless = _harmless_functions(connection)

    def allow(action: int, first: str | None, second: str | None, *_: object) -> int:
        name = (first or "").lower()
        if action in _STATEMENTS:
            allowed = True
        elif action == sqlite3.SQLITE_READ:
            allowed = name not in _NO_TABLES and not name.startswith("pragma_")
        elif action == sqlite3.SQLITE_FUNCTION:
            allowed = (second or "").lower() in harmless
        elif action in _PREPARED_BY_MODULES:
            allowed = name == "sqlite_master" or name.endswith(_SHADOWS)
        else:
            setting = (name, (second or "").upper()) in _SETTINGS
            allowed = action == sqlite3.SQLITE_PRAGMA and (setting or name in _PRAGMAS)
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    connection.set_authorizer(allow)


def _harmless_functions(connection: Any) -> frozenset[str]:
    allowed: dict[str, bool] = {}
    for name, built_in, _, _, _, flags in connection.execute("PRAGMA function_list"):
        harmless = flags & (_DETERMINISTIC | _INNOCUOUS) and not flags & _DIRECT_ONLY and name not in _NOT_HARMLESS
        # SQLAlchemy adds a floor, which only computes, and a regexp, which may run for ever.
        ours = name.startswith("idbits_") or name == "floor"
        allowed[name] = allowed.get(name, True) and bool(ours or (built_in and harmless))
    return frozenset(name for name, harmless in allowed.items() if harmless)
