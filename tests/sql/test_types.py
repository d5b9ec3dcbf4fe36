"""Types of each database: what is counted and shown is what the same rows give in the embedded engine."""

import uuid
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import idbits
from idbits.errors import DataError

D, T = date.fromisoformat, datetime.fromisoformat
A, B = uuid.UUID(int=7), uuid.UUID(int=8)


def told(source: Any, qid: str, **options: Any) -> tuple[Any, ...]:
    """Return the counts, the nulls and the labels of a measurement."""
    answer = idbits.measure(source, qid, values=True, reveal=True, **options)
    labels = sorted(((row.value, row.people) for row in answer.values.rows), key=str)
    return list(answer.figures.spectrum.pairs()), list(answer.nulls.values()), labels


def same(database: Any, sql_type: str, literals: Sequence[str], values: Sequence[Any], arrow: Any, qids: str) -> None:
    """Hold a column of a database against the same values in Arrow."""
    database.run("DROP TABLE IF EXISTS typed", f"CREATE TABLE typed (v {sql_type})")
    database.run("INSERT INTO typed VALUES " + ", ".join(f"({literal})" for literal in literals))
    frame = pa.table({"v": pa.array(values, arrow)})
    for qid in qids.split():
        found = told(database.address, qid, table="typed")
        assert found == told(frame, qid), qid
        assert told(database.address, qid, query="SELECT v FROM typed") == found, qid


TEXT = (["'a'", "'A'", "'a'", "'á'", "'B'", "NULL", "''"], ["a", "A", "a", "á", "B", None, ""], pa.string())
BLANKS = (["'a'", "'a '", "'A'", "'á'", "'á'", "''"], ["a", "a ", "A", "á", "á", ""], pa.string())
WHOLE = (["7", "-7", "12", "12", "NULL", "0"], [7, -7, 12, 12, None, 0], pa.int64())
DECIMALS = (["1.50", "1.5", "-2.25", "0", "NULL", "12.345"],
            [Decimal("1.50"), Decimal("1.50"), Decimal("-2.25"), Decimal(0), None, Decimal("12.35")],
            pa.decimal128(10, 2))  # fmt: skip
FLOATS = (["0.1", "0.1", "-2.5", "1e20", "NULL", "0"], [0.1, 0.1, -2.5, 1e20, None, 0.0])
DATES = (["'1899-12-31'", "'2024-02-29'", "'2024-02-29'", "NULL", "'0001-01-01'", "'9999-12-31'"],
         [D("1899-12-31"), D("2024-02-29"), D("2024-02-29"), None, D("0001-01-01"), D("9999-12-31")],
         pa.date32())  # fmt: skip
MOMENTS = (["'1999-12-31 23:59:59.5'", "'2024-02-29 01:02:03'", "NULL"],
           [T("1999-12-31 23:59:59.5"), T("2024-02-29 01:02:03"), None], pa.timestamp("us"))  # fmt: skip
NUMBERS = "v v:band5 v:cap1 v:round0.5 v:top2"
DAYS = "v v:year v:quarter v:month v:week v:day v:monthofyear v:top1"

POSTGRESQL = {
    "varchar": ("varchar(20)", *BLANKS, "v v:prefix1 v:top2"),
    "char": ("char(5)", *TEXT, "v v:prefix1 v:top2"),
    "name": ("name", *BLANKS, "v v:prefix1"),
    "enum": ("mood", ["'sad'", "'ok'", "'ok'", "NULL"], ["sad", "ok", "ok", None], pa.string(), "v v:prefix1 v:top1"),
    "domain": ("code", *TEXT, "v v:prefix1 v:top2"),
    "domain of a domain": ("small", ["7", "12", "12"], [7, 12, 12], pa.int64(), "v v:band5 v:prefix1"),
    "smallint": ("smallint", *WHOLE, NUMBERS.replace("v:round0.5", "v:round10")),
    "integer": ("integer", *WHOLE, NUMBERS),
    "bigint": ("bigint", ["9223372036854775807", "-9223372036854775808"], [2**63 - 1, -(2**63)], pa.int64(), "v v:top1"),
    "numeric(10,2)": ("numeric(10,2)", *DECIMALS, NUMBERS),
    "numeric": ("numeric", ["1.50", "1.5", "-2.25", "NULL", "'NaN'"], [1.5, 1.5, -2.25, None, None], pa.float64(), NUMBERS),
    "numeric(9)": ("numeric(9)", *WHOLE, NUMBERS),
    "real": ("real", *FLOATS, pa.float32(), "v v:band5 v:round0.5 v:top2"),
    "double": ("double precision", *FLOATS, pa.float64(), "v v:band5 v:round0.5 v:top2"),
    "bands of reals": ("real", ["0.7", "0.3", "0.65", "0.6"], [0.7, 0.3, 0.65, 0.6], pa.float32(), "v:band0.1 v:round0.1"),
    "nan": ("double precision", ["'NaN'", "'Infinity'", "'-0'", "0"], [None, float("inf"), 0.0, 0.0], pa.float64(), "v"),
    "boolean": ("boolean", ["true", "false", "true", "NULL"], [True, False, True, None], pa.bool_(), "v v:top1"),
    "date": ("date", *DATES, DAYS),
    "timestamp": ("timestamp", *MOMENTS, DAYS),
    "timestamptz": ("timestamptz", ["'2000-01-01 00:30:00+02'", "'1999-12-31 22:30:00+00'", "NULL"],
                    [T("1999-12-31 22:30:00"), T("1999-12-31 22:30:00"), None], pa.timestamp("us"), DAYS),
    "uuid": ("uuid", [f"'{A}'", f"'{A}'", f"'{B}'", "NULL"], [str(A), str(A), str(B), None], pa.string(), "v v:top1"),
    "jsonb": ("jsonb", ["""'{"b": 1, "a": 2}'""", """'{"a":2,"b":1}'""", "NULL"], ['{"a": 2, "b": 1}'] * 2 + [None], pa.string(), "v"),
    "array": ("int[]", ["'{1,2}'", "'{1,2}'", "'{2}'", "NULL"], ["{1,2}", "{1,2}", "{2}", None], pa.string(), "v v:top1"),
    "inet": ("inet", ["'10.0.0.1'", "'10.0.0.1/32'", "'10.0.0.0/8'"], ["10.0.0.1/32"] * 2 + ["10.0.0.0/8"], pa.string(), "v"),
    "interval": ("interval", ["'1 day'", "'1 day'", "'2 hours'"], ["1 day", "1 day", "02:00:00"], pa.string(), "v"),
    "time": ("time", ["'01:02:03'", "'01:02:03.5'", "NULL"], ["01:02:03", "01:02:03.5", None], pa.string(), "v"),
}  # fmt: skip


@pytest.fixture(scope="module")
def own_types(postgresql: Any) -> Any:
    postgresql.run(
        "DROP TABLE IF EXISTS typed", "DROP TYPE IF EXISTS mood", "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "DROP DOMAIN IF EXISTS small, smaller, code", "CREATE DOMAIN code AS varchar(10)",
        "CREATE DOMAIN smaller AS integer CHECK (VALUE < 1000)", "CREATE DOMAIN small AS smaller",
    )  # fmt: skip
    return postgresql


@pytest.mark.parametrize("name", list(POSTGRESQL))
def test_postgresql(own_types: Any, name: str) -> None:
    same(own_types, *POSTGRESQL[name])


def test_postgresql_types_that_nothing_else_has(postgresql: Any) -> None:
    postgresql.run(
        "DROP TABLE IF EXISTS typed",
        "CREATE TABLE typed (b bytea, m money, r int4range, p point)",
        "INSERT INTO typed VALUES ('\\x00ff', 1.5, '[1,3)', '(1,2)'), ('\\x00FF', 1.50, '[1,2]', '(1,2)'), "
        "('\\x00', -1, NULL, NULL)",
    )
    for name in "bmrp":
        answer = idbits.measure(postgresql.address, name, table="typed")
        assert list(answer.figures.spectrum.pairs()) == [(1, 1), (2, 1)], name


def test_infinite_numerics_have_no_band(postgresql: Any) -> None:
    postgresql.run("DROP TABLE IF EXISTS typed", "CREATE TABLE typed (v numeric)",
                   "INSERT INTO typed VALUES ('Infinity'), ('-Infinity'), (1)")  # fmt: skip
    for transform in ("band5", "round0.5", "cap9"):
        with pytest.raises(DataError, match="2 values"):
            idbits.measure(postgresql.address, f"v:{transform}", table="typed")


GERMAN = "CHARACTER SET {} COLLATE {}"
MARIADB = {
    **{f"text in {collation}": (f"varchar(20) {GERMAN.format(charset, collation)}", *BLANKS, "v v:prefix1 v:top2")
       for charset, collation in (("latin1", "latin1_german1_ci"), ("utf8mb4", "utf8mb4_unicode_ci"),
                                  ("utf8mb4", "utf8mb4_general_ci"), ("utf16", "utf16_general_ci"))},
    "char": ("char(5)", *TEXT, "v v:prefix1 v:top2"),
    "enum": ("enum('sad', 'ok')", ["'sad'", "'ok'", "'ok'", "NULL"], ["sad", "ok", "ok", None], pa.string(), "v v:prefix1"),
    "set": ("set('a', 'b')", ["'a,b'", "'b,a'", "'a'", "''"], ["a,b", "a,b", "a", ""], pa.string(), "v"),
    "json": ("json", ["'[1]'", "'[1]'", "'[1 ]'"], ["[1]", "[1]", "[1 ]"], pa.string(), "v"),
    "year": ("year", ["1985", "2024", "2024", "NULL"], [1985, 2024, 2024, None], pa.int64(), "v v:band10 v:prefix3"),
    "bit(1)": ("bit(1)", ["b'1'", "b'0'", "b'1'", "NULL"], [True, False, True, None], pa.bool_(), "v v:top1"),
    "tinyint": ("tinyint", *WHOLE, NUMBERS),
    "unsigned": ("int unsigned", ["7", "0", "4294967295"], [7, 0, 2**32 - 1], pa.int64(), "v v:band5 v:round10 v:cap5"),
    "unsigned bigint": ("bigint unsigned", ["18446744073709551615", "0", "7"], [2**64 - 1, 0, 7], pa.uint64(), "v v:band5 v:cap9"),
    "bigint": ("bigint", ["9223372036854775807", "-9223372036854775808"], [2**63 - 1, -(2**63)], pa.int64(), "v v:top1"),
    "decimal": ("decimal(10,2)", *DECIMALS, NUMBERS),
    "decimal(9)": ("decimal(9)", *WHOLE, NUMBERS),
    "float": ("float", *FLOATS, pa.float32(), "v v:band5 v:round0.5 v:top2"),
    "double": ("double", *FLOATS, pa.float64(), "v v:band5 v:round0.5 v:top2"),
    "bands of floats": ("float", ["0.7", "0.3", "0.65", "0.6"], [0.7, 0.3, 0.65, 0.6], pa.float32(), "v:band0.1 v:round0.1"),
    "date": ("date", *DATES, DAYS),
    "datetime": ("datetime(6)", *MOMENTS, DAYS),
    "time": ("time", ["'01:02:03'", "'01:02:03'", "'-800:00:00'"], ["01:02:03"] * 2 + ["-800:00:00"], pa.string(), "v"),
    "blob": ("blob", ["x'00ff'", "x'00FF'", "x'00'", "NULL"], ["00FF", "00FF", "00", None], pa.string(), "v"),
    "bit(8)": ("bit(8)", ["b'1'", "b'11111111'", "b'1'"], ["1", "FF", "1"], pa.string(), "v"),
    "uuid": ("uuid", [f"'{A}'", f"'{A}'", f"'{B}'"], [str(A), str(A), str(B)], pa.string(), "v"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(MARIADB))
def test_mariadb(mariadb: Any, name: str) -> None:
    same(mariadb, *MARIADB[name])


SQLITE = {
    "nocase": ("TEXT COLLATE NOCASE", *BLANKS, "v v:prefix1 v:top2"),
    "rtrim": ("TEXT COLLATE RTRIM", *BLANKS, "v v:prefix1 v:top2"),
    "mixed": ("", ["1", "'1'", "1.5", "'1.5'", "'a'", "x'00ff'", "NULL"], ["1", "1", "1.5", "1.5", "a", "00ff", None], pa.string(), "v v:prefix1"),
    "dates as text": ("DATE", *DATES[:1], [str(v) if v else None for v in DATES[1]], pa.string(), DAYS),
    "large": ("INTEGER", ["9007199254740993", "9007199254740992", "9223372036854775807"], [2**53 + 1, 2**53, 2**63 - 1], pa.int64(), "v v:top1 v:prefix3"),
    "integers and reals": ("", ["1", "1.0", "2.5", "NULL"], [1.0, 1.0, 2.5, None], pa.float64(), "v v:band5 v:round0.5"),
    "large and real": ("", ["9007199254740993", "9007199254740992", "0.5"], [Decimal("9007199254740993"), Decimal("9007199254740992"), Decimal("0.5")], pa.decimal128(20, 1), "v"),
    "nothing": ("TEXT", ["NULL", "NULL"], [None, None], pa.string(), "v"),
}  # fmt: skip


@pytest.mark.big
@pytest.mark.parametrize("name", list(SQLITE))
def test_sqlite(sqlite: Any, name: str) -> None:
    same(sqlite, *SQLITE[name])
