"""The answer of ``idbits leak`` as text: the verdict, the reason, its limits and what helps."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, count, decimal, fixed, probability, share, significant
from idbits.studies.leak.result import ColumnDependence, Leak
from idbits.studies.shared.presentation import show
from idbits.wording import counted, joined

__all__ = [
    "change_sentence", "dependence_table", "irregularity_table", "leak_verdict", "matches_table", "null_sentences",
    "unchanged_table",
]  # fmt: skip

_NAMED = 5
_SHOWN = 60
_AGAINST = {"shuffles": "shuffles", "shifts": "shifts", "differences": "changes"}


@show.register
def _(leak: Leak) -> list[Block]:
    blocks: list[Block] = [leak_verdict(leak)]
    if leak.columns:
        blocks += [dependence_table(leak), unchanged_table(leak)]
    if leak.matches:
        blocks.append(matches_table(leak))
    blocks += [irregularity_table(leak), Paragraph(change_sentence(leak))]
    if leak.scales:
        blocks.append(_scales_table(leak))
    if leak.conditional is not None:
        before, after = bits(leak.conditional.original_bits), bits(leak.conditional.released_bits)
        blocks.append(
            Paragraph(
                "Conditional permutation entropy (of the next pattern, given one): "
                f"original {before} bits, release {after} bits."
            )
        )
    blocks.append(Items("What we compared the release with", tuple(null_sentences(leak))))
    blocks.append(Items("What this can and cannot show", tuple(_limits(leak))))
    if leak.conclusion == "leaks":
        blocks.append(Items("What helps", tuple(_help(leak))))
    if leak.next_command is not None:
        blocks.append(Command("Next: a shorter pattern, so that rho is below its ceiling", leak.next_command))
    return blocks


def leak_verdict(leak: Leak) -> Verdict:
    """State whether the release leaks."""
    level = f"chance of a false alarm: {share(leak.error_rate)} for the whole table"
    if leak.conclusion == "leaks":
        return Verdict(Level.BAD, "The release leaks the original", " ".join(_evidence(leak, level)))
    if leak.conclusion == "undecided":
        because = leak.undecided_because or ""
        return Verdict(Level.WARN, "Undecided", because[:1].upper() + because[1:] + ".")
    whose = "its original" if leak.columns else "any original column"
    sentence = (
        f"No released column reveals more about {whose} than chance would, in {counted(leak.n_rows, 'row')} "
        f"({level}). This does not prove that there is no leak."
    )
    return Verdict(Level.GOOD, "No leak found", sentence)


def _evidence(leak: Leak, level: str) -> list[str]:
    """Return why a release leaks, sentence by sentence."""
    names = leak.leaking
    sentences = []
    if names:
        verb = "reveals" if len(names) == 1 else "reveal"
        sentences.append(
            f"{count(len(names))} of {counted(len(leak.columns), 'released column')} {verb} more about the original "
            f"than chance would ({_listed(names)}; {level})."
        )
    elif leak.together is not None and leak.together.leaks:
        sentences.append(
            f"All columns together, as one sequence, reveal more about the original than chance would ({level})."
        )
    if leak.rows_leak:
        sentences.append(_unchanged(leak))
    if leak.matches:
        sentences.append(_matched(leak))
    if leak.rearranged:
        sentences.append("The release contains exactly the rows of the original, rearranged.")
    return sentences


def _listed(names: Sequence[str]) -> str:
    return joined(names) if len(names) <= _NAMED else f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"


def _matched(leak: Leak) -> str:
    names = _listed([f"{match.released} matches {match.original}" for match in leak.matches])
    verb = "matches an original column" if len(leak.matches) == 1 else "match original columns"
    return f"{counted(len(leak.matches), 'released column')} {verb} with a different name ({names})."


def _unchanged(leak: Leak) -> str:
    part = share(leak.rows_unchanged / leak.n_rows)
    bound = "about" if leak.rows_unchanged_null == "shifts" else "at most"
    expected = decimal(leak.rows_unchanged_by_chance)
    return (
        f"{count(leak.rows_unchanged)} of {counted(leak.n_rows, 'row')} ({part}) are unchanged; we expect {expected} "
        f"{'row' if expected == '1' else 'rows'} by chance (probability of at least as many: {bound} "
        f"{probability(leak.rows_unchanged_probability)})."
    )


def change_sentence(leak: Leak) -> str:
    """State what S4's figures conclude."""
    if leak.change == "undecided":
        return (
            "Risk by these figures: undecided. rho is at its ceiling, where it is the same for all data and says "
            "nothing; the verdict depends on the columns only."
        )
    words = {
        "none": f"unchanged. The degrees differ by at most {significant(leak.tolerance, 6)}",
        "rises": "rises. The release is more regular than the original",
        "falls": "falls. The release is more irregular than the original",
    }
    return f"Risk by these figures: {words[leak.change]}. They describe each table by itself and are not the verdict."


def null_sentences(leak: Leak) -> list[str]:
    """State what chance means here, and why."""
    compared = [*leak.columns, *([leak.together] if leak.together is not None else [])]
    shifted = [column.column for column in compared if column.null == "shifts"]
    changes = [column.column for column in compared if column.null == "differences"]
    if not compared:
        return [
            "The whole release in random order (shuffles), or moved along the rows (shifts) if neighbouring rows "
            "resemble each other in both columns."
        ]
    sentences = []
    if len(shifted) + len(changes) < len(compared):
        others = "The other columns: the" if shifted or changes else "The"
        sentences.append(f"{others} same release in random order (shuffles), because its rows have no natural order.")
    if changes:
        sentences.insert(
            0,
            f"{_listed(changes)}: the changes from row to row. Neighbouring rows resemble each other in both tables "
            "and the level may drift (a unit root is not rejected), as it can in unrelated columns.",
        )
    if shifted:
        sentences.insert(
            0,
            f"{_listed(shifted)}: the same release moved along the rows (shifts), because neighbouring rows "
            "resemble each other in both tables.",
        )
    return sentences


def _limits(leak: Leak) -> list[str]:
    sentences = [
        "Permutation entropy describes each table by itself: a copy or a reversible shuffle looks private, and a rho "
        "at its ceiling says nothing at all. The verdict comes from the table of columns.",
        _compared_sentence(leak),
    ]
    if leak.reduction != "none":
        sentences.append("For rho, several columns were reduced to one sequence, which loses information.")
    if any("text" in (column.original_kind, column.released_kind) for column in leak.columns):
        sentences.append("Text is compared by alphabetical rank; linear and dist then use ranks.")
    nulls = sum(column.nulls + column.released_nulls for column in leak.columns)
    if nulls:
        sentences.append(
            f"{counted(nulls, 'missing value')}: treated as a separate value, ranked below all others; linear and dist "
            "leave these rows out."
        )
    return sentences


def _compared_sentence(leak: Leak) -> str:
    if leak.pairs_compared:
        return (
            "We compared columns row by row: those with the same name closely, all others by equal values, rank and a "
            "coarse grid. We cannot see what only combinations of columns reveal, or dependence too weak for this "
            "many rows."
        )
    return (
        "We compared each column with the column of the same name, row by row. We cannot see what columns with "
        "different names reveal about each other, or dependence too weak for this many rows."
    )


def _help(leak: Leak) -> list[str]:
    worst = [column for column in leak.columns if column.leaks]
    sentences = []
    if worst:
        strongest = max(worst, key=lambda column: (column.mic or 0.0, column.mutual_information_bits))
        sentences.append(f"Leave {strongest.column} out, draw new values, or add more noise; then measure again.")
    if leak.matches:
        sentences.append("Renaming a column protects nobody: leave it out or draw new values.")
    if leak.rows_leak:
        sentences.append("Unchanged rows can be read without an attack: start with them.")
    if leak.rearranged:
        sentences.append("Reordering the rows protects nobody: their content must change.")
    if not sentences:
        sentences.append("Add more noise or draw new values; then measure again.")
    return sentences


def dependence_table(leak: Leak) -> TableBlock:
    """Return how much each released column, and all of them together, reveal about the original."""
    ordered = sorted(leak.columns, key=lambda column: (not column.leaks, -(column.mic or 0.0)))
    hidden = len(ordered) - _SHOWN
    rows = [*ordered[:_SHOWN], *([leak.together] if leak.together is not None else [])]
    more = f" {counted(hidden, 'more column')} in --json." if hidden > 0 else ""
    sample = f" MIC from {counted(leak.mic_rows, 'row')} drawn at random." if leak.mic_rows < leak.n_rows else ""
    tested = f" p from {counted(leak.test_rows, 'row')}." if leak.test_rows < leak.n_rows else ""
    level = next((column.threshold for column in leak.columns if column.threshold is not None), None)
    limit = (
        f"; a leak at {share(level)} or less, or if more values are unchanged than by chance"
        if level is not None
        else ""
    )
    in_any_order = all(column.null == "shuffles" for column in rows)
    released = "shuffled release" if in_any_order else "release without a link"
    chance = f"the same figure for a {released}"
    together = " together: all columns as one sequence." if leak.together is not None else ""
    return TableBlock(
        "How much each released column reveals about its original",
        ("column", "MIC", "chance", "bits", "chance", "linear", "rank", "dist", "p", "leak")
        + (() if in_any_order else ("against",)),
        [_row(column, against=not in_any_order) for column in rows],
        left=(0,) if in_any_order else (0, 10),
        caption=f"chance: {chance}. bits: mutual information. linear: Pearson. rank: Spearman. dist: distance "
        f"correlation. p: how often a {released} shows as much{limit}.{together}{sample}{tested}{more}",
        emphasis=tuple(index for index, column in enumerate(rows) if column.leaks),
    )


def _row(column: ColumnDependence, *, against: bool) -> list[str]:
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
        *([_AGAINST.get(column.null, column.null)] if against else []),
    ]


def unchanged_table(leak: Leak) -> TableBlock:
    """Return how many rows and values are the same in both tables, and how many would be the same by chance."""
    figures = [
        (column.column, column.unchanged, column.unchanged_by_chance, column.unchanged_probability)
        for column in leak.columns
    ]
    figures.sort(key=lambda figure: 1.0 if figure[3] is None else figure[3])
    hidden = len(figures) - _SHOWN
    figures = figures[:_SHOWN]
    if len(leak.columns) > 1 and leak.rows_unchanged_by_chance is not None:
        figures.insert(
            0, ("whole rows", leak.rows_unchanged, leak.rows_unchanged_by_chance, leak.rows_unchanged_probability)
        )
    level = leak.unchanged_threshold
    beyond = [chance is not None and level is not None and chance <= level for *_, chance in figures]
    by_shifts = "shifts" in {leak.rows_unchanged_null, *(column.unchanged_null for column in leak.columns)}
    how = "in a release in random order" + (", or the most at any shift along the rows" if by_shifts else "")
    limit = f"; beyond chance at {share(level)} or less" if level is not None else ""
    more = f" {counted(hidden, 'more column')} in --json." if hidden > 0 else ""
    return TableBlock(
        "Unchanged values",
        ("values", "unchanged", "by chance", "probability", "beyond chance"),
        [
            [name, count(number), decimal(expected), probability(chance), "yes" if is_beyond else "no"]
            for (name, number, expected, chance), is_beyond in zip(figures, beyond, strict=True)
        ],
        caption=f"unchanged: rows with the same value in both tables. by chance: {how}. probability: of at least as "
        f"many by chance (upper bound){limit}.{more}",
        emphasis=tuple(index for index, is_beyond in enumerate(beyond) if is_beyond),
    )


def matches_table(leak: Leak) -> TableBlock:
    """Return the released columns that match an original column with a different name."""
    return TableBlock(
        "Released columns that match an original column with a different name",
        ("released", "original", "unchanged", "by chance", "probability", "MIC", "chance", "rank", "p"),
        [
            [
                match.released,
                match.original,
                count(match.unchanged),
                decimal(match.unchanged_by_chance),
                probability(match.unchanged_probability),
                fixed(match.mic),
                fixed(match.mic_chance),
                fixed(match.spearman),
                share(match.p_value),
            ]
            for match in leak.matches[:_SHOWN]
        ],
        left=(0, 1),
        caption=f"We compared {counted(leak.pairs_compared, 'pair')} of columns with different names. p: how often "
        "any of them shows as much dependence by chance; - if unchanged values decide.",
    )


def irregularity_table(leak: Leak) -> TableBlock:
    """Return the figures of S4."""
    how = {"none": "", "pca": ", columns reduced by PCA", "tsne": ", columns reduced by t-SNE"}[leak.reduction]
    choice = "the shortest with the largest entropy" if leak.order_chosen else "as given"
    delay = f", delay {leak.delay}" if leak.delay > 1 else ""
    weighted = " of the patterns given" if leak.patterns is not None else ""
    rows = [
        [f"permutation entropy{weighted}, bits", bits(leak.original_entropy_bits), bits(leak.released_entropy_bits)],
        ["rho1, rho2: degree of anonymity", fixed(leak.rho1, 4), fixed(leak.rho2, 4)],
        ["ceiling of rho", fixed(leak.ceiling, 4), fixed(leak.ceiling, 4)],
        ["gamma: amplification", "", fixed(leak.gamma, 4)],
        ["r1: information coefficient", "", fixed(leak.r1, 4)],
        ["epsilon: implied lower bound", "", fixed(leak.epsilon, 4)],
    ]
    return TableBlock(
        f"Irregularity of the rows (pattern length {leak.order}, {choice}{delay}{how})",
        ("figure", "original", "release"),
        rows,
        caption="Figures of Odoh (S4). gamma, r1 and epsilon grow when risk falls.",
    )


def _scales_table(leak: Leak) -> TableBlock:
    """Return the degrees of anonymity at coarser scales."""
    return TableBlock(
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
