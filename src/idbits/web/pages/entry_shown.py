"""Entries in the words and pictures of a page."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from idbits.render.attributes import plain_attributes
from idbits.render.blocks import Verdict
from idbits.render.numbers import about, bits, count, fixed, share
from idbits.render.pictures import line_chart, share_bars
from idbits.repository.answers import QueryAnswer, Spread, outward
from idbits.repository.model import Entry
from idbits.web.forecasting import curve

__all__ = ["answered", "charts", "decided", "facts", "listed", "named", "provenance", "spread_words", "where"]

_MOST_CELLS = 200


def charts(entry: Entry, k: int) -> dict[str, Any]:
    """Return the charts of an entry, and what stands beside them."""
    said = entry.statement
    shares = [cell.people / said.n_people for cell in entry.cells]
    drawn = curve(entry)
    lines = [("second", drawn.approximate)]
    if drawn.exact:
        lines.append(("first", drawn.exact))
    bars = share_bars(shares, said.n_values, "bars-words") if shares else ""
    line = line_chart(lines, "line-words", "people who answer", k)
    rest = said.distribution.rest_values if said.distribution is not None else 0
    return {
        "bars": Markup(bars),  # noqa: S704 (numbers only)
        "line": Markup(line),  # noqa: S704 (numbers only)
        "exact": bool(drawn.exact),
        "largest": share(shares[0]) if shares else "",
        "equal": share(1 / said.n_values),
        "rest": count(rest) if rest else "",
        "cells": [
            (
                " · ".join(value if value is not None else "(none)" for value in cell.value),
                count(cell.people),
                share(cell.people / said.n_people),
            )
            for cell in entry.cells[:_MOST_CELLS]
        ],
        "more_cells": max(0, len(entry.cells) - _MOST_CELLS),
    }


def named(qid: tuple[str, ...]) -> str:
    """Return a quasi-identifier in plain words."""
    said = plain_attributes(qid)
    return f"{said[0].upper()}{said[1:]}"


def where(population: tuple[tuple[str, str], ...]) -> str:
    """Return a population in plain words."""
    return ", ".join(value for _, value in sorted(population, key=lambda pair: pair[0] == "country"))


def facts(entry: Entry) -> list[tuple[str, str, str]]:
    """Return the figures with a sentence each: a name, the figure, what it means."""
    said = entry.statement
    if entry.is_retracted:
        return []
    return [
        ("People counted", count(said.n_people), "in this population"),
        ("Possible answers", count(said.n_values), "different ones that somebody could give"),
        ("Given away", f"{bits(said.entropy_bits)} bits", "by an answer, on average; a bit halves the crowd"),
        ("Typical crowd", about(said.k_hat), "people who share an answer (k-hat)"),
        ("Unevenness", f"{fixed(said.kappa_nats, 4)} nats", "kappa: 0 when all answers are equally common"),
    ]


def provenance(entry: Entry) -> list[tuple[str, str]]:
    """Return where an entry comes from: names and values."""
    said = entry.statement
    rows = [
        ("Holder", said.holder),
        ("Questions", ", ".join(said.qid)),
        ("Population", ", ".join(f"{name} = {value}" for name, value in said.population)),
        ("Describes", said.date),
        ("Method", said.method if not entry.is_retracted else ""),
        ("Source", said.source if not entry.is_retracted else ""),
        ("Coverage", share(said.coverage) if said.coverage is not None else "not stated"),
        ("Published", f"{_moment(entry.published_at)} by {entry.publisher}"),
        ("Reference", entry.ref),
        ("Signature", f"verified (Ed25519, key {entry.public_key[:16]}…)"),
        ("Audit log", f"line {entry.sequence}"),
        ("Supersedes", said.supersedes or ""),
    ]
    return [row for row in rows if row[1]]


def _moment(text: str) -> str:
    """Return a moment to the minute."""
    return f"{text[:16].replace('T', ' ')} UTC"


def listed(entry: Entry) -> dict[str, Any]:
    """Return what a list says about an entry."""
    said = entry.statement
    return {
        "ref": entry.ref,
        "qid": named(said.qid),
        "where": where(said.population),
        "holder": said.holder,
        "date": said.date,
        "status": entry.status,
        "people": "" if entry.is_retracted else about(said.n_people),
        "bits": "" if entry.is_retracted else bits(said.entropy_bits),
        "crowd": "" if entry.is_retracted else about(said.k_hat),
        "kappa": "" if entry.is_retracted else fixed(said.kappa_nats, 4),
    }


def spread_words(entries: tuple[Entry, ...]) -> str:
    """Return how far some entries lie apart."""
    spread = Spread.of(entries)
    assert spread is not None
    return (
        f"{spread.entries} entries of {spread.holders} {'holder' if spread.holders == 1 else 'holders'} lie between "
        f"{bits(spread.entropy_bits_min)} and {bits(spread.entropy_bits_max)} bits, "
        f"kappa {fixed(spread.kappa_nats_min, 4)} to {fixed(spread.kappa_nats_max, 4)} nats."
    )


def answered(answer: QueryAnswer | None) -> dict[str, Any] | None:
    """Return what a query has found, in words."""
    if answer is None:
        return None
    verdict = answer.blocks()[0]
    assert isinstance(verdict, Verdict)
    best = sorted(answer.bounds, key=lambda bound: bound is not answer.best(bound.side))
    shown = [(bound.side, outward(bound), bound.refs, bound.why) for bound in best]
    return {
        "level": str(verdict.level),
        "title": verdict.title,
        "sentence": verdict.sentence,
        "bounds": shown[:4],
        "more_bounds": shown[4:],
        "limits": answer.limits,
    }


def decided(one: dict[str, Any]) -> dict[str, str]:
    """Return a decision as the page shows it."""
    told = {name: str(one.get(name, "")) for name in ("ref", "decision", "by", "why", "recorded_at", "recorded_by")}
    return told | {"when": _moment(told["recorded_at"])}
