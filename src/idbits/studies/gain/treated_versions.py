"""What coarser views and treated versions of a table give away, and how useful they remain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.studies.gain.figures import GainFigures
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.serialisation import JsonObject, Serialisable, UncheckedData

__all__ = ["NOTHING_BEYOND_CHANCE", "Comparison", "SweepStep", "Utility"]

NOTHING_BEYOND_CHANCE = "in the original, no pair of columns is more strongly related than shuffled columns"


@dataclass(frozen=True, slots=True)
class SweepStep(Serialisable):
    """A coarser view of a feature, with its utility and what an attacker learns (S3 figure 8).

    Attributes:
        utility: the share kept of the bits beyond chance; None if the original has none.
        feature_utility: the same over pairs with this feature alone.
        kept_bits: the bits beyond chance that are kept, over the pairs that have any in the original.
        mutual_information_bits, chance_bits: the sums over all pairs, and what shuffled columns would show.
    """

    json_keys: ClassVar = (
        "column", "replaces", "rig_mean", "rig_p95", "pif", "mics", "people_at_threshold", "utility",
        "feature_utility", "kept_bits", "mutual_information_bits", "chance_bits", "?reasons",
    )  # fmt: skip

    column: str
    replaces: str | None
    rig_mean: float
    rig_p95: float
    pif: float
    mics: int
    people_at_threshold: int
    utility: float | None
    feature_utility: float | None
    kept_bits: float
    mutual_information_bits: float
    chance_bits: float

    @property
    def reasons(self) -> dict[str, str]:
        """Why utilities that are None do not exist."""
        reasons = {} if self.utility is not None else {"utility": NOTHING_BEYOND_CHANCE}
        if self.feature_utility is None:
            reasons["feature_utility"] = (
                "in the original, this column is not more strongly related to any other than shuffled columns"
            )
        return reasons


@dataclass(frozen=True, slots=True)
class Utility(Serialisable):
    """How far a treated table preserves the relationships of columns: of all pairs, or of those with the target.

    Attributes:
        kept: treated_bits / original_bits; None if no pair of the original is beyond chance.
        original_bits, treated_bits: mutual information less its chance level, over the pairs of the original that are
            beyond chance.
        pairs, pairs_beyond_chance: the number of pairs in the original, and of those that count.
        original_mutual_information_bits, treated_mutual_information_bits: mutual information over all pairs,
            including chance.
        original_chance_bits, treated_chance_bits: what shuffled columns would show on average, over all pairs.
    """

    json_keys: ClassVar = (
        "kept", "target", "original_bits", "treated_bits", "pairs", "pairs_beyond_chance",
        "original_mutual_information_bits", "original_chance_bits", "treated_mutual_information_bits",
        "treated_chance_bits", "?reasons",
    )  # fmt: skip

    kept: float | None
    target: str | None
    original_bits: float
    treated_bits: float
    pairs: int
    pairs_beyond_chance: int
    original_mutual_information_bits: float
    original_chance_bits: float
    treated_mutual_information_bits: float
    treated_chance_bits: float

    @property
    def reasons(self) -> dict[str, str]:
        """Why ``kept`` is None, if it is."""
        return {} if self.kept is not None else {"kept": NOTHING_BEYOND_CHANCE}


@dataclass(frozen=True, slots=True)
class Comparison(Serialisable):
    """A treated version of the table.

    Attributes:
        figures: its figures.
        missing: columns that it lacks.
        utility: how far it preserves the relationships between columns.
        rig_curves: (bits, people of the original above them, people of the treated table above them).
    """

    json_keys: ClassVar = ("*figures", "missing", "utility", "rig_curves=rig_curve_points")

    source: str | None
    figures: GainFigures
    missing: tuple[str, ...]
    utility: Utility
    rig_curves: tuple[tuple[float, int, int], ...]

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the curves."""
        points = saved_value(list[dict[str, Any]], data["rig_curves"], "rig_curves")
        rows = [(point["bits"], point["original"], point["treated"]) for point in points]
        return {"rig_curves": saved_value(tuple[tuple[float, int, int], ...], rows, "rig_curves")}

    @property
    def rig_curve_points(self) -> list[JsonObject]:
        """The curves as plain data."""
        return [{"bits": bits, "original": original, "treated": treated} for bits, original, treated in self.rig_curves]
