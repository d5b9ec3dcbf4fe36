"""The figures of a measurement as attributes of the measurement itself."""

from __future__ import annotations

from idbits.counts import GroupSizes, Spectrum
from idbits.measures.anonymity import GainRow, SetSizes
from idbits.studies.shared.figures import Figures

__all__ = ["MeasuredFigures"]


class MeasuredFigures:
    """Every figure of ``figures`` is also an attribute of the answer: ``measurement.entropy_bits``."""

    figures: Figures

    @property
    def n_rows(self) -> int:
        """Rows measured."""
        return self.figures.n_rows

    @property
    def n_people(self) -> int:
        """People measured."""
        return self.figures.n_people

    @property
    def n_reference(self) -> int:
        """People among whom group sizes are counted."""
        return self.figures.n_reference

    @property
    def n_sets(self) -> int | None:
        """Groups of people with the same values; None if groups overlap."""
        return self.figures.n_sets

    @property
    def k_min(self) -> int:
        """The smallest group."""
        return self.figures.k_min

    @property
    def k_max(self) -> int:
        """The largest group."""
        return self.figures.k_max

    @property
    def singletons(self) -> int | float:
        """Unique people; an expectation if one of several records is drawn."""
        return self.figures.singletons

    @property
    def entropy_bits(self) -> float:
        """The mean bits that people give away."""
        return self.figures.entropy_bits

    @property
    def max_entropy_bits(self) -> float:
        """The bits that single out everyone."""
        return self.figures.max_entropy_bits

    @property
    def k_hat(self) -> float:
        """The typical group size."""
        return self.figures.k_hat

    @property
    def guaranteed_singletons(self) -> float | None:
        """Unique people implied by the entropy alone."""
        return self.figures.guaranteed_singletons

    @property
    def degree_of_anonymity(self) -> float | None:
        """0 if everyone is unique, 1 if everyone has the same values."""
        return self.figures.degree_of_anonymity

    @property
    def mean_risk(self) -> float:
        """How often a guess within the right group is correct on average."""
        return self.figures.mean_risk

    @property
    def max_risk(self) -> float:
        """How often a guess within the smallest group is correct."""
        return self.figures.max_risk

    @property
    def kappa_nats(self) -> float | None:
        """The unevenness of the values."""
        return self.figures.kappa_nats

    @property
    def n_values(self) -> int | None:
        """The number of possible values."""
        return self.figures.n_values

    @property
    def set_sizes(self) -> SetSizes | None:
        """The sizes of groups: min, quartiles, mean and max; None if groups overlap."""
        return self.figures.set_sizes

    @property
    def people_at_most(self) -> dict[str, int | float]:
        """People in groups of at most a size."""
        return self.figures.people_at_most

    @property
    def people_below(self) -> dict[str, int | float]:
        """People in groups below a size."""
        return self.figures.people_below

    @property
    def people_exactly(self) -> dict[str, int | float]:
        """People in groups of a size."""
        return self.figures.people_exactly

    @property
    def bits_quantiles(self) -> dict[str, float] | None:
        """Quantiles of the bits that people give away."""
        return self.figures.bits_quantiles

    @property
    def renyi_bits(self) -> dict[str, float] | None:
        """Renyi entropies of several orders."""
        return self.figures.renyi_bits

    @property
    def gain_table(self) -> tuple[GainRow, ...]:
        """People by the bits that they give away at least."""
        return self.figures.gain_table

    @property
    def sizes(self) -> GroupSizes:
        """People by the size of their group."""
        return self.figures.sizes

    @property
    def spectrum(self) -> Spectrum | None:
        """The number of groups of each size; None if groups overlap."""
        return self.figures.spectrum

    @property
    def spectrum_pairs(self) -> list[tuple[int, int]] | None:
        """Group sizes, each with the number of groups."""
        return self.figures.spectrum_pairs

    @property
    def spectrum_people(self) -> list[int] | None:
        """The people of each group size."""
        return self.figures.spectrum_people

    @property
    def people_by_k(self) -> list[tuple[int, int | float]] | None:
        """Group sizes, each with the number of people, if groups overlap."""
        return self.figures.people_by_k

    @property
    def typical_size(self) -> float:
        """The median group size over groups or, if groups overlap, the typical group of people."""
        return self.figures.typical_size

    @property
    def standing(self) -> int:
        """The verdict as a number: 0 is worst; with 3, nobody stands out."""
        return self.figures.standing

    @property
    def main_reasons(self) -> dict[str, str]:
        """Why main figures that are None do not exist."""
        return self.figures.main_reasons

    def share(self, people: float) -> float:
        """Return people as a share of all people measured."""
        return self.figures.share(people)

    def people_between(self, least: int, most: int | None = None) -> int | float:
        """Return how many people are in groups of ``least`` to ``most``."""
        return self.figures.people_between(least, most)
