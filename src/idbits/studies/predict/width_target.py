"""Which width meets a target? The narrowest where few may be unique, the widest where many should be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from idbits.errors import InputError, NotEstimableError
from idbits.measures.densities import Density
from idbits.measures.distribution import Distribution
from idbits.measures.widths import grids
from idbits.studies.predict.result import TargetAnswer
from idbits.studies.predict.target import Target

__all__ = ["best_listed_width", "best_width"]

_STEPS_PER_OCTAVE = 4


def best_width(text: str, density: Density, k: int) -> TargetAnswer:
    """Return the width that meets the target, to four digits.

    Widths are tried from the narrow end (or from the wide one, where many should be unique), four in each octave; the
    change is then found by halving. Where the place of the grid is known, figures do not fall evenly with the width,
    and what is found is the first change.
    """
    target = Target.parse(text)

    def figure(width: float) -> float:
        found = grids(density, width, k)
        if found is None:
            raise InputError("the target needs more intervals than can be listed")
        return math.fsum(weight * target.figure(grid, k) for weight, grid in found)

    widths = _widths(target, density, k)
    tried: list[tuple[str, float, bool]] = []
    before: float | None = None
    for width in widths:
        value = figure(width)
        tried.append((f"{width:.4g}", value, target.holds(value)))
        if target.holds(value):
            best = width if before is None else _changed(lambda w: target.holds(figure(w)), before, width)
            # Four digits, rounded to the side that meets the target.
            shown = _rounded(best, up=target.protects)
            return TargetAnswer(
                target.text, options=tuple(tried[-6:]), chosen=f"{shown:.10g}", protects=target.protects
            )
        before = width
    raise NotEstimableError(f"no width meets {target.text} for {k:,} people")


def _widths(target: Target, density: Density, k: int) -> list[float]:
    """Return the widths to try in their order.

    Two people share an interval with a chance of at most d Int f^2. So at most (k-1) d Int f^2 of the people share one
    on average, and k times as many is a bound for every chance: narrower widths need not be tried.
    """
    low, high = density.reach(1e-6)
    loss = max(1 - (target.limit if target.per_person else target.limit / k), 1e-6)
    narrowest = loss / (max(1, k - 1) * density.power_integral(2)) / (1 if target.quantity == "singletons" else k)
    widest = max(8 * (high - low), 2 * narrowest)
    steps = math.ceil(math.log2(widest / narrowest) * _STEPS_PER_OCTAVE)
    widths = [narrowest * 2 ** (step / _STEPS_PER_OCTAVE) for step in range(steps + 1)]
    return widths if target.protects else widths[::-1]


def _changed(is_so: Callable[[float], bool], before: float, at: float) -> float:
    for _ in range(20):
        middle = math.sqrt(before * at)
        if is_so(middle):
            at = middle
        else:
            before = middle
    return at


def _rounded(width: float, *, up: bool) -> float:
    unit = 10.0 ** (math.floor(math.log10(width)) - 3)
    return (math.ceil if up else math.floor)(width / unit) * unit


def best_listed_width(text: str, grid: Callable[[float], Distribution], k: int, n_values: int) -> TargetAnswer:
    """Return which of the widths 1, 2, 5, 10, 20, ... (and 0.5, 0.2, ...) meets the target for a table's values."""
    target = Target.parse(text)
    tried: list[tuple[str, float, bool]] = []
    for width in _round_widths():
        view = grid(width)
        if view.n_occurring == n_values and width < 1:
            continue
        value = target.figure(view, k)
        tried.append((f"{width:g}", value, target.holds(value)))
        if view.n_occurring == 1:
            break
    meeting = [name for name, _, holds in tried if holds]
    if not meeting:
        raise NotEstimableError(f"no width meets {target.text} for {k:,} people")
    chosen = meeting[0] if target.protects else meeting[-1]
    return TargetAnswer(target.text, options=tuple(tried), chosen=chosen, protects=target.protects)


def _round_widths() -> Sequence[float]:
    return [float(f"{digit}e{power}") for power in range(-3, 10) for digit in (1, 2, 5)]
