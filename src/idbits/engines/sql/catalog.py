"""The catalog: the columns of a table or a query that the role may read, with their kinds."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import sqlalchemy as sa
from sqlalchemy.exc import NoSuchTableError
from sqlalchemy.sql import quoted_name

from idbits.engines.sql.connection import DatabaseConnection
from idbits.engines.sql.one_select import checked_query
from idbits.errors import EngineError, InputError
from idbits.values.attributes import Kind
from idbits.wording import counted, listed_names

__all__ = ["DatabaseSource", "kind_of_name", "kind_of_type", "query_source", "table_source"]

# name, type, scale of decimals, whether it may be read
Described = Sequence[tuple[str, str, int | None, bool]]

_POSTGRESQL_TABLE = sa.text(
    "SELECT a.attname, CASE WHEN t.typtype = 'e' THEN 'enum' ELSE t.typname END, "
    "CASE WHEN t.typname = 'numeric' AND t.typmod >= 4 THEN (t.typmod - 4) & 2047 END, "
    "has_column_privilege(c.oid, a.attnum, 'SELECT') "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid "
    # A domain may be based on another domain.
    "CROSS JOIN LATERAL (WITH RECURSIVE d(oid, typmod) AS (SELECT a.atttypid, a.atttypmod UNION ALL "
    "SELECT n.typbasetype, n.typtypmod FROM d JOIN pg_catalog.pg_type n ON n.oid = d.oid WHERE n.typtype = 'd') "
    "SELECT n.typname, n.typtype, d.typmod FROM d JOIN pg_catalog.pg_type n ON n.oid = d.oid "
    "WHERE n.typtype <> 'd') t "
    "WHERE c.oid = to_regclass(:name) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
)
_MYSQL_TABLE = sa.text(
    "SELECT column_name, CASE column_type WHEN 'bit(1)' THEN 'bool' ELSE data_type END, numeric_scale, "
    "privileges LIKE '%select%' FROM information_schema.columns "
    "WHERE table_schema = coalesce(:schema, database()) AND table_name = :name ORDER BY ordinal_position"
)
_POSTGRESQL_TYPES = sa.text(
    "SELECT t.oid, CASE WHEN t.typtype = 'e' THEN 'enum' WHEN b.typname IS NOT NULL THEN b.typname ELSE t.typname END "
    "FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype"
)
# Type numbers of MySQL's protocol; for 252 the character set decides whether it is text.
_MYSQL_TYPES: Mapping[object, str] = {
    -1: "bool",
    0: "decimal", 1: "tinyint", 2: "smallint", 3: "int", 4: "float", 5: "double", 7: "timestamp", 8: "bigint",
    9: "mediumint", 10: "date", 11: "time", 12: "datetime", 13: "year", 15: "varchar", 16: "bit", 245: "json",
    246: "decimal", 247: "enum", 248: "set", 249: "text", 250: "text", 251: "text", 252: "text", 253: "varchar",
    254: "char", 255: "geometry",
}  # fmt: skip
_KINDS = {
    Kind.TEXT: (
        "text varchar char bpchar name citext enum set tinytext mediumtext longtext nvarchar nchar ntext string "
        "varchar2 nvarchar2 clob nclob"
    ),
    Kind.INTEGER: "int2 int4 int8 oid tinyint smallint mediumint int integer bigint year int64 byteint",
    Kind.NUMBER: "float4 float8 numeric decimal float double real number bignumeric float64 double_precision",
    Kind.BOOLEAN: "bool boolean",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp timestamptz datetime datetime2 smalldatetime timestamp_ntz",
}
_BY_NAME = {name: kind for kind, names in _KINDS.items() for name in names.split()}


def table_source(connection: DatabaseConnection, name: str) -> DatabaseSource:
    """Return a table or a view by name, which may include a schema: ``public.people``."""
    for schema, table in _readings(name):
        described = _described(connection, schema, table)
        if described:
            connection.dialect.check_view(connection, schema, table)
            relation = _table(connection, schema, table, [row[0] for row in described])
            if connection.engine.dialect.name == "sqlite":
                return _sqlite(connection, relation)
            return _source(relation, described)
    raise InputError(f'no table named "{name}" that this role may read')


def query_source(connection: DatabaseConnection, query: str) -> DatabaseSource:
    """Return a query, or a view by name."""
    select = checked_query(connection, query)
    if select is None:
        return table_source(connection, query)
    body = _body(select.text)
    with_alias = "" if connection.engine.dialect.name == "oracle" else "AS "
    empty = sa.text(f"SELECT * FROM (\n{body}) {with_alias}q WHERE 1 = 0")
    columns, codes, scales = _cursor_columns(connection, empty)
    # In an inner query, SQLite renames the second of two columns "zip" to "zip:1".
    renamed = connection.engine.dialect.name == "sqlite" and any(
        re.sub(r":[0-9]+$", "", name) in columns for name in columns if re.search(r":[0-9]+$", name)
    )
    if len(set(columns)) < len(columns) or renamed:
        raise InputError("the query has two columns with the same name; rename one with AS")
    relation, shown = (
        sa.text(text).columns(*(sa.column(_quoted(connection, name)) for name in columns)).subquery("q")
        for text in (body, _body(select.without_literals()))
    )
    if connection.engine.dialect.name == "sqlite":
        return replace(_sqlite(connection, relation), shown=shown)
    described = [(name, code, scale, True) for name, code, scale in zip(columns, codes, scales, strict=True)]
    if connection.engine.dialect.name in ("mysql", "mariadb"):
        described = _with_binary(connection, relation, described)
    return replace(_source(relation, described), shown=shown)


def _body(query: str) -> str:
    # Text that looks like a parameter is part of the query.
    return query.replace(":", r"\:") + "\n"


def _quoted(connection: DatabaseConnection, name: str) -> quoted_name:
    # SQLAlchemy does not know every reserved word of every database. Two databases keep lower-case names
    # only where they are quoted.
    return quoted_name(name, None if connection.engine.dialect.name in ("oracle", "snowflake") else True)


def _table(connection: DatabaseConnection, schema: str | None, table: str, columns: Sequence[str]) -> sa.TableClause:
    return sa.table(
        _quoted(connection, table),
        *(sa.column(_quoted(connection, name)) for name in columns),
        schema=None if schema is None else _quoted(connection, schema),
    )


def tables_of(connection: DatabaseConnection) -> list[str]:
    """Return the names of tables and views, for suggestions."""
    with connection.errors():
        inspector = sa.inspect(connection.raw)
        return sorted([*inspector.get_table_names(), *inspector.get_view_names()])


def ask_for_table(connection: DatabaseConnection) -> InputError:
    """Return the error for a missing table name."""
    return InputError(f"name a table with --table{listed_names(tables_of(connection))}, or give a --query")


def _readings(name: str) -> list[tuple[str | None, str]]:
    """Return the possible (schema, table) pairs of a name, the whole name first."""
    readings: list[tuple[str | None, str]] = [(None, name)]
    try:
        (parts,) = csv.reader([name], delimiter=".", strict=True)
    except (csv.Error, ValueError):
        return readings
    if len(parts) == 1 and parts[0] != name:
        readings.append((None, parts[0]))
    elif len(parts) > 1:
        readings.append((".".join(parts[:-1]), parts[-1]))
    return readings


def _described(connection: DatabaseConnection, schema: str | None, table: str) -> Described:
    dialect = connection.engine.dialect
    if dialect.name == "postgresql":
        full = ".".join('"' + part.replace('"', '""') + '"' for part in (schema, table) if part is not None)
        return [tuple(row) for row in connection.rows(_POSTGRESQL_TABLE.bindparams(name=full))]
    if dialect.name in ("mysql", "mariadb"):
        rows = connection.rows(_MYSQL_TABLE.bindparams(schema=schema, name=table))
        return [(name, _text(kind), scale, bool(may)) for name, kind, scale, may in rows]
    try:
        with connection.errors():
            columns = sa.inspect(connection.raw).get_columns(table, schema=schema)
    except (NoSuchTableError, EngineError) as error:
        if (dialect.name == "sqlite" and schema is not None) or isinstance(error, NoSuchTableError):
            return []  # the table or the schema does not exist
        raise
    return [
        (column["name"], _type_name(column["type"]), getattr(column["type"], "scale", None), True) for column in columns
    ]


def _text(value: object) -> str:
    return (value.decode() if isinstance(value, bytes) else str(value)).lower()


def _type_name(kind: sa.types.TypeEngine[object]) -> str:
    names = {
        Kind.TEXT: "text", Kind.INTEGER: "bigint", Kind.BOOLEAN: "boolean", Kind.DATE: "date",
        Kind.TIMESTAMP: kind.__class__.__name__.lower(),
        Kind.NUMBER: "double" if isinstance(kind, sa.Float) else "numeric",
    }  # fmt: skip
    return names.get(kind_of_type(kind), kind.__class__.__name__.lower())


def _source(relation: sa.FromClause, described: Described) -> DatabaseSource:
    readable = [row for row in described if row[3]]
    denied = len(described) - len(readable)
    if not readable:
        raise InputError("this role may not read any column of the table (grant SELECT on it)")
    notes = (f"{counted(denied, 'column')} cannot be read with this role and are ignored",) if denied else ()
    return DatabaseSource(
        relation,
        {name: kind_of_name(type_name, scale) for name, type_name, scale, _ in readable},
        {name: type_name for name, type_name, _, _ in readable},
        denied,
        notes,
    )


def _cursor_columns(
    connection: DatabaseConnection, query: sa.TextClause
) -> tuple[list[str], list[str], list[int | None]]:
    names, codes, scales = connection.describe(query)
    dialect = connection.engine.dialect.name
    if dialect == "postgresql":
        types: dict[object, str] = dict(connection.rows(_POSTGRESQL_TYPES)) if codes else {}
        return names, [str(types.get(code, "unknown")) for code in codes], scales
    if dialect in ("mysql", "mariadb"):
        return names, [_MYSQL_TYPES.get(code, "other") for code in codes], scales
    return names, [_text(getattr(code, "name", code)) for code in codes], scales


def _with_binary(
    connection: DatabaseConnection, relation: sa.FromClause, described: list[tuple[str, str, int | None, bool]]
) -> list[tuple[str, str, int | None, bool]]:
    texts = [row[0] for row in described if kind_of_name(row[1]) is Kind.TEXT]
    if not texts:
        return described
    sets = sa.select(*(sa.func.charset(relation.c[name]) for name in texts)).select_from(relation).limit(1)
    charsets = connection.rows(sets)
    binary = {
        name for name, charset in zip(texts, charsets[0] if charsets else (), strict=False) if charset == "binary"
    }
    return [(name, "blob" if name in binary else kind, scale, may) for name, kind, scale, may in described]


def _sqlite(connection: DatabaseConnection, relation: sa.FromClause) -> DatabaseSource:
    """Return a SQLite table, in which cells have types but columns do not."""
    kinds, types = {}, {}
    columns = list(relation.c)
    # A query can have about 2,000 columns.
    for start in range(0, len(columns), 300):
        part = columns[start : start + 300]
        has = [
            sa.func.max(sa.case((sa.func.typeof(column) == kind, 1), else_=0))
            for column in part
            for kind in ("text", "integer", "real", "blob")
        ]
        flags = iter(connection.row(sa.select(*has).select_from(relation), "reading the types"))
        for column in part:
            text, integer, real, blob = (bool(next(flags)) for _ in range(4))
            kinds[column.name], types[column.name] = _sqlite_kind(text, integer, real, blob)
    return DatabaseSource(relation, kinds, types)


def _sqlite_kind(text: bool, integer: bool, real: bool, blob: bool) -> tuple[Kind, str]:
    if text:
        return Kind.TEXT, "mixed" if integer or real or blob else "text"
    if blob:
        return (Kind.TEXT, "mixed") if integer or real else (Kind.OTHER, "blob")
    if real:
        return Kind.NUMBER, "real"
    return (Kind.INTEGER, "integer") if integer else (Kind.TEXT, "text")


def kind_of_name(type_name: str, scale: int | None = None) -> Kind:
    """Return the kind of a type by its name; decimals with a scale of 0 are whole numbers.

    >>> kind_of_name("bpchar"), kind_of_name("numeric", 0), kind_of_name("jsonb")
    (<Kind.TEXT: 'text'>, <Kind.INTEGER: 'integer'>, <Kind.OTHER: 'other'>)
    """
    kind = _BY_NAME.get(type_name, Kind.OTHER)
    return Kind.INTEGER if kind is Kind.NUMBER and scale == 0 else kind


def kind_of_type(column: sa.types.TypeEngine[object]) -> Kind:
    """Return the kind of a SQLAlchemy type."""
    classes = (
        (sa.Boolean, Kind.BOOLEAN),
        (sa.Integer, Kind.INTEGER),
        (sa.String, Kind.TEXT),
        (sa.DateTime, Kind.TIMESTAMP),
        (sa.Date, Kind.DATE),
    )
    if isinstance(column, sa.Numeric):
        return Kind.INTEGER if column.scale == 0 and not isinstance(column, sa.Float) else Kind.NUMBER
    return next((kind for base, kind in classes if isinstance(column, base)), Kind.OTHER)


@dataclass(frozen=True, slots=True)
class DatabaseSource:
    """A table or a query.

    Attributes:
        relation: the SQL after FROM.
        kinds: the columns that may be read, in order.
        types: the database's name of each column's type, in lower case.
        denied: the number of columns that may not be read.
        shown: the relation for display, if a query has literals.
    """

    relation: sa.FromClause
    kinds: Mapping[str, Kind]
    types: Mapping[str, str]
    denied: int = 0
    notes: tuple[str, ...] = field(default=())
    shown: sa.FromClause | None = None
