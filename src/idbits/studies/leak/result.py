"""What ``idbits leak`` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import JsonObject, plain_object

if TYPE_CHECKING:
    import pyarrow

__all__ = ["ColumnDependence", "ColumnMatch", "Conditional", "Leak", "OrderEntropy", "Scale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDependence:
    """How much a released column tells of its original.

    Attributes:
        column: its name; ``together`` for all columns as one sequence.
        original_kind, released_kind: how its values were compared: number, date, moment or text.
        nulls, released_nulls: empty cells, which are a value of their own below all others.
        mic, mic_chance: the maximal information coefficient, and what it is when the release is shuffled or shifted.
        mutual_information_bits, mutual_information_chance_bits: the same for mutual information.
        pearson, spearman, distance_correlation: correlations; None where a side is constant.
        p_value: how often a release without any link shows as much; None where that cannot be told.
        threshold: it leaks when the p-value is at most this.
        leaks: whether it does, by its dependence or its unchanged values; None where that cannot be told.
        null: what the release was compared with: ``shuffles``, ``shifts`` along the rows, or ``differences``, the
            changes from row to row, shuffled or shifted.
        unchanged, unchanged_by_chance: rows in which both sides have the same value, and how many chance would give.
        unchanged_probability: how often chance gives as many: with shuffles a bound, with shifts an estimate.
        unchanged_null: what chance was taken to be there: ``shuffles`` or ``shifts``.
        reasons: why a figure is None.
    """

    column: str
    original_kind: str
    released_kind: str
    nulls: int
    released_nulls: int
    mic: float | None
    mic_chance: float | None
    mutual_information_bits: float
    mutual_information_chance_bits: float | None
    pearson: float | None
    spearman: float | None
    distance_correlation: float | None
    p_value: float | None
    threshold: float | None
    leaks: bool | None
    null: str = "shuffles"
    unchanged: int | None = None
    unchanged_by_chance: float | None = None
    unchanged_probability: float | None = None
    unchanged_null: str | None = None
    reasons: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMatch:
    """A released column that matches an original column of another name: renamed, swapped, or made from it.

    Attributes:
        original, released: the names of the two columns.
        unchanged, unchanged_by_chance, unchanged_probability: as for a column; None where the kinds differ.
        spearman, mic, mic_chance: as for a column.
        p_value: how often any of the pairs shows as much dependence by chance; None where equal values decide.
        null: what the release was compared with: ``shuffles``, ``shifts`` or ``differences``.
        reasons: why a figure is None.
    """

    original: str
    released: str
    unchanged: int | None
    unchanged_by_chance: float | None
    unchanged_probability: float | None
    spearman: float | None
    mic: float | None
    mic_chance: float | None
    p_value: float | None
    null: str
    reasons: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OrderEntropy:
    """Permutation entropy of both sequences at one order (S4's figure 2)."""

    order: int
    original_bits: float
    released_bits: float


@dataclass(frozen=True, slots=True)
class Scale:
    """The degrees of both sequences at a coarser scale: means of so many neighbouring rows."""

    scale: int
    n_rows: int
    rho1: float
    rho2: float
    ceiling: float
    saturated: bool


@dataclass(frozen=True, slots=True)
class Conditional:
    """How uncertain the next pattern is when one is known, in both sequences."""

    original_bits: float
    released_bits: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Leak(Answer):
    """Whether a release still leaks its original.

    Attributes:
        n_rows: rows compared.
        order, delay: length of the ordinal patterns, and how far apart their values are.
        order_chosen: whether the order was found as S4 does.
        reduction: how several columns became one sequence: none, pca or tsne.
        rho1, rho2: degrees of anonymity of original and release, H / log2 m.
        ceiling: the largest degree that is possible.
        saturated: whether a degree is within 0.5% of it, so that it decides nothing.
        gamma, r1, epsilon: S4's amplification and what follows from it; they grow when risk falls.
        change: whether S4's risk rises, falls, stays (none), or that is undecided.
        verdict: leaks, no leak seen or undecided.
        columns: the dependence of each released column on its original.
        together: the same of all columns as one sequence, reduced as for rho; None for one column.
        matches: released columns that match an original column of another name.
        pairs_compared: how many pairs of columns with different names were compared.
        rows_unchanged: rows that are the same in all columns that both tables have.
        rows_unchanged_by_chance: how many chance would give; None where rows cannot be compared.
        rows_unchanged_probability: how often chance gives as many: with shuffles a bound, with shifts an estimate.
        rows_unchanged_null: what chance was taken to be: ``shuffles`` or ``shifts`` of the release.
        rows_leak: whether there are more than chance gives.
        unchanged_threshold: rows or values are unchanged beyond chance when their probability is at most this.
        rearranged: whether the release is the original with its rows in another order.
        undecided_because: why the verdict is undecided.
    """

    command: ClassVar[str] = "leak"
    json_keys: ClassVar = (
        "verdict", "change", "n_rows", "rho1", "rho2", "ceiling", "saturated", "order", "order_chosen", "delay",
        "reduction", "original_entropy_bits", "released_entropy_bits", "gamma", "r1", "epsilon", "tolerance",
        "rows_unchanged", "rows_unchanged_by_chance", "rows_unchanged_probability", "rows_unchanged_null",
        "rows_leak", "unchanged_threshold", "rearranged", "error_rate", "mic_rows", "test_rows", "pairs_compared",
        "seed", "columns", "together", "matches", "entropy_curve", "scales", "conditional", "patterns", "notes",
        "reasons",
    )  # fmt: skip

    original: str | None
    released: str | None
    n_rows: int
    order: int
    order_chosen: bool
    delay: int
    reduction: str
    original_entropy_bits: float
    released_entropy_bits: float
    rho1: float
    rho2: float
    ceiling: float
    saturated: bool
    gamma: float
    r1: float
    epsilon: float
    tolerance: float
    change: str
    verdict: str
    undecided_because: str | None
    columns: tuple[ColumnDependence, ...]
    rows_unchanged: int
    rearranged: bool
    error_rate: float
    mic_rows: int
    test_rows: int
    entropy_curve: tuple[OrderEntropy, ...]
    scales: tuple[Scale, ...] = ()
    conditional: Conditional | None = None
    patterns: dict[str, float] | None = None
    seed: int = 0
    notes: tuple[str, ...] = ()
    together: ColumnDependence | None = None
    matches: tuple[ColumnMatch, ...] = ()
    pairs_compared: int = 0
    rows_unchanged_by_chance: float | None = None
    rows_unchanged_probability: float | None = None
    rows_unchanged_null: str | None = None
    rows_leak: bool = False
    unchanged_threshold: float | None = None
    next_command: str | None = None

    def __repr__(self) -> str:
        from idbits.render.numbers import to_places

        rho1, rho2 = to_places(self.rho1, 4), to_places(self.rho2, 4)
        return (
            f"Leak(verdict={self.verdict!r}, change={self.change!r}, order={self.order}, rho1={rho1}, "
            f"rho2={rho2}, saturated={self.saturated}, columns={len(self.columns)})"
        )

    @property
    def leaking(self) -> tuple[str, ...]:
        """The names of the columns that leak."""
        return tuple(column.column for column in self.columns if column.leaks)

    @property
    def reasons(self) -> dict[str, str]:
        """Why some figures are None."""
        reasons = {"verdict": self.undecided_because} if self.undecided_because is not None else {}
        if self.rows_unchanged_by_chance is None:
            figures = ("rows_unchanged_by_chance", "rows_unchanged_probability", "rows_unchanged_null")
            reasons |= dict.fromkeys(figures, "no row can be the same: a column is of another kind or has another name")
        if self.together is None:
            reasons["together"] = "there is one column only"
        return reasons

    def to_arrow(self) -> pyarrow.Table:
        """Return one row per column as an Arrow table."""
        import pyarrow

        rows = [plain_object(column) for column in self.columns]
        return pyarrow.Table.from_pylist([{n: v for n, v in row.items() if n != "reasons"} for row in rows])

    def chart(self) -> JsonObject:
        """Return S4's figure 2, entropy against order, as a Vega-Lite specification."""
        from idbits.studies.leak.charts import entropy_chart

        points = [(point.order, point.original_bits, point.released_bits) for point in self.entropy_curve]
        return entropy_chart(points, self.order)
