"""Predictions from an entry: how unique k people of its population will be, as in ``idbits predict``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from idbits.errors import InputError
from idbits.measures.distribution import Distribution
from idbits.measures.singletons import mean_sets_from_kappa, mean_singletons
from idbits.render.numbers import about, bar_share, decimal, nearest, odds, off_by
from idbits.render.scales import sizes_between
from idbits.repository.entries import Entry
from idbits.studies.predict.result import Quantity
from idbits.studies.predict.study import singletons, uniqueness
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.web.work.worker import ForecastTask

if TYPE_CHECKING:
    from idbits.studies.predict.known import Given

__all__ = ["Curve", "curve", "forecast", "forecast_sentence", "forecast_task", "is_quick", "read_k"]

DEFAULT_K = 100
_MOST_K = 1_000_000
_QUICK_CELLS, _QUICK_K = 300, 2_000
_POINTS = 40
_FEW = 0.01


def read_k(text: str | None) -> int:
    """Return a number of people as typed."""
    digits = (text or "").strip().replace(",", "").replace(" ", "") or str(DEFAULT_K)
    if not digits.isdecimal() or len(digits) > len(str(_MOST_K)) or not 1 <= int(digits) <= _MOST_K:
        raise InputError(f"the number of people must be a whole number from 1 to {_MOST_K:,}")
    return int(digits)


def forecast_task(entry: Entry, k: int) -> ForecastTask:
    """Return the forecast as a task for a worker process."""
    return {"task": "forecast", "k": k, "drawn_from": cast("Given", entry.drawn_from())}


def is_quick(entry: Entry, k: int) -> bool:
    """Whether a forecast is fast enough to be made at once."""
    # With only kappa there are formulas alone; a kappa of 0 means the uniform distribution.
    only_kappa = not entry.is_whole and entry.statement.kappa_nats > 0
    return only_kappa or (len(entry.cells) <= _QUICK_CELLS and k <= _QUICK_K)


def forecast(k: int, drawn_from: Given) -> JsonObject:
    """Return both predictions as plain data, and the rows of the page."""
    unique = uniqueness(k, **drawn_from)
    alone = singletons(k, **drawn_from)
    assert unique.probability is not None
    assert alone.mean is not None
    assert alone.somebody is not None
    rows: list[Json] = [
        _row("Unique people, expected", alone.mean, decimal),
        _row("Chance that everyone is unique", unique.probability, odds),
        _row("Chance that somebody is unique", alone.somebody, odds),
    ]
    return {
        "uniqueness": unique.to_dict(),
        "singletons": alone.to_dict(),
        "rows": rows,
        "mean": alone.mean.value,
        "rough": alone.mean.is_rough,
    }


def _row(name: str, quantity: Quantity, shown: Callable[[float | None], str]) -> JsonObject:
    return {
        "name": name,
        "exact": shown(quantity.exact) if quantity.exact is not None else None,
        "reason": quantity.reason.replace("kappa", "the unevenness") if quantity.reason is not None else None,
        "approximations": [
            {
                "name": near.name.replace("kappa", "u"),
                "label": f"approximation {number}",
                "value": shown(near.value),
                "error": None if near.error is None or not quantity.exact else off_by(near.error / quantity.exact),
                "trusted": near.trusted,
                "limit": near.limit.replace("kappa", "u"),
            }
            for number, near in enumerate(quantity.approximations, start=1)
        ],
    }


def forecast_sentence(prediction: JsonObject, k: int) -> str:
    """Return a forecast as one sentence."""
    mean = cast("float | None", prediction["mean"])
    if mean is None:
        return f"This entry does not allow a prediction for {k:,} people."
    if k == 1:
        return "If only one person answers, that person is unique."
    part = mean / k
    if prediction["rough"]:
        number = f"Perhaps {about(max(0.0, mean), nearest)} of {k:,} people who answer are unique"
        return f"{number}. This is a rough approximation and may be far off."
    if mean < 0.5:
        who = "hardly anyone" if part < _FEW else f"on average fewer than one ({bar_share(part)} of them)"
        return f"Of {k:,} people who answer, {who} is unique."
    if mean < 1.5:
        return f"Of {k:,} people who answer, about one is unique: nobody else gives the same answer."
    unique = "all" if k - mean < 0.05 else "nearly all" if part > 0.995 else f"about {about(mean, nearest)}"
    return f"Of {k:,} people who answer, {unique} are unique: nobody else gives the same answer."


@dataclass(frozen=True, slots=True)
class Curve:
    """The share of unique people by the number of people: exact, if known, and approximated from kappa."""

    exact: tuple[tuple[float, float], ...]
    approximate: tuple[tuple[float, float], ...]


def curve(entry: Entry) -> Curve:
    """Return how the share of unique people falls as more people answer."""
    statement = entry.statement
    highest = max(100.0, min(float(_MOST_K), 20.0 * statement.n_values))
    sizes = sizes_between(2, highest, _POINTS)
    exact: list[tuple[float, float]] = []
    if entry.is_whole:
        distribution = Distribution.of([cell.people / statement.n_people for cell in entry.cells], statement.n_values)
        exact = [(k, mean_singletons(distribution, k) / k) for k in sizes]
    near = [(k, mean_sets_from_kappa(statement.n_values, statement.kappa_nats, k, 1) / k) for k in sizes]
    return Curve(tuple(exact), tuple(near))
