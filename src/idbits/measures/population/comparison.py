"""All estimates of a sample side by side: ours, the cross-checks, and on request those of other tools.

Implements: SPEC page population.md, 8.3 (compared on request) and 8.9. They are shown, never chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from idbits.measures.population.benedetti_franconi import individual_risk
from idbits.measures.population.estimate import EXACT, LOCAL_GAMMA, MATCH_REGRESSION, PopulationEstimate
from idbits.measures.population.favaro import favaro_uniques
from idbits.measures.population.model import SetModel
from idbits.measures.population.pitman import NOT_IDENTIFIED
from idbits.measures.population.sample import Sample
from idbits.measures.population.shlosser_negative_binomial import snb_uniques
from idbits.measures.population.zayatz import zayatz_pi

__all__ = ["ComparedEstimate", "compared_estimates"]

_NEEDS_COLUMNS = "needs at least two columns"
_NOBODY_UNIQUE = "nobody is unique in the sample"
_NO_SOLUTION = "its equations have no solution for these group sizes"
_WHOLE = "the sample is the whole population"


@dataclass(frozen=True, slots=True)
class ComparedEstimate:
    """One estimate: the share of sample uniques that are population uniques, and of people who are.

    Attributes:
        reason: why there is no estimate.
        match: the mean of 1/F over sample uniques, for methods that say something about it.
    """

    name: str
    pi: float | None
    unique_share: float | None
    reason: str | None = None
    match: float | None = None


def compared_estimates(answer: PopulationEstimate, *, everything: bool) -> tuple[ComparedEstimate, ...]:
    """Return our estimates and, if wanted, everything else; shares as pi are cut to 0 to 1."""
    sample = answer.sample
    names = ["match_regression", "local_gamma", "pitman"]
    if everything:
        names += ["pitman_arx", "zayatz", "snb", "dankar", "favaro", "loglinear", "benedetti_franconi"]
    if answer.method == EXACT or not sample.uniques:
        reason = _WHOLE if answer.method == EXACT else _NOBODY_UNIQUE
        return tuple(ComparedEstimate(name, None, None, reason) for name in names)
    found = {estimate.name: estimate for estimate in _own(answer)}
    if everything:
        found |= {estimate.name: estimate for estimate in _others(answer)}
    return tuple(found[name] for name in names)


def _own(answer: PopulationEstimate) -> Iterator[ComparedEstimate]:
    sample, fits = answer.sample, answer.fits
    # The model as it answers, held against the bounds.
    if answer.method == MATCH_REGRESSION and answer.model is not None:
        yield _by_model(MATCH_REGRESSION, answer.model, sample)
    else:
        yield ComparedEstimate(MATCH_REGRESSION, None, None, _NEEDS_COLUMNS)
    if answer.method == LOCAL_GAMMA and answer.model is not None:
        yield _by_model(LOCAL_GAMMA, answer.model, sample)
    elif fits.local_gamma is not None:
        model = SetModel.of_spectrum(fits.local_gamma, sample.spectrum, sample.fraction)
        yield _by_model(LOCAL_GAMMA, model, sample)
    else:
        yield ComparedEstimate(LOCAL_GAMMA, None, None, NOT_IDENTIFIED)
    if fits.pitman is None:
        yield ComparedEstimate("pitman", None, None, NOT_IDENTIFIED)
    else:
        share = fits.pitman.uniques_among(sample.people) / sample.people
        yield ComparedEstimate("pitman", fits.pitman.pi(sample.people), share)


def _others(answer: PopulationEstimate) -> Iterator[ComparedEstimate]:
    sample, pitman = answer.sample, answer.fits.pitman
    arx_share = None if pitman is None else pitman.asymptotic_share(sample.people)
    arx = _by_share("pitman_arx", arx_share, sample, NOT_IDENTIFIED)
    zayatz = _by_pi("zayatz", zayatz_pi(sample.spectrum, sample.people), sample, _NOBODY_UNIQUE)
    uniques = snb_uniques(sample.spectrum, sample.fraction)
    snb = _by_share("snb", None if uniques is None else uniques / sample.people, sample, _NO_SOLUTION)
    yield from (arx, zayatz, snb)
    if sample.n <= 0.1 * sample.people + 0.5:
        chosen = arx
    else:
        chosen = min((each for each in (zayatz, snb) if each.pi is not None), key=lambda each: each.pi or 0.0)
    yield ComparedEstimate("dankar", chosen.pi, chosen.unique_share, chosen.reason)
    favaro = favaro_uniques(sample.spectrum, sample.fraction) / sample.uniques
    yield _by_pi("favaro", min(1.0, max(0.0, favaro)), sample, _NOBODY_UNIQUE)
    yield _by_pi("loglinear", answer.fits.log_linear, sample, _NEEDS_COLUMNS)
    franconi = _by_pi("benedetti_franconi", sample.fraction, sample, _NOBODY_UNIQUE)
    yield replace(franconi, match=individual_risk(1, 1 / sample.fraction))


def _by_model(name: str, model: SetModel, sample: Sample) -> ComparedEstimate:
    figures = model.figures()
    return ComparedEstimate(name, figures.pi, figures.unique_share, match=figures.tau2 / sample.uniques)


def _by_pi(name: str, pi: float | None, sample: Sample, reason: str) -> ComparedEstimate:
    if pi is None:
        return ComparedEstimate(name, None, None, reason)
    return ComparedEstimate(name, pi, pi * sample.uniques / sample.n)


def _by_share(name: str, share: float | None, sample: Sample, reason: str) -> ComparedEstimate:
    if share is None:
        return ComparedEstimate(name, None, None, reason)
    # The asymptotic formula of ARX can exceed the whole population.
    return ComparedEstimate(name, min(1.0, share * sample.n / sample.uniques), min(1.0, share))
