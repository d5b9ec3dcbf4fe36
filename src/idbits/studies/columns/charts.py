"""Charts about columns, as reports and notebooks show them, and Vega-Lite specifications with their data in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from idbits.measures.entropy import bits_about_person
from idbits.render.described_chart import DescribedChart
from idbits.render.dot_pairs import DotPair, DotPairs
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import bar_share, bits, count, nearest, percent, share
from idbits.render.page import named, shortened
from idbits.render.scales import round_steps
from idbits.studies.columns.result import ColumnSubsets, Contribution, Minimal, Subset, SubsetFigures
from idbits.studies.shared.figures import MainFigures
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.units import Unit
from idbits.wording import counted

__all__ = [
    "best_of_each_size", "charts_of", "contribution_chart", "lattice_chart", "left_out_chart", "sizes_chart",
    "specifications_of", "subsets_chart",
]  # fmt: skip

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_MOST_NODES = 60
_MOST_LABELS = 4
_WIDTH = 480
_NAME = 48
_NAME_AMONG_OTHERS = 32
_DRAWN_COLUMNS = 15
_LISTED = 3

Node = tuple[str, ...]


def charts_of(answer: ColumnSubsets) -> dict[str, DescribedChart]:
    """Return all charts by name, the main one first."""
    single = {subset.columns[0]: subset.figures for subset in answer.subsets if len(subset.columns) == 1}
    left_out = left_out_chart(answer, single)
    specifications, unit = specifications_of(answer), answer.unit
    words = {
        "subsets": f"{counted(len(answer.subsets), 'combination')} by the number of columns and the bits given away.",
        "contribution": _most_by_itself(answer.contribution),
        "lattice": f"Combinations that single out {percent(answer.minimal[0].share)} of the {unit}, and the same "
        "without one column.",
    }  # fmt: skip
    if not answer.minimal[0].sets:
        # No combination reaches the share: there is nothing to draw.
        specifications.pop("lattice")
    return {
        "sizes": sizes_chart(answer),
        **({"left_out": left_out} if left_out is not None else {}),
        **{name: DescribedChart(chart, words[name], str(chart["title"])) for name, chart in specifications.items()},
    }


def _most_by_itself(parts: Sequence[Contribution]) -> str:
    if not parts:
        return ""
    top = max(parts, key=lambda part: part.entropy_bits or 0.0)
    return f"{named(top.column)} gives away the most bits by itself: {bits(top.entropy_bits)}."


def sizes_chart(answer: ColumnSubsets) -> DescribedChart:
    """Return the combination of each size that makes most people or rows unique."""
    by_size, n = best_of_each_size(answer), answer.n_people
    last, everything = by_size[-1]
    steps = [f"{share(subset.figures.singletons / n)} by {size}" for size, subset in by_size[:3] if size < last]
    all_of_them = f"{share(everything.figures.singletons / n)} by {'all ' if last > 1 else ''}{count(last)}"
    shares = ", ".join([*steps, all_of_them])
    words = f"Largest share of {answer.unit} that columns make unique, by their number: {shares}."
    names = _growing([tuple(shortened(name, _NAME_AMONG_OTHERS) for name in subset.columns) for _, subset in by_size])
    bars = LabelledBars(
        tuple(
            BarRow(name, subset.figures.singletons, bar_share(subset.figures.singletons / n), "r1",
                   count(subset.figures.singletons), str(size))
            for name, (size, subset) in zip(names, by_size, strict=True)
        )
    )  # fmt: skip
    return DescribedChart(bars, words, "How many columns someone must know")


def best_of_each_size(answer: ColumnSubsets) -> list[tuple[int, Subset]]:
    """Return the combination of each size that makes most people or rows unique."""
    best: dict[int, Subset] = {}
    for subset in answer.subsets:
        size = len(subset.columns)
        # With more than 10 columns, sizes above the searched ones were counted by chance only.
        if answer.max_size < size < len(answer.candidates):
            continue
        if size not in best or subset.figures.singletons > best[size].figures.singletons:
            best[size] = subset
    return [(size, best[size]) for size in sorted(best)]


def _growing(sets: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the names of sets of columns; of one that contains the set before it, only what is added.

    >>> _growing([("a",), ("b", "c"), ("b", "c", "d"), ("a", "b", "c", "d", "e", "f", "g", "h")])
    ['a', 'b, c', '+ d', '+ a, e, f and 2 more']
    """
    names, before = [], frozenset[str]()
    for columns in sets:
        added = [column for column in columns if column not in before] if before and before <= set(columns) else None
        names.append(f"+ {_listed(added)}" if added else _listed(columns))
        before = frozenset(columns)
    return names


def _listed(names: Sequence[str]) -> str:
    few = ", ".join(names[:_LISTED])
    return f"{few} and {len(names) - _LISTED} more" if len(names) > _LISTED else few


def left_out_chart(
    answer: ColumnSubsets, single: Mapping[str, MainFigures] | Mapping[str, SubsetFigures]
) -> DescribedChart | None:
    """Return how many are still unique if one column is left out; None if that changes nothing.

    Args:
        answer: the combinations.
        single: the figures of each column by itself.
    """
    if answer.together is None or not answer.together.singletons:
        return None
    total, unit = answer.together.singletons, answer.unit
    known = [part for part in answer.contribution if part.singletons_without is not None and part.column in single]
    known.sort(key=lambda part: part.singletons_without or 0)
    if not known or known[0].singletons_without == total:
        return None
    has_values = answer.together.n_sets is not None
    rows = tuple(
        DotPair(
            shortened(part.column, _NAME), part.singletons_without or 0, total, count(part.singletons_without),
            columns=(*([count(single[part.column].n_sets)] if has_values else []),
                     bits(single[part.column].entropy_bits)),
        )
        for part in known[:_DRAWN_COLUMNS]
    )  # fmt: skip
    ticks = [(step, count(nearest(step))) for step in round_steps(total, 4) if step == nearest(step)]
    pairs = DotPairs(
        rows, ("unique without this column", f"unique with all {count(len(answer.candidates))}: {count(total)}"),
        ("r1", "i3", "r2l"), (*ticks, *([(total, "")] if ticks[-1][0] < total else [])),
        (*(["values"] if has_values else []), "bits by itself"),
    )  # fmt: skip
    top = known[0]
    words = (
        f"Without {named(top.column)}, {unit.counted(top.singletons_without or 0)} would be unique instead of "
        f"{count(total)}. The longer the bar, the more a column matters."
    )
    rest = len(known) - _DRAWN_COLUMNS
    words += f" The chart shows the {_DRAWN_COLUMNS} columns that matter most." if rest > 0 else ""
    return DescribedChart(pairs, words, f"Unique {unit} when one column is left out")


def specifications_of(answer: ColumnSubsets) -> dict[str, JsonObject]:
    """Return the Vega-Lite specifications of an answer."""
    return {
        "subsets": subsets_chart(answer.subsets, answer.n_people, answer.unit),
        "contribution": contribution_chart(answer.contribution),
        "lattice": lattice_chart(answer.subsets, answer.minimal[0], answer.candidates, answer.n_people, answer.unit),
    }


def _values(rows: Sequence[JsonObject]) -> JsonObject:
    return {"values": list(rows)}


def subsets_chart(subsets: Sequence[Subset], n_people: int, unit: Unit = Unit.PEOPLE) -> JsonObject:
    """Return the chart of subsets: number of columns against bits, with a line at the bits that single out everyone."""
    rows: list[JsonObject] = [
        {
            "columns": " + ".join(subset.columns),
            "size": len(subset.columns),
            "bits": subset.figures.entropy_bits,
            "unique": subset.figures.singletons / n_people,
        }
        for subset in subsets
    ]
    points: JsonObject = {
        "mark": {"type": "point", "filled": True, "opacity": 0.7},
        "encoding": {
            "x": {"field": "size", "type": "ordinal", "title": "number of columns", "axis": {"labelAngle": 0}},
            "y": {"field": "bits", "type": "quantitative", "title": "bits given away"},
            "color": {
                "field": "unique",
                "type": "quantitative",
                "title": f"unique {unit}",
                "scale": {"domain": [0, 1]},
                "legend": {"format": "%"},
            },
            "tooltip": [
                {"field": "columns", "type": "nominal"},
                {"field": "bits", "type": "quantitative", "format": ".2f"},
                {"field": "unique", "type": "quantitative", "format": ".2%"},
            ],
        },
    }
    everyone: JsonObject = {
        "data": {"values": [{"bits": bits_about_person(n_people)}]},
        "mark": {"type": "rule", "strokeDash": [4, 4]},
        "encoding": {"y": {"field": "bits", "type": "quantitative"}},
    }
    return {
        "$schema": _SCHEMA,
        "title": "Combinations of columns by size",
        "width": _WIDTH,
        "data": _values(rows),
        "height": 300,
        "layer": [points, everyone],
    }


def contribution_chart(parts: Sequence[Contribution]) -> JsonObject:
    """Return bars of what each column gives away: by itself, as its fair part, and added to all others.

    >>> [row["bits"] for row in contribution_chart([Contribution("zip", 2.0, 1.0, 1.5, 0.0, 3)])["data"]["values"]]
    [2.0, 1.5, 1.0]
    """
    rows: list[JsonObject] = []
    for part in parts:
        bars = {
            "by itself": part.entropy_bits,
            "fair part": part.shapley_bits,
            "added to all others": part.conditional_bits,
        }
        rows += [{"column": part.column, "what": what, "bits": bits} for what, bits in bars.items() if bits is not None]
    order: list[Json] = [part.column for part in sorted(parts, key=lambda part: -(part.shapley_bits or 0.0))]
    kinds: list[Json] = ["by itself", "fair part", "added to all others"]
    return {
        "$schema": _SCHEMA,
        "title": "What each column gives away",
        "width": _WIDTH,
        "data": _values(rows),
        "mark": {"type": "bar"},
        "encoding": {
            "y": {"field": "column", "type": "nominal", "sort": order, "title": None},
            "yOffset": {"field": "what", "sort": kinds},
            "x": {"field": "bits", "type": "quantitative", "title": "bits"},
            "color": {"field": "what", "type": "nominal", "sort": kinds, "title": None},
        },
    }


def lattice_chart(
    subsets: Sequence[Subset], minimal: Minimal, names: Sequence[str], n_people: int, unit: Unit = Unit.PEOPLE
) -> JsonObject:
    """Return the part of the lattice of subsets where combinations cross the share.

    Nodes are minimal combinations and the same without one column; a line stands for that column.
    """
    unique = {subset.columns: subset.figures.singletons / n_people for subset in subsets}
    nodes, lines = _crossing(minimal.sets, unique)
    order = {name: index for index, name in enumerate(names)}
    by_size: dict[int, list[Node]] = {}
    for node in sorted(nodes, key=lambda node: [order[name] for name in node]):
        by_size.setdefault(len(node), []).append(node)
    x = {node: (index + 0.5) / len(row) for row in by_size.values() for index, node in enumerate(row)}
    points: list[JsonObject] = [
        {"columns": " + ".join(node), "x": x[node], "size": len(node), "unique": unique[node],
         "reached": "reaches the share" if unique[node] >= minimal.share else "does not"}
        for node in nodes
    ]  # fmt: skip
    segments: list[JsonObject] = [
        {"x": x[lower], "size": len(lower), "x2": x[upper], "size2": len(upper)} for lower, upper in lines
    ]
    across: JsonObject = {"field": "x", "type": "quantitative", "axis": None, "scale": {"domain": [0, 1]}}
    up: JsonObject = {"field": "size", "type": "ordinal", "sort": "descending", "title": "number of columns"}
    most_across = max(map(len, by_size.values()), default=0)
    layers: list[Json] = [
        {
            "data": _values(segments),
            "mark": {"type": "rule", "opacity": 0.4},
            "encoding": {"x": across, "y": up, "x2": {"field": "x2"}, "y2": {"field": "size2"}},
        },
        {
            "data": _values(points),
            "mark": {"type": "point", "filled": True, "size": 80},
            "encoding": {"x": across, "y": up, "color": {"field": "reached", "type": "nominal", "title": None},
                         "tooltip": [{"field": "columns", "type": "nominal"},
                                     {"field": "unique", "type": "quantitative", "format": ".2%"}]},
        },
    ]  # fmt: skip
    if most_across <= _MOST_LABELS:
        # The names of more nodes would overlap; the tooltip shows them.
        layers.append(
            {
                "data": _values(points),
                "mark": {"type": "text", "dy": -12, "fontSize": 9, "limit": _WIDTH // max(1, most_across)},
                "encoding": {"x": across, "y": up, "text": {"field": "columns", "type": "nominal"}},
            }
        )
    return {
        "$schema": _SCHEMA,
        "title": f"Where combinations begin to single out {percent(minimal.share)} of {unit}",
        "width": _WIDTH,
        "height": 300,
        "layer": layers,
    }


def _crossing(
    minimal: Sequence[Subset], counted: dict[Node, float]
) -> tuple[dict[Node, None], list[tuple[Node, Node]]]:
    """Return minimal combinations, their parts with one column less, and the lines between them."""
    nodes: dict[Node, None] = {}
    lines: list[tuple[Node, Node]] = []
    for upper in (subset.columns for subset in minimal):
        parts = [tuple(other for other in upper if other != name) for name in upper if len(upper) > 1]
        if upper not in counted or len(nodes.keys() | {upper, *parts}) > _MOST_NODES:
            continue
        nodes[upper] = None
        for lower in parts:
            if lower in counted:
                nodes[lower] = None
                lines.append((lower, upper))
    return nodes, lines
