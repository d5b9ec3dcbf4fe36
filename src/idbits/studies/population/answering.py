"""From an estimate to the answer: names of columns, reasons, assumptions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from idbits.measures.population.calibration import PARAMETERS
from idbits.measures.population.comparison import compared_estimates
from idbits.measures.population.estimate import EXACT, LOCAL_GAMMA, MATCH_REGRESSION, PopulationEstimate
from idbits.measures.population.sample_entropy import sample_entropy
from idbits.measures.population.sizes import figures_by_size
from idbits.studies.population.question import PopulationQuestion
from idbits.studies.population.result import (
    FittedColumn,
    FittedPitman,
    ModelFit,
    PopulationAnswer,
    PopulationBounds,
    SampleWeights,
    Validation,
)
from idbits.studies.shared.figures import SMALL_GROUP
from idbits.studies.shared.units import Unit

if TYPE_CHECKING:
    from idbits.measures.population.bounds import ModelFreeBounds

__all__ = ["AnswerParts", "answer_of"]

_NOBODY_UNIQUE = "nobody is unique in the sample"
_NO_MODEL = "the sample has fewer than 100 people, or its group sizes say too little about those in the population"
_NO_TWO_ALIKE = "weak: no two people alike, so the estimate rests on the relations between columns alone"
_WHOLE = "the sample is the whole population"


@dataclass(frozen=True, kw_only=True)
class AnswerParts:
    """What an answer says besides its figures."""

    people: int
    question: PopulationQuestion
    unit: Unit
    source: str | None = None
    qid: tuple[str, ...] = ()
    n_other_columns: int = 0
    filtered: bool = False
    nulls: dict[str, int] = field(default_factory=dict)
    records_file: str | None = None
    notes: tuple[str, ...] = ()
    next_command: str | None = None


def answer_of(estimate: PopulationEstimate, parts: AnswerParts, *, everything: bool) -> PopulationAnswer:
    """Return the answer; ``everything`` includes the estimates of other tools."""
    sample, question = estimate.sample, parts.question
    spectrum = sample.spectrum
    entropies = sample_entropy(spectrum)
    return PopulationAnswer(
        source=parts.source,
        qid=parts.qid,
        n_rows=sample.n,
        people=parts.people,
        fraction=sample.fraction,
        n_sets=spectrum.n_sets,
        sample_uniques=sample.uniques,
        method=estimate.method,
        estimability=estimate.estimability,
        reason=estimate.reason,
        validated=_validated(estimate),
        level=question.level,
        figures=dict(estimate.figures),
        people_below=dict(estimate.people_below),
        bounds=_bounds(estimate.bounds, estimate),
        sample=entropies,
        validation=_validation(estimate),
        estimators=compared_estimates(estimate, everything=everything),
        sizes=figures_by_size(estimate, question.sizes),
        fit=_fit(estimate, parts.qid),
        weights=_weights(estimate),
        assumptions=_assumptions(estimate, parts),
        seed=question.seed,
        reasons=_reasons(estimate, has_chao_shen=entropies.chao_shen is not None),
        unit=parts.unit,
        small_groups=int(spectrum.people[spectrum.sizes < SMALL_GROUP].sum()),
        n_other_columns=parts.n_other_columns,
        filtered=parts.filtered,
        nulls=parts.nulls,
        records_file=parts.records_file,
        notes=(*parts.notes, *_weaknesses(estimate)),
        next_command=parts.next_command,
    )


def _validated(estimate: PopulationEstimate) -> str:
    if estimate.validation is None:
        return "not validated"
    same = estimate.validation.fraction == estimate.sample.fraction
    return "validated" if same else "validated at another fraction"


def _validation(estimate: PopulationEstimate) -> Validation | None:
    found = estimate.validation
    if found is None:
        return None
    return Validation(found.fraction, found.replicates, found.truth, found.estimate, found.error_logit)


def _bounds(bounds: ModelFreeBounds | None, estimate: PopulationEstimate) -> PopulationBounds | None:
    if bounds is None:
        return None
    low, high = bounds.low, bounds.high
    uniques, n = estimate.sample.uniques, estimate.sample.n
    return PopulationBounds(
        (low, high), (uniques * low, uniques * high), (uniques * low / n, uniques * high / n), bounds.is_feasible
    )


def _fit(estimate: PopulationEstimate, qid: tuple[str, ...]) -> ModelFit | None:
    if estimate.method == EXACT:
        return None
    fits = estimate.fits
    columns = parameters = None
    if fits.regression is not None:
        columns = tuple(
            FittedColumn(qid[family.column], tuple(qid[parent] for parent in family.parents), family.smoothing)
            for family in fits.regression.network
        )
        parameters = dict(zip(PARAMETERS, fits.regression.calibration.x.tolist(), strict=True))
    return ModelFit(
        columns,
        parameters,
        None if fits.local_gamma is None else fits.local_gamma.sigma,
        None if fits.local_gamma is None else fits.local_gamma.kap,
        None if fits.pitman is None else FittedPitman(fits.pitman.sigma, fits.pitman.theta),
        fits.fit,
        None if estimate.parts is None else asdict(estimate.parts),
    )


def _weights(estimate: PopulationEstimate) -> SampleWeights | None:
    weights = estimate.sample.weights
    if weights is None:
        return None
    return SampleWeights(estimate.fits.weight_share, weights.least, weights.most)


def _weaknesses(estimate: PopulationEstimate) -> Iterator[str]:
    """Say if the estimate rests on the columns alone, because the group sizes say nothing."""
    sample = estimate.sample
    if estimate.method == MATCH_REGRESSION and estimate.reason is None and not sample.shared_sets:
        yield _NO_TWO_ALIKE


def _assumptions(estimate: PopulationEstimate, parts: AnswerParts) -> tuple[str, ...]:
    """Return what must be true for the estimate to hold."""
    weights = estimate.sample.weights
    sentences = []
    if weights is None:
        sentences.append("everyone in the population had the same chance to be in the sample")
    else:
        sentences.append("everyone's chance to be in the sample was 1 divided by their weight")
        if weights.least != weights.most:
            sentences.append("the bounds, local gamma, Pitman and the other tools ignore the weights")
    sentences.append("people were drawn independently of each other")
    sentences.append("the values in the sample are those that somebody would look for in the population")
    if parts.unit is not Unit.PEOPLE:
        sentences.append("each row is a person, and every person has one")
    if estimate.method == LOCAL_GAMMA:
        sentences.append("the smallest groups tell how uniqueness falls with the number of people")
    elif estimate.method != EXACT:
        sentences.append("how many people share a combination of values can be predicted from pairs of columns")
    return tuple(sentences)


def _reasons(estimate: PopulationEstimate, *, has_chao_shen: bool) -> dict[str, str]:
    """Return why figures that are None do not exist."""
    reasons: dict[str, str] = {}
    if estimate.reason is not None:
        reasons["value"] = estimate.reason
    elif not estimate.sample.uniques:
        reasons |= {"pi": _NOBODY_UNIQUE, "bounds": _NOBODY_UNIQUE}
        if estimate.figures["correctness"].value is None:
            reasons["correctness"] = reasons["entropy_bits"] = reasons["k_hat"] = reasons["people_below"] = _NO_MODEL
    if estimate.validation is None:
        reasons["validation"] = _why_not_validated(estimate)
    if not has_chao_shen:
        reasons["chao_shen"] = "everyone is unique in the sample"
    if estimate.method == EXACT:
        reasons["fit"] = _WHOLE
    elif estimate.fits.regression is None:
        reasons["parameters"] = "match regression needs at least two columns"
    if estimate.sample.weights is None:
        reasons["weights"] = "no sampling weights were given"
    return reasons


def _why_not_validated(estimate: PopulationEstimate) -> str:
    if estimate.method == EXACT:
        return _WHOLE
    if not estimate.sample.uniques:
        return _NOBODY_UNIQUE
    if estimate.parts is None:
        return estimate.reason or _NOBODY_UNIQUE
    return "a part of the sample has too few unique people to try the method on"
