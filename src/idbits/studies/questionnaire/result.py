"""The answer of ``idbits questionnaire``: how many people still share your answers after each question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import JsonObject, Serialisable

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Crowd", "QuestionChange", "Questionnaire", "Step"]

_ONLY_LARGEST = "only the most common answer is known"
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
    """

    json_keys: ClassVar = ("best_case", "expected", "expected_at_most", "mean_crowd", "worst_case", "?reasons")

    best_case: float
    expected: float | None
    expected_at_most: float
    mean_crowd: float | None
    worst_case: float | None

    @property
    def reasons(self) -> dict[str, str]:
        """Why some figures are None."""
        unknown = [name for name in ("expected", "mean_crowd", "worst_case") if getattr(self, name) is None]
        return dict.fromkeys(unknown, _ONLY_LARGEST if self.expected is None else _ONLY_KAPPA)


@dataclass(frozen=True, slots=True)
class Step(Serialisable):
    """A question: the factor by which its most common answer divides the group, and the people left after it."""

    json_keys: ClassVar = ("question", "factor", "*crowd")

    question: str
    factor: float
    crowd: Crowd


@dataclass(frozen=True, slots=True)
class QuestionChange(Serialisable):
    """The effect of dropping or coarsening a question: the people left at the end, and how many times as many."""

    json_keys: ClassVar = ("question", "?view", "*crowd", "times")

    question: str
    view: str | None
    crowd: Crowd
    times: float


@dataclass(frozen=True, kw_only=True)
class Questionnaire(Answer):
    """How anonymous the answers to a questionnaire are."""

    command: ClassVar[str] = "questionnaire"
    json_keys: ClassVar = (
        "title", "population", "steps", "independent", "joint=together", "order", "dropping", "coarsening",
        "not_assessed", "notes",
    )  # fmt: skip

    title: str | None
    population: int
    steps: tuple[Step, ...]
    order: tuple[str, ...]
    dropping: tuple[QuestionChange, ...]
    coarsening: tuple[QuestionChange, ...]
    together: tuple[tuple[str, ...], ...] = ()
    not_assessed: tuple[str, ...] = ()
    several: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def independent(self) -> bool:
        """Whether we assumed that all questions are independent of each other."""
        return not self.together

    def to_arrow(self) -> pyarrow.Table:
        """Return one row per step as an Arrow table."""
        import pyarrow

        rows = [step.to_dict() for step in self.steps]
        return pyarrow.Table.from_pylist([{n: v for n, v in row.items() if n != "reasons"} for row in rows])

    def chart(self) -> JsonObject:
        """Return the people left after each question as a Vega-Lite specification."""
        from idbits.studies.questionnaire.charts import crowd_chart

        return crowd_chart(self)
