"""The public statistics that come with idbits: what they are, who published them, and their counts.

Each is a cross table of people by two columns in a small compressed text file, whose first lines are its attribution.
``condense.py`` makes the files.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["AMERICAN_BIRTHS", "DUTCH_AGES", "NORWEGIAN_AGES", "STATISTICS", "PublicStatistic"]

_REMARK = "#"


@dataclass(frozen=True, slots=True)
class PublicStatistic:
    """A statistic that comes with idbits.

    Attributes:
        file: the name of its file in the package.
        row, column: the columns by which people are counted; the values of ``column`` are whole numbers.
        count: the name of the column with the numbers of people.
        what: what is counted, in words.
        publisher: who published it.
        licence: the name of its licence.
        licence_address: where the licence can be read; empty if there is none to read.
        changes: what we changed.
        reading: how to read its values, as a sentence; may be empty.
    """

    file: str
    row: str
    column: str
    count: str
    what: str
    publisher: str
    licence: str
    licence_address: str
    changes: str
    reading: str = ""

    @property
    def source(self) -> str:
        """The source in a sentence or two, with publisher and licence."""
        return " ".join(filter(None, (f"{self.publisher}, {self.what}, {self.licence}.", self.reading)))

    @property
    def attribution(self) -> tuple[str, ...]:
        """The lines at the head of the file."""
        licence = f"{self.licence} ({self.licence_address})" if self.licence_address else self.licence
        lines = (f"Source: {self.publisher}, {self.what}.", f"Licence: {licence}.", f"Changes: {self.changes}.")
        return (*lines, self.reading) if self.reading else lines

    def text(self) -> str:
        """Return the text of the file: the attribution, then one line per row."""
        data = files("idbits.examples.public").joinpath(self.file).read_bytes()
        return gzip.decompress(data).decode("utf-8")

    def table(self) -> pa.Table:
        """Return the counts as a table with one row per combination that exists."""
        import pyarrow as pa

        counted = list(_counted(line for line in self.text().splitlines() if not line.startswith(_REMARK)))
        rows, columns, counts = zip(*counted, strict=True)
        return pa.table({self.row: pa.array(rows), self.column: pa.array(columns), self.count: pa.array(counts)})

    def written(self, table: pa.Table) -> str:
        """Return the text of the file for a table with these three columns, each combination once."""
        counts = {(row[self.row], row[self.column]): row[self.count] for row in table.to_pylist()}
        if len(counts) != table.num_rows:
            raise ValueError(f"{self.file}: a combination occurs twice")
        columns = sorted({column for _, column in counts})
        lines = [f"{_REMARK} {line}" for line in self.attribution]
        lines.append(",".join(map(str, (f"{self.row} by {self.column}", *columns))))
        for row in sorted({row for row, _ in counts}):
            cells = (counts.get((row, column), "") for column in columns)
            lines += [",".join(map(str, (row, *cells)))]
        return "\n".join(lines) + "\n"


def _counted(lines: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """Yield row, column and count of each cell; an empty cell is a combination that does not exist."""
    reader = csv.reader(lines)
    columns = [int(name) for name in next(reader)[1:]]
    for row, *cells in reader:
        for column, cell in zip(columns, cells, strict=True):
            if cell:
                yield row, column, int(cell)


DUTCH_AGES = PublicStatistic(
    file="nl-age-sex.csv.gz", row="sex", column="age", count="people",
    what="population of the Netherlands by age and sex in 2023", publisher="Statistics Netherlands (CBS)",
    licence="CC BY 4.0", licence_address="https://creativecommons.org/licenses/by/4.0/",
    changes="one of many years, without totals, arranged as a cross table",
    reading="100 means 100 years and older.",
)  # fmt: skip

NORWEGIAN_AGES = PublicStatistic(
    file="no-municipality-age.csv.gz", row="municipality", column="age", count="people",
    what="population of Norway by municipality and age in 2019", publisher="Statistics Norway (SSB)",
    licence="NLOD 2.0", licence_address="https://data.norge.no/nlod/en/2.0",
    changes="one of many years, municipalities only, arranged as a cross table",
    reading="Municipalities have their official numbers; the first two digits are the county.",
)  # fmt: skip

AMERICAN_BIRTHS = PublicStatistic(
    file="us-births.csv.gz", row="month", column="day", count="births",
    what="births in the United States per day from 2000 to 2014",
    publisher="US Social Security Administration", licence="public domain", licence_address="",
    changes="births of all years added up for each day of the calendar",
)  # fmt: skip

STATISTICS = (DUTCH_AGES, NORWEGIAN_AGES, AMERICAN_BIRTHS)
