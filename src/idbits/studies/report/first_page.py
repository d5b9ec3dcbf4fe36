"""The first page of a report: what the data are and for whom, the checks, what reaches the goal, and the decision."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from idbits._version import __version__
from idbits.render.blocks import Level
from idbits.render.first_page import DecisionBox, FirstPage, Standing
from idbits.render.numbers import count
from idbits.render.page import Term, shortened
from idbits.studies.report.about import about_terms, decision_terms
from idbits.studies.report.checks import checked_rows
from idbits.studies.report.reach import goal_reach, is_untreated, size_bars
from idbits.studies.report.text import source_name
from idbits.studies.shared.units import Unit
from idbits.wording import counted

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["first_page", "report_number"]

_QUESTION = "Can this table be handed over?"
_LONGEST_NAME = 80
_LONGEST_FACT = 120
_LONGEST_REASON = 300
_CHOICES = (
    ("Hand over", "as it is"),
    ("Hand over after treatment", "and accept what it leaves"),
    ("Do not hand over", ""),
)
_LINES = ("Reason", "Name", "Signature", "Date")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def first_page(report: Report) -> FirstPage:
    """Return all that is needed to decide."""
    checks, source = checked_rows(report), source_name(report)
    about = report.about
    dataset = _cut((about.dataset if about is not None else None) or source, _LONGEST_NAME)
    made, number = report.made_at, report_number(report)
    day = f"{made.day} {_MONTHS[made.month - 1]} {made.year}"
    level = report.verdict.level
    tone = "bad" if level is Level.BAD else "good"
    if level in (Level.WARN, Level.UNDECIDED) or (
        tone == "good" and any(row.standing is not Standing.WITHIN for row in checks)
    ):
        tone = "warn"
    return FirstPage(
        question=_QUESTION,
        date=f"Measured on {day}",
        dataset=dataset,
        day=day,
        running=f"Report {number}",
        lede=report.page.subject,
        facts=tuple(Term(term.name, _cut(term.meaning, _LONGEST_FACT)) for term in about_terms(about, always=True)),
        tone=tone,
        checks=checks,
        reach=goal_reach(report),
        bars=size_bars(report),
        decision=_decision(report),
        not_assessed=_not_assessed(report),
        provenance=_provenance(report, source, day, number),
    )


def _cut(text: str, longest: int) -> str:
    """Return the beginning of a text that is too long; the whole of it is in the evidence."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _decision(report: Report) -> DecisionBox:
    recorded = decision_terms(report.decision, None)
    return DecisionBox(
        _CHOICES, _LINES, tuple(Term(term.name, _cut(term.meaning, _LONGEST_REASON)) for term in recorded)
    )


def _not_assessed(report: Report) -> str:
    """Name in a few words what the figures do not cover."""
    measurement, advice = report.measurement, report.treatments.advice
    parts = [] if any(included.command in ("link", "leak") for included in report.included) else [
        "matching with other tables"
    ]  # fmt: skip
    parts += [] if any(included.command == "overlap" for included in report.included) else ["other releases"]
    if measurement.population is None and report.population is None:
        parts.append("whether others outside the table share these values")
    if measurement.unit is Unit.ROWS:
        parts.append("whether a person has several rows")
    if report.disclosure is None:
        parts.append("what groups give away about sensitive columns")
    elif advice is not None and not is_untreated(advice) and not report.treatments.given_away:
        parts.append("what groups of the treated table give away")
    return f"{', '.join(parts)}, the law. More under “Not assessed” below."


def _provenance(report: Report, source: str, day: str, number: str) -> str:
    origin, figures = report.origin, report.measurement.figures
    digest = origin.sha256
    hashed = f", SHA-256 {_in_fours(digest[:16])} … {digest[-4:]}" if digest is not None else ""
    files = f" ({counted(origin.files, 'file')})" if origin.files > 1 else ""
    made = report.made_at
    shown = "" if report.internal else " No value that fewer than 10 people have is shown in this report."
    return (
        f"{shortened(source, _LONGEST_NAME)}{files}, {count(figures.n_rows)} {'row' if figures.n_rows == 1 else 'rows'}"
        f"{hashed}. Report {number}, idbits {__version__}, {day} {made:%H:%M} UTC.{shown}"
    )


def _in_fours(text: str) -> str:
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def report_number(report: Report) -> str:
    """Return the beginning of the SHA-256 hash of the report's JSON file, which names it among others."""
    digest = hashlib.sha256(f"{report.to_json()}\n".encode()).hexdigest().upper()
    return f"{digest[:4]}-{digest[4:8]}"
