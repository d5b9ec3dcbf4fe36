"""What a second table tells about records, and attacks on synthetic data, as figures: ``link.records.one_to_one``."""

from __future__ import annotations

from typing import Any

from idbits.errors import DataError, EngineError, NotEstimableError
from idbits.studies.check.policy import LINK, Dataset, Rule
from idbits.studies.shared.rules import reason_of
from idbits.studies.shared.serialisation import UncheckedData

__all__ = ["link_figures", "why_not_linked"]

_REASON = "reason"


def link_figures(dataset: Dataset, machine: UncheckedData) -> UncheckedData:
    """Return the figures of link if a rule is about them; the reason if they cannot be measured."""
    if dataset.link is None or not any(rule.figure.startswith(f"{LINK}.") for rule in dataset.rules):
        return {}
    from idbits.studies.link.study import link

    asked: dict[str, Any] = dict(dataset.link)
    own = {f"{name}_b": asked.pop(name) for name in ("where", "count", "table") if name in asked}
    reading: dict[str, Any] = {**dataset.reading, **machine, **own}
    try:
        return {LINK: dict(link(dataset.source, asked.pop("second", None), **asked, **reading).to_dict())}
    except (DataError, EngineError, NotEstimableError) as error:
        return {LINK: {_REASON: str(error)}}


def why_not_linked(figures: UncheckedData | None, rule: Rule) -> str | None:
    """Return why a rule cannot be checked, if so."""
    if figures is None:
        return 'the dataset does not name a second table; add [dataset.link] with second = "FILE" and on = ["A", "B"]'
    if _REASON in figures:
        return str(figures[_REASON])
    return reason_of(rule.figure.removeprefix(f"{LINK}."), figures)
