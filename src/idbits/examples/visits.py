"""Made-up visits of made-up patients, shaped like those of a national insurance fund.

Z. Alexin ("The entropy of personal data") measured 721,633,881 out-patient visits of about 12.3 million people
from 2002 to 2014: a pseudonym, a date and the first two digits of a ZIP code. The data are not public; this
module draws visits of the same shape: a few people come very often and many rarely, weekends are quiet, places
differ greatly in size, most visits are at the person's own place, and one visit may leave several records.
All weights are whole numbers, so that rounding on another machine cannot change a draw.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from idbits.errors import InputError

if TYPE_CHECKING:
    import os

    import pyarrow as pa

__all__ = ["visits", "write_visits"]

FIRST_DAY, LAST_DAY = date(2002, 1, 1), date(2014, 12, 31)
# 721,633,881 visits of 12.3 million people, as records per thousand people.
RECORDS_PER_THOUSAND_PEOPLE = 58_669
# The rate of the person of rank r among n falls like 1 / (r + n / RATE_CAP): the most frequent visitors come about 19
# times as often as the average, and very few people have 1,000 records.
RATE_CAP = 86
# Out of 100 visits, the numbers that leave 1, 2, 3 and 4 records on the day: 1.22 records on average.
VISITS_BY_RECORDS = (85, 10, 3, 2)
# Visits from Monday to Sunday; the two days of the weekend are quiet.
VISITS_BY_WEEKDAY = (118, 116, 112, 110, 96, 9, 6)
# Two-digit places; the largest is a capital with about a fifth of all visits.
N_PLACES = 100
# Out of 1,000 visits, the number at the person's own place.
AT_HOME_PER_THOUSAND = 850

_SLOTS_PER_PERSON = 6
_TABLE = 1 << 16

Integers = NDArray[np.int64]


def visits(people: int = 20_000, *, seed: int = 0, first: date = FIRST_DAY, last: date = LAST_DAY) -> pa.Table:
    """Return made-up visits: ``patient`` (a pseudonym), ``date`` and ``place`` (2 digits), month by month.

    >>> visits(50).column_names
    ['patient', 'date', 'place']
    """
    import pyarrow as pa

    return pa.Table.from_batches(_batches(people, seed, first, last), schema=_schema())


def write_visits(
    path: str | os.PathLike[str], people: int = 20_000, *, seed: int = 0, first: date = FIRST_DAY, last: date = LAST_DAY
) -> int:
    """Write the visits of :func:`visits` to a Parquet file, month by month; return the number of records."""
    from pyarrow import parquet

    records = 0
    with parquet.ParquetWriter(Path(path), _schema(), compression="zstd") as writer:
        for batch in _batches(people, seed, first, last):
            writer.write_batch(batch)
            records += batch.num_rows
    return records


def _schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema([("patient", pa.int64()), ("date", pa.date32()), ("place", pa.string())])


def _batches(people: int, seed: int, first: date, last: date) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    if people < 1:
        raise InputError("the number of people must be at least 1")
    random = np.random.default_rng(seed)
    slots = _slots(people, random)
    place_table = _table(_place_weights())
    # The own place depends on the person's number and the seed, not on the draws.
    home = place_table[(np.arange(people, dtype=np.uint64) * np.uint64(40_503) + np.uint64(seed)) % np.uint64(_TABLE)]
    names = pa.array([f"{place:02}" for place in range(N_PLACES)])
    per_day = people * RECORDS_PER_THOUSAND_PEOPLE // 1000 / ((LAST_DAY - FIRST_DAY).days + 1) / _records_per_visit()
    for days in _months(first, last):
        n_visits = int(random.poisson(per_day * len(days)))
        person = slots[random.integers(0, len(slots), n_visits, np.uint32)]
        day = days[_table([VISITS_BY_WEEKDAY[(d + 3) % 7] for d in days.tolist()])[_drawn(random, n_visits)]]
        at_home = random.integers(0, 1000, n_visits, np.uint16) < AT_HOME_PER_THOUSAND
        place = np.where(at_home, home[person], place_table[_drawn(random, n_visits)])
        records = (_table(VISITS_BY_RECORDS) + 1)[_drawn(random, n_visits)]
        rows = random.permutation(np.repeat(np.arange(n_visits, dtype=np.uint32), records))
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(_pseudonyms(person)[rows]),
                pa.array(day[rows].astype(np.int32)).cast(pa.date32()),
                pa.DictionaryArray.from_arrays(pa.array(place[rows].astype(np.int8)), names).cast(pa.string()),
            ],
            schema=_schema(),
        )


def _records_per_visit() -> float:
    return sum(records * share for records, share in enumerate(VISITS_BY_RECORDS, 1)) / sum(VISITS_BY_RECORDS)


def _slots(people: int, random: np.random.Generator) -> NDArray[np.uint32]:
    """Return each person in proportion to their rate, so that a random slot is a person drawn by rate."""
    rank = np.arange(people, dtype=np.int64)
    shares = people * 1000 // (rank + people // RATE_CAP + 1)
    weights = np.maximum(1, shares * _SLOTS_PER_PERSON // 4_600)
    return np.repeat(random.permutation(people).astype(np.uint32), weights)


def _place_weights() -> list[int]:
    return [20_000 // (place + 1) for place in range(N_PLACES)]


def _table(weights: list[int] | tuple[int, ...]) -> Integers:
    """Return indices in proportion to their weights, so that a random position is an index drawn by weight."""
    edges = np.cumsum(weights, dtype=np.int64) * _TABLE // sum(weights)
    return np.searchsorted(edges, np.arange(_TABLE), side="right")


def _drawn(random: np.random.Generator, number: int) -> NDArray[np.uint16]:
    return random.integers(0, _TABLE, number, np.uint16)


def _pseudonyms(person: NDArray[np.uint32]) -> Integers:
    # Multiplication by an odd factor scrambles numbers without collisions.
    scrambled = (person.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    return (scrambled >> np.uint64(1)).astype(np.int64)


def _months(first: date, last: date) -> Iterator[Integers]:
    epoch = date(1970, 1, 1)
    start = first
    while start <= last:
        following = (start.replace(day=1) + timedelta(days=32)).replace(day=1)
        end = min(last + timedelta(days=1), following)
        yield np.arange((start - epoch).days, (end - epoch).days)
        start = end
