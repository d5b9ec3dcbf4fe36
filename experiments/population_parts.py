"""What the distance to independent columns changes: intervals without it, with all of it, and with the part that counts."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

from population_runs import CHOSEN, Run, covered, decimals, number, percent, row, runs, share
from scipy.special import expit, logit

from idbits.measures.population.interval import IntervalParts, half_distance

__all__ = ["distance_to_independence", "parts"]

WIDEST = 0.5
OTHERS = ("bootstrap", "binomial", "model", "validation", "disagreement")


def parts() -> Iterator[str]:
    """The interval of pi without the distance to independent columns, with all of it, and with its limit."""
    widths = (30, 7, 21, 21, 21)
    yield row("covered, width, not estimable", "samples", "without", "without a limit", "as it is", widths=widths)
    kinds = {"chosen": CHOSEN, "random": ("random",), "fresh": ("fresh",)}
    groups: dict[str, Callable[[Run], bool]] = {
        "1%": lambda run: run["f"] == 0.01,
        "5 to 50%": lambda run: number(run, "f") >= 0.05,
        "true pi below 10%": lambda run: number(run, "true_pi") < 0.1,
        "all": lambda run: bool(run),
    }
    for title, names in kinds.items():
        for name, belongs in groups.items():
            own = [run for run in runs(*names) if belongs(run)]
            cells = [summary([change(run) for run in own]) for change in (without, without_limit, dict)]
            yield row(f"{title}, {name}", str(len(own)), *cells, widths=widths)


def summary(chosen: list[Run]) -> str:
    width = statistics.median(number(run, "high_pi") - number(run, "low_pi") for run in chosen)
    refused = sum(run["estimability"] != "estimable" for run in chosen) / len(chosen)
    return f"{share(map(covered, chosen)):>4}, {decimals(width, 2)}, {percent(refused, 1):>6}"


def without(run: Run) -> Run:
    return with_independence(run, 0.0)


def without_limit(run: Run) -> Run:
    if run["loglinear_pi"] is None or run["s_bootstrap"] is None:
        return run
    return with_independence(run, distance_to_independence(run))


def distance_to_independence(run: Run) -> float:
    return half_distance(model_pi(run), number(run, "loglinear_pi"))


def model_pi(run: Run) -> float:
    """Return pi before it is held against the bounds: the middle, in logits, of the interval that resampling gives."""
    ends = [logit(number(run, name)) for name in ("low_resampled", "high_resampled")]
    return float(expit(sum(ends) / 2))


def with_independence(run: Run, independence: float) -> Run:
    """Return the sample with the interval and the verdict that another part would give."""
    if run["s_bootstrap"] is None:
        return run
    lowest, highest = number(run, "bound_low"), number(run, "bound_high")
    others = [number(run, f"s_{name}") for name in OTHERS]
    low, high = IntervalParts(*others, independence, number(run, "s_prior")).around(model_pi(run), 0.9)
    refuted = low > highest or high < lowest
    low, high = (lowest, highest) if refuted else (max(low, lowest), min(high, highest))
    verdict = "estimable" if high - low <= WIDEST and not refuted else "not estimable"
    return run | {"low_pi": low, "high_pi": high, "estimability": verdict}
