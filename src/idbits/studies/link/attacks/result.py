"""The answer of an attack on synthetic data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from idbits.measures.linkage.success_rates import Risk
from idbits.render.numbers import to_places
from idbits.studies.shared.ruled_answer import RuledAnswer
from idbits.studies.shared.rules import CheckedRule
from idbits.studies.shared.serialisation import JsonObject, plain_object

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart

__all__ = ["SyntheticAttack"]

_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SyntheticAttack(RuledAnswer):
    """How often an attack on synthetic data succeeds. Experimental.

    Attributes:
        attack: ``singling-out``, ``linkability`` or ``inference``.
        n_synthetic, n_original, n_control: the records of the tables; no control table is None.
        n_attacks: how many attacks were made on original people, and as many on control people.
        rate: the share of attacks on original people that succeed, with its 95% interval.
        control: the same on control people, whom the synthetic data never saw.
        baseline: the same of an attacker who guesses without the synthetic records.
        risk: the success on original people beyond that on control people; without a control, the rate.
    """

    command: ClassVar[str] = "link"
    _main_table: ClassVar[str] = "rate_rows"
    json_keys: ClassVar = (
        "mode", "experimental", "attack", "n_synthetic", "n_original", "n_control", "left", "right",
        "neighbours", "infer", "known", "tolerance", "n_attacks", "rate", "control", "baseline", "risk", "rules",
        "reasons", "notes",
    )  # fmt: skip
    mode: ClassVar[str] = "synthetic"
    experimental: ClassVar[bool] = True

    attack: str
    n_synthetic: int
    n_original: int
    n_control: int | None
    left: tuple[str, ...] | None
    right: tuple[str, ...] | None
    neighbours: int | None
    infer: str | None
    known: tuple[str, ...] | None
    tolerance: float | None
    n_attacks: int
    rate: Risk
    control: Risk | None
    baseline: Risk
    risk: Risk | None
    rules: tuple[CheckedRule, ...] = ()
    filtered: bool = False
    notes: tuple[str, ...] = ()

    @property
    def rate_rows(self) -> list[JsonObject]:
        """Each rate with its interval; those that do not exist are left out."""
        named = {"rate": self.rate, "control": self.control, "baseline": self.baseline, "risk": self.risk}
        return [{"figure": name, **plain_object(each)} for name, each in named.items() if each is not None]

    def __repr__(self) -> str:
        risk = None if self.risk is None else self.risk.value
        shown = None if risk is None else to_places(risk, 4)
        return f"SyntheticAttack(attack={self.attack!r}, n_attacks={self.n_attacks}, risk={shown})"

    @property
    def is_better_than_guessing(self) -> bool:
        """Whether the attack succeeds more often than guessing."""
        return self.rate.value > self.baseline.value + _ROUNDING

    @property
    def reasons(self) -> dict[str, str]:
        """Why some figures are None."""
        other = f"not part of --attack {self.attack}"
        own = {
            "linkability": ("left", "right", "neighbours"),
            "inference": ("infer", "known", "tolerance"),
            "singling-out": (),
        }
        reasons = {name: other for kind, names in own.items() if kind != self.attack for name in names}
        if self.control is None:
            reasons |= dict.fromkeys(("control", "n_control"), "no control table was given (--control)")
        if self.risk is None:
            reasons["risk"] = "the attack always succeeds on the control, so nothing can remain"
        return reasons

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.link.attacks.charts import charts_of

        return charts_of(self)

    def charts(self) -> dict[str, JsonObject]:
        """Return the chart as a Vega-Lite specification."""
        from idbits.studies.link.attacks.charts import rate_chart

        return {"rates": rate_chart(self)}
