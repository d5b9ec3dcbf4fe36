"""From a table to what its questions leave of a crowd: every set of them, in every way to ask."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.measures.crowd import Answers
from idbits.measures.distribution import Distribution
from idbits.values.attributes import parse_attributes
from idbits.web.questions.bank import Bank, Counted, Pick, Place, Question, View

__all__ = ["Asking", "count_table"]


@dataclass(frozen=True, slots=True)
class Asking:
    """A question to be counted in a table.

    Attributes:
        key: its name in links, after the place's: ``age``.
        ways: for each way to ask, the finest first: its key, how it is said, and the columns it is answered by.
    """

    key: str
    name: str
    text: str
    ways: tuple[tuple[str, str, tuple[str, ...]], ...]


def count_table(
    table: Any,
    options: OpenOptions,
    place: Place,
    source: str,
    asked: Sequence[Asking],
    *,
    together: bool = True,
    everyone: bool = True,
) -> Bank:
    """Count what the questions of a table leave.

    Args:
        table: what can be opened as a table.
        options: how it is read.
        place: where the people live; how many they are is counted here.
        source: a sentence on where the table comes from.
        asked: the questions.
        together: whether questions are counted together; else each is counted on its own.
        everyone: whether the table holds everyone who lives there, so that it says how many they are.
    """
    with closing(open_table(table, options)) as opened:
        names = [name for one in asked for _, _, way in one.ways for name in way]
        opened.load(dict.fromkeys(one.column for one in parse_attributes(names, opened.columns)))
        place = replace(place, people=opened.n_people() if everyone else 0)
        questions = _questions(place, asked)
        columns = {
            Pick(question, view).key: names
            for question, one in zip(questions, asked, strict=True)
            for view, (_, _, names) in zip(question.views, one.ways, strict=True)
        }
        picks = [[Pick(question, view).key for view in question.views] for question in questions]
        wanted = {key: parse_attributes(names, opened.columns) for key, names in columns.items()}
        answers = {}
        for keys in _combinations(picks, together=together):
            spectrum = opened.spectrum([attribute for key in keys for attribute in wanted[key]])
            answers[frozenset(keys)] = Answers.of(Distribution.from_spectrum(spectrum))
    if together:
        return Bank((place,), questions, (Counted(source, frozenset(columns), answers),))
    alone = tuple(
        Counted(source, frozenset(keys), {frozenset([key]): answers[frozenset([key])] for key in keys})
        for keys in picks
    )
    return Bank((place,), questions, alone)


def _questions(place: Place, asked: Sequence[Asking]) -> tuple[Question, ...]:
    return tuple(
        Question(
            f"{place.key}.{one.key}", one.name, one.text,
            tuple(View(key, label) for key, label, _ in one.ways), place,
        )
        for one in asked
    )  # fmt: skip


def _combinations(picks: Sequence[Sequence[str]], *, together: bool) -> list[tuple[str, ...]]:
    """Return every choice of one way for each question of every set of questions."""
    if not together:
        return [(key,) for keys in picks for key in keys]
    ways = itertools.product(*([None, *keys] for keys in picks))
    chosen = [tuple(key for key in way if key is not None) for way in ways]
    return [keys for keys in chosen if keys]
