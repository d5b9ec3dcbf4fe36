"""The questions to choose from, each with coarser ways to ask it, and how common their answers are.

Everything is counted once, when the server starts: each question by itself and all combinations, in every way to ask
them. Answers are then immediate, and only counts are kept of the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from idbits.errors import InputError
from idbits.measures.crowd import Answers
from idbits.studies.questionnaire.answers import QuestionBlock
from idbits.wording import near_names

__all__ = ["Bank", "BankQuestion", "CountedTable", "Pick", "Place", "View", "counted_block"]


@dataclass(frozen=True, slots=True)
class View:
    """One way to ask a question.

    Attributes:
        key: its key in a link; empty for the finest way.
        label: its label on the page: "in 5-year bands".
    """

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class BankQuestion:
    """A question that people are asked.

    Attributes:
        key: its key in a link: ``nl.age``.
        name: its subject in a word or two: "Age".
        text: the question: "How old are you?".
        views: ways to ask it, the finest first.
        place: where the answers were counted.
    """

    key: str
    name: str
    text: str
    views: tuple[View, ...]
    place: Place

    def coarser(self, view: View) -> tuple[View, ...]:
        """Return the coarser ways to ask."""
        return self.views[self.views.index(view) + 1 :]


@dataclass(frozen=True, slots=True)
class Place:
    """A population that a person may belong to.

    Attributes:
        key: its key in a link: ``nl``.
        name: "the Netherlands".
        people: the number of people; 0 if that was not counted, so that the place cannot be chosen.
        made_up: whether the people are made up.
    """

    key: str
    name: str
    people: int = 0
    made_up: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    """A question and the way to ask it."""

    question: BankQuestion
    view: View

    @property
    def key(self) -> str:
        """Its key in a link: ``nl.age:band5``."""
        return f"{self.question.key}:{self.view.key}" if self.view.key else self.question.key


@dataclass(frozen=True, slots=True)
class CountedTable:
    """A counted table: the answers to each combination of questions, in every way to ask them.

    Attributes:
        source: a sentence about the source of the table.
        answers: the answers by the keys of the questions.
    """

    source: str
    picks: frozenset[str]
    answers: Mapping[frozenset[str], Answers]


@dataclass(frozen=True)
class Bank:
    """All questions to choose from."""

    places: tuple[Place, ...]
    questions: tuple[BankQuestion, ...]
    counted: tuple[CountedTable, ...]
    _by_key: dict[str, BankQuestion] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_key.update((question.key, question) for question in self.questions)

    def with_more(self, other: Bank) -> Bank:
        """Return this bank followed by the questions of another one."""
        places = dict.fromkeys((*self.places, *other.places))
        return Bank(tuple(places), (*self.questions, *other.questions), (*self.counted, *other.counted))

    def place(self, key: str) -> Place | None:
        """Return a place."""
        return next((place for place in self.places if place.key == key), None)

    def pick(self, key: str) -> Pick:
        """Return the question with a key of a link."""
        name, _, way = key.partition(":")
        question = self._by_key.get(name)
        if question is None:
            raise InputError(f'the question "{name[:60]}" is not known here{near_names(name, self._by_key)}')
        for view in question.views:
            if view.key == way:
                return Pick(question, view)
        raise InputError(f'the question "{name}" has no view "{way[:60]}"')

    def counted_in(self, asked: Sequence[tuple[str, Pick]]) -> list[tuple[CountedTable, list[tuple[str, Pick]]]]:
        """Return the tables to take the answers from, each with its questions.

        Args:
            asked: the questions by name.
        """
        left, tables = list(asked), []
        while left:
            # The first of the tables that have most of the remaining questions.
            table = max(self.counted, key=lambda counted: sum(pick.key in counted.picks for _, pick in left))
            known = [(name, pick) for name, pick in left if pick.key in table.picks]
            tables.append((table, known))
            left = [question for question in left if question not in known]
        return tables


def counted_block(table: CountedTable, asked: Sequence[tuple[str, Pick]]) -> QuestionBlock:
    """Return questions that were counted together as a block, with their coarser views."""
    keys = {name: pick.key for name, pick in asked}
    answers = {
        frozenset(subset): table.answers[frozenset(keys[name] for name in subset)] for subset in _subsets(list(keys))
    }
    coarser = {}
    for name, pick in asked:
        others = frozenset(key for other, key in keys.items() if other != name)
        ways = [Pick(pick.question, view) for view in pick.question.coarser(pick.view)]
        coarser[name] = tuple(
            (way.view.label, table.answers[others | {way.key}]) for way in ways if way.key in table.picks
        )
    return QuestionBlock(tuple(keys), answers, coarser)


def _subsets(names: Sequence[str]) -> Iterable[list[str]]:
    for bits in range(1, 1 << len(names)):
        yield [name for index, name in enumerate(names) if bits >> index & 1]
