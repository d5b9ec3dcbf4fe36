"""A sample and its population as text: the verdict, the figures, how far to trust them, and what was not assessed."""

from __future__ import annotations

from collections.abc import Iterable

from idbits.measures.population.estimated import Estimated
from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import NONE, count, decimal, estimated_share, nearest, share, to_places, whole_percent
from idbits.studies.population.result import PopulationAnswer
from idbits.studies.shared.figures import MANY_UNIQUE, SMALL_GROUP
from idbits.studies.shared.presentation import show
from idbits.studies.shared.units import Unit
from idbits.wording import counted, joined

__all__ = [
    "SAMPLING_LIMITS",
    "bounds_sentence",
    "population_failures",
    "population_not_assessed",
    "population_verdict",
    "validation_sentence",
]

SAMPLING_LIMITS = (
    "Whether the sample was drawn at random from this population: people who were easier to reach, who refused, or who "
    "are not in the register it was drawn from.",
    "Values that are out of date, and errors in matching: both make people harder to find.",
)
"""What no figure of a sample covers."""

_NAMES = {
    "match_regression": "match regression",
    "local_gamma": "local gamma",
    "pitman": "Pitman",
    "pitman_arx": "Pitman as in ARX",
    "zayatz": "Zayatz",
    "snb": "negative binomial (SNB)",
    "dankar": "Dankar's rule",
    "favaro": "Favaro",
    "loglinear": "independent columns",
    "benedetti_franconi": "Benedetti-Franconi",
}
_HALF = 0.5
_FEW_IN_POPULATION = 0.1
_SMALL_FRACTION = 0.01


@show.register
def _(answer: PopulationAnswer) -> list[Block]:
    blocks: list[Block] = [population_verdict(answer), Paragraph(_figures(answer))]
    blocks += [_estimators(answer)] if any(each.pi is not None for each in answer.estimators) else []
    validation = validation_sentence(answer)
    blocks += [Paragraph(validation)] if validation else []
    bounds = bounds_sentence(answer)
    blocks += [Paragraph(bounds)] if bounds else []
    if answer.weights is not None:
        blocks.append(Paragraph(_weights(answer)))
    if answer.sizes:
        blocks.append(_sizes(answer))
    if answer.records_file is not None:
        blocks.append(
            Paragraph(f"The risk of every record is in {answer.records_file}, which is as sensitive as the data.")
        )
    blocks.append(Items("Not assessed", population_not_assessed(answer)))
    if answer.next_command is not None:
        blocks.append(Command("Next", answer.next_command))
    return blocks


def population_verdict(answer: PopulationAnswer) -> Verdict:
    """Say how many of those who are unique in the sample are unique in the population."""
    unit = answer.unit
    if answer.reason is not None:
        return Verdict(Level.UNDECIDED, f"Not estimable: {answer.reason}", _between(answer))
    if not answer.sample_uniques:
        title = f"{unit.nobody} in this sample is unique in the population"
        small = answer.small_groups
        level = Level.WARN if small else Level.GOOD
        groups = (
            f"{unit.counted(small)} {'is' if small == 1 else 'are'} in groups smaller than {SMALL_GROUP} in the sample."
            if small
            else f"{unit.everyone.capitalize()} in the sample is in a group of at least {SMALL_GROUP}."
        )
        return Verdict(level, title, groups)
    if answer.estimability == "exact":
        part = answer.sample_uniques / answer.n_rows
        title = "The sample is the whole population"
        verb = "is" if answer.sample_uniques == 1 else "are"
        sentence = f"{count(answer.sample_uniques)} of {unit.counted(answer.n_rows)} ({share(part)}) {verb} unique."
        return Verdict(Level.BAD if part >= MANY_UNIQUE else Level.WARN, title, sentence)
    pi = answer.pi
    assert pi.low is not None
    assert pi.high is not None
    if pi.high < _HALF:
        title = f"Most of the unique {unit} here are not unique in the population"
    elif pi.low > _HALF:
        title = f"Most of the unique {unit} here are unique in the population"
    else:
        ends = f"{whole_percent(pi.low)} and {whole_percent(pi.high)}"
        title = f"Between {ends} of the unique {unit} here are unique in the population"
    return Verdict(_level(answer), title, _main_sentence(answer))


def _level(answer: PopulationAnswer) -> Level:
    value, most = answer.unique_share.value, answer.uniques.high
    if value is not None and value >= MANY_UNIQUE:
        return Level.BAD
    return Level.GOOD if most is not None and most < 1 else Level.WARN


def _main_sentence(answer: PopulationAnswer) -> str:
    return (
        f"Of {_unique_here(answer)}, about {_number(answer.tau1)} are unique among the {count(answer.people)} people "
        "of the population."
    )


def _between(answer: PopulationAnswer) -> str:
    """Say what remains if nothing can be estimated."""
    pi = answer.pi
    assert pi.low is not None
    assert pi.high is not None
    return (
        f"Between {whole_percent(pi.low)} and {whole_percent(pi.high)} of the {_unique_here(answer)} are unique among "
        f"the {count(answer.people)} people of the population."
    )


def _unique_here(answer: PopulationAnswer) -> str:
    """Name those who are unique in the sample."""
    unit, number = answer.unit, answer.sample_uniques
    relative = "who" if unit is Unit.PEOPLE else "that"
    verb = "is" if number == 1 else "are"
    return f"{unit.counted(number)} {relative} {verb} unique in this sample of {count(answer.n_rows)}"


def _number(figure: Estimated) -> str:
    """Return a number of people with its interval."""
    assert figure.value is not None
    return f"{count(nearest(figure.value))} ({_ends(figure)})"


def _ends(figure: Estimated) -> str:
    assert figure.low is not None
    assert figure.high is not None
    return f"{count(nearest(figure.low))} to {count(nearest(figure.high))}"


def _share(figure: Estimated) -> str:
    """Return a share with its interval, or its interval alone."""
    assert figure.low is not None
    assert figure.high is not None
    if figure.value is None:
        return f"between {whole_percent(figure.low)} and {whole_percent(figure.high)}"
    if figure.low == figure.high:
        return share(figure.value)
    return f"{estimated_share(figure.value)} ({estimated_share(figure.low)} to {estimated_share(figure.high)})"


def _bits(figure: Estimated) -> str:
    assert figure.low is not None
    assert figure.high is not None
    ends = f"{to_places(figure.low, 1)} to {to_places(figure.high, 1)}"
    if figure.value is None:
        return f"between {ends.replace(' to ', ' and ')}"
    return to_places(figure.value, 1) if figure.low == figure.high else f"{to_places(figure.value, 1)} ({ends})"


def _figures(answer: PopulationAnswer) -> str:
    small = answer.people_below[str(SMALL_GROUP)]
    if small.value is None:
        people = f"between {_ends(small).replace(' to ', ' and ')}"
    else:
        people = f"about {_number(small)}" if small.low != small.high else count(nearest(small.value))
    sample = answer.sample
    others = [("Miller-Madow", sample.miller_madow), ("Grassberger", sample.grassberger)]
    others += [("Chao-Shen", sample.chao_shen)] if sample.chao_shen is not None else []
    listed = joined(f"{to_places(value, 1)} ({name})" for name, value in others)
    sentences = [
        f"A match to the right group, guessed within it, is right {_share(answer.correctness)} of the time.",
        f"People of the population in groups smaller than {SMALL_GROUP}: {people}. A typical group size there is "
        f"{_typical(answer.k_hat)}.",
        f"The columns give away {_bits(answer.entropy_bits)} bits in the population",
    ]
    if answer.method == "exact":
        return " ".join(sentences) + "."
    sentences[-1] += (
        f"; {to_places(sample.entropy_bits, 1)} are measured in the sample, which can show at most "
        f"{to_places(sample.max_entropy_bits, 1)}. Usual corrections of the sample's entropy, which are biased for "
        f"this question, give {listed}."
    )
    return " ".join(sentences)


def _typical(figure: Estimated) -> str:
    ends = f"{decimal(figure.low)} to {decimal(figure.high)}"
    if figure.value is None:
        return f"between {ends.replace(' to ', ' and ')}"
    return decimal(figure.value) if figure.low == figure.high else f"{decimal(figure.value)} ({ends})"


def _estimators(answer: PopulationAnswer) -> TableBlock:
    rows = []
    for each in answer.estimators:
        is_answer = each.name == answer.method and answer.reason is None and each.pi is not None
        name = _NAMES[each.name] + (" (the estimate)" if is_answer else "")
        figures = [NONE if part is None else _tenths(part) for part in (each.pi, each.unique_share, each.match)]
        rows.append([name, *figures])
    own = [each.pi for each in answer.estimators[:3] if each.pi is not None]
    caption = (
        "of uniques: how many of those unique here are unique in the population. of everyone: how many people of the "
        "population are unique. match is right: for those unique here."
    )
    if len(own) > 1:
        gap = nearest(100 * (max(own) - min(own)))
        caption += f" The first {len(own)} differ by {counted(gap, 'percentage point')}." if len(own) == 3 else ""
    for reason in dict.fromkeys(each.reason for each in answer.estimators if each.reason):
        names = [_NAMES[each.name] for each in answer.estimators if each.reason == reason]
        caption += f" No answer from {joined(names)}: {reason}."
    return TableBlock(
        "What different methods say",
        ("method", "of uniques", "of everyone", "match is right"),
        rows,
        (0,),
        caption,
    )


def validation_sentence(answer: PopulationAnswer) -> str:
    """Say how well the method did on the sample itself."""
    found = answer.validation
    if found is None:
        return ""
    unit = answer.unit
    sentence = (
        f"Tried on your own data: we kept {whole_percent(found.fraction)} of the sample and predicted that "
        f"{_tenths(found.estimate)} of its unique {unit} are unique in the whole sample; {_tenths(found.truth)} were."
    )
    if answer.validated != "validated":
        sentence += f" (The sample itself is {estimated_share(answer.fraction)} of the population.)"
    return sentence


def _tenths(part: float) -> str:
    return f"{to_places(100 * part, 1)}%"


def bounds_sentence(answer: PopulationAnswer) -> str:
    """Say what follows without any model."""
    bounds = answer.bounds
    if bounds is None or answer.estimability == "exact":
        return ""
    if not bounds.is_feasible:
        return "Without any model: nothing, because no random sample is likely to have these group sizes."
    low, high = bounds.pi
    return (
        f"Without any model: between {whole_percent(low)} and {whole_percent(high)} of them are unique in the "
        "population. Every narrower answer rests on a model."
    )


def _weights(answer: PopulationAnswer) -> str:
    weights = answer.weights
    assert weights is not None
    text = f"Each {answer.unit.singular} stands for {decimal(weights.min)} to {decimal(weights.max)} people."
    if weights.share is not None and weights.min != weights.max:
        text += f" The columns determine {whole_percent(weights.share)} of the variation of the weights."
    return text


def _sizes(answer: PopulationAnswer) -> TableBlock:
    rows = []
    for size in answer.sizes:
        figures: Iterable[float | None] = (size.unique_share, size.correctness, size.pitman_correctness)
        shown = [NONE if part is None else estimated_share(part) for part in figures]
        bits = NONE if size.entropy_bits is None else to_places(size.entropy_bits, 1)
        rows.append([count(size.people), shown[0], shown[1], bits, shown[2], "" if size.exact else "by the model"])
    return TableBlock(
        "The same people among fewer or more",
        ("people", "unique", "match is right", "bits", "Pitman", ""),
        rows,
        left=(5,),
        caption="Pitman: how often a match is right by the curve of Rocher and others (2025), from the group sizes.",
    )


def population_not_assessed(answer: PopulationAnswer) -> tuple[str, ...]:
    """Say what the estimate does not cover, and where the method is known to fail."""
    sentences = []
    if answer.filtered:
        sentences.append("Rows that the filter excludes (--where).")
    if answer.n_other_columns:
        others = counted(answer.n_other_columns, "other column")
        sentences.append(f"{others} of the table: each one that someone knows makes more people unique.")
    if answer.unit is not Unit.PEOPLE:
        sentences.append(answer.unit.unknown_people)
    nulls = {name: people for name, people in answer.nulls.items() if people}
    if nulls:
        counts = joined(f"{name} {count(people)}" for name, people in nulls.items())
        sentences.append(f"What the missing values are: they count as one value ({counts}).")
    return (*sentences, *SAMPLING_LIMITS, *population_failures(answer))


def population_failures(answer: PopulationAnswer) -> tuple[str, ...]:
    """Return where the method is known to fail, in plain words."""
    if answer.estimability == "exact" and answer.sample_uniques:
        return ()
    sentences = [
        "People who share values by construction or were drawn together (members of a household, couples, a class, "
        "waves of a panel): the share of people unique in the population is then overstated, in our trials up to "
        "threefold, and the interval is too narrow.",
        "Values that belong partly to single people and partly to groups, such as addresses: the share of people "
        "unique in the population is then understated.",
    ]
    if answer.fraction < _SMALL_FRACTION:
        sentences.append(
            "A sample of less than 1% of the population says little: in our trials some answers were far off."
        )
    if answer.pi.value is not None and answer.pi.value < _FEW_IN_POPULATION:
        sentences.append(
            "If few people are unique in the population, the estimate is too high by about 5 percentage points, and "
            "the interval misses the truth in about a third of the cases."
        )
    sentences.append("Trying the method on the sample itself reveals only some of these failures.")
    return tuple(sentences)
