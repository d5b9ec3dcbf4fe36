"""The answer of ``idbits questionnaire``: how many people still share your answers after each question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import JsonObject, Serialisable

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart

__all__ = ["FEW_PEOPLE", "SMALL_GROUP", "Crowd", "FewestDrops", "QuestionChange", "Questionnaire", "Step"]

SMALL_GROUP, FEW_PEOPLE = 5, 50
"""A typical group of fewer people gives a person away, or nearly so."""

_ONLY_LARGEST = "only the most common answer is known"
# Differences below this many people do not decide which question to drop.
_NEARLY_NOBODY = 1e-3
_ONLY_KAPPA = "only the unevenness of the answers (kappa) is known"


@dataclass(frozen=True, slots=True)
class Crowd(Serialisable):
    """People who share your answers.

    Attributes:
        best_case: people who give the most common answer to every question.
        expected: N 2^-H, where H is the number of bits that the answers give away on average.
        expected_at_most: an upper bound of ``expected`` if only the most common answers are known.
        mean_crowd: N sum p^2, the group size of an average person.
        worst_case: people who give the rarest answer to every question. Below 1: nobody else.
        unique_people: the expected number of people with answers that nobody else gives, if everyone answers.
    """

    json_keys: ClassVar = (
        "best_case", "expected", "expected_at_most", "mean_crowd", "worst_case", "unique_people", "?reasons",
    )  # fmt: skip

    best_case: float
    expected: float | None
    expected_at_most: float
    mean_crowd: float | None
    worst_case: float | None
    unique_people: float | None

    @property
    def typical(self) -> float:
        """The people left in the expected case, or in the best case if that is not known."""
        return self.expected if self.expected is not None else self.best_case

    @property
    def reasons(self) -> dict[str, str]:
        """Why some figures are None."""
        unknown = [
            name for name in ("expected", "mean_crowd", "worst_case", "unique_people") if getattr(self, name) is None
        ]
        return dict.fromkeys(unknown, _ONLY_LARGEST if self.expected is None else _ONLY_KAPPA)


@dataclass(frozen=True, slots=True)
class Step(Serialisable):
    """A question of the form, in its order.

    Attributes:
        question: its name.
        factor: by how much its most common answer divides the group.
        crowd: the people left after it and all questions before it.
    """

    json_keys: ClassVar = ("question", "factor", "*crowd")

    question: str
    factor: float
    crowd: Crowd


@dataclass(frozen=True, slots=True)
class QuestionChange(Serialisable):
    """The effect of dropping or coarsening a question.

    Attributes:
        question: its name.
        view: the coarser form; None if the question is dropped.
        crowd: the people left after all questions.
        times: how many times as many people are left as without this change.
    """

    json_keys: ClassVar = ("question", "?view", "*crowd", "times")

    question: str
    view: str | None
    crowd: Crowd
    times: float


@dataclass(frozen=True, slots=True)
class FewestDrops(Serialisable):
    """The fewest questions to drop so that a typical group is no longer small, and the people then left."""

    json_keys: ClassVar = ("questions", "*crowd")

    questions: tuple[str, ...]
    crowd: Crowd


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Questionnaire(Answer):
    """How anonymous the answers to a questionnaire are.

    Attributes:
        fewest_drops: None if a typical group is not small, or if even a single question leaves a small one.
    """

    command: ClassVar[str] = "questionnaire"
    _main_table: ClassVar[str] = "steps"
    _in_repr: ClassVar = ("title", "population", "n_questions", "typical_group")
    json_keys: ClassVar = (
        "title", "population", "steps", "independent", "joint=together", "order", "dropping", "drop=question_to_drop",
        "fewest_drops", "coarsening", "not_assessed", "notes",
    )  # fmt: skip

    title: str | None
    population: int
    steps: tuple[Step, ...]
    order: tuple[str, ...]
    dropping: tuple[QuestionChange, ...]
    coarsening: tuple[QuestionChange, ...]
    fewest_drops: FewestDrops | None = None
    together: tuple[tuple[str, ...], ...] = ()
    not_assessed: tuple[str, ...] = ()
    several: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def n_questions(self) -> int:
        """The number of questions."""
        return len(self.steps)

    @property
    def typical_group(self) -> float:
        """The people who typically share all answers."""
        return self.steps[-1].crowd.typical

    @property
    def independent(self) -> bool:
        """Whether we assumed that all questions are independent of each other."""
        return not self.together

    @property
    def best_drop(self) -> QuestionChange | None:
        """The question to drop first: fewest people are unique without it, or most are left if that is not known.

        None if there is only one question.
        """
        if len(self.steps) < 2:
            return None
        unique = [change.crowd.unique_people for change in self.dropping]
        # The first of several equal ones leaves most people: they are in this order.
        fewest = min((people for people in unique if people is not None), default=0.0)
        by_unique = (
            change
            for change, people in zip(self.dropping, unique, strict=True)
            if people is not None and people <= fewest + _NEARLY_NOBODY
        )
        return next(by_unique) if None not in unique else self.dropping[0]

    @property
    def joint(self) -> tuple[tuple[str, ...], ...]:
        """The questions whose answers are known together."""
        return self.together

    @property
    def drop(self) -> str | None:
        """The name of the question to drop first."""
        return self.question_to_drop

    @property
    def question_to_drop(self) -> str | None:
        """The name of the question to drop first."""
        return self.best_drop.question if self.best_drop is not None else None

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.questionnaire.charts import charts_of

        return charts_of(self)

    def chart(self) -> JsonObject:
        """Return the people left after each question as a Vega-Lite specification."""
        from idbits.studies.questionnaire.charts import crowd_chart

        return crowd_chart(self)
