"""The tables of a repository. Rows are added and never changed; each is in the audit log with its digest."""

from __future__ import annotations

import sqlalchemy as sa

__all__ = [
    "VERSION", "accounts", "audit", "entries", "guards", "lifted", "logged", "metadata", "records", "retractions",
    "revocations", "schema_version",
]  # fmt: skip

VERSION = 2
"""The version that this program reads and writes; ``migrations.py`` brings older ones here."""

metadata = sa.MetaData()


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _line() -> sa.Column[int]:
    """Return the column that says which line of the audit log a row is in."""
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

# What else is written down: concepts, holders' tables, questionnaires, decisions. The last one of a name counts.
records = sa.Table(
    "records",
    metadata,
    sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False, index=True),
    *_texts("name", "body", "by", "at"),
)

logged = (audit, entries, retractions, accounts, revocations, records)
"""The tables whose rows are never changed: the log, and what is in it."""


def guards(dialect: str) -> list[str]:
    """Return statements that make the database itself refuse to change or delete a row.

    They stop accidents. Who may change the database may drop them too, which the audit log then shows.
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
    """Return statements that lift the guards of a table, for a migration."""
    if dialect == "sqlite":
        return [f"DROP TRIGGER IF EXISTS {table.name}_no_{verb}" for verb in ("update", "delete")]
    return [f"DROP TRIGGER IF EXISTS {table.name}_keep ON {table.name}"]
