"""A model of a population, applied to the sets of a sample: the figures of the population, and those of each set.

Implements: SPEC page population.md, section 8 (the figures), 8.2 step 3, 8.5 (the scalar S), 8.6 (weights).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from idbits.counts import Floats, Spectrum
from idbits.measures.population import posterior
from idbits.measures.population.local_gamma import LocalGamma

__all__ = ["THRESHOLDS", "PopulationFigures", "SetModel"]

THRESHOLDS = (2, 5, 10)

_LOG_SCALES = (-12.0, 12.0)


@dataclass(frozen=True, slots=True)
class PopulationFigures:
    """What a model says about the population; the specification defines each figure."""

    pi: float | None
    tau1: float
    tau2: float
    unique_share: float
    uniques: float
    correctness: float
    entropy_bits: float
    k_hat: float
    people_below: dict[str, float]


@dataclass(frozen=True, eq=False)
class SetModel:
    """Cells of sets that are alike to a model, and what it believes about their size in the population.

    Attributes:
        people: c, the people of each set of a cell in the sample.
        sets: the number of sets in the cell.
        weights: the people of the population that the people in these sets stand for.
        alpha: the shape of the main part.
        mu: its mean rate, in sample units.
        rare: the probability of the rare part.
        rare_rate: its mean rate.
        g: the people outside the sample per person in it.
        most: the largest possible size in the population, where a marginal limits it.
        scale: the scalar S, which multiplies the rates.
    """

    people: Floats
    sets: Floats
    weights: Floats
    alpha: Floats
    mu: Floats
    rare: Floats
    rare_rate: float
    g: Floats
    most: Floats | None = None
    scale: float = 1.0

    PER_CELL: ClassVar = ("people", "sets", "weights", "alpha", "mu", "rare", "g")

    @classmethod
    def of_spectrum(cls, model: LocalGamma, spectrum: Spectrum, fraction: float) -> SetModel:
        """Return the model that local gamma fits to group sizes: sigma and kap are alpha and mu (8.3)."""
        people = spectrum.sizes.astype(np.float64)
        sets = spectrum.sets.astype(np.float64)
        every, none = np.ones(len(people)), np.zeros(len(people))
        return cls(
            people, sets, people * sets / fraction, model.alpha * every, model.mu * every, none, 0.0,
            (1 - fraction) / fraction * every,
        )  # fmt: skip

    def among(self, people: float) -> SetModel:
        """Return the same fit for a population of another size, at least that of the sample."""
        n = math.fsum(self.people * self.sets)
        every = np.ones(len(self.people))
        return replace(self, g=(people - n) / n * every, weights=self.people * self.sets * (people / n), most=None)

    def scaled(self, scale: float) -> SetModel:
        """Return the model with its rates multiplied; the shapes and the rare part stay."""
        return replace(self, scale=scale)

    @cached_property
    def p_unique(self) -> Floats:
        """P(F = 1) of each cell."""
        found = self._mixed(posterior.probability_unique)
        return found if self.most is None else np.where(self.most == 1, 1.0, found)

    @cached_property
    def match(self) -> Floats:
        """E[1/F] of each cell: how often a match to the set, guessed within it, is right."""
        found = self._mixed(posterior.mean_inverse)
        return found if self.most is None else np.where(self.most == 1, 1.0, np.maximum(found, 1 / self.most))

    @cached_property
    def mean_log(self) -> Floats:
        """E[ln F] of each cell."""
        found = self._mixed(posterior.mean_log)
        return found if self.most is None else np.minimum(found, np.log(self.most))

    def below(self, limit: int) -> Floats:
        """P(F < limit) of each cell."""

        def probability(people: Floats, shape: Floats, odds: Floats) -> Floats:
            return posterior.probability_below(limit, people, shape, odds)

        found = self._mixed(probability)
        return found if self.most is None else np.where(self.most < limit, 1.0, found)

    @property
    def pi(self) -> float | None:
        """The share of sample uniques that are population uniques; None if nobody is unique in the sample."""
        alone = self.people == 1
        uniques = float(self.sets[alone].sum())
        return math.fsum(self.sets[alone] * self.p_unique[alone]) / uniques if uniques else None

    def figures(self) -> PopulationFigures:
        """Return all figures of the population."""
        alone = self.people == 1
        tau1 = math.fsum(self.sets[alone] * self.p_unique[alone])
        uniques = math.fsum(self.weights[alone] * self.p_unique[alone])
        people = math.fsum(self.weights)
        hidden_bits = math.fsum(self.weights * self.mean_log) / people / math.log(2)
        return PopulationFigures(
            pi=self.pi,
            tau1=tau1,
            tau2=math.fsum(self.sets[alone] * self.match[alone]),
            unique_share=uniques / people,
            uniques=uniques,
            correctness=math.fsum(self.weights * self.match) / people,
            entropy_bits=math.log2(people) - hidden_bits,
            k_hat=math.exp2(hidden_bits),
            people_below={
                str(limit): uniques if limit == 2 else math.fsum(self.weights * self.below(limit))
                for limit in THRESHOLDS
            },
        )

    def reaching(self, pi: float) -> SetModel:
        """Return the model scaled so that its pi is this one, or as near as a scale can bring it."""
        alone = np.flatnonzero(self.people == 1)
        only = replace(
            self, **{name: getattr(self, name)[alone] for name in self.PER_CELL},
            most=None if self.most is None else self.most[alone],
        )  # fmt: skip

        def excess(log_scale: float) -> float:
            reached = only.scaled(math.exp(log_scale)).pi
            assert reached is not None
            return reached - pi

        low, high = _LOG_SCALES
        if excess(low) <= 0:
            return self.scaled(math.exp(low))
        if excess(high) >= 0:
            return self.scaled(math.exp(high))
        return self.scaled(math.exp(float(brentq(excess, low, high, xtol=1e-10))))

    def _mixed(self, part: posterior.Part) -> Floats:
        """Return a figure of the main part and of the rare part, mixed by their probabilities."""
        c, grown = self.people, self.scale * self.mu
        found = part(c, self.alpha + c - 1, self.g * grown / (self.alpha + grown))
        has_rare = np.flatnonzero(self.rare > 0)
        if len(has_rare):
            rate = self.scale * self.rare_rate
            rare = part(c[has_rare], c[has_rare], self.g[has_rare] * rate / (1 + rate))
            found[has_rare] += self.rare[has_rare] * (rare - found[has_rare])
        return found
