"""How well a treated table still predicts a column: naive Bayes with Laplace's correction, five-fold.

Implements: SPEC page advise.md, section 3 (model).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers

__all__ = ["PredictionTrial"]

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class PredictionTrial:
    """People assigned to folds, for trials with different treatments of the same table.

    Attributes:
        target: the value to predict, per row.
        n_values: the number of its values.
        folds: the people of each row in each fold.
    """

    target: Integers
    n_values: int
    folds: Integers

    @classmethod
    def of(cls, target: Integers, n_values: int, people: Integers, seed: int) -> PredictionTrial:
        """Assign each person to a fold; folds differ by at most one person."""
        n = int(people.sum())
        fold_of = np.random.default_rng(seed).permutation(n) % _FOLDS
        rows = np.repeat(np.arange(len(people)), people)
        counts = np.bincount(rows * _FOLDS + fold_of, minlength=len(people) * _FOLDS)
        return cls(target, n_values, counts.reshape(-1, _FOLDS))

    @property
    def n_people(self) -> int:
        """All people."""
        return int(self.folds.sum())

    @property
    def majority(self) -> float:
        """The share of people whose value is guessed right if the most frequent one is always guessed."""
        counts = np.bincount(self.target, self.folds.sum(axis=1), minlength=self.n_values)
        return float(counts.max()) / self.n_people

    def accuracy(self, columns: Sequence[Integers], withheld: NDArray[np.bool_] | None = None) -> float:
        """Return the share of people whose value is predicted right from the columns of their row.

        Withheld people are no examples, and the most frequent value is guessed for them.
        """
        kept = np.ones(len(self.target), np.bool_) if withheld is None else ~withheld
        people = self.folds * kept[:, None]
        right = sum(self._right(columns, people, fold) for fold in range(_FOLDS))
        if withheld is not None:
            lost = self.folds.sum(axis=1) * withheld
            mode = int(np.bincount(self.target, self.folds.sum(axis=1), minlength=self.n_values).argmax())
            right += int(lost[self.target == mode].sum())
        return right / self.n_people

    def _right(self, columns: Sequence[Integers], people: Integers, fold: int) -> int:
        """Count the right predictions for the people of a fold, learnt from the others."""
        learnt = people.sum(axis=1) - people[:, fold]
        classes = np.bincount(self.target, learnt, minlength=self.n_values)
        scores = np.tile(np.log(classes + 1), (len(self.target), 1))
        for values in columns:
            size = int(values.max(initial=0)) + 1
            counts = np.bincount(values * self.n_values + self.target, learnt, minlength=size * self.n_values)
            chances = np.log(counts.reshape(size, -1) + 1) - np.log(classes + size)
            scores += chances[values]
        predicted = scores.argmax(axis=1)
        return int(people[predicted == self.target, fold].sum())
