"""The study behind ``idbits questionnaire``: how anonymous the answers to a questionnaire are."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Unpack

from idbits.measures.crowd import Answers, best_order, people_with, together
from idbits.reading import Reading
from idbits.studies.questionnaire.answers import QuestionBlock
from idbits.studies.questionnaire.result import SMALL_GROUP, Crowd, FewestDrops, QuestionChange, Questionnaire, Step
from idbits.studies.questionnaire.survey import EntryLookup, Survey, SurveySource, read_survey

__all__ = ["assess", "crowd_left", "questionnaire", "times_as_many"]

_MOST_ORDERED = 12


def questionnaire(
    survey: SurveySource,
    *,
    entries: EntryLookup | None = None,
    seed: int = 0,  # noqa: ARG001 (every study takes it; this one draws nothing)
    **reading: Unpack[Reading],
) -> Questionnaire:
    """Compute how many people still share your answers after each question of a questionnaire.

    Args:
        survey: a TOML file, or the same as a dictionary; ``idbits questionnaire --schema`` shows its schema.
        entries: looks up an entry by its reference, if questions name entries of a repository:
            ``lambda ref: store.entry(ref).drawn_from()``.
        seed: not used here; every study accepts it.
        reading: how to read the tables that the survey names; count and filter are in the survey.

    Examples:
        >>> asked = [{"name": "education", "factor": 3.33}, {"name": "work", "factor": 2.7}]
        >>> answer = questionnaire({"population": 16_000_000, "questions": asked})
        >>> tuple(int(step.crowd.best_case) for step in answer.steps)
        (4804804, 1779557)
    """
    return assess(read_survey(survey, reading, entries))


def assess(plan: Survey, *, most_exact: int = _MOST_ORDERED) -> Questionnaire:
    """Compute how many people still share your answers after each question of a survey.

    The best order is exact for up to ``most_exact`` questions; for more, it is built one question at a time.
    """
    names = plan.names
    steps, before = [], together([])
    for number, name in enumerate(names, start=1):
        after = _left(plan, names[:number])
        steps.append(Step(name, before.largest / after.largest, crowd_left(plan.population, after)))
        before = after
    return Questionnaire(
        title=plan.title,
        population=plan.population,
        steps=tuple(steps),
        order=tuple(best_order(names, _Bits(plan), most_exact)),
        dropping=_dropping(plan, before),
        fewest_drops=_fewest_drops(plan, most_exact),
        coarsening=_coarsening(plan, before),
        together=tuple(block.questions for block in plan.blocks if len(block.questions) > 1),
        not_assessed=plan.not_assessed,
        several=plan.several,
        notes=plan.notes,
    )


def _left(plan: Survey, asked: Sequence[str], instead: Mapping[QuestionBlock, Answers] | None = None) -> Answers:
    """Return the combined answers to some questions; blocks are independent of each other."""
    parts = []
    for block in plan.blocks:
        among = frozenset(name for name in asked if name in block.questions)
        if instead is not None and block in instead:
            parts.append(instead[block])
        elif among:
            parts.append(block.answers[among])
    return together(parts)


class _Bits(dict[frozenset[str], float]):
    """The bits that a set of questions gives away, computed on demand."""

    def __init__(self, plan: Survey) -> None:
        super().__init__()
        self.plan = plan

    def __missing__(self, asked: frozenset[str]) -> float:
        self[asked] = bits = _left(self.plan, sorted(asked)).least_bits
        return bits


def crowd_left(population: int, answers: Answers) -> Crowd:
    """Return how many people of a population share the answers."""

    def people(share: float | None) -> float | None:
        return people_with(population, share) if share is not None else None

    return Crowd(
        people_with(population, answers.largest),
        people(math.exp2(-answers.bits)) if answers.bits is not None else None,
        people_with(population, math.exp2(-answers.least_bits)),
        people(answers.collision),
        people(answers.smallest),
        answers.unique_people(population),
    )


def times_as_many(after: Answers, before: Answers) -> float:
    """Return how many times as many people are left: expected, or in the best case if no more is known."""
    if after.bits is not None and before.bits is not None:
        return math.exp2(before.bits - after.bits)
    return after.largest / before.largest


def _dropping(plan: Survey, everything: Answers) -> tuple[QuestionChange, ...]:
    changes = []
    for name in plan.names:
        left = _left(plan, _without(plan.names, [name]))
        changes.append(QuestionChange(name, None, crowd_left(plan.population, left), times_as_many(left, everything)))
    return tuple(sorted(changes, key=lambda change: -change.times))


def _fewest_drops(plan: Survey, most_exact: int) -> FewestDrops | None:
    """Return the fewest questions to drop so that a typical group is not small; of several choices, the largest group.

    Up to ``most_exact`` questions, all choices are tried; with more, one question is dropped after the other.
    """
    names = plan.names
    dropped: tuple[str, ...] = ()
    if _typical(plan, names) >= SMALL_GROUP:
        return None
    for number in range(1, len(names)):
        if len(names) <= most_exact:
            choices = list(itertools.combinations(names, number))
        else:
            choices = [(*dropped, name) for name in names if name not in dropped]
        dropped = max(choices, key=lambda choice: _typical(plan, _without(names, choice)))
        if _typical(plan, _without(names, dropped)) >= SMALL_GROUP:
            left = _left(plan, _without(names, dropped))
            return FewestDrops(tuple(name for name in names if name in dropped), crowd_left(plan.population, left))
    return None


def _without(names: Sequence[str], dropped: Sequence[str]) -> list[str]:
    return [name for name in names if name not in dropped]


def _typical(plan: Survey, asked: Sequence[str]) -> float:
    """Return the people left in the expected case, or in the best case if that is not known."""
    left = _left(plan, asked)
    return people_with(plan.population, math.exp2(-left.bits) if left.bits is not None else left.largest)


def _coarsening(plan: Survey, everything: Answers) -> tuple[QuestionChange, ...]:
    changes = []
    for block, (name, views) in itertools.chain.from_iterable(
        zip(itertools.repeat(block), block.coarser.items(), strict=False) for block in plan.blocks
    ):
        for view, answers in views:
            left = _left(plan, plan.names, {block: answers})
            changes.append(
                QuestionChange(name, view, crowd_left(plan.population, left), times_as_many(left, everything))
            )
    return tuple(changes)
