"""Predictions as text: the answer in one sentence, then how it was computed, then the assumptions."""

from __future__ import annotations

import math

from idbits.render.blocks import Block, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, bits_of, chance, count, decimal, nearest, odds, share, signed, to_places
from idbits.studies.predict import text_widths
from idbits.studies.predict.result import (
    ONE_SUSPECT,
    GroupPrediction,
    Quantity,
    SingletonsPrediction,
    SuspectsPrediction,
    UniquenessPrediction,
)
from idbits.studies.predict.text_parts import (
    ASSUMED,
    as_share,
    misses_target,
    quantities_table,
    target_blocks,
    unique_level,
    unique_title,
)
from idbits.studies.shared.presentation import show
from idbits.wording import counted

# Predictions by width register themselves there.
__all__ = ["text_widths"]

_FAR_OFF = "This may be far off: it is an approximation whose conditions are not met here."

_LIKELY, _CERTAIN = 0.5, 0.9
# Two sums of the same terms in another order differ by less.
_NO_LESS = 1 - 1e-9
# Any chance below what a float can hold.
_TINY = 1e-300


@show.register
def _(prediction: UniquenessPrediction) -> list[Block]:
    blocks: list[Block] = target_blocks(prediction.target)
    quantity, k = prediction.probability, prediction.k
    if quantity is not None and k is not None and not misses_target(prediction.target):
        sentence = _one_person(quantity) if k == 1 else _everyone_unique(k, quantity, prediction.n_values)
        blocks.append(_people_verdict(prediction, k, sentence))
        blocks.append(quantities_table([("unique people, mean", prediction.mean)], "Number of unique people"))
        blocks.append(quantities_table([("all unique", quantity)], "Chance that everyone is unique", are_chances=True))
        blocks += _dropping(prediction)
    return [*blocks, _drawn(prediction), Items("Assumed", ASSUMED)]


def _everyone_unique(k: int, quantity: Quantity, n_values: int) -> str:
    """Return the chance that all people are unique, in a sentence."""
    if k > n_values:
        verb = "is" if n_values == 1 else "are"
        return f"There {verb} only {counted(n_values, 'value')}, so at least two people must share one."
    if quantity.is_rough:
        return "The chance that all of them are unique cannot be determined from kappa here."
    about = "" if quantity.exact is not None else "about "
    # An exact chance may be too small for a float.
    value = quantity.value or (_TINY if quantity.log10 is not None and math.isfinite(quantity.log10) else 0.0)
    return f"The chance that all {count(k)} of them are unique is {about}{odds(value)}."


def _one_person(figure: Quantity | None) -> str:
    if figure is None or figure.exact is not None:
        return "A single person is always unique."
    return "This approximation is not made for one person, who is always unique."


@show.register
def _(prediction: SingletonsPrediction) -> list[Block]:
    blocks: list[Block] = target_blocks(prediction.target)
    k = prediction.k
    if k is not None and not misses_target(prediction.target):
        blocks.append(_people_verdict(prediction, k, _singletons_sentence(prediction)))
        people = [("unique people, mean", prediction.mean), ("variance", prediction.variance)]
        blocks.append(quantities_table(people, "Number of unique people"))
        chances = [("nobody is unique", prediction.none), ("somebody is unique", prediction.somebody)]
        blocks.append(quantities_table(chances, "Chance that somebody is unique", are_chances=True))
        blocks.append(_sizes(prediction))
        blocks.append(_spread(prediction))
        blocks += _dropping(prediction)
    return [*blocks, _drawn(prediction), Items("Assumed", ASSUMED)]


def _singletons_sentence(prediction: SingletonsPrediction) -> str:
    if prediction.k == 1:
        return _one_person(prediction.mean)
    sentence = "A unique person shares their value with nobody else."
    if prediction.quantiles is None:
        return sentence
    low, _, high = prediction.quantiles
    span = f"between {count(low)} and {count(high)}" if low < high else count(low)
    return f"In at least nine cases out of ten, the number is {span}. {sentence}"


def _people_verdict(prediction: UniquenessPrediction | SingletonsPrediction, k: int, sentence: str) -> Verdict:
    """Return how many people will be unique and which column to drop, with a sentence between them."""
    quantity = prediction.mean
    assert quantity is not None
    mean = min(max(quantity.value or 0.0, 0.0), float(k))
    level = unique_level(mean / k)
    about = "very roughly " if quantity.is_rough else "" if quantity.exact is not None else "about "
    if k == 1:
        return Verdict(level, f"The chance that the person is unique is {about}{share(mean)}", sentence)
    sentences = [_FAR_OFF if quantity.is_rough else "", sentence, _drop_sentence(prediction, mean)]
    title = unique_title(mean, k, about)
    return Verdict(level, title[0].upper() + title[1:], " ".join(filter(None, sentences)))


def _drop_sentence(prediction: UniquenessPrediction | SingletonsPrediction, mean: float) -> str:
    if not prediction.dropping or not nearest(mean):
        return ""
    best = prediction.dropping[0]
    if best.mean >= mean * _NO_LESS:
        return "Dropping a single column does not help."
    left = f"{decimal(best.mean)} people" if nearest(10 * best.mean) else "hardly anyone"
    return f"Dropping {best.column} helps most: {left} would then be unique."


def _dropping(prediction: UniquenessPrediction | SingletonsPrediction) -> list[Block]:
    """Return the effect of dropping each column."""
    if not prediction.dropping or prediction.k is None:
        return []
    rows = [
        [drop.column, "<0.01" if 0 < drop.mean < 0.01 else decimal(drop.mean), share(drop.mean / prediction.k)]
        for drop in prediction.dropping
    ]
    caption = "unique: mean number of unique people without this column, exact."
    return [TableBlock("Effect of dropping a column", ("column", "unique", "share"), rows, left=(0,), caption=caption)]


def _sizes(prediction: SingletonsPrediction) -> TableBlock:
    rows = []
    for size in prediction.sizes:
        rough = size.share.approximations[0]
        rows.append(
            [
                count(size.j),
                decimal(size.sets.value),
                chance(size.share.exact),
                as_share(rough.value),
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
        blocks.append(quantities_table([("group size", quantity)]))
    return [*blocks, _drawn(prediction), Items("Assumed", ASSUMED)]


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


def _drawn(prediction: UniquenessPrediction | SingletonsPrediction | GroupPrediction) -> Paragraph:
    kappa = "" if prediction.kappa_nats is None else f", kappa {to_places(prediction.kappa_nats, 4)} nats"
    return Paragraph(f"Distribution: {prediction.label} ({counted(prediction.n_values, 'possible value')}{kappa}).")
