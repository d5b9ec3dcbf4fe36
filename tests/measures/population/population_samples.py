"""Made-up samples."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from idbits.measures.population.sets import SampleSets


def sets_of(rows: Sequence[Sequence[str]], seed: int = 0) -> SampleSets:
    """Return the distinct rows, in a random order that does not depend on that of the rows."""
    counted = Counter(map(tuple, rows))
    keys = sorted(counted)
    np.random.default_rng(seed).shuffle(keys)
    codes, sizes = [], []
    for column in zip(*keys, strict=True):
        values, places = np.unique(np.array(column), return_inverse=True)
        codes.append(places.astype(np.uint32))
        sizes.append(len(values))
    return SampleSets(tuple(codes), tuple(sizes), np.array([counted[tuple(key)] for key in keys], np.int64))
