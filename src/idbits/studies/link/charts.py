"""Charts about links: what happens to records, their candidates, which columns do the harm, and how sure odds are."""

from __future__ import annotations

from idbits.render.described_chart import DescribedChart
from idbits.render.dot_pairs import DotPair, DotPairs
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import bar_share, bits, count, decimal, percent, share
from idbits.render.page import axis_names, shortened
from idbits.studies.link.attacks.charts import rate_rows, rates_chart
from idbits.studies.link.result import Linkage
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification

__all__ = [
    "calibration_chart", "calibration_rows", "candidate_rows", "candidates_chart", "charts_of", "class_chart",
    "class_rows", "curve_chart", "curve_rows", "mean_claim_chart", "mean_claim_rows", "rate_rows", "rates_chart",
    "specifications_of",
]  # fmt: skip

_BLUE = "#2166ac"
_PALE = "#92c5de"
_ORANGE = "#d95f02"


_NAME = 48
_WORDS = {
    "one to one": "one person, one record",
    "crowded": "one person, several records",
    "ambiguous": "several people",
    "no candidate": "nobody",
}


def charts_of(answer: Linkage) -> dict[str, DescribedChart]:
    """Return the charts that an answer has by name, the main one first."""
    has_columns = sum(point.is_prefix for point in answer.curve) > 1
    return {
        "records": _records(answer),
        **({"candidates": _candidates(answer)} if answer.candidate_bins else {}),
        **({"columns": _columns(answer)} if has_columns else {}),
        **({"claims": _mean_claim(answer)} if answer.mean_claim is not None else {}),
        **({"calibration": _calibration(answer)} if answer.calibration is not None else {}),
    }


def _records(answer: Linkage) -> DescribedChart:
    rows = [(_WORDS[name], number, number / answer.n_records) for name, number in class_rows(answer)]
    words = f"Records by who fits them: {', '.join(f'{share(part)} {name}' for name, _, part in rows)}."
    bars = tuple(
        BarRow(name, part, bar_share(part), "r1" if index == 0 else "c1", count(number))
        for index, (name, number, part) in enumerate(rows)
    )
    return DescribedChart(LabelledBars(bars), words, "Records by who fits them")


def _candidates(answer: Linkage) -> DescribedChart:
    rows = [(label.replace("-", " to "), number) for label, number in candidate_rows(answer)]
    bars = tuple(
        BarRow("1 person" if label == "1" else f"{label} people", number, count(number),
               more=bar_share(number / answer.n_records))
        for label, number in rows
    )  # fmt: skip
    words = "Records by the number of people of the second table who fit them."
    return DescribedChart(LabelledBars(bars), words, "Records by the number of people who fit")


def _columns(answer: Linkage) -> DescribedChart:
    """Draw the columns one after another."""
    rows = curve_rows(answer)
    bars = tuple(BarRow(shortened(name, _NAME), part, bar_share(part), "r1") for name, part in rows)
    what = "Records that match a person one to one, as columns are added"
    return DescribedChart(LabelledBars(bars), f"{what}: {share(rows[-1][1])} with all of them.", what)


def _calibration(answer: Linkage) -> DescribedChart:
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
    return DescribedChart(chart, words, "Are the probabilities right?")


def _mean_claim(answer: Linkage) -> DescribedChart:
    """Draw how the bits of the mean claim add up."""
    steps = mean_claim_rows(answer)
    names = axis_names([label for label, _, _ in steps])
    rows: list[Json] = [
        {"step": name, "from": start, "to": end, "bits": end - start, "whole": index in (0, len(steps) - 1)}
        for index, (name, (_, start, end)) in enumerate(zip(names, steps, strict=True))
    ]
    tests: list[Json] = [
        {"test": "datum.whole", "value": "var(--cloud)"}, {"test": "datum.bits < 0", "value": "var(--goal)"},
    ]  # fmt: skip
    chart = specification(
        "",
        rows,
        mark={"type": "bar"},
        encoding={
            "y": {"field": "step", "type": "nominal", "sort": None, "title": None},
            "x": axis("from", "bits for the same person"),
            "x2": {"field": "to"},
            "color": {"condition": tests, "value": "var(--risk)"},
        },
        height={"step": 30},
    )
    first, last = steps[0][2], steps[-1][2]
    words = (
        f"What the columns add to the odds of a claim, on average: from {bits(first)} bits for any pair to "
        f"{bits(last)} bits."
    )
    return DescribedChart(chart, words, "How the bits of a claim add up, on average")


def specifications_of(answer: Linkage) -> dict[str, JsonObject]:
    """Return the charts in Vega-Lite by name."""
    charts = {
        "records": class_chart(answer),
        "candidates": candidates_chart(answer),
        "columns": curve_chart(answer),
    }
    if answer.mean_claim is not None:
        charts["claims"] = mean_claim_chart(answer)
    if answer.calibration is not None:
        charts["calibration"] = calibration_chart(answer)
    return charts


def class_rows(answer: Linkage) -> list[tuple[str, int]]:
    """Return what can happen to a record, each with the number of records."""
    classes = answer.records
    return [
        ("one to one", classes.one_to_one),
        ("crowded", classes.crowded),
        ("ambiguous", classes.ambiguous),
        ("no candidate", classes.no_candidate),
    ]


def class_chart(answer: Linkage) -> JsonObject:
    """Return the records by what happens to them."""
    rows: list[Json] = [{"class": name, "records": number} for name, number in class_rows(answer)]
    return specification(
        "What happens to the records",
        rows,
        mark={"type": "bar", "color": _BLUE},
        encoding={"y": axis("class", "", "nominal", sort=None), "x": axis("records", "records")},
    )


def candidate_rows(answer: Linkage) -> list[tuple[str, int]]:
    """Return numbers of candidates in powers of two, each with the number of records."""
    return [
        (str(each.low) if each.low == each.high else f"{each.low}-{each.high}", each.records)
        for each in answer.candidate_bins
    ]


def candidates_chart(answer: Linkage) -> JsonObject:
    """Return the records by the number of candidates, in powers of two."""
    rows: list[Json] = [{"candidates": label, "records": number} for label, number in candidate_rows(answer)]
    return specification(
        "Candidates of the records",
        rows,
        mark={"type": "bar", "color": _BLUE},
        encoding={
            "x": axis("candidates", "people who fit", "ordinal", sort=None, axis={"labelAngle": 0}),
            "y": axis("records", "records"),
        },
    )


def curve_rows(answer: Linkage) -> list[tuple[str, float]]:
    """Return the columns in the order in which they are added, each with the share of one-to-one records."""
    beginnings = [point for point in answer.curve if point.is_prefix]
    return [
        (f"+ {point.on[-1]}" if index else point.on[-1], point.one_to_one / answer.n_records)
        for index, point in enumerate(beginnings)
    ]


def curve_chart(answer: Linkage) -> JsonObject:
    """Return the share of one-to-one records as columns are added."""
    rows: list[Json] = [{"columns": columns, "share": share} for columns, share in curve_rows(answer)]
    return specification(
        "Records that match a person one to one, by columns",
        rows,
        mark={"type": "line", "point": True, "color": _BLUE},
        encoding={
            "x": axis("columns", "columns compared", "ordinal", sort=None, axis={"labelAngle": 0}),
            "y": axis("share", "share of records", axis={"format": "%"}),
        },
    )


def calibration_rows(answer: Linkage) -> list[tuple[str, float | None, float | None]]:
    """Return bins of probabilities, each with the shares of its pairs that should be right and that are."""
    return [
        (
            f"{percent(each.low)} to {percent(each.high)}",
            each.expected / each.pairs if each.pairs else None,
            each.right / each.pairs if each.pairs else None,
        )
        for each in answer.calibration or ()
    ]


def calibration_chart(answer: Linkage) -> JsonObject:
    """Return the share of right pairs by their probability, as it should be and as it is."""
    rows: list[Json] = [
        {"probability": label, "pairs": kind, "share": share}
        for label, expected, right in calibration_rows(answer)
        for kind, share in (("right, expected", expected), ("right", right))
    ]
    return specification(
        "Are the probabilities right?",
        rows,
        mark={"type": "bar"},
        encoding={
            "x": axis("probability", "probability of a pair", "ordinal", sort=None),
            "xOffset": {"field": "pairs", "sort": None},
            "y": axis("share", "share of pairs", axis={"format": "%"}, scale={"domain": [0, 1]}),
            "color": {
                "field": "pairs", "type": "nominal", "title": None, "sort": None, "scale": {"range": [_PALE, _BLUE]},
            },
        },
    )  # fmt: skip


def mean_claim_rows(answer: Linkage) -> list[tuple[str, float, float]]:
    """Return the steps from any pair to the mean claim, each from and to some bits; the last one is the whole."""
    claim = answer.mean_claim
    if claim is None:
        return []
    reached = claim.prior_bits
    steps = [("any pair", 0.0, reached)]
    for each in claim.columns:
        steps.append((f"+ {each.column}", reached, reached + each.bits))
        reached += each.bits
    return [*steps, ("a claim", 0.0, claim.odds_bits)]


def mean_claim_chart(answer: Linkage) -> JsonObject:
    """Return the waterfall of the bits of the mean claim: against, for, and together."""
    steps = mean_claim_rows(answer)
    rows: list[Json] = [
        {"step": label, "from": start, "to": end, "bits": end - start, "is_whole": index in (0, len(steps) - 1)}
        for index, (label, start, end) in enumerate(steps)
    ]
    return specification(
        "How the bits of a claim add up, on average",
        rows,
        mark={"type": "bar"},
        encoding={
            "y": axis("step", "", "nominal", sort=None),
            "x": axis("from", "bits for the same person"),
            "x2": {"field": "to"},
            "color": {
                "condition": [
                    {"test": "datum.is_whole", "value": _PALE}, {"test": "datum.bits < 0", "value": _ORANGE},
                ],
                "value": _BLUE,
            },
        },
    )  # fmt: skip
