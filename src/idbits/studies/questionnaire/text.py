"""A questionnaire's answer as text: the people who still share your answers, then the effect of changes."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.blocks import Block, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import NONE, count, decimal, whole
from idbits.studies.questionnaire.result import Crowd, QuestionChange, Questionnaire
from idbits.studies.shared.presentation import show
from idbits.wording import counted, joined

__all__: list[str] = []

_SMALL = 5
_SHOWN_CHANGES = 12


@show.register
def _(answer: Questionnaire) -> list[Block]:
    blocks: list[Block] = [_verdict(answer), _steps(answer)]
    if len(answer.steps) > 1:
        order = ", ".join(answer.order)
        blocks.append(Paragraph(f"To keep groups large for as long as possible, ask in this order: {order}."))
    blocks.append(_changes("Effect of dropping a question", answer.dropping))
    if answer.coarsening:
        blocks.append(_changes("Effect of coarsening a question", answer.coarsening[:_SHOWN_CHANGES]))
    return [*blocks, Items("Assumed", _assumed(answer))]


def _verdict(answer: Questionnaire) -> Verdict:
    last = answer.steps[-1].crowd
    best = last.best_case
    level = Level.BAD if best < _SMALL else Level.WARN if (last.expected or best) < _SMALL else Level.GOOD
    if best < 1:
        return Verdict(level, "Nobody is likely to share all of these answers", _others(answer, last))
    people = counted(int(best), "person").replace("persons", "people")
    share = "shares" if int(best) == 1 else "share"
    return Verdict(level, f"At best {people} {share} all answers", _others(answer, last))


def _others(answer: Questionnaire, last: Crowd) -> str:
    sentence = f"{count(answer.population)} people may answer {counted(len(answer.steps), 'question')}."
    if last.expected is None:
        return f"{sentence} Most groups are smaller: few people give the most common answer to every question."
    worst = f", in the worst case {_people(last.worst_case)}" if last.worst_case is not None else ""
    return f"{sentence} The expected group size is {_people(last.expected)}{worst}."


def _steps(answer: Questionnaire) -> TableBlock:
    rows = [["everyone", "", *[count(answer.population)] * 4]]
    for step in answer.steps:
        crowd = step.crowd
        expected = _people(crowd.expected) if crowd.expected is not None else f"<= {_people(crowd.expected_at_most)}"
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
        "divided by: factor by which the most common answer reduces the best case. expected: for answers that give "
        "away the average number of bits. mean group: group size, averaged over people. <1: nobody else."
    )
    if any(step.crowd.expected is None for step in answer.steps):
        caption += " <=: only the share of the most common answer is known."
    return TableBlock(
        "People who still share your answers",
        ("after the question", "divided by", "best case", "expected", "mean group", "worst case"),
        rows,
        left=(0,),
        caption=caption,
    )


def _assumed(answer: Questionnaire) -> tuple[str, ...]:
    sentences = []
    if answer.independent and len(answer.steps) > 1:
        sentences.append("The questions are independent of each other. They rarely are: give a joint distribution.")
    sentences += [
        f"{joined(names)} are counted together and are independent of the other questions." for names in answer.together
    ]
    if answer.several:
        sentences.append(f"The ticks in {joined(answer.several)} are independent of each other.")
    if answer.not_assessed:
        phrase = "question {} is" if len(answer.not_assessed) == 1 else "questions {} are"
        subject = phrase.format(joined(answer.not_assessed))
        sentences.append(f"The {subject} not assessed and would give away more.")
    sentences.append("The attacker knows everyone's answers to these questions.")
    return tuple(sentences)


def _people(people: float | None) -> str:
    if people is None:
        return NONE
    return "<1" if people < 1 else whole(people)


def _changes(title: str, changes: Sequence[QuestionChange]) -> TableBlock:
    coarser = any(change.view is not None for change in changes)
    rows = []
    for change in changes:
        names = [change.question, change.view or ""] if coarser else [change.question]
        crowd = change.crowd
        figures = [crowd.best_case, crowd.expected, crowd.worst_case]
        rows.append([*names, f"{decimal(change.times)}x", *map(_people, figures)])
    heads = ("question", "coarser") if coarser else ("question",)
    return TableBlock(
        title,
        (*heads, "times as many", "best case", "expected", "worst case"),
        rows,
        left=tuple(range(len(heads))),
        caption="times as many: people who then share all answers, compared with now.",
    )
