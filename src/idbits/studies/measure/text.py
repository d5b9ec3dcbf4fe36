"""What a measurement looks like: the verdict, then why, then what was not assessed and what to do next."""

from __future__ import annotations

from idbits.counts import Value
from idbits.render.blocks import Block, Code, Command, Heading, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, bits_of, count, decimal, share, significant, to_places, whole
from idbits.studies.measure.explain import Explanation
from idbits.studies.measure.result import Groups, Measurement, Measurements, Population, Suppression, Values
from idbits.studies.shared.figures import MANY_UNIQUE, SMALL_GROUP, Figures
from idbits.studies.shared.presentation import show
from idbits.wording import counted, joined

__all__ = ["not_assessed", "population_words", "verdict"]

_SHOWN_VALUES = 25
_SHOWN_GROUPS = 40
_NEXT = "Next"
_UNNAMED = "Categories of fewer than 10 people share one row, with others if needed to hide which is which."


@show.register
def _(measurement: Measurement) -> list[Block]:
    blocks: list[Block] = [
        verdict(measurement),
        _columns(measurement),
        _exposed(measurement),
        _gain(measurement.figures),
    ]
    blocks += _requested(measurement)
    blocks.append(_more(measurement))
    blocks.append(Items("Not assessed", not_assessed(measurement)))
    if measurement.next_command is not None:
        blocks.append(Command(_NEXT, measurement.next_command))
    return blocks


def _requested(measurement: Measurement) -> list[Block]:
    """Return the blocks that only some options add."""
    blocks: list[Block] = []
    if measurement.population is not None:
        blocks.append(Paragraph(population_words(measurement.population)))
    if measurement.suppression is not None:
        blocks.append(_suppression(measurement.suppression))
    if measurement.groups is not None:
        blocks.append(_groups(measurement.groups, measurement.figures))
    if measurement.values is not None:
        blocks.append(_values(measurement.values, measurement, "Values, most frequent first"))
    if measurement.exposed is not None:
        blocks.append(_values(measurement.exposed, measurement, "The rarest values"))
    if measurement.internal:
        blocks.append(
            Paragraph("INTERNAL: this answer shows values that few people have (--reveal). Do not pass it on.")
        )
    return blocks


def _more(measurement: Measurement) -> Paragraph:
    figures = measurement.figures
    quantiles = figures.bits_quantiles
    half, most = bits(quantiles["p50"]), bits(quantiles["max"])
    sentences = [f"Half of the people give away at least {half} bits, the most exposed people {most} bits."]
    if figures.degree_of_anonymity is not None:
        degree = decimal(figures.degree_of_anonymity)
        sentences.append(f"Degree of anonymity {degree} (0: everyone is unique, 1: everyone has the same values).")
    if figures.kappa_nats is not None:
        possible = counted(figures.n_values, "possible value")
        sentences.append(f"Unevenness kappa {to_places(figures.kappa_nats, 4)} nats over {possible}.")
    return Paragraph(" ".join(sentences))


@show.register
def _(measurements: Measurements) -> list[Block]:
    worst = max(
        measurements, key=lambda measurement: (measurement.figures.singletons, measurement.figures.entropy_bits)
    )
    labels = [" + ".join(measurement.qid) for measurement in measurements]
    figures = [measurement.figures for measurement in measurements]
    bits_rows = [[label, *_summary(item)] for label, item in zip(labels, figures, strict=True)]
    size_rows = [[label, count(item.n_sets), *_sizes(item)] for label, item in zip(labels, figures, strict=True)]
    thresholds = list(figures[0].people_at_most)
    people_rows = [
        [label, *(count(item.people_at_most[k]) for k in thresholds)]
        for label, item in zip(labels, figures, strict=True)
    ]
    requested: list[Block] = []
    for label, measurement in zip(labels, measurements, strict=True):
        extra = _requested(measurement)
        requested += [Heading(label), *extra] if extra else []
    return [
        verdict(worst),
        TableBlock("What each combination of columns gives away", ("columns", *_SUMMARY_NAMES), bits_rows),
        TableBlock(
            "Sizes of the groups of people with the same values", ("columns", "groups", *_SIZE_NAMES), size_rows
        ),
        TableBlock(
            "People in small groups",
            ("columns", *("unique" if k == "1" else f"up to {k}" for k in thresholds)),
            people_rows,
            caption="up to 5: people in groups of at most 5.",
        ),
        *requested,
        Items("Not assessed", not_assessed(measurements[0])),
        *([Command(_NEXT, worst.next_command)] if worst.next_command is not None else []),
    ]


@show.register
def _(explanation: Explanation) -> list[Block]:
    return [Code(statement.reason, statement.sql + ";") for statement in explanation.statements]


_SUMMARY_NAMES = ("bits", "unique", "below 5", "smallest group", "typical group", "forced", "unique people")
_SIZE_NAMES = ("min", "q1", "median", "mean", "q3", "max")


def _summary(figures: Figures) -> list[str]:
    return [
        bits(figures.entropy_bits),
        share(figures.share(figures.singletons)),
        count(figures.people_below["5"]),
        count(figures.k_min),
        decimal(figures.k_hat),
        whole(figures.guaranteed_singletons),
        count(figures.singletons),
    ]


def _sizes(figures: Figures) -> list[str]:
    sizes = figures.set_sizes
    return [
        count(sizes.min), decimal(sizes.q1), decimal(sizes.median), decimal(sizes.mean), decimal(sizes.q3),
        count(sizes.max),
    ]  # fmt: skip


def _columns(measurement: Measurement) -> TableBlock:
    rows = [[name, *_summary(figures)] for name, figures in measurement.columns]
    if len(measurement.columns) > 1:
        rows.append(["together", *_summary(measurement.figures)])
    most = measurement.figures.max_entropy_bits
    return TableBlock(
        "What the columns give away",
        ("column", *_SUMMARY_NAMES),
        rows,
        caption=f"{bits(most)} bits single out everyone. unique: nobody else has these values. below 5: people in "
        "groups smaller than 5. typical group: k-hat. forced: unique people implied by the entropy alone.",
        emphasis=(len(rows) - 1,) if len(rows) > 1 else (),
    )


def _exposed(measurement: Measurement) -> TableBlock:
    figures = measurement.figures
    ranges = [("nobody else", 1, 1), ("1 other person", 2, 2), ("2 to 3 others", 3, 4), ("4 to 8 others", 5, 9),
              ("9 or more others", 10, None)]  # fmt: skip
    rows = []
    for words, least, most in ranges:
        people = figures.people_between(least, most)
        sizes = f"{least}" if least == most else f"{least} to {most}" if most else f"{least} or more"
        rows.append([words, sizes, count(people), share(figures.share(people))])
    whole = " Groups are those of the whole table, not of each category." if measurement.groups is not None else ""
    risk = "journalist" if measurement.population is not None else "marketer"
    names = "" if measurement.population is not None else " (prosecutor risk)"
    return TableBlock(
        "Who is most exposed",
        ("same values as", "group size", "people", "share"),
        rows,
        caption=f"A guess within the right group is correct {share(figures.mean_risk)} of the time on average "
        f"({risk} risk), {share(figures.max_risk)} at most{names}.{whole}",
    )


def _gain(figures: Figures) -> TableBlock:
    rows = [[str(row.bits), count(row.people), share(row.share)] for row in figures.gain_table]
    # Rows at both ends with nobody or with everyone add nothing.
    first = next((i for i, row in enumerate(figures.gain_table) if row.people), 0)
    last = next((i for i, row in enumerate(figures.gain_table) if row.people == figures.n_rows), len(rows) - 1)
    return TableBlock(
        "How many people give away at least this many bits",
        ("bits", "people", "share"),
        rows[first : last + 1],
        left=(),
    )


def population_words(population: Population) -> str:
    """Say in which population the group sizes are counted."""
    text = f"Group sizes are counted in the population of {count(population.n_people)} people."
    if population.unbounded_people:
        text += (
            f" It lacks {counted(population.unbounded_values, 'value')} of the release "
            f"({counted(population.unbounded_people, 'record')}): their bits are unbounded, and no other figure "
            "includes them."
        )
    if population.overfull_values:
        text += (
            f" It has fewer people than the release for {counted(population.overfull_values, 'value')}:"
            " the population does not contain this release."
        )
    return text


def _suppression(suppression: Suppression) -> Block:
    head = (
        f"Withholding groups smaller than {suppression.threshold} removes {count(suppression.withheld_people)} "
        f"people ({share(suppression.share)}) in {counted(suppression.withheld_sets, 'group')}"
    )
    if suppression.remaining is None:
        return Paragraph(f"{head}: nobody is left.")
    left = suppression.remaining
    return TableBlock(
        f"{head}. What remains:",
        ("people", "bits", "smallest group", "typical group", "groups"),
        [[count(left.n_rows), bits(left.entropy_bits), count(left.k_min), decimal(left.k_hat), count(left.n_sets)]],
        left=(),
    )


def _groups(groups: Groups, overall: Figures) -> TableBlock:
    rows = []
    # The row of categories that may not be named comes first: its people are the most exposed.
    for group in sorted(groups.rows, key=lambda group: not group.folded)[:_SHOWN_GROUPS]:
        name = f"{_categories(group.n_groups)} without a name" if group.folded else _shown(group.label)
        rows.append([name, count(group.figures.n_rows), bits(group.figures.entropy_bits),
                     share(group.figures.share(group.figures.singletons)), *_sizes(group.figures)])  # fmt: skip
    rows.append(["overall", count(overall.n_rows), bits(overall.entropy_bits),
                 share(overall.share(overall.singletons)), *_sizes(overall)])  # fmt: skip
    hidden = len(groups.rows) - _SHOWN_GROUPS
    more = f" {_categories(hidden, ' more')} in --json." if hidden > 0 else ""
    correlation = groups.size_median_correlation
    together = (
        f" The correlation between category size and median group size is {to_places(correlation, 2)}."
        if correlation is not None
        else ""
    )
    unnamed = f" {_UNNAMED}" if any(group.folded for group in groups.rows) else ""
    return TableBlock(
        f"Group sizes within each {groups.by}",
        (groups.by, "people", "bits", "unique", *_SIZE_NAMES),
        rows,
        caption=f"Groups are formed within each category; the smallest median comes first.{unnamed}{together}{more}",
        emphasis=(len(rows) - 1,),
    )


def _categories(number: int, more: str = "") -> str:
    return f"{number:,}{more} {'category' if number == 1 else 'categories'}"


def _values(values: Values, measurement: Measurement, title: str) -> TableBlock:
    width = len(measurement.qid)
    rows = [
        [*map(_shown, row.value), count(row.people), to_places(row.bits, 4), significant(row.entropy_bits)]
        for row in values.rows[:_SHOWN_VALUES]
    ]
    hidden = values.rows[_SHOWN_VALUES:]
    blank = [""] * (width - 1)
    if hidden:
        people = sum(row.people for row in hidden)
        part = sum(row.entropy_bits for row in hidden)
        rows.append([f"{len(hidden):,} more values (in --json)", *blank, count(people), "", significant(part)])
    if values.folded_values:
        what = f"{values.folded_values:,} other values"
        rows.append([what, *blank, count(values.folded_people), "", significant(values.folded_entropy_bits)])
    rows.append(["sum", *blank, count(measurement.figures.n_rows), "", to_places(measurement.figures.entropy_bits, 6)])
    return TableBlock(
        title,
        (*measurement.qid, "people", "bits", "part of entropy"),
        rows,
        left=tuple(range(width)),
        emphasis=(len(rows) - 1,),
    )


def _shown(value: Value) -> str:
    return "(missing value)" if value is None else value


def not_assessed(measurement: Measurement) -> tuple[str, ...]:
    """Say what the figures do not cover."""
    sentences = []
    if measurement.filtered:
        sentences.append("Rows that the filter excludes (--where).")
    if measurement.narrowed:
        sentences.append("Columns that --columns excludes: each one that someone knows adds bits.")
    if measurement.n_other_columns:
        others = measurement.n_other_columns
        known = "if someone knows it, it adds bits" if others == 1 else "each one that someone knows adds bits"
        sentences.append(f"{counted(others, 'other column')} of the table: {known}.")
    if measurement.person is None and measurement.count is None:
        sentences.append("We assumed one row per person (--person names the column that identifies people).")
    if measurement.count is not None:
        sentences.append("Whether rows are totals or count the same people every year: such people count twice.")
    if measurement.population is None:
        sentences.append(
            "Whether the table is a sample: others outside the table may share these values (see --population)."
        )
    nulls = {name: people for name, people in measurement.nulls.items() if people}
    if nulls:
        counts = joined(f"{name} {count(people)}" for name, people in nulls.items())
        sentences.append(f"What the missing values are: they count as one value ({counts}).")
    sentences.append("Guesses from similar values, and what other columns reveal about people once they are found.")
    return tuple(sentences)


def verdict(measurement: Measurement) -> Verdict:
    """Say whether the columns single people out, including unbounded records and unique people within categories."""
    figures, population = measurement.figures, measurement.population
    columns = joined(measurement.qid)
    where = " in the population" if population is not None else ""
    subject = "Together these columns give" if len(measurement.qid) > 1 else "This column gives"
    away = f"away {bits_of(figures.entropy_bits, figures.max_entropy_bits)} bits that single out everyone."
    gives = f"{subject} {away}"
    if population is not None and population.unbounded_people:
        records = counted(population.unbounded_people, "record")
        sentence = (
            f"Nobody in the population has the values of {records} of the release: their bits are unbounded. "
            f"{'The other one gives' if figures.n_rows == 1 else 'The others give'} {away}"
        )
        return Verdict(Level.BAD, "Do not hand this over as it is", sentence)
    alone, small = figures.singletons, figures.people_below[str(SMALL_GROUP)]
    groups = measurement.groups
    within = groups.singletons if groups is not None else 0
    if alone or within:
        title, level = _ALONE[figures.share(max(alone, within)) >= MANY_UNIQUE]
        places = [f"{_some(alone, figures)} unique{where} with their {columns}."] if alone else []
        if groups is not None and within > alone:
            places.append(f"{_some(within, figures)} unique with their {columns} within their {groups.by}.")
        return Verdict(level, title, " ".join([*places, gives]))
    small_within = groups.people_below(str(SMALL_GROUP)) if groups is not None else 0
    if small or small_within:
        in_group = f"in a group smaller than {SMALL_GROUP} with the same {columns}"
        places = [f"Nobody is unique{where}, but {_some(small, figures)} {in_group}."] if small else []
        if groups is not None and small_within > small:
            nobody = "" if small else "Nobody is unique, but "
            places.append(f"{nobody}{_some(small_within, figures)} {in_group} within their {groups.by}.")
        return Verdict(Level.WARN, "Some people are in very small groups", " ".join([*places, gives]))
    sentence = (
        f"Everyone in the table ({count(figures.n_rows)}) shares their {columns} with at least "
        f"{counted(figures.k_min - 1, 'other')}{where}. {gives}"
    )
    return Verdict(Level.GOOD, "Nobody stands out with these columns", sentence)


_ALONE = {True: ("Do not hand this over as it is", Level.BAD), False: ("Some people can be singled out", Level.WARN)}


def _some(people: int, figures: Figures) -> str:
    verb = "is" if people == 1 else "are"
    return f"{count(people)} of {count(figures.n_rows)} people ({share(figures.share(people))}) {verb}"
