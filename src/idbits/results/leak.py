"""What ``idbits leak`` returns."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from idbits.render.blocks import Block
from idbits.results.shown import Shown

__all__ = ["ColumnDependence", "Conditional", "Leak", "OrderEntropy", "Scale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDependence:
    """How much a released column tells of its original.

    Attributes:
        column: its name.
        original_kind, released_kind: how its values were compared: number, date, moment or text.
        nulls, released_nulls: empty cells, which are a value of their own below all others.
        mic, mic_chance: the maximal information coefficient, and what it is when the release is shuffled.
        mutual_information_bits, mutual_information_chance_bits: the same for mutual information.
        pearson, spearman, distance_correlation: correlations; None where a side is constant.
        p_value: how often a shuffled release shows as much; None where that cannot be told.
        threshold: it leaks when the p-value is at most this.
        leaks: whether it does; None where that cannot be told.
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
class Leak(Shown):
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
        rows_unchanged: rows that are the same in all compared columns.
        rearranged: whether the release is the original with its rows in another order.
        undecided_because: why the verdict is undecided.
    """

    command: ClassVar[str] = "leak"

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

    def __repr__(self) -> str:
        return (
            f"Leak(verdict={self.verdict!r}, change={self.change!r}, order={self.order}, rho1={self.rho1:.4f}, "
            f"rho2={self.rho2:.4f}, saturated={self.saturated}, columns={len(self.columns)})"
        )

    @property
    def leaking(self) -> tuple[str, ...]:
        """The names of the columns that leak."""
        return tuple(column.column for column in self.columns if column.leaks)

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        from idbits.results.leak_blocks import leak_blocks

        return leak_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data; the reference lists its keys."""
        simple = (
            "verdict", "change", "n_rows", "rho1", "rho2", "ceiling", "saturated", "order", "order_chosen", "delay",
            "reduction", "original_entropy_bits", "released_entropy_bits", "gamma", "r1", "epsilon", "tolerance",
            "rows_unchanged", "rearranged", "error_rate", "mic_rows", "test_rows", "seed",
        )  # fmt: skip
        data: dict[str, Any] = {name: getattr(self, name) for name in simple}
        data["columns"] = [asdict(column) for column in self.columns]
        data["entropy_curve"] = [asdict(point) for point in self.entropy_curve]
        data["scales"] = [asdict(scale) for scale in self.scales]
        data["conditional"] = asdict(self.conditional) if self.conditional is not None else None
        data["patterns"] = self.patterns
        data["notes"] = list(self.notes)
        data["reasons"] = {"verdict": self.undecided_because} if self.undecided_because is not None else {}
        return data

    def to_arrow(self) -> Any:
        """Return one row a column as an Arrow table."""
        import pyarrow

        return pyarrow.Table.from_pylist(
            [{name: value for name, value in asdict(c).items() if name != "reasons"} for c in self.columns]
        )

    def chart(self) -> dict[str, Any]:
        """Return S4's figure 2, entropy against order, as a Vega-Lite specification."""
        from idbits.render.entropy_chart import entropy_chart

        return entropy_chart(
            [(point.order, point.original_bits, point.released_bits) for point in self.entropy_curve], self.order
        )
