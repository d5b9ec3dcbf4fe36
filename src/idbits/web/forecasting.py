"""What an entry predicts: how unique k people of its population will be, by the studies of ``idbits predict``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from idbits.errors import InputError
from idbits.measures.distribution import Distribution
from idbits.measures.singletons import mean_sets_from_kappa, mean_singletons
from idbits.render.chances import odds, off_by
from idbits.render.numbers import decimal
from idbits.render.people import about
from idbits.repository.model import Entry
from idbits.studies.predict.result import Quantity
from idbits.studies.predict.study import singletons, uniqueness

__all__ = ["Curve", "curve", "forecast", "forecast_task", "is_quick", "read_k", "shown_forecast"]

DEFAULT_K = 100
_MOST_K = 1_000_000
_QUICK_CELLS, _QUICK_K = 300, 2_000
_POINTS = 40


def read_k(text: str | None) -> int:
    """Return a group size as it is typed."""
    kept = (text or "").strip().replace(",", "").replace(" ", "") or str(DEFAULT_K)
    if not kept.isdecimal() or len(kept) > len(str(_MOST_K)) or not 1 <= int(kept) <= _MOST_K:
        raise InputError(f"a group has 1 to {_MOST_K:,} people")
    return int(kept)


def forecast_task(entry: Entry, k: int) -> dict[str, Any]:
    """Return the task for whoever works it out."""
    return {"task": "forecast", "k": k, "drawn_from": entry.drawn_from()}


def is_quick(entry: Entry, k: int) -> bool:
    """Whether a forecast takes no time worth mentioning."""
    # From kappa alone there are only formulas; a kappa of 0 is a distribution, the uniform one.
    only_kappa = not entry.is_whole and entry.statement.kappa_nats > 0
    return only_kappa or (len(entry.cells) <= _QUICK_CELLS and k <= _QUICK_K)


def forecast(k: int, drawn_from: dict[str, Any]) -> dict[str, Any]:
    """Return both predictions as plain data, and what the page shows of them."""
    unique = uniqueness(k, **drawn_from)
    alone = singletons(k, **drawn_from)
    assert unique.probability is not None
    assert alone.mean is not None
    assert alone.somebody is not None
    rows = [
        _row("People alone with their answer, expected", alone.mean, decimal),
        _row("Chance that all of them are", unique.probability, odds),
        _row("Chance that somebody is", alone.somebody, odds),
    ]
    return {
        "uniqueness": unique.to_dict(),
        "singletons": alone.to_dict(),
        "rows": rows,
        "mean": alone.mean.value,
        "rough": alone.mean.is_rough,
    }


def _row(name: str, quantity: Quantity, shown: Any) -> dict[str, Any]:
    return {
        "name": name,
        "exact": shown(quantity.exact) if quantity.exact is not None else None,
        "reason": quantity.reason,
        "approximations": [
            {
                "name": one.name,
                "value": shown(one.value),
                "error": None if one.error is None or not quantity.exact else off_by(one.error / quantity.exact),
                "trusted": one.trusted,
                "limit": one.limit,
            }
            for one in quantity.approximations
        ],
    }


def shown_forecast(found: dict[str, Any], k: int) -> str:
    """Return the forecast in one sentence."""
    mean = found["mean"]
    if mean is None:
        return f"What happens to {k:,} people cannot be said from this entry."
    if k == 1:
        return "Whoever answers alone is alone with the answer."
    part = mean / k
    if found["rough"]:
        told = f"Perhaps {about(max(0.0, mean), round)} of {k:,} people who answer are alone with the answer"
        return f"{told}: a rough approximation, which may be far off here."
    if mean < 0.5:
        return f"Of {k:,} people who answer, hardly anyone is alone with the answer."
    if mean < 1.5:
        return f"Of {k:,} people who answer, about one is alone with the answer: nobody else of them has it."
    alone = "all" if part > 0.995 else f"about {about(mean, round)}"
    return f"Of {k:,} people who answer, {alone} are alone with the answer: nobody else of them has it."


@dataclass(frozen=True, slots=True)
class Curve:
    """The share of people who are alone, over the size of the group: exactly, where that is known, and from kappa."""

    exact: tuple[tuple[float, float], ...]
    approximate: tuple[tuple[float, float], ...]


def curve(entry: Entry) -> Curve:
    """Return how the share of unique people falls as a group grows."""
    said = entry.statement
    highest = max(100.0, min(float(_MOST_K), 20.0 * said.n_values))
    sizes = sorted(
        {
            round(10 ** (math.log10(2) + place * (math.log10(highest) - math.log10(2)) / _POINTS))
            for place in range(_POINTS + 1)
        }
    )
    exact: list[tuple[float, float]] = []
    if entry.is_whole:
        distribution = Distribution.of([cell.people / said.n_people for cell in entry.cells], said.n_values)
        exact = [(k, mean_singletons(distribution, k) / k) for k in sizes]
    near = [(k, mean_sets_from_kappa(said.n_values, said.kappa_nats, k, 1) / k) for k in sizes]
    return Curve(tuple(exact), tuple(near))
