"""A made-up population registry in which people are as identifiable as in the Hungarian one.

Z. Alexin, "Entropy based approach to personal data" (2022), measured the birth date, ZIP code and gender of
all 10,004,090 people in the Hungarian registry of 31 December 2011. The registry is not public; this module
draws people from distributions that reproduce the published entropies and long tails. ZIP code and birth date
are drawn independently, gender by age. The country is fixed: size and seed only decide who is drawn from it.
All weights are whole numbers, so that rounding on another machine cannot change a draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from idbits.errors import InputError

if TYPE_CHECKING:
    import os

    import pyarrow as pa

__all__ = ["registry", "write_registry"]

Integers = NDArray[np.int64]

# Alexin 2022, table II: people whose ZIP code gives away at least 6, 7, ... 15 bits.
PEOPLE_BY_ZIP_BITS = (
    10_004_090, 9_716_633, 8_847_670, 7_369_394, 5_210_515, 3_476_436, 2_139_699, 966_087, 302_595, 48_593,
)  # fmt: skip
FEWEST_ZIP_BITS = 6
# Alexin 2022, below table I: "The range is from 100 to 100 000."
SMALLEST_ZIP, LARGEST_ZIP = 100, 100_000
# Alexin 2022, table I: the first and the last ZIP code.
FIRST_ZIP_CODE, LAST_ZIP_CODE = 1011, 9985
# Above 1, small ZIP codes outnumber large ones within a bit level; calibrated to the 10.30 bits of table I.
ZIP_SIZE_SKEW = 1.2

# Alexin 2022, table III and text: the oldest birth date, of one person, and the day of the snapshot.
OLDEST_BIRTHDATE, SNAPSHOT = np.datetime64("1894-12-31"), np.datetime64("2011-12-31")
# People of 2011 per thousand days of birth, on 1 January of a year, with straight lines in between. The outline of the
# age pyramid (few births in both wars, baby booms of 1954 and 1975) is calibrated to Alexin 2022, table IV, and to the
# 14.92 bits of the birth date and the 9.99 bits of the year and month of birth.
PEOPLE_PER_THOUSAND_DAYS = {
    1894: 2, 1900: 10, 1904: 80, 1908: 700, 1910: 1_600, 1912: 3_100, 1914: 4_700, 1917: 6_000, 1918: 9_000,
    1919: 25_000, 1921: 39_000, 1923: 60_000, 1926: 86_000, 1928: 99_000, 1932: 165_000, 1936: 210_000,
    1940: 247_000, 1946: 305_000, 1950: 420_000, 1952: 421_000, 1954: 510_000, 1956: 467_000, 1958: 395_000,
    1962: 326_000, 1966: 345_000, 1968: 390_000, 1973: 430_000, 1975: 565_000, 1977: 495_000, 1980: 411_000,
    1984: 335_000, 1991: 335_000, 1994: 310_000, 1998: 225_000, 2009: 215_000, 2012: 222_000,
}  # fmt: skip
# More births in summer, fewer at weekends, as in the first days of 1985 in Alexin 2022, table III.
BIRTHS_BY_MONTH = np.array((97, 99, 101, 101, 101, 102, 104, 103, 103, 98, 95, 96))
BIRTHS_FROM_MONDAY = np.array((100, 103, 102, 102, 102, 98, 93))

# Men per thousand people by age in years: more boys are born, and women live longer. Our assumption.
MEN_PER_THOUSAND = {0: 513, 40: 510, 60: 460, 75: 370, 90: 270, 118: 200}

# Limits the memory for a large registry. Changing it changes the result: each batch draws its columns in turn.
PEOPLE_PER_BATCH = 1 << 20


def registry(people: int = 200_000, *, seed: int = 0) -> pa.Table:
    """Return a registry of made-up people: ``birthdate`` (date32), ``zip`` (4 digits) and ``gender`` (M, F).

    >>> registry(2_000).column_names
    ['birthdate', 'zip', 'gender']
    """
    import pyarrow as pa

    _check_people(people)
    return pa.Table.from_batches(_batches(people, seed), schema=_schema())


def write_registry(
    path: str | os.PathLike[str], people: int = 200_000, *, seed: int = 0, suffix: str | None = None
) -> None:
    """Write the people of :func:`registry` to a ``.parquet`` or ``.csv`` file, batch by batch.

    ``suffix`` gives the format if the path does not.
    """
    from pyarrow import csv, parquet

    _check_people(people)
    suffix = suffix or Path(path).suffix.lower()
    if suffix == ".parquet":
        writer = parquet.ParquetWriter(str(path), _schema())
    elif suffix == ".csv":
        writer = csv.CSVWriter(str(path), _schema(), write_options=csv.WriteOptions(quoting_style="none"))
    else:
        raise InputError(f'"{path}": the registry must be a .parquet or .csv file, not "{suffix}"')
    with writer:
        for batch in _batches(people, seed):
            writer.write_batch(batch)


def _check_people(people: int) -> None:
    if people < 0:
        raise InputError(f"the number of people must be at least 0, not {people}")


def _schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema([("birthdate", pa.date32()), ("zip", pa.string()), ("gender", pa.string())])


def _batches(people: int, seed: int) -> Iterator[pa.RecordBatch]:
    """Draw the people in batches, all from one random stream."""
    import pyarrow as pa

    random = np.random.default_rng(seed)
    sizes, days = _zip_sizes(), _days()
    codes = pa.array(_zip_codes(len(sizes)).astype(str).tolist())
    genders = pa.array(["F", "M"])
    size_ends, birth_ends = np.cumsum(sizes), np.cumsum(_birth_weights(days))
    men = _men_per_thousand(days)
    for start in range(0, people, PEOPLE_PER_BATCH):
        count = min(PEOPLE_PER_BATCH, people - start)
        zips, births = _draw(random, size_ends, count), _draw(random, birth_ends, count)
        is_man = random.integers(0, 1000, count) < men[births]
        columns = [
            pa.array(days[births].astype(np.int32)).view(pa.date32()),
            codes.take(pa.array(zips)),
            genders.take(pa.array(is_man.astype(np.int8))),
        ]
        yield pa.record_batch(columns, schema=_schema())


def _draw(random: np.random.Generator, ends: Integers, count: int) -> Integers:
    """Draw indices by weight; ``ends`` are the running totals of the weights."""
    return np.searchsorted(ends, random.integers(0, ends[-1], count), side="right")


def _zip_sizes() -> Integers:
    """Return the people per ZIP code; the bit levels are those of Alexin 2022, table II, within 0.1 %."""
    population = PEOPLE_BY_ZIP_BITS[0]
    levels = -np.diff(PEOPLE_BY_ZIP_BITS, append=0)
    sizes = []
    for bits, people in enumerate(levels.tolist(), start=FEWEST_ZIP_BITS):
        last = bits == FEWEST_ZIP_BITS + len(levels) - 1
        smallest = SMALLEST_ZIP if last else population / 2 ** (bits + 1)
        largest = min(population / 2**bits, LARGEST_ZIP)
        count = round(people / _spread(smallest, largest, 1000).mean())
        shape = _spread(smallest, largest, count)
        # Rounding the running total instead of each size keeps the sum.
        sizes.append(np.diff(np.rint(np.cumsum(shape) * (people / shape.sum())), prepend=0))
    return np.concatenate(sizes).astype(np.int64)


def _spread(smallest: float, largest: float, count: int) -> NDArray[np.float64]:
    """Return sizes between two bounds, about evenly spaced on a logarithmic scale."""
    places = (np.arange(count) + 0.5) / count
    return np.asarray(smallest * (largest / smallest) ** (places**ZIP_SIZE_SKEW), dtype=np.float64)


def _zip_codes(count: int) -> Integers:
    """Return distinct ZIP codes in random order, so that small and large ones are next to each other."""
    # A fixed seed: the map of the country is the same for all registries.
    shuffled = np.random.default_rng(2011).permutation(np.arange(FIRST_ZIP_CODE, LAST_ZIP_CODE + 1))
    return np.asarray(shuffled[:count], dtype=np.int64)


def _days() -> Integers:
    """Return all possible birth dates, in days since 1970-01-01."""
    return np.arange(OLDEST_BIRTHDATE, SNAPSHOT + 1).astype(np.int64)


def _birth_weights(days: Integers) -> Integers:
    """Return the weight of each birth date among the living: age pyramid x season x day of the week."""
    years = np.array([f"{year}-01-01" for year in PEOPLE_PER_THOUSAND_DAYS], dtype="datetime64[D]")
    alive = _interpolate(days, years.astype(np.int64), PEOPLE_PER_THOUSAND_DAYS.values())
    alive[0] = 1000  # the one person of Alexin 2022, table III
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12
    weekdays = (days + 3) % 7  # 1970-01-01 was a Thursday
    return np.asarray(alive * BIRTHS_BY_MONTH[months] * BIRTHS_FROM_MONDAY[weekdays], dtype=np.int64)


def _men_per_thousand(days: Integers) -> Integers:
    """Return the men per thousand people of each birth date."""
    ages = np.array(list(MEN_PER_THOUSAND)) * 1461 // 4
    return _interpolate(SNAPSHOT.astype(np.int64) - days, ages, MEN_PER_THOUSAND.values())


def _interpolate(points: Integers, knots: Integers, heights: Iterable[int]) -> Integers:
    """Interpolate linearly between the knots, rounding down; np.interp would use floats."""
    levels = np.array(list(heights), dtype=np.int64)
    left = np.searchsorted(knots, points, side="right") - 1
    rise, run = np.diff(levels)[left], np.diff(knots)[left]
    return np.asarray(levels[left] + rise * (points - knots[left]) // run, dtype=np.int64)
