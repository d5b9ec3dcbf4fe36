"""A slow program for links: every record is compared with every person by plain Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow

Row = dict[str, Any]


def edits(a: str, b: str) -> int:
    """Damerau-Levenshtein distance with transpositions of characters that stay adjacent or not (Lowrance, Wagner)."""
    last_row: dict[str, int] = {}
    most = len(a) + len(b)
    table = [[most] * (len(b) + 2) for _ in range(len(a) + 2)]
    for i in range(len(a) + 1):
        table[i + 1][1] = i
    for j in range(len(b) + 1):
        table[1][j + 1] = j
    for i in range(1, len(a) + 1):
        last_column = 0
        for j in range(1, len(b) + 1):
            row, column = last_row.get(b[j - 1], 0), last_column
            cost = 0 if a[i - 1] == b[j - 1] else 1
            last_column = j if cost == 0 else last_column
            table[i + 1][j + 1] = min(
                table[i][j] + cost,
                table[i + 1][j] + 1,
                table[i][j + 1] + 1,
                table[row][column] + (i - row - 1) + 1 + (j - column - 1),
            )
        last_row[a[i - 1]] = i
    return table[len(a) + 1][len(b) + 1]


def kilometres(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Great-circle distance by the spherical law of vectors, not by haversines."""
    (lat1, lon1), (lat2, lon2) = (tuple(map(math.radians, place)) for place in (a, b))
    first = (math.cos(lat1) * math.cos(lon1), math.cos(lat1) * math.sin(lon1), math.sin(lat1))
    second = (math.cos(lat2) * math.cos(lon2), math.cos(lat2) * math.sin(lon2), math.sin(lat2))
    cross = (
        first[1] * second[2] - first[2] * second[1],
        first[2] * second[0] - first[0] * second[2],
        first[0] * second[1] - first[1] * second[0],
    )
    dot = sum(x * y for x, y in zip(first, second, strict=True))
    return 6371.0088 * math.atan2(math.hypot(*cross), dot)


def link(first: Sequence[Row], second: Sequence[Row], tests: Sequence[Callable[[Row, Row], bool | None]], *,
         ignore_nulls: bool = False, truth: str | None = None) -> dict[str, Any]:  # fmt: skip
    """Return the classes of records and the truth; a test returns None if the record lacks a value."""

    def fits(record: Row, person: Row) -> bool:
        for test in tests:
            found = test(record, person)
            if found is None and ignore_nulls:
                continue
            if not found:
                return False
        return True

    candidates = [[j for j, person in enumerate(second) if fits(record, person)] for record in first]
    rivals = Counter(j for found in candidates for j in found)
    classes: Counter[str] = Counter()
    for found in candidates:
        if not found:
            classes["no_candidate"] += 1
        elif len(found) > 1:
            classes["ambiguous"] += 1
        else:
            classes["one_to_one" if rivals[found[0]] == 1 else "crowded"] += 1
    answer: dict[str, Any] = {name: classes[name] for name in ("no_candidate", "one_to_one", "crowded", "ambiguous")}
    answer["even"] = math.fsum(1 / len(found) for found in candidates if found)
    if truth is not None:
        answer["truth"] = _truth(first, second, candidates, rivals, truth)
    return answer


def _truth(first: Sequence[Row], second: Sequence[Row], candidates: list[list[int]], rivals: Counter[int],
           truth: str) -> dict[str, Any]:  # fmt: skip
    place = {person[truth]: j for j, person in enumerate(second) if person[truth] is not None}
    in_both = claims = right = missed = among = 0
    guesses = []
    for record, found in zip(first, candidates, strict=True):
        own = place.get(record[truth]) if record[truth] is not None else None
        is_claim = len(found) == 1 and rivals[found[0]] == 1
        claims += is_claim
        in_both += own is not None
        right += is_claim and found[0] == own
        missed += own is not None and not is_claim
        among += len(found) > 1 and own in found
        guesses += [1 / len(found)] if own is not None and own in found else []
    return {"in_both": in_both, "claims": claims, "right": right, "wrong": claims - right, "missed": missed,
            "among_candidates": among, "expected_right": math.fsum(guesses)}  # fmt: skip


def tables(first: Sequence[tuple[Any, Any]], second: Sequence[tuple[Any, Any]]) -> list[pyarrow.Table]:
    """Return two tables with columns x, y and an ID; person 3 is in both."""
    made = []
    for start, rows in ((0, first), (3, second)):
        columns = {"x": [row[0] for row in rows], "y": [row[1] for row in rows]}
        columns["id"] = [str(start + index) for index in range(len(rows))]
        made.append(pyarrow.table({name: pyarrow.array(cells, pyarrow.string()) for name, cells in columns.items()}))
    return made


def classes_of(answer: Any) -> dict[str, int]:
    """Return the classes of records, which add up to all records."""
    return {name: value for name, value in asdict(answer.records).items() if name != "nulls"}
