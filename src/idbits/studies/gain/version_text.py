"""Columns that join, two versions of a table and coarser views, as blocks."""

from __future__ import annotations

from idbits.render.blocks import Block, Table
from idbits.render.numbers import bits, count, decimal
from idbits.studies.gain.figures import AnalysisGain, GainFigures, Growth, SweepStep
from idbits.studies.gain.result import Comparison, Gain, Utility
from idbits.wording import counted, joined

__all__ = ["analysis_block", "comparison_blocks", "growth_block", "round_step", "sweep_block"]

_SHOWN_FEATURES = 40
_SHOWN_LEVELS = 10
_ROUND_STEPS = (1, 2, 4, 5, 10, 20, 25, 50)


def round_step(points: int) -> int:
    """Return every which point to show, so that few are shown and their numbers stay round."""
    return next((step for step in _ROUND_STEPS if points <= step * _SHOWN_LEVELS), -(-points // _SHOWN_LEVELS))


def growth_block(growth: Growth) -> Table:
    """Return the figures as columns join (S3 figure 2)."""
    rows = [
        [f"+ {step.column}" if place else step.column, bits(step.rig_p95), count(step.mics), decimal(step.pif),
         "reached" if step.reached else "below"]
        for place, step in enumerate(growth.steps)
    ]  # fmt: skip
    words = "in the order given" if growth.order == "given" else "each time the one that raises the 95th RIG most"
    return Table(
        "As columns join in",
        ("columns", "95th RIG", "MICS", "PIF", f"threshold {decimal(growth.threshold)}"),
        rows,
        left=(0, 4),
        caption=f"Columns join {words}; the attacker knows all others that have joined.",
    )


def comparison_blocks(gain: Gain, comparison: Comparison) -> list[Block]:
    """Return two versions side by side (S3 figure 6)."""
    ours, theirs = gain.figures, comparison.figures
    step = round_step(len(comparison.rig_curves))
    curve = [
        [decimal(level), count(original), count(treated)]
        for place, (level, original, treated) in enumerate(comparison.rig_curves)
        if place % step == 0
    ]
    return [
        Table(
            "Original and treated, side by side",
            ("", "original", "treated"),
            _pairs(ours, theirs),
            caption=_utility(comparison.utility),
        ),
        Table("People above each RIG, side by side", ("bits", "original", "treated"), curve, left=()),
    ]


def sweep_block(gain: Gain, sweep: tuple[SweepStep, ...]) -> Table:
    """Return a feature that becomes coarser step by step (S3 figure 8)."""
    rows = [
        [step.column, decimal(step.utility), decimal(step.feature_utility), bits(step.rig_mean), bits(step.rig_p95),
         decimal(step.pif), count(step.mics), count(step.people_at_threshold)]
        for step in sweep
    ]  # fmt: skip
    about = (
        f"what the columns say about {gain.target}" if gain.target is not None else "what columns say about each other"
    )
    caption = f"utility: the share kept of {about} beyond chance; its own: of the column that becomes coarser alone."
    if sweep[0].utility is None:
        caption = f"No utility: {about} is no more than shuffled columns would show."
    return Table(
        "Step by step",
        ("column", "utility", "its own", "RIG mean", "95th", "PIF", "MICS", "at threshold"),
        rows,
        caption=caption,
    )


def analysis_block(analysis: AnalysisGain) -> Table:
    """Return what the output of an analysis tells (S3 II)."""
    ranked = sorted(analysis.features, key=lambda feature: -feature.fig_bits)[:_SHOWN_FEATURES]
    rows = [[f"mean CIG {feature.column}", bits(feature.mean_cig_bits)] for feature in ranked]
    rig = analysis.rig
    rows += [["RIG mean", bits(rig["mean"])], ["RIG 95th", bits(rig["p95"])], ["RIG max", bits(rig["max"])],
             ["MICS", count(analysis.mics)], ["PIF", decimal(analysis.pif)],
             ["set by", count(analysis.rows_at_pif)]]  # fmt: skip
    return Table("What the output of the analysis tells", ("", "output"), rows, caption=_seen(analysis))


def _seen(analysis: AnalysisGain) -> str:
    names, known = joined(analysis.columns), joined(analysis.known) if analysis.known else ""
    if analysis.kind == "columns":
        beside = f", knows {known}, and does not have the table" if known else ", and nothing else"
        without = f" Without the output, the mean RIG is {bits(analysis.without_output_bits)}." if known else ""
        return f"The attacker sees {names} of a person{beside}.{without} MICS: the fewest people who look the same so."
    which = "all of these" if analysis.known == analysis.columns else known
    lost = analysis.people_unpublished
    return (
        f"The attacker sees how many people have each {names}, and knows {which} of a person, but for the one to be "
        "learnt. MICS: the fewest people who are equal in all of these."
        + (f" {count(lost)} people are in no cell that is published." if lost else "")
    )


def _pairs(ours: GainFigures, theirs: GainFigures) -> list[list[str]]:
    pairs = [
        ("people", count(ours.n_rows), count(theirs.n_rows)),
        ("RIG mean", bits(ours.rig["mean"]), bits(theirs.rig["mean"])),
        ("RIG median", bits(ours.rig["p50"]), bits(theirs.rig["p50"])),
        ("RIG 95th", bits(ours.rig["p95"]), bits(theirs.rig["p95"])),
        ("RIG max", bits(ours.rig["max"]), bits(theirs.rig["max"])),
        ("MICS", count(ours.mics), count(theirs.mics)),
        ("PIF", decimal(ours.pif), decimal(theirs.pif)),
        ("at threshold", count(ours.people_at_threshold), count(theirs.people_at_threshold)),
    ]
    held = {feature.column: feature for feature in theirs.features}
    for feature in ours.ranked()[:_SHOWN_FEATURES]:
        other = held.get(feature.column)
        pairs.append(
            (
                f"mean CIG {feature.column}",
                bits(feature.mean_cig_bits),
                bits(other.mean_cig_bits) if other else "left out",
            )
        )
    return [list(row) for row in pairs]


def _utility(utility: Utility) -> str:
    about = utility.target if utility.target is not None else "each other"
    if utility.kept is None:
        return (
            f"Utility cannot be measured: what the original's columns say about {about} is no more than shuffled "
            f"columns would show ({bits(utility.original_mutual_information_bits)} bits of mutual information, "
            f"{bits(utility.original_chance_bits)} by chance)."
        )
    more = " (more than 1: a finer or noisy version)" if utility.kept > 1 + 1e-9 else ""
    return (
        f"The treated table keeps {decimal(utility.kept)} of what columns say about {about}{more}: "
        f"{bits(utility.treated_bits)} of {bits(utility.original_bits)} bits of mutual information beyond chance, over "
        f"{count(utility.pairs_beyond_chance)} of {counted(utility.pairs, 'pair')} of columns."
    )
