"""What every page of the guided path shows: the four steps, the verdict, and the tabs of the answer."""

from __future__ import annotations

from starlette.requests import Request

from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browser import with_query
from idbits.web.pages.table_tasks import known_answer
from idbits.web.table_request import OfferedTable, TableRequest

__all__ = ["TABS", "path_page", "tab_page"]

TABS = {
    "answer": "People",
    "learnt": "What is learnt",
    "population": "Population",
    "second": "Second table",
    "time": "Over time",
    "treat": "Treat",
    "decide": "Decide",
}
"""The tabs of an answer, by the last part of their addresses."""

_STEPS = (("File", "/measure"), ("People", "/measure/people"), ("Columns", "/measure/columns"), ("Answer", ""))


def path_page(step: int, asked: TableRequest | None = None, table: OfferedTable | None = None) -> dict[str, object]:
    """Return what a page of the path shows: where it is, and the way back to the steps before."""
    query = asked.without_reveal().query() if asked is not None else ""
    steps = [
        {
            "number": number,
            "name": name,
            "address": (address if number == 1 else f"{address}?{query}") if number < step and asked else "",
            "is_done": number < step,
            "is_now": number == step,
        }
        for number, (name, address) in enumerate(_STEPS, start=1)
    ]
    return {"steps": steps, "asked": asked, "table": table, "query": query}


def tab_page(
    request: Request, asked: TableRequest, table: OfferedTable | None, tab: str, answer: JsonObject | None = None
) -> dict[str, object]:
    """Return what a tab shows besides its own content; the verdict only if the table has been measured."""
    plain = asked.without_reveal()
    query = plain.query()
    known = answer if answer is not None else known_answer(request, asked)
    return {
        **path_page(4, plain, table),
        "tab": tab,
        "tabs": [(key, name, f"/measure/{key}?{query}") for key, name in TABS.items()],
        "answer": known["answer"] if known is not None else None,
        "verdict": known["verdict"] if known is not None else None,
        "level": known["level"] if known is not None else None,
        "report_address": f"/measure/report?{query}",
        "json_address": with_query(request, "/measure/report.json"),
    }
