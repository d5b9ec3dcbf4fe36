"""Charts of a measurement, as reports and notebooks show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from idbits.counts import Spectrum, Value
from idbits.measures.anonymity import SetSizes
from idbits.render.described_chart import DescribedChart
from idbits.render.first_page import SizeBars, SizeBin
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import bar_share, bits, count, decimal, share
from idbits.render.page import axis_names, named, shortened
from idbits.render.share_strip import ShareStrip, StripPart
from idbits.render.size_bars import SizeBarsDrawing
from idbits.studies.measure.people_result import PeopleFigures
from idbits.studies.measure.result import Groups, Measurement, Measurements
from idbits.studies.measure.text import KNOWN
from idbits.studies.shared.figures import Figures, MainFigures
from idbits.studies.shared.units import Unit
from idbits.wording import counted, joined

__all__ = [
    "TreatedGroups",
    "after_folded",
    "attackers_chart",
    "bits_chart",
    "categories_chart",
    "charts_of",
    "charts_of_several",
    "columns_chart",
    "listed_categories",
    "shares_chart",
    "size_bars",
    "value_name",
]  # fmt: skip

_SMALL_GROUP = 5
_EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
_NAME = 48
_DRAWN_COLUMNS = 15
_DRAWN_CATEGORIES = 15
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


@dataclass(frozen=True, slots=True)
class TreatedGroups:
    """The groups of a treated table; ``spectrum`` is None if nobody is left."""

    spectrum: Spectrum | None
    n_people: int
    withheld: int

    def between(self, least: int, most: int | None) -> int:
        """Return the people in groups of these sizes."""
        if self.spectrum is None:
            return 0
        inside = self.spectrum.sizes >= least
        return int(self.spectrum.people[inside if most is None else inside & (self.spectrum.sizes <= most)].sum())


def charts_of(answer: Measurement) -> dict[str, DescribedChart]:
    """Return all charts by name, the main one first."""
    bars = size_bars(answer)
    sizes = DescribedChart(SizeBarsDrawing(bars), bars.words, bars.title) if bars is not None else None
    charts = {
        **({"sizes": sizes} if sizes is not None else {}),
        "shares": shares_chart(answer),
        "bits": bits_chart(answer),
        "columns": columns_chart(answer, {}),
    }
    if answer.groups is not None and answer.figures.set_sizes is not None:
        charts["categories"] = categories_chart(answer.groups, answer.figures, answer.unit)
    if answer.people is not None and answer.people.has_several_rows:
        charts["attackers"] = attackers_chart(answer.people)
    return charts


def size_bars(
    answer: Measurement, goal: int = _SMALL_GROUP, treated: TreatedGroups | None = None, *, is_goal: bool = False
) -> SizeBars | None:
    """Return people by the size of their group, as it is and treated; None against a population."""
    figures, unit = answer.figures, answer.unit
    if answer.population is not None or not figures.n_people:
        return None
    bins = tuple(
        SizeBin(least, most, figures.people_between(least, most), treated.between(least, most) if treated else None)
        for least, most in _bins(goal)
    )
    label = f"roups of at least {unit.counted(goal)}"
    withheld = None
    if treated is not None and treated.withheld:
        withheld = f"{bar_share(treated.withheld / figures.n_people)} withheld"
    return SizeBars(
        title=f"Share of the {unit.counted(figures.n_people)} by the size of the group that shares their values",
        words=_size_words(answer, bins, goal, is_treated=treated is not None),
        bins=bins,
        total=figures.n_people,
        before=unit.counted(figures.n_people),
        after=unit.counted(treated.n_people) if treated is not None else None,
        goal=goal,
        goal_label=f"Goal: g{label}" if is_goal else f"G{label}",
        nobody_left=f"{unit.nobody} is left",
        withheld=withheld,
    )


def _bins(goal: int) -> list[tuple[int, int | None]]:
    """Return ranges of group sizes with an edge at the goal, at most ten.

    >>> _bins(5)[:3], _bins(7)[2:5]
    ([(1, 1), (2, 4), (5, 9)], [(5, 6), (7, 19), (20, 49)])
    """
    edges = sorted({goal, *(edge for edge in _EDGES if edge < goal or edge >= 1.5 * goal)})[:10]
    ends: list[int | None] = [after - 1 for after in edges[1:]]
    return list(zip(edges, [*ends, None], strict=True))


def _size_words(answer: Measurement, bins: tuple[SizeBin, ...], goal: int, *, is_treated: bool) -> str:
    figures, unit = answer.figures, answer.unit
    below = sum(each.before for each in bins if each.least < goal)
    words = (
        f"Share of {unit} by group size. As it is, {share(figures.share(figures.singletons))} are unique and "
        f"{share(figures.share(below))} are in groups smaller than {count(goal)}."
    )
    if not is_treated:
        return words
    left = sum(each.after or 0 for each in bins if each.least < goal)
    return f"{words} After the treatment, {share(figures.share(left))} are in such groups."


def shares_chart(answer: Measurement, goal: int = _SMALL_GROUP) -> DescribedChart:
    """Return everybody by the size of their group: unique, below the goal, large enough."""
    figures, unit = answer.figures, answer.unit
    small = "a group of 2" if goal == 3 else f"groups of 2 to {count(goal - 1)}"
    parts = [
        ("unique", 1, 1, "r1"),
        (f"in {small}", 2, goal - 1, "r2"),
        (f"in groups of {count(goal)}+", goal, None, "g1"),
    ]
    if goal <= 2:
        parts = [parts[0], (f"{unit.who} share their values", 2, None, "g1")]
    counted_parts = [(who, figures.people_between(least, most), meaning) for who, least, most, meaning in parts]
    strip = ShareStrip(
        tuple(
            StripPart(figures.share(people), bar_share(figures.share(people)), who, count(people), meaning)
            for who, people, meaning in counted_parts
            if people
        )
    )
    words = (
        f"{share(figures.share(figures.singletons))} of the {unit} are unique, "
        f"{share(figures.share(figures.people_between(1, 4)))} are in groups of 1 to 4, "
        f"{share(figures.share(figures.people_between(10)))} in groups of 10 or more."
    )
    return DescribedChart(strip, words, f"{unit.capitalize()} by group size")


def bits_chart(answer: Measurement) -> DescribedChart:
    """Return how many people give away at least a number of bits (S0 tables II, IV, VI, VIII)."""
    figures, unit = answer.figures, answer.unit
    rows = [row for row in figures.gain_table if row.people]
    # Below the first level that everybody reaches nothing changes.
    last = next((index for index, row in enumerate(rows) if row.share == 1), len(rows) - 1)
    words = f"{share(rows[0].share)} of the {unit} give away at least {counted(rows[0].bits, 'bit')}"
    words += f", {share(rows[last].share)} at least {rows[last].bits}." if last else "."
    bars = LabelledBars(
        tuple(BarRow(f"at least {counted(row.bits, 'bit')}", row.share, bar_share(row.share), more=count(row.people))
              for row in rows[: last + 1])
    )  # fmt: skip
    return DescribedChart(bars, words, f"{unit.capitalize()} by the bits they give away")


def columns_chart(answer: Measurement, added: Mapping[str, float | None]) -> DescribedChart:
    """Return the bits that each column gives away by itself, and all together.

    Args:
        answer: the measurement.
        added: the bits that columns add to all others, where that was counted.
    """
    figures = answer.figures
    ranked = sorted(answer.columns, key=lambda pair: -pair[1].entropy_bits)
    all_of_them = "together" if "together" not in dict(ranked) else "all together"
    together: list[tuple[str, MainFigures]] = [(all_of_them, figures)] if len(ranked) > 1 else []
    top, single = ranked[0]
    words = f"{named(top)} by itself gives away {bits(single.entropy_bits)} bits"
    words += f"; all together {bits(figures.entropy_bits)} of {bits(figures.max_entropy_bits)}." if together else "."
    words += " adds: the bits that a column adds to all others." if added else ""
    if any((added.get(name) or 0.0) > single.entropy_bits for name, single in ranked[:_DRAWN_COLUMNS]):
        # Only possible if groups overlap: entropy is subadditive otherwise.
        words += (
            " That may be more than it gives away by itself, because a record can tell more by all columns together."
        )
    words += (
        f" The chart shows the {_DRAWN_COLUMNS} columns with the most bits." if len(ranked) > _DRAWN_COLUMNS else ""
    )
    drawn = [(name, single, "c1", added.get(name)) for name, single in ranked[:_DRAWN_COLUMNS]]
    drawn += [(name, item, "ink", None) for name, item in together]
    bars = LabelledBars(
        tuple(
            BarRow(shortened(name, _NAME), item.entropy_bits, f"{bits(item.entropy_bits)} bits", meaning,
                   f"adds {bits(added_bits)}" if added_bits is not None else "")
            for name, item, meaning, added_bits in drawn
        )
    )  # fmt: skip
    return DescribedChart(bars, words, "What each column gives away by itself")


def attackers_chart(people: PeopleFigures) -> DescribedChart:
    """Return the share of people who are unique, by what an attacker knows of them."""
    shares = [(KNOWN[attacker.knows], attacker.share) for attacker in people.attackers if attacker.share is not None]
    parts = joined(f"{share(part)} by {known}" for known, part in shares)
    words = (
        f"People who are unique, by what an attacker knows of them: {parts}. Dark: the attacker of the other figures."
    )
    bars = LabelledBars(
        tuple(BarRow(known, part, bar_share(part), "r1" if known == KNOWN[people.knows] else "r2")
              for known, part in shares)
    )  # fmt: skip
    return DescribedChart(bars, words, "Unique people by what an attacker knows")


def listed_categories(groups: Groups) -> list[tuple[str, Figures]]:
    """Return categories with names short enough for an axis, the unnamed ones first."""
    ordered = sorted(groups.rows, key=lambda group: not group.folded)
    return [(_unnamed(group.n_groups) if group.folded else value_name(group.label), group.figures) for group in ordered]


def _unnamed(number: int) -> str:
    return f"{counted(number, 'category').replace('categorys', 'categories')} unnamed"


def value_name(label: Value) -> str:
    """Return the name of a category in a chart or a table."""
    return "(empty)" if label is None else label


def categories_chart(groups: Groups, overall: Figures, unit: Unit) -> DescribedChart:
    """Return group sizes within each category, a box each (S2 figures 3.1 and 3.2)."""
    listed = listed_categories(groups)
    folded = any(group.folded for group in groups.rows)
    after = after_folded(groups, unit)
    drawn = [*listed[:_DRAWN_CATEGORIES], ("overall", overall)]
    sizes = [(name, _sizes(figures)) for name, figures in drawn]
    lowest, figures = min(listed, key=lambda item: item[1].typical_size)
    which = f", for the {_DRAWN_CATEGORIES - folded} categories with the smallest groups{after}"
    words = (
        f"Group sizes within each {named(groups.by)}: boxes from quartile to quartile, medians marked"
        f"{which if len(listed) > _DRAWN_CATEGORIES else ''}. Lowest: "
        f"{named(lowest)} with a median group of {decimal(figures.typical_size)}; overall "
        f"{decimal(overall.typical_size)}."
    )
    title = f"Group sizes within each {named(groups.by)}"
    return DescribedChart(_boxes(sizes, groups.by), words, title)


def _sizes(figures: Figures) -> SetSizes:
    assert figures.set_sizes is not None
    return figures.set_sizes


def after_folded(groups: Groups, unit: Unit) -> str:
    """Say which row comes before the named categories; nothing if all are named."""
    if not any(group.folded for group in groups.rows):
        return ""
    return f", after one row for categories of fewer than 10 {unit} (and others, if needed to hide which these are)"


def _boxes(rows: Sequence[tuple[str, SetSizes]], by: str) -> dict[str, Any]:
    names = axis_names([label for label, _ in rows])
    values = [
        {"group": name, "low": each.min, "q1": each.q1, "median": each.median, "q3": each.q3, "high": each.max}
        for name, (_, each) in zip(names, rows, strict=True)
    ]
    y = {"field": "group", "type": "nominal", "sort": names, "title": shortened(by)}
    scale = {"type": "log", "nice": True}
    x = {"type": "quantitative", "scale": scale, "title": "group size (log scale)", "axis": {"format": ",~s"}}
    return {
        "$schema": _SCHEMA,
        "data": {"values": values},
        "layer": [
            {"mark": {"type": "rule", "color": "var(--soft)"}, "encoding": {"y": y, "x": x | {"field": "low"},
                                                                            "x2": {"field": "high"}}},
            {"mark": {"type": "bar", "size": 11, "stroke": "var(--edge)"},
             "encoding": {"y": y, "x": x | {"field": "q1"}, "x2": {"field": "q3"}}},
            {"mark": {"type": "tick", "color": "var(--ink)", "thickness": 3, "size": 15},
             "encoding": {"y": y, "x": x | {"field": "median"}}},
        ],
        "height": {"step": 20},
    }  # fmt: skip


def charts_of_several(answer: Measurements) -> dict[str, DescribedChart]:
    """Return the bits and the unique people of each quasi-identifier."""
    ranked = sorted(answer.measurements, key=lambda each: -each.entropy_bits)
    most = max(each.max_entropy_bits for each in ranked)
    bars = LabelledBars(
        tuple(
            BarRow(shortened(" + ".join(each.qid), _NAME), each.entropy_bits, f"{bits(each.entropy_bits)} bits", "c1",
                   f"{bar_share(each.figures.share(each.singletons))} unique", whole=most)
            for each in ranked
        )
    )  # fmt: skip
    top = ranked[0]
    words = (
        f"{' + '.join(map(named, top.qid))} give away most: {bits(top.entropy_bits)} of the {bits(most)} bits that "
        "single out everyone."
    )
    return {"bits": DescribedChart(bars, words, "Bits that each combination of columns gives away")}
