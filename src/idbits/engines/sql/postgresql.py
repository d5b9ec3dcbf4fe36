"""PostgreSQL: how its values are compared, and which functions a query may call: those that are not volatile.

A volatile function may do anything: change settings, take locks, open other connections; and its results differ from
statement to statement. Names are looked up in all schemas, with all overloads. Views, domains and default arguments are
checked through the trees that the server stores, and aggregates through their component functions, because the catalog
calls every aggregate immutable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import func
from sqlalchemy.dialects import postgresql

from idbits.engines.sql.dialect import NEVER, Element, OrderedTexts, SqlDialect, require_single_statements
from idbits.engines.sql.tokens import Token, TokenKind
from idbits.errors import InputError
from idbits.values.attributes import Kind
from idbits.values.dates import CLOCK_PATTERNS, DateForm
from idbits.values.zones import FAR, FOLD_YEARS, Zone

if TYPE_CHECKING:
    from idbits.engines.sql.connection import DatabaseConnection
    from idbits.engines.sql.one_select import OneSelect

__all__ = ["PostgreSQL"]

# Settings that change results, or how a statement is read.
_SETTINGS = (
    "SET LOCAL standard_conforming_strings = on",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL DateStyle = 'ISO, YMD'",
    "SET LOCAL IntervalStyle = 'postgres'",
    "SET LOCAL TimeZone = 'UTC'",
)
_LARGEST = Decimal("1.7976931348623157e308")
_LONGEST_NAME = 63
_FIRST_OWN_OBJECT = 16384
# The functions that IN, LIKE, BETWEEN, SIMILAR and other keywords call.
_UNWRITTEN_OPERATORS = ("=", "<>", "<", ">", "<=", ">=", "~~", "!~~", "~~*", "!~~*", "~", "!~")
_OF_AGGREGATE = (
    "CAST(ARRAY[a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, "
    "a.aggminvtransfn, a.aggmfinalfn] AS oid[])"
)
_CALLED = sa.text(
    "SELECT DISTINCT p.proname, p.oid::bigint, p.provolatile = 'v' OR EXISTS (SELECT 1 FROM pg_catalog.pg_aggregate a "
    f"JOIN pg_catalog.pg_proc f ON f.oid = ANY({_OF_AGGREGATE}) WHERE a.aggfnoid = p.oid AND f.provolatile = 'v') "
    "FROM pg_catalog.pg_proc p "
    "LEFT JOIN pg_catalog.pg_type t ON t.oid = p.proargtypes[0] "
    "WHERE p.proname = ANY(CAST(:called AS text[])) "
    # people.score means score(people) if there is no such column.
    "OR p.proname = ANY(CAST(:members AS text[])) AND p.provolatile = 'v' AND t.typtype IN ('c', 'd', 'p') "
    "AND t.typname NOT IN ('internal', 'cstring')"
)
_OPERATORS = sa.text(
    "SELECT DISTINCT o.oprname FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_proc p ON p.oid = o.oprcode "
    "WHERE p.provolatile = 'v' AND o.oprname = ANY(CAST(:operators AS text[]))"
)
_CASTS = sa.text(
    "SELECT DISTINCT t.typname FROM pg_catalog.pg_cast c JOIN pg_catalog.pg_proc p ON p.oid = c.castfunc "
    "JOIN pg_catalog.pg_type t ON t.oid = c.casttarget WHERE p.provolatile = 'v' AND (c.castcontext = 'i' "
    f"OR t.oid < {_FIRST_OWN_OBJECT} AND CAST(:casts AS boolean) OR t.typname = ANY(CAST(:names AS text[]))) "
    "UNION SELECT t.typname FROM pg_catalog.pg_type t JOIN pg_catalog.pg_proc p ON p.oid IN (t.typinput, t.typoutput) "
    "WHERE p.provolatile = 'v' AND t.typname = ANY(CAST(:names AS text[]))"
)
_TREES = (
    "SELECT r.ev_class::bigint, r.ev_action::text FROM pg_catalog.pg_rewrite r "
    "JOIN pg_catalog.pg_class c ON c.oid = r.ev_class WHERE c.relkind = 'v' AND "
)
_VIEWS = sa.text(
    _TREES + "c.relname = ANY(CAST(:names AS text[])) AND pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE')"
)
_VIEWS_BY_OID = sa.text(_TREES + "c.oid = ANY(CAST(:oids AS oid[]))")
_VIEW_BY_NAME = sa.text(_TREES + "c.oid = to_regclass(:name)")
# A domain based on another has the checks of both.
_DOMAINS = sa.text(
    "WITH RECURSIVE d(oid, base) AS (SELECT t.oid, t.typbasetype FROM pg_catalog.pg_type t WHERE t.typtype = 'd' AND "
    "(t.typname = ANY(CAST(:names AS text[])) OR t.oid = ANY(CAST(:oids AS oid[]))) "
    "UNION SELECT t.oid, t.typbasetype FROM d JOIN pg_catalog.pg_type t ON t.oid = d.base) "
    # A type and a view may have the same number.
    "SELECT -d.oid::bigint, k.conbin::text FROM d JOIN pg_catalog.pg_constraint k ON k.contypid = d.oid "
    "WHERE k.conbin IS NOT NULL"
)
_DEFAULTS = sa.text(
    "SELECT 0::bigint, p.proargdefaults::text FROM pg_catalog.pg_proc p "
    f"WHERE p.proname = ANY(CAST(:called AS text[])) AND p.oid >= {_FIRST_OWN_OBJECT} AND p.proargdefaults IS NOT NULL"
)
_IN_TREES = sa.text(
    "SELECT DISTINCT p.proname, p.oid::bigint FROM pg_catalog.pg_proc p WHERE p.provolatile = 'v' AND (p.oid = "
    "ANY(CAST(:functions AS oid[])) OR p.oid IN (SELECT o.oprcode FROM pg_catalog.pg_operator o "
    "WHERE o.oid = ANY(CAST(:operators AS oid[]))) OR EXISTS (SELECT 1 FROM pg_catalog.pg_aggregate a "
    f"WHERE a.aggfnoid = ANY(CAST(:functions AS oid[])) AND p.oid = ANY({_OF_AGGREGATE})))"
)
_SEARCH_PATH = sa.text("SELECT pg_catalog.current_setting('search_path')")
_SET_SEARCH_PATH = sa.text("SELECT pg_catalog.set_config('search_path', :path, true)")
_FUNCTION_IDS = re.compile(r":(?:funcid|opfuncid|aggfnoid|winfnoid) ([0-9]+)")
_OPERATOR_IDS = re.compile(r":opno ([0-9]+)")
_RELATION_IDS = re.compile(r":relid ([0-9]+)")
_TYPE_IDS = re.compile(r":resulttype ([0-9]+)")


def _computed_once(value: Element, kind: sa.types.TypeEngine[Any]) -> Element:
    """Return a value for the columns of a subquery, whose FROM computes it."""
    return sa.values(sa.column("value", kind), name="computed").data([(value,)]).c.value


def _seconds(number: Element) -> Element:
    return number * sa.literal_column("interval '1 second'")


def _portable(pattern: str) -> str:
    # Whitespace must not depend on the locale.
    return "^(?:" + pattern.replace(r"\s", r"[ \t\n\r\f\v]") + ")$"


class PostgreSQL(SqlDialect):
    """Text is compared in the collation "C", whatever the collation of the column."""

    label = "PostgreSQL"
    exact_type = sa.Numeric()
    text_type = sa.Text()

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if type_name in ("float4", "float8"):
            return func.nullif(sa.cast(column, sa.Double()), sa.literal_column("'NaN'::float8"))
        if type_name == "numeric":
            return func.nullif(column, sa.literal_column("'NaN'::numeric"))
        if type_name == "timestamptz":
            return func.timezone("UTC", column)
        if kind in (Kind.TEXT, Kind.OTHER):
            return self.as_text(column)
        return column

    def key(self, value: Element, kind: Kind) -> Element:
        return value.collate("C") if kind in (Kind.TEXT, Kind.OTHER) else value

    def prefix(self, text: Element, length: int) -> Element:
        return func.left(text, length)

    def like(self, text: Element, pattern: str) -> Element:
        return text.like(sa.literal(pattern), escape="")

    def trimmed(self, text: Element) -> Element:
        return func.btrim(text, " ")

    def matches(self, text: Element, pattern: str) -> Element:
        return text.op("~", is_comparison=True)(sa.literal(_portable(pattern)))

    def number_of(self, text: Element) -> Element:
        # A number outside the range of double precision is not a number on any engine.
        number = sa.cast(text, sa.Numeric())
        return sa.case((func.abs(number) <= self.decimal(_LARGEST), number))

    def replaced(self, text: Element, pattern: str, sign: str) -> Element:
        return func.regexp_replace(text, pattern, sign, "g")

    def lowered(self, text: Element) -> Element:
        # In a Turkish locale the small letter of I is not i.
        return func.lower(text.collate("C"))

    def _matched(self, text: Element, pattern: str) -> Element:
        # In the FROM of a subquery, so that a text is matched once.
        return func.regexp_match(text, _portable(pattern), type_=postgresql.ARRAY(sa.Text())).column_valued("part")

    def date_of(self, text: Element, form: DateForm, order: str) -> Element:
        match = self._matched(text, form.pattern)
        year, month, day = self.calendar_numbers(form, order, lambda group: match[group])
        return sa.select(sa.case((self.is_day(year, month, day), func.make_date(year, month, day)))).scalar_subquery()

    def moved_day(self, day: Element, text: Element, zone: Zone, *, is_far: bool) -> Element:
        seconds = func.coalesce(*(self._clock(text, pattern) for pattern in CLOCK_PATTERNS))
        local = sa.cast(
            self.local_time(sa.cast(day, sa.DateTime()) + _seconds(seconds), zone, is_far=is_far), sa.Date()
        )
        return sa.case((seconds.is_(sa.null()), day), else_=self.within_calendar(local))

    def _clock(self, text: Element, pattern: str) -> Element:
        match = self._matched(text, pattern)
        seconds = self.clock_seconds(lambda group: match[group])
        return sa.select(sa.case((match.is_not(sa.null()), seconds))).scalar_subquery()

    def within_calendar(self, day: Element) -> Element:
        return sa.select(super().within_calendar(_computed_once(day, sa.Date()))).scalar_subquery()

    def has_instants(self, type_name: str) -> bool:
        return type_name == "timestamptz"

    def local_time(self, instant: Element, zone: Zone, *, is_far: bool) -> Element:
        offsets = zone.offset_changes(is_far=is_far)
        if not offsets.changes:
            return instant + _seconds(sa.literal_column(str(offsets.first)))
        moment = _computed_once(instant, sa.DateTime())
        compared: Element = moment
        if is_far:
            folds = func.floor((sa.extract("year", moment) - FAR.year) / FOLD_YEARS)
            years = func.make_interval(sa.cast(folds * FOLD_YEARS, sa.Integer()))
            compared = sa.case((sa.extract("year", moment) >= FAR.year + FOLD_YEARS, moment - years), else_=moment)
        starts = ", ".join(f"'{start.isoformat(sep=' ')}'" for start, _ in offsets.changes)
        seconds = ", ".join(str(offset) for offset in (offsets.first, *(offset for _, offset in offsets.changes)))
        index = func.width_bucket(compared, sa.literal_column(f"CAST(ARRAY[{starts}] AS timestamp[])")) + 1
        offset = sa.literal_column(f"(ARRAY[{seconds}])", postgresql.ARRAY(sa.Integer()))
        return sa.select(moment + _seconds(offset[index])).scalar_subquery()

    def count_of(self, text: Element, pattern: str) -> Element:
        parts = func.regexp_match(text, _portable(pattern), type_=postgresql.ARRAY(sa.Text()))
        return sa.cast(parts[1], sa.Numeric())

    def exact(self, value: Element, type_name: str) -> Element:
        if type_name == "float4":
            value = sa.cast(value, sa.REAL())  # their shortest text has fewer digits
        return sa.cast(sa.cast(value, sa.Text()) if "float" in type_name else value, sa.Numeric())

    def inexact(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        return NEVER

    def is_finite(self, value: Element, type_name: str) -> Element:
        if type_name in ("float4", "float8"):
            return func.abs(value) != sa.literal_column("'Infinity'::float8")
        return sa.cast(value, sa.Text()).not_in(["Infinity", "-Infinity"])

    def integer(self, value: Element, type_name: str) -> Element:
        return sa.cast(value, sa.BigInteger() if type_name in ("int2", "int4") else sa.Numeric())

    def truncated(self, value: Element, unit: str) -> Element:
        # Even for a date this is a timestamp without time zone: no time zone moves it to another day.
        moment = sa.cast(value, sa.DateTime())
        return sa.cast(func.date_trunc(sa.literal_column(f"'{unit}'"), moment), sa.Date())

    def compared_number(self, value: Element, type_name: str, operator: str, number: Decimal | int) -> Element:
        if type_name in ("float4", "float8"):
            return value.op(operator, is_comparison=True)(self.as_double(sa.literal_column(f"'{number}'")))
        return value.op(operator, is_comparison=True)(self.decimal(number))

    def ordered_list(self, item: Element) -> Element:
        return OrderedTexts(item.collate("C"))

    def session(self, timeout: int | None) -> list[str]:
        limit = f"SET LOCAL statement_timeout = {timeout * 1000}" if timeout is not None else ""
        return [
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            *([limit] if limit else []),
            *_SETTINGS,
        ]

    def check_query(self, connection: DatabaseConnection, query: OneSelect) -> None:
        require_single_statements(connection)
        called, names = _catalog_names(query.called), _catalog_names(query.names)
        functions = connection.rows(_CALLED.bindparams(called=called, members=_catalog_names(query.members)))
        _refuse("the function", (name for name, _, volatile in functions if volatile))
        operators = {*_UNWRITTEN_OPERATORS, *query.operators, *(name.rstrip("+-") for name in query.operators)}
        _refuse("the operator", _first(connection, _OPERATORS.bindparams(operators=sorted(operators))))
        casts = any(token.is_word("CAST") for token in query.tokens) or "::" in query.text
        _refuse("the type", _first(connection, _CASTS.bindparams(casts=casts, names=names)))
        is_extended = any(oid >= _FIRST_OWN_OBJECT for _, oid, _ in functions)
        trees = [
            *connection.rows(_VIEWS.bindparams(names=names)),
            *connection.rows(_DOMAINS.bindparams(names=names, oids=[])),
            *connection.rows(_DEFAULTS.bindparams(called=called)),
        ]
        if _check_trees(connection, trees) or is_extended:
            _pin_settings(connection)

    def check_view(self, connection: DatabaseConnection, schema: str | None, table: str) -> None:
        full_name = ".".join('"' + part.replace('"', '""') + '"' for part in (schema, table) if part is not None)
        if _check_trees(connection, connection.rows(_VIEW_BY_NAME.bindparams(name=full_name))):
            _pin_settings(connection)


def _pin_settings(connection: DatabaseConnection) -> None:
    """Restore settings before each query: a function declared stable may still have changed them."""
    if not connection.pinned:
        (path,) = connection.row(_SEARCH_PATH)
        connection.pinned = (*map(sa.text, _SETTINGS), _SET_SEARCH_PATH.bindparams(path=path))


def _check_trees(connection: DatabaseConnection, trees: Sequence[tuple[object, ...]]) -> bool:
    """Raise an error if a stored tree calls a volatile function; return whether one calls a user-defined function."""
    seen: set[object] = set()
    is_extended = False
    while trees:
        seen.update(oid for oid, _ in trees)
        texts = [str(tree) for _, tree in trees]
        functions, operators, relations, types = (
            sorted({int(oid) for text in texts for oid in pattern.findall(text)})
            for pattern in (_FUNCTION_IDS, _OPERATOR_IDS, _RELATION_IDS, _TYPE_IDS)
        )
        volatile = connection.rows(_IN_TREES.bindparams(functions=functions, operators=operators))
        _refuse("a view that calls the function", (name for name, _ in volatile))
        is_extended |= any(oid >= _FIRST_OWN_OBJECT for oid in functions)
        views = [oid for oid in relations if oid not in seen]
        domains = [oid for oid in types if -oid not in seen and oid >= _FIRST_OWN_OBJECT]
        trees = connection.rows(_VIEWS_BY_OID.bindparams(oids=views)) if views else []
        trees += connection.rows(_DOMAINS.bindparams(names=[], oids=domains)) if domains else []
    return is_extended


def _first(connection: DatabaseConnection, query: sa.TextClause) -> list[str]:
    return [row[0] for row in connection.rows(query)]


def _catalog_names(tokens: Iterable[Token]) -> list[str]:
    """Return names as in the catalog: in lower case unless quoted, and cut to the maximum length."""
    names = set()
    for token in tokens:
        for name in {token.value} if token.kind is TokenKind.QUOTED_NAME else {token.value, token.value.lower()}:
            names |= {name, name.encode()[:_LONGEST_NAME].decode(errors="ignore")}
    return sorted(names)


def _refuse(what: str, names: Iterable[str]) -> None:
    volatile = sorted(names)
    if volatile:
        raise InputError(
            f'the query uses {what} "{volatile[0]}", which is volatile: it may do more than read; '
            "use functions that the database calls stable or immutable"
        )
