"""From a search to the answer: the best treatment, the frontier, the alternatives and their plans."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np

from idbits.errors import InputError
from idbits.measures.treatment.complete import Candidate, NodeTable
from idbits.measures.treatment.frontier import frontier_of
from idbits.measures.treatment.local import recode_locally
from idbits.measures.treatment.regional import RegionalTreatment, split_into_groups
from idbits.progress import Progress
from idbits.reading import OpenOptions
from idbits.studies.advise.points import PointMaker
from idbits.studies.advise.result import (
    Advice,
    Alternatives,
    GoalTreatment,
    LadderViews,
    NodeNumbers,
    TreatmentPoint,
)
from idbits.studies.advise.search import MOST_EXACT_NODES, SearchOutcome, search
from idbits.studies.shared.beside import ColumnsBeside
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.plans import AS_IS, MIXED, Plan, PlannedColumn
from idbits.studies.shared.serialisation import plain
from idbits.studies.shared.treatments.ladders import Ladder
from idbits.studies.shared.treatments.mixed import fingerprint_of
from idbits.studies.shared.treatments.other_columns import NO_OTHER_COLUMNS, OtherColumns
from idbits.studies.shared.treatments.planned import plan_of_ladder
from idbits.studies.shared.treatments.problem import TreatmentProblem
from idbits.studies.shared.units import Unit

__all__ = ["AdviceParts", "answer_of", "treatment_of"]

_MOST_DRAWN = 300
_FEWER = 0.8
_SLIGHTLY = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceParts:
    """What an answer says besides figures."""

    source: str | None
    options: OpenOptions
    persons: PersonOptions
    qid: tuple[str, ...]
    beside: ColumnsBeside
    has_other_columns: bool
    notes: tuple[str, ...]
    to_name: OtherColumns = NO_OTHER_COLUMNS


def answer_of(problem: TreatmentProblem, parts: AdviceParts, progress: Progress) -> Advice:
    """Search the treatments of a problem and assemble the answer."""
    question = problem.question
    found = search(problem, problem.loss(question.loss), progress)
    maker = PointMaker(problem, question.sensitive, found.groups)
    frontier = frontier_of(found.nodes)
    with progress.step("measuring the frontier"):
        spread = _spread(len(frontier), question.effort.most_points)
        points = tuple(maker.of_node(frontier[index].node, is_treated=frontier[index].is_treated) for index in spread)
        node_best = _best_point(maker, found.best)
        alternatives, treatments = _alternatives(problem, maker)
    best = _by_method(question.method, node_best, alternatives)
    top = tuple(n - 1 for n in problem.lattice.n_levels)
    return Advice(
        source=parts.source,
        qid=parts.qid,
        unit=_unit(parts),
        n_rows=problem.n_people,
        goal=tuple(rule.text for rule in question.rules),
        withhold_limit=float(question.withhold),
        loss=question.loss,
        risk=question.risk.key,
        method=question.method,
        ladders=tuple(
            LadderViews(ladder.attribute.name, ladder.views, ladder.levels.sizes, ladder.start)
            for ladder in problem.ladders
        ),
        nodes=NodeNumbers(problem.lattice.n_nodes, len(found.nodes.nodes), int(found.nodes.meets.sum())),
        optimal=found.is_optimal and best is node_best,
        # The search adds up the bits of all people; answers have bits per person.
        lower_bound=found.lower_bound / (problem.n_people if question.loss.startswith("entropy") else 1),
        reached=best.meets,
        rules=maker.outcomes(best),
        best=best,
        points=points,
        alternatives=alternatives,
        as_is=maker.as_is(),
        given_up=maker.of_node(top, is_treated=True),
        neighbour=_neighbour(maker, found) if best is node_best else None,
        frontier_complete=found.is_complete,
        stopped=found.stopped,
        interrupted=found.interrupted,
        seconds=0.0,
        notes=parts.notes,
        next_command=_next_command(parts, problem) if best.meets else None,
        sensitive=question.sensitive,
        use_for=question.use_for,
        beside=parts.beside,
        has_other_columns=parts.has_other_columns,
        measured_points=_drawn(found.nodes),
        **_related(problem, parts.qid),
        frontier=tuple((frontier[index].risk, frontier[index].loss) for index in _spread(len(frontier), _MOST_DRAWN)),
        plans=(_best_plan(problem, best, alternatives, treatments), *(_plan(problem, point) for point in points)),
    )


class _Related(TypedDict, total=False):
    related_bits: float
    related_pairs: tuple[tuple[str, str], ...]


def _related(problem: TreatmentProblem, qid: Sequence[str]) -> _Related:
    """Return the bits beyond chance that columns have in common, and the pairs that have any."""
    mutual, names = problem.mutual, [*qid, problem.question.use_for or ""]
    if mutual is None:
        return {}
    pairs = tuple((names[a], names[b]) for (a, b), kept in mutual.kept.items() if kept[0, 0] > 0)
    return {"related_bits": mutual.total_bits, "related_pairs": pairs}


def treatment_of(problem: TreatmentProblem, progress: Progress) -> GoalTreatment:
    """Return only the best treatment of a problem."""
    question = problem.question
    found = search(problem, problem.loss(question.loss), progress, with_bound=False)
    best = _best_point(PointMaker(problem, question.sensitive, found.groups), found.best)
    return GoalTreatment(
        goal=tuple(rule.text for rule in question.rules),
        withhold_limit=float(question.withhold),
        reached=best.meets,
        optimal=found.is_optimal,
        best=best,
        plan=_plan(problem, best),
    )


def _unit(parts: AdviceParts) -> Unit:
    if parts.persons.column is not None or parts.persons.rows_are_people or parts.options.count is not None:
        return Unit.PEOPLE
    return parts.beside.unit


def _best_point(maker: PointMaker, best: Candidate) -> TreatmentPoint:
    return maker.of_node(best.node, is_treated=True)


def _by_method(method: str, nodes: TreatmentPoint, alternatives: Alternatives) -> TreatmentPoint:
    """Return the best treatment of the chosen method; of all methods, the one with the least loss of cells."""
    named = {"nodes": nodes, "local": alternatives.local, "sets": alternatives.sets}
    if method != "all":
        chosen = named[method]
        return chosen if chosen is not None and chosen.meets else nodes
    met = [point for point in named.values() if point is not None and point.meets]
    return min(met, key=lambda point: point.loss["cells"], default=nodes)


def _spread(number: int, most: int) -> Sequence[int]:
    """Return a limited number of indices, the first and the last among them."""
    if number <= most:
        return range(number)
    return [index * (number - 1) // (most - 1) for index in range(most)]


def _drawn(nodes: NodeTable) -> tuple[tuple[float, float], ...]:
    """Return risk and loss of some of the nodes, for the chart."""
    treated = np.flatnonzero(~np.isnan(nodes.treated_loss))
    risk = np.concatenate([nodes.risk, nodes.treated_risk[treated]])
    loss = np.concatenate([nodes.loss, nodes.treated_loss[treated]])
    order = np.lexsort((risk, loss))
    chosen = order[list(_spread(len(order), _MOST_DRAWN))]
    return tuple(zip(risk[chosen].tolist(), loss[chosen].tolist(), strict=True))


def _alternatives(problem: TreatmentProblem, maker: PointMaker) -> tuple[Alternatives, dict[str, RegionalTreatment]]:
    """Return treatments of mixed coarseness, and how they were made."""
    question, reasons = problem.question, {}
    treatments: dict[str, RegionalTreatment] = {}
    weights = [ladder.importance for ladder in problem.ladders]
    wants = {name: question.method in (name, "all") for name in ("sets", "local")}

    def made(name: str, make: Callable[[], RegionalTreatment | None], refused: str | None) -> TreatmentPoint | None:
        if refused is not None:
            if question.method == name:
                raise InputError(f"--method {name} is not possible here: {refused}")
            reasons[name] = refused
            return None
        treatment = make()
        if treatment is None:
            reasons[name] = "no treatment of this kind meets the goal"
            return None
        treatments[name] = treatment
        return maker.regional(treatment)

    limited = any(ladder.allowed is not ladder.levels for ladder in problem.ladders)
    has_groups = any(rule.is_of_groups for rule in question.rules)
    has_tables = any(not rule.is_of_groups for rule in question.rules)
    refused_sets = (
        "idbits advise tries it" if not question.effort.with_alternatives
        else "views are limited (--keep, --from, --to)" if limited
        else "the goal has no rule about groups" if not has_groups
        else "the table is large; --method sets tries it" if not problem.in_order
        else None
    )  # fmt: skip
    refused_local = (
        "it takes longer; --method local tries it" if not wants["local"]
        else "the goal has rules about the whole table" if has_tables
        else f"there are more than {MOST_EXACT_NODES:,} treatments with one view per column; name fewer columns"
        if problem.lattice.n_nodes > MOST_EXACT_NODES
        else None
    )  # fmt: skip
    is_ordered = [ladder.is_ordered for ladder in problem.ladders]
    sets = made("sets", lambda: split_into_groups(problem.lattice, problem.goal, is_ordered, weights), refused_sets)
    geometric = question.loss == "cells:geometric"
    local = made(
        "local",
        lambda: recode_locally(problem.lattice, problem.goal, weights, question.passes, geometric=geometric),
        refused_local,
    )
    return Alternatives(sets, local, reasons), treatments


def _neighbour(maker: PointMaker, found: SearchOutcome) -> TreatmentPoint | None:
    """Return a treatment that withholds notably fewer people for slightly more loss."""
    nodes, best = found.nodes, found.best
    if not best.meets or not best.withheld:
        return None
    losses = np.where(np.isnan(nodes.treated_loss), nodes.loss, nodes.treated_loss)
    rows = np.flatnonzero(nodes.meets & (nodes.withheld <= _FEWER * best.withheld))
    if not len(rows):
        return None
    row = int(rows[np.lexsort((rows, nodes.withheld[rows], losses[rows]))[0]])
    point = maker.of_node(tuple(nodes.nodes[row].tolist()), is_treated=True)
    now = maker.of_node(best.node, is_treated=True)
    return point if 0 <= point.loss["cells"] - now.loss["cells"] <= _SLIGHTLY else None


def _best_plan(
    problem: TreatmentProblem,
    best: TreatmentPoint,
    alternatives: Alternatives,
    treatments: dict[str, RegionalTreatment],
) -> Plan:
    """Return the plan of the best treatment, of whatever method."""
    if best is alternatives.sets:
        columns = tuple(plan_of_ladder(ladder, MIXED, 0) for ladder in problem.ladders)
        made = _plan_with(problem, best, columns)
        return replace(made, method="sets", fingerprint=fingerprint_of(problem, treatments["sets"]))
    if best is alternatives.local:
        columns = tuple(plan_of_ladder(ladder, MIXED, 0) for ladder in problem.ladders)
        passes = tuple(
            tuple(_view(ladder, ladder.first + level) for ladder, level in zip(problem.ladders, node, strict=True))
            for node in treatments["local"].nodes
        )
        return replace(_plan_with(problem, best, columns), method="local", passes=passes)
    return _plan(problem, best)


def _plan(problem: TreatmentProblem, point: TreatmentPoint) -> Plan:
    """Return the plan of a treatment with one view per column."""
    assert point.levels is not None
    columns = tuple(
        plan_of_ladder(ladder, _view(ladder, level), level)
        for ladder, level in zip(problem.ladders, point.levels, strict=True)
    )
    return _plan_with(problem, point, columns)


def _view(ladder: Ladder, level: int) -> str:
    view = ladder.views[level]
    return ladder.start if view == AS_IS else view


def _plan_with(problem: TreatmentProblem, point: TreatmentPoint, columns: tuple[PlannedColumn, ...]) -> Plan:
    """Return a plan; one that misses the goal withholds nobody and promises nothing."""
    question = problem.question
    return Plan(
        goal=tuple(rule.text for rule in question.rules) if point.meets else (),
        withhold_limit=float(question.withhold) if point.meets else 0.0,
        columns=columns,
        loss=question.loss,
        expected={
            "n_rows": problem.n_people,
            "withheld": point.withheld,
            "figures": plain(point.figures),
            "loss": plain(point.loss),
        },
        use_for=question.use_for,
        seed=question.seed,
    )


def _next_command(parts: AdviceParts, problem: TreatmentProblem) -> str | None:
    if parts.source is None or parts.source == "-":
        return None
    words = ["idbits", "apply", shlex.quote(parts.source), "--plan plan.json --out treated.csv"]
    words += parts.to_name.command_words()
    words += [
        f"--hierarchy {shlex.quote(f'{ladder.column}={ladder.hierarchy.path}')}"
        for ladder in problem.ladders
        if ladder.hierarchy is not None
    ]
    return " ".join([*words, *parts.options.command_words()])
