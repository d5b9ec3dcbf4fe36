"""A column described by a sample of its rows: how often values occur in all of them, what they look like in some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from idbits.values.attributes import Kind
from idbits.values.plain import profile_column
from idbits.values.profile import Profile

__all__ = ["profile_of_sample"]

_LOOKED_AT = 150


def profile_of_sample(
    first_values: Callable[[int], Sequence[object]], counts: NDArray[np.integer], nulls: int, kind: Kind
) -> Profile:
    """Return the profile of a sample from the number of rows of each distinct value.

    ``first_values`` returns the first of the distinct values, of which only these are read.
    """
    looked_at = first_values(min(len(counts), _LOOKED_AT))
    some = profile_column(looked_at, [int(count) for count in counts[: len(looked_at)]], kind)
    known = int(counts.sum())

    def scaled(number: int) -> int:
        # All of some stays all, and one is never lost.
        return known if number == some.known else -(-number * known // max(1, some.known))

    return replace(
        some,
        people=known + nulls,
        null_people=nulls,
        distinct=len(counts),
        unique_people=int(np.count_nonzero(counts == 1)),
        most_frequent=int(counts.max(initial=0)),
        dates=scaled(some.dates),
        numbers=scaled(some.numbers),
        fractions=scaled(some.fractions),
        characters=scaled(some.characters),
        spaced=scaled(some.spaced),
        leading_zeros=scaled(some.leading_zeros),
        padded=scaled(some.padded),
        null_words=scaled(some.null_words),
        negatives=scaled(some.negatives),
    )
