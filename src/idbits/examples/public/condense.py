"""Condense public statistics into the counts that come with idbits, and read the published files.

    python -m idbits.examples.public.condense FOLDER

FOLDER contains the files of the publishers: ``nl-ages.csv``, ``norway-municipality-ages.csv.gz`` and ``us-births.csv``.
One year of the first two is kept, and the days of all years of the third are added up. The results, a few tens of
kilobytes, replace the files next to this script.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from idbits.examples.public.statistics import AMERICAN_BIRTHS, DUTCH_AGES, NORWEGIAN_AGES, PublicStatistic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PUBLISHED_FILES", "american_births", "condense", "dutch_ages", "norwegian_ages"]

_DUTCH_YEAR = 2023
# The last year that is not imputed.
_NORWEGIAN_YEAR = 2019


def dutch_ages(path: Path) -> pa.Table:
    """Return the Dutch population of one year: sex, age, people."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    every = csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=";"))
    # T is the total of both sexes.
    rows = every.filter(pc.and_(pc.equal(every["jaar"], _DUTCH_YEAR), pc.not_equal(every["geslacht"], "T")))
    return pa.table({"sex": rows["geslacht"], "age": rows["leeftijd"], "people": rows["aantal"]})


def norwegian_ages(path: Path) -> pa.Table:
    """Return the Norwegian population of one year: municipality (its official number), age, people."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    options = csv.ConvertOptions(include_columns=["year", "location_code", "level", "age", "pop"])
    every = csv.read_csv(path, convert_options=options)
    rows = every.filter(pc.and_(pc.equal(every["year"], _NORWEGIAN_YEAR), pc.equal(every["level"], "municipality")))
    return pa.table({
        "municipality": pc.replace_substring(rows["location_code"], "municip", ""),
        "age": pc.cast(rows["age"], pa.int64()), "people": pc.cast(rows["pop"], pa.int64()),
    })  # fmt: skip


def american_births(path: Path) -> pa.Table:
    """Return the births of all years for each day of the calendar: month, day, births."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    every = csv.read_csv(path)
    days = every.group_by(["month", "date_of_month"]).aggregate([("births", "sum")])
    # Two digits, so that months sort as text.
    month = pc.utf8_lpad(pc.cast(days["month"], pa.string()), width=2, padding="0")
    return pa.table({"month": month, "day": days["date_of_month"], "births": days["births_sum"]})


PUBLISHED_FILES: dict[str, tuple[PublicStatistic, Callable[[Path], pa.Table]]] = {
    "nl-ages.csv": (DUTCH_AGES, dutch_ages),
    "norway-municipality-ages.csv.gz": (NORWEGIAN_AGES, norwegian_ages),
    "us-births.csv": (AMERICAN_BIRTHS, american_births),
}
"""The publishers' files, what becomes of each, and how it is read."""


def condense(folder: Path) -> dict[str, str]:
    """Return the text of each shipped file by its name, from the publishers' files in a folder."""
    texts = {}
    for name, (statistic, read) in PUBLISHED_FILES.items():
        texts[statistic.file] = statistic.written(read(folder / name))
    return texts


def main(arguments: Sequence[str]) -> int:
    """Write the shipped files; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m idbits.examples.public.condense FOLDER\n")
        return 2
    folder = Path(arguments[0])
    missing = [name for name in PUBLISHED_FILES if not (folder / name).is_file()]
    if missing:
        sys.stderr.write(f"error: {folder} has no file {' and no file '.join(missing)}\n")
        return 2
    for name, text in condense(folder).items():
        # No time in the file: the same counts give the same bytes.
        data = gzip.compress(text.encode("utf-8"), 9, mtime=0)
        Path(__file__).with_name(name).write_bytes(data)
        sys.stdout.write(f"{name}: {len(data):,} bytes\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
