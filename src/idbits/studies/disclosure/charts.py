"""Charts about a sensitive column: people by the largest share in their group, by bits, and values."""

from __future__ import annotations

from dataclasses import replace

from idbits.render.described_chart import DescribedChart
from idbits.render.dot_pairs import DotPair, DotPairs
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import bar_share, count, percent, share, whole_percent
from idbits.render.page import named, numbered_if_alike
from idbits.studies.disclosure.result import ColumnDisclosure, Disclosure, Disclosures
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.units import Unit
from idbits.studies.shared.vega_lite import axis, specification
from idbits.wording import counted

__all__ = [
    "ALONE", "alike_chart", "bits_chart", "charts_of", "charts_of_several", "frequency_chart", "share_bars",
    "share_chart", "value_chart", "value_name",
]  # fmt: skip

ALONE = "unique"
_COLOURS = ("#2166ac", "#d95f02")
_NAME = 32
_SHOWN_VALUES = 12
_QUARTERS = ((0.0, "0%"), (0.25, "25%"), (0.5, "50%"), (0.75, "75%"), (1.0, "100%"))
# The classes of 20 bars of largest shares that are drawn as one.
_BARS_AS_ONE = 2


def charts_of(answer: Disclosure) -> dict[str, DescribedChart]:
    """Return the charts of each sensitive column by name."""
    charts: dict[str, DescribedChart] = {}
    for column in answer.sensitive:
        shown = replace(column, column=named(column.column))
        if column.top_shares is not None:
            charts[f"{column.column}: shares"] = alike_chart(shown, answer)
        if column.bits_table:
            charts[f"{column.column}: bits"] = _given_away_chart(shown, answer.unit)
        if column.values:
            charts[f"{column.column}: values"] = frequency_chart(shown)
    return charts


def charts_of_several(answer: Disclosures) -> dict[str, DescribedChart]:
    """Return the charts of each quasi-identifier by name."""
    return {f"{','.join(each.qid)}: {name}": chart for each in answer for name, chart in charts_of(each).items()}


def alike_chart(column: ColumnDisclosure, answer: Disclosure) -> DescribedChart:
    """Return people by the largest share in their group, those in groups that are all alike and unique ones apart."""
    unit, nearly, likely = answer.unit, column.nearly_certain, column.more_likely
    words = (
        f"How much of a group has the same {column.column}: {count(column.certain.in_company)} {unit} are in groups of "
        f"several that all have the same one, {count(nearly.in_company)} in groups of which more than "
        f"{percent(answer.certainty)} have it, {count(likely.in_company)} in groups of which more than half have it."
    )
    title = f"{unit.capitalize()} by how alike {column.column} is in their group"
    return DescribedChart(LabelledBars(tuple(_alike(column, answer))), words, title)


def _alike(column: ColumnDisclosure, answer: Disclosure) -> list[BarRow]:
    bars, certain = list(column.top_shares.bars), column.certain.in_company
    bars[-1] -= certain
    step = _BARS_AS_ONE / len(bars)
    people = [sum(bars[start : start + _BARS_AS_ONE]) for start in range(0, len(bars), _BARS_AS_ONE)]
    first = next((index for index, number in enumerate(people) if number), len(people))
    rows = []
    for index, number in list(enumerate(people))[first:]:
        low, high = index * step, (index + 1) * step
        ends = (
            f"{whole_percent(low)} to {whole_percent(high)}"
            if index < len(people) - 1
            else f"over {whole_percent(low)}"
        )
        is_nearly = low >= answer.certainty - 1e-9
        name = f"{ends} alike{': nearly certain' if is_nearly else ''}"
        rows.append((name, number, "l2" if is_nearly else "c1"))
    rows.append(("all alike: certain", certain, "l1"))
    rows += [("unique", column.top_shares.alone, "r1")] if column.top_shares.alone else []
    return [
        BarRow(name, number, count(number), meaning, bar_share(column.share(number))) for name, number, meaning in rows
    ]


def frequency_chart(column: ColumnDisclosure) -> DescribedChart:
    """Return for each value how frequent it is in general and at most in a group."""
    words = (
        f"How frequent each {column.column} is in general and at most in a group of several: the further apart, the "
        "more a group gives away."
    )
    if len(column.values) > _SHOWN_VALUES:
        words += f" The chart shows the first {_SHOWN_VALUES} of {count(len(column.values))}."
    pairs = [
        DotPair(value_name(row.label, row.folded_values), row.prior, row.posterior, bar_share(row.prior),
                bar_share(row.posterior))
        for row in column.values[:_SHOWN_VALUES]
    ]  # fmt: skip
    chart = DotPairs(tuple(pairs), ("in general", "at most in a group"), ("i3", "l1", "l2l"), _QUARTERS)
    return DescribedChart(chart, words, f"How frequent each {column.column} is")


def _given_away_chart(column: ColumnDisclosure, unit: Unit) -> DescribedChart:
    """Return the people whose group gives away at least each number of bits."""
    rows = [row for row in column.bits_table if row.people] or list(column.bits_table[:1])
    bars = LabelledBars(
        tuple(BarRow(f"at least {counted(row.bits, 'bit')}", row.people, count(row.people), "l1",
                     bar_share(row.share)) for row in rows)
    )  # fmt: skip
    top = rows[-1]
    words = f"The group of {share(top.share)} of the {unit} gives away at least {counted(top.bits, 'bit')}."
    title = f"{unit.capitalize()} by the bits that their group gives away about {column.column}"
    return DescribedChart(bars, words, title)


def share_bars(column: ColumnDisclosure) -> list[tuple[str, int]]:
    """Return people by the largest share of a value in their group, in 20 bars up to each share; unique ones first."""
    bars = column.top_shares.bars
    step = 1 / len(bars)
    names = [whole_percent((index + 1) * step) for index in range(len(bars))]
    return [(ALONE, column.top_shares.alone), *zip(names, bars, strict=True)]


def share_chart(column: ColumnDisclosure, unit: Unit, colours: tuple[str, str] = _COLOURS) -> JsonObject:
    """Return people by the largest share of a value in their group; unique people apart."""
    bars = share_bars(column)
    rows: list[Json] = [{"share": name, "people": people, "alone": name == ALONE} for name, people in bars]
    return specification(
        f"{unit.capitalize()} by the largest share of one {column.column} in their group",
        rows,
        mark="bar",
        encoding={
            "x": axis("share", "largest share in the group, up to", "ordinal", sort=[name for name, _ in bars]),
            "y": axis("people", str(unit)),
            "color": {
                "field": "alone",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": [False, True], "range": list(colours)},
            },
        },
    )


def bits_chart(column: ColumnDisclosure, unit: Unit, colour: str = _COLOURS[0]) -> JsonObject:
    """Return the people whose group gives away at least each number of bits."""
    rows: list[Json] = [{"bits": row.bits, "people": row.people} for row in column.bits_table]
    return specification(
        f"{unit.capitalize()} whose group gives away at least this many bits about {column.column}",
        rows,
        mark={"type": "bar", "color": colour},
        encoding={"x": axis("bits", "bits", "ordinal"), "y": axis("people", str(unit))},
    )


def value_name(label: str | None, folded: int) -> str:
    """Return how a value is named in a chart.

    >>> value_name(None, 3), value_name(None, 0), value_name("flu", 0)
    ('3 values of few people', '(empty)', 'flu')
    """
    if folded:
        return f"{folded} value{'' if folded == 1 else 's'} of few people"
    text = "(empty)" if label is None else label
    return text if len(text) <= _NAME else f"{text[: _NAME - 1]}…"


def value_chart(column: ColumnDisclosure, colours: tuple[str, str] = _COLOURS, most: int = 20) -> JsonObject:
    """Return for each value how frequent it is in general and at most in a group; values of few people are folded."""
    rows: list[Json] = []
    shown = column.values[:most]
    names = numbered_if_alike([value_name(row.label, row.folded_values) for row in shown])
    for name, row in zip(names, shown, strict=True):
        rows += [
            {"value": name, "what": "in general", "share": row.prior},
            {"value": name, "what": "at most in a group", "share": row.posterior},
        ]
    return specification(
        f"{column.column}: how frequent in general, and at most in a group of several",
        rows,
        mark={"type": "point", "filled": True, "size": 70, "opacity": 1},
        encoding={
            "y": axis("value", "", "nominal", sort=list(names)),
            "x": axis(
                "share", "share", scale={"domain": [0, 1]}, axis={"format": "%", "values": [0, 0.25, 0.5, 0.75, 1]}
            ),
            "color": {
                "field": "what",
                "type": "nominal",
                "title": None,
                "legend": {"orient": "top"},
                "scale": {"domain": ["in general", "at most in a group"], "range": list(colours)},
            },
        },
    )
