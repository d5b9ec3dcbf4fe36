"""Predictions as text: the answer in one sentence, then how it was computed, then the assumptions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from idbits.render.blocks import Block, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, bits_of, chance, count, decimal, nearest, share, signed, significant, to_places
from idbits.studies.predict.result import (
    ONE_SUSPECT,
    GroupPrediction,
    Quantity,
    SingletonsPrediction,
    SuspectsPrediction,
    TargetAnswer,
    UniquenessPrediction,
    Width,
    WidthPrediction,
)
from idbits.studies.shared.presentation import show
from idbits.wording import counted

__all__: list[str] = []

_FAR_OFF = "This may be far off: it is an approximation whose conditions are not met here."
_TARGET_FROM_KAPPA = "Only kappa is known, so this is an approximation."

_ASSUMED = (
    "People's values are independent of each other. Within families, schools and neighbourhoods they are not.",
    "Future data follow the distribution given here.",
)
_LIKELY, _CERTAIN = 0.5, 0.9
_ROUGH = (
    "rough: not reliable here; it may be off by more than 10% (a chance by more than one percentage point). "
    "error: formula minus exact value."
)


@show.register
def _(prediction: UniquenessPrediction) -> list[Block]:
    blocks: list[Block] = _target(prediction.target)
    quantity, k = prediction.probability, prediction.k
    if quantity is not None and k is not None and not _misses(prediction.target):
        value = quantity.value or 0.0
        level = Level.BAD if value >= 0.5 else Level.WARN if value >= 0.01 else Level.GOOD
        about = "" if quantity.exact is not None else "very roughly " if quantity.is_rough else "about "
        everyone = "the person is" if k == 1 else f"all {count(k)} people are"
        title = f"The chance that {everyone} unique is {about}{chance(value, quantity.log10)}"
        is_far_off = quantity.is_rough and k > 1
        blocks.append(Verdict(level, title, _FAR_OFF if is_far_off else _shared(k, value, prediction)))
        blocks.append(_quantities([("all unique", quantity)], are_chances=True))
    return [*blocks, _drawn(prediction), Items("Assumed", _ASSUMED)]


def _misses(target: TargetAnswer | None) -> bool:
    """Whether the requested view misses the target and another was chosen: figures of the first would mislead."""
    return target is not None and target.chosen is not None and target.meets is False


def _shared(k: int, value: float, prediction: UniquenessPrediction) -> str:
    if k == 1:
        return _one_person(prediction.probability)
    if k > prediction.n_values:
        return f"There are only {counted(prediction.n_values, 'value')}, so at least two people must share one."
    return f"The chance that at least two of them share a value is {chance(1 - value)}."


def _one_person(figure: Quantity | None) -> str:
    if figure is None or figure.exact is not None:
        return "A single person is always unique."
    return "This approximation is not made for one person, who is always unique."


@show.register
def _(prediction: SingletonsPrediction) -> list[Block]:
    blocks: list[Block] = _target(prediction.target)
    k = prediction.k
    if k is not None and not _misses(prediction.target):
        blocks.append(_singletons_verdict(prediction, k))
        people = [("unique people, mean", prediction.mean), ("variance", prediction.variance)]
        blocks.append(_quantities(people, "Number of unique people"))
        chances = [("nobody is unique", prediction.none), ("somebody is unique", prediction.somebody)]
        blocks.append(_quantities(chances, "Chance that somebody is unique", are_chances=True))
        blocks.append(_sizes(prediction))
        blocks.append(_spread(prediction))
    return [*blocks, _drawn(prediction), Items("Assumed", _ASSUMED)]


def _singletons_verdict(prediction: SingletonsPrediction, k: int) -> Verdict:
    mean = prediction.mean.value if prediction.mean is not None else None
    mean = min(max(mean or 0.0, 0.0), float(k))
    part = mean / k
    level = Level.BAD if part >= 0.2 else Level.WARN if part >= 0.01 else Level.GOOD
    rough = prediction.mean is not None and prediction.mean.is_rough
    exact = prediction.mean is not None and prediction.mean.exact is not None
    about = "very roughly " if rough else "" if exact else "about "
    if k == 1:
        title = f"The chance that the person is unique is {about}{share(part)}"
        return Verdict(level, title, _one_person(prediction.mean))
    title = f"Expect {about}{decimal(mean)} of {count(k)} people to be unique ({share(part)})"
    sentence = _FAR_OFF if rough else "A unique person shares their value with nobody else."
    if prediction.quantiles is not None:
        low, _, high = prediction.quantiles
        sentence = (
            f"In at least nine cases out of ten, the number is between {count(low)} and {count(high)}. {sentence}"
        )
    return Verdict(level, title, sentence)


def _sizes(prediction: SingletonsPrediction) -> TableBlock:
    rows = []
    for size in prediction.sizes:
        rough = size.share.approximations[0]
        rows.append(
            [
                count(size.j),
                decimal(size.sets.value),
                chance(size.share.exact),
                _as_share(rough.value),
                signed(rough.error, as_share=True),
                "" if rough.trusted else "rough",
            ]
        )
    return TableBlock(
        "Groups of people with the same value",
        ("group size", "groups, mean", "share of people", "from kappa", "error", ""),
        rows,
        left=(5,),
    )


def _spread(prediction: SingletonsPrediction) -> Paragraph:
    if prediction.quantiles is None:
        return Paragraph(f"The distribution of the number is unknown: {prediction.distribution_reason}.")
    low, middle, high = map(count, prediction.quantiles)
    sentence = f"Unique people: 5th percentile {low}, median {middle}, 95th percentile {high}"
    source = f" ({prediction.distribution_reason})" if prediction.distribution_reason is not None else " (exact)"
    error = prediction.normal_error
    points = "" if error is None else f"{decimal(100 * error)} percentage points"
    normal = f" Chances from a normal distribution differ by at most {points}." if points else ""
    return Paragraph(f"{sentence}{source}.{normal}")


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
    blocks: list[Block] = _target(prediction.target, "width")
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
    return [*blocks, Paragraph(f"Distribution: {prediction.label}."), Items("Assumed", _ASSUMED)]


def _groups_by_width(prediction: WidthPrediction) -> list[Block]:
    """Return the share of people in groups of 2 and 3 at each width (S2 6.3.1)."""
    rows = []
    for row in prediction.widths:
        for size in row.sizes[1:]:
            cells = [_width(row.width), count(size.j), decimal(size.sets.value), chance(size.share.value)]
            # Only the formula of the highest order; the JSON has the others.
            for rough in size.share.approximations[-1:]:
                cells += [_as_share(rough.value), _mark(signed(rough.error, as_share=True), rough.trusted)]
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
    part = mean / prediction.k
    level = Level.BAD if part >= 0.2 else Level.WARN if part >= 0.01 else Level.GOOD
    people = f"{decimal(mean)} of {count(prediction.k)} people"
    title = f"At width {_width(first.width)}, expect {people} to be unique ({share(part)})"
    if len(prediction.widths) == 1:
        return Verdict(level, title, "Wider intervals make fewer people unique.")
    last = prediction.widths[-1]
    return Verdict(level, title, f"At width {_width(last.width)}, expect {decimal(last.mean.value)} to be unique.")


def _width(width: Width) -> str:
    return " x ".join(map(_width, width)) if isinstance(width, tuple) else significant(width, 6)


@show.register
def _(prediction: GroupPrediction) -> list[Block]:
    quantity = prediction.group_size
    blocks: list[Block] = []
    if quantity.value is None:
        sentence = "At any size, a group costs more than its unique people are worth."
        blocks.append(Verdict(Level.WARN, "No group size is worth its cost", sentence))
    else:
        title = f"Groups of {count(nearest(quantity.value))} give the most unique people for their cost"
        sentence = "Larger groups cost less per person, but a smaller share of them is unique."
        if prediction.unique_share is not None and prediction.gain is not None:
            sentence = (
                f"{share(prediction.unique_share)} of the people are then unique; minus a cost of "
                f"{decimal(prediction.cost / quantity.value)} per person, the gain is {decimal(prediction.gain)} "
                f"per person. {sentence}"
            )
        blocks.append(Verdict(Level.WARN, title, sentence))
        blocks.append(_quantities([("group size", quantity)]))
    return [*blocks, _drawn(prediction), Items("Assumed", _ASSUMED)]


@show.register
def _(prediction: SuspectsPrediction) -> list[Block]:
    return [
        _suspects_verdict(prediction),
        _suspects_table(prediction),
        Paragraph(f"The attacker's probabilities: {prediction.label}."),
        Items(
            "Assumed",
            (
                "The attacker's probabilities are right, and the person is one of the suspects.",
                "Bits are an average over the suspects; the best guess shows how likely the worst case is.",
            ),
        ),
    ]


def _suspects_verdict(prediction: SuspectsPrediction) -> Verdict:
    level = (
        Level.BAD
        if prediction.best_guess >= _CERTAIN
        else Level.WARN
        if prediction.best_guess >= _LIKELY
        else Level.GOOD
    )
    suspects = counted(prediction.n_suspects, "suspect")
    if prediction.degree_of_anonymity is None:
        return Verdict(
            Level.BAD, "One suspect: the attacker knows who it is", f"No degree of anonymity: {ONE_SUSPECT}."
        )
    title = f"{suspects} hide a person as well as {decimal(prediction.effective_suspects)} equally likely ones"
    lacking = bits_of(prediction.entropy_bits, prediction.max_entropy_bits)
    return Verdict(
        level,
        title,
        f"The attacker lacks {lacking} bits needed if all were equally likely: a degree of anonymity of "
        f"{decimal(prediction.degree_of_anonymity)}. The chance that the best guess is right is "
        f"{chance(prediction.best_guess)}.",
    )


def _suspects_table(prediction: SuspectsPrediction) -> TableBlock:
    rows = [
        ["suspects", count(prediction.n_suspects)],
        ["ruled out (probability 0)", count(prediction.n_ruled_out)],
        ["entropy, bits", bits(prediction.entropy_bits)],
        ["highest possible, log2 of suspects, bits", bits(prediction.max_entropy_bits)],
        ["degree of anonymity", decimal(prediction.degree_of_anonymity)],
        ["effective suspects, 2^entropy", decimal(prediction.effective_suspects)],
        ["best guess, probability", chance(prediction.best_guess)],
        ["min-entropy, bits", bits(prediction.min_entropy_bits)],
    ]
    return TableBlock("What the attacker still has to find out", ("", "value"), rows, left=(0,))


def _quantities(
    named: Sequence[tuple[str, Quantity | None]], title: str = "How it was computed", *, are_chances: bool = False
) -> TableBlock:
    """Return a table of each quantity's exact value, with its approximations below."""
    rows: list[list[str]] = []
    rough = False
    for name, quantity in named:
        if quantity is None:
            continue
        text = _as_chance(quantity.exact, quantity.log10) if are_chances else decimal(quantity.exact)
        if quantity.estimate is not None:
            text = f"{decimal(quantity.estimate)} ({decimal(quantity.low)} to {decimal(quantity.high)})"
        how = "exact" if quantity.exact is not None else f"no exact value: {quantity.reason}"
        rows.append([name, how, text, "", ""])
        for approximation in quantity.approximations:
            shown = _as_chance(approximation.value) if are_chances else decimal(approximation.value)
            mark = "" if approximation.trusted else "rough"
            rough = rough or not approximation.trusted
            rows.append(["", approximation.name, shown, signed(approximation.error, as_share=are_chances), mark])
    return TableBlock(
        title,
        ("", "method", "value", "error", ""),
        rows,
        left=(0, 1, 4),
        caption=_ROUGH if rough else "error: formula minus exact value.",
    )


def _as_chance(value: float | None, log10: float | None = None) -> str:
    if value is not None and (value < 0 or value > 1):
        return significant(value, 3)
    return chance(value, log10)


def _as_share(value: float) -> str:
    """Return a share as a formula gives it, even if it is below 0 or above 1."""
    return chance(value) if 0 <= value <= 1 else signed(value, as_share=True)


def _mark(text: str, trusted: bool) -> str:
    return text if trusted else f"{text}*"


def _target(target: TargetAnswer | None, what: str = "view") -> list[Block]:
    if target is None:
        return []
    blocks: list[Block] = []
    if target.ranges:
        about = "" if target.exact else "about "
        sentence = _for_all(target.ranges) + ("" if target.exact else f" {_TARGET_FROM_KAPPA}")
        blocks.append(Verdict(Level.GOOD, f"{target.text} is met by {_ranges(target.ranges, about)}", sentence))
    elif target.chosen is not None:
        side, narrower = ("from", "narrower") if target.protects else ("up to", "wider")
        title = f"{target.text} is met {side} width {target.chosen}{' upwards' if target.protects else ''}"
        sentence = f"We found no {narrower} intervals that meet the target."
        if what != "width":
            title = f"{target.text} is met by {target.chosen}"
            sentence = f"It is the {'finest' if target.protects else 'coarsest'} view that meets the target."
            if _misses(target):
                sentence += f" To see its figures, use --distribution FILE:{target.chosen}."
        blocks.append(Verdict(Level.GOOD, title, sentence))
    elif target.meets is not None:
        level = Level.GOOD if target.meets else Level.WARN
        outcome = "is met" if target.meets else "is not met"
        sentence = "Omit --k to see which group sizes meet it."
        sentence += "" if target.exact else f" {_TARGET_FROM_KAPPA}"
        blocks.append(Verdict(level, f"{target.text} {outcome}", sentence))
    if target.options and target.chosen is not None:
        rows = [
            [name, decimal(value) if value > 1 else chance(value), "yes" if met else "no"]
            for name, value, met in target.options
        ]
        blocks.append(TableBlock("What we tried", (what, "value", "meets the target"), rows, left=(0, 2)))
    return blocks


def _ranges(ranges: Sequence[tuple[int, float]], about: str) -> str:
    parts = []
    for low, high in ranges:
        if high == low:
            parts.append(count(low))
        else:
            parts.append(f"{count(low)} or more" if math.isinf(high) else f"{count(low)} to {count(int(high))}")
    people = "person" if ranges == ((1, 1),) else "people"
    return f"groups of {about}{' and '.join(parts)} {people}"


def _for_all(ranges: Sequence[tuple[int, float]]) -> str:
    low, high = ranges[-1]
    every = len(ranges) == 1 and low == 1 and math.isinf(high)
    return "Every group size meets the target." if every else "No other group size meets the target."


def _drawn(prediction: UniquenessPrediction | SingletonsPrediction | GroupPrediction) -> Paragraph:
    kappa = "" if prediction.kappa_nats is None else f", kappa {to_places(prediction.kappa_nats, 4)} nats"
    return Paragraph(f"Distribution: {prediction.label} ({counted(prediction.n_values, 'possible value')}{kappa}).")
