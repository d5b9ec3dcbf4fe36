"""How many people share the answers to a survey's questions, from what is known about those answers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from idbits.engines.base import Table
from idbits.errors import InputError
from idbits.measures.crowd import Answers, merged_rarest
from idbits.measures.distribution import Distribution
from idbits.studies.shared.coarser import coarser_views
from idbits.values.attributes import Attribute

__all__ = [
    "QuestionBlock", "Views", "checked_shares", "counted_answers", "counted_block", "largest_share", "listed_answers",
    "listed_block",
]  # fmt: skip

_MOST_COARSER = 4

Views = tuple[tuple[str, Answers], ...]
"""Coarser ways to ask, each with the answers it would get."""


@dataclass(frozen=True, slots=True, eq=False)
class QuestionBlock:
    """Questions that are counted together; most blocks have only one.

    Attributes:
        questions: their names.
        answers: the answers to each subset of them.
        coarser: for each question, coarser ways to ask it, each with the answers to the whole block.
    """

    questions: tuple[str, ...]
    answers: Mapping[frozenset[str], Answers]
    coarser: Mapping[str, Views]


def largest_share(name: str, key: Literal["share", "factor"], number: float, refused: float) -> float:
    """Return the share of the most common answer, counting a refusal as an answer."""
    if key == "share" and not 0 < number <= 1:
        raise InputError(f'share of "{name}" must be greater than 0 and at most 1')
    if key == "factor" and not (number >= 1 and math.isfinite(number)):
        raise InputError(f'factor of "{name}" must be at least 1')
    return max((number if key == "share" else 1 / number) * (1 - refused), refused)


def checked_shares(shares: Sequence[float], name: str) -> list[float]:
    """Return the shares as numbers, after checking that they add up to 1."""
    try:
        Distribution.of(shares)
    except (InputError, OverflowError, TypeError, ValueError) as error:
        raise InputError(f'in the shares of "{name}", {error}') from None
    return [float(share) for share in shares]


def listed_answers(shares: list[float], refused: float) -> tuple[Answers, Views]:
    """Return the answers with these shares, and the same with the two rarest answers merged."""
    views: list[tuple[str, Answers]] = []
    if len(shares) > 2:
        merged = Distribution.of([*(share * (1 - refused) for share in merged_rarest(shares)), refused])
        views.append(("the two rarest answers merged", Answers.of(merged)))
    return Answers.of(Distribution.of([*(share * (1 - refused) for share in shares), refused])), tuple(views)


def _answers(table: Table, attributes: tuple[Attribute, ...], refused: float = 0.0) -> Answers:
    return Answers.of(Distribution.from_spectrum(table.spectrum(attributes))).with_refusals(refused)


def counted_answers(table: Table, wanted: tuple[Attribute, ...], refused: float) -> tuple[Answers, Views]:
    """Return the answers counted in a table, and those of coarser views of its columns."""
    views = itertools.islice(_coarser(table, wanted), _MOST_COARSER)
    coarser = tuple((name, _answers(table, view, refused)) for name, view in views)
    return _answers(table, wanted, refused), coarser


def _coarser(table: Table, wanted: tuple[Attribute, ...]) -> Iterator[tuple[str, tuple[Attribute, ...]]]:
    """Yield coarser views of the attributes, one of them at a time."""
    for index, attribute in enumerate(wanted):
        for coarser in coarser_views(table, attribute):
            yield coarser.name, (*wanted[:index], coarser, *wanted[index + 1 :])


def _subsets(names: tuple[str, ...]) -> Iterator[tuple[int, ...]]:
    for size in range(1, len(names) + 1):
        yield from itertools.combinations(range(len(names)), size)


def counted_block(names: tuple[str, ...], table: Table, wanted: tuple[Attribute, ...]) -> QuestionBlock:
    """Return the block of questions that are counted together in a table."""
    if len(wanted) != len(names):
        raise InputError("a joint distribution needs exactly one column per question (joint.distribution)")
    answers = {
        frozenset(names[index] for index in subset): _answers(table, tuple(wanted[index] for index in subset))
        for subset in _subsets(names)
    }
    coarser = {}
    for index, name in enumerate(names):
        views = itertools.islice(coarser_views(table, wanted[index]), _MOST_COARSER)
        coarser[name] = tuple(
            (view.name, _answers(table, (*wanted[:index], view, *wanted[index + 1 :]))) for view in views
        )
    return QuestionBlock(names, answers, coarser)


def listed_block(names: tuple[str, ...], shares: object) -> QuestionBlock:
    """Return the block of questions whose shares are listed together."""
    try:
        cells = np.asarray(shares, dtype=np.float64)
        fits = cells.ndim == len(names)
    except (OverflowError, TypeError, ValueError):
        fits = False
    if not fits:
        raise InputError(f"the shares of {', '.join(names)} must be nested lists, one level per question")
    axes = range(len(names))
    answers = {}
    for subset in _subsets(names):
        others = tuple(axis for axis in axes if axis not in subset)
        answers[frozenset(names[index] for index in subset)] = Answers.of(
            Distribution.of(cells.sum(axis=others).ravel())
        )
    return QuestionBlock(names, answers, dict.fromkeys(names, ()))
