"""The columns of two tables as an engine compares them: texts without spaces around them, dates and numbers read.

Blanks are nulls. Dates and numbers that cannot be read stay texts, which can only be equal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Value
from idbits.engines.backends.agreement import AgreementColumn
from idbits.errors import InputError
from idbits.values.agreement import DEFAULT_LEVELS, Agreement, AgreementLevel, ColumnComparison
from idbits.values.attributes import Kind
from idbits.values.date_readings import choose_reading, count_forms
from idbits.values.dates import form_of, read_date
from idbits.values.readings import NUMBER_PATTERN

__all__ = ["ColumnSide", "compare_column", "shared_codes"]

_FEW_VALUES = 20
_MOSTLY = 0.95
_SHORTEST_CODE, _LONGEST_CODE, _EXACT_DIGITS = 3, 20, 15
_NUMBER = re.compile(NUMBER_PATTERN, re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSide:
    """A column of one table: its kind, the code of each row, the text of each code, and the order of its dates."""

    kind: Kind
    codes: NDArray[np.uint32]
    labels: Sequence[Value]
    dates: str | None = None

    @property
    def texts(self) -> list[str | None]:
        """The texts without spaces around them; None for nulls and blanks."""
        return [(text.strip() or None) if text is not None else None for text in self.labels]


@dataclass(frozen=True, slots=True)
class _ReadSide:
    """The texts of one side, and what they were read as."""

    texts: list[str | None]
    days: Mapping[str, int]


def compare_column(first: ColumnSide, second: ColumnSide, levels: tuple[AgreementLevel, ...] | None) -> AgreementColumn:
    """Return a column that can be compared; without levels, those of what its values look like."""
    sides = [(side.texts, side) for side in (first, second)]
    if levels is None:
        levels = DEFAULT_LEVELS[_comparison([(set(filter(None, texts)), side) for texts, side in sides])]
    agreements = {level.agreement for level in levels}
    days: dict[str, int] = {}
    read: list[list[str | None]] = []
    for texts, side in sides:
        if Agreement.DAYS in agreements:
            found = _read_days(texts, side)
            days |= {_day_text(day): day.toordinal() for day in found.values()}
            texts = [None if t is None else _day_text(found[t]) if t in found else t for t in texts]
        elif Agreement.PERCENT in agreements:
            texts = [None if text is None else _number_text(text) for text in texts]
        read.append(texts)
    values, (codes_a, codes_b) = shared_codes(
        [CodedRows((side.codes,), (len(side.labels),)) for _, side in sides], read
    )
    return AgreementColumn(
        levels=levels,
        texts=values,
        codes_a=codes_a,
        codes_b=codes_b,
        days=[days.get(text) for text in values] if Agreement.DAYS in agreements else None,
        numbers=[_number(text) for text in values] if Agreement.PERCENT in agreements else None,
    )


def shared_codes(
    rows: Sequence[CodedRows], texts: Sequence[Sequence[str | None]]
) -> tuple[list[str], list[NDArray[np.int32]]]:
    """Return the distinct texts of two tables, and for each row of each the index of its text, -1 for null."""
    numbers: dict[str, int] = {}
    codes = []
    for side, labels in zip(rows, texts, strict=True):
        shared = [-1 if text is None else numbers.setdefault(text, len(numbers)) for text in labels]
        codes.append(np.array(shared, np.int32)[side.codes[0]] if shared else np.zeros(0, np.int32))
    return list(numbers), codes


def _comparison(sides: Sequence[tuple[set[str], ColumnSide]]) -> ColumnComparison:
    """Return how a column is compared, from its values in both tables."""
    values = set().union(*(texts for texts, _ in sides))
    if len(values) <= _FEW_VALUES:
        return ColumnComparison.CATEGORY
    if all(len(_read_days(list(texts), side)) >= _MOSTLY * len(texts) for texts, side in sides if texts):
        return ColumnComparison.DATE
    numbers = [text for text in values if _NUMBER.fullmatch(text)]
    if len(numbers) >= _MOSTLY * len(values):
        return ColumnComparison.CODE if _are_codes(numbers) else ColumnComparison.NUMBER
    with_digits = sum(1 for text in values if _looks_like_code(text))
    return ColumnComparison.CODE if with_digits >= _MOSTLY * len(values) else ColumnComparison.TEXT


def _are_codes(numbers: Sequence[str]) -> bool:
    """Whether numbers are codes: digits of one length, or with leading zeros, or too long to be exact."""
    if any(len(text) > 1 and text[0] == "0" and text.isdecimal() for text in numbers):
        return True
    if not all(map(str.isdecimal, numbers)):
        return False
    lengths = [len(text) for text in numbers]
    usual = max(set(lengths), key=lengths.count)
    return max(lengths) > _EXACT_DIGITS or (usual >= _SHORTEST_CODE and lengths.count(usual) >= _MOSTLY * len(lengths))


def _looks_like_code(text: str) -> bool:
    return len(text) <= _LONGEST_CODE and any(map(str.isdecimal, text)) and text.count(" ") <= 1


def _read_days(texts: Sequence[str | None], side: ColumnSide) -> dict[str, date]:
    """Return the texts that are days, in the one order in which they can be read; none if that is doubtful."""
    given = [text for text in texts if text is not None]
    if side.kind in (Kind.DATE, Kind.TIMESTAMP):
        return {text: date.fromisoformat(text[:10]) for text in given if re.match(r"\d{4}-\d\d-\d\d", text)}
    counts = count_forms(given)
    try:
        reading = choose_reading(counts, "", side.dates)
    except InputError:
        return {}
    days: dict[str, date] = {}
    for text in given:
        form = form_of(text)
        if form is not None and form.step == "day" and (day := read_date(text, form, reading.order)) is not None:
            days[text] = day
    return days


def _day_text(day: date) -> str:
    return day.strftime("%Y%m%d").zfill(8)


def _number(text: str) -> float | None:
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def _number_text(text: str) -> str:
    """Return one text for all ways to write a number."""
    number = _number(text)
    return text if number is None else repr(number + 0.0)
