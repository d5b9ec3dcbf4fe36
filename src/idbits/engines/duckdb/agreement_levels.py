"""Levels of agreement in DuckDB's SQL: the text distances of a pair, and from them its level."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.values.agreement import Agreement, AgreementLevel

__all__ = ["level_sql", "similarity_sql", "used_values"]

# The engine may drop a similarity that is exactly at its limit because of rounding.
_MARGIN = 1e-6


def used_values(levels: Sequence[AgreementLevel]) -> set[str]:
    """Return which values the tests need besides codes: t for texts, d for days, n for numbers."""
    needed = {
        Agreement.EDIT: "t",
        Agreement.JARO_WINKLER: "t",
        Agreement.DAYS: "d",
        Agreement.PERCENT: "n",
    }
    return {needed[level.agreement] for level in levels if level.agreement in needed}


def similarity_sql(index: int, levels: Sequence[AgreementLevel]) -> str:
    """Return the text distances of rows a and b that the levels need, each computed once and only if values differ."""
    differ = f"a.k{index} <> b.k{index}"
    limits = [level.limit for level in levels if level.agreement is Agreement.JARO_WINKLER]
    similarity = edits = "NULL"
    if limits:
        cutoff = max(0.0, min(limits) - _MARGIN)
        similarity = f"CASE WHEN {differ} THEN jaro_winkler_similarity(a.t{index}, b.t{index}, {cutoff!r}) END"
    if any(level.agreement is Agreement.EDIT for level in levels):
        most = int(max(level.limit for level in levels if level.agreement is Agreement.EDIT))
        # A swap is at most two edits without swaps, which are counted four times as fast.
        near = f"levenshtein(a.t{index}, b.t{index}) <= {2 * most}"
        edits = f"CASE WHEN {differ} AND {near} THEN damerau_levenshtein(a.t{index}, b.t{index}) END"
    return f"{similarity} AS jw{index}, {edits} AS edits{index}"


def level_sql(index: int, levels: Sequence[AgreementLevel]) -> str:
    """Return the number of the level of a pair from 1; 0 if a value is missing."""
    as_dates = any(level.agreement is Agreement.DAYS for level in levels)
    one, other = f"a_k{index}", f"b_k{index}"
    cases = [f"WHEN {one} IS NULL OR {other} IS NULL THEN 0", f"WHEN {one} = {other} THEN 1"]
    for number, level in enumerate(levels[:-1], start=1):
        test = _test(index, level, as_dates=as_dates)
        if test is not None:
            cases.append(f"WHEN {test} THEN {number}")
    return f"CASE {' '.join(cases)} ELSE {len(levels)} END"


def _test(index: int, level: AgreementLevel, *, as_dates: bool) -> str | None:
    if level.agreement is Agreement.JARO_WINKLER:
        return f"jw{index} >= {level.limit!r}"
    if level.agreement is Agreement.EDIT:
        # A date that cannot be read is equal as text, or different.
        readable = f" AND a_d{index} IS NOT NULL AND b_d{index} IS NOT NULL" if as_dates else ""
        return f"edits{index} <= {int(level.limit)}{readable}"
    if level.agreement is Agreement.DAYS:
        return f"abs(a_d{index} - b_d{index}) <= {int(level.limit)}"
    if level.agreement is Agreement.PERCENT:
        larger = f"greatest(abs(a_n{index}), abs(b_n{index}))"
        return f"abs(a_n{index} - b_n{index}) <= {level.limit / 100!r} * {larger}"
    return None
