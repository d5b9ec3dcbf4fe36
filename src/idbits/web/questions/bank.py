"""The questions to pick from: asked in words, each with coarser ways to ask it, and what their answers leave.

Everything is counted once, when the server starts: what a table's questions leave of a crowd, alone and together, in
every way to ask them. So an answer takes no time, and counts are all that is kept of the tables.
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
        key: what it is called in a link; empty for the finest.
        label: how it is said: "in 5-year bands".
    """

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class BankQuestion:
    """Something that people are asked.

    Attributes:
        key: what it is called in a link: ``nl.age``.
        name: what it is about, in a word or two: "Age".
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
    """A group of people to hide among.

    Attributes:
        key: what it is called in a link: ``nl``.
        name: "the Netherlands".
        people: how many live there; 0 where that was not counted, so that nobody can hide there.
        made_up: whether nobody of them is real.
    """

    key: str
    name: str
    people: int = 0
    made_up: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    """A question, in the way it is asked."""

    question: BankQuestion
    view: View

    @property
    def key(self) -> str:
        """What it is called in a link: ``nl.age:band5``."""
        return f"{self.question.key}:{self.view.key}" if self.view.key else self.question.key


@dataclass(frozen=True, slots=True)
class CountedTable:
    """A table, counted: what each set of questions leaves, for every way to ask each of them.

    Attributes:
        source: a sentence on where the table comes from.
        answers: by the keys of picks.
    """

    source: str
    picks: frozenset[str]
    answers: Mapping[frozenset[str], Answers]


@dataclass(frozen=True)
class Bank:
    """All questions to pick from."""

    places: tuple[Place, ...]
    questions: tuple[BankQuestion, ...]
    counted: tuple[CountedTable, ...]
    _by_key: dict[str, BankQuestion] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_key.update((question.key, question) for question in self.questions)

    def with_more(self, other: Bank) -> Bank:
        """Return this bank with the questions of another one behind."""
        places = dict.fromkeys((*self.places, *other.places))
        return Bank(tuple(places), (*self.questions, *other.questions), (*self.counted, *other.counted))

    def place(self, key: str) -> Place | None:
        """Return a place."""
        return next((place for place in self.places if place.key == key), None)

    def pick(self, key: str) -> Pick:
        """Return what a key of a link stands for."""
        name, _, way = key.partition(":")
        question = self._by_key.get(name)
        if question is None:
            raise InputError(f'there is no question "{name[:60]}" here{near_names(name, self._by_key)}')
        for view in question.views:
            if view.key == way:
                return Pick(question, view)
        raise InputError(f'"{name}" cannot be asked like "{way[:60]}"')

    def counted_in(self, asked: Sequence[tuple[str, Pick]]) -> list[tuple[CountedTable, list[tuple[str, Pick]]]]:
        """Return the tables that know the questions, each with those that are taken from it.

        Args:
            asked: names of questions, each with its pick.
        """
        left, tables = list(asked), []
        while left:
            # The table that knows most of what is left; the first one of those that know as much.
            table = max(self.counted, key=lambda counted: sum(pick.key in counted.picks for _, pick in left))
            known = [(name, pick) for name, pick in left if pick.key in table.picks]
            tables.append((table, known))
            left = [question for question in left if question not in known]
        return tables


def counted_block(table: CountedTable, asked: Sequence[tuple[str, Pick]]) -> QuestionBlock:
    """Return questions that were counted together as a block, with the coarser ways to ask them."""
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
