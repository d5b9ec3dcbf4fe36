"""The twin: information gain row by row from the definitions, with dictionaries and Python's logarithms."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow
import pytest

Row = tuple[Any, ...]


@dataclass
class Twin:
    """A table as a list of rows, one per person."""

    rows: list[Row]
    priors: dict[int, dict[Any, float]] = field(default_factory=dict)
    accuracies: dict[int, float] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return len(self.rows[0])

    def prior(self, place: int) -> dict[Any, float]:
        if place in self.priors:
            return self.priors[place]
        return {value: k / len(self.rows) for value, k in Counter(row[place] for row in self.rows).items()}

    def posterior(self, row: Row, place: int, known: Sequence[int]) -> dict[Any, float]:
        like = [other[place] for other in self.rows if all(other[k] == row[k] for k in known)]
        seen, prior, c = Counter(like), self.prior(place), self.accuracies.get(place, 1.0)
        values = set(prior) | set(seen)
        return {v: c * seen[v] / len(like) + (1 - c) * prior.get(v, 0.0) for v in values}

    def cell(self, row: Row, place: int, known: Sequence[int]) -> float:
        prior = self.prior(place)
        posterior = self.posterior(row, place, known)
        return math.fsum(p * math.log2(p / prior[v]) for v, p in posterior.items() if p > 0)

    def cells(self, known: Sequence[int] | None = None) -> list[list[float]]:
        """CIG of each row and feature; the strongest attacker unless columns are named."""
        everything = range(self.width) if known is None else known
        return [[self.cell(row, j, [k for k in everything if k != j]) for j in range(self.width)] for row in self.rows]

    def surprises(self) -> list[list[float]]:
        """CSF of each row and feature."""
        return [
            [
                abs(
                    self.posterior(row, j, [k for k in range(self.width) if k != j])[row[j]]
                    - self.prior(j).get(row[j], 0.0)
                )
                for j in range(self.width)
            ]
            for row in self.rows
        ]

    def over_subsets(self, n_known: int) -> tuple[list[list[float]], list[list[float]]]:
        """The mean and the maximum over all subsets that leave the feature out."""
        mean, most = [], []
        for row in self.rows:
            cells = []
            for j in range(self.width):
                others = [k for k in range(self.width) if k != j]
                cells.append([self.cell(row, j, known) for known in itertools.combinations(others, n_known)])
            mean.append([math.fsum(cell) / len(cell) for cell in cells])
            most.append([max(cell) for cell in cells])
        return mean, most

    def entropy(self, *places: int) -> float:
        n = len(self.rows)
        counts = Counter(tuple(row[place] for place in places) for row in self.rows)
        return math.fsum(k / n * math.log2(n / k) for k in counts.values())

    def beyond_chance(self, one: int, two: int) -> float:
        """Mutual information less its mean over all ways to shuffle a column, from whole-number coefficients."""
        n, chance = len(self.rows), 0.0
        totals = [Counter(Counter(row[place] for row in self.rows).values()) for place in (one, two)]
        for (a, a_sets), (b, b_sets) in itertools.product(totals[0].items(), totals[1].items()):
            for k in range(max(1, a + b - n), min(a, b) + 1):
                probability = math.comb(a, k) * math.comb(n - a, b - k) / math.comb(n, b)
                chance += a_sets * b_sets * probability * k / n * math.log2(k * n / (a * b))
        return self.entropy(one) + self.entropy(two) - self.entropy(one, two) - chance

    def weights(self) -> list[float]:
        """H(X | rest) / H(X); 0 if there is nothing to learn."""
        found = []
        for j in range(self.width):
            rest = [k for k in range(self.width) if k != j]
            own = self.entropy(j)
            found.append((self.entropy(*range(self.width)) - self.entropy(*rest)) / own if own else 0.0)
        return found

    def figures(self, cells: list[list[float]], threshold: float = 1.0) -> dict[str, Any]:
        """Figures of the table from its cells."""
        rig = np.array([math.fsum(row) for row in cells])
        cohort = np.array([Counter(self.rows)[row] for row in self.rows])
        factor = rig / cohort
        return {
            "n_rows": len(self.rows),
            "rig": {
                "mean": float(rig.mean()),
                "p50": float(np.percentile(rig, 50)),
                "p95": float(np.percentile(rig, 95)),
                "max": float(rig.max()),
            },
            "mics": int(cohort.min()),
            "pif": float(factor.max()),
            "rows_at_pif": int((factor >= factor.max() - 1e-9).sum()),
            "people_at_threshold": int((factor >= threshold - 1e-9).sum()),
        }


def frame_of(rows: list[Row]) -> pyarrow.Table:
    """Return rows as a frame with columns a, b, c, ..."""
    names = "abcdefghij"[: len(rows[0])]
    return pyarrow.table({n: [row[i] for row in rows] for i, n in enumerate(names)})


def cells_of(answer: Any) -> list[list[float]]:
    """Return the cells that an answer keeps, row by row."""
    return [list(row) for row in zip(*(answer.cells.column(c).to_pylist() for c in answer.columns), strict=True)]


@pytest.fixture(scope="session")
def twin() -> type[Twin]:
    return Twin


@pytest.fixture(scope="session")
def frame() -> Any:
    return frame_of


@pytest.fixture(scope="session")
def cells() -> Any:
    return cells_of
