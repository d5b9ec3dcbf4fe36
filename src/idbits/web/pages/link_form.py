"""The form of the page Second table: which columns are compared, and what is known about the second table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, cast

from idbits.render.numbers import share
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.link_request import EVERYONE, NOTHING, SHARE, LinkRequest
from idbits.web.wording import without_commands
from idbits.web.work.worker import ColumnFacts
from idbits.wording import counted

__all__ = ["link_form", "missing_message"]

_KNOWN = [
    (NOTHING, "Nothing", "We count what an attacker would claim, and say at most how many claims can be right."),
    (EVERYONE, "Everyone in the release is in it", "For example a register of the whole population."),
    (SHARE, "A share of the people in the release is in it", "For example 80 for a voter roll with 8 of 10 adults."),
]
_LEAST_SHARED = 0.05


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
    if any(asked.truth) and not all(asked.truth):
        return "choose the column that identifies people in both tables, or in neither"
    if all(asked.truth) and asked.known != NOTHING:
        return (
            "choose “Nothing” for what is known about the second table: the column that identifies people shows who "
            "is in it"
        )
    return None


def link_form(
    asked: LinkRequest, results: Sequence[JsonObject], matches: Sequence[MatchFacts], *, is_sent: bool
) -> dict[str, object]:
    """Return what the page of the form shows; if it was sent, nothing is ticked by itself."""
    facts = [cast("list[ColumnFacts]", result["columns"]) for result in results]
    is_new = not asked.on and not is_sent
    suggested = {column["column"] for column in facts[0] if column["suggested"] is not None}
    rows = [
        _row(match, ticked=_is_likely(match, suggested) if is_new else match["on"] in asked.on) for match in matches
    ]
    proposed = {match["on"] for match in matches}
    return {
        "matches": [
            *rows,
            *(
                {"on": on, "first": on, "second": on, "hint": "", "picked": True}
                for on in asked.on
                if on not in proposed
            ),
        ],
        "names": [[column["column"] for column in each] for each in facts],
        "n_rows": [counted(cast("int", result["n_rows"]), "row") for result in results],
        "n_columns": [counted(len(each), "column") for each in facts],
        "known": _KNOWN,
        "notes": list(
            dict.fromkeys(without_commands(note) for result in results for note in cast("list[str]", result["notes"]))
        ),
    }


def _is_likely(match: MatchFacts, suggested: set[str]) -> bool:
    """Whether a pair is ticked before anything is chosen: columns someone may know, with values in both tables."""
    return match["first"] in suggested and (match["shared"] or 0.0) >= _LEAST_SHARED


def _row(match: MatchFacts, *, ticked: bool) -> dict[str, object]:
    """Return the row of a pair on the page."""
    names = "Same name" if match["same_name"] else "Same kind of values"
    shared = match["shared"]
    values = "no value to compare" if shared is None else f"{share(shared)} of the values are in both tables"
    if shared == 0:
        values = "not one value is written alike, so nobody would match"
    return {**match, "picked": ticked, "hint": f"{names} · {values}"}
