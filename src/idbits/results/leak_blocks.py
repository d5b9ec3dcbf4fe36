"""What the answer of ``idbits leak`` looks like: the verdict, then why, then what it cannot show and what helps."""

from __future__ import annotations

import shlex

from idbits.errors import counted
from idbits.render.blocks import Block, Command, Items, Level, Paragraph, Table, Verdict
from idbits.render.numbers import bits, count, fixed, share
from idbits.results.leak import ColumnDependence, Leak
from idbits.results.verdict import joined

__all__ = ["change_sentence", "dependence_table", "irregularity_table", "leak_blocks", "leak_verdict"]

_NAMED = 5
_SHOWN = 60


def leak_blocks(leak: Leak) -> list[Block]:
    """Return the blocks of an answer."""
    blocks: list[Block] = [
        leak_verdict(leak),
        dependence_table(leak),
        irregularity_table(leak),
        Paragraph(change_sentence(leak)),
    ]
    if leak.scales:
        blocks.append(_scales(leak))
    if leak.conditional is not None:
        before, after = bits(leak.conditional.original_bits), bits(leak.conditional.released_bits)
        blocks.append(
            Paragraph(f"Conditional permutation entropy (the next pattern, one known): {before} bits, then {after}.")
        )
    blocks.append(Items("What this can and cannot show", tuple(_limits(leak))))
    if leak.verdict == "leaks":
        blocks.append(Items("What helps", tuple(_help(leak))))
    command = _next(leak)
    if command is not None:
        blocks.append(command)
    return blocks


def leak_verdict(leak: Leak) -> Verdict:
    """Say whether the release leaks."""
    level = f"{share(leak.error_rate)} for the whole table"
    names = leak.leaking
    if names:
        shown = joined(names) if len(names) <= _NAMED else f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
        kept = f" {_unchanged(leak)}" if leak.rows_unchanged else ""
        verb = "tells" if len(names) == 1 else "tell"
        sentence = (
            f"{count(len(names))} of {counted(len(leak.columns), 'released column')} {verb} more of the original "
            f"than chance would ({shown}; chance of a false alarm: {level}).{kept}"
        )
        return Verdict(Level.BAD, "The release leaks", sentence)
    if leak.verdict == "leaks":
        return Verdict(
            Level.BAD, "The release leaks", "The release holds exactly the rows of the original, rearranged."
        )
    if leak.verdict == "undecided":
        because = leak.undecided_because or ""
        return Verdict(Level.WARN, "Undecided", because[:1].upper() + because[1:] + ".")
    sentence = (
        f"No released column tells more of its original than chance would, among {counted(leak.n_rows, 'row')} "
        f"(chance of a false alarm: {level}). That is no proof that there is no leak."
    )
    return Verdict(Level.GOOD, "No leak seen", sentence)


def _unchanged(leak: Leak) -> str:
    part = share(leak.rows_unchanged / leak.n_rows)
    return f"{count(leak.rows_unchanged)} of {counted(leak.n_rows, 'row')} ({part}) came through unchanged."


def dependence_table(leak: Leak) -> Table:
    """Return how much each released column tells of its original."""
    ordered = sorted(leak.columns, key=lambda column: (not column.leaks, -(column.mic or 0.0)))
    hidden = len(ordered) - _SHOWN
    more = f" {counted(hidden, 'more column')} in --json." if hidden > 0 else ""
    sample = f" MIC from {counted(leak.mic_rows, 'row')} drawn at random." if leak.mic_rows < leak.n_rows else ""
    tested = f" p from {counted(leak.test_rows, 'row')}." if leak.test_rows < leak.n_rows else ""
    level = next((column.threshold for column in leak.columns if column.threshold is not None), None)
    limit = f"; a leak at {share(level)} or less" if level is not None else ""
    return Table(
        "How much each released column tells of its original",
        ("column", "MIC", "chance", "bits", "chance", "linear", "rank", "dist", "p", "leak"),
        [_row(column) for column in ordered[:_SHOWN]],
        caption="chance: the same when the release is shuffled. bits: mutual information. linear: Pearson. "
        f"rank: Spearman. dist: distance correlation. p: how often a shuffled release shows as much{limit}."
        + sample
        + tested
        + more,
        emphasis=tuple(place for place, column in enumerate(ordered[:_SHOWN]) if column.leaks),
    )


def _row(column: ColumnDependence) -> list[str]:
    leaks = "-" if column.leaks is None else "yes" if column.leaks else "no"
    return [
        column.column,
        fixed(column.mic),
        fixed(column.mic_chance),
        bits(column.mutual_information_bits),
        bits(column.mutual_information_chance_bits),
        fixed(column.pearson),
        fixed(column.spearman),
        fixed(column.distance_correlation),
        share(column.p_value),
        leaks,
    ]


def irregularity_table(leak: Leak) -> Table:
    """Return the figures of S4."""
    how = {"none": "", "pca": ", columns reduced by PCA", "tsne": ", columns reduced by t-SNE"}[leak.reduction]
    found = "smallest with the largest entropy" if leak.order_chosen else "as given"
    delay = f", delay {leak.delay}" if leak.delay > 1 else ""
    weighted = " of the patterns given" if leak.patterns is not None else ""
    rows = [
        [f"permutation entropy{weighted}, bits", bits(leak.original_entropy_bits), bits(leak.released_entropy_bits)],
        ["rho1, rho2: degree of anonymity", fixed(leak.rho1, 4), fixed(leak.rho2, 4)],
        ["ceiling of rho", fixed(leak.ceiling, 4), fixed(leak.ceiling, 4)],
        ["gamma: amplification", "", fixed(leak.gamma, 4)],
        ["r1: information coefficient", "", fixed(leak.r1, 4)],
        ["epsilon: at least, implied", "", fixed(leak.epsilon, 4)],
    ]
    return Table(
        f"How irregular the rows are (pattern length {leak.order}, {found}{delay}{how})",
        ("figure", "original", "release"),
        rows,
        caption="Figures of Odoh (S4). gamma, r1 and epsilon grow when risk falls.",
    )


def change_sentence(leak: Leak) -> str:
    """Say what S4's figures conclude."""
    if leak.change == "undecided":
        return (
            "Risk by these figures: undecided. rho is at its ceiling, where it is the same for all data and says "
            "nothing; the verdict rests on the columns alone."
        )
    words = {
        "none": f"stays. The degrees differ by no more than {leak.tolerance:g}",
        "rises": "rises. The release is more regular than the original",
        "falls": "falls. The release is more irregular than the original",
    }
    return f"Risk by these figures: {words[leak.change]}. They look at each table alone and are not the verdict."


def _scales(leak: Leak) -> Table:
    return Table(
        "At coarser scales (means of neighbouring rows)",
        ("scale", "rows", "rho1", "rho2", "ceiling", "saturated"),
        [
            [
                count(scale.scale), count(scale.n_rows), fixed(scale.rho1, 4), fixed(scale.rho2, 4),
                fixed(scale.ceiling, 4), "yes" if scale.saturated else "no",
            ]
            for scale in leak.scales
        ],
        left=(),
    )  # fmt: skip


def _limits(leak: Leak) -> list[str]:
    sentences = [
        "Permutation entropy looks at each table alone: a copy or a reversible shuffle looks private to it, and a rho "
        "at its ceiling says nothing at all. The verdict is taken from the table of columns.",
        "A column is compared with the column of the same name, row by row. What one column tells of another, what "
        "several tell together, and dependence too weak for this many rows are not seen.",
    ]
    if leak.reduction != "none":
        sentences.append("Several columns became one sequence for rho: information was lost on the way.")
    if any("text" in (column.original_kind, column.released_kind) for column in leak.columns):
        sentences.append("Text counts by its rank in the alphabet; linear and dist are then of ranks.")
    nulls = sum(column.nulls + column.released_nulls for column in leak.columns)
    if nulls:
        sentences.append(
            f"{counted(nulls, 'empty cell')}: a value of its own, ranked below all others; linear and dist leave such "
            "rows out."
        )
    return sentences


def _help(leak: Leak) -> list[str]:
    worst = [column for column in leak.columns if column.leaks]
    sentences = []
    if worst:
        strongest = max(worst, key=lambda column: (column.mic or 0.0, column.mutual_information_bits))
        sentences.append(f"Leave {strongest.column} out, draw it anew, or add more noise to it; then measure again.")
    if leak.rows_unchanged:
        sentences.append("Rows that came through unchanged need no attack: start with those.")
    if leak.rearranged:
        sentences.append("Another order of rows protects nobody: what the rows hold must change.")
    return sentences


def _next(leak: Leak) -> Command | None:
    if leak.original is None or leak.released is None or leak.original == "-" or leak.released == "-":
        return None
    files = f"idbits leak {shlex.quote(leak.original)} {shlex.quote(leak.released)}"
    if leak.saturated and leak.order > 3 and leak.n_rows > 50:
        return Command("Next: a shorter pattern, whose rho is not at its ceiling", f"{files} --order 3")
    return None
