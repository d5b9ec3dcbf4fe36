"""Bands of numbers: values that are near each other are in the same band or in neighbouring ones.

Implements: SPEC page link.md, section 2 (band joins).
"""

from __future__ import annotations

import numpy as np

from idbits.counts import Floats, Integers

__all__ = ["EARTH_RADIUS_KM", "degrees_of_latitude", "difference_bands", "share_bands"]

EARTH_RADIUS_KM = 6371.0088
"""The mean radius of WGS84."""

# Rounding must not put values that are just near enough two bands apart.
_WIDER = 1 + 1e-9
_MOST = 2.0**62


def difference_bands(values: Floats, width: float) -> Integers:
    """Return the band of each value; values at most ``width`` apart are at most one band apart.

    >>> difference_bands(np.array([0.0, 2.9, 3.1, 6.5]), 3.0).tolist()
    [0, 0, 1, 2]
    """
    if width <= 0:
        return np.unique(values, return_inverse=True)[1].astype(np.int64) * 2
    return np.clip(np.floor(values / (width * _WIDER)), -_MOST, _MOST).astype(np.int64)


def share_bands(values: Floats, share: float) -> Integers:
    """Return the band of each value; values that differ by at most a share of the larger one are at most one apart.

    Values of different signs are never near, and 0 is near 0 only.

    >>> bands = share_bands(np.array([0.0, 100.0, 105.0, -100.0]), 0.05)
    >>> bool(abs(bands[1] - bands[2]) <= 1), bool(abs(bands[1] - bands[3]) > 1)
    (True, True)
    """
    if share <= 0:
        return difference_bands(values, 0.0)
    sizes = np.abs(values)
    logs = np.log2(np.where(sizes > 0, sizes, 1.0)) / (-np.log2(1 - share) * _WIDER)
    bands = np.floor(logs).astype(np.int64)
    # Logarithms of floats are within +-1100; 2^60 keeps signs apart whatever the share.
    return np.where(sizes > 0, np.where(values > 0, bands + 2**60, bands - 2**60), 0)


def degrees_of_latitude(kilometres: float) -> float:
    """Return how many degrees of latitude a distance spans at most.

    >>> round(degrees_of_latitude(111.195), 4)
    1.0
    """
    return float(np.degrees(kilometres / EARTH_RADIUS_KM))
