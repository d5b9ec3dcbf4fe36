"""A table or a query in a database, with the kinds of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sqlalchemy as sa

from idbits.values.attributes import Kind

__all__ = ["DatabaseSource", "kind_of_name", "kind_of_type"]

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
