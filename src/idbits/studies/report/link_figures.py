"""The charts of links in a report, in the colours of the page."""

from __future__ import annotations

from idbits.render.blocks import TableBlock
from idbits.render.dot_pairs import DotPair, DotPairs
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import bar_share, bits, count, decimal, share
from idbits.render.page import Figure, axis_names, shortened
from idbits.studies.link.charts import calibration_rows, candidate_rows, class_rows, curve_rows, mean_claim_rows
from idbits.studies.link.result import Linkage
from idbits.studies.link.text import calibration_table, mean_claim_table
from idbits.studies.report.charts import SCHEMA

__all__ = ["link_figures"]

_WORDS = {
    "one to one": "one person, one record",
    "crowded": "one person, several records",
    "ambiguous": "several people",
    "no candidate": "nobody",
}
_NAME = 48


def link_figures(answer: Linkage) -> tuple[Figure, ...]:
    """Return the charts that an answer has."""
    figures = [_class_figure(answer)]
    figures += [_candidates_figure(answer)] if answer.candidate_bins else []
    figures += [_curve_figure(answer)] if sum(point.is_prefix for point in answer.curve) > 1 else []
    figures += [_mean_claim_figure(answer)] if answer.mean_claim is not None else []
    figures += [_calibration_figure(answer)] if answer.calibration is not None else []
    return tuple(figures)


def _class_figure(answer: Linkage) -> Figure:
    rows = [(_WORDS[name], number, number / answer.n_records) for name, number in class_rows(answer)]
    words = f"Records by who fits them: {', '.join(f'{share(part)} {name}' for name, _, part in rows)}."
    bars = tuple(
        BarRow(name, part, bar_share(part), "r1" if index == 0 else "c1", count(number))
        for index, (name, number, part) in enumerate(rows)
    )
    return Figure(LabelledBars(bars), words, None, "Records by who fits them")


def _candidates_figure(answer: Linkage) -> Figure:
    rows = [(label.replace("-", " to "), number) for label, number in candidate_rows(answer)]
    bars = tuple(
        BarRow("1 person" if label == "1" else f"{label} people", number, count(number),
               more=bar_share(number / answer.n_records))
        for label, number in rows
    )  # fmt: skip
    table = TableBlock(
        "Records by the number of people who fit",
        ("people who fit", "records"),
        [[label, count(number)] for label, number in rows],
    )
    words = "Records by the number of people of the second table who fit them."
    return Figure(LabelledBars(bars), words, table, "Records by the number of people who fit")


def _curve_figure(answer: Linkage) -> Figure:
    """Draw the columns one after another; a table of the section has the same numbers."""
    rows = curve_rows(answer)
    bars = tuple(BarRow(shortened(name, _NAME), part, bar_share(part), "r1") for name, part in rows)
    what = "Records that match a person one to one, as columns are added"
    return Figure(LabelledBars(bars), f"{what}: {share(rows[-1][1])} with all of them.", None, what)


def _calibration_figure(answer: Linkage) -> Figure:
    """Draw how often pairs of each probability are right; ten bins, of which empty ones have no bar."""
    bins = [each for each in answer.calibration or () if each.pairs]
    right, expected = sum(each.right for each in bins), sum(each.expected for each in bins)
    words = f"Pairs by their probability: {count(right)} are right, and {decimal(expected)} should be."
    drawn = tuple(
        DotPair(label, expected, right, bar_share(expected), bar_share(right))
        for label, expected, right in calibration_rows(answer)
        if expected is not None and right is not None
    )
    quarters = ((0.0, "0%"), (0.25, "25%"), (0.5, "50%"), (0.75, "75%"), (1.0, "100%"))
    chart = DotPairs(drawn, ("right, expected", "right"), ("i3", "r1", "r2l"), quarters)
    return Figure(chart, words, calibration_table(answer), "Are the probabilities right?")


def _mean_claim_figure(answer: Linkage) -> Figure:
    """Draw how the bits of the mean claim add up."""
    steps = mean_claim_rows(answer)
    names = axis_names([label for label, _, _ in steps])
    chart = {
        "$schema": SCHEMA,
        "data": {
            "values": [
                {"step": name, "from": start, "to": end, "bits": end - start, "whole": index in (0, len(steps) - 1)}
                for index, (name, (_, start, end)) in enumerate(zip(names, steps, strict=True))
            ]
        },
        "mark": {"type": "bar"},
        "encoding": {
            "y": {"field": "step", "type": "nominal", "sort": None, "title": None},
            "x": {"field": "from", "type": "quantitative", "title": "bits for the same person"},
            "x2": {"field": "to"},
            "color": {
                "condition": [
                    {"test": "datum.whole", "value": "var(--cloud)"},
                    {"test": "datum.bits < 0", "value": "var(--goal)"},
                ],
                "value": "var(--risk)",
            },
        },
        "height": {"step": 30},
    }
    first, last = steps[0][2], steps[-1][2]
    words = (
        f"What the columns add to the odds of a claim, on average: from {bits(first)} bits for any pair to "
        f"{bits(last)} bits."
    )
    (table,) = mean_claim_table(answer)
    return Figure(chart, words, table, "How the bits of a claim add up, on average")
