"""Treatments with all their figures and losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, Spectrum
from idbits.kernels.group_values import GroupCells
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.kernels.lattice.walk import Node
from idbits.kernels.run_lengths import size_counts
from idbits.measures import anonymity, entropy
from idbits.measures.treatment.complete import FrontierGroups
from idbits.measures.treatment.group_rules import group_figure
from idbits.measures.treatment.losses import CellLoss, ClassSizeLoss, DiscernibilityLoss, EntropyLoss
from idbits.measures.treatment.regional import RegionalTreatment
from idbits.studies.advise.result import RuleOutcome, TreatmentPoint
from idbits.studies.shared.goals import GoalRule
from idbits.studies.shared.treatments.problem import TreatmentProblem
from idbits.studies.shared.treatments.usefulness import Usefulness, regional_losses

__all__ = ["PointMaker"]

Mask = NDArray[np.bool_]

_SENSITIVE = ("l_distinct", "l_entropy", "alpha", "t_equal", "beta")
_NOBODY = "everyone is withheld"


@dataclass(frozen=True, eq=False)
class PointMaker:
    """Makes treatments of one problem."""

    problem: TreatmentProblem
    names: tuple[str, ...]
    counted: FrontierGroups
    _made: dict[tuple[Node, bool], TreatmentPoint] = field(default_factory=dict)

    @cached_property
    def _usefulness(self) -> Usefulness:
        return Usefulness(self.problem)

    def of_node(self, node: Node, *, is_treated: bool) -> TreatmentPoint:
        """Return a node with or without the people that the goal withholds; each is counted once."""
        if (node, is_treated) not in self._made:
            self._made[node, is_treated] = self._of_node(node, is_treated=is_treated)
        return self._made[node, is_treated]

    def _of_node(self, node: Node, *, is_treated: bool) -> TreatmentPoint:
        problem = self.problem
        groups = self.counted.get(node) or problem.lattice.groups_at(node)
        found = problem.goal.withheld(groups)
        withheld = found.people if is_treated and found.meets else 0
        out = found.out if withheld else None
        kept = groups.sizes if out is None else groups.sizes[~out]
        cells = groups.cells if out is None else tuple(of_column.with_groups(~out) for of_column in groups.cells)
        levels = tuple(ladder.first + level for ladder, level in zip(problem.ladders, node, strict=True))
        losses, reasons = self._losses(groups, out, withheld)
        figures, more = self.figures(kept, cells)
        return TreatmentPoint(
            tuple(ladder.named(level) for ladder, level in zip(problem.ladders, levels, strict=True)),
            levels,
            withheld,
            figures,
            losses,
            tuple(CellLoss(problem.totals).by_column(groups, out, withheld)),
            problem.question.risk.of(kept, problem.n_people),
            found.meets and (is_treated or not found.people),
            reasons | more,
            _spectrum(kept),
        )

    def as_is(self) -> TreatmentPoint:
        """Return the table as it is."""
        problem = self.problem
        groups = problem.whole.groups_at((0,) * len(problem.ladders))
        found = problem.goal.withheld(groups)
        losses, reasons = self._losses(groups, None, 0)
        losses |= {"cells": 0.0, "cells_geometric": 0.0, "entropy_bits": 0.0}
        losses["mutual"] = None if losses["mutual"] is None else 0.0
        if losses["model"] is not None:
            losses["model"] |= {"after": losses["model"]["before"]}
        figures, more = self.figures(groups.sizes, groups.cells)
        return TreatmentPoint(
            tuple(ladder.attribute.name for ladder in problem.ladders),
            (0,) * len(problem.ladders),
            0,
            figures,
            losses,
            (0.0,) * len(problem.ladders),
            problem.question.risk.of(groups.sizes, problem.n_people),
            found.meets and not found.people,
            reasons | more,
            _spectrum(groups.sizes),
        )

    def regional(self, made: RegionalTreatment) -> TreatmentPoint:
        """Return a treatment whose coarseness differs between groups of people."""
        problem, n = self.problem, self.problem.n_people
        figures, missing = self.figures(made.sizes, made.cells)
        losses, reasons = regional_losses(problem, made)
        return TreatmentPoint(
            None,
            None,
            made.withheld,
            figures,
            losses,
            made.column_losses,
            problem.question.risk.of(made.sizes, n),
            bool(len(made.sizes)) and made.withheld <= problem.goal.most_withheld and self._rules_hold(figures),
            reasons | missing,
            _spectrum(made.sizes),
        )

    def _rules_hold(self, figures: dict[str, Any]) -> bool:
        return all(self._passes(rule, figures) for rule in self.problem.question.rules)

    def figures(self, sizes: Integers, cells: Sequence[GroupCells]) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the figures of kept groups, as ``measure`` gives them, and why some do not exist."""
        rules = self.problem.question.rules
        keys = [
            *(f"{figure}.{name}" for name in self.names for figure in _SENSITIVE),
            *(rule.key for rule in rules if rule.column is not None),
        ]
        if not len(sizes):
            names = ("k_min", "mean_risk", "entropy_bits", "k_hat", *keys)
            figures: dict[str, Any] = dict.fromkeys(names) | {"n_people": 0, "n_sets": 0, "singletons": 0}
            return figures | {"people_below": {}}, {f"figures.{name}": _NOBODY for name in names}
        spectrum = _spectrum(sizes)
        assert spectrum is not None
        below = {"2", "5", "10"} | {str(rule.number) for rule in rules if rule.figure == "people_below"}
        figures = {
            "n_people": spectrum.n_people,
            "n_sets": spectrum.n_sets,
            "k_min": int(spectrum.sizes[0]),
            "singletons": int(spectrum.people[spectrum.sizes == 1].sum()),
            "people_below": {
                size: int(spectrum.people[spectrum.sizes < int(size)].sum()) for size in sorted(below, key=int)
            },
            "mean_risk": anonymity.mean_risk(spectrum),
            "entropy_bits": entropy.entropy_bits(spectrum),
            "k_hat": entropy.estimated_anonymity(spectrum),
        }
        for index, (name, of_column) in enumerate(zip(self.names, cells, strict=True)):
            values = self.problem.goal.sensitive[index]
            wanted = [(figure, None) for figure in _SENSITIVE]
            wanted += [(rule.figure, rule.number) for rule in rules if rule.column == name]  # type: ignore[misc]
            for figure, number in wanted:
                key = ".".join(str(part) for part in (figure, number, name) if part is not None)
                worst = group_figure(figure, number, of_column, values)
                figures[key] = int(worst) if figure == "l_distinct" else worst
        return figures, {}

    def _losses(self, groups: NodeGroups, out: Mask | None, withheld: int) -> tuple[dict[str, Any], dict[str, str]]:
        totals, n = self.problem.totals, self.problem.n_people
        mutual, no_mutual = self._usefulness.mutual(groups, withheld)
        model, no_model = self._usefulness.model(groups, out)
        found = {"loss.mutual": no_mutual, "loss.model": no_model}
        reasons = {name: reason for name, reason in found.items() if reason is not None}
        losses = {
            "cells": CellLoss(totals).of(groups, out, withheld),
            "cells_geometric": CellLoss(totals, geometric=True).of(groups, out, withheld),
            "entropy_bits": EntropyLoss(totals).of(groups, out, withheld) / n,
            "discernibility": DiscernibilityLoss(n).of(groups, out, withheld),
            "class_size": ClassSizeLoss(n).of(groups, out, withheld),
            "mutual": mutual,
            "model": model,
        }
        return losses, reasons

    def outcomes(self, point: TreatmentPoint) -> tuple[RuleOutcome, ...]:
        """Return each rule with the figure of a treatment."""
        return tuple(
            RuleOutcome(rule.text, self._value(rule, point.figures), self._passes(rule, point.figures))
            for rule in self.problem.question.rules
        )

    def _value(self, rule: GoalRule, figures: dict[str, Any]) -> float | None:
        if rule.figure == "people_below":
            value: float | None = figures["people_below"].get(str(rule.number))
            return value
        return figures[rule.key]  # type: ignore[no-any-return]

    def _passes(self, rule: GoalRule, figures: dict[str, Any]) -> bool:
        value = self._value(rule, figures)
        if value is None:
            return False
        limit = float(rule.limit * figures["n_people"] if rule.is_share_of_people else rule.limit)
        slack = 1e-9 * abs(limit)
        if rule.comparison in (">=", ">"):
            return value > limit + slack if rule.is_strict else value >= limit - slack
        return value < limit - slack if rule.is_strict else value <= limit + slack


def _spectrum(sizes: Integers) -> Spectrum | None:
    return Spectrum.of(size_counts(sizes)) if len(sizes) else None
