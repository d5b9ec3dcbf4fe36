"""A questionnaire's answer as text: who is left and who is unique, which question to drop, then every question."""

from __future__ import annotations

import math
from collections.abc import Sequence

from idbits.render.blocks import Block, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import NONE, count, decimal, nearest, share, whole
from idbits.studies.questionnaire.result import FEW_PEOPLE, SMALL_GROUP, Crowd, QuestionChange, Questionnaire
from idbits.studies.shared.presentation import show
from idbits.wording import counted, counted_people, joined

__all__: list[str] = []

_SHOWN_CHANGES = 12
_MANY_UNIQUE = 0.01
# Products of the same shares in another order differ by less.
_MORE = 1 + 1e-9


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
    """Return the expected case with the best and the worst one, who is unique, and which question to drop."""
    last = answer.steps[-1].crowd
    typical, unique = last.expected_at_most, last.unique_people
    is_small = typical < FEW_PEOPLE or (unique or 0.0) >= _MANY_UNIQUE * answer.population
    if typical < SMALL_GROUP:
        level = Level.BAD
    elif is_small or last.expected is None:
        # If only the share of the most common answer is known, groups may be much smaller than their upper bound.
        level = Level.WARN
    else:
        level = Level.GOOD
    sentences = [
        f"{counted_people(answer.population)} may answer {counted(len(answer.steps), 'question')}.",
        _unique_sentence(answer.population, unique),
    ]
    if is_small or nearest(unique or 0.0):
        sentences.append(_drop_sentence(answer))
    return Verdict(level, _headline(last), " ".join(filter(None, sentences)))


def _headline(crowd: Crowd) -> str:
    if crowd.expected is not None:
        who = _sharing(crowd.expected)
    else:
        most = math.ceil(crowd.expected_at_most)
        who = f"at most {count(most)} people" if most >= 2 else "nobody else"
    if crowd.best_case < 2:
        return "Expect nobody else to share all answers, even in the best case"
    worst = "" if crowd.worst_case is None else f", {_sharing(crowd.worst_case)} at worst"
    return f"Expect {who} to share all answers: {_sharing(crowd.best_case)} at best{worst}"


def _sharing(people: float) -> str:
    """Return the size of a group; one that has only the person is nobody else."""
    return f"{whole(people)} people" if people >= 2 else "nobody else"


def _unique_sentence(population: int, unique: float | None) -> str:
    if unique is None:
        return "The worst case and the number of unique people are not known: they need the shares of all answers."
    if nearest(unique):
        return f"About {count(nearest(unique))} of them ({share(unique / population)}) will be unique."
    if unique < _MANY_UNIQUE * population:
        return "Hardly anyone of them will be unique."
    return f"On average, fewer than 1 of them ({share(unique / population)}) will be unique."


def _drop_sentence(answer: Questionnaire) -> str:
    """Return which question to drop, or which ones if no single one is enough."""
    best, fewest = answer.best_drop, answer.fewest_drops
    if best is None:
        return ""
    if not any(_helps(change.crowd, answer.steps[-1].crowd) for change in answer.dropping):
        return "Dropping a single question does not help."
    if best.crowd.typical >= SMALL_GROUP or len(answer.steps) == 2:
        return f"Dropping {best.question} helps most: {_people_left(best.crowd, answer.population)}."
    if fewest is None:
        return "Even a single question leaves fewer than 5 people."
    people = _people_left(fewest.crowd, answer.population)
    return f"Dropping one question is not enough. Without {joined(fewest.questions)}, {people}."


def _helps(after: Crowd, now: Crowd) -> bool:
    """Whether a change leaves more people in the best or in the expected case."""
    cases = ((after.best_case, now.best_case), (after.expected_at_most, now.expected_at_most))
    return any(later > earlier * _MORE for later, earlier in cases)


def _people_left(crowd: Crowd, population: int) -> str:
    left = _sharing(crowd.expected) if crowd.expected is not None else f"at best {_sharing(crowd.best_case)}"
    if crowd.unique_people is None:
        return f"{left} would share all answers"
    few = "hardly anyone" if crowd.unique_people < _MANY_UNIQUE * population else "on average fewer than 1"
    unique = nearest(crowd.unique_people)
    return f"{left} would share all answers, and {count(unique) if unique else few} would be unique"


def _steps(answer: Questionnaire) -> TableBlock:
    everyone = count(answer.population)
    alone = answer.population == 1
    rows = [["everyone", everyone, everyone, everyone, everyone, "1" if alone else "0"]]
    for step in answer.steps:
        crowd = step.crowd
        figures = (crowd.best_case, crowd.worst_case, crowd.mean_crowd)
        rows.append([step.question, _expected(crowd), *map(_people, figures), _unique(crowd.unique_people)])
    caption = (
        "expected: for answers that give away the average number of bits. best and worst case: for the most common and "
        "the rarest answers. mean group: group size, averaged over people. <1: nobody else. unique: people whose "
        "answers nobody else gives, if everyone answers."
    )
    if any(step.crowd.expected is None for step in answer.steps):
        caption += " <=: only the share of the most common answer is known."
    return TableBlock(
        "People who still share your answers",
        ("after the question", "expected", "best case", "worst case", "mean group", "unique"),
        rows,
        left=(0,),
        caption=caption,
    )


def _expected(crowd: Crowd) -> str:
    # An upper bound is rounded up.
    return _people(crowd.expected) if crowd.expected is not None else f"<= {count(math.ceil(crowd.expected_at_most))}"


def _unique(people: float | None) -> str:
    """Return an expected number of unique people: a risk is rounded to the nearest number, not down."""
    if people is None:
        return NONE
    return "<1" if people <= 0.5 else count(nearest(people))


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
    if answer.steps[-1].crowd.unique_people is not None:
        sentences.append("To count unique people: everyone answers, independently of each other.")
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
        cases = (_expected(crowd), _people(crowd.best_case), _people(crowd.worst_case))
        rows.append([*names, f"{decimal(change.times)}x", *cases, _unique(crowd.unique_people)])
    heads = ("question", "coarser") if coarser else ("question",)
    return TableBlock(
        title,
        (*heads, "times as many", "expected", "best case", "worst case", "unique"),
        rows,
        left=tuple(range(len(heads))),
        caption="times as many: people who then share all answers, compared with now.",
    )
