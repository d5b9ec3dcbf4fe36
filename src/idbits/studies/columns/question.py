"""What ``idbits columns`` asks of the sets of columns, checked before a table is opened."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from idbits.errors import InputError
from idbits.studies.columns.conclusions import ReleaseLimits

__all__ = ["SubsetQuestion", "checked_question"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsetQuestion:
    """A question about sets of columns.

    Attributes:
        max_sets: with more than 10 columns, the most sets to search; if None, as many as ``work_rows`` allows, but at
            least ``fewest_sets``.
    """

    shares: tuple[float, ...]
    max_size: int = 5
    max_sets: int | None = None
    work_rows: int = 100_000_000_000
    fewest_sets: int = 1_000
    max_seconds: float | None = None
    limits: ReleaseLimits | None = None
    seed: int = 0


def checked_question(
    share: float | Sequence[float],
    *,
    max_size: int,
    max_sets: int | None,
    max_seconds: float | None,
    max_bits: float | None,
    min_k: int | None,
    seed: int,
) -> SubsetQuestion:
    """Return the question with these options, if each of them can be answered."""
    if max_size < 1:
        raise InputError("--max-size must be at least 1")
    if max_sets is not None and max_sets < 1:
        raise InputError("--max-sets must be at least 1")
    if max_seconds is not None and not max_seconds > 0:
        raise InputError("--max-seconds must be more than 0")
    return SubsetQuestion(
        shares=_checked_shares(share),
        max_size=max_size,
        max_sets=max_sets,
        max_seconds=max_seconds,
        limits=_checked_limits(max_bits, min_k),
        seed=seed,
    )


def _checked_shares(share: float | Sequence[float]) -> tuple[float, ...]:
    shares = [share] if isinstance(share, int | float) else list(share)
    if not shares:
        raise InputError("--share needs at least one number, for example --share 0.8")
    if not all(isinstance(part, int | float) and 0 < part <= 1 for part in shares):
        raise InputError("--share must be above 0 and at most 1, for example --share 0.8")
    return tuple(dict.fromkeys(map(float, shares)))


def _checked_limits(max_bits: float | None, min_k: int | None) -> ReleaseLimits | None:
    if max_bits is not None and not 0 <= max_bits < math.inf:
        raise InputError("--max-bits must be a number of at least 0")
    if min_k is not None and min_k < 1:
        raise InputError("--min-k must be at least 1")
    return ReleaseLimits(max_bits, min_k) if max_bits is not None or min_k is not None else None
