"""What ``idbits questionnaire`` returns: how many people still share your answers after each question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.render.blocks import Block, Items, Level, Paragraph, Table, Verdict
from idbits.render.numbers import NONE, count, decimal, whole
from idbits.studies.shared.presentation import Answer
from idbits.wording import counted, joined

__all__ = ["Change", "Questionnaire", "Step"]

_ONLY_LARGEST = "only the most common answer is known"
_ONLY_KAPPA = "only how uneven the answers are is known"
_SMALL = 5
_SHOWN_CHANGES = 12


@dataclass(frozen=True, slots=True)
class Crowd:
    """People who share your answers.

    Attributes:
        best_case: who gives the most common answer to every question.
        expected: N 2^-H, with H the bits that the answers give away on average.
        expected_at_most: a bound on ``expected`` where only the most common answers are known.
        mean_crowd: N sum p^2, the crowd of an average person.
        worst_case: who gives the rarest answer to every question. Below 1: nobody else.
    """

    best_case: float
    expected: float | None
    expected_at_most: float
    mean_crowd: float | None
    worst_case: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the crowd as plain data."""
        data: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        unknown = [name for name in ("expected", "mean_crowd", "worst_case") if data[name] is None]
        if unknown:
            data["reasons"] = dict.fromkeys(unknown, _ONLY_LARGEST if self.expected is None else _ONLY_KAPPA)
        return data


@dataclass(frozen=True, slots=True)
class Step:
    """A question: by how much its most common answer divides the crowd, and who is left after it."""

    question: str
    factor: float
    crowd: Crowd

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain data."""
        return {"question": self.question, "factor": self.factor} | self.crowd.to_dict()


@dataclass(frozen=True, slots=True)
class Change:
    """What dropping or coarsening a question buys: who is left in the end, and how many times as many that is."""

    question: str
    view: str | None
    crowd: Crowd
    times: float

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain data."""
        view = {"view": self.view} if self.view is not None else {}
        return {"question": self.question} | view | self.crowd.to_dict() | {"times": self.times}


@dataclass(frozen=True, kw_only=True)
class Questionnaire(Answer):
    """How anonymous the answers to a questionnaire are."""

    command: ClassVar[str] = "questionnaire"

    title: str | None
    population: int
    steps: tuple[Step, ...]
    order: tuple[str, ...]
    dropping: tuple[Change, ...]
    coarsening: tuple[Change, ...]
    together: tuple[tuple[str, ...], ...] = ()
    not_assessed: tuple[str, ...] = ()
    several: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def independent(self) -> bool:
        """Whether all questions were taken to be independent of each other."""
        return not self.together

    def to_dict(self) -> dict[str, Any]:
        """Return the questionnaire as plain data."""
        return {
            "title": self.title,
            "population": self.population,
            "steps": [step.to_dict() for step in self.steps],
            "independent": self.independent,
            "joint": [list(names) for names in self.together],
            "order": list(self.order),
            "dropping": [change.to_dict() for change in self.dropping],
            "coarsening": [change.to_dict() for change in self.coarsening],
            "not_assessed": list(self.not_assessed),
            "notes": list(self.notes),
        }

    def to_arrow(self) -> Any:
        """Return one row a step as an Arrow table."""
        import pyarrow

        rows = [step.to_dict() for step in self.steps]
        return pyarrow.Table.from_pylist([{n: v for n, v in row.items() if n != "reasons"} for row in rows])

    def chart(self) -> dict[str, Any]:
        """Return the people left after each question as a Vega-Lite specification."""
        from idbits.studies.predict.charts import questionnaire_chart

        start = dict.fromkeys(("best case", "expected", "worst case"), float(self.population))
        rows = [{"question": "everyone", "case": case, "people": people} for case, people in start.items()]
        for step in self.steps:
            left = (step.crowd.best_case, step.crowd.expected, step.crowd.worst_case)
            rows += [
                {"question": step.question, "case": case, "people": people}
                for case, people in zip(start, left, strict=True)
                if people is not None
            ]
        return questionnaire_chart(rows)

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        blocks: list[Block] = [self._verdict(), self._steps()]
        if len(self.steps) > 1:
            order = joined(self.order) if len(self.order) < 3 else ", ".join(self.order)
            blocks.append(Paragraph(f"Asked in this order, most people are left for longest: {order}."))
        blocks.append(_changes("What dropping a question buys", self.dropping))
        if self.coarsening:
            blocks.append(_changes("What coarsening a question buys", self.coarsening[:_SHOWN_CHANGES]))
        return [*blocks, Items("Assumed", self._assumed())]

    def _verdict(self) -> Verdict:
        last = self.steps[-1].crowd
        best = last.best_case
        level = Level.BAD if best < _SMALL else Level.WARN if (last.expected or best) < _SMALL else Level.GOOD
        if best < 1:
            return Verdict(level, "Nobody is likely to share all of these answers", self._others(last))
        people = counted(int(best), "person").replace("persons", "people")
        share = "shares" if int(best) == 1 else "share"
        return Verdict(level, f"At best {people} {share} all answers", self._others(last))

    def _others(self, last: Crowd) -> str:
        told = f"Out of {count(self.population)} people who may answer {counted(len(self.steps), 'question')}."
        if last.expected is None:
            return f"{told} Most are left with fewer: few people give the most common answer to every question."
        worst = f", in the worst case {_people(last.worst_case)}" if last.worst_case is not None else ""
        return f"{told} On average {_people(last.expected)} are left{worst}."

    def _steps(self) -> Table:
        rows = [["everyone", "", *[count(self.population)] * 4]]
        for step in self.steps:
            crowd = step.crowd
            expected = (
                _people(crowd.expected) if crowd.expected is not None else f"<= {_people(crowd.expected_at_most)}"
            )
            rows.append(
                [
                    step.question,
                    decimal(step.factor),
                    _people(crowd.best_case),
                    expected,
                    _people(crowd.mean_crowd),
                    _people(crowd.worst_case),
                ]
            )
        caption = (
            "divided by: what the most common answer divides the best case by. expected: for answers that give away "
            "as much as the average. mean crowd: of an average person. <1: nobody else."
        )
        if any(step.crowd.expected is None for step in self.steps):
            caption += " <=: only the most common answer is known."
        return Table(
            "People who still share your answers",
            ("after the question", "divided by", "best case", "expected", "mean crowd", "worst case"),
            rows,
            left=(0,),
            caption=caption,
        )

    def _assumed(self) -> tuple[str, ...]:
        sentences = []
        if self.independent and len(self.steps) > 1:
            sentences.append(
                "The questions are independent of each other. They rarely are; give their joint distribution."
            )
        sentences += [
            f"{joined(names)} are counted together; they are independent of the other questions."
            for names in self.together
        ]
        if self.several:
            sentences.append(f"Answers that can be ticked in {joined(self.several)} are independent of each other.")
        if self.not_assessed:
            sentences.append(f"Not assessed, and giving away more: {joined(self.not_assessed)}.")
        sentences.append("Whoever looks for you knows all of these about everyone.")
        return tuple(sentences)


def _people(people: float | None) -> str:
    if people is None:
        return NONE
    return "<1" if people < 1 else whole(people)


def _changes(title: str, changes: Sequence[Change]) -> Table:
    coarser = any(change.view is not None for change in changes)
    rows = []
    for change in changes:
        names = [change.question, change.view or ""] if coarser else [change.question]
        crowd = change.crowd
        figures = [crowd.best_case, crowd.expected, crowd.worst_case]
        rows.append([*names, f"{decimal(change.times)}x", *map(_people, figures)])
    heads = ("question", "coarser") if coarser else ("question",)
    return Table(
        title,
        (*heads, "people left", "best case", "expected", "worst case"),
        rows,
        left=tuple(range(len(heads))),
        caption="people left: how many times as many share all answers.",
    )
