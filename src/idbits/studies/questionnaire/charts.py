"""The chart of a questionnaire as a Vega-Lite specification."""

from __future__ import annotations

from idbits.render.described_chart import DescribedChart
from idbits.render.numbers import count, whole
from idbits.render.page import numbered_if_alike
from idbits.studies.questionnaire.result import Questionnaire
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification
from idbits.wording import counted

__all__ = ["charts_of", "crowd_chart"]


def charts_of(answer: Questionnaire) -> dict[str, DescribedChart]:
    """Return all charts by name."""
    last = answer.steps[-1].crowd
    words = (
        f"Of {count(answer.population)} people, {whole(last.best_case)} share your answers to "
        f"{counted(len(answer.steps), 'question')} in the best case."
    )
    return {"people": DescribedChart(crowd_chart(answer), words, "People who share your answers")}


def crowd_chart(answer: Questionnaire) -> JsonObject:
    """Return the people left after each question (S2 table B.3 as a picture)."""
    start = dict.fromkeys(("best case", "expected", "worst case"), float(answer.population))
    everyone, *questions = numbered_if_alike(["everyone", *(step.question for step in answer.steps)])
    rows: list[Json] = [{"question": everyone, "case": case, "people": people} for case, people in start.items()]
    for question, step in zip(questions, answer.steps, strict=True):
        left = (step.crowd.best_case, step.crowd.expected, step.crowd.worst_case)
        rows += [
            {"question": question, "case": case, "people": people}
            for case, people in zip(start, left, strict=True)
            if people is not None
        ]
    return specification(
        "People who share your answers",
        rows,
        mark={"type": "line", "point": True},
        encoding={
            "x": axis(
                "question", "after the question", "nominal", sort=None, axis={"labelAngle": -30, "labelLimit": 150}
            ),
            "y": axis("people", "people left", scale={"type": "log"}),
            "color": axis("case", "", "nominal"),
        },
    )
