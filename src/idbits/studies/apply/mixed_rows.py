"""Plans of mixed coarseness, carried out: views per pass (``local``), or ranges per group of people (``sets``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from idbits.engines.backends.treating import MixedCells, TreatedRows
from idbits.measures.treatment.regional import RegionalTreatment
from idbits.studies.apply.rules import DescribeValues, GroupedTable, WithheldGroups
from idbits.studies.shared.goals import GoalRule, goal_of
from idbits.studies.shared.plans import Plan
from idbits.studies.shared.treatments.mixed import mixed_cells
from idbits.studies.shared.treatments.planned import carry_out
from idbits.studies.shared.treatments.problem import TreatmentProblem
from idbits.studies.shared.treatments.usefulness import regional_losses
from idbits.values.released_labels import LabelWords

__all__ = ["MixedTreatment", "treat_mixed"]


@dataclass(frozen=True, eq=False)
class MixedTreatment:
    """A treatment of mixed coarseness before it is written; rows that it withholds are in no group."""

    problem: TreatmentProblem
    treatment: RegionalTreatment
    cells: MixedCells

    def withheld(self, n_groups: int) -> WithheldGroups:
        """Return who is withheld: nobody of the groups that are left."""
        rules = self.problem.question.rules
        by_rule = {rule.text: self._broken_by(rule) for rule in rules}
        return WithheldGroups(np.zeros(n_groups, np.bool_), self.treatment.withheld, by_rule)

    def _broken_by(self, rule: GoalRule) -> int:
        """Return the people whose groups break a rule in the last pass."""
        rest, goal = self.treatment.rest, self.problem.goal
        if rest is None or not self.treatment.withheld:
            return self.treatment.withheld
        alone = goal_of([rule], self.problem.question.sensitive, goal.sensitive, self.problem.n_people, goal.columns)
        return int(rest.sizes[alone.broken(rest)].sum())

    def with_source_values(self, table: GroupedTable, rows: TreatedRows, describe: DescribeValues) -> GroupedTable:
        """Return groups that are compared with the values of everyone, also of people who are withheld."""
        values = {}
        names: Sequence[str] = self.problem.question.sensitive
        for name, of_source in zip(names, self.problem.sensitive_people, strict=True):
            texts = rows.cell_texts(name)
            numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
            people = np.zeros(len(numbers), np.int64)
            np.add.at(people, [numbers[text] for text in texts], of_source)
            values[name] = describe(name, list(numbers), people)
        return replace(table, values=values)

    @property
    def losses(self) -> tuple[dict[str, Any], dict[str, str]]:
        """The losses, and why some do not exist."""
        return regional_losses(self.problem, self.treatment)


def treat_mixed(problem: TreatmentProblem, plan: Plan, words: LabelWords) -> MixedTreatment:
    """Carry a plan out, up to what is written for each different row."""
    treatment = carry_out(problem, plan)
    return MixedTreatment(problem, treatment, mixed_cells(problem, treatment, words))
