"""Entries as text and charts for a page."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from idbits.measures.entropy import bits_about_person
from idbits.render.attributes import plain_attributes
from idbits.render.blocks import Verdict
from idbits.render.numbers import about, bits, bits_of, count, fixed, share
from idbits.render.pictures import line_chart, share_bars
from idbits.repository.entries import Entry
from idbits.repository.importing import EntryOrigin
from idbits.repository.queries import QueryAnswer, Spread, bound_text
from idbits.web.forecasting import curve

__all__ = [
    "answer_in_words", "decision_row", "entry_charts", "entry_row", "facts", "moment", "population_in_words",
    "provenance", "qid_in_words", "spread_in_words",
]  # fmt: skip

_MOST_CELLS = 200


def entry_charts(entry: Entry, k: int) -> dict[str, object]:
    """Return the charts of an entry and the numbers of their captions."""
    statement = entry.statement
    shares = [cell.people / statement.n_people for cell in entry.cells]
    predicted = curve(entry)
    lines = [("second", predicted.approximate)]
    if predicted.exact:
        lines.append(("first", predicted.exact))
    bars = share_bars(shares, statement.n_values, "bars-words") if shares else ""
    line = line_chart(lines, "line-words", "people who answer", k)
    rest = statement.distribution.rest_values if statement.distribution is not None else 0
    return {
        "bars": Markup(bars),  # noqa: S704 (numbers only)
        "line": Markup(line),  # noqa: S704 (numbers only)
        "exact": bool(predicted.exact),
        "largest": share(shares[0]) if shares else "",
        "equal": share(1 / statement.n_values),
        "rest": count(rest) if rest else "",
        "cells": [
            (
                " · ".join(value if value is not None else "(none)" for value in cell.value),
                count(cell.people),
                share(cell.people / statement.n_people),
            )
            for cell in entry.cells[:_MOST_CELLS]
        ],
        "more_cells": max(0, len(entry.cells) - _MOST_CELLS),
    }


def qid_in_words(qid: tuple[str, ...]) -> str:
    """Return a quasi-identifier in plain words."""
    phrase = plain_attributes(qid)
    return f"{phrase[0].upper()}{phrase[1:]}"


def population_in_words(population: tuple[tuple[str, str], ...]) -> str:
    """Return a population in plain words."""
    return ", ".join(value for _, value in sorted(population, key=lambda pair: pair[0] == "country"))


def facts(entry: Entry) -> list[tuple[str, str, str]]:
    """Return the figures, each with a name and its meaning."""
    statement = entry.statement
    if entry.is_retracted:
        return []
    given, most = bits_of(statement.entropy_bits, bits_about_person(statement.n_people)).split(" of the ")
    return [
        ("People counted", count(statement.n_people), "in this population"),
        ("Possible answers", count(statement.n_values), "different answers that people could give"),
        (
            "Given away",
            f"{given} bits",
            f"of the {most} that single out everyone, by an answer on average; each bit halves the group",
        ),
        ("Typical group", about(statement.k_hat), "people with the same answer"),
        (
            "Unevenness",
            fixed(statement.kappa_nats, 4),
            "0 if all answers are equally common, higher if a few are much more common (in nats)",
        ),
    ]


def provenance(entry: Entry, origin: EntryOrigin | None = None) -> list[tuple[str, str]]:
    """Return the source of an entry as names and values; ``origin`` is where an imported one was published."""
    statement = entry.statement
    rows = [
        ("Holder", statement.holder),
        ("Questions", ", ".join(statement.qid)),
        ("Population", ", ".join(f"{name} = {value}" for name, value in statement.population)),
        ("Date", statement.date),
        ("Method", statement.method if not entry.is_retracted else ""),
        ("Source", statement.source if not entry.is_retracted else ""),
        (
            "Part of the population counted",
            share(statement.coverage) if statement.coverage is not None else "not stated",
        ),
        ("Published", f"{moment(entry.published_at)} by {entry.publisher}" if entry.imported_from is None else ""),
        ("Imported", f"{moment(entry.published_at)} from {entry.imported_from}" if entry.imported_from else ""),
        ("Published there", f"{moment(origin.published_at)} by {origin.publisher}" if origin is not None else ""),
        ("Reference", entry.ref),
        ("Signature", f"verified with the key {entry.public_key[:16]}…"),
        ("Audit log", f"line {entry.sequence}"),
        ("Replaces", statement.supersedes or ""),
    ]
    return [row for row in rows if row[1]]


def moment(text: str) -> str:
    """Return a moment to the minute."""
    return f"{text[:16].replace('T', ' ')} UTC"


def entry_row(entry: Entry) -> dict[str, object]:
    """Return an entry as a row of a list."""
    statement = entry.statement
    return {
        "ref": entry.ref,
        "qid": qid_in_words(statement.qid),
        "where": population_in_words(statement.population),
        "holder": statement.holder,
        "date": statement.date,
        "status": entry.status,
        "people": "" if entry.is_retracted else about(statement.n_people),
        "bits": "" if entry.is_retracted else bits(statement.entropy_bits),
        "crowd": "" if entry.is_retracted else about(statement.k_hat),
        "kappa": "" if entry.is_retracted else fixed(statement.kappa_nats, 4),
    }


def spread_in_words(entries: tuple[Entry, ...]) -> str:
    """Return how much some entries differ."""
    spread = Spread.of(entries)
    assert spread is not None
    return (
        f"{spread.entries} entries of {spread.holders} {'holder' if spread.holders == 1 else 'holders'} range from "
        f"{bits(spread.entropy_bits_min)} to {bits(spread.entropy_bits_max)} bits, with an unevenness of "
        f"{fixed(spread.kappa_nats_min, 4)} to {fixed(spread.kappa_nats_max, 4)}."
    )


def answer_in_words(answer: QueryAnswer | None) -> dict[str, object] | None:
    """Return the answer to a query in words."""
    if answer is None:
        return None
    verdict = answer.blocks()[0]
    assert isinstance(verdict, Verdict)
    best = sorted(answer.bounds, key=lambda bound: bound is not answer.best(bound.side))
    shown = [(bound.side, bound_text(bound), bound.refs, bound.why) for bound in best]
    return {
        "level": str(verdict.level),
        "title": verdict.title,
        "sentence": verdict.sentence,
        "bounds": shown[:4],
        "more_bounds": shown[4:],
        "limits": answer.limits,
    }


def decision_row(decision: Mapping[str, object]) -> dict[str, str]:
    """Return a decision as a row of a list."""
    names = ("ref", "decision", "by", "why", "recorded_at", "recorded_by")
    row = {name: str(decision.get(name, "")) for name in names}
    return row | {"when": moment(row["recorded_at"])}
