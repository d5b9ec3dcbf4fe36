"""The samples in experiments/population.csv, as the tables and the chart of docs/explanation/population.md need them."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

__all__ = [
    "CHOSEN", "FRACTIONS", "Run", "at", "covered", "decimals", "errors", "every_run", "mean_of", "mean_size", "number",
    "percent", "row", "runs", "share", "within",
]  # fmt: skip

RUNS = Path(__file__).parent / "population.csv"
FRACTIONS = (0.01, 0.05, 0.1, 0.2, 0.5)
CHOSEN = ("real", "made up")
TEXTS = {"population", "kind", "method", "estimability", "reason"}
FEWEST_PEOPLE, FEWEST_UNIQUES = 100, 10

Run = dict[str, float | str | None]


@cache
def every_run() -> tuple[Run, ...]:
    with RUNS.open(encoding="utf-8", newline="") as file:
        return tuple(
            {name: text if name in TEXTS else float(text) if text else None for name, text in line.items()}
            for line in csv.DictReader(file)
        )


def runs(*kinds: str) -> list[Run]:
    """Return the samples with at least 100 people and 10 uniques; others get the bounds alone."""
    return [
        run
        for run in every_run()
        if run["kind"] in (kinds or CHOSEN)
        and number(run, "n") >= FEWEST_PEOPLE
        and number(run, "m1") >= FEWEST_UNIQUES
    ]


def number(run: Run, name: str) -> float:
    value = run[name]
    assert isinstance(value, float), (name, value, run["population"], run["f"])
    return value


def at(chosen: Iterable[Run], fraction: float) -> list[Run]:
    return [run for run in chosen if run["f"] == fraction]


def errors(chosen: Iterable[Run], method: str, figure: str = "pi", *, relative: bool = False) -> list[float]:
    """Return the errors of a method in the samples that it answers; shares above 1 count as 1."""
    most = 1.0 if figure == "unique_share" else np.inf
    return [
        (min(most, number(run, f"{method}_{figure}")) - number(run, f"true_{figure}"))
        / (number(run, f"true_{figure}") if relative else 1)
        for run in chosen
        if run[f"{method}_{figure}"] is not None
    ]


def mean_size(values: Sequence[float]) -> float | None:
    return float(np.mean(np.abs(values))) if len(values) else None


def decimals(value: float | None, places: int = 3) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def percent(value: float | None, places: int = 0) -> str:
    return "-" if value is None else f"{value:.{places}%}"


def row(*cells: str, widths: Sequence[int]) -> str:
    first, *rest = cells
    return " | ".join(
        [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
    )


def covered(run: Run, figure: str = "pi", low: str = "low", high: str = "high") -> bool:
    """Return whether the interval as it is printed holds the truth: below .005 is 0, above .995 is 1."""
    first, last = number(run, f"{low}_{figure}"), number(run, f"{high}_{figure}")
    if figure == "pi":
        first, last = (0.0 if first < 0.005 else first), (1.0 if last > 0.995 else last)
    return first - 1e-9 <= number(run, f"true_{figure}") <= last + 1e-9


def within(run: Run, low: str, high: str) -> bool:
    return number(run, low) - 1e-6 <= number(run, "true_pi") <= number(run, high) + 1e-6


def share(yes: Iterable[bool]) -> str:
    answers = list(yes)
    return percent(sum(answers) / len(answers)) if answers else "-"


def mean_of(chosen: Iterable[Run], name: str) -> float | None:
    values = [number(run, name) for run in chosen if run[name] is not None]
    return statistics.fmean(values) if values else None
