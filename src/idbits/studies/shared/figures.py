"""Figures: everything computed from one spectrum, in one place so that no two figures can contradict each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from idbits.counts import Spectrum
from idbits.measures import anonymity, entropy
from idbits.studies.shared.serialisation import Serialisable

__all__ = ["MAIN_FIGURES", "MANY_UNIQUE", "SMALL_GROUP", "Figures"]

MANY_UNIQUE = 0.01
"""The share of unique people at which a table should not be handed over."""

SMALL_GROUP = 5
"""Groups below this size are small."""

MAIN_FIGURES = (
    "n_rows", "n_sets", "k_min", "k_max", "singletons", "entropy_bits", "max_entropy_bits", "k_hat",
    "guaranteed_singletons", "mean_risk", "max_risk", "people_at_most", "people_below", "degree_of_anonymity",
    "kappa_nats", "n_values", "set_sizes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figures(Serialisable):
    """The figures of one quasi-identifier; the reference of the JSON output explains each of them."""

    json_keys: ClassVar = (
        *MAIN_FIGURES, "n_reference", "people_exactly", "bits_quantiles", "renyi_bits", "gain_table",
        "spectrum=spectrum_pairs", "spectrum_people", "reasons",
    )  # fmt: skip

    n_rows: int
    n_reference: int
    n_sets: int
    k_min: int
    k_max: int
    singletons: int
    entropy_bits: float
    max_entropy_bits: float
    k_hat: float
    guaranteed_singletons: float | None
    degree_of_anonymity: float | None
    mean_risk: float
    max_risk: float
    kappa_nats: float | None
    n_values: int
    set_sizes: anonymity.SetSizes
    people_at_most: dict[str, int]
    people_below: dict[str, int]
    people_exactly: dict[str, int]
    bits_quantiles: dict[str, float]
    renyi_bits: dict[str, float] | None
    gain_table: tuple[anonymity.GainRow, ...]
    spectrum: Spectrum

    @classmethod
    def of(cls, spectrum: Spectrum, n_values: int | None = None) -> Figures:
        """Compute the figures of a spectrum; ``n_values`` is the number of possible values, if known."""
        k_min = int(spectrum.sizes[0]) if len(spectrum.sizes) else 0
        return cls(
            entropy_bits=entropy.entropy_bits(spectrum),
            n_rows=spectrum.n_people,
            n_reference=spectrum.n_reference,
            n_sets=spectrum.n_sets,
            k_min=k_min,
            k_max=int(spectrum.sizes[-1]),
            singletons=int(spectrum.people[spectrum.sizes == 1].sum()),
            max_entropy_bits=entropy.max_entropy_bits(spectrum),
            k_hat=entropy.estimated_anonymity(spectrum),
            guaranteed_singletons=entropy.guaranteed_singletons(spectrum),
            degree_of_anonymity=entropy.degree_of_anonymity(spectrum),
            mean_risk=anonymity.mean_risk(spectrum),
            max_risk=1 / k_min,
            kappa_nats=entropy.kappa_nats(spectrum, n_values),
            n_values=spectrum.n_values if n_values is None else n_values,
            set_sizes=anonymity.set_sizes(spectrum),
            people_at_most=anonymity.people_at_most(spectrum),
            people_below=anonymity.people_below(spectrum),
            people_exactly=anonymity.people_exactly(spectrum),
            bits_quantiles=anonymity.bits_quantiles(spectrum),
            renyi_bits=entropy.renyi_bits(spectrum),
            gain_table=tuple(anonymity.gain_table(spectrum)),
            spectrum=spectrum,
        )

    def share(self, people: int) -> float:
        """Return people as a share of all people measured."""
        return people / self.n_rows

    @property
    def standing(self) -> int:
        """The verdict as a number: 0 is worst; with 3, nobody stands out.

        >>> tuple(Figures.of(Spectrum.of(k)).standing for k in ({1: 1, 9: 1}, {1: 1, 999: 1}, {2: 1, 9: 1}, {9: 1}))
        (0, 1, 2, 3)
        """
        if self.singletons:
            return 0 if self.share(self.singletons) >= MANY_UNIQUE else 1
        return 2 if self.people_below[str(SMALL_GROUP)] else 3

    def people_between(self, least: int, most: int | None = None) -> int:
        """Return how many people are in groups of ``least`` to ``most``."""
        sizes = self.spectrum.sizes
        inside = sizes >= least if most is None else (sizes >= least) & (sizes <= most)
        return int(self.spectrum.people[inside].sum())

    @property
    def spectrum_pairs(self) -> list[tuple[int, int]]:
        """Group sizes, each with the number of groups."""
        return list(self.spectrum.pairs())

    @property
    def spectrum_people(self) -> list[int]:
        """The people of each group size."""
        return list(map(int, self.spectrum.people))

    @property
    def reasons(self) -> dict[str, str]:
        """Why figures that are None do not exist."""
        return self._reasons("guaranteed_singletons", "kappa_nats", "renyi_bits")

    @property
    def main_reasons(self) -> dict[str, str]:
        """Why main figures that are None do not exist."""
        return self._reasons("guaranteed_singletons", "kappa_nats")

    def _reasons(self, *need_own_reference: str) -> dict[str, str]:
        reasons = {}
        if self.guaranteed_singletons is None:
            reasons = dict.fromkeys(need_own_reference, "group sizes come from the population, not from the table")
        if self.degree_of_anonymity is None:
            reasons["degree_of_anonymity"] = "it needs at least two people"
        return reasons
