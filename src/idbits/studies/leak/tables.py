"""The tables of an answer of ``idbits leak``."""

from __future__ import annotations

from idbits.render.blocks import Table
from idbits.render.numbers import bits, count, decimal, fixed, probability, share
from idbits.studies.leak.result import ColumnDependence, Leak
from idbits.wording import counted

__all__ = ["dependence_table", "irregularity_table", "matches_table", "scales_table", "unchanged_table"]

_SHOWN = 60
_AGAINST = {"shuffles": "shuffles", "shifts": "shifts", "differences": "changes"}


def dependence_table(leak: Leak) -> Table:
    """Return how much each released column, and all together, tell of the original."""
    ordered = sorted(leak.columns, key=lambda column: (not column.leaks, -(column.mic or 0.0)))
    hidden = len(ordered) - _SHOWN
    rows = [*ordered[:_SHOWN], *([leak.together] if leak.together is not None else [])]
    more = f" {counted(hidden, 'more column')} in --json." if hidden > 0 else ""
    sample = f" MIC from {counted(leak.mic_rows, 'row')} drawn at random." if leak.mic_rows < leak.n_rows else ""
    tested = f" p from {counted(leak.test_rows, 'row')}." if leak.test_rows < leak.n_rows else ""
    level = next((column.threshold for column in leak.columns if column.threshold is not None), None)
    limit = (
        f"; a leak at {share(level)} or less, or if more values are unchanged than chance gives"
        if level is not None
        else ""
    )
    in_any_order = all(column.null == "shuffles" for column in rows)
    released = "shuffled release" if in_any_order else "release without any link"
    chance = "the same when the release is shuffled" if in_any_order else f"the same for a {released}"
    together = " together: all columns as one sequence." if leak.together is not None else ""
    return Table(
        "How much each released column tells of its original",
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


def unchanged_table(leak: Leak) -> Table:
    """Return how many rows and values are the same in both tables, and how many would be by chance."""
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
    return Table(
        "What came through unchanged",
        ("values", "unchanged", "by chance", "probability", "beyond chance"),
        [
            [name, count(number), decimal(expected), probability(chance), "yes" if found else "no"]
            for (name, number, expected, chance), found in zip(figures, beyond, strict=True)
        ],
        caption=f"unchanged: rows with the same value in both tables. by chance: {how}. probability: chance gives as "
        f"many at most so often{limit}.{more}",
        emphasis=tuple(index for index, found in enumerate(beyond) if found),
    )


def matches_table(leak: Leak) -> Table:
    """Return which released column matches which original column of another name."""
    return Table(
        "Released columns that match an original column of another name",
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
        caption=f"{counted(leak.pairs_compared, 'pair')} of columns with different names were compared. p: how often "
        "any of them shows as much dependence by chance; - if unchanged values decide.",
    )


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


def scales_table(leak: Leak) -> Table:
    """Return the degrees of anonymity at coarser scales."""
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
