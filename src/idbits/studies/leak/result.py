"""The answer of ``idbits leak``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.serialisation import JsonObject, UncheckedData
from idbits.studies.shared.verdict_text import VerdictText

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart

__all__ = ["ColumnDependence", "ColumnMatch", "Conditional", "Leak", "OrderEntropy", "Scale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDependence:
    """How much a released column reveals about its original.

    Attributes:
        column: its name; ``together`` for all columns as one sequence.
        original_kind, released_kind: how its values were compared: number, date, moment or text.
        nulls, released_nulls: nulls, which count as a separate value below all others.
        mic, mic_chance: the maximal information coefficient, and its value for a shuffled or shifted release.
        mutual_information_bits, mutual_information_chance_bits: the same for mutual information.
        pearson, spearman, distance_correlation: correlations; None if one side is constant.
        p_value: how often a release without any link shows as much; None if unknown.
        threshold: the column leaks if the p-value is at most this.
        leaks: whether it leaks, by its dependence or its unchanged values; None if undecided.
        null: what the release was compared with: ``shuffles``, ``shifts`` along the rows, or ``differences``, the
            changes from row to row, shuffled or shifted.
        unchanged, unchanged_by_chance: rows in which both sides have the same value, and their number by chance.
        unchanged_probability: the probability of at least as many by chance: a bound for shuffles, an estimate for
            shifts.
        unchanged_null: what chance means for unchanged values: ``shuffles`` or ``shifts``.
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
    """A released column that matches an original column with a different name: renamed, swapped or derived from it.

    Attributes:
        original, released: the names of the two columns.
        unchanged, unchanged_by_chance, unchanged_probability: as for a column; None if the kinds differ.
        spearman, mic, mic_chance: as for a column.
        p_value: how often any of the pairs shows as much dependence by chance; None if equal values decide.
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
    """The degrees of both sequences at a coarser scale: means of ``scale`` neighbouring rows."""

    scale: int
    n_rows: int
    rho1: float
    rho2: float
    ceiling: float
    saturated: bool


@dataclass(frozen=True, slots=True)
class Conditional:
    """How uncertain the next pattern is if the present one is known, in both sequences."""

    original_bits: float
    released_bits: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Leak(Answer):
    """Whether a release still leaks its original.

    Attributes:
        n_rows: rows compared.
        order, delay: the length of the ordinal patterns, and the distance between their values.
        order_chosen: whether the order was chosen as in S4.
        reduction: how several columns became one sequence: none, pca or tsne.
        rho1, rho2: degrees of anonymity of original and release, H / log2 m.
        ceiling: the largest possible degree.
        saturated: whether a degree is within 0.5% of the ceiling, where it decides nothing.
        gamma, r1, epsilon: S4's amplification and figures derived from it; they grow when risk falls.
        change: whether S4's risk rises, falls, does not change (none), or is undecided.
        conclusion: the verdict in one word: leaks, no leak seen or undecided.
        columns: the dependence of each released column on its original.
        together: the same for all columns as one sequence, reduced as for rho; None if there is only one column.
        matches: released columns that match an original column with a different name.
        pairs_compared: the number of pairs of columns with different names that were compared.
        rows_unchanged: rows that are the same in all columns that both tables have.
        rows_unchanged_by_chance: their number by chance; None if rows cannot be compared.
        rows_unchanged_probability: the probability of at least as many by chance: a bound for shuffles, an estimate
            for shifts.
        rows_unchanged_null: what chance means for unchanged rows: ``shuffles`` or ``shifts`` of the release.
        rows_leak: whether more rows are unchanged than by chance.
        unchanged_threshold: rows or values are unchanged beyond chance if their probability is at most this.
        rearranged: whether the release is the original with its rows in a different order.
        undecided_because: why the verdict is undecided; None if it is decided.
    """

    command: ClassVar[str] = "leak"
    _main_table: ClassVar[str] = "columns"
    json_keys: ClassVar = (
        "verdict=conclusion", "change", "n_rows", "rho1", "rho2", "ceiling", "saturated", "order", "order_chosen",
        "delay", "reduction", "original_entropy_bits", "released_entropy_bits", "gamma", "r1", "epsilon", "tolerance",
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
    conclusion: str
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

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return why the verdict is undecided."""
        reasons = saved_value(dict[str, str], data.get("reasons") or {}, "reasons")
        return {"undecided_because": reasons.get("verdict")}

    @property
    def verdict(self) -> VerdictText:
        """The verdict as a word (leaks, no leak seen or undecided), with its headline, level and reasons."""
        verdict = super().verdict
        return VerdictText(self.conclusion, verdict.level, verdict.reasons, verdict.title)

    def __repr__(self) -> str:
        from idbits.render.numbers import to_places

        rho1, rho2 = to_places(self.rho1, 4), to_places(self.rho2, 4)
        return (
            f"Leak(verdict={self.conclusion!r}, change={self.change!r}, order={self.order}, rho1={rho1}, "
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
            reasons |= dict.fromkeys(figures, "no row can be the same: a column has another kind or another name")
        if self.together is None:
            reasons["together"] = "there is only one column"
        return reasons

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.leak.charts import charts_of

        return charts_of(self)

    def chart(self) -> JsonObject:
        """Return S4's figure 2, entropy by order, as a Vega-Lite specification."""
        from idbits.studies.leak.charts import entropy_chart

        points = [(point.order, point.original_bits, point.released_bits) for point in self.entropy_curve]
        return entropy_chart(points, self.order)
