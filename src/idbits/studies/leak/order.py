"""S4's part of ``idbits leak``: how irregular the original and the release are, and what S4 concludes from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.errors import InputError, NotEstimableError
from idbits.kernels.ordinal import n_windows
from idbits.measures.amplification import (
    amplification,
    ceiling,
    degree_of_anonymity,
    implied_epsilon,
    information_coefficient,
    saturated,
)
from idbits.measures.permutation_entropy import (
    best_order,
    coarse_grained,
    conditional_permutation_entropy_bits,
    permutation_entropies_bits,
    permutation_entropy_bits,
    weighted_permutation_entropy_bits,
)
from idbits.studies.leak.patterns import Patterns
from idbits.studies.leak.result import Conditional, OrderEntropy, Scale

__all__ = ["Irregularity", "OrderOptions", "compare_order"]

Series = NDArray[np.float64] | NDArray[np.int64]

_LONGEST_TRIED = 24


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
    """Two sequences by S4's figures; the names are those of ``results.leak.Leak``."""

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
