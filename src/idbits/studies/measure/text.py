"""What a measurement looks like: the verdict, then why, then what was not assessed and what to do next."""

from __future__ import annotations

from idbits.counts import Value
from idbits.render.blocks import Block, Code, Command, Heading, Items, Paragraph, Table
from idbits.render.numbers import bits, count, decimal, share, whole
from idbits.studies.measure.explanation import Explanation
from idbits.studies.measure.result import Groups, Measurement, Measurements, Population, Suppression, Values
from idbits.studies.measure.verdict import verdict
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.presentation import show
from idbits.wording import counted, joined

__all__ = ["not_assessed", "population_words"]

_SHOWN_VALUES = 25
_SHOWN_GROUPS = 40
_NEXT = "Next"
_UNNAMED = "Groups of fewer than 10 people are in one row, with others if it takes them to hide which is which."


@show.register
def _(measurement: Measurement) -> list[Block]:
    blocks: list[Block] = [
        verdict(measurement),
        _columns(measurement),
        _exposed(measurement),
        _gain(measurement.figures),
    ]
    blocks += _asked_for(measurement)
    blocks.append(_more(measurement))
    blocks.append(Items("Not assessed", not_assessed(measurement)))
    if measurement.next_command is not None:
        blocks.append(Command(_NEXT, measurement.next_command))
    return blocks


def _asked_for(measurement: Measurement) -> list[Block]:
    """Return what only some options bring."""
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
        blocks.append(Paragraph("INTERNAL: this answer shows values of few people (--reveal). Do not pass it on."))
    return blocks


def _more(measurement: Measurement) -> Paragraph:
    figures = measurement.figures
    quantiles = figures.bits_quantiles
    half, most = bits(quantiles["p50"]), bits(quantiles["max"])
    sentences = [f"Half of the people give away at least {half} bits, the most exposed {most}."]
    if figures.degree_of_anonymity is not None:
        degree = decimal(figures.degree_of_anonymity)
        sentences.append(f"Degree of anonymity {degree} (0: everyone singled out, 1: nobody can be told apart).")
    if figures.kappa_nats is not None:
        sentences.append(
            f"Unevenness kappa {figures.kappa_nats:.4f} nats over {counted(figures.n_values, 'possible value')}."
        )
    return Paragraph(" ".join(sentences))


@show.register
def _(measurements: Measurements) -> list[Block]:
    worst = max(
        measurements,
        key=lambda measurement: (measurement.figures.singletons, measurement.figures.entropy_bits),
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
    asked_for: list[Block] = []
    for label, measurement in zip(labels, measurements, strict=True):
        extra = _asked_for(measurement)
        asked_for += [Heading(label), *extra] if extra else []
    return [
        verdict(worst),
        Table("What each quasi-identifier gives away", ("columns", *_SUMMARY_NAMES), bits_rows),
        Table("Sizes of the sets of people who look the same", ("columns", "sets", *_SIZE_NAMES), size_rows),
        Table(
            "People in small sets",
            ("columns", *(f"k = {k}" if k == "1" else f"k <= {k}" for k in thresholds)),
            people_rows,
            caption="k is how many people look the same; k = 1 is someone alone.",
        ),
        *asked_for,
        Items("Not assessed", not_assessed(measurements[0])),
        *([Command(_NEXT, worst.next_command)] if worst.next_command is not None else []),
    ]


@show.register
def _(explanation: Explanation) -> list[Block]:
    return [Code(statement.reason, statement.sql + ";") for statement in explanation.statements]


_SUMMARY_NAMES = ("bits", "unique", "below 5", "k", "k-hat", "forced", "alone")
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


def _columns(measurement: Measurement) -> Table:
    rows = [[name, *_summary(figures)] for name, figures in measurement.columns]
    if len(measurement.columns) > 1:
        rows.append(["together", *_summary(measurement.figures)])
    most = measurement.figures.max_entropy_bits
    return Table(
        "What the columns give away",
        ("column", *_SUMMARY_NAMES),
        rows,
        caption=f"{bits(most)} bits single out everyone. unique, alone: the only one with these values. below 5: "
        "people in sets of 1 to 4. k: smallest set. k-hat: typical set. forced: must be alone, given the bits.",
        emphasis=(len(rows) - 1,) if len(rows) > 1 else (),
    )


def _exposed(measurement: Measurement) -> Table:
    figures = measurement.figures
    ranges = [("alone", 1, 1), ("with 1 other", 2, 2), ("with 2 to 3 others", 3, 4), ("with 4 to 8 others", 5, 9),
              ("with 9 or more others", 10, None)]  # fmt: skip
    rows = []
    for words, least, most in ranges:
        people = figures.people_between(least, most)
        sizes = f"{least}" if least == most else f"{least} to {most}" if most else f"{least} or more"
        rows.append([words, sizes, count(people), share(figures.share(people))])
    whole = " In the whole table, not within groups." if measurement.groups is not None else ""
    risk = "journalist" if measurement.population is not None else "marketer"
    names = "" if measurement.population is not None else " (prosecutor risk)"
    return Table(
        "Who is most exposed",
        ("look the same", "set size k", "people", "share"),
        rows,
        caption=f"A guess within the set is right {share(figures.mean_risk)} of the time on average ({risk} risk), "
        f"{share(figures.max_risk)} at most{names}.{whole}",
    )


def _gain(figures: Figures) -> Table:
    rows = [[str(row.bits), count(row.people), share(row.share)] for row in figures.gain_table]
    # Rows that say nothing new (nobody yet, everybody already) are cut at both ends.
    first = next((i for i, row in enumerate(figures.gain_table) if row.people), 0)
    last = next((i for i, row in enumerate(figures.gain_table) if row.people == figures.n_rows), len(rows) - 1)
    return Table(
        "How many people give away at least so many bits",
        ("bits", "people", "share"),
        rows[first : last + 1],
        left=(),
    )


def population_words(population: Population) -> str:
    """Say what the set sizes are counted among."""
    text = f"Set sizes are those of the population of {count(population.n_people)} people."
    if population.unbounded_people:
        text += (
            f" It does not hold {counted(population.unbounded_values, 'value')} of the release "
            f"({counted(population.unbounded_people, 'record')}): unbounded, and in no other figure."
        )
    if population.overfull_values:
        text += (
            f" It holds fewer people than the release for {counted(population.overfull_values, 'value')}:"
            " the population does not contain this release."
        )
    return text


def _suppression(suppression: Suppression) -> Block:
    head = (
        f"Withholding everyone in a set below {suppression.threshold} costs {count(suppression.withheld_people)} "
        f"people ({share(suppression.share)}) in {count(suppression.withheld_sets)} sets"
    )
    if suppression.remaining is None:
        return Paragraph(f"{head}: nobody is left.")
    left = suppression.remaining
    return Table(
        f"{head}; what remains:",
        ("people", "bits", "k", "k-hat", "sets"),
        [
            [
                count(left.n_rows),
                bits(left.entropy_bits),
                count(left.k_min),
                decimal(left.k_hat),
                count(left.n_sets),
            ]
        ],
        left=(),
    )


def _groups(groups: Groups, overall: Figures) -> Table:
    rows = []
    # What may not be named comes first: it holds the most exposed.
    for group in sorted(groups.rows, key=lambda group: not group.folded)[:_SHOWN_GROUPS]:
        name = f"{counted(group.n_groups, 'group')} without a name" if group.folded else _shown(group.label)
        rows.append([name, count(group.figures.n_rows), bits(group.figures.entropy_bits),
                     share(group.figures.share(group.figures.singletons)), *_sizes(group.figures)])  # fmt: skip
    rows.append(["overall", count(overall.n_rows), bits(overall.entropy_bits),
                 share(overall.share(overall.singletons)), *_sizes(overall)])  # fmt: skip
    hidden = len(groups.rows) - _SHOWN_GROUPS
    more = f" {counted(hidden, 'more group')} in --json." if hidden > 0 else ""
    correlation = groups.size_median_correlation
    together = (
        f" Size and median go together with a correlation of {correlation:.2f}." if correlation is not None else ""
    )
    unnamed = f" {_UNNAMED}" if any(group.folded for group in groups.rows) else ""
    return Table(
        f"Set sizes within each {groups.by}",
        (groups.by, "people", "bits", "unique", *_SIZE_NAMES),
        rows,
        caption=f"Sets are formed within the group; smallest median first.{unnamed}{together}{more}",
        emphasis=(len(rows) - 1,),
    )


def _values(values: Values, measurement: Measurement, title: str) -> Table:
    width = len(measurement.qid)
    rows = [
        [*map(_shown, row.value), count(row.people), f"{row.bits:.4f}", f"{row.entropy_bits:.3g}"]
        for row in values.rows[:_SHOWN_VALUES]
    ]
    hidden = values.rows[_SHOWN_VALUES:]
    blank = [""] * (width - 1)
    if hidden:
        people = sum(row.people for row in hidden)
        part = sum(row.entropy_bits for row in hidden)
        rows.append([f"{len(hidden):,} more values (in --json)", *blank, count(people), "", f"{part:.3g}"])
    if values.folded_values:
        what = f"{values.folded_values:,} other values"
        rows.append([what, *blank, count(values.folded_people), "", f"{values.folded_entropy_bits:.3g}"])
    rows.append(["sum", *blank, count(measurement.figures.n_rows), "", f"{measurement.figures.entropy_bits:.6f}"])
    return Table(
        title,
        (*measurement.qid, "people", "bits", "part of entropy"),
        rows,
        left=tuple(range(width)),
        emphasis=(len(rows) - 1,),
    )


def _shown(value: Value) -> str:
    return "(null)" if value is None else value


def not_assessed(measurement: Measurement) -> tuple[str, ...]:
    """Say what the figures do not cover."""
    sentences = []
    if measurement.filtered:
        sentences.append("Rows that the filter leaves out (--where): everything here is about the others.")
    if measurement.narrowed:
        sentences.append("Columns that were not to be seen (--columns): each that somebody can know adds bits.")
    if measurement.n_other_columns:
        others = measurement.n_other_columns
        sentences.append(f"{counted(others, 'other column')} of the table: each that somebody can know adds bits.")
    if measurement.person is None and measurement.count is None:
        sentences.append(
            "Whether a person has more than one row: one row a person was assumed (say which column with --person)."
        )
    if measurement.count is not None:
        sentences.append("Whether rows are totals, or count the same people once a year: such people count twice.")
    if measurement.population is None:
        sentences.append(
            "Whether the table is a sample: someone alone here may have doubles in the population (see --population)."
        )
    nulls = {name: people for name, people in measurement.nulls.items() if people}
    if nulls:
        counts = joined(f"{name} {count(people)}" for name, people in nulls.items())
        sentences.append(f"What empty cells hide: they count as one value of their own ({counts}).")
    sentences.append("Guesses from near values, and what the other columns say about people once they are found.")
    return tuple(sentences)
