"""Where an error page leads: back to the form, with everything that was entered."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qsl, urlencode

from idbits.errors import InputError
from idbits.web.attack_request import AttackRequest
from idbits.web.link_request import LinkRequest
from idbits.web.overlap_request import OverlapRequest
from idbits.web.table_request import TableRequest

__all__ = ["ways_back"]

_BUSY = (429, 503)
_ABOUT_AN_ANSWER = ("report", "answer", "learnt", "population", "second", "time", "decide")
_REPEATABLE = (
    *(f"/measure/{page}" for page in _ABOUT_AN_ANSWER),
    "/measure/people",
    "/measure/columns",
    "/overlap/report",
    "/overlap/columns",
    "/link/report",
    "/link/columns",
    "/attack/report",
    "/attack/columns",
    "/repository",
)
_ANSWERS = tuple(f"/measure/{page}" for page in _ABOUT_AN_ANSWER)
_ABOUT_TABLES: dict[str, Callable[[Sequence[tuple[str, str]]], OverlapRequest | LinkRequest | AttackRequest]] = {
    "/overlap": OverlapRequest.read,
    "/link": LinkRequest.read,
    "/attack": AttackRequest.read,
}


def ways_back(
    path: str, query: str, status: int = 400, typed: Mapping[str, str] | None = None
) -> list[tuple[str, str]]:
    """Return the links of an error page, the most useful first: a name and an address each.

    ``typed`` are the fields of a decision that was sent, which its form then shows again.

    >>> ways_back("/measure/report", "in=0&file=people.csv&q=zip")[0]
    ('Back to the columns and options', '/measure/columns?in=0&file=people.csv&q=zip')
    >>> ways_back("/nowhere", "")
    [('Back to the questions', '/')]
    """
    ways = []
    if status in _BUSY and path in _REPEATABLE:
        ways.append(("Try again", f"{path}?{query}" if query else path))
    if path.startswith(_ANSWERS) and not path.startswith("/measure/decided") and (table := _table_query(query)):
        ways.append(("Back to the columns and options", f"/measure/columns?{table}"))
    about_tables = next((address for address in _ABOUT_TABLES if path.startswith(address)), None)
    if about_tables is not None:
        return [*ways, *_ways_to_tables(about_tables, path, query)]
    if path.startswith(("/measure/treat", "/measure/signed", "/measure/decided")) and (table := _table_query(query)):
        ways.append(("Back to the answer", f"/measure/answer?{table}"))
    if path.startswith("/measure"):
        return [*ways, ("Choose another table", "/measure")]
    entry = re.match("/repository/entries/[0-9a-f]{16}", path)
    if entry is not None and path != entry[0]:
        ways.append(("Back to the entry", f"{entry[0]}?{urlencode(typed)}" if typed else entry[0]))
    if path.startswith("/repository"):
        return [*ways, ("Back to the repository", "/repository")]
    return [*ways, ("Back to the questions", "/")]


def _ways_to_tables(address: str, path: str, query: str) -> list[tuple[str, str]]:
    """Return the form with the tables of a request, if it can be read, and the choice of tables."""
    another = ("Choose other tables", address)
    try:
        asked = _ABOUT_TABLES[address](parse_qsl(query, max_num_fields=10_000))
    except (InputError, ValueError):
        return [another]
    is_form = path.startswith(f"{address}/report") and asked.tables
    return [*([("Back to the columns and options", f"{address}/columns?{asked.query()}")] if is_form else []), another]


def _table_query(query: str) -> str:
    """Return the request for a table, as it is in addresses; nothing for one that cannot be read."""
    try:
        return TableRequest.read(parse_qsl(query, max_num_fields=10_000)).query()
    except (InputError, ValueError):
        return ""
