"""The models fitted to a sample, and how much they would vary.

Implements: SPEC page population.md, 8.1 (three layers), 8.5 (resampling) and 8.8b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, Spectrum
from idbits.measures.population.calibration import fit_calibration
from idbits.measures.population.goodness_of_fit import fit_probability
from idbits.measures.population.interval import half_distance, standard_deviation
from idbits.measures.population.local_gamma import LocalGamma, fit_local_gamma
from idbits.measures.population.log_linear import log_linear_pi
from idbits.measures.population.match_regression import MatchRegression, fit_match_regression
from idbits.measures.population.model import SetModel
from idbits.measures.population.pitman import PitmanModel, fit_pitman
from idbits.measures.population.sample import Sample
from idbits.measures.population.self_validation import SelfValidation, validate_sets, validate_spectrum
from idbits.measures.population.weights import determined_share, people_outside

__all__ = ["SMALL_FRACTION", "FittedModels", "bootstrap_spread", "fit_models", "prior_gap", "self_validation"]

SMALL_FRACTION = 0.01
"""Below this share of the population, a prior decides that the sample cannot overrule."""

_BOOTSTRAPS = 20


@dataclass(frozen=True, kw_only=True)
class FittedModels:
    """The models of a sample.

    Attributes:
        local_gamma: the model of the group sizes; None if they do not identify it.
        pitman: the model to compare with; None if the group sizes do not identify it.
        regression: match regression, if at least two columns are known.
        model: the model that answers, applied to the sets: match regression, or else local gamma.
        log_linear: pi if the columns had nothing to do with each other, if at least two are known.
        fit: the probability of so odd group sizes, if match regression is right.
        weight_share: the share of the variance of weights that the columns determine.
        g: with weights, the people outside the sample per person in it, set by set.
    """

    local_gamma: LocalGamma | None = None
    pitman: PitmanModel | None = None
    regression: MatchRegression | None = None
    model: SetModel | None = None
    log_linear: float | None = None
    fit: float | None = None
    weight_share: float | None = None
    g: Floats | None = None


def fit_models(sample: Sample) -> FittedModels:
    """Fit all models that the sample allows."""
    spectrum = sample.spectrum
    local_gamma, pitman = fit_local_gamma(spectrum), fit_pitman(spectrum)
    sets = sample.sets
    if sets is None or len(sets.codes) < 2:
        model = None if local_gamma is None else SetModel.of_spectrum(local_gamma, spectrum, sample.fraction)
        return FittedModels(local_gamma=local_gamma, pitman=pitman, model=model)
    regression = fit_match_regression(sets, sample.fraction, shares=sample.shares, most_sets=sample.most_sets)
    g = share = None
    if sample.weights is not None:
        share = determined_share(sample.weights, sets.people)
        g = people_outside(sample.weights, sets.people, share)
    return FittedModels(
        local_gamma=local_gamma,
        pitman=pitman,
        regression=regression,
        model=regression.separated(sample.weights, g, sample.most),
        log_linear=log_linear_pi(sets, sample.fraction),
        fit=fit_probability(regression.calibration, regression.cells),
        weight_share=share,
        g=g,
    )


def self_validation(sample: Sample, fits: FittedModels, seed: int) -> SelfValidation | None:
    """Try the method that answers on the sample itself."""
    if fits.regression is not None and sample.sets is not None:
        return validate_sets(sample.sets, sample.fraction, fits.regression.calibration.x, seed)
    return validate_spectrum(sample.spectrum, sample.fraction, seed)


def bootstrap_spread(sample: Sample, fits: FittedModels, seed: int) -> float:
    """Return the standard deviation of logit pi over refits of resampled sets."""
    rng = np.random.default_rng([seed, 2])
    regression = fits.regression

    def of_cells(fitted: MatchRegression) -> float | None:
        drawn = fitted.cells.with_sets(rng.poisson(fitted.cells.sets).astype(np.float64))
        return fitted.model_of(fit_calibration(drawn, sample.fraction, fitted.calibration.x), drawn).pi

    def of_sizes() -> float | None:
        counts = rng.poisson(sample.spectrum.sets).tolist()
        pairs = zip(sample.spectrum.sizes.tolist(), counts, strict=True)
        drawn = fit_local_gamma(Spectrum.of({size: sets for size, sets in pairs if sets}))
        return None if drawn is None else drawn.pi(sample.fraction)

    found = [of_sizes() if regression is None else of_cells(regression) for _ in range(_BOOTSTRAPS)]
    known = [pi for pi in found if pi is not None]
    return standard_deviation(known) if len(known) > 1 else 0.0


def prior_gap(regression: MatchRegression | None) -> float:
    """Return half the effect on logit pi of another prior of e, for samples of less than 1%."""
    if regression is None or regression.calibration.fraction >= SMALL_FRACTION:
        return 0.0
    fraction, cells = regression.calibration.fraction, regression.cells
    other = fit_calibration(cells, fraction, e_prior=math.log(fraction) - 4)
    refitted, fitted = (regression.model_of(each, cells).pi for each in (other, regression.calibration))
    return 0.0 if refitted is None or fitted is None else half_distance(refitted, fitted)
