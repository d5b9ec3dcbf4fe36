"""Counts the answers to the questions of a table: every combination of questions, in every way to ask them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.measures.crowd import Answers
from idbits.measures.distribution import Distribution
from idbits.values.attributes import parse_attributes
from idbits.web.questions.bank import Bank, BankQuestion, CountedTable, Pick, Place, View

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

__all__ = ["QuestionToCount", "count_table"]


@dataclass(frozen=True, slots=True)
class QuestionToCount:
    """A question to count in a table.

    Attributes:
        key: its key in links, after that of the place: ``age``.
        ways: the ways to ask, the finest first: key, label, and the columns with the answers.
    """

    key: str
    name: str
    text: str
    ways: tuple[tuple[str, str, tuple[str, ...]], ...]


def count_table(
    table: Path | pa.Table,
    options: OpenOptions,
    place: Place,
    source: str,
    asked: Sequence[QuestionToCount],
    *,
    together: bool = True,
    everyone: bool = True,
) -> Bank:
    """Count the answers to the questions of a table.

    Args:
        table: the table, or its path.
        options: how to read it.
        place: where the people live; the number of people is counted here.
        source: a sentence about the source of the table.
        asked: the questions.
        together: whether to count questions together; otherwise each by itself.
        everyone: whether the table contains everyone who lives there, so that people can be counted.
    """
    with closing(open_table(table, options)) as opened:
        names = [name for question in asked for _, _, columns in question.ways for name in columns]
        opened.load(dict.fromkeys(attribute.column for attribute in parse_attributes(names, opened.columns)))
        place = replace(place, people=opened.n_people() if everyone else 0)
        questions = _questions(place, asked)
        columns = {
            Pick(question, view).key: names
            for question, to_count in zip(questions, asked, strict=True)
            for view, (_, _, names) in zip(question.views, to_count.ways, strict=True)
        }
        picks = [[Pick(question, view).key for view in question.views] for question in questions]
        wanted = {key: parse_attributes(names, opened.columns) for key, names in columns.items()}
        answers = {}
        for keys in _combinations(picks, together=together):
            spectrum = opened.spectrum([attribute for key in keys for attribute in wanted[key]])
            answers[frozenset(keys)] = Answers.of(Distribution.from_spectrum(spectrum))
    if together:
        return Bank((place,), questions, (CountedTable(source, frozenset(columns), answers),))
    alone = tuple(
        CountedTable(source, frozenset(keys), {frozenset([key]): answers[frozenset([key])] for key in keys})
        for keys in picks
    )
    return Bank((place,), questions, alone)


def _questions(place: Place, asked: Sequence[QuestionToCount]) -> tuple[BankQuestion, ...]:
    return tuple(
        BankQuestion(
            f"{place.key}.{question.key}", question.name, question.text,
            tuple(View(key, label) for key, label, _ in question.ways), place,
        )
        for question in asked
    )  # fmt: skip


def _combinations(picks: Sequence[Sequence[str]], *, together: bool) -> list[tuple[str, ...]]:
    """Return every combination of questions, with every choice of one way for each."""
    if not together:
        return [(key,) for keys in picks for key in keys]
    ways = itertools.product(*([None, *keys] for keys in picks))
    chosen = [tuple(key for key in way if key is not None) for way in ways]
    return [keys for keys in chosen if keys]
