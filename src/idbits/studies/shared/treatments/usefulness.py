"""What a treated table is still good for: the relationships between its columns, and the prediction of one of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.lattice.rolled import NodeGroups
from idbits.measures.treatment.local import groups_of_rows
from idbits.measures.treatment.model import PredictionTrial
from idbits.measures.treatment.regional import RegionalTreatment
from idbits.studies.shared.treatments.problem import TreatmentProblem

__all__ = ["Usefulness", "regional_losses"]

_TOO_LARGE = "the table is too large to test relationships; --loss mutual does it"
_NO_RELATIONS = "no two columns are related beyond chance"
_NO_MODEL = "no column to predict was named (--use-for)"
_REGIONAL = "the coarseness differs between groups of people"

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Usefulness:
    """Measures what treatments of one problem preserve."""

    problem: TreatmentProblem

    def mutual(self, groups: NodeGroups, withheld: int) -> tuple[float | None, str | None]:
        """Return the share of the relationships beyond chance that is lost, or why it does not exist."""
        mutual = self.problem.mutual
        if mutual is None:
            return None, _TOO_LARGE
        return (mutual.of(groups, None, withheld), None) if mutual.exists else (None, _NO_RELATIONS)

    def model(self, groups: NodeGroups, out: Mask | None) -> tuple[dict[str, float] | None, str | None]:
        """Return how often a simple model is right before and after, or why it does not exist."""
        trial, lattice = self._trial, self.problem.lattice
        if trial is None:
            return None, _NO_MODEL
        values = [
            column.maps[level][codes[self._order]]
            for column, codes, level in zip(lattice.columns, lattice.codes, groups.levels, strict=True)
        ]
        withheld = None if out is None else out[groups_of_rows(lattice, groups)][self._order]
        after = trial.accuracy(values, withheld)
        return {"before": self._accuracy_before, "after": after, "majority": trial.majority}, None

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The rows by their values: codes of the source are in no order, but folds must be the same each time."""
        target = self.problem.target
        assert target is not None
        return np.lexsort((target, *reversed(self.problem.lattice.codes)))

    @cached_property
    def _trial(self) -> PredictionTrial | None:
        problem = self.problem
        if problem.target is None:
            return None
        size, order = int(problem.target.max(initial=0)) + 1, self._order
        return PredictionTrial.of(problem.target[order], size, problem.lattice.people[order], problem.question.seed)

    @cached_property
    def _accuracy_before(self) -> float:
        assert self._trial is not None
        return self._trial.accuracy([codes[self._order] for codes in self.problem.whole.codes])


def regional_losses(problem: TreatmentProblem, treatment: RegionalTreatment) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the losses of a treatment of mixed coarseness, and why some do not exist."""
    n, weights = problem.n_people, problem.totals.weights
    n_groups = len(treatment.sizes) + (1 if treatment.withheld else 0)
    pairs = list(zip(weights, treatment.column_losses, strict=True))
    losses: dict[str, Any] = {
        "cells": math.fsum(weight * loss for weight, loss in pairs),
        "cells_geometric": math.prod((1 + loss) ** weight for weight, loss in pairs) - 1,
        "entropy_bits": None,
        "discernibility": float(sum(size * size for size in treatment.sizes.tolist()) + treatment.withheld * n),
        "class_size": n / n_groups if n_groups else None,
        "mutual": None,
        "model": None,
    }
    return losses, dict.fromkeys(("loss.entropy_bits", "loss.mutual", "loss.model"), _REGIONAL)
