"""The part of ``idbits leak`` that looks for any link between the rows of two tables, at one overall error rate."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.progress import Progress
from idbits.studies.leak.dependence import JudgedColumns, judge_columns
from idbits.studies.leak.matches import ColumnMatches, compare_all_columns, n_cross_pairs
from idbits.studies.leak.paired_tables import ColumnPair, PairedTables
from idbits.studies.leak.unchanged import Rearrangement, UnchangedValues, count_unchanged, find_rearrangement
from idbits.wording import counted

__all__ = ["Link", "find_link"]

# Shares of the chance of a false alarm: for unchanged values, and for columns with different names. Columns with the
# same name, and all columns together, get the rest.
_UNCHANGED_PART = 0.15
_MATCHES_PART = 0.2


@dataclass(frozen=True, slots=True)
class Link:
    """What links two tables row by row.

    Attributes:
        judged: columns with the same name, and all columns together.
        unchanged: values and rows that are the same in both tables.
        matches: columns with different names.
        rearranged: whether the release contains the rows of the original in a different order.
        verdict: ``leaks``, ``no leak seen`` or ``undecided``.
        undecided_because: why it is undecided.
        error_rate: the overall chance of a false alarm.
    """

    judged: JudgedColumns
    unchanged: UnchangedValues
    matches: ColumnMatches
    rearranged: bool
    verdict: str
    undecided_because: str | None
    error_rate: float

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        return (self.matches.note,) if self.matches.note is not None else ()


def find_link(
    tables: PairedTables,
    together: ColumnPair | None,
    error_rate: float,
    mic_rows: int,
    seed: int,
    progress: Progress,
    threads: int,
) -> Link:
    """Compare two tables row by row; any sign of a link beyond chance is a leak."""
    # A test with nothing to compare leaves its share to the others.
    for_unchanged = _UNCHANGED_PART * error_rate if tables.pairs else 0.0
    for_matches = (_MATCHES_PART if tables.pairs else 1.0) * error_rate if n_cross_pairs(tables) else 0.0
    unchanged = count_unchanged(tables.pairs, for_unchanged, seed)
    for_columns = error_rate - for_unchanged - for_matches
    judged = judge_columns(tables.pairs, together, unchanged, for_columns, mic_rows, seed, progress, threads)
    leaking = {column.column for column in judged.columns if column.leaks}
    matches = compare_all_columns(tables, leaking, for_matches, mic_rows, seed, progress)
    moved = find_rearrangement(tables.pairs)
    verdict, because = _decide(judged, unchanged.rows_leak, matches, moved)
    reached = min(1.0, judged.error_rate + for_unchanged + for_matches)
    return Link(judged, unchanged, matches, moved.rows, verdict, because, reached)


def _decide(
    judged: JudgedColumns, rows_leak: bool, matches: ColumnMatches, moved: Rearrangement
) -> tuple[str, str | None]:
    """Return the verdict and, if it is undecided, the reason."""
    together = judged.together
    if any(column.leaks for column in judged.columns) or (together is not None and together.leaks):
        return "leaks", None
    if rows_leak or matches.columns or (moved.rows and len(judged.columns) > 1):
        return "leaks", None
    open_columns = [column for column in judged.columns if column.leaks is None]
    if open_columns:
        reasons = sorted({column.reasons["leaks"] for column in open_columns})
        return "undecided", f"we cannot judge {counted(len(open_columns), 'column')}: {'; '.join(reasons)}"
    if not judged.columns and not matches.could_tell:
        return "undecided", "there are too few rows to distinguish a match of two columns from chance"
    if together is not None and together.leaks is None and together.p_value is not None:
        return "undecided", f"we cannot judge all columns together: {together.reasons['leaks']}"
    if moved.columns:
        verb = "contains" if moved.columns == 1 else "contain"
        return (
            "undecided",
            f"{counted(moved.columns, 'released column')} {verb} exactly the values of the original in a different "
            "order, and anyone who can restore the order has them all",
        )
    return "no leak seen", None
