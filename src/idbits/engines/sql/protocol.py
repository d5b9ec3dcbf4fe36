"""One statement each: how drivers are kept from sending several at once."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

__all__ = ["send_statements_singly"]

_MULTI_STATEMENTS = 1 << 16
_MULTI_STATEMENTS_OFF = 1


def send_statements_singly(connection: sa.Connection) -> bool:
    """Make a connection refuse several statements in one text; return whether the server sees to it."""
    driver: Any = connection.connection.dbapi_connection
    name = connection.engine.dialect.name
    if name == "postgresql":
        return _prepare_everything(driver, connection.engine.dialect.driver)
    if name in ("mysql", "mariadb"):
        if hasattr(driver, "set_server_option"):  # mysqlclient, which allows them unless told otherwise
            driver.set_server_option(_MULTI_STATEMENTS_OFF)
            return True
        return isinstance(getattr(driver, "client_flag", None), int) and not driver.client_flag & _MULTI_STATEMENTS
    return name == "sqlite"


def _prepare_everything(driver: Any, driver_name: str) -> bool:
    """Have psycopg 3 prepare every statement: without parameters it would use the simple protocol otherwise."""
    if driver_name != "psycopg":
        return False
    import psycopg

    driver.cursor_factory = psycopg.Cursor  # somebody's own engine may put parameters into the text
    driver.prepare_threshold = 0
    return True
