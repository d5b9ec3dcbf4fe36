"""The beginning of a text file, separated into rows by one delimiter or another."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["SURE_DELIMITERS", "SampleRows", "TextSample", "long_fields"]

# If several fit equally well, the last wins: commas occur in texts and numbers more often than tabs.
SURE_DELIMITERS = (",", "|", ";", "\t")
_RARE_DELIMITERS = ("^", "~", "\x1f")
_NO_DELIMITER = "\x1f"


class long_fields:  # noqa: N801 (reads as a verb where it is used)
    """Lift the length limit of Python's csv reader inside the block."""

    def __enter__(self) -> None:
        self.limit = csv.field_size_limit(1 << 30)

    def __exit__(self, *_: object) -> None:
        csv.field_size_limit(self.limit)


@dataclass(slots=True)
class SampleRows:
    """Rows of a text, empty ones included, and for each the number of lines up to its end."""

    all: list[list[str]] = field(default_factory=list)
    line_ends: list[int] = field(default_factory=list)

    @property
    def filled(self) -> list[list[str]]:
        """The rows without empty lines."""
        return [row for row in self.all if row]

    def without_last(self) -> SampleRows:
        """Return the rows without the last one that is not empty, which may be incomplete."""
        end = max(index for index, row in enumerate(self.all) if row)
        return SampleRows(self.all[:end], self.line_ends[:end])


class TextSample:
    """The beginning of a text; ``whole`` says that it is all of it."""

    def __init__(self, text: str, whole: bool) -> None:
        self.text = text
        self.whole = whole
        self._rows: dict[tuple[str, str], SampleRows] = {}

    def is_quoted_with(self, quote: str) -> bool:
        """Whether all names in the first line are enclosed in such quotes."""
        line = self.text.lstrip("\r\n").splitlines()[0]
        return any(
            len(fields) > 1 and all(len(field) > 1 and field[0] == field[-1] == quote for field in fields)
            for fields in (line.split(candidate) for candidate in SURE_DELIMITERS)
        )

    def rows(self, delimiter: str, quote: str) -> SampleRows:
        """Return the complete rows."""
        if (delimiter, quote) not in self._rows:
            self._rows[delimiter, quote] = self._separate(delimiter, quote)
        return self._rows[delimiter, quote]

    def _separate(self, delimiter: str, quote: str) -> SampleRows:
        rows = SampleRows()
        whole = self.whole
        with long_fields():
            reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=delimiter, quotechar=quote)
            try:
                for row in reader:
                    rows.all.append(row)
                    rows.line_ends.append(reader.line_num)
            except csv.Error:
                whole = False
        return rows if whole or len(rows.filled) < 2 else rows.without_last()

    def find_delimiter(self, quote: str, first: int = 0) -> tuple[str, str]:
        """Return the delimiter of the rows from ``first`` on and its rival, if any; a rare one must fit every row."""
        sure, rival = self._best(SURE_DELIMITERS, quote, first)
        if sure:
            return sure, rival
        rare, _ = self._best(_RARE_DELIMITERS, quote, first)
        if rare and len({len(row) for row in _filled(self.rows(rare, quote), first)}) == 1:
            return rare, ""
        return _NO_DELIMITER, ""

    def _best(self, candidates: Sequence[str], quote: str, first: int) -> tuple[str, str]:
        scores = {}
        # A delimiter that does not occur separates nothing.
        for candidate in (candidate for candidate in candidates if candidate in self.text):
            rows = _filled(self.rows(candidate, quote), first)
            width = len(rows[0]) if rows else 0
            if width > 1:
                same = Counter(map(len, rows))[width] / len(rows)
                scores[candidate] = (round(same, 1), width)
        if not scores:
            return "", ""
        best = max(scores.values())
        *rivals, chosen = [candidate for candidate, score in scores.items() if score == best]
        even = [candidate for candidate, score in scores.items() if score[0] == best[0] == 1 and candidate != chosen]
        return chosen, next(iter([*rivals, *even]), "")


def _filled(rows: SampleRows, first: int) -> list[list[str]]:
    return [row for row in rows.all[first:] if row]
