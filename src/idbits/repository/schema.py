"""The tables of a repository. Rows are added, never changed; the audit log has the digest of each."""

from __future__ import annotations

import sqlalchemy as sa

__all__ = [
    "VERSION", "accounts", "audit", "entries", "guards", "lifted", "logged", "metadata", "records", "retractions",
    "revocations", "schema_version",
]  # fmt: skip

VERSION = 2
"""The version that this program reads and writes; ``migrations.py`` upgrades older ones."""

metadata = sa.MetaData()


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _line() -> sa.Column[int]:
    """Return the column with the row's line number in the audit log."""
    return sa.Column("sequence", sa.Integer, nullable=False, unique=True)


schema_version = sa.Table(
    "schema_version",
    metadata,
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    *_texts("applied_at"),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=False),
    *_texts("at", "actor", "action", "subject", "digest", "previous"),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
)

entries = sa.Table(
    "entries",
    metadata,
    sa.Column("ref", sa.Text, primary_key=True),
    _line(),
    *_texts("statement", "signature", "public_key", "publisher", "published_at"),
    sa.Column("qid", sa.Text, nullable=False, index=True),
    sa.Column("population", sa.Text, nullable=False, index=True),
    sa.Column("supersedes", sa.Text, unique=True),
    # Since version 2.
    sa.Column("holder", sa.Text, nullable=False, server_default="", index=True),
)

retractions = sa.Table(
    "retractions", metadata, sa.Column("ref", sa.Text, primary_key=True), _line(), *_texts("reason", "by", "at")
)

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    _line(),
    *_texts("role"),
    sa.Column("key_id", sa.Text, nullable=False, unique=True),
    *_texts("key_digest"),
    sa.Column("public_key", sa.Text, unique=True),
    sa.Column("stands_for", sa.Text),
    *_texts("created_at"),
)

revocations = sa.Table("revocations", metadata, sa.Column("name", sa.Text, primary_key=True), _line(), *_texts("at"))

# All other records: concepts, holders' tables, questionnaires, decisions. The latest record of a name is valid.
records = sa.Table(
    "records",
    metadata,
    sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False, index=True),
    *_texts("name", "body", "by", "at"),
)

logged = (audit, entries, retractions, accounts, revocations, records)
"""The tables whose rows are never changed: the log, and the tables that it covers."""


def guards(dialect: str) -> list[str]:
    """Return statements that make the database itself refuse to change or delete rows.

    They prevent accidents. An attacker with write access can drop them, but ``verify`` then detects the changes.
    """
    if dialect == "sqlite":
        return [
            f"CREATE TRIGGER IF NOT EXISTS {table.name}_no_{verb.lower()} BEFORE {verb} ON {table.name} "
            "BEGIN SELECT RAISE(ABORT, 'rows of the repository are never changed'); END"
            for table in logged
            for verb in ("UPDATE", "DELETE")
        ]
    made = [
        "CREATE OR REPLACE FUNCTION idbits_keep() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'rows of the repository are never changed'; END $$"
    ]
    for table in logged:
        made += [
            f"DROP TRIGGER IF EXISTS {table.name}_keep ON {table.name}",
            f"CREATE TRIGGER {table.name}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {table.name} "
            "FOR EACH STATEMENT EXECUTE FUNCTION idbits_keep()",
        ]
    return made


def lifted(dialect: str, table: sa.Table) -> list[str]:
    """Return statements that remove the guards of a table during a migration."""
    if dialect == "sqlite":
        return [f"DROP TRIGGER IF EXISTS {table.name}_no_{verb}" for verb in ("update", "delete")]
    return [f"DROP TRIGGER IF EXISTS {table.name}_keep ON {table.name}"]
