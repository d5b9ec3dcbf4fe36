"""The answer to the questions of a link: how many people are left after each, and what would help."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from idbits.errors import InputError
from idbits.measures.crowd import Answers, bits_given_away, merged_rarest, together
from idbits.render.numbers import significant, to_places
from idbits.studies.questionnaire.answers import QuestionBlock, Views, listed_answers
from idbits.studies.questionnaire.result import Crowd, FewestDrops, QuestionChange, Questionnaire
from idbits.studies.questionnaire.study import assess, crowd_left, times_as_many
from idbits.studies.questionnaire.survey import Survey
from idbits.studies.shared.serialisation import Json, JsonObject, with_schema
from idbits.web.questions.bank import Bank, Pick, Place, counted_block
from idbits.web.questions.link import OwnQuestion, QuestionLink, own_question_of
from idbits.wording import joined

__all__ = ["AskedQuestion", "CrowdAnswer", "SuggestedDrops", "Suggestion", "answer_link"]

# An exact order of more questions would take too long.
_MOST_ORDERED = 8

Questions = Mapping[str, Pick | OwnQuestion]
"""Questions by name: from the bank, or the user's own."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question, and the people left after it.

    Attributes:
        asked: a question from the bank, or the user's own.
        given_bits: the bits it typically adds to those before it; None if that is not known.
        source: the source of its counts; None for the user's own question.
    """

    name: str
    asked: Pick | OwnQuestion
    crowd: Crowd
    given_bits: float | None
    source: str | None

    @property
    def key(self) -> str:
        """Its key in a link."""
        return self.asked.key

    @property
    def is_made_up(self) -> bool:
        """Whether the people who answered it are made up."""
        return isinstance(self.asked, Pick) and self.asked.question.place.made_up

    def to_dict(self) -> JsonObject:
        """Return the question as plain data."""
        data: JsonObject = {"key": self.key, "question": self.name}
        if isinstance(self.asked, Pick):
            return data | {"asked": self.asked.view.label, "source": self.source}
        shares: list[Json] = [*self.asked.shares]
        return data | {"shares": shares} if len(shares) > 1 else data


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change that leaves more people, and the link to it."""

    change: QuestionChange
    link: QuestionLink


@dataclass(frozen=True, slots=True)
class SuggestedDrops:
    """Several questions not to ask, if no single one is enough, and the link without them."""

    drops: FewestDrops
    link: QuestionLink


@dataclass(frozen=True, slots=True)
class CrowdAnswer:
    """The contents of the page.

    Attributes:
        left_out: why questions of the link were left out.
    """

    link: QuestionLink
    place: Place | None
    people: int
    questions: tuple[AskedQuestion, ...] = ()
    result: Questionnaire | None = None
    drops: tuple[Suggestion, ...] = ()
    coarser: tuple[Suggestion, ...] = ()
    several: SuggestedDrops | None = None
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def crowd(self) -> Crowd:
        """The people left after the last question."""
        if self.questions:
            return self.questions[-1].crowd
        return crowd_left(self.people, together([]))

    def to_dict(self) -> dict[str, object]:
        """Return the answer as plain data: that of ``idbits questionnaire``, and the questions."""
        data: JsonObject = {"population": self.people, "steps": []}
        if self.result is not None:
            data = self.result.to_dict()
        asked: JsonObject = {
            "address": self.link.address(),
            "place": self.place.key if self.place is not None else None,
            "made_up": self.place.made_up if self.place is not None else None,
            "asked": [question.to_dict() for question in self.questions],
            "notes": [*self.notes],
        }
        return with_schema("questionnaire", data | asked)


def answer_link(bank: Bank, link: QuestionLink, *, strict: bool = False) -> CrowdAnswer:
    """Answer the questions of a link.

    Args:
        bank: the questions to choose from.
        link: the place, the people and the questions.
        strict: whether an unknown question is an error; otherwise it is listed in ``left_out``.
    """
    place = _place(bank, link)
    people = link.people or (place.people if place is not None else 0)
    if not people:
        raise InputError("enter the number of people")
    named, left_out = _named_questions(bank, link, strict=strict)
    if not named:
        return CrowdAnswer(link, place, people, left_out=left_out)
    notes: list[str] = []
    tables = bank.counted_in(_picks(named))
    blocks = [counted_block(table, picks) for table, picks in tables] + _own_blocks(named, notes)
    result = assess(Survey(None, people, tuple(named), tuple(blocks)), most_exact=_MOST_ORDERED)
    result = _as_linked(bank, named, result)
    questions = _asked_questions(named, result, {name: table.source for table, picks in tables for name, _ in picks})
    link = QuestionLink(link.place, link.people, tuple(question.key for question in questions))
    return CrowdAnswer(
        link,
        place,
        people,
        questions,
        result,
        tuple(_suggestion(link, named, change) for change in result.dropping),
        tuple(_suggestion(link, named, change) for change in result.coarsening),
        _suggested_drops(link, named, result.fewest_drops),
        (*notes, *_cautions(questions, result, place)),
        left_out,
    )


def _place(bank: Bank, link: QuestionLink) -> Place | None:
    """Return the place of the link, or the first place; None for a group given only by its size."""
    if link.place == "other":
        return None
    if link.place is None:
        return next(place for place in bank.places if place.people)
    place = bank.place(link.place)
    if place is None or not place.people:
        raise InputError(f'the place "{link.place[:60]}" is not known here')
    return place


def _named_questions(bank: Bank, link: QuestionLink, *, strict: bool) -> tuple[Questions, tuple[str, ...]]:
    """Return the questions of a link by unique names, and why others are left out; none is asked twice."""
    named: dict[str, Pick | OwnQuestion] = {}
    left_out = []
    for key in link.asked:
        try:
            question = own_question_of(key) or bank.pick(key)
        except InputError as error:
            if strict:
                raise
            left_out.append(str(error))
            continue
        if isinstance(question, OwnQuestion):
            named[_free_name(question.name, named)] = question
        elif all(pick.question != question.question for _, pick in _picks(named)):
            name = question.question.name
            name = f"{name} ({question.question.place.name})" if name in named else name
            named[_free_name(name, named)] = question
    return named, tuple(left_out)


def _free_name(name: str, named: Questions) -> str:
    number, free = 2, name
    while free in named:
        free, number = f"{name} ({number})", number + 1
    return free


def _picks(named: Questions) -> list[tuple[str, Pick]]:
    return [(name, question) for name, question in named.items() if isinstance(question, Pick)]


def _own_blocks(named: Questions, notes: list[str]) -> list[QuestionBlock]:
    blocks = []
    for name, question in named.items():
        if isinstance(question, Pick):
            continue
        total = sum(float(text) for text in question.percentages)
        if len(question.percentages) > 1 and not math.isclose(total, 100, abs_tol=1e-9):
            percent = significant(total, 6)
            notes.append(f"The answers to {name} add up to {percent} in 100 people; we scaled them to 100.")
        answers, views = _own_answers(question.percentages)
        blocks.append(QuestionBlock((name,), {frozenset([name]): answers}, {name: views}))
    return blocks


@lru_cache(maxsize=256)
def _own_answers(percentages: tuple[str, ...]) -> tuple[Answers, Views]:
    """Return how common the answers to the user's own question are; each change of the page asks this many times."""
    if len(percentages) == 1:
        return Answers.from_largest(float(percentages[0]) / 100), ()
    return listed_answers(OwnQuestion("", percentages).shares, 0.0)


def _asked_questions(named: Questions, result: Questionnaire, sources: Mapping[str, str]) -> tuple[AskedQuestion, ...]:
    questions = []
    before: float | None = float(result.population)
    for step in result.steps:
        after = step.crowd.expected
        given = None
        if before is not None and after is not None:
            # Rounding must not make the difference of two logarithms negative.
            given = max(0.0, bits_given_away(before, after))
        source = sources.get(step.question)
        questions.append(AskedQuestion(step.question, named[step.question], step.crowd, given, source))
        before = after
    return tuple(questions)


def _as_linked(bank: Bank, named: Questions, result: Questionnaire) -> Questionnaire:
    """Return the result with changes as their links show them; they may be counted in another table."""
    before = _left(bank, named)

    def linked(change: QuestionChange) -> QuestionChange:
        if change.view is None:
            questions = {name: question for name, question in named.items() if name != change.question}
        else:
            questions = {**named, change.question: _coarser(named[change.question], change)}
        left = _left(bank, questions)
        return replace(change, crowd=crowd_left(result.population, left), times=times_as_many(left, before))

    dropping = sorted(map(linked, result.dropping), key=lambda change: -change.times)
    fewest = result.fewest_drops
    if fewest is not None:
        left = _left(bank, {name: asked for name, asked in named.items() if name not in fewest.questions})
        fewest = replace(fewest, crowd=crowd_left(result.population, left))
    coarsening = tuple(map(linked, result.coarsening))
    return replace(result, dropping=tuple(dropping), coarsening=coarsening, fewest_drops=fewest)


def _left(bank: Bank, named: Questions) -> Answers:
    """Return how common the answers to exactly these questions are."""
    tables = bank.counted_in(_picks(named))
    parts = [table.answers[frozenset(pick.key for _, pick in picks)] for table, picks in tables]
    return together([*parts, *(block.answers[frozenset(block.questions)] for block in _own_blocks(named, []))])


def _coarser(question: Pick | OwnQuestion, change: QuestionChange) -> Pick | OwnQuestion:
    """Return the question as asked after a change."""
    if isinstance(question, Pick):
        return Pick(question.question, next(view for view in question.question.views if view.label == change.view))
    parts = merged_rarest([float(text) for text in question.percentages])
    return OwnQuestion(question.name, tuple(to_places(part, 6).rstrip("0").rstrip(".") for part in parts))


def _suggestion(link: QuestionLink, named: Questions, change: QuestionChange) -> Suggestion:
    index = list(named).index(change.question)
    if change.view is None:
        return Suggestion(change, link.without(index))
    return Suggestion(change, link.with_instead(index, _coarser(named[change.question], change).key))


def _suggested_drops(link: QuestionLink, named: Questions, drops: FewestDrops | None) -> SuggestedDrops | None:
    if drops is None or len(drops.questions) < 2:
        return None
    kept = tuple(key for key, name in zip(link.asked, named, strict=True) if name not in drops.questions)
    return SuggestedDrops(drops, replace(link, asked=kept))


def _cautions(questions: tuple[AskedQuestion, ...], result: Questionnaire, place: Place | None) -> list[str]:
    """Return the assumptions behind the figures, in plain sentences."""
    sentences = []
    for names in result.together:
        real = not any(question.is_made_up for question in questions if question.name in names)
        sentences.append(f"{joined(names)} were counted together{', as they occur in real people' if real else ''}.")
    separate = len(questions) - sum(len(names) - 1 for names in result.together)
    if separate > 1:
        which = "The questions" if result.independent else "Otherwise the questions"
        sentences.append(
            f"{which} are assumed to be unrelated. Answers are often related, so the group may be larger or smaller."
        )
    elsewhere = [
        f"{question.name} ({question.asked.question.place.name})"
        for question in questions
        if isinstance(question.asked, Pick) and (place is None or question.asked.question.place.key != place.key)
    ]
    if elsewhere:
        sentences.append(f"Counted elsewhere, and assumed to be the same here: {', '.join(elsewhere)}.")
    sentences.append("We assume the attacker knows your answers, and those of everybody else.")
    return sentences
