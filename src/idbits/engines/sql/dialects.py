"""Which words a database speaks."""

from __future__ import annotations

import sqlalchemy as sa

from idbits.engines.sql.mysql import MariaDB, MySQL
from idbits.engines.sql.postgresql import PostgreSQL
from idbits.engines.sql.sqlite import SQLite
from idbits.engines.sql.warehouses import BigQuery, Databricks, Oracle, Snowflake, SQLServer, Trino
from idbits.engines.sql.words import Words
from idbits.errors import InputError

__all__ = ["words_of"]

_WORDS: dict[str, type[Words]] = {
    "postgresql": PostgreSQL,
    "mysql": MySQL,
    "mariadb": MariaDB,
    "sqlite": SQLite,
    "mssql": SQLServer,
    "oracle": Oracle,
    "snowflake": Snowflake,
    "bigquery": BigQuery,
    "trino": Trino,
    "databricks": Databricks,
}


def words_of(dialect: sa.Dialect) -> Words:
    """Return the words of a database."""
    name = "mariadb" if getattr(dialect, "is_mariadb", False) else dialect.name
    if name not in _WORDS:
        known = ", ".join(sorted(word.label for word in _WORDS.values()))
        raise InputError(f"idbits does not know how this database compares text; it knows {known}")
    return _WORDS[name]()
