"""The question to ``idbits link``, read and checked before a table is opened."""

from __future__ import annotations

import math
from dataclasses import dataclass

from idbits.errors import InputError
from idbits.reading import Names, name_list, no_names
from idbits.studies.link.probabilistic.settings import ProbabilisticSettings
from idbits.studies.shared.rules import Rule, parse_rule

__all__ = ["LinkQuestion", "link_question"]

_NULLS = ("none", "ignore")
CERTAINTY = 0.9
"""The share of records above which a person's sensitive value counts as nearly certain, as in ``disclosure``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkQuestion:
    """The question, apart from the tables.

    Attributes:
        on: the columns that are compared, as they were given.
        truth: the columns of the first and the second table that identify people, to check links.
        coverage: the share of the release's people who are in the second table, if it is known.
        sensitive: columns of the release that must not be learnt.
        also: columns of the second table that the release lacks.
        ignore_nulls: whether a record with a null is compared by its other columns.
        max_pairs: the largest number of pairs that may be compared.
        rules: rules that the figures must meet.
        probabilistic: how records are linked by odds; None if they are not.
    """

    on: tuple[str, ...]
    truth: tuple[str, str] | None = None
    coverage: float | None = None
    sensitive: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    ignore_nulls: bool = False
    max_pairs: int = 10**9
    rules: tuple[Rule, ...] = ()
    probabilistic: ProbabilisticSettings | None = None


def link_question(
    *,
    on: Names | None,
    truth: str | None = None,
    truth_a: str | None = None,
    truth_b: str | None = None,
    coverage: float | None = None,
    sensitive: Names | None = None,
    also: Names | None = None,
    nulls: str = "none",
    max_pairs: int = 10**9,
    rules: Names | None = None,
    probabilistic: ProbabilisticSettings | None = None,
) -> LinkQuestion:
    """Return a question whose values are checked."""
    if no_names(on):
        raise InputError("name the columns that both tables have, for example --on birthdate,zip,sex")
    names = name_list(on)
    if len(set(names)) < len(names):
        raise InputError("--on names a column twice")
    if coverage is not None and not (math.isfinite(coverage) and 0 < coverage <= 1):
        raise InputError("--coverage must be above 0 and at most 1: the share of people who are in the second table")
    identifiers = _truth(truth, truth_a, truth_b)
    if identifiers is not None and coverage is not None:
        raise InputError("leave out --coverage: with --truth it is known who is in the second table")
    if nulls not in _NULLS:
        raise InputError("--nulls must be none (a null matches nobody) or ignore (other columns are compared)")
    if max_pairs < 1:
        raise InputError("--max-pairs must be at least 1")
    texts = [rules] if isinstance(rules, str) else list(rules or ())
    return LinkQuestion(
        on=tuple(names),
        truth=identifiers,
        coverage=coverage,
        sensitive=() if sensitive is None or no_names(sensitive) else tuple(name_list(sensitive)),
        also=tuple(name_list(also)) if also else (),
        ignore_nulls=nulls == "ignore",
        max_pairs=max_pairs,
        rules=tuple(map(parse_rule, texts)),
        probabilistic=probabilistic,
    )


def _truth(both: str | None, first: str | None, second: str | None) -> tuple[str, str] | None:
    if both is not None and (first is not None or second is not None):
        raise InputError("give --truth if both tables call the column so, otherwise --truth-a and --truth-b")
    if both is not None:
        return both, both
    if first is None and second is None:
        return None
    if first is None or second is None:
        raise InputError("--truth-a and --truth-b go together: each names the column that identifies people")
    return first, second
