"""The charts of links in a report, in the colours of the page."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.blocks import TableBlock
from idbits.render.numbers import bits, count, decimal, share
from idbits.render.page import Figure, axis_names
from idbits.studies.link.charts import calibration_rows, candidate_rows, class_rows, curve_rows, mean_claim_rows
from idbits.studies.link.result import Linkage
from idbits.studies.link.text import calibration_table, mean_claim_table
from idbits.studies.report.charts import WIDTH, Chart, plain_chart, share_axis

__all__ = ["link_figures"]

_WORDS = {
    "one to one": "one person, one record",
    "crowded": "one person, several records",
    "ambiguous": "several people",
    "no candidate": "nobody",
}
_BARS = {"labelAngle": 0, "labelOverlap": True}
# Long labels, in a font that may be wider than the one they were measured with.
_PADDING = {"left": 20, "top": 6, "right": 6, "bottom": 2}


def link_figures(answer: Linkage) -> tuple[Figure, ...]:
    """Return the charts that an answer has."""
    figures = [_class_figure(answer)]
    figures += [_candidates_figure(answer)] if answer.candidate_bins else []
    figures += [_curve_figure(answer)] if sum(point.is_prefix for point in answer.curve) > 1 else []
    figures += [_mean_claim_figure(answer)] if answer.mean_claim is not None else []
    figures += [_calibration_figure(answer)] if answer.calibration is not None else []
    return tuple(figures)


def _class_figure(answer: Linkage) -> Figure:
    rows = [(_WORDS[name], number / answer.n_records) for name, number in class_rows(answer)]
    words = f"Records by who fits them: {', '.join(f'{share(part)} {name}' for name, part in rows)}."
    return Figure(_bars_by_name(rows, "records"), words, None)


def _bars_by_name(rows: Sequence[tuple[str, float]], title: str) -> Chart:
    chart = plain_chart(
        [{"name": name, "share": part, "exposed": index == 0} for index, (name, part) in enumerate(rows)],
        mark={"type": "bar"},
        encoding={
            "y": {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 220}},
            "x": share_axis(title),
            "color": {"condition": {"test": "datum.exposed", "value": "var(--second)"}, "value": "var(--first)"},
        },
        width=WIDTH - 160,
        height={"step": 30},
    )
    return chart | {"padding": _PADDING}


def _candidates_figure(answer: Linkage) -> Figure:
    rows = candidate_rows(answer)
    chart = plain_chart(
        [{"candidates": label.replace("-", " to "), "records": number} for label, number in rows],
        mark={"type": "bar", "color": "var(--first)"},
        encoding={
            "x": {"field": "candidates", "type": "ordinal", "sort": None, "title": "people who fit", "axis": _BARS},
            "y": {"field": "records", "type": "quantitative", "title": "records", "axis": {"tickCount": 5}},
        },
        height=140,
    )
    table = TableBlock(
        "Records by the number of people who fit",
        ("people who fit", "records"),
        [[label.replace("-", " to "), count(number)] for label, number in rows],
    )
    return Figure(chart, "Records by the number of people of the second table who fit them.", table)


def _curve_figure(answer: Linkage) -> Figure:
    """Draw the columns one after another; a table of the section has the same numbers."""
    rows = curve_rows(answer)
    names = axis_names([name for name, _ in rows])
    chart = _bars_by_name([(name, part) for name, (_, part) in zip(names, rows, strict=True)], "one to one")
    chart["encoding"]["color"] = {"value": "var(--second)"}
    words = f"Records that match exactly one person as columns are added: {share(rows[-1][1])} with all of them."
    return Figure(chart, words, None)


def _calibration_figure(answer: Linkage) -> Figure:
    """Draw how often pairs of each probability are right; ten bins, of which empty ones have no bar."""
    kinds = ["right, expected", "right"]
    chart = plain_chart(
        [
            {"probability": label.partition(" ")[0], "pairs": kind, "share": part}
            for label, *parts in calibration_rows(answer)
            for kind, part in zip(kinds, parts, strict=True)
        ],
        mark={"type": "bar"},
        encoding={
            "x": {
                "field": "probability", "type": "ordinal", "sort": None, "title": "probability from", "axis": _BARS,
            },
            "xOffset": {"field": "pairs", "sort": kinds},
            "y": share_axis("pairs that are right"),
            "color": {
                "field": "pairs", "type": "nominal", "title": None,
                "scale": {"domain": kinds, "range": ["var(--soft)", "var(--second)"]}, "legend": {"orient": "top"},
            },
        },
        height=140,
    )  # fmt: skip
    bins = answer.calibration or ()
    right, expected = sum(each.right for each in bins), sum(each.expected for each in bins)
    words = f"Pairs by their probability: {count(right)} are right, and {decimal(expected)} should be."
    return Figure(chart, words, calibration_table(answer))


def _mean_claim_figure(answer: Linkage) -> Figure:
    """Draw how the bits of the mean claim add up."""
    steps = mean_claim_rows(answer)
    names = axis_names([label for label, _, _ in steps])
    chart = plain_chart(
        [
            {"step": name, "from": start, "to": end, "bits": end - start, "whole": index in (0, len(steps) - 1)}
            for index, (name, (_, start, end)) in enumerate(zip(names, steps, strict=True))
        ],
        mark={"type": "bar"},
        encoding={
            "y": {"field": "step", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 220}},
            "x": {"field": "from", "type": "quantitative", "title": "bits for the same person"},
            "x2": {"field": "to"},
            "color": {
                "condition": [
                    {"test": "datum.whole", "value": "var(--soft)"},
                    {"test": "datum.bits < 0", "value": "var(--second)"},
                ],
                "value": "var(--first)",
            },
        },
        width=WIDTH - 160,
        height={"step": 30},
    )
    first, last = steps[0][2], steps[-1][2]
    words = (
        f"What the columns add to the odds of a claim, on average: from {bits(first)} bits for any pair to "
        f"{bits(last)} bits."
    )
    return Figure(chart | {"padding": _PADDING}, words, *mean_claim_table(answer))
