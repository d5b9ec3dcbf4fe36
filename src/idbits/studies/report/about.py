"""What the reader of a report must know besides figures: whose data, for whom and why; and the decision."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path

from idbits.errors import InputError
from idbits.render.page import Term
from idbits.storage import expand_home
from idbits.studies.decide.result import DECISIONS, DecisionRecord
from idbits.studies.decide.text import moment
from idbits.studies.shared.documents import read_toml
from idbits.wording import near_names

__all__ = ["ReportAbout", "about_terms", "decision_terms", "read_about"]

_LONGEST = 1_000
_BESIDE_FACTS = ("dataset", "notes")
_LABELS = {
    "dataset": "Dataset",
    "purpose": "Purpose",
    "recipient": "Recipient",
    "retention": "Kept until",
    "owner": "Data owner",
    "legal_basis": "Legal basis",
    "assessor": "Assessed by",
    "notes": "Notes",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportAbout:
    """What ``--about`` says; None for a line that is filled in by hand.

    Attributes:
        dataset: what the data are.
        purpose: what they are handed over for.
        recipient: who gets them.
        legal_basis: what allows it.
        assessor: who wrote the report.
        retention: how long the recipient keeps the data.
        notes: anything else.
        owner: who is responsible for the data.
    """

    dataset: str | None = None
    purpose: str | None = None
    recipient: str | None = None
    legal_basis: str | None = None
    assessor: str | None = None
    retention: str | None = None
    notes: str | None = None
    owner: str | None = None


def read_about(path: str | os.PathLike[str]) -> ReportAbout:
    """Read the file of ``--about``; anything unknown in it is an error."""
    file = Path(expand_home(path))
    called = f'"{file}"'
    data = read_toml(file, called)
    known = [field.name for field in fields(ReportAbout)]
    for key, value in data.items():
        if key not in known:
            hint = near_names(key, known) or f"; the keys are {', '.join(known)}"
            raise InputError(f'{called}: unknown key "{key}"{hint} (--about)')
        if not isinstance(value, str):
            raise InputError(f'{called}: "{key}" must be a text in quotes (--about)')
        if len(value) > _LONGEST:
            raise InputError(
                f'{called}: "{key}" has {len(value):,} characters; at most {_LONGEST:,} are possible (--about)'
            )
    return ReportAbout(**{key: value.strip() or None for key, value in data.items()})


def about_terms(about: ReportAbout | None, *, always: bool = False) -> tuple[Term, ...]:
    """Return the head of the page; a term without a meaning is a line to fill in.

    ``always``: the six facts that the first page always has; otherwise all, and nothing if nobody asked for it.
    """
    if about is None and not always:
        return ()
    given = {key: getattr(about or ReportAbout(), key) for key in _LABELS}
    if always:
        return tuple(Term(label, given[key] or "") for key, label in _LABELS.items() if key not in _BESIDE_FACTS)
    return tuple(Term(label, given[key] or "") for key, label in _LABELS.items() if given[key] or key != "notes")


def decision_terms(decision: DecisionRecord | None, about: ReportAbout | None) -> tuple[Term, ...]:
    """Return the decision box: the recorded decision, or lines to fill in; nothing if nobody asked for it."""
    if decision is None:
        choices = "   ".join(f"☐ {words}" for words in DECISIONS.values())
        names = ("Name", "Date", "Reason", "Signature")
        return (Term("Decision", choices), *(Term(name, "") for name in names)) if about is not None else ()
    signed = f"with the key {decision.public_key}" if decision.public_key is not None else "no"
    return (
        Term("Decided", decision.title),
        Term("Name", decision.by),
        Term("Date", moment(decision)),
        Term("Reason", decision.why),
        Term("Signed", signed),
        Term("Reference", decision.reference),
    )
