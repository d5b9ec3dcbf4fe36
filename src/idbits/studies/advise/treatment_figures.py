"""The figures and losses of a treatment as attributes, which the Tab key and type checkers know.

Figures of sensitive columns and of rules have names that depend on the question, such as ``l_distinct.diagnosis``:
all of them are in the dictionaries ``figures`` and ``loss``.
"""

from __future__ import annotations

from typing import Any

__all__ = ["TreatmentFigures"]


class TreatmentFigures:
    """The figures and losses that every treatment has, read from ``figures`` and ``loss``."""

    __slots__ = ()

    figures: dict[str, Any]
    loss: dict[str, Any]

    @property
    def n_people(self) -> int:
        """The number of people in the treated table."""
        return int(self.figures["n_people"])

    @property
    def n_sets(self) -> int:
        """The number of groups."""
        return int(self.figures["n_sets"])

    @property
    def singletons(self) -> int:
        """The number of unique people."""
        return int(self.figures["singletons"])

    @property
    def k_min(self) -> int | None:
        """The size of the smallest group; None if everyone is withheld."""
        smallest: int | None = self.figures["k_min"]
        return smallest

    @property
    def people_below(self) -> dict[str, int]:
        """The number of people in groups smaller than 2, 5, 10 and the sizes in the goal."""
        return dict(self.figures["people_below"])

    @property
    def mean_risk(self) -> float | None:
        """The mean over people of 1 / the size of their group; None if everyone is withheld."""
        return _number(self.figures, "mean_risk")

    @property
    def entropy_bits(self) -> float | None:
        """The bits that the columns give away; None if everyone is withheld."""
        return _number(self.figures, "entropy_bits")

    @property
    def k_hat(self) -> float | None:
        """The typical group size; None if everyone is withheld."""
        return _number(self.figures, "k_hat")

    @property
    def cells_loss(self) -> float | None:
        """The share of the detail of cells that is lost."""
        return _number(self.loss, "cells")

    @property
    def cells_geometric_loss(self) -> float | None:
        """The share of the detail of cells that is lost, as a geometric mean."""
        return _number(self.loss, "cells_geometric")

    @property
    def entropy_bits_loss(self) -> float | None:
        """The bits per person that are lost; ``reasons`` says why it is None."""
        return _number(self.loss, "entropy_bits")

    @property
    def discernibility_loss(self) -> float | None:
        """The sum of squared group sizes, plus all people for each one withheld."""
        return _number(self.loss, "discernibility")

    @property
    def class_size_loss(self) -> float | None:
        """The people per group; those withheld are one group."""
        return _number(self.loss, "class_size")

    @property
    def mutual_loss(self) -> float | None:
        """The share of the relationships between columns that is lost; ``reasons`` says why it is None."""
        return _number(self.loss, "mutual")


def _number(numbers: dict[str, Any], name: str) -> float | None:
    found: float | None = numbers.get(name)
    return found
