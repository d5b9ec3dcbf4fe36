"""The part of ``idbits leak`` that decides: any sign of a link beyond chance is a leak."""

from __future__ import annotations

from idbits.errors import counted
from idbits.studies.leak_columns import Judged
from idbits.studies.leak_matches import Matches
from idbits.studies.leak_unchanged import Rearrangement

__all__ = ["decide"]


def decide(judged: Judged, rows_leak: bool | None, matches: Matches, moved: Rearrangement) -> tuple[str, str | None]:
    """Return the verdict and, where it is undecided, why."""
    together = judged.together
    if any(column.leaks for column in judged.columns) or (together is not None and together.leaks):
        return "leaks", None
    if rows_leak or matches.found or (moved.rows and len(judged.columns) > 1):
        return "leaks", None
    open_columns = [column for column in judged.columns if column.leaks is None]
    if open_columns:
        reasons = sorted({column.reasons["leaks"] for column in open_columns})
        return "undecided", f"of {counted(len(open_columns), 'column')} nothing can be said: {'; '.join(reasons)}"
    if not judged.columns and not matches.could_tell:
        return "undecided", "there are too few rows to tell a match of two columns from chance"
    if rows_leak is None:
        return (
            "undecided",
            "more rows are unchanged than at any other shift of the release along the rows, but there are too few rows "
            "for this error rate",
        )
    if together is not None and together.leaks is None and together.p_value is not None:
        return "undecided", f"of all columns together nothing can be said: {together.reasons['leaks']}"
    if moved.columns:
        return (
            "undecided",
            f"{counted(moved.columns, 'column')} of the release holds exactly the values of the original in another "
            "order, and whoever can undo the order has them all",
        )
    return "no leak seen", None
