"""Charts about two publications: isolated groups by size, and people by the values that are left for them."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.described_chart import DescribedChart
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import count
from idbits.render.page import named
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification
from idbits.wording import counted, counted_people

__all__ = [
    "MOST_CANDIDATES", "candidate_rows", "candidates_chart", "drawn_sizes", "left_chart", "size_chart", "sizes_chart",
    "whole_ticks",
]  # fmt: skip

MOST_CANDIDATES = 8
"""People with at least this many values left are one bar."""

_MOST_BARS = 20
_BLUE = "#2166ac"
_SHADES = ("#d1e5f0", "#67a9cf", "#2166ac")


def sizes_chart(answer: ZoneOverlap) -> DescribedChart:
    """Return the isolated groups by size."""
    first, second = map(named, answer.zones)
    bars = tuple(
        BarRow(answer.unit.counted(people), groups, counted(groups, "group"), "r1")
        for people, groups in drawn_sizes(answer)
    )
    words = (
        f"Groups of fewer than {count(answer.threshold)} {answer.unit} that follow from subtracting counts by {first} "
        f"and by {second}: {count(answer.isolated.groups)} in all."
    )
    if answer.threshold > _MOST_BARS and len(answer.sizes) > _MOST_BARS:
        words += f" The chart shows the {_MOST_BARS} smallest sizes."
    return DescribedChart(LabelledBars(bars), words, "Groups that follow from subtraction, by their size")


def left_chart(answer: ReleaseOverlap) -> DescribedChart:
    """Return people by the values that are left for them."""
    words = (
        f"People by the number of values of {named(answer.sensitive)} that are left for them: "
        f"{counted_people(answer.certain.both)} have one value left with both releases, {count(answer.certain.first)} "
        f"with the first alone and {count(answer.certain.second)} with the second."
    )
    bars = tuple(
        BarRow(f"{left} left: {release}", people, count(people), meaning)
        for left, *numbers in candidate_rows(answer)
        for release, people, meaning in zip(
            ("first release", "second release", "both"), numbers, ("c1", "c1", "l1"), strict=True
        )
    )
    return DescribedChart(LabelledBars(bars), words, "People by the values that are left for them")


def size_chart(answer: ZoneOverlap) -> JsonObject:
    """Return the number of isolated groups by the people in them."""
    drawn = drawn_sizes(answer)
    rows: list[Json] = [{"people": people, "groups": groups} for people, groups in drawn]
    return specification(
        "Groups that differencing isolates",
        rows,
        mark={"type": "bar", "color": _BLUE},
        encoding={
            "x": axis("people", f"{answer.unit} in the group", "ordinal", axis={"labelAngle": 0}),
            "y": axis(
                "groups", "groups", axis={"values": whole_ticks([groups for _, groups in drawn]), "format": ",d"}
            ),
        },
    )


def drawn_sizes(answer: ZoneOverlap) -> list[tuple[int, int]]:
    """Return the groups of each size, also of sizes that no group has if there are few."""
    groups = {size.people: size.groups for size in answer.sizes}
    sizes = range(1, answer.threshold) if answer.threshold <= _MOST_BARS else sorted(groups)[:_MOST_BARS]
    return [(size, groups.get(size, 0)) for size in sizes]


def whole_ticks(numbers: Sequence[int]) -> list[Json]:
    """Return about five whole numbers from 0 to the largest.

    >>> whole_ticks([3, 1]), whole_ticks([12])
    ([0, 1, 2, 3], [0, 3, 6, 9, 12])
    """
    most = max(numbers, default=0)
    step = max(1, -(-most // 5))
    return list(range(0, most + step, step))


def candidates_chart(answer: ReleaseOverlap) -> JsonObject:
    """Return people by the number of values left: by each release alone, and by both."""
    names = ("first release", "second release", "both")
    rows: list[Json] = [
        {"values": label, "release": name, "people": people}
        for label, *counts in candidate_rows(answer)
        for name, people in zip(names, counts, strict=True)
    ]
    return specification(
        f"Values of {answer.sensitive} that are left",
        rows,
        mark={"type": "bar"},
        encoding={
            "x": axis("values", "values left", "ordinal", sort=None, axis={"labelAngle": 0}),
            "xOffset": {"field": "release", "sort": list(names)},
            "y": axis("people", "people"),
            "color": {
                "field": "release",
                "type": "nominal",
                "title": None,
                "scale": {"domain": list(names), "range": list(_SHADES)},
            },
        },
    )


def candidate_rows(answer: ReleaseOverlap) -> list[tuple[str, int, int, int]]:
    """Return each number of values left, with its people in the first, the second and both."""
    few = [row for row in answer.candidates if row.values < MOST_CANDIDATES]
    many = [row for row in answer.candidates if row.values >= MOST_CANDIDATES]
    rows = [(str(row.values), row.first, row.second, row.both) for row in few]
    if many:
        first, second, both = (
            sum(numbers) for numbers in zip(*((r.first, r.second, r.both) for r in many), strict=True)
        )
        rows.append((f"{MOST_CANDIDATES} or more", first, second, both))
    return rows
