"""What predictions look like: the answer in a sentence, then how it was computed, then what was assumed."""

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

_FAR_OFF = "This may be far off: it is an approximation, and the conditions under which it is good do not hold here."
_TARGET_FROM_KAPPA = "Only kappa is known, so this is an approximation."
_ASSUMED = (
    "People draw independently of each other; families, schools and neighbourhoods do not.",
    "The group to come is like the one that the distribution was taken from.",
)
_LIKELY, _CERTAIN = 0.5, 0.9
_ROUGH = (
    "rough: not trusted here; it may be off by more than 10%, a chance by more than one percentage point. "
    "error: formula less exact."
)


@show.register
def _(prediction: UniquenessPrediction) -> list[Block]:
    blocks: list[Block] = _target(prediction.target)
    quantity, k = prediction.probability, prediction.k
    if quantity is not None and k is not None and not _misses(prediction.target):
        value = quantity.value or 0.0
        level = Level.BAD if value >= 0.5 else Level.WARN if value >= 0.01 else Level.GOOD
        about = "" if quantity.exact is not None else "perhaps " if quantity.is_rough else "about "
        title = f"All {count(k)} people are unique with chance {about}{chance(value, quantity.log10)}"
        blocks.append(Verdict(level, title, _FAR_OFF if quantity.is_rough else _shared(k, value, prediction)))
        blocks.append(_quantities([("all unique", quantity)], are_chances=True))
    return [*blocks, _drawn(prediction), Items("Assumed", _ASSUMED)]


def _misses(target: TargetAnswer | None) -> bool:
    """Whether another view was chosen because what was asked about misses the target: its figures would mislead."""
    return target is not None and target.chosen is not None and target.meets is False


def _shared(k: int, value: float, prediction: UniquenessPrediction) -> str:
    if k > prediction.n_values:
        return f"There are only {counted(prediction.n_values, 'value')}: two people must share one."
    return f"With chance {chance(1 - value)} at least two of them share a value."


@show.register
def _(prediction: SingletonsPrediction) -> list[Block]:
    blocks: list[Block] = _target(prediction.target)
    k = prediction.k
    if k is not None and not _misses(prediction.target):
        blocks.append(_singletons_verdict(prediction, k))
        people = [("unique people, mean", prediction.mean), ("variance", prediction.variance)]
        blocks.append(_quantities(people, "How many are unique"))
        chances = [("nobody is unique", prediction.none), ("somebody is unique", prediction.somebody)]
        blocks.append(_quantities(chances, "Is anybody unique", are_chances=True))
        blocks.append(_sizes(prediction))
        blocks.append(_spread(prediction))
    return [*blocks, _drawn(prediction), Items("Assumed", _ASSUMED)]


def _singletons_verdict(prediction: SingletonsPrediction, k: int) -> Verdict:
    mean = prediction.mean.value if prediction.mean is not None else None
    mean = min(max(mean or 0.0, 0.0), float(k))
    part = mean / k
    level = Level.BAD if part >= 0.2 else Level.WARN if part >= 0.01 else Level.GOOD
    rough = prediction.mean is not None and prediction.mean.is_rough
    people = counted(k, "person").replace("persons", "people")
    about = (
        "perhaps " if rough else "" if prediction.mean is not None and prediction.mean.exact is not None else "about "
    )
    title = f"Expect {about}{decimal(mean)} of {people} to be unique ({share(part)})"
    sentence = _FAR_OFF if rough else "Each of them can be told from everyone else in the group by this alone."
    if prediction.quantiles is not None:
        low, _, high = prediction.quantiles
        sentence = f"In nine groups of ten there are between {count(low)} and {count(high)}. {sentence}"
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
        "Sets of people with the same value",
        ("set size", "sets, mean", "people in them", "from kappa", "error", ""),
        rows,
        left=(5,),
    )


def _spread(prediction: SingletonsPrediction) -> Paragraph:
    if prediction.quantiles is None:
        return Paragraph(f"No distribution of the number of unique people: {prediction.distribution_reason}.")
    low, middle, high = map(count, prediction.quantiles)
    sentence = f"Unique people: 5% of groups have at most {low}, half at most {middle}, 95% at most {high}"
    source = f" ({prediction.distribution_reason})" if prediction.distribution_reason is not None else " (exact)"
    error = prediction.normal_error
    normal = "" if error is None else f" The normal distribution is off by at most {chance(error)} of chance."
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
        # The first words of the formula's name: the table has to fit a terminal.
        names += [approximation.name.split(" in ")[0], "error"]
    blocks: list[Block] = _target(prediction.target, "width")
    if prediction.target is None or _is_chosen(prediction.target, prediction.widths[0].width):
        blocks.append(_width_verdict(prediction))
    caption = "unique: mean number of unique people."
    caption += " error: formula less exact." if len(names) > 4 else ""
    if any(not a.trusted for row in prediction.widths for a in row.mean.approximations):
        caption += " *: wider than the formula is made for, or off by more than 10%."
    if any(row.mean.exact is None for row in prediction.widths):
        caption += " Simulated where there are too many intervals to list."
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
        note = "The mean of the attribute is not given: figures are averaged over where the grid may lie."
        blocks.append(Items("Where the grid lies", (note, *spans)))
    return [*blocks, Paragraph(f"People draw from: {prediction.label}."), Items("Assumed", _ASSUMED)]


def _groups_by_width(prediction: WidthPrediction) -> list[Block]:
    """Return the shares of people in groups of 2 and 3 at each width (S2 6.3.1)."""
    rows = []
    for row in prediction.widths:
        for size in row.sizes[1:]:
            cells = [_width(row.width), count(size.j), decimal(size.sets.value), chance(size.share.value)]
            # The formula of the highest order: the others are in the JSON.
            for rough in size.share.approximations[-1:]:
                cells += [_as_share(rough.value), _mark(signed(rough.error, as_share=True), rough.trusted)]
            rows.append(cells)
    if not rows:
        return []
    names = ("width", "group size", "groups", "people in them", "second order", "error")[: len(rows[0])]
    caption = "groups: mean number of groups of this size."
    caption += " error: formula less exact." if len(names) > 4 else ""
    if any(
        a for row in prediction.widths for size in row.sizes[1:] for a in size.share.approximations if not a.trusted
    ):
        caption += " *: wider than the formula is made for, or off by more than 10%."
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
    return Verdict(level, title, f"At width {_width(last.width)} it is {decimal(last.mean.value)}.")


def _width(width: Width) -> str:
    return " x ".join(map(_width, width)) if isinstance(width, tuple) else significant(width, 6)


@show.register
def _(prediction: GroupPrediction) -> list[Block]:
    quantity = prediction.group_size
    blocks: list[Block] = []
    if quantity.value is None:
        sentence = "Each group costs more than its unique people bring, whatever its size."
        blocks.append(Verdict(Level.WARN, "No group size is worth its cost", sentence))
    else:
        title = f"Groups of {count(nearest(quantity.value))} make most people unique for their cost"
        sentence = "Larger groups cost less a person but hide more of them."
        if prediction.unique_share is not None and prediction.gain is not None:
            sentence = (
                f"{share(prediction.unique_share)} of the people are then unique; less a cost of "
                f"{decimal(prediction.cost / quantity.value)} a person this leaves {decimal(prediction.gain)}. "
                f"{sentence}"
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
                "An average over what may be found out: the best guess says how likely the worst case is.",
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
    title = f"{suspects} leave as much open as {decimal(prediction.effective_suspects)} equally likely ones"
    lacking = bits_of(prediction.entropy_bits, prediction.max_entropy_bits)
    return Verdict(
        level,
        title,
        f"The attacker lacks {lacking} bits that all of them, equally likely, would hide: a degree of anonymity of "
        f"{decimal(prediction.degree_of_anonymity)}. The best guess is right with chance "
        f"{chance(prediction.best_guess)}.",
    )


def _suspects_table(prediction: SuspectsPrediction) -> TableBlock:
    rows = [
        ["suspects", count(prediction.n_suspects)],
        ["ruled out (probability 0)", count(prediction.n_ruled_out)],
        ["entropy, bits", bits(prediction.entropy_bits)],
        ["most possible, log2 of suspects, bits", bits(prediction.max_entropy_bits)],
        ["degree of anonymity", decimal(prediction.degree_of_anonymity)],
        ["effective suspects, 2^entropy", decimal(prediction.effective_suspects)],
        ["best guess, probability", chance(prediction.best_guess)],
        ["min-entropy, bits", bits(prediction.min_entropy_bits)],
    ]
    return TableBlock("What the attacker still has to find out", ("", "value"), rows, left=(0,))


def _quantities(
    named: Sequence[tuple[str, Quantity | None]], title: str = "How it was computed", *, are_chances: bool = False
) -> TableBlock:
    """Return a table with the exact value of each quantity and its approximations below it."""
    rows: list[list[str]] = []
    rough = False
    for name, quantity in named:
        if quantity is None:
            continue
        text = _as_chance(quantity.exact, quantity.log10) if are_chances else decimal(quantity.exact)
        if quantity.estimate is not None:
            text = f"{decimal(quantity.estimate)} ({decimal(quantity.low)} to {decimal(quantity.high)})"
        how = "exact" if quantity.exact is not None else f"not exact: {quantity.reason}"
        rows.append([name, how, text, "", ""])
        for approximation in quantity.approximations:
            shown = _as_chance(approximation.value) if are_chances else decimal(approximation.value)
            mark = "" if approximation.trusted else "rough"
            rough = rough or not approximation.trusted
            rows.append(["", approximation.name, shown, signed(approximation.error, as_share=are_chances), mark])
    return TableBlock(
        title,
        ("", "how", "value", "error", ""),
        rows,
        left=(0, 1, 4),
        caption=_ROUGH if rough else "error: formula less exact.",
    )


def _as_chance(value: float | None, log10: float | None = None) -> str:
    if value is not None and (value < 0 or value > 1):
        return significant(value, 3)
    return chance(value, log10)


def _as_share(value: float) -> str:
    """Return a share as a formula gives it, also where it is impossible."""
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
        blocks.append(Verdict(Level.GOOD, f"{target.text} holds for {about}{_ranges(target.ranges)}", sentence))
    elif target.chosen is not None:
        most = ("from", " on", "narrowest") if target.protects else ("up to", "", "widest")
        title = f"{target.text} holds {most[0]} width {target.chosen}{most[1]}"
        sentence = f"It is the {most[2]} that meets the target."
        if what != "width":
            title = f"{target.text} is met by {target.chosen}"
            sentence = f"It is the {'finest' if target.protects else 'coarsest'} view that meets the target."
            if _misses(target):
                sentence += f" Name it in --distribution to see its figures: FILE:{target.chosen}."
        blocks.append(Verdict(Level.GOOD, title, sentence))
    elif target.meets is not None:
        level = Level.GOOD if target.meets else Level.WARN
        outcome = "is met" if target.meets else "is not met"
        sentence = "Leave --k out to see for which numbers of people it is."
        sentence += "" if target.exact else f" {_TARGET_FROM_KAPPA}"
        blocks.append(Verdict(level, f"{target.text} {outcome}", sentence))
    if target.options and target.chosen is not None:
        rows = [
            [name, decimal(value) if value > 1 else chance(value), "yes" if met else "no"]
            for name, value, met in target.options
        ]
        blocks.append(TableBlock("What was tried", (what, "figure", "meets it"), rows, left=(0, 2)))
    return blocks


def _ranges(ranges: Sequence[tuple[int, float]]) -> str:
    parts = []
    for low, high in ranges:
        if high == low:
            parts.append(f"k = {count(low)}")
        else:
            parts.append(
                f"k from {count(low)} on" if math.isinf(high) else f"k from {count(low)} to {count(int(high))}"
            )
    return " and ".join(parts)


def _for_all(ranges: Sequence[tuple[int, float]]) -> str:
    low, high = ranges[-1]
    if math.isinf(high):
        return f"{count(low)} is the smallest such group; every larger one meets it, too."
    return f"{count(int(high))} is the largest group that meets it."


def _drawn(prediction: UniquenessPrediction | SingletonsPrediction | GroupPrediction) -> Paragraph:
    kappa = "" if prediction.kappa_nats is None else f", kappa {to_places(prediction.kappa_nats, 4)} nats"
    return Paragraph(f"People draw from: {prediction.label} ({counted(prediction.n_values, 'possible value')}{kappa}).")
