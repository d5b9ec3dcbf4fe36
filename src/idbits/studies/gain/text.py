"""Information gain as text: the verdict, columns, people, what the options request, and what to do next."""

from __future__ import annotations

from idbits.measures.pif import SAME
from idbits.render.blocks import Block, Command, Items, Paragraph, TableBlock
from idbits.render.numbers import bits, count, decimal, share, significant
from idbits.studies.gain.figures import GainFigures, Subsets
from idbits.studies.gain.result import AnalysisGain, Comparison, Gain, Growth, Smoothing, SweepStep, Utility
from idbits.studies.gain.verdict import gain_verdict
from idbits.studies.shared.persons import rows_without_person
from idbits.studies.shared.presentation import show
from idbits.studies.shared.units import Unit
from idbits.wording import counted, counted_people, joined

__all__ = ["gain_verdict", "round_step"]

_SHOWN_FEATURES = 40
_MATRIX_COLUMNS = 8
_SHOWN_LEVELS = 10
_ROUND_STEPS = (1, 2, 4, 5, 10, 20, 25, 50)


@show.register
def _(gain: Gain) -> list[Block]:
    blocks: list[Block] = [
        gain_verdict(gain),
        *([Paragraph(gain.chosen.sentence)] if gain.chosen is not None else []),
        _features(gain),
        _people(gain),
    ]
    if gain.people is not None:
        blocks.append(_records(gain))
    blocks.append(_levels(gain.figures, gain.unit))
    if gain.subsets is not None:
        blocks.append(_subsets(gain, gain.subsets))
    if gain.growth is not None:
        blocks.append(_growth(gain.growth))
    if gain.comparison is not None:
        blocks += _comparison(gain, gain.comparison)
    if gain.sweep is not None:
        blocks.append(_sweep(gain, gain.sweep))
    if gain.analysis is not None:
        blocks.append(_analysis(gain.analysis, gain.unit))
    blocks += _dependence(gain)
    if gain.smoothing is not None:
        blocks.append(_smoothing(gain.smoothing, gain.records))
    if gain.cells_file is not None:
        blocks.append(Paragraph(f"The gain of every cell is in {gain.cells_file}."))
    blocks.append(Items("Not assessed", _not_assessed(gain)))
    if gain.next_command is not None:
        blocks.append(Command("Next", gain.next_command))
    return blocks


def _features(gain: Gain) -> TableBlock:
    figures = gain.figures
    ranked = figures.ranked()
    sampled = any(feature.standard_error_bits is not None for feature in ranked)
    surprise = ranked[0].mean_csf is not None
    rows = []
    for feature in ranked[:_SHOWN_FEATURES]:
        row = [feature.column, decimal(feature.fig_bits), bits(feature.mean_cig_bits)]
        error = feature.standard_error_bits
        row += [significant(error, 2)] if error is not None else []
        row += [share(feature.share), bits(feature.entropy_bits), bits(feature.conditional_entropy_bits)]
        row += [bits(feature.weighted_mean_cig_bits)]
        rows.append([*row, *([bits(feature.mean_csf)] if surprise else [])])
    names = ("column", "FIG", "mean CIG", *(["+/-"] if sampled else []), "share", "H", "H given rest", "weighted")
    hidden = len(ranked) - _SHOWN_FEATURES
    records = gain.records
    caption = (
        f"FIG: bits learnt about the column, summed over {records}. mean CIG: bits per {records.singular}. H: entropy "
        "of the column. H given rest: what remains for someone who knows all other columns. weighted: mean CIG * H "
        "given rest / H."
    )
    caption += " CSF: how far the probability of the true value moves." if surprise else ""
    caption += " +/-: standard error, as subsets are sampled." if sampled else ""
    caption += f" {count(hidden)} more columns in --json." if hidden > 0 else ""
    return TableBlock(
        "What an attacker learns about each column", (*names, *(["CSF"] if surprise else [])), rows, caption=caption
    )


def _people(gain: Gain) -> TableBlock:
    figures, unit = gain.figures, gain.unit
    rig = figures.rig
    heads = ["RIG mean", "median", "95th", "max", "MICS", "unique", "PIF", "at PIF"]
    row = [bits(rig["mean"]), bits(rig["p50"]), bits(rig["p95"]), bits(rig["max"]), count(figures.mics),
           count(figures.people_alone), decimal(figures.pif), count(figures.rows_at_pif)]  # fmt: skip
    if figures.percentile != 95:
        heads.insert(3, f"{significant(figures.percentile, 6)}th")
        row.insert(3, bits(figures.percentile_pif))
    where = "below" if figures.gap > 0 else "above"
    gap = f"{decimal(abs(figures.gap))} {where}" if abs(figures.gap) > SAME * figures.threshold else "equal to"
    several = gain.people_have_several_rows
    whose = "a person's most telling record" if several else f"a {unit.singular}"
    alone = "people with a record of their own" if several else f"{unit} in a group of 1"
    return TableBlock(
        f"What an attacker learns about each {unit.singular}, in bits",
        tuple(heads),
        [row],
        left=(),
        caption=f"RIG: bits learnt about all columns of {whose}. MICS: smallest group of {unit} with the same values; "
        f"unique: {alone}. PIF: largest RIG / group size; at PIF: {unit} {unit.who} have it. The PIF is "
        f"{gap} the threshold of {decimal(figures.threshold)}.",
    )


def _records(gain: Gain) -> Paragraph:
    """Say how many records people have, and what all of them together give away."""
    people, figures = gain.people, gain.figures
    assert people is not None
    rows, added = people.rows_per_person, figures.rig_sum
    sentences = [f"Everyone has one row: no {people.person} occurs twice."]
    if added is not None:
        sentences = [
            f"{counted(figures.n_rows, 'record')} of {counted_people(figures.n_people)}, {count(rows.min)} to "
            f"{count(rows.max)} per person (median {decimal(rows.median)}).",
            f"The RIG of all records of a person adds up to {bits(added['mean'])} bits on average: median "
            f"{bits(added['p50'])}, 95th {bits(added['p95'])}, at most {bits(added['max'])}.",
        ]
    sentences += rows_without_person(people.rows_without_person, people.person, people.null_person)
    return Paragraph(" ".join(sentences))


def _above(unit: Unit) -> str:
    return f"How many {unit} have a RIG above this many bits"


def _levels(figures: GainFigures, unit: Unit) -> TableBlock:
    curve = figures.rig_curve
    step = round_step(len(curve))
    shown = [point for index, point in enumerate(curve) if index % step == 0]
    rows = [[decimal(level), count(people), share(people / figures.n_people)] for level, people in shown]
    return TableBlock(_above(unit), ("bits", str(unit), "share"), rows, left=())


def _subsets(gain: Gain, subsets: Subsets) -> TableBlock:
    rows = [
        [name, bits(item.rig["mean"]), bits(item.rig["p50"]), bits(item.rig["p95"]), bits(item.rig["max"]),
         decimal(item.pif), count(item.people_at_threshold)]
        for name, item in (("mean", gain.figures), ("maximum", subsets.maximum))
    ]  # fmt: skip
    known = counted(subsets.n_known, "known column")
    if subsets.exact:
        every = "the only subset" if subsets.n_subsets == 1 else f"all {count(subsets.n_subsets)} subsets"
        how = f"Exact: {every} of {known}."
    else:
        how = (
            f"A sample: {count(subsets.n_subsets)} of {count(subsets.all_subsets)} subsets of {known}, "
            f"drawn with seed {gain.seed}. The mean RIG has a standard error of "
            f"{significant(subsets.standard_error_bits or 0.0, 2)} bits; the true maximum may be larger."
        )
    return TableBlock(
        "Mean and maximum of each cell over the columns the attacker may know",
        ("each cell", "RIG mean", "median", "95th", "max", "PIF", "at threshold"),
        rows,
        caption=how,
    )


def round_step(points: int) -> int:
    """Return the step between the points to show, so that there are few and their numbers are round."""
    return next((step for step in _ROUND_STEPS if points <= step * _SHOWN_LEVELS), -(-points // _SHOWN_LEVELS))


def _growth(growth: Growth) -> TableBlock:
    """Return the figures as columns are added (S3 figure 2)."""
    rows = [
        [f"+ {step.column}" if index else step.column, bits(step.rig_p95), count(step.mics), decimal(step.pif),
         "reached" if step.reached else "below"]
        for index, step in enumerate(growth.steps)
    ]  # fmt: skip
    words = "in the order given" if growth.order == "given" else "so that each raises the 95th RIG most"
    return TableBlock(
        "What an attacker learns as columns are added",
        ("columns", "95th RIG", "MICS", "PIF", f"threshold {decimal(growth.threshold)}"),
        rows,
        left=(0, 4),
        caption=f"Columns are added {words}; the attacker knows all others added so far.",
    )


def _comparison(gain: Gain, comparison: Comparison) -> list[Block]:
    """Return the two versions side by side (S3 figure 6)."""
    step = round_step(len(comparison.rig_curves))
    curve = [
        [decimal(level), count(original), count(treated)]
        for index, (level, original, treated) in enumerate(comparison.rig_curves)
        if index % step == 0
    ]
    return [
        TableBlock(
            "Original and treated table",
            ("", "original", "treated"),
            _pairs(gain.figures, comparison.figures, gain.unit),
            caption=_utility(comparison.utility),
        ),
        TableBlock(_above(gain.unit), ("bits", "original", "treated"), curve, left=()),
    ]


def _sweep(gain: Gain, sweep: tuple[SweepStep, ...]) -> TableBlock:
    """Return the steps of a sweep, each with a coarser column (S3 figure 8)."""
    rows = [
        [step.column, decimal(step.utility), decimal(step.feature_utility), bits(step.rig_mean), bits(step.rig_p95),
         decimal(step.pif), count(step.mics), count(step.people_at_threshold)]
        for step in sweep
    ]  # fmt: skip
    about = _relationships(gain.target)
    caption = f"utility: share of {about} that is kept, beyond chance. column utility: the same for this column only."
    if sweep[0].utility is None:
        caption = f"Utility cannot be measured: {about} are no stronger than in shuffled columns."
    return TableBlock(
        "Coarser columns, one at a time",
        ("column", "utility", "column utility", "RIG mean", "95th", "PIF", "MICS", "at threshold"),
        rows,
        caption=caption,
    )


def _analysis(analysis: AnalysisGain, unit: Unit) -> TableBlock:
    """Return what the output of an analysis reveals (S3 II)."""
    ranked = sorted(analysis.features, key=lambda feature: -feature.fig_bits)[:_SHOWN_FEATURES]
    rows = [[f"mean CIG {feature.column}", bits(feature.mean_cig_bits)] for feature in ranked]
    rig = analysis.rig
    rows += [["RIG mean", bits(rig["mean"])], ["RIG 95th", bits(rig["p95"])], ["RIG max", bits(rig["max"])],
             ["MICS", count(analysis.mics)], ["PIF", decimal(analysis.pif)],
             [f"{unit} at PIF", count(analysis.rows_at_pif)]]  # fmt: skip
    return TableBlock("What the output of the analysis reveals", ("", "output"), rows, caption=_seen(analysis, unit))


def _seen(analysis: AnalysisGain, unit: Unit) -> str:
    names, known = joined(analysis.columns), joined(analysis.known) if analysis.known else ""
    if analysis.kind == "columns":
        beside = f", knows {known}, and does not have the table" if known else ", and nothing else"
        without = f" Without the output, the mean RIG is {bits(analysis.without_output_bits)}." if known else ""
        seen = f"The attacker sees {names} of a {unit.singular}{beside}."
        return f"{seen}{without} MICS: smallest group that looks the same."
    which = "all of these" if analysis.known == analysis.columns else known
    lost, one = analysis.people_unpublished, unit.singular
    return (
        f"The attacker sees how many {unit} have each {names}, and knows {which} of a {one} except the one to be "
        "learnt. MICS: smallest group with the same values in all of these."
        + (f" {count(lost)} of the {unit} are in unpublished cells." if lost else "")
    )


def _pairs(original: GainFigures, treated: GainFigures, unit: Unit) -> list[list[str]]:
    pairs = [
        (str(unit), count(original.n_people), count(treated.n_people)),
        ("RIG mean", bits(original.rig["mean"]), bits(treated.rig["mean"])),
        ("RIG median", bits(original.rig["p50"]), bits(treated.rig["p50"])),
        ("RIG 95th", bits(original.rig["p95"]), bits(treated.rig["p95"])),
        ("RIG max", bits(original.rig["max"]), bits(treated.rig["max"])),
        ("MICS", count(original.mics), count(treated.mics)),
        ("PIF", decimal(original.pif), decimal(treated.pif)),
        ("at threshold", count(original.people_at_threshold), count(treated.people_at_threshold)),
    ]
    held = {feature.column: feature for feature in treated.features}
    for feature in original.ranked()[:_SHOWN_FEATURES]:
        other = held.get(feature.column)
        pairs.append(
            (
                f"mean CIG {feature.column}",
                bits(feature.mean_cig_bits),
                bits(other.mean_cig_bits) if other else "left out",
            )
        )
    return [list(row) for row in pairs]


def _relationships(target: str | None) -> str:
    return "the relationships between the columns" if target is None else f"the columns' relationships with {target}"


def _utility(utility: Utility) -> str:
    about = _relationships(utility.target)
    if utility.kept is None:
        return (
            f"Utility cannot be measured: in the original, {about} are no stronger than in shuffled "
            f"columns ({bits(utility.original_mutual_information_bits)} bits of mutual information, "
            f"{bits(utility.original_chance_bits)} by chance)."
        )
    more = " (more than 1: a finer or noisy version)" if utility.kept > 1 + 1e-9 else ""
    return (
        f"The treated table preserves {decimal(utility.kept)} of {about}{more}: "
        f"{bits(utility.treated_bits)} of {bits(utility.original_bits)} bits of mutual information beyond chance, over "
        f"{count(utility.pairs_beyond_chance)} of {counted(utility.pairs, 'pair')} of columns."
    )


def _dependence(gain: Gain) -> list[Block]:
    dependence = gain.dependence
    if len(gain.columns) < 2:
        return []
    text = (
        f"All columns together have an entropy of {bits(dependence.joint_entropy_bits)} bits. Total correlation "
        f"{bits(dependence.total_correlation_bits)} bits (how far the columns are from being independent), dual total "
        f"correlation {bits(dependence.dual_total_correlation_bits)} bits (what at least two of them share)."
    )
    matrix, chance = dependence.mutual_information_bits, dependence.chance_bits
    if matrix is None or chance is None or len(gain.columns) > _MATRIX_COLUMNS:
        why = "--mutual computes" if matrix is None else "--json has"
        return [Paragraph(f"{text} {why} the mutual information of all pairs.")]
    # Numbers as headings: with full names a table of eight columns would not fit.
    heads = [f"({number})" for number in range(1, len(gain.columns) + 1)]
    rows = [
        [f"({row + 1}) {name}", *(bits(value if column <= row else chance[row][column])
         for column, value in enumerate(matrix[row]))]
        for row, name in enumerate(gain.columns)
    ]  # fmt: skip
    return [
        Paragraph(text),
        TableBlock(
            "Mutual information of each pair of columns, in bits",
            ("column", *heads),
            rows,
            caption="Diagonal: the entropy of the column. Above it: what shuffled columns would show; only the excess "
            "over that is a relationship.",
        ),
    ]


def _smoothing(smoothing: Smoothing, unit: Unit) -> Paragraph:
    missing = "; ".join(
        f"the prior of {column['column']} lacks {counted(column['values'], 'value')} that {count(column['people'])} of "
        f"the {unit} have"
        for column in smoothing["missing"]
    )
    sentence = f"Priors include {share(smoothing['share'])} of the table's own distribution"
    return Paragraph(sentence + (f" ({missing})." if missing else "."))


def _not_assessed(gain: Gain) -> tuple[str, ...]:
    sentences = []
    if gain.n_other_columns:
        others = counted(gain.n_other_columns, "other column")
        known = (
            "if someone knows it, it adds bits"
            if gain.n_other_columns == 1
            else "each one that someone knows adds bits"
        )
        sentences.append(f"{others} of the table: {known}.")
    if gain.unit is not Unit.PEOPLE:
        sentences.append(gain.unit.unknown_people)
    if gain.people_have_several_rows:
        sentences.append("An attacker who knows more than one record of a person.")
    if gain.count is not None:
        sentences.append("Whether rows are totals or count the same people every year: such people count twice.")
    if all(feature.prior == "table" for feature in gain.figures.features):
        sentences.append("What the attacker knows about the population: priors come from this table (see --prior).")
    nulls = [f"{feature.column} {count(feature.nulls)}" for feature in gain.figures.features if feature.nulls]
    if nulls:
        shown = ", ".join(nulls[:8]) + (f" and {len(nulls) - 8} more" if len(nulls) > 8 else "")
        sentences.append(f"What the missing values are: they count as one value ({shown}).")
    sentences.append("Guesses from similar values: a value that is nearly right counts as wrong.")
    return tuple(sentences)
