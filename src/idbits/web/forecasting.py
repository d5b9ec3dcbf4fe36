"""What an entry predicts: how unique k people of its population will be, by the studies of ``idbits predict``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from idbits.errors import InputError
from idbits.measures.distribution import Distribution
from idbits.measures.singletons import mean_sets_from_kappa, mean_singletons
from idbits.render.numbers import about, decimal, nearest, odds, off_by
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


def read_k(text: str | None) -> int:
    """Return a group size as it is typed."""
    digits = (text or "").strip().replace(",", "").replace(" ", "") or str(DEFAULT_K)
    if not digits.isdecimal() or len(digits) > len(str(_MOST_K)) or not 1 <= int(digits) <= _MOST_K:
        raise InputError(f"a group has 1 to {_MOST_K:,} people")
    return int(digits)


def forecast_task(entry: Entry, k: int) -> ForecastTask:
    """Return the forecast as a task for another process."""
    return {"task": "forecast", "k": k, "drawn_from": cast("Given", entry.drawn_from())}


def is_quick(entry: Entry, k: int) -> bool:
    """Whether a forecast takes no time worth mentioning."""
    # From kappa alone there are only formulas; a kappa of 0 is a distribution, the uniform one.
    only_kappa = not entry.is_whole and entry.statement.kappa_nats > 0
    return only_kappa or (len(entry.cells) <= _QUICK_CELLS and k <= _QUICK_K)


def forecast(k: int, drawn_from: Given) -> JsonObject:
    """Return both predictions as plain data, and what the page shows of them."""
    unique = uniqueness(k, **drawn_from)
    alone = singletons(k, **drawn_from)
    assert unique.probability is not None
    assert alone.mean is not None
    assert alone.somebody is not None
    rows: list[Json] = [
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


def _row(name: str, quantity: Quantity, shown: Callable[[float | None], str]) -> JsonObject:
    return {
        "name": name,
        "exact": shown(quantity.exact) if quantity.exact is not None else None,
        "reason": quantity.reason,
        "approximations": [
            {
                "name": near.name,
                "value": shown(near.value),
                "error": None if near.error is None or not quantity.exact else off_by(near.error / quantity.exact),
                "trusted": near.trusted,
                "limit": near.limit,
            }
            for near in quantity.approximations
        ],
    }


def forecast_sentence(prediction: JsonObject, k: int) -> str:
    """Return a forecast in one sentence."""
    mean = cast("float | None", prediction["mean"])
    if mean is None:
        return f"What happens to {k:,} people cannot be said from this entry."
    if k == 1:
        return "Whoever answers alone is alone with the answer."
    part = mean / k
    if prediction["rough"]:
        number = f"Perhaps {about(max(0.0, mean), nearest)} of {k:,} people who answer are alone with the answer"
        return f"{number}: a rough approximation, which may be far off here."
    if mean < 0.5:
        return f"Of {k:,} people who answer, hardly anyone is alone with the answer."
    if mean < 1.5:
        return f"Of {k:,} people who answer, about one is alone with the answer: nobody else of them has it."
    alone = "all" if part > 0.995 else f"about {about(mean, nearest)}"
    return f"Of {k:,} people who answer, {alone} are alone with the answer: nobody else of them has it."


@dataclass(frozen=True, slots=True)
class Curve:
    """The share of people who are alone, over the size of the group: exactly, where that is known, and from kappa."""

    exact: tuple[tuple[float, float], ...]
    approximate: tuple[tuple[float, float], ...]


def curve(entry: Entry) -> Curve:
    """Return how the share of unique people falls as a group grows."""
    statement = entry.statement
    highest = max(100.0, min(float(_MOST_K), 20.0 * statement.n_values))
    sizes = sizes_between(2, highest, _POINTS)
    exact: list[tuple[float, float]] = []
    if entry.is_whole:
        distribution = Distribution.of([cell.people / statement.n_people for cell in entry.cells], statement.n_values)
        exact = [(k, mean_singletons(distribution, k) / k) for k in sizes]
    near = [(k, mean_sets_from_kappa(statement.n_values, statement.kappa_nats, k, 1) / k) for k in sizes]
    return Curve(tuple(exact), tuple(near))
