"""EXPERIMENTAL randomisers for trying ``idbits leak``. They are not for protecting real data.

Implements: SPEC section 7 (randomisers). Each randomises every value separately: exponential mechanism (McSherry and
Talwar 2007; as S4 uses it), Laplace and Gaussian noise (Dwork and Roth 2014), k-ary randomised response (Kairouz et al.
2016). Epsilon is per cell. The range of a column and the set of its values are taken from the data, and floats are
drawn in the ordinary way, so there is no guarantee of differential privacy.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "are_whole", "exponential_places", "gaussian_noise", "laplace_noise", "nearest_whole", "response_places",
]  # fmt: skip

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def are_whole(numbers: Floats) -> bool:
    """Return whether all numbers are whole.

    >>> are_whole(np.array([1.0, 2.0])), are_whole(np.array([1.5]))
    (True, False)
    """
    return bool((numbers == np.round(numbers)).all())


def nearest_whole(numbers: Floats) -> Integers:
    """Return the nearest whole numbers; ties go to the even one.

    >>> nearest_whole(np.array([1.2, 2.5])).tolist()
    [1, 2]
    """
    return np.round(numbers).astype(np.int64)


def laplace_noise(numbers: Floats, epsilon: float, rng: np.random.Generator) -> Floats:
    """Add Laplace noise of scale range / epsilon.

    >>> laplace_noise(np.array([0.0, 10.0]), 1e9, np.random.default_rng(0)).round(3).tolist()
    [0.0, 10.0]
    """
    return numbers + rng.laplace(0.0, _range(numbers) / epsilon, len(numbers))


def gaussian_noise(numbers: Floats, epsilon: float, delta: float, rng: np.random.Generator) -> Floats:
    """Add normal noise with standard deviation range sqrt(2 ln(1.25 / delta)) / epsilon.

    >>> gaussian_noise(np.array([0.0, 10.0]), 1e9, 1e-5, np.random.default_rng(0)).round(3).tolist()
    [0.0, 10.0]
    """
    deviation = _range(numbers) * math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    return numbers + rng.normal(0.0, deviation, len(numbers))


def response_places(places: Integers, n_values: int, epsilon: float, rng: np.random.Generator) -> Integers:
    """Keep a value with probability e^epsilon / (e^epsilon + k - 1), else draw one of the k - 1 others.

    >>> response_places(np.array([0, 1, 2]), 3, 50.0, np.random.default_rng(0)).tolist()
    [0, 1, 2]
    """
    if n_values < 2:
        return places
    kept = rng.random(len(places)) < 1 / (1 + (n_values - 1) * math.exp(-epsilon))
    # An offset of 1 to k - 1 leads to each of the others with the same probability.
    other = (places + rng.integers(1, n_values, len(places))) % n_values
    return np.where(kept, places, other)


def exponential_places(
    places: Integers, values: Floats | None, n_values: int, epsilon: float, rng: np.random.Generator
) -> Integers:
    """Draw value v instead of x with probability proportional to exp(-epsilon |x - v| / (2 range)).

    Args:
        places: for each row the index of its value.
        values: the distinct numbers, ascending; None for values without distances: all others are equally far away.

    >>> exponential_places(np.array([0, 2]), np.array([1.0, 5.0, 9.0]), 3, 1e4, np.random.default_rng(0)).tolist()
    [0, 2]
    """
    if values is None:
        return response_places(places, n_values, epsilon / 2, rng)
    if len(values) < 2:
        return places
    scaled = (values - values[0]) * (epsilon / (2 * (values[-1] - values[0])))
    # Logarithms of the cumulative weights up to each value and from each value on: they do not overflow.
    upto = np.logaddexp.accumulate(scaled)
    onwards = np.logaddexp.accumulate(-scaled[::-1])[::-1]
    here = scaled[places]
    below = np.exp(np.append(upto, -np.inf)[places - 1] - here)
    below[places == 0] = 0.0
    above = np.exp(np.append(onwards, -np.inf)[places + 1] + here)
    pick = rng.random(len(places)) * (1 + below + above)
    # A second draw finds the value on its side: by the share of that side's weight that it reaches.
    reach = np.log1p(-rng.random(len(places)))
    left = np.searchsorted(upto, reach + np.append(upto, 0.0)[places - 1])
    right = len(values) - 1 - np.searchsorted(onwards[::-1], reach + np.append(onwards, 0.0)[places + 1])
    moved = np.where(pick < 1, places, np.where(pick < 1 + below, left, right))
    return np.asarray(np.clip(moved, 0, len(values) - 1), np.int64)


def _range(numbers: Floats) -> float:
    return float(numbers.max() - numbers.min()) if len(numbers) else 0.0
