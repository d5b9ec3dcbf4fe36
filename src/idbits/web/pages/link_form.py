"""The form of the page Second table: which columns are compared, how, and what is known about the second table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypedDict, cast
from urllib.parse import urlencode

from idbits.render.numbers import share
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.link_request import EVERYONE, NOTHING, ODDS, SHARE, VALUES, LinkRequest
from idbits.web.table_request import labelled_views
from idbits.web.wording import without_commands
from idbits.web.work.worker import ColumnFacts
from idbits.wording import counted

__all__ = ["link_form", "missing_message"]

_KNOWN = [
    (NOTHING, "Nothing", "We count what an attacker would claim, and say at most how many claims can be right."),
    (EVERYONE, "Everyone in the release is in it", "For example a register of the whole population."),
    (SHARE, "A share of the people in the release is in it", "For example 80 for a voter roll with 8 of 10 adults."),
]
_COMPARE = [
    (
        VALUES,
        "Each column by itself",
        "A person fits a record if all ticked columns agree, as exactly as you choose.",
    ),
    (
        ODDS,
        "All columns together, with typing errors",
        "One difference does not rule a person out, and each link gets a probability. It takes at least three columns, "
        "and about 50 people who are in both tables.",
    ),
]
_LEAST_SHARED = 0.05
_DATES = (("~3d", "at most 3 days apart"), ("~31d", "at most 31 days apart"), ("~366d", "at most a year apart"))
_NUMBERS = (
    ("~1", "at most 1 apart"),
    ("~5%", "at most 5% apart"),
    ("~edit1", "one digit wrong, missing or swapped"),
)
_TEXTS = (
    ("~fold", "without capitals, accents and spaces"),
    ("~fold~edit1", "one letter wrong, missing or swapped"),
    ("~fold~jw0.92", "spelt alike"),
)
_TOLERANCES = {
    **dict.fromkeys(("date", "text (dates)"), _DATES),
    **dict.fromkeys(("integer", "number", "text (numbers)"), _NUMBERS),
    **dict.fromkeys(("text", "text (codes)"), _TEXTS),
}
"""How near values may be, by what a column reads as."""
_HAS_TOLERANCE = re.compile(r"~(?:[0-9.]+(?:d|%|km)?|edit[0-9]+|jw[0-9.]+|fold|trim)$")
_PLAIN_NAME = re.compile(r"[^:=~]+")


class MatchFacts(TypedDict):
    """A proposed pair of columns, as ``studies.link.matching.ProposedPair`` has it."""

    on: str
    first: str
    second: str
    same_name: bool
    shared: float | None


def missing_message(asked: LinkRequest) -> str | None:
    """Say what is missing or contradictory in a form; None if it is complete."""
    if not asked.on:
        return "tick at least one pair of columns to compare"
    if asked.share and asked.known != SHARE:
        return "choose “A share of the people in the release is in it”, or remove the share"
    if asked.compare == ODDS:
        problem = _problem_of_odds(asked)
        if problem is not None:
            return problem
    elif asked.claim:
        return "choose “All columns together, with typing errors”, or remove the probability"
    if any(asked.truth) and not all(asked.truth):
        return "choose the column that identifies people in both tables, or in neither"
    if all(asked.truth) and asked.known != NOTHING:
        return (
            "choose “Nothing” for what is known about the second table: the column that identifies people shows who "
            "is in it"
        )
    return None


def _problem_of_odds(asked: LinkRequest) -> str | None:
    """Say what cannot be combined with links by odds."""
    if asked.known != NOTHING:
        return "choose “Nothing” for what is known about the second table: with typing errors, matches are estimated"
    if asked.option("sensitive"):
        return "choose “nothing” for what is to stay secret, or compare each column by itself"
    if any(_HAS_TOLERANCE.search(item) for item in asked.on):
        return "choose “as it is” or a coarser view for each column: typing errors are weighed anyway"
    return None


def link_form(
    asked: LinkRequest, results: Sequence[JsonObject], matches: Sequence[MatchFacts], *, is_sent: bool
) -> dict[str, object]:
    """Return what the page of the form shows; if it was sent, nothing is ticked by itself."""
    facts = [cast("list[ColumnFacts]", result["columns"]) for result in results]
    is_new = not asked.on and not is_sent
    suggested = {column["column"] for column in facts[0] if column["suggested"] is not None}
    ladders = [cast("list[list[str]]", result["views"]) for result in results]
    columns = [
        {column["column"]: (column, ladder) for column, ladder in zip(each, views, strict=True)}
        for each, views in zip(facts, ladders, strict=True)
    ]
    rows = [_row(match, asked, columns, ticked=is_new and _is_likely(match, suggested)) for match in matches]
    proposed = {item for match in matches for item in (match["on"], *(item for item, _ in _ways(match, columns)))}
    return {
        "matches": [
            *rows,
            *(
                {"on": on, "first": on, "second": on, "hint": "", "picked": True, "ways": []}
                for on in asked.on
                if on not in proposed
            ),
        ],
        "names": [[column["column"] for column in each] for each in facts],
        "n_rows": [counted(cast("int", result["n_rows"]), "row") for result in results],
        "n_columns": [counted(len(each), "column") for each in facts],
        "known": _KNOWN,
        "compare": _COMPARE,
        "notes": list(
            dict.fromkeys(without_commands(note) for result in results for note in cast("list[str]", result["notes"]))
        ),
    }


def _is_likely(match: MatchFacts, suggested: set[str]) -> bool:
    """Whether a pair is ticked before anything is chosen: columns someone may know, with values in both tables."""
    return match["first"] in suggested and (match["shared"] or 0.0) >= _LEAST_SHARED


ColumnsByName = Mapping[str, tuple[ColumnFacts, Sequence[str]]]
"""The columns of a table with their coarser views."""


def _row(match: MatchFacts, asked: LinkRequest, columns: Sequence[ColumnsByName], *, ticked: bool) -> dict[str, object]:
    """Return the row of a pair on the page, with the ways to compare it; ``ticked`` even if it was not chosen."""
    names = "Same name" if match["same_name"] else "Same kind of values"
    shared = match["shared"]
    values = "no value to compare" if shared is None else f"{share(shared)} of the values are in both tables"
    if shared == 0:
        values = "not one value is written alike, so nobody would match"
    ways = [
        (urlencode({"on": match["on"], "as": item}), label, item in asked.on) for item, label in _ways(match, columns)
    ]
    is_chosen = match["on"] in asked.on or any(chosen for _, _, chosen in ways)
    return {**match, "picked": ticked or is_chosen, "ways": ways, "hint": f"{names} · {values}"}


def _ways(match: MatchFacts, columns: Sequence[ColumnsByName]) -> list[tuple[str, str]]:
    """Return the coarser views that both columns have, and how near values may be, as items of ``link`` with labels."""
    first, second = match["first"], match["second"]
    if not all(_PLAIN_NAME.fullmatch(name) for name in (first, second)):
        return []
    (own, views), (other, other_views) = columns[0][first], columns[1][second]
    coarser = [view for view in views if view in other_views and not view.startswith("top")]
    other_name = "" if first == second else f"={second}"
    ways = [(f"{first}:{view}{other_name}", label) for view, label in labelled_views(coarser)]
    tolerances = [_TOLERANCES.get(column["reads_as"], ()) for column in (own, other)]
    near = [each for each in tolerances[0] if each in tolerances[1]]
    return [*ways, *((f"{match['on']}{tolerance}", label) for tolerance, label in near)]
