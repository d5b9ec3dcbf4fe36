"""Predictions for rounded numbers as text: unique people by the width of the intervals."""

from __future__ import annotations

from idbits.render.blocks import Block, Items, Paragraph, TableBlock, Verdict
from idbits.render.numbers import chance, count, decimal, share, signed, significant
from idbits.studies.predict.result import TargetAnswer, Width, WidthPrediction
from idbits.studies.predict.text_parts import ASSUMED, as_share, target_blocks, unique_level, unique_title
from idbits.studies.shared.presentation import show

__all__: list[str] = []


@show.register
def _(prediction: WidthPrediction) -> list[Block]:
    rows = []
    for row in prediction.widths:
        mean = row.mean.value or 0.0
        mean_text = decimal(mean)
        if row.mean.exact is None and row.mean.low is not None and row.mean.high is not None:
            mean_text = f"{significant(row.mean.low, 4)} to {significant(row.mean.high, 4)}"
        cells = [_width(row.width), mean_text, share(mean / prediction.k)]
        cells.append(decimal(row.variance.value))
        for approximation in row.mean.approximations:
            cells += [decimal(approximation.value), _mark(signed(approximation.error), approximation.trusted)]
        rows.append(cells)
    names = ["width", "unique", "share", "variance"]
    for approximation in prediction.widths[0].mean.approximations:
        # Only the first words of the formula's name: the table must fit a terminal.
        names += [approximation.name.split(" in ")[0], "error"]
    blocks: list[Block] = target_blocks(prediction.target, "width")
    if prediction.target is None or _is_chosen(prediction.target, prediction.widths[0].width):
        blocks.append(_width_verdict(prediction))
    caption = "unique: mean number of unique people."
    caption += " error: formula minus exact value." if len(names) > 4 else ""
    if any(not a.trusted for row in prediction.widths for a in row.mean.approximations):
        caption += " *: too wide for the formula, or off by more than 10%."
    if any(row.mean.exact is None for row in prediction.widths):
        caption += " Ranges are simulated: there are too many intervals to list."
    blocks.append(TableBlock("Unique people by interval width", tuple(names), rows, caption=caption.strip()))
    blocks += _groups_by_width(prediction)
    if not prediction.placed:
        spans = [
            f"width {_width(row.width)}: {decimal(row.lowest_mean)} to {decimal(row.highest_mean)}"
            for row in prediction.widths
            if row.lowest_mean is not None
            and row.highest_mean is not None
            and row.highest_mean - row.lowest_mean > 0.005
        ]
        note = "No mean is given, so figures are averaged over all positions of the interval boundaries."
        blocks.append(Items("Position of the intervals", (note, *spans)))
    return [*blocks, Paragraph(f"Distribution: {prediction.label}."), Items("Assumed", ASSUMED)]


def _groups_by_width(prediction: WidthPrediction) -> list[Block]:
    """Return the share of people in groups of 2 and 3 at each width (S2 6.3.1)."""
    rows = []
    for row in prediction.widths:
        for size in row.sizes[1:]:
            cells = [_width(row.width), count(size.j), decimal(size.sets.value), chance(size.share.value)]
            # Only the formula of the highest order; the JSON has the others.
            for rough in size.share.approximations[-1:]:
                cells += [as_share(rough.value), _mark(signed(rough.error, as_share=True), rough.trusted)]
            rows.append(cells)
    if not rows:
        return []
    names = ("width", "group size", "groups", "share of people", "second order", "error")[: len(rows[0])]
    caption = "groups: mean number of groups of this size."
    caption += " error: formula minus exact value." if len(names) > 4 else ""
    if any(
        a for row in prediction.widths for size in row.sizes[1:] for a in size.share.approximations if not a.trusted
    ):
        caption += " *: too wide for the formula, or off by more than 10%."
    return [TableBlock("People in groups of 2 and 3 by interval width", names, rows, caption=caption)]


def _is_chosen(target: TargetAnswer, width: Width) -> bool:
    return target.chosen is not None and float(target.chosen) == width


def _width_verdict(prediction: WidthPrediction) -> Verdict:
    first = prediction.widths[0]
    mean = min(max(first.mean.value or 0.0, 0.0), float(prediction.k))
    level = unique_level(mean / prediction.k)
    title = f"At width {_width(first.width)}, {unique_title(mean, prediction.k)}"
    if len(prediction.widths) == 1:
        return Verdict(level, title, "Wider intervals make fewer people unique.")
    last = prediction.widths[-1]
    return Verdict(level, title, f"At width {_width(last.width)}, expect {decimal(last.mean.value)} to be unique.")


def _width(width: Width) -> str:
    return " x ".join(map(_width, width)) if isinstance(width, tuple) else significant(width, 6)


def _mark(text: str, trusted: bool) -> str:
    return text if trusted else f"{text}*"
