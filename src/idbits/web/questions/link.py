"""The contents of a link: the population, and the questions in order, with their views.

The address of the page determines everything it shows, so it can be saved and sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from idbits.errors import InputError
from idbits.render.numbers import significant

__all__ = ["MOST_QUESTIONS", "OwnQuestion", "QuestionLink", "own_question_of", "read_own_question", "read_people"]

MOST_QUESTIONS = 20
_MOST_PEOPLE = 10**11
_MOST_NAME = 60
_MOST_SHARES = 100
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,6})?", re.ASCII)
# Percentages may add up to a little more or less than 100, because people round them.
_ROUNDING = 1.0


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """The user's own question: how many in 100 people give each answer, or only the most common one."""

    name: str
    percentages: tuple[str, ...]

    @property
    def key(self) -> str:
        """Its key in a link: ``=60,40|Left-handed``."""
        return f"={','.join(self.percentages)}|{self.name}"

    @property
    def shares(self) -> list[float]:
        """The shares of all answers; they add up to 1."""
        numbers = [float(text) for text in self.percentages]
        return [number / sum(numbers) for number in numbers]


@dataclass(frozen=True, slots=True)
class QuestionLink:
    """The contents of a link.

    Attributes:
        place: the key of the place where people live.
        people: the number of people, if it is not everyone in the place.
        asked: the keys of the questions, in order.
    """

    place: str | None = None
    people: int | None = None
    asked: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """The contents as the end of an address."""
        pairs = [("place", self.place)] if self.place else []
        pairs += [("people", str(self.people))] if self.people is not None else []
        return urlencode([*pairs, *(("q", key) for key in self.asked)])

    def address(self, path: str = "/") -> str:
        """Return the contents as an address."""
        return f"{path}?{self.query}" if self.query else path

    def with_added(self, key: str) -> QuestionLink:
        """Return the link with one more question."""
        if key in self.asked:
            return self
        if len(self.asked) >= MOST_QUESTIONS:
            raise InputError(f"a page may have at most {MOST_QUESTIONS} questions; remove one first")
        return replace(self, asked=(*self.asked, key))

    def without(self, index: int) -> QuestionLink:
        """Return the link without a question."""
        return replace(self, asked=(*self.asked[:index], *self.asked[index + 1 :]))

    def with_instead(self, index: int, key: str) -> QuestionLink:
        """Return the link with a question replaced."""
        return replace(self, asked=(*self.asked[:index], key, *self.asked[index + 1 :]))

    def moved(self, index: int, by: int) -> QuestionLink:
        """Return the link with a question moved up or down."""
        asked = list(self.asked)
        if 0 <= index < len(asked) and 0 <= index + by < len(asked):
            asked[index], asked[index + by] = asked[index + by], asked[index]
        return replace(self, asked=tuple(asked))

    @classmethod
    def read(cls, parameters: Sequence[tuple[str, str]]) -> QuestionLink:
        """Return the link in the parameters of an address."""
        given: Mapping[str, str] = dict(parameters)
        asked = tuple(dict.fromkeys(value for name, value in parameters if name == "q" and value))
        if len(asked) > MOST_QUESTIONS:
            raise InputError(f"a page may have at most {MOST_QUESTIONS} questions; remove one first")
        return cls(given.get("place") or None, read_people(given.get("people", "")), asked)

    def after(self, parameters: Mapping[str, str]) -> QuestionLink:
        """Return the link after the button that was pressed, if any: add, drop, up, down."""
        link = self
        if parameters.get("add") == "own":
            question = read_own_question(parameters.get("own_name", ""), parameters.get("own_share", ""))
            link = link.with_added(question.key)
        elif parameters.get("add"):
            link = link.with_added(parameters["add"])
        for name, by in (("up", -1), ("down", 1)):
            if parameters.get(name, "").isdecimal():
                link = link.moved(int(parameters[name][:3]), by)
        if parameters.get("drop", "").isdecimal():
            link = link.without(int(parameters["drop"][:3]))
        return link


def read_people(text: str) -> int | None:
    """Return a number of people as typed; None for an empty text.

    >>> read_people("16,000,000"), read_people(" 5 000 "), read_people("")
    (16000000, 5000, None)
    """
    digits = re.sub(r"(?<=\d)[ ,.'’_\u00a0\u202f](?=\d{3}(?!\d))", "", text.strip())
    if not digits:
        return None
    if re.fullmatch(r"\d{1,12}", digits, re.ASCII) is None or not 1 <= int(digits) <= _MOST_PEOPLE:
        raise InputError("the number of people must be a whole number, at least 1, such as 16,000,000")
    return int(digits)


def read_own_question(name: str, percentages: str) -> OwnQuestion:
    """Return the user's own question.

    >>> read_own_question("Left-handed", "90; 10")
    OwnQuestion(name='Left-handed', percentages=('90', '10'))
    """
    name = " ".join(name.split())
    if not name or len(name) > _MOST_NAME or not name.isprintable():
        raise InputError(f"enter your question in at most {_MOST_NAME} characters")
    parts = tuple(part for part in re.split(r"[\s,;%]+", percentages.strip()) if part)
    if not parts or len(parts) > _MOST_SHARES or not all(_NUMBER.fullmatch(part) for part in parts):
        raise InputError(
            "enter how many in 100 people give the most common answer, such as 60, or all answers, such as 60, 30, 10"
        )
    numbers = [float(part) for part in parts]
    if min(numbers) <= 0 or max(numbers) > 100:
        raise InputError("each number must be more than 0 and at most 100")
    if len(numbers) > 1 and abs(sum(numbers) - 100) > _ROUNDING:
        raise InputError(
            f"the answers add up to {significant(sum(numbers), 6)} in 100 people, not to 100; enter only the most "
            "common one if you do not know the others"
        )
    return OwnQuestion(name, parts)


def own_question_of(key: str) -> OwnQuestion | None:
    """Return the user's own question in a key; None for other keys."""
    if not key.startswith("="):
        return None
    percentages, _, name = key[1:].partition("|")
    return read_own_question(name, percentages)
