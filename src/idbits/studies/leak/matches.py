"""The part of ``idbits leak`` that compares all pairs of columns, to find those that were renamed or swapped."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.measures.all_pairs_test import judge_all_pairs
from idbits.measures.coincidence import Coincidence, count_equal
from idbits.measures.dependence import spearman
from idbits.measures.resampling import SHIFTS, SHUFFLES
from idbits.measures.serial import DIFFERENCES, column_changes, resembles_neighbours, returns_to_a_mean
from idbits.progress import Progress
from idbits.studies.leak.dependence import OTHER_KIND, measure_mic, sample_rows
from idbits.studies.leak.paired_tables import PairedTables, read_pair, shared_codes
from idbits.studies.leak.result import ColumnMatch
from idbits.studies.shared.row_values import ColumnValues

__all__ = ["ColumnMatches", "compare_all_columns", "n_cross_pairs"]

Integers = NDArray[np.int64]

_MOST_PAIRS = 10_000
_VALUE_ROWS = 10_000
_TEST_ROWS = 2_000
# The share of the chance of a false alarm for equal values; dependence gets the rest.
_EQUAL_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class ColumnMatches:
    """Released columns that match an original column with a different name.

    Attributes:
        columns: the matches.
        n_pairs: the number of pairs of columns compared.
        could_tell: whether there are enough rows to distinguish a match from chance.
        note: why nothing was compared.
    """

    columns: tuple[ColumnMatch, ...]
    n_pairs: int
    could_tell: bool
    note: str | None = None


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The evidence for a match; ``weight`` orders it by strength."""

    original: int
    released: int
    equal: Coincidence | None
    p_value: float | None
    null: str
    weight: tuple[int, float]


def n_cross_pairs(tables: PairedTables) -> int:
    """Return the number of pairs of columns with different names to compare; 0 if there are too many."""
    number = len(tables.originals) * len(tables.releases) - len(tables.pairs)
    return number if number <= _MOST_PAIRS else 0


def compare_all_columns(
    tables: PairedTables, leaking: set[str], error: float, mic_rows: int, seed: int, progress: Progress
) -> ColumnMatches:
    """Compare columns with different names; ``leaking`` are the released columns that match their namesake.

    These are compared by equal values only, to see whether another column has more values in common with them.
    """
    number = n_cross_pairs(tables)
    if number == 0:
        many = len(tables.originals) * len(tables.releases) > _MOST_PAIRS
        note = f"we did not compare columns with different names: more than {_MOST_PAIRS:,} pairs" if many else None
        return ColumnMatches((), 0, False, note)
    part = [0.0]
    with progress.step("comparing every column with every other", lambda: part[0]):
        equal = _equal_values(tables, leaking, error * _EQUAL_SHARE / number, seed)
        settled = leaking | {tables.releases[evidence.released].name for evidence in equal}
        dependent = _dependence(tables, settled, error * (1 - _EQUAL_SHARE), seed, part)
        best: dict[int, _Evidence] = {}
        for evidence in (*equal, *dependent):
            if evidence.released not in best or best[evidence.released].weight < evidence.weight:
                best[evidence.released] = evidence
        matches = [_described(tables, best[index], mic_rows, seed) for index in sorted(best)]
    # Even fully equal columns are in the same order by chance once in n! times.
    could_tell = math.factorial(min(tables.n_rows, 20)) * error * _EQUAL_SHARE >= number
    return ColumnMatches(tuple(matches), number, could_tell)


def _equal_values(tables: PairedTables, leaking: set[str], level: float, seed: int) -> list[_Evidence]:
    """Return pairs with more equal values in the same positions than by chance."""
    rows = sample_rows(tables.n_rows, _VALUE_ROWS, seed, in_any_order=True)
    sides = [[named.column.at(rows) for named in side] for side in (tables.originals, tables.releases)]
    texts = [column for side in sides for column in side if column.kind == "text"]
    codes = {id(column): ranks for column, ranks in zip(texts, shared_codes(texts) if texts else [], strict=True)}
    evidence = []
    for after, released in enumerate(sides[1]):
        name = tables.releases[after].name
        namesake = next((index for index, named in enumerate(tables.originals) if named.name == name), None)
        closest = (
            _count(sides[0][namesake], released, codes, seed) if name in leaking and namesake is not None else None
        )
        for before, original in enumerate(sides[0]):
            if before == namesake:
                continue
            equal = _count(original, released, codes, seed)
            same_or_less = closest is not None and equal is not None and equal.count <= closest.count
            if equal is not None and not same_or_less and equal.exceeds(level):
                evidence.append(_Evidence(before, after, equal, None, equal.null, (1, equal.count - equal.by_chance)))
    return evidence


def _count(original: ColumnValues, released: ColumnValues, texts: dict[int, Integers], seed: int) -> Coincidence | None:
    """Count equal values; None if there are none, or the columns have different kinds."""
    if original.kind != released.kind:
        return None
    if original.kind == "text":
        return count_equal(texts[id(original)], texts[id(released)], seed)
    before, after = original.row_numbers(), released.row_numbers()
    # Equal values are equal floats, so most columns of measurements can be skipped here.
    if not ((before == after) | (np.isnan(before) & np.isnan(after))).any():
        return None
    shared = read_pair("", original, released).shared
    return count_equal(*shared, seed) if shared is not None else None


def _dependence(tables: PairedTables, settled: set[str], error: float, seed: int, part: list[float]) -> list[_Evidence]:
    """Return pairs that depend on each other more than by chance, except released columns in ``settled``."""
    names = [[named.name for named in side] for side in (tables.originals, tables.releases)]
    open_pairs = np.array([[before != after and after not in settled for after in names[1]] for before in names[0]])
    if not open_pairs.any():
        return []
    rows = sample_rows(tables.n_rows, _TEST_ROWS, seed, in_any_order=True)
    sides = _Sides.of(tables, rows)
    if tables.n_rows > _TEST_ROWS and sides.dependent(open_pairs).any():
        sides = _Sides.of(tables, sample_rows(tables.n_rows, _TEST_ROWS, seed, in_any_order=False))
    in_runs = sides.dependent(open_pairs)
    families = [(SHUFFLES, open_pairs & ~in_runs), (SHIFTS, open_pairs & in_runs)]
    families = [(kind, compared) for kind, compared in families if compared.any()]
    evidence = []
    for number, (kind, compared) in enumerate(families):

        def done(fraction: float, number: int = number) -> None:
            part[0] = (number + fraction) / len(families)

        codes, null = sides.codes(kind, compared)
        level = error / len(families)
        judged = judge_all_pairs(codes[0], codes[1], compared, level, seed, kind, done)
        for before, after in np.argwhere(judged.p_value <= level).tolist():
            weight = (0, float(judged.strength[before, after]))
            evidence.append(_Evidence(before, after, None, float(judged.p_value[before, after]), null, weight))
    return evidence


@dataclass(frozen=True, slots=True)
class _Sides:
    """The columns of both tables in some rows, and in which of them neighbouring rows resemble each other."""

    columns: list[list[ColumnValues]]
    resembling: list[list[bool]]

    @classmethod
    def of(cls, tables: PairedTables, rows: Integers) -> _Sides:
        columns = [[named.column.at(rows) for named in side] for side in (tables.originals, tables.releases)]
        return cls(columns, [[resembles_neighbours(column.codes()) for column in side] for side in columns])

    def dependent(self, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the pairs in which neighbouring rows resemble each other in both columns."""
        before, after = (np.array(side, np.bool_) for side in self.resembling)
        return np.asarray(before[:, None] & after[None, :] & among)

    def codes(self, kind: str, compared: NDArray[np.bool_]) -> tuple[list[list[Integers]], str]:
        """Return what to compare: values, or changes from row to row if one of the columns may drift."""
        used = [np.asarray(compared.any(axis=1)), np.asarray(compared.any(axis=0))]
        if kind == SHIFTS and not all(
            returns_to_a_mean(column.codes(), column.row_numbers())
            for side, wanted in zip(self.columns, used, strict=True)
            for column, is_used in zip(side, wanted.tolist(), strict=True)
            if is_used
        ):
            return [[_changes(column) for column in side] for side in self.columns], DIFFERENCES
        return [[column.codes() for column in side] for side in self.columns], kind


def _changes(column: ColumnValues) -> Integers:
    return np.unique(column_changes(column.codes(), column.row_numbers()), return_inverse=True)[1]


def _described(tables: PairedTables, evidence: _Evidence, mic_rows: int, seed: int) -> ColumnMatch:
    """Measure a matching pair in all rows."""
    original, released = tables.originals[evidence.original], tables.releases[evidence.released]
    pair = read_pair(original.name, original.column, released.column)
    codes = (pair.original.codes(), pair.released.codes())
    rows = sample_rows(tables.n_rows, mic_rows, seed, evidence.null == SHUFFLES)
    equal = count_equal(*pair.shared, seed) if pair.shared is not None else None
    mic, mic_chance = measure_mic(codes, rows, seed, evidence.null, {})
    return ColumnMatch(
        original=original.name,
        released=released.name,
        unchanged=equal.count if equal is not None else None,
        unchanged_by_chance=equal.by_chance if equal is not None else None,
        unchanged_probability=equal.probability if equal is not None else None,
        spearman=spearman(*codes),
        mic=mic,
        mic_chance=mic_chance,
        p_value=evidence.p_value,
        null=evidence.null,
        reasons=_reasons(equal, mic, evidence.p_value),
    )


def _reasons(equal: Coincidence | None, mic: float | None, p_value: float | None) -> dict[str, str]:
    """Return why figures of a match are missing."""
    reasons: dict[str, str] = {}
    if equal is None:
        reasons |= dict.fromkeys(("unchanged", "unchanged_by_chance", "unchanged_probability"), OTHER_KIND)
    if mic is None:
        reasons |= dict.fromkeys(("mic", "mic_chance"), "one side is constant in the rows drawn")
    if p_value is None:
        reasons["p_value"] = "the unchanged values are enough evidence"
    return reasons
