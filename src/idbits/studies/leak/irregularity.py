"""S4's part of ``idbits leak``: how irregular the original and the release are, and what S4 concludes from it.

Users write ordinal patterns with their weights: ``0-1-2,2-1-0=3,*=0.5``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from idbits.errors import InputError, NotEstimableError
from idbits.kernels.ordinal import MOST_CODED, n_windows
from idbits.measures.permutation_entropy import (
    amplification,
    best_order,
    ceiling,
    coarse_grained,
    conditional_permutation_entropy_bits,
    degree_of_anonymity,
    implied_epsilon,
    information_coefficient,
    permutation_entropies_bits,
    permutation_entropy_bits,
    saturated,
    weighted_permutation_entropy_bits,
)
from idbits.studies.leak.paired_tables import Series
from idbits.studies.leak.result import Conditional, OrderEntropy, Scale

__all__ = ["Irregularity", "OrderOptions", "Patterns", "compare_order", "read_patterns"]

_LONGEST_TRIED = 24


@dataclass(frozen=True, slots=True)
class Patterns:
    """Weights of patterns, each the ranks of its values in order of time, and the weight of all others."""

    weights: dict[tuple[int, ...], float]
    others: float = 0.0

    @property
    def order(self) -> int:
        """The length of the patterns."""
        return len(next(iter(self.weights)))

    def as_written(self) -> dict[str, float]:
        """Return the weights by pattern as it is written."""
        return {_shown(pattern): weight for pattern, weight in self.weights.items()} | {"*": self.others}


def read_patterns(given: str | Mapping[tuple[int, ...] | str, float]) -> Patterns:
    """Read patterns with their weights (1 unless said); ``*`` stands for all others, which count 0 unless said.

    >>> read_patterns("0-1-2, 2-1-0=3, *=0.5")
    Patterns(weights={(0, 1, 2): 1.0, (2, 1, 0): 3.0}, others=0.5)
    """
    items = [_split(item) for item in given.split(",")] if isinstance(given, str) else list(given.items())
    weights: dict[tuple[int, ...], float] = {}
    others = 0.0
    for name, weight in items:
        if not (math.isfinite(weight) and weight >= 0):
            raise InputError("the weight of a pattern is a number of 0 or more")
        if name == "*":
            others = float(weight)
            continue
        pattern = _pattern(name)
        if pattern in weights:
            raise InputError(f'the pattern "{_shown(pattern)}" is named twice')
        weights[pattern] = float(weight)
    if len({len(pattern) for pattern in weights}) != 1:
        raise InputError("name patterns of one length, such as 0-1-2,2-1-0")
    if max([others, *weights.values()]) <= 0:
        raise InputError("at least one pattern must count more than 0")
    return Patterns(weights, others)


def _split(item: str) -> tuple[str, float]:
    name, _, weight = item.strip().partition("=")
    try:
        return name.strip(), float(weight) if weight else 1.0
    except ValueError:
        raise InputError("the weight of a pattern is a number of 0 or more") from None


def _pattern(name: tuple[int, ...] | str) -> tuple[int, ...]:
    try:
        pattern = tuple(map(int, name.split("-") if isinstance(name, str) else name))
    except (TypeError, ValueError):
        pattern = ()
    if not 2 <= len(pattern) <= MOST_CODED or sorted(pattern) != list(range(len(pattern))):
        raise InputError(
            f"a pattern is the ranks of 2 to {MOST_CODED} neighbouring values, each once from 0: "
            "0-1-2 rises, 2-1-0 falls"
        )
    return pattern


def _shown(pattern: tuple[int, ...]) -> str:
    return "-".join(map(str, pattern))


@dataclass(frozen=True, slots=True)
class OrderOptions:
    """How the order of rows is looked at; ``order`` None finds it out."""

    order: int | None = None
    delay: int = 1
    tolerance: float = 0.001
    scales: int = 1
    conditional: bool = False
    patterns: Patterns | None = None


@dataclass(frozen=True, slots=True)
class Irregularity:
    """Two sequences by S4's figures; the names are those of ``Leak``."""

    order: int
    delay: int
    original_entropy_bits: float
    released_entropy_bits: float
    rho1: float
    rho2: float
    ceiling: float
    saturated: bool
    gamma: float
    r1: float
    epsilon: float
    change: str
    entropy_curve: tuple[OrderEntropy, ...]
    scales: tuple[Scale, ...]
    conditional: Conditional | None


def compare_order(original: Series, released: Series, options: OrderOptions) -> Irregularity:
    """Compare two sequences of equal length, at least two rows."""
    length, delay = len(original), options.delay
    if length <= delay:
        raise NotEstimableError(f"--delay {delay:,} needs more than {delay:,} rows, and there are {length:,}")
    curve = _curve(original, released, delay)
    order = options.order or best_order([point.original_bits for point in curve])
    first, second = (_entropy(series, order, options) for series in (original, released))
    most = ceiling(n_windows(length, order, delay), length)
    rho1, rho2 = (degree_of_anonymity(bits, length) for bits in (first, second))
    full = saturated(rho1, most) or saturated(rho2, most)
    gamma = amplification(rho1, rho2)
    return Irregularity(
        order,
        delay,
        first,
        second,
        rho1,
        rho2,
        most,
        full,
        gamma,
        information_coefficient(gamma),
        implied_epsilon(gamma),
        _change(rho1, rho2, options.tolerance, full),
        curve,
        tuple(_scale(original, released, scale, order, options) for scale in range(2, options.scales + 1)),
        _conditional(original, released, order, delay) if options.conditional else None,
    )


def _curve(original: Series, released: Series, delay: int) -> tuple[OrderEntropy, ...]:
    both = (permutation_entropies_bits(series, _LONGEST_TRIED, delay) for series in (original, released))
    return tuple(OrderEntropy(order, *bits) for order, bits in enumerate(zip(*both, strict=True), start=1))


def _entropy(series: Series, order: int, options: OrderOptions) -> float:
    if options.patterns is not None:
        return weighted_permutation_entropy_bits(
            series, options.patterns.weights, options.patterns.others, options.delay
        )
    return permutation_entropy_bits(series, order, options.delay)


def _change(rho1: float, rho2: float, tolerance: float, full: bool) -> str:
    if full:
        return "undecided"
    if abs(rho2 - rho1) <= tolerance:
        return "none"
    return "rises" if rho2 < rho1 else "falls"


def _scale(original: Series, released: Series, scale: int, order: int, options: OrderOptions) -> Scale:
    coarse = [coarse_grained(series, scale) for series in (original, released)]
    length = len(coarse[0])
    if length < 2 or n_windows(length, order, options.delay) < 1:
        raise InputError(
            f"at scale {scale:,} only {length:,} of {len(original):,} rows are left, too few for order {order} "
            "(fewer --scales)"
        )
    most = ceiling(n_windows(length, order, options.delay), length)
    rhos = [degree_of_anonymity(_entropy(series, order, options), length) for series in coarse]
    return Scale(scale, length, rhos[0], rhos[1], most, any(saturated(rho, most) for rho in rhos))


def _conditional(original: Series, released: Series, order: int, delay: int) -> Conditional:
    return Conditional(*(conditional_permutation_entropy_bits(series, order, delay) for series in (original, released)))
