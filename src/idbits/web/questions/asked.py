"""From what a link asks to the answer: who is left after each question, and what would help."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from idbits.errors import InputError
from idbits.measures.crowd import Answers, merged_rarest, together
from idbits.studies.questionnaire.answers import QuestionBlock, listed_answers
from idbits.studies.questionnaire.result import Crowd, QuestionChange, Questionnaire
from idbits.studies.questionnaire.study import assess, crowd_left, times_as_many
from idbits.studies.questionnaire.survey import Survey
from idbits.studies.shared.serialisation import with_schema
from idbits.web.questions.bank import Bank, Pick, Place, counted_block
from idbits.web.questions.state import Own, State, own_of

__all__ = ["Answer", "Item", "answer"]

# An exact order of more would take longer than a person waits.
_MOST_ORDERED = 8


@dataclass(frozen=True, slots=True)
class Item:
    """A question that is asked, and the crowd after it.

    Attributes:
        asked: a pick from the bank, or a question of one's own.
        given_bits: what it gives away on top of those before it, typically; None where that is not known.
        source: where its counts come from; None for a question of one's own.
    """

    name: str
    asked: Pick | Own
    crowd: Crowd
    given_bits: float | None
    source: str | None

    @property
    def key(self) -> str:
        """What it is called in a link."""
        return self.asked.key


@dataclass(frozen=True, slots=True)
class Help:
    """A change that leaves more people, and the link to it."""

    change: QuestionChange
    state: State


@dataclass(frozen=True, slots=True)
class Answer:
    """What the page shows.

    Attributes:
        left_out: why a question of the link is not among the items.
    """

    state: State
    place: Place | None
    people: int
    items: tuple[Item, ...]
    result: Questionnaire | None
    drops: tuple[Help, ...]
    coarser: tuple[Help, ...]
    notes: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def crowd(self) -> Crowd:
        """Who is left in the end."""
        if self.items:
            return self.items[-1].crowd
        everyone = float(self.people)
        return Crowd(everyone, everyone, everyone, everyone, everyone)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data: that of ``idbits questionnaire``, and what it was asked."""
        asked = {
            "address": self.state.address(),
            "place": self.place.key if self.place is not None else None,
            "made_up": self.place.made_up if self.place is not None else None,
            "asked": [_described(item) for item in self.items],
        }
        found = self.result.to_dict() if self.result is not None else {"population": self.people, "steps": []}
        return with_schema("questionnaire", found | asked | {"notes": list(self.notes)})


def _described(item: Item) -> dict[str, Any]:
    told = {"key": item.key, "question": item.name}
    if isinstance(item.asked, Own):
        return told | {"shares": item.asked.shares} if len(item.asked.percentages) > 1 else told
    return told | {"asked": item.asked.view.label, "source": item.source}


def answer(bank: Bank, state: State, *, strict: bool = False) -> Answer:
    """Answer what a link asks.

    Args:
        bank: the questions to pick from.
        state: what is asked.
        strict: whether a question that is not in the bank is an error; else it is left out, and that is said.
    """
    place = _place(bank, state)
    people = state.people or (place.people if place is not None else 0)
    if not people:
        raise InputError("say how many people there are")
    found, left_out = _found(bank, state, strict=strict)
    if not found:
        return Answer(state, place, people, (), None, (), (), (), tuple(left_out))
    names = _names(found)
    notes: list[str] = []
    tables = bank.counted_in([(name, one) for name, one in names.items() if isinstance(one, Pick)])
    blocks = [counted_block(table, own) for table, own in tables] + _own_blocks(names, notes)
    result = assess(Survey(None, people, tuple(names), tuple(blocks)), most_exact=_MOST_ORDERED)
    result = _as_linked(bank, names, result)
    items = _items(names, result, {name: table.source for table, own in tables for name, _ in own})
    keys = [item.key for item in items]
    state = State(state.place, state.people, tuple(keys))
    return Answer(
        state,
        place,
        people,
        items,
        result,
        tuple(Help(change, state.without(list(names).index(change.question))) for change in result.dropping),
        tuple(_coarser(state, names, result)),
        (*notes, *_cautions(items, result, place)),
        tuple(left_out),
    )


def _place(bank: Bank, state: State) -> Place | None:
    """Return where people live: as asked, or the first place; None where a number of people says enough."""
    if state.place == "other":
        return None
    if state.place is None:
        return next(place for place in bank.places if place.people)
    place = bank.place(state.place)
    if place is None or not place.people:
        raise InputError(f'there is no place "{state.place[:60]}" here')
    return place


def _found(bank: Bank, state: State, *, strict: bool) -> tuple[list[Pick | Own], list[str]]:
    found: list[Pick | Own] = []
    left_out = []
    for key in state.asked:
        try:
            one = own_of(key) or bank.pick(key)
        except InputError as error:
            if strict:
                raise
            left_out.append(str(error))
            continue
        if isinstance(one, Own) or all(isinstance(known, Own) or known.question != one.question for known in found):
            found.append(one)
    return found, left_out


def _names(found: list[Pick | Own]) -> dict[str, Pick | Own]:
    """Return a name of its own for each question."""
    names: dict[str, Pick | Own] = {}
    for one in found:
        name = one.name if isinstance(one, Own) else one.question.name
        if name in names and isinstance(one, Pick):
            name = f"{name} ({one.question.place.name})"
        number, first = 2, name
        while name in names:
            name, number = f"{first} ({number})", number + 1
        names[name] = one
    return names


def _own_blocks(names: Mapping[str, Pick | Own], notes: list[str]) -> list[QuestionBlock]:
    blocks = []
    for name, one in names.items():
        if isinstance(one, Pick):
            continue
        if len(one.percentages) == 1:
            answers: Answers = Answers.from_largest(float(one.percentages[0]) / 100)
            blocks.append(QuestionBlock((name,), {frozenset([name]): answers}, {name: ()}))
            continue
        total = sum(float(text) for text in one.percentages)
        if not math.isclose(total, 100, abs_tol=1e-9):
            notes.append(f"The answers to {name} add up to {total:g} in 100 people; they are taken as parts of that.")
        answers, views = listed_answers(one.shares, 0.0)
        blocks.append(QuestionBlock((name,), {frozenset([name]): answers}, {name: views}))
    return blocks


def _items(names: Mapping[str, Pick | Own], result: Questionnaire, sources: Mapping[str, str]) -> tuple[Item, ...]:
    items = []
    before: float | None = float(result.population)
    for step in result.steps:
        after = step.crowd.expected
        given = math.log2(before / after) if before is not None and after is not None else None
        # Two logarithms of one number may differ in the last digit: nothing is taken back.
        given = max(0.0, given) if given is not None else None
        items.append(Item(step.question, names[step.question], step.crowd, given, sources.get(step.question)))
        before = after
    return tuple(items)


def _as_linked(bank: Bank, names: Mapping[str, Pick | Own], result: Questionnaire) -> Questionnaire:
    """Return the result with changes as their links show them: what is asked then may be counted in another table."""
    before = _left(bank, names)

    def linked(change: QuestionChange) -> QuestionChange:
        kept = {name: one for name, one in names.items() if name != change.question}
        if change.view is not None:
            kept = {name: _instead(one, change) if name == change.question else one for name, one in names.items()}
        left = _left(bank, kept)
        return replace(change, crowd=crowd_left(result.population, left), times=times_as_many(left, before))

    dropping = sorted(map(linked, result.dropping), key=lambda change: -change.times)
    return replace(result, dropping=tuple(dropping), coarsening=tuple(map(linked, result.coarsening)))


def _left(bank: Bank, names: Mapping[str, Pick | Own]) -> Answers:
    """Return what questions leave, as they are counted when just these are asked."""
    tables = bank.counted_in([(name, one) for name, one in names.items() if isinstance(one, Pick)])
    parts = [table.answers[frozenset(pick.key for _, pick in own)] for table, own in tables]
    return together([*parts, *(block.answers[frozenset(block.questions)] for block in _own_blocks(names, []))])


def _instead(one: Pick | Own, change: QuestionChange) -> Pick | Own:
    """Return the coarser way to ask that a change is about."""
    if isinstance(one, Own):
        parts = merged_rarest([float(text) for text in one.percentages])
        return Own(one.name, tuple(f"{part:.6f}".rstrip("0").rstrip(".") for part in parts))
    return Pick(one.question, next(view for view in one.question.views if view.label == change.view))


def _coarser(state: State, names: Mapping[str, Pick | Own], result: Questionnaire) -> list[Help]:
    return [
        Help(
            change,
            state.with_instead(list(names).index(change.question), _instead(names[change.question], change).key),
        )
        for change in result.coarsening
    ]


def _is_made_up(item: Item) -> bool:
    return isinstance(item.asked, Pick) and item.asked.question.place.made_up


def _cautions(items: tuple[Item, ...], result: Questionnaire, place: Place | None) -> list[str]:
    """Return what to know about the figures, in plain sentences."""
    told = []
    told += [
        f"{', '.join(names[:-1])} and {names[-1]} were counted together, as they occur in real people."
        if not any(_is_made_up(item) for item in items if item.name in names)
        else f"{', '.join(names[:-1])} and {names[-1]} were counted together."
        for names in result.together
    ]
    apart = len(items) - sum(len(names) - 1 for names in result.together)
    if apart > 1:
        which = "The questions" if result.independent else "Otherwise the questions"
        told.append(
            f"{which} are taken to have nothing to do with each other. In truth they often do, so the crowd may be "
            "larger or smaller."
        )
    elsewhere = [
        f"{item.name} ({item.asked.question.place.name})"
        for item in items
        if isinstance(item.asked, Pick) and (place is None or item.asked.question.place.key != place.key)
    ]
    if elsewhere:
        told.append(f"Counted elsewhere, and taken to be alike here: {', '.join(elsewhere)}.")
    told.append("Whoever looks for you is taken to know your answers, and those of everybody else.")
    return told
