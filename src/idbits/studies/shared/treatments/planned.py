"""From a plan back to the problem it was made for: the same ladders, weights and goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from idbits.engines.base import Table
from idbits.errors import ColumnNotFoundError, InputError
from idbits.measures.treatment.local import recode_in_passes
from idbits.measures.treatment.regional import RegionalTreatment, split_into_groups
from idbits.reading import OpenOptions
from idbits.studies.shared.goals import parse_goals, sensitive_columns
from idbits.studies.shared.hierarchies import Hierarchy
from idbits.studies.shared.plans import ALL, AS_IS, MIXED, Plan, PlannedColumn
from idbits.studies.shared.treatments.ladders import Ladder, LadderRequest
from idbits.studies.shared.treatments.mixed import fingerprint_of
from idbits.studies.shared.treatments.problem import TreatmentProblem, read_problem
from idbits.studies.shared.treatments.question import AdviceQuestion
from idbits.values.attributes import Attribute, parse_attribute

__all__ = ["carry_out", "level_named", "plan_of_ladder", "problem_of_plan"]


def plan_of_ladder(ladder: Ladder, view: str, level: int) -> PlannedColumn:
    """Return a column of a plan, with all that is needed to make its ladder again."""
    file = ladder.hierarchy.file if ladder.hierarchy is not None else None
    views = () if file is not None else ladder.views
    return PlannedColumn(ladder.column, view, level, file, ladder.start, views, ladder.importance)


def problem_of_plan(
    table: Table,
    plan: Plan,
    hierarchies: Mapping[str, Hierarchy],
    ranks: Mapping[str, Sequence[str]],
    options: OpenOptions,
) -> TreatmentProblem:
    """Return the problem of a plan on a loaded table."""
    rules = parse_goals(plan.goal) if plan.goal else ()
    ladders: dict[str, Hierarchy | tuple[str, ...]] = {
        planned.column: planned.ladder or (planned.view,)
        for planned in plan.columns
        if planned.hierarchy is None and (planned.ladder or planned.view not in (AS_IS, ALL, MIXED))
    }
    names = sensitive_columns(rules)
    ladders |= {name: hierarchy for name, hierarchy in hierarchies.items() if name not in ladders}
    question = AdviceQuestion(
        rules=rules,
        withhold=Fraction(str(plan.withhold_limit)),
        sensitive=tuple(names),
        ladders=LadderRequest(
            ladders, importance={planned.column: planned.importance for planned in plan.columns}, keeps_equal_views=True
        ),
        loss="cells",
        method=plan.method,
        use_for=plan.use_for,
        ranks=ranks,
        seed=plan.seed,
    )
    qid = [_attribute(planned, table) for planned in plan.columns]
    sensitive = [parse_attribute(name, table.columns) for name in names]
    target = parse_attribute(plan.use_for, table.columns) if plan.use_for is not None else None
    return read_problem(table, qid, sensitive, target, question, options)


def _attribute(planned: PlannedColumn, table: Table) -> Attribute:
    if planned.column not in table.columns:
        raise ColumnNotFoundError(planned.column, table.columns)
    # Parsed with this column only: another column may be named "age:band5".
    return parse_attribute(planned.first, {planned.column: table.columns[planned.column]})


def level_named(ladder: Ladder, view: str) -> int:
    """Return the level of a view on a ladder."""
    if view == ladder.start:
        return 0
    if view == ALL:
        # A column with one value is as good as given up: its ladder has no other view.
        return len(ladder.views) - 1
    if view not in ladder.views:
        raise InputError(
            f'the plan names the view "{view}" of column "{ladder.column}", which its ladder does not have'
        )
    return ladder.views.index(view)


def carry_out(problem: TreatmentProblem, plan: Plan) -> RegionalTreatment:
    """Treat a table as a plan of the method ``local`` or ``sets`` says."""
    if plan.method == "local":
        nodes = [
            tuple(level_named(ladder, view) for ladder, view in zip(problem.ladders, views, strict=True))
            for views in plan.passes
        ]
        return recode_in_passes(problem.lattice, problem.goal, nodes)
    is_ordered = [ladder.is_ordered for ladder in problem.ladders]
    weights = [ladder.importance for ladder in problem.ladders]
    treatment = split_into_groups(problem.lattice, problem.goal, is_ordered, weights)
    if fingerprint_of(problem, treatment) != plan.fingerprint:
        raise InputError(
            "this plan was made for another table: groups of similar people fit only the table that they were made of; "
            "make a new plan with idbits advise --method sets"
        )
    return treatment
