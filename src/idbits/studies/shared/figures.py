"""Figures: everything computed from one spectrum, in one place so that no two figures can contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from idbits.counts import GroupSizes, PeopleBySize, Spectrum
from idbits.errors import InputError
from idbits.measures import anonymity, entropy
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.serialisation import Serialisable, UncheckedData

__all__ = ["MAIN_FIGURES", "MANY_UNIQUE", "SMALL_GROUP", "Figures", "MainFigures"]

MANY_UNIQUE = 0.01
"""The share of unique people at which a table should not be handed over."""

SMALL_GROUP = 5
"""Groups below this size are small."""

_OF_PARTITION = ("n_sets", "n_values", "kappa_nats", "set_sizes")
"""Main figures that exist only if everyone is in exactly one group."""

MAIN_FIGURES = (
    "n_rows", "n_people", "n_sets", "k_min", "k_max", "singletons", "entropy_bits", "max_entropy_bits", "k_hat",
    "guaranteed_singletons", "mean_risk", "max_risk", "people_at_most", "people_below", "degree_of_anonymity",
    "kappa_nats", "n_values", "set_sizes",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class MainFigures(Serialisable):
    """The main figures of one quasi-identifier or of a single column; the JSON reference explains each of them.

    Attributes:
        n_rows, n_people: rows and people measured.
        n_sets: groups of people with the same values; None if groups overlap.
        k_min, k_max: the smallest and the largest group.
        singletons: unique people.
        entropy_bits, max_entropy_bits: the mean bits that people give away, and those that single out everyone.
        k_hat: the typical group size.
        guaranteed_singletons: unique people implied by the entropy alone.
        degree_of_anonymity: 0 if everyone is unique, 1 if everyone has the same values.
        mean_risk, max_risk: how often a guess within the right group is correct, on average and at most.
        kappa_nats, n_values: the unevenness of the values, and the number of possible values.
        set_sizes: the sizes of the groups.
        people_at_most, people_below: people in groups of at most, and below, a size.
    """

    json_keys: ClassVar[tuple[str, ...]] = (*MAIN_FIGURES, "reasons=main_reasons")

    n_rows: int
    n_people: int
    n_sets: int | None
    k_min: int
    k_max: int
    singletons: int | float
    entropy_bits: float
    max_entropy_bits: float
    k_hat: float
    guaranteed_singletons: float | None
    degree_of_anonymity: float | None
    mean_risk: float
    max_risk: float
    kappa_nats: float | None
    n_values: int | None
    set_sizes: anonymity.SetSizes | None
    people_at_most: dict[str, int | float]
    people_below: dict[str, int | float]

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the people of saved figures; in version 0.1.0 every row was a person."""
        return {"n_people": saved_value(int, data.get("n_people", data["n_rows"]), "n_people")}

    @property
    def typical_size(self) -> float:
        """The median group size over groups or, if groups overlap, the typical group of people."""
        return self.set_sizes.median if self.set_sizes is not None else self.k_hat

    def share(self, people: float) -> float:
        """Return people as a share of all people measured."""
        return people / self.n_people

    @property
    def standing(self) -> int:
        """The verdict as a number: 0 is worst; with 3, nobody stands out.

        Examples:
            >>> tuple(Figures.of(Spectrum.of(k)).standing for k in ({1: 1, 9: 1}, {1: 1, 999: 1}, {2: 1, 9: 1}, {9: 1}))
            (0, 1, 2, 3)
        """
        if self.singletons:
            return 0 if self.share(self.singletons) >= MANY_UNIQUE else 1
        return 2 if self.people_below[str(SMALL_GROUP)] else 3

    @property
    def main_reasons(self) -> dict[str, str]:
        """Why main figures that are None do not exist."""
        return self._reasons(*_OF_PARTITION)

    def _reasons(self, *of_partition: str) -> dict[str, str]:
        reasons = {}
        if self.n_sets is None:
            reasons = dict.fromkeys(of_partition, "people have several records, so groups overlap")
        if self.guaranteed_singletons is None:
            from_population = [key for key in ("kappa_nats", "renyi_bits") if key in (*of_partition, "kappa_nats")]
            missing = ("guaranteed_singletons", *from_population)
            reasons |= dict.fromkeys(missing, "group sizes come from the population, not from the table")
        if self.degree_of_anonymity is None:
            reasons["degree_of_anonymity"] = "it needs at least two people"
        return reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures(MainFigures):
    """All figures of one quasi-identifier, computed from its spectrum.

    Attributes:
        n_reference: the people among whom group sizes are counted.
        people_exactly: people in groups of a size.
        bits_quantiles: quantiles of the bits that people give away.
        renyi_bits: Renyi entropies of several orders.
        gain_table: people by the bits that they give away at least.
        sizes: people by the size of their group.
    """

    json_keys: ClassVar[tuple[str, ...]] = (
        *MAIN_FIGURES, "n_reference", "people_exactly", "bits_quantiles", "renyi_bits", "gain_table",
        "spectrum=spectrum_pairs", "spectrum_people", "?people_by_k", "reasons",
    )  # fmt: skip

    n_reference: int
    people_exactly: dict[str, int | float]
    bits_quantiles: dict[str, float] | None
    renyi_bits: dict[str, float] | None
    gain_table: tuple[anonymity.GainRow, ...]
    sizes: GroupSizes

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the people and the group sizes of saved figures."""
        people = MainFigures._saved_fields(data)  # noqa: SLF001 (the class it is derived from)
        return {**people, "sizes": _saved_sizes({**data, **people})}

    @classmethod
    def of(
        cls,
        sizes: GroupSizes,
        n_values: int | None = None,
        *,
        n_rows: int | None = None,
        bits_quantiles: dict[str, float] | None = None,
    ) -> Figures:
        """Compute the figures of a spectrum, or of people whose groups overlap.

        Args:
            sizes: people by the size of their group.
            n_values: the number of possible values, if known.
            n_rows: the number of rows, if people have several.
            bits_quantiles: the quantiles, if one of several records is drawn: they need each person's mean.
        """
        spectrum = sizes if isinstance(sizes, Spectrum) else None
        entropy_bits = entropy.entropy_bits(sizes)
        if bits_quantiles is None and sizes.people.dtype.kind == "i":
            bits_quantiles = anonymity.bits_quantiles(sizes)
        k_min = int(sizes.sizes[0]) if len(sizes.sizes) else 0
        observed = spectrum.n_values if spectrum is not None else None
        return cls(
            entropy_bits=entropy_bits,
            n_rows=sizes.n_people if n_rows is None else n_rows,
            n_people=sizes.n_people,
            n_reference=sizes.n_reference,
            n_sets=spectrum.n_sets if spectrum is not None else None,
            k_min=k_min,
            k_max=int(sizes.sizes[-1]),
            singletons=anonymity.total(sizes.people[sizes.sizes == 1]),
            max_entropy_bits=entropy.max_entropy_bits(sizes),
            k_hat=entropy.estimated_anonymity(sizes),
            guaranteed_singletons=entropy.guaranteed_singletons(sizes),
            degree_of_anonymity=entropy.degree_of_anonymity(sizes),
            mean_risk=anonymity.mean_risk(sizes),
            max_risk=1 / k_min,
            kappa_nats=entropy.kappa_nats(spectrum, n_values) if spectrum is not None else None,
            n_values=observed if n_values is None else n_values,
            set_sizes=anonymity.set_sizes(spectrum) if spectrum is not None else None,
            people_at_most=anonymity.people_at_most(sizes),
            people_below=anonymity.people_below(sizes),
            people_exactly=anonymity.people_exactly(sizes),
            bits_quantiles=bits_quantiles,
            renyi_bits=entropy.renyi_bits(spectrum) if spectrum is not None else None,
            gain_table=tuple(anonymity.gain_table(sizes)),
            sizes=sizes,
        )

    @classmethod
    def merged(cls, parts: Sequence[Figures]) -> Figures:
        """Return the figures of several tables together; no group spans two of them."""
        spectra = [figures.spectrum for figures in parts if figures.spectrum is not None]
        if len(spectra) == len(parts):
            return cls.of(Spectrum.merged(spectra), n_rows=sum(figures.n_rows for figures in parts))
        merged = PeopleBySize.merged(figures.sizes for figures in parts)
        return cls.of(merged, n_rows=sum(figures.n_rows for figures in parts))

    @property
    def spectrum(self) -> Spectrum | None:
        """The spectrum; None if groups overlap."""
        return self.sizes if isinstance(self.sizes, Spectrum) else None

    def people_between(self, least: int, most: int | None = None) -> int | float:
        """Return how many people are in groups of ``least`` to ``most``."""
        sizes = self.sizes.sizes
        inside = sizes >= least if most is None else (sizes >= least) & (sizes <= most)
        return anonymity.total(self.sizes.people[inside])

    @property
    def spectrum_pairs(self) -> list[tuple[int, int]] | None:
        """Group sizes, each with the number of groups."""
        return self.spectrum.pairs() if self.spectrum is not None else None

    @property
    def spectrum_people(self) -> list[int] | None:
        """The people of each group size."""
        return list(map(int, self.spectrum.people)) if self.spectrum is not None else None

    @property
    def people_by_k(self) -> list[tuple[int, int | float]] | None:
        """Group sizes, each with the number of people, if groups overlap."""
        return self.sizes.pairs() if isinstance(self.sizes, PeopleBySize) else None

    @property
    def reasons(self) -> dict[str, str]:
        """Why figures that are None do not exist."""
        reasons = self._reasons(*_OF_PARTITION, "renyi_bits", "spectrum", "spectrum_people")
        if self.bits_quantiles is None:
            reasons["bits_quantiles"] = "they need each person's mean, which is not counted for several categories"
        return reasons


def _saved_sizes(data: Mapping[str, Any]) -> GroupSizes:
    """Return the sizes of groups from the keys that they were written to."""
    n_reference = saved_value(int, data["n_reference"], "n_reference")
    own = data["guaranteed_singletons"] is not None
    pairs = saved_value(tuple[tuple[int, int], ...] | None, data["spectrum"], "spectrum")
    if pairs is None:
        by_size = saved_value(tuple[tuple[int, int | float], ...], data["people_by_k"], "people_by_k")
        sizes, counted = (np.array(column) for column in zip(*by_size, strict=True))
        n_people = saved_value(int, data["n_people"], "n_people")
        return PeopleBySize(sizes.astype(np.int64), counted, n_people, n_reference, own)
    people = saved_value(tuple[int, ...], data["spectrum_people"], "spectrum_people")
    if not own:
        n_sets = sum(sets for _, sets in pairs)
        rows = [(size, sets, each) for (size, sets), each in zip(pairs, people, strict=True)]
        return Spectrum.against(rows, n_reference, n_sets)
    spectrum = Spectrum.of(pairs)
    if people != tuple(map(int, spectrum.people)):
        raise InputError("the people of the spectrum are not size times groups")
    return spectrum
