"""The estimate of a population from a sample, with its interval, its bounds, and whether it can be made at all.

Implements: SPEC page population.md, 8.1, 8.5, 8.6 and 8.8b.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from idbits.measures import anonymity, entropy
from idbits.measures.population.bounds import ModelFreeBounds, pi_bounds
from idbits.measures.population.estimated import Estimated
from idbits.measures.population.fits import (
    SMALL_FRACTION,
    FittedModels,
    bootstrap_spread,
    fit_models,
    prior_gap,
    self_validation,
)
from idbits.measures.population.goodness_of_fit import LEAST_FIT
from idbits.measures.population.interval import IntervalParts, half_way
from idbits.measures.population.limits import model_free_limits
from idbits.measures.population.model import THRESHOLDS, SetModel
from idbits.measures.population.pitman import NOT_IDENTIFIED
from idbits.measures.population.sample import Sample
from idbits.measures.population.self_validation import SelfValidation

__all__ = [
    "ESTIMABLE", "EXACT", "LOCAL_GAMMA", "MATCH_REGRESSION", "NOT_ESTIMABLE", "PopulationEstimate",
    "estimate_population",
]  # fmt: skip

MATCH_REGRESSION, LOCAL_GAMMA, EXACT = "match_regression", "local_gamma", "exact"
ESTIMABLE, NOT_ESTIMABLE = "estimable", "not estimable"

_LEAST_PEOPLE = 100
_LEAST_UNIQUES = 10
_LEAST_SHARED_SETS = 5
_WIDEST = 0.5

_FEW_PEOPLE = "the sample has fewer than 100 people"
_FEW_UNIQUES = "fewer than 10 people are unique in the sample"
_MISFIT = "the model does not reproduce the group sizes of the sample"
_REFUTED = "the sample itself contradicts the model"
_TOO_WIDE = "the sample leaves the answer open by more than 50 percentage points"
_FEW_ALIKE = "the sample is less than 1% of the population, and fewer than 5 groups in it have two or more people"


Figures = dict[str, Estimated]


@dataclass(frozen=True, kw_only=True)
class PopulationEstimate:
    """The answer.

    Attributes:
        method: ``match_regression``, ``local_gamma`` or ``exact``.
        estimability: ``estimable``, ``not estimable`` or ``exact``.
        reason: why it is not estimable.
        figures: pi, tau1, tau2, unique_share, uniques, correctness, entropy_bits and k_hat.
        people_below: people of the population in groups smaller than 2, 5 and 10.
        bounds: limits of pi that need no model; None without sample uniques.
        fits: the fitted models.
        model: the model whose figures these are, if there is one: that of ``fits``, held against the bounds.
        validation: the method tried on the sample itself.
        parts: the parts of the interval.
    """

    sample: Sample
    method: str
    estimability: str = NOT_ESTIMABLE
    reason: str | None = None
    figures: Mapping[str, Estimated] = field(default_factory=dict)
    people_below: Mapping[str, Estimated] = field(default_factory=dict)
    bounds: ModelFreeBounds | None = None
    fits: FittedModels = field(default_factory=FittedModels)
    model: SetModel | None = None
    validation: SelfValidation | None = None
    parts: IntervalParts | None = None

    @property
    def model_pi(self) -> float | None:
        """What the model says about sample uniques, before it is held against the bounds."""
        return None if self.fits.model is None else self.fits.model.pi


def estimate_population(sample: Sample, level: float = 0.9, seed: int = 0) -> PopulationEstimate:
    """Estimate the population that a sample comes from.

    >>> from idbits.counts import Spectrum
    >>> answer = estimate_population(Sample(spectrum=Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4}), fraction=0.1))
    >>> answer.method, round(answer.model_pi, 6), answer.estimability
    ('local_gamma', 0.163994, 'estimable')
    """
    if sample.fraction >= 1:
        return _exact(sample)
    fits = fit_models(sample)
    bounds = pi_bounds(sample.spectrum, sample.fraction, level)
    method = MATCH_REGRESSION if fits.regression is not None else LOCAL_GAMMA
    answer = PopulationEstimate(sample=sample, method=method, bounds=bounds, fits=fits, model=fits.model)
    if bounds is None:
        return _nobody_unique(answer, level)
    refusal = _refusal(sample, fits)
    if refusal is not None:
        return _bounds_only(answer, bounds, refusal)
    return _modelled(answer, bounds, level, seed)


def _refusal(sample: Sample, fits: FittedModels) -> str | None:
    """Return why only the bounds can be given, if so."""
    if sample.n < _LEAST_PEOPLE:
        return _FEW_PEOPLE
    if sample.uniques < _LEAST_UNIQUES:
        return _FEW_UNIQUES
    if fits.model is None:
        return NOT_IDENTIFIED
    return _MISFIT if fits.fit is not None and fits.fit < LEAST_FIT else None


def _bounds_only(answer: PopulationEstimate, bounds: ModelFreeBounds, reason: str) -> PopulationEstimate:
    figures, below = _limited(answer.sample, bounds.low, bounds.high)
    return replace(answer, reason=reason, figures=figures, people_below=below)


def _modelled(answer: PopulationEstimate, bounds: ModelFreeBounds, level: float, seed: int) -> PopulationEstimate:
    sample, fits, model = answer.sample, answer.fits, answer.model
    assert model is not None
    pi = model.pi
    assert pi is not None
    validation = self_validation(sample, fits, seed)
    parts = IntervalParts.of(
        pi,
        sample.uniques,
        sample.fraction,
        bootstrap_spread(sample, fits, seed),
        validation,
        None if fits.pitman is None else fits.pitman.pi(sample.people),
        fits.log_linear,
        prior_gap(fits.regression),
    )
    answer = replace(answer, validation=validation, parts=parts)
    low, high = parts.around(pi, level)
    if low > bounds.high or high < bounds.low:
        return _bounds_only(answer, bounds, _REFUTED)
    if not bounds.low <= pi <= bounds.high:
        model = model.reaching(min(max(pi, bounds.low), bounds.high))
    low, high = max(low, bounds.low), min(high, bounds.high)
    figures, below = _intervals(sample, model, low, high)
    reason = _vagueness(sample, low, high)
    if reason is not None:
        figures, below = _without_values(figures), _without_values(below)
    estimability = ESTIMABLE if reason is None else NOT_ESTIMABLE
    return replace(
        answer, estimability=estimability, reason=reason, figures=figures, people_below=below, model=model
    )  # fmt: skip


def _vagueness(sample: Sample, low: float, high: float) -> str | None:
    """Return why the interval says too little to name a value, if so."""
    if high - low > _WIDEST:
        return _TOO_WIDE
    if sample.fraction < SMALL_FRACTION and sample.shared_sets < _LEAST_SHARED_SETS:
        return _FEW_ALIKE
    return None


def _intervals(sample: Sample, model: SetModel, low: float, high: float) -> tuple[Figures, Figures]:
    """Return all figures: those of uniques scale with pi, the others are those half way to the ends of its interval."""
    middle = model.figures()
    assert middle.pi is not None
    # A scaled model reaches a bound only up to the last digits.
    pi = min(max(middle.pi, low), high)
    ends = [model.reaching(half_way(pi, end)).figures() for end in (low, high)]
    uniques = sample.uniques
    # With sampling weights, a unique person stands for another number of people than the others.
    each = middle.uniques / middle.tau1 if middle.tau1 else 1 / sample.fraction
    figures = {
        "pi": Estimated(pi, low, high),
        "tau1": _within(middle.tau1, uniques * low, uniques * high),
        "tau2": _between(middle.tau2, *(end.tau2 for end in ends)),
        "unique_share": _within(
            middle.unique_share, uniques * low * each / sample.people, uniques * high * each / sample.people
        ),
        "uniques": _within(middle.uniques, uniques * low * each, uniques * high * each),
    }
    for name in ("correctness", "entropy_bits", "k_hat"):
        figures[name] = _between(getattr(middle, name), *(getattr(end, name) for end in ends))
    below = {"2": figures["uniques"]}
    for limit in map(str, THRESHOLDS[1:]):
        below[limit] = _between(middle.people_below[limit], *(end.people_below[limit] for end in ends))
    return figures, _at_least_the_unique(below)


def _at_least_the_unique(below: Figures) -> Figures:
    """Return the people in small groups with upper ends that are not below that of the unique people among them."""
    unique = below["2"].high
    assert unique is not None
    return {limit: replace(figure, high=max(figure.high or 0.0, unique)) for limit, figure in below.items()}


def _within(value: float, low: float, high: float) -> Estimated:
    return Estimated(min(max(value, low), high), low, high)


def _between(value: float, *ends: float) -> Estimated:
    return Estimated(value, min(value, *ends), max(value, *ends))


def _without_values(figures: Figures) -> Figures:
    return {name: replace(figure, value=None) for name, figure in figures.items()}


def _limited(sample: Sample, low: float, high: float) -> tuple[Figures, Figures]:
    """Return figures without values, between limits that need no model."""
    limits = model_free_limits(sample.spectrum, sample.people, low, high)
    figures = {"pi": Estimated(None, low, high)}
    figures |= {name: Estimated(None, *ends) for name, ends in limits.figures.items()}
    below = {"2": figures["uniques"]}
    return figures, below | {limit: Estimated(None, *ends) for limit, ends in limits.people_below.items()}


def _exact(sample: Sample) -> PopulationEstimate:
    """Return the figures of a sample that is the whole population: those of the spectrum."""
    spectrum, uniques = sample.spectrum, sample.uniques
    values = {
        "pi": 1.0 if uniques else None,
        "tau1": uniques,
        "tau2": uniques,
        "unique_share": uniques / spectrum.n_people,
        "uniques": uniques,
        "correctness": anonymity.mean_risk(spectrum),
        "entropy_bits": entropy.entropy_bits(spectrum),
        "k_hat": entropy.estimated_anonymity(spectrum),
    }
    below = anonymity.people_below(spectrum, THRESHOLDS)
    return PopulationEstimate(
        sample=sample,
        method=EXACT,
        estimability=EXACT,
        figures={name: Estimated(value, value, value) for name, value in values.items()},
        people_below={limit: Estimated(people, people, people) for limit, people in below.items()},
        bounds=ModelFreeBounds(1.0, 1.0) if uniques else None,
    )


def _nobody_unique(answer: PopulationEstimate, level: float) -> PopulationEstimate:
    """Return the answer if nobody is unique in the sample: nobody in it is unique in the population, either."""
    sample, fits = answer.sample, answer.fits
    figures, below = _limited(sample, 0.0, 0.0)
    none = Estimated(0.0, 0.0, 0.0)
    # If a share of people is unique, a sample of n misses all of them with probability exp(-n share).
    most = -math.log(1 - level) / sample.n
    figures |= {"pi": Estimated(None, None, None), "tau1": none, "tau2": none}
    figures |= {"unique_share": replace(none, high=most), "uniques": replace(none, high=most * sample.people)}
    below["2"] = figures["uniques"]
    if fits.model is not None and sample.n >= _LEAST_PEOPLE and (fits.fit is None or fits.fit >= LEAST_FIT):
        found = fits.model.figures()
        for name in ("correctness", "entropy_bits", "k_hat"):
            figures[name] = _filled(figures[name], getattr(found, name))
        below |= {limit: _filled(below[limit], found.people_below[limit]) for limit in map(str, THRESHOLDS[1:])}
    return replace(answer, estimability=EXACT, figures=figures, people_below=_at_least_the_unique(below))


def _filled(limits: Estimated, value: float) -> Estimated:
    assert limits.low is not None
    assert limits.high is not None
    return replace(limits, value=min(limits.high, max(limits.low, value)))
