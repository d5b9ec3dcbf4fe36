"""Dates in DuckDB's SQL: texts read as dates, and instants in a time zone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from idbits.engines.duckdb.connection import literal
from idbits.engines.duckdb.values import has_pattern
from idbits.values.dates import CLOCK_PATTERNS, DATE_FORMS, FIRST_SHORT_YEAR, MONTH_NUMBERS, DateForm
from idbits.values.shapes import LONGEST_SHAPE, SHAPE_STEPS
from idbits.values.zones import FAR, FOLD_YEARS, Zone, decision_tree

__all__ = ["date_of", "form_number", "has_zone", "in_zone", "number_of", "parts_relation", "seconds_to_utc", "shape"]

# Names in rows of twelve: of three letters, in full, the other one of September, and quarters by their first month.
_MONTH_ROWS = [
    (3 if word.startswith("q") else (len(word) > 3) + (word == "sept"), word, number)
    for word, number in MONTH_NUMBERS.items()
]
_BEGINNING = r"^\s*"
_CLOCK = ("hour", "minute", "second", "half", "sign", "hours", "minutes", "seconds")


def number_of(form: DateForm) -> int:
    """Return the number by which a form is known in SQL."""
    return DATE_FORMS.index(form)


def form_number(value: str, forms: Sequence[DateForm] = DATE_FORMS) -> str:
    """Return the SQL of the number of a text's form; null if it has none of these forms."""
    cases = " ".join(f"WHEN {has_pattern(value, form.pattern)} THEN {number_of(form)}" for form in forms)
    return f"CASE {cases} END" if forms else "CAST(NULL AS INTEGER)"


def parts_relation(relation: str, columns: str, forms: Sequence[DateForm], *, may_be: str | None = None) -> str:
    """Return the query that adds to texts (the column value) the number of their form and the parts of their date.

    Texts that do not match the pattern ``may_be`` have no form.
    """
    cases = " ".join(f"WHEN {number_of(form)} THEN {_parts_of('value', form)}" for form in forms)
    parts = f"CASE form {cases} END" if forms else "NULL"
    number = form_number("value", forms)
    if may_be is not None:
        number = f"CASE WHEN {has_pattern('value', may_be)} THEN {number} END"
    return f"SELECT {columns}, form, {parts} AS parts FROM (SELECT *, {number} AS form FROM {relation})"


def _parts_of(value: str, form: DateForm) -> str:
    # Only the beginning of the text is read again. Empty groups give all forms the same number of parts.
    missing = "()" * (3 - max(form.orders[next(iter(form.orders))]))
    return f"regexp_extract({value}, {literal(_BEGINNING + form.head + missing)}, ['p1', 'p2', 'p3'])"


def date_of(forms: Sequence[DateForm], order: str) -> str:
    """Return the SQL of the date in a row of ``parts_relation``; null if there is none in this order."""
    cases = [f"WHEN {number_of(form)} THEN {_date_of_form(form, order)}" for form in forms if order in form.orders]
    return f"CASE form {' '.join(cases)} END" if cases else "CAST(NULL AS DATE)"


def _date_of_form(form: DateForm, order: str) -> str:
    groups = form.orders[order]

    def number(group: int) -> str:
        # DuckDB may cast the parts of other forms, too.
        return f"TRY_CAST(parts.p{group} AS INTEGER)" if group else "1"

    year = number(groups.year)
    if form.has_short_year:
        year = f"({year} + CASE WHEN {year} >= {FIRST_SHORT_YEAR} THEN 1900 ELSE 2000 END)"
    month = _month_of(f"parts.p{groups.month}") if form.has_month_name else number(groups.month)
    return f"CASE WHEN {year} > 0 THEN TRY(make_date({year}, {month}, {number(groups.day)})) END"


def _month_of(name: str) -> str:
    # Each name at a position that leaves its number: a list is planned faster than as many cases.
    names = {number + 12 * row: word for row, word, number in _MONTH_ROWS}
    words = ", ".join(literal(names.get(position, "")) for position in range(1, max(names) + 1))
    return f"((list_position([{words}], lower({name})) - 1) % 12 + 1)"


def has_zone(value: str) -> str:
    """Return the SQL condition that a text of a form has a time of day with a time zone."""
    return "(" + " OR ".join(has_pattern(value, pattern) for pattern in CLOCK_PATTERNS) + ")"


def seconds_to_utc(value: str) -> str:
    """Return the SQL of the seconds from the written day to the instant in UTC; null for a text without a zone."""
    cases = []
    for pattern in CLOCK_PATTERNS:
        groups = f"[{', '.join(map(literal, _CLOCK))}]"
        parts = f"regexp_extract({value}, {literal('^' + pattern + '$')}, {groups})"
        hour, minute, second, _, _, *offset = (f"coalesce(TRY_CAST({parts}.{name} AS INTEGER), 0)" for name in _CLOCK)
        afternoon = f"({hour} % 12 + CASE WHEN lower({parts}.half) = 'p' THEN 12 ELSE 0 END)"
        hours = f"CASE WHEN {parts}.half <> '' AND {hour} <= 12 THEN {afternoon} ELSE {hour} END"
        east = f"({offset[0]} * 3600 + {offset[1]} * 60 + {offset[2]})"
        signed = f"(CASE WHEN {parts}.sign = '-' THEN {east} ELSE -{east} END)"
        cases.append(f"WHEN {has_pattern(value, pattern)} THEN ({hours}) * 3600 + {minute} * 60 + {second} + {signed}")
    return f"CASE {' '.join(cases)} END"


def in_zone(instant: str, zone: Zone, *, is_far: bool) -> str:
    """Return the SQL of the local time of an instant, which is a column with a timestamp in UTC."""
    offsets = zone.offset_changes(is_far=is_far)
    compared = instant
    if is_far:
        years = f"to_years({FOLD_YEARS} * ((year({instant}) - {FAR.year}) // {FOLD_YEARS}))"
        compared = f"(CASE WHEN year({instant}) >= {FAR.year + FOLD_YEARS} THEN {instant} - {years} ELSE {instant} END)"

    def choose(at: datetime, before: str, after: str) -> str:
        return f"CASE WHEN {compared} < TIMESTAMP '{at.isoformat(sep=' ')}' THEN {before} ELSE {after} END"

    return f"({instant} + to_seconds({decision_tree(offsets, str, choose)}))"


def shape(value: str) -> str:
    """Return the SQL of the shape of a text, one sign longer than what is shown."""
    written = f"left({value}, {LONGEST_SHAPE + 1})"
    for pattern, sign in SHAPE_STEPS:
        written = f"regexp_replace({written}, {literal(pattern)}, {literal(sign)}, 'g')"
    return written
