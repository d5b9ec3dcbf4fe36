"""The question to ``idbits disclosure``, read and checked before a table is opened."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from idbits.errors import InputError
from idbits.measures.disclosure.near import Window
from idbits.reading import Names, name_list
from idbits.studies.shared.rules import Rule, parse_rule
from idbits.values.attributes import Attribute, split_names
from idbits.wording import joined, near_names

__all__ = ["ColumnQuestion", "DisclosureQuestion", "disclosure_question", "option_pairs"]

_MOST_VALUES = 100
_MOST_KNOWN = 20


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """What is asked about one sensitive column besides the rest.

    Attributes:
        window: which values count as near.
        secret: the values that are secret; None if all are.
        ranks: the order of the values; None for that of numbers and dates.
        hierarchy: a file with the coarser values of each value.
        prior: a table of how frequent values are elsewhere.
    """

    window: Window | None = None
    secret: tuple[str, ...] | None = None
    ranks: tuple[str, ...] | None = None
    hierarchy: object = None
    prior: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosureQuestion:
    """The question, apart from the table and its columns.

    Attributes:
        certainty: the share of a group above which its people count as nearly certain.
        c: the limit of recursive (c,l)-diversity.
        l: the numbers of values to report people and limits for.
        excluded: numbers of other values that an attacker can rule out.
        known_people: numbers of other people of the group whom an attacker knows.
        by_column: options about single columns, by option and column as they were given.
        smoothing: the share of the table's own values in priors.
        rules: rules that the figures must meet.
    """

    certainty: float = 0.9
    c: float = 4.0
    l: tuple[int, ...] = (2, 3, 5)  # noqa: E741 (the option is called so)
    excluded: tuple[int, ...] = (0, 1, 2)
    known_people: tuple[int, ...] = (0, 1, 2)
    by_column: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    smoothing: float = 0.0
    rules: tuple[Rule, ...] = ()

    def check(self) -> None:
        """Refuse numbers out of range."""
        if not 0 < self.certainty < 1:
            raise InputError("--certainty must be above 0 and below 1")
        if not (math.isfinite(self.c) and self.c > 0):
            raise InputError("--c must be a number above 0")
        _check_range(self.l, "--l", 2, _MOST_VALUES)
        _check_range(self.excluded, "--excluded", 0, _MOST_KNOWN)
        _check_range(self.known_people, "--known-people", 0, _MOST_KNOWN)
        if not 0 <= self.smoothing < 1:
            raise InputError("--smoothing must be at least 0 and below 1")
        if self.smoothing and not self.by_column.get("--prior"):
            raise InputError("--smoothing needs a prior; give one with --prior")

    def about(self, sensitive: Sequence[Attribute]) -> list[ColumnQuestion]:
        """Return what is asked about each sensitive column; refuse options about other columns."""
        given: list[dict[str, Any]] = [{} for _ in sensitive]
        for option, values in self.by_column.items():
            for name, value in values.items():
                given[_index_of(name, sensitive, option)][_FIELDS[option]] = value
        return [ColumnQuestion(**each) for each in given]


_FIELDS = {
    "--near": "window", "--secret": "secret", "--ranks": "ranks", "--hierarchy": "hierarchy", "--prior": "prior"
}  # fmt: skip


def _index_of(name: str, sensitive: Sequence[Attribute], option: str) -> int:
    fitting = [index for index, column in enumerate(sensitive) if name == column.name]
    fitting = fitting or [index for index, column in enumerate(sensitive) if name == column.column]
    if len(fitting) != 1:
        names = joined(f'"{column.name}"' for column in sensitive)
        near = near_names(name, [column.name for column in sensitive])
        raise InputError(f'{option}: "{name}" is not one sensitive column{near or f"; name {names}"}')
    return fitting[0]


def _check_range(numbers: Sequence[int], option: str, least: int, most: int) -> None:
    if not numbers or not all(least <= number <= most for number in numbers):
        raise InputError(f"{option} must be whole numbers from {least} to {most}, such as {least},{least + 1}")


def disclosure_question(
    *,
    certainty: float = 0.9,
    c: float = 4.0,
    l: str | Iterable[int] = (2, 3, 5),  # noqa: E741
    excluded: str | Iterable[int] = (0, 1, 2),
    known_people: str | Iterable[int] = (0, 1, 2),
    near: Mapping[str, object] | None = None,
    secret: Mapping[str, Names] | None = None,
    ranks: Mapping[str, Names] | None = None,
    hierarchy: Mapping[str, object] | None = None,
    prior: Mapping[str, object] | None = None,
    smoothing: float = 0.0,
    rules: Names | None = None,
) -> DisclosureQuestion:
    """Return a question whose values are checked."""
    by_column: dict[str, dict[str, Any]] = {
        "--near": {name: _window(value) for name, value in (near or {}).items()},
        "--secret": {name: _texts(value, "--secret") for name, value in (secret or {}).items()},
        "--ranks": {name: _texts(value, "--ranks") for name, value in (ranks or {}).items()},
        "--hierarchy": dict(hierarchy or {}),
        "--prior": dict(prior or {}),
    }
    question = DisclosureQuestion(
        certainty=certainty,
        c=c,
        l=_numbers(l, "--l"),
        excluded=_numbers(excluded, "--excluded"),
        known_people=_numbers(known_people, "--known-people"),
        by_column=by_column,
        smoothing=smoothing,
        rules=tuple(parse_rule(text) for text in ([rules] if isinstance(rules, str) else rules or ())),
    )
    question.check()
    return question


def option_pairs(texts: Sequence[str] | None, option: str, example: str) -> dict[str, str]:
    """Return the columns and values of a repeatable option that is written COLUMN=VALUE.

    >>> option_pairs(["income=5%"], "--near", "income=5%")
    {'income': '5%'}
    """
    pairs = [text.partition("=") for text in texts or []]
    if not all(name and value for name, _, value in pairs):
        raise InputError(f"{option} is written {option} {example}")
    found = {name: value for name, _, value in pairs}
    if len(found) < len(pairs):
        raise InputError(f"{option} gives the same column twice")
    return found


def _numbers(given: str | Iterable[int], option: str) -> tuple[int, ...]:
    parts = given.split(",") if isinstance(given, str) else list(given)
    texts = [str(part).strip() for part in parts]
    if not all(re.fullmatch("[0-9]{1,9}", text, re.ASCII) for text in texts):
        raise InputError(f"{option} must be whole numbers, such as 2,3")
    return tuple(dict.fromkeys(map(int, texts)))


def _texts(given: Names, option: str) -> tuple[str, ...]:
    texts = split_names(given) if isinstance(given, str) else name_list(given)
    if len(set(texts)) < len(texts):
        raise InputError(f"{option} names a value twice")
    return tuple(texts)


def _window(given: object) -> Window:
    text = str(given).strip()
    is_share = text.endswith("%")
    try:
        width = float(text.rstrip("%"))
    except ValueError:
        width = math.nan
    if not (math.isfinite(width) and width >= 0):
        raise InputError("--near must be a distance of at least 0, such as 1000, or a share of the value, such as 5%")
    return Window(width / 100 if is_share else width, is_share)
