"""What information gain looks like: the verdict, features, people, then what was asked for, then what comes next."""

from __future__ import annotations

from idbits.measures.pif import SAME
from idbits.render.blocks import Block, Command, Items, Paragraph, Table
from idbits.render.numbers import bits, count, decimal, share
from idbits.studies.gain.figures import GainFigures
from idbits.studies.gain.result import Gain
from idbits.studies.gain.verdict import gain_verdict
from idbits.studies.gain.version_text import analysis_block, comparison_blocks, growth_block, round_step, sweep_block
from idbits.wording import counted

__all__ = ["gain_blocks"]

_SHOWN_FEATURES = 40
_MATRIX_COLUMNS = 8


def gain_blocks(gain: Gain) -> list[Block]:
    """Return the blocks of one answer."""
    blocks: list[Block] = [gain_verdict(gain), _features(gain), _people(gain), _levels(gain.figures)]
    if gain.subsets is not None:
        blocks.append(_subsets(gain))
    if gain.growth is not None:
        blocks.append(growth_block(gain.growth))
    if gain.comparison is not None:
        blocks += comparison_blocks(gain, gain.comparison)
    if gain.sweep is not None:
        blocks.append(sweep_block(gain, gain.sweep))
    if gain.analysis is not None:
        blocks.append(analysis_block(gain.analysis))
    blocks += _dependence(gain)
    if gain.smoothing is not None:
        blocks.append(_smoothing(gain))
    if gain.cells_file is not None:
        blocks.append(Paragraph(f"The gain of every cell is in {gain.cells_file}."))
    blocks.append(Items("Not assessed", _not_assessed(gain)))
    if gain.next_command is not None:
        blocks.append(Command("Next", gain.next_command))
    return blocks


def _features(gain: Gain) -> Table:
    figures = gain.figures
    ranked = figures.ranked()
    sampled = any(feature.standard_error_bits is not None for feature in ranked)
    surprise = ranked[0].mean_csf is not None
    rows = []
    for feature in ranked[:_SHOWN_FEATURES]:
        row = [feature.column, decimal(feature.fig_bits), bits(feature.mean_cig_bits)]
        row += [f"{feature.standard_error_bits:.2g}"] if sampled and feature.standard_error_bits is not None else []
        row += [share(feature.share), bits(feature.entropy_bits), bits(feature.conditional_entropy_bits)]
        row += [bits(feature.weighted_mean_cig_bits)]
        rows.append([*row, *([bits(feature.mean_csf)] if surprise else [])])
    names = ("column", "FIG", "mean CIG", *(["+/-"] if sampled else []), "share", "H", "H given rest", "weighted")
    hidden = len(ranked) - _SHOWN_FEATURES
    caption = (
        "FIG: bits learnt about the column, summed over people; mean CIG: per person. H: what there is to learn; given "
        "rest: what stays open to someone who knows all other columns. weighted: mean CIG times their ratio."
    )
    caption += " CSF: how far the chance of the true value moves." if surprise else ""
    caption += " +/-: standard error of the sample of subsets." if sampled else ""
    caption += f" {count(hidden)} more columns in --json." if hidden > 0 else ""
    return Table("What is learnt about each column", (*names, *(["CSF"] if surprise else [])), rows, caption=caption)


def _people(gain: Gain) -> Table:
    figures = gain.figures
    rig = figures.rig
    heads = ["RIG mean", "median", "95th", "max", "MICS", "alone", "PIF", "set by"]
    row = [bits(rig["mean"]), bits(rig["p50"]), bits(rig["p95"]), bits(rig["max"]), count(figures.mics),
           count(figures.people_alone), decimal(figures.pif), count(figures.rows_at_pif)]  # fmt: skip
    if figures.percentile != 95:
        heads.insert(3, f"{figures.percentile:g}th")
        row.insert(3, bits(figures.percentile_pif))
    where = "below" if figures.gap > 0 else "above"
    gap = f"{decimal(abs(figures.gap))} {where}" if abs(figures.gap) > SAME * figures.threshold else "just at"
    return Table(
        "Bits learnt about each person",
        tuple(heads),
        [row],
        left=(),
        caption="RIG: bits learnt about all columns of a person. MICS: the smallest cohort of people equal in all "
        f"columns; alone: people without an equal. PIF: the largest RIG / cohort. The PIF is {gap} the threshold "
        f"of {decimal(figures.threshold)}.",
    )


def _levels(figures: GainFigures) -> Table:
    curve = figures.rig_curve
    step = round_step(len(curve))
    shown = [point for place, point in enumerate(curve) if place % step == 0]
    rows = [[decimal(level), count(people), share(people / figures.n_rows)] for level, people in shown]
    return Table("People above each RIG", ("bits", "people", "share"), rows, left=())


def _subsets(gain: Gain) -> Table:
    subsets = gain.subsets
    assert subsets is not None
    most = subsets.maximum
    rows = [
        [name, bits(item.rig["mean"]), bits(item.rig["p50"]), bits(item.rig["p95"]), bits(item.rig["max"]),
         decimal(item.pif), count(item.people_at_threshold)]
        for name, item in (("mean", gain.figures), ("maximum", most))
    ]  # fmt: skip
    known = counted(subsets.n_known, "known column")
    if subsets.exact:
        every = "the only subset" if subsets.n_subsets == 1 else f"all {count(subsets.n_subsets)} subsets"
        how = f"Exact: {every} of {known}."
    else:
        how = (
            f"A sample: {count(subsets.n_subsets)} of {count(subsets.all_subsets)} subsets of {known}, "
            f"drawn with seed {gain.seed}. The mean RIG has a standard error of "
            f"{subsets.standard_error_bits or 0.0:.2g} bits; the maximum is at least so much."
        )
    return Table(
        "Over the subsets that the attacker may know",
        ("each cell", "RIG mean", "median", "95th", "max", "PIF", "at threshold"),
        rows,
        caption=how,
    )


def _dependence(gain: Gain) -> list[Block]:
    found = gain.dependence
    if len(gain.columns) < 2:
        return []
    text = (
        f"All columns together hold {bits(found.joint_entropy_bits)} bits. Total correlation "
        f"{bits(found.total_correlation_bits)} bits (how far the columns are from being independent), dual total "
        f"correlation {bits(found.dual_total_correlation_bits)} bits (what at least two of them share)."
    )
    matrix, chance = found.mutual_information_bits, found.chance_bits
    if matrix is None or chance is None or len(gain.columns) > _MATRIX_COLUMNS:
        why = "--mutual computes" if matrix is None else "--json has"
        return [Paragraph(f"{text} {why} the mutual information of all pairs.")]
    # Short heads: with the names over the numbers a table of eight columns would not fit.
    heads = [f"({place})" for place in range(1, len(gain.columns) + 1)]
    rows = [
        [f"({place + 1}) {name}", *(bits(value if other <= place else chance[place][other])
         for other, value in enumerate(matrix[place]))]
        for place, name in enumerate(gain.columns)
    ]  # fmt: skip
    return [
        Paragraph(text),
        Table(
            "Mutual information of each pair of columns, in bits",
            ("column", *heads),
            rows,
            caption="On the diagonal a column with itself: its entropy. Above it, what shuffled columns would show: "
            "only what a pair has beyond that is a relation.",
        ),
    ]


def _smoothing(gain: Gain) -> Paragraph:
    assert gain.smoothing is not None
    part = share(gain.smoothing["share"])
    lost = gain.smoothing["missing"]
    told = "; ".join(
        f"{one['column']} misses {counted(one['values'], 'value')} of {count(one['people'])} people" for one in lost
    )
    return Paragraph(f"Priors are mixed with {part} of the table's own distribution" + (f" ({told})." if told else "."))


def _not_assessed(gain: Gain) -> tuple[str, ...]:
    sentences = []
    if gain.n_other_columns:
        sentences.append(f"{count(gain.n_other_columns)} other columns of the table.")
    if gain.person is None and gain.count is None:
        sentences.append(
            "Whether a person has more than one row: one row a person was assumed (say which column with --person)."
        )
    if gain.count is not None:
        sentences.append("Whether rows are totals, or count the same people once a year: such people count twice.")
    if all(feature.prior == "table" for feature in gain.figures.features):
        sentences.append("What is known of the population: expectations come from this table alone (see --prior).")
    nulls = [f"{feature.column} {count(feature.nulls)}" for feature in gain.figures.features if feature.nulls]
    if nulls:
        shown = ", ".join(nulls[:8]) + (f" and {len(nulls) - 8} more" if len(nulls) > 8 else "")
        sentences.append(f"What empty cells hide: they count as one value of their own ({shown}).")
    sentences.append("Guesses from near values: a value one off is as wrong as any other.")
    return tuple(sentences)
