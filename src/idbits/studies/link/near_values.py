"""Links by values that are nearly equal, or whose nulls are ignored.

Implements: SPEC page link.md, section 2. Rows that are equal in all compared columns are joined once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import pyarrow
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers, Value
from idbits.engines.base import OpenOptions, labels_to_compare
from idbits.engines.duckdb.candidate_join import CandidateJoin, JoinColumn, JoinedCandidates
from idbits.engines.local_linking import joined_rows, text_codes
from idbits.errors import DataError, InputError
from idbits.kernels.distinct import DistinctRows, distinct_rows
from idbits.kernels.linking import LinkedRows
from idbits.measures.linkage.bands import EARTH_RADIUS_KM, degrees_of_latitude, difference_bands, share_bands
from idbits.measures.linkage.candidates import CandidateCounts
from idbits.studies.link.equal_values import ComparedTables, identified_rows
from idbits.studies.link.links import Links, RecordLinks
from idbits.studies.link.tolerances import ComparedColumn, MatchTolerance, Nearness
from idbits.studies.shared.row_values import read_column
from idbits.values.alphabets import one_byte_texts
from idbits.values.attributes import Attribute

__all__ = ["cleaned_rows", "link_near_values"]

_SLACK = "1e-12 * greatest(abs({a}), abs({b}), {w})"
_HAVERSINE = (
    "2 * {r} * asin(least(1, sqrt(pow(sin(radians({{b}} - {{a}}) / 2), 2) + cos(radians({{a}})) * cos(radians({{b}})) "
    "* pow(sin(radians({{b2}} - {{a2}}) / 2), 2)))) <= {w}"
)


@dataclass(frozen=True, slots=True, eq=False)
class _ComparedSide:
    """The rows of one table, its distinct rows, and the texts of each column."""

    rows: CodedRows
    distinct: DistinctRows
    labels: list[list[Value]]

    def values(self, position: int) -> list[Value]:
        """Return the distinct texts of a column."""
        return self.labels[position]

    def codes(self, position: int) -> NDArray[np.uint32]:
        """Return the code of each distinct row in a column."""
        return self.distinct.codes[position]


def link_near_values(
    tables: ComparedTables,
    compared: Sequence[ComparedColumn],
    options: tuple[OpenOptions, OpenOptions],
    max_pairs: int,
    *,
    ignore_nulls: bool,
) -> Links:
    """Link by tolerances; the truth is compared afterwards."""
    if tables.sensitive:
        raise InputError("--sensitive needs values that are equal; leave out ~ and --nulls ignore")
    person: Integers | None = None
    extra: tuple[list[Attribute], list[Attribute]] = ([], [])
    if tables.truth is not None:
        extra = ([tables.truth[0]], [tables.truth[1]])
    n_compared = len(tables.on[0])
    all_rows = [
        _with_people(table.coded_rows([*on, *more]))
        for table, on, more in zip((tables.first, tables.second), tables.on, extra, strict=True)
    ]
    sides = [
        _side(rows, [table.labels(attribute) for attribute in on])
        for rows, table, on in zip(all_rows, (tables.first, tables.second), tables.on, strict=True)
    ]
    if tables.truth is not None:
        person = identified_rows(_identifiers(tables, all_rows, n_compared), tables.truth)
    columns = _join_columns(sides, compared, options)
    people = tuple(side.distinct.cohorts().astype(np.int64) for side in sides)
    first = options[0]
    join = CandidateJoin(
        columns, (people[0], people[1]), max_pairs, first.memory, first.threads, first.progress,
        ignore_nulls=ignore_nulls,
    )  # fmt: skip
    with closing(join):
        found = join.count()
        counts = _counts(found, (people[0], people[1]), columns, ignore_nulls=ignore_nulls)
        records = None
        if person is not None or tables.with_rows:
            records = _record_links(join, found, sides, person)
    return Links(counts, {}, records=records)


def cleaned_rows(tables: ComparedTables, compared: Sequence[ComparedColumn]) -> LinkedRows:
    """Return the rows of both tables with common codes of cleaned texts, as ``ComparedTables.linked_rows`` does."""
    truth = ([], []) if tables.truth is None else ([tables.truth[0]], [tables.truth[1]])
    attributes = [[*on, *identifier] for on, identifier in zip(tables.on, truth, strict=True)]
    rows = (tables.first.coded_rows([*attributes[0], *tables.sensitive]), tables.second.coded_rows(attributes[1]))
    cleanings = [item.cleanings for item in compared] + [()] * len(truth[0])
    codes = []
    for own, other, words in zip(*attributes, cleanings, strict=True):
        texts = [
            [_cleaned(label, words) for label in table.labels(attribute)]
            for table, attribute in ((tables.first, own), (tables.second, other))
        ]
        codes.append(text_codes(texts[0], texts[1]))
    return joined_rows(rows[0], rows[1], codes)


def _with_people(rows: CodedRows) -> CodedRows:
    """Return the rows that stand for somebody."""
    if rows.people is None or rows.people.all():
        return rows
    held = np.flatnonzero(rows.people)
    numbers = rows.numbers[held] if rows.numbers is not None else None
    return CodedRows(tuple(codes[held] for codes in rows.codes), rows.sizes, rows.people[held], numbers)


def _side(rows: CodedRows, labels: list[list[Value]]) -> _ComparedSide:
    compared = CodedRows(rows.codes[: len(labels)], rows.sizes[: len(labels)], rows.people, rows.numbers)
    return _ComparedSide(rows, distinct_rows(compared, with_indices=True), labels)


def _identifiers(tables: ComparedTables, rows: Sequence[CodedRows], position: int) -> LinkedRows:
    """Return the rows of both tables with common codes of their people."""
    assert tables.truth is not None
    texts = (tables.first.labels(tables.truth[0]), tables.second.labels(tables.truth[1]))
    only = [CodedRows((r.codes[position],), (r.sizes[position],), r.people, r.numbers) for r in rows]
    return joined_rows(only[0], only[1], [text_codes(*texts)])


def _join_columns(
    sides: Sequence[_ComparedSide], compared: Sequence[ComparedColumn], options: tuple[OpenOptions, OpenOptions]
) -> list[JoinColumn]:
    columns, position = [], 0
    for item in compared:
        if item.tolerance is not None and item.tolerance.nearness is Nearness.DISTANCE:
            columns.append(_distance_column(sides, position, item, item.tolerance))
        elif item.tolerance is not None and item.tolerance.nearness in (Nearness.EDITS, Nearness.SIMILARITY):
            columns.append(_text_column(sides, position, item, item.tolerance))
        elif item.tolerance is not None:
            columns.append(_number_column(sides, position, item, item.tolerance, options))
        else:
            columns.append(_equal_column(sides, position, item.cleanings))
        position += len(item.first)
    return columns


def _equal_column(sides: Sequence[_ComparedSide], position: int, cleanings: Sequence[str]) -> JoinColumn:
    numbers: dict[str, int] = {}
    arrays = []
    for side in sides:
        codes = [
            None if text is None else numbers.setdefault(text, len(numbers))
            for text in (_cleaned(label, cleanings) for label in side.values(position))
        ]
        arrays.append(_taken(pyarrow.array(codes, pyarrow.int64()), side.codes(position)))
    return JoinColumn((arrays[0],), (arrays[1],))


def _text_column(
    sides: Sequence[_ComparedSide], position: int, item: ComparedColumn, tolerance: MatchTolerance
) -> JoinColumn:
    texts = [[_cleaned(label, item.cleanings) for label in side.values(position)] for side in sides]
    # DuckDB compares bytes, so each character gets one.
    plain, _ = one_byte_texts([text or "" for side in texts for text in side])
    middle = len(texts[0])
    arrays = []
    for side, own, replaced in zip(sides, texts, (plain[:middle], plain[middle:]), strict=True):
        shown = [None if text is None else new for text, new in zip(own, replaced, strict=True)]
        arrays.append(_taken(pyarrow.array(shown, pyarrow.string()), side.codes(position)))
    if tolerance.nearness is Nearness.EDITS:
        condition = f"damerau_levenshtein({{a}}, {{b}}) <= {int(tolerance.width)}"
    else:
        condition = f"jaro_winkler_similarity({{a}}, {{b}}) >= {tolerance.width!r}"
    return JoinColumn((arrays[0],), (arrays[1],), condition)


def _number_column(
    sides: Sequence[_ComparedSide],
    position: int,
    item: ComparedColumn,
    tolerance: MatchTolerance,
    options: tuple[OpenOptions, OpenOptions],
) -> JoinColumn:
    kind = "date" if tolerance.nearness is Nearness.DAYS else "number"
    values = [
        _numbers(side, position, item, kind, which, each.dates)
        for side, which, each in zip(sides, ("first", "second"), options, strict=True)
    ]
    bands_of = share_bands if tolerance.nearness is Nearness.SHARE else difference_bands
    both = bands_of(np.nan_to_num(np.concatenate(values)), tolerance.width)
    bands = (both[: len(values[0])], both[len(values[0]) :])
    limit = "{w}" if tolerance.nearness is not Nearness.SHARE else "{w} * greatest(abs({a}), abs({b}))"
    condition = f"abs({{a}} - {{b}}) <= {limit} + {_SLACK}".replace("{w}", repr(tolerance.width))
    arrays = [pyarrow.array(each, mask=np.isnan(each)) for each in values]
    return JoinColumn((arrays[0],), (arrays[1],), condition, bands)


def _distance_column(
    sides: Sequence[_ComparedSide], position: int, item: ComparedColumn, tolerance: MatchTolerance
) -> JoinColumn:
    values = [
        [_numbers(side, position + part, item, "number", which, None, part) for part in (0, 1)]
        for side, which in zip(sides, ("first", "second"), strict=True)
    ]
    for latitude, _ in values:
        if np.any(np.abs(latitude[~np.isnan(latitude)]) > 90):
            raise DataError(f'"{item.text}": a latitude must be from -90 to 90 degrees; name latitude first (--on)')
    both = difference_bands(
        np.nan_to_num(np.concatenate([side[0] for side in values])), degrees_of_latitude(tolerance.width)
    )
    bands = (both[: len(values[0][0])], both[len(values[0][0]) :])
    arrays = [tuple(pyarrow.array(each, mask=np.isnan(each)) for each in side) for side in values]
    condition = _HAVERSINE.format(r=EARTH_RADIUS_KM, w=repr(tolerance.width * (1 + 1e-12) + 1e-9))
    return JoinColumn(arrays[0], arrays[1], condition, bands)


def _numbers(
    side: _ComparedSide, position: int, item: ComparedColumn, kind: str, which: str, dates: str | None, part: int = 0
) -> NDArray[np.float64]:
    """Return each distinct row's number, or day; NaN for null."""
    column = read_column(pyarrow.array(side.values(position), pyarrow.string()), dates)
    if column.kind != kind and len(column.keys):
        name = (item.first if which == "first" else item.second)[part].name
        what = "dates without a time" if kind == "date" else "numbers"
        raise DataError(f'not all values of "{name}" in the {which} table are {what}, which "{item.text}" needs (--on)')
    return column.row_numbers()[side.codes(position)]


def _taken(values: pyarrow.Array, codes: NDArray[np.uint32]) -> pyarrow.Array:
    return values.take(pyarrow.array(codes))


def _cleaned(text: Value, cleanings: Sequence[str]) -> Value:
    """Return a text as it is compared; a text of which nothing is left is missing.

    >>> _cleaned("  Müller-Lüdenscheidt ", ["fold"]), _cleaned(" a b ", ["trim"])
    ('mullerludenscheidt', 'a b')
    """
    if text is None or not cleanings:
        return None if text is None else labels_to_compare((text,))[0]
    if "fold" in cleanings:
        split = unicodedata.normalize("NFKD", text.casefold())
        text = "".join(character for character in split if character.isalnum())
    return text.strip() or None


def _counts(
    found: JoinedCandidates, people: tuple[Integers, Integers], columns: Sequence[JoinColumn], *, ignore_nulls: bool
) -> CandidateCounts:
    """Return the candidates of all records; unless nulls are ignored, records with one are apart."""
    missing = np.zeros(len(people[0]), np.bool_)
    if not ignore_nulls:
        for column in columns:
            missing |= column.nulls
    held = ~missing & (people[0] > 0)
    rivals = np.where(found.candidates == 1, found.rivals[found.only], 0)
    fitting = int(people[0][held & (found.candidates > 0)].sum()), int(people[1][found.rivals > 0].sum())
    rows = np.stack((people[0][held], found.candidates[held], rivals[held]), axis=1)
    alike, values = np.unique(rows, axis=0, return_counts=True)
    return CandidateCounts(
        records=alike[:, 0],
        candidates=alike[:, 1],
        rivals=alike[:, 2],
        values=values.astype(np.int64),
        n_people=int(people[1].sum()),
        nulls=int(people[0][missing].sum()),
        most_right=min(fitting),
    )


def _record_links(
    join: CandidateJoin, found: JoinedCandidates, sides: Sequence[_ComparedSide], person: Integers | None
) -> RecordLinks:
    first, second = (side.distinct.indices for side in sides)
    assert first is not None
    assert second is not None
    candidates = found.candidates[first]
    rivals = np.where(candidates == 1, found.rivals[found.only[first]], 0)
    row_of = np.full(len(found.rivals), -1, np.int64)
    row_of[second] = np.arange(len(second))
    claimed = np.where((candidates == 1) & (rivals == 1), row_of[found.only[first]], -1)
    in_both = among = None
    if person is not None:
        in_both = person >= 0
        among = np.zeros(len(person), np.bool_)
        known = np.flatnonzero(in_both)
        among[known] = join.fits(first[known].astype(np.int64), second[person[known]].astype(np.int64))
    return RecordLinks(sides[0].rows.numbers, candidates, rivals, claimed, sides[1].rows.numbers, in_both, among)
