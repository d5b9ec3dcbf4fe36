"""What a measurement looks like: the verdict, then why, then what was not assessed and what to do next."""

from __future__ import annotations

from idbits.counts import Value
from idbits.render.blocks import Block, Code, Command, Heading, Items, Paragraph, TableBlock
from idbits.render.numbers import bits, count, decimal, share, significant, to_places, whole
from idbits.studies.measure.explain import Explanation
from idbits.studies.measure.people_text import (
    KNOWN,
    attackers_table,
    household_sentence,
    household_table,
    people_blocks,
    people_remarks,
)
from idbits.studies.measure.result import Groups, Measurement, Measurements, Population, Suppression, Values
from idbits.studies.measure.verdict import verdict
from idbits.studies.shared.figures import Figures, MainFigures
from idbits.studies.shared.presentation import show
from idbits.studies.shared.units import Unit
from idbits.wording import counted, counted_people, joined

__all__ = [
    "KNOWN", "attackers_table", "household_sentence", "household_table", "not_assessed", "people_remarks",
    "population_words", "verdict",
]  # fmt: skip

_SHOWN_VALUES = 25
_SHOWN_GROUPS = 40
_NEXT = "Next"
_UNNAMED = "Categories of fewer than 10 {unit} share one row, with others if needed to hide which is which."


@show.register
def _(measurement: Measurement) -> list[Block]:
    blocks: list[Block] = [
        verdict(measurement),
        *([Paragraph(measurement.chosen.sentence)] if measurement.chosen is not None else []),
        *people_blocks(measurement),
        _columns(measurement),
        _exposed(measurement),
        _gain(measurement.figures, measurement.unit),
    ]
    blocks += _requested(measurement)
    blocks.append(_more(measurement))
    blocks += [_added(measurement)] if measurement.added else []
    blocks.append(Items("Not assessed", not_assessed(measurement)))
    if measurement.next_command is not None:
        blocks.append(Command(_NEXT, measurement.next_command))
    return blocks


def _added(measurement: Measurement) -> TableBlock:
    unit = measurement.unit
    rest = len(measurement.beside.may_be_known) - len(measurement.added)
    more = f" {counted(rest, 'more column')} may be known." if rest > 0 else ""
    return TableBlock(
        "If someone knows one more column",
        ("with", "unique", f"unique {unit}"),
        [[row.column, share(row.share), count(row.singletons)] for row in measurement.added],
        caption=f"These columns are in the table and may be known, but were not measured.{more}",
    )


def _requested(measurement: Measurement) -> list[Block]:
    """Return the blocks that only some options add."""
    blocks: list[Block] = []
    if measurement.population is not None:
        blocks.append(Paragraph(population_words(measurement.population)))
    if measurement.suppression is not None:
        blocks.append(_suppression(measurement.suppression, measurement.unit))
    if measurement.groups is not None:
        blocks.append(_groups(measurement.groups, measurement.figures, measurement.unit))
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
    sentences = []
    if quantiles is not None:
        half, most = bits(quantiles["p50"]), bits(quantiles["max"])
        unit = measurement.unit
        sentences.append(f"Half of the {unit} give away at least {half} bits, the most exposed {unit} {most} bits.")
    if figures.degree_of_anonymity is not None:
        degree = decimal(figures.degree_of_anonymity)
        everyone = measurement.unit.everyone
        sentences.append(f"Degree of anonymity {degree} (0: {everyone} is unique, 1: {everyone} has the same values).")
    if figures.kappa_nats is not None and figures.n_values is not None:
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
    unit = measurements[0].unit
    requested: list[Block] = []
    for label, measurement in zip(labels, measurements, strict=True):
        extra = _requested(measurement)
        requested += [Heading(label), *extra] if extra else []
    return [
        verdict(worst),
        TableBlock("What each combination of columns gives away", ("columns", *_summary_names(unit)), bits_rows),
        TableBlock(
            f"Sizes of the groups of {unit} with the same values", ("columns", "groups", *_SIZE_NAMES), size_rows
        ),
        TableBlock(
            f"{unit.capitalize()} in small groups",
            ("columns", *("unique" if k == "1" else f"up to {k}" for k in thresholds)),
            people_rows,
            caption=f"up to 5: {unit} in groups of at most 5.",
        ),
        *requested,
        Items("Not assessed", not_assessed(measurements[0])),
        *([Command(_NEXT, worst.next_command)] if worst.next_command is not None else []),
    ]


@show.register
def _(explanation: Explanation) -> list[Block]:
    return [Code(statement.reason, statement.sql + ";") for statement in explanation.statements]


_SIZE_NAMES = ("min", "q1", "median", "mean", "q3", "max")


def _summary_names(unit: Unit) -> tuple[str, ...]:
    return ("bits", "unique", "below 5", "smallest group", "typical group", "forced", f"unique {unit}")


def _summary(figures: MainFigures) -> list[str]:
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
    if sizes is None:
        return ["-"] * len(_SIZE_NAMES)
    return [
        count(sizes.min), decimal(sizes.q1), decimal(sizes.median), decimal(sizes.mean), decimal(sizes.q3),
        count(sizes.max),
    ]  # fmt: skip


def _columns(measurement: Measurement) -> TableBlock:
    rows = [[name, *_summary(figures)] for name, figures in measurement.columns]
    if len(measurement.columns) > 1:
        rows.append(["together", *_summary(measurement.figures)])
    most, unit = measurement.figures.max_entropy_bits, measurement.unit
    return TableBlock(
        "What the columns give away",
        ("column", *_summary_names(unit)),
        rows,
        caption=f"{bits(most)} bits single out {unit.everyone}. unique: {unit.nobody_else} has these values. below 5: "
        f"{unit} in groups smaller than 5. typical group: k-hat. forced: unique {unit} implied by the entropy alone.",
        emphasis=(len(rows) - 1,) if len(rows) > 1 else (),
    )


def _exposed(measurement: Measurement) -> TableBlock:
    figures, unit = measurement.figures, measurement.unit
    ranges = [
        (unit.nobody_else, 1, 1), (f"1 other {unit.singular}", 2, 2), ("2 to 3 others", 3, 4), ("4 to 8 others", 5, 9),
        ("9 or more others", 10, None),
    ]  # fmt: skip
    rows = []
    for words, least, most in ranges:
        people = figures.people_between(least, most)
        sizes = f"{least}" if least == most else f"{least} to {most}" if most else f"{least} or more"
        rows.append([words, sizes, count(people), share(figures.share(people))])
    whole = " Groups are those of the whole table, not of each category." if measurement.groups is not None else ""
    risk = "journalist" if measurement.population is not None else "marketer"
    names = "" if measurement.population is not None else " (prosecutor risk)"
    return TableBlock(
        "Who is most exposed" if unit is Unit.PEOPLE else f"Which {unit} are most exposed",
        ("same values as", "group size", str(unit), "share"),
        rows,
        caption=f"A guess within the right group is correct {share(figures.mean_risk)} of the time on average "
        f"({risk} risk), {share(figures.max_risk)} at most{names}.{whole}",
    )


def _gain(figures: Figures, unit: Unit) -> TableBlock:
    rows = [[str(row.bits), count(row.people), share(row.share)] for row in figures.gain_table]
    # Rows at both ends with nobody or with everyone add nothing.
    first = next((i for i, row in enumerate(figures.gain_table) if row.people), 0)
    last = next((i for i, row in enumerate(figures.gain_table) if row.share == 1), len(rows) - 1)
    return TableBlock(
        f"How many {unit} give away at least this many bits",
        ("bits", str(unit), "share"),
        rows[first : last + 1],
        left=(),
    )


def population_words(population: Population) -> str:
    """Say in which population the group sizes are counted."""
    text = f"Group sizes are counted in the population of {counted_people(population.n_people)}."
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


def _suppression(suppression: Suppression, unit: Unit) -> Block:
    head = (
        f"Withholding groups smaller than {suppression.threshold} removes {unit.counted(suppression.withheld_people)} "
        f"({share(suppression.share)}) in {counted(suppression.withheld_sets, 'group')}"
    )
    if suppression.remaining is None:
        return Paragraph(f"{head}: {unit.nobody.lower()} is left.")
    left = suppression.remaining
    return TableBlock(
        f"{head}. What remains:",
        (str(unit), "bits", "smallest group", "typical group", "groups"),
        [[count(left.n_people), bits(left.entropy_bits), count(left.k_min), decimal(left.k_hat), count(left.n_sets)]],
        left=(),
    )


def _groups(groups: Groups, overall: Figures, unit: Unit) -> TableBlock:
    rows = []
    # The row of categories that may not be named comes first: its people are the most exposed.
    for group in sorted(groups.rows, key=lambda group: not group.folded)[:_SHOWN_GROUPS]:
        name = f"{_categories(group.n_groups)} without a name" if group.folded else _shown(group.label)
        rows.append([name, count(group.figures.n_people), bits(group.figures.entropy_bits),
                     share(group.figures.share(group.figures.singletons)), *_sizes(group.figures)])  # fmt: skip
    rows.append(["overall", count(overall.n_people), bits(overall.entropy_bits),
                 share(overall.share(overall.singletons)), *_sizes(overall)])  # fmt: skip
    hidden = len(groups.rows) - _SHOWN_GROUPS
    more = f" {_categories(hidden, ' more')} in --json." if hidden > 0 else ""
    correlation = groups.size_median_correlation
    together = (
        f" The correlation between category size and median group size is {to_places(correlation, 2)}."
        if correlation is not None
        else ""
    )
    unnamed = f" {_UNNAMED.format(unit=unit)}" if any(group.folded for group in groups.rows) else ""
    return TableBlock(
        f"Group sizes within each {groups.by}",
        (groups.by, str(unit), "bits", "unique", *_SIZE_NAMES),
        rows,
        caption=f"Groups are formed within each category; the smallest median comes first.{_overlap(groups)}{unnamed}"
        f"{together}{more}",
        emphasis=(len(rows) - 1,),
    )


def _overlap(groups: Groups) -> str:
    if not groups.people_in_several:
        return ""
    people = counted_people(groups.people_in_several)
    return (
        f" {people} with rows in several categories {'counts' if groups.people_in_several == 1 else 'count'} in each."
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
    rows.append(
        ["sum", *blank, count(measurement.figures.n_people), "", to_places(measurement.figures.entropy_bits, 6)]
    )
    return TableBlock(
        title,
        (*measurement.qid, str(measurement.unit), "bits", "part of entropy"),
        rows,
        left=tuple(range(width)),
        emphasis=(len(rows) - 1,),
    )


def _shown(value: Value) -> str:
    return "(missing value)" if value is None else value


def not_assessed(measurement: Measurement, *, is_known_sample: bool = False) -> tuple[str, ...]:
    """Say what the figures do not cover; ``is_known_sample`` if the population is estimated beside them."""
    sentences = []
    if measurement.filtered:
        sentences.append("Rows that the filter excludes (--where).")
    if measurement.narrowed:
        sentences.append("Columns that --columns excludes: each one that someone knows adds bits.")
    others = measurement.n_other_columns - len(measurement.added)
    if others > 0:
        known = "if someone knows it, it adds bits" if others == 1 else "each one that someone knows adds bits"
        sentences.append(f"{counted(others, 'other column')} of the table: {known}.")
    if measurement.unit is not Unit.PEOPLE:
        sentences.append(measurement.unit.unknown_people)
    if measurement.people is not None and measurement.people.has_several_rows and not measurement.people.multiset:
        sentences.append("The order of a person's records, and how often the same record occurs.")
    if measurement.count is not None:
        sentences.append("Whether rows are totals or count the same people every year: such people count twice.")
    if measurement.population is None and not is_known_sample:
        sentences.append(
            "Whether the table is a sample: others outside the table may share these values. If it is one, idbits "
            "population estimates who is unique in the population (--people N says how many people that is)."
        )
    nulls = {name: people for name, people in measurement.nulls.items() if people}
    if nulls:
        counts = joined(f"{name} {count(people)}" for name, people in nulls.items())
        sentences.append(f"What the missing values are: they count as one value ({counts}).")
    sentences.append("Guesses from similar values, and what other columns reveal about people once they are found.")
    return tuple(sentences)
