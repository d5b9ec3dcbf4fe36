"""Which columns of two tables belong together: by their names, their kinds, and the values that both have."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import product

from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.open import open_table
from idbits.errors import InputError
from idbits.kernels.subsets import Chain
from idbits.studies.link.reading import open_second
from idbits.studies.link.tolerances import parse_compared
from idbits.values.attributes import Attribute, Kind

__all__ = ["ProposedPair", "match_columns"]

_MOST_COMPARED = 200
_LEAST_SHARED = 0.5
_NUMBERS = frozenset({Kind.INTEGER, Kind.NUMBER})
_TIMES = frozenset({Kind.DATE, Kind.TIMESTAMP})


@dataclass(frozen=True, slots=True)
class ProposedPair:
    """A column of the release and one of the second table that may have the same meaning.

    Attributes:
        on: the two columns as ``link`` takes them: ``birthdate=dob``.
        first, second: their names.
        same_name: whether they have the same name, apart from case and punctuation.
        shared: how many of the values of the column with fewer of them are in both; None if one has no value.
    """

    on: str
    first: str
    second: str
    same_name: bool
    shared: float | None


def match_columns(a: Source, b: Source, options: tuple[OpenOptions, OpenOptions]) -> tuple[ProposedPair, ...]:
    """Return the pairs of columns to compare, in the order of the first table; each column is in at most one.

    Columns with the same name are a pair. Others are if they have the same kind and each shares more of its values
    with the other than with any other column, at least half. Only counts of values are used.

    >>> import pyarrow
    >>> released = pyarrow.table({"zip": ["1011", "1012"], "born": ["1970-02-01", "1980-03-04"]})
    >>> voters = pyarrow.table({"dob": ["1980-03-04", "1970-02-01"], "ZIP": ["1012", "1013"]})
    >>> [(each.on, each.shared) for each in match_columns(released, voters, (OpenOptions(), OpenOptions()))]
    [('zip=ZIP', 0.5), ('born=dob', 1.0)]
    """
    with closing(open_table(a, options[0])) as first, closing(open_second(b, options[1], first)) as second:
        first.load(first.columns)
        second.load(second.columns)
        named = _pairs_by_name(first.columns, second.columns)
        others = _rest(first.columns, [own for own, _ in named]), _rest(second.columns, [other for _, other in named])
        matches = [_match(first, second, pair, same_name=True) for pair in named]
        likely = [
            _match(first, second, pair, same_name=False) for pair in _comparable(first.columns, second.columns, others)
        ]
    found = [match for match in (*matches, *_mutual_best(likely)) if match is not None]
    order = list(first.columns)
    return tuple(sorted(found, key=lambda match: order.index(match.first)))


def _pairs_by_name(first: Mapping[str, Kind], second: Mapping[str, Kind]) -> list[tuple[str, str]]:
    """Return columns with equal names, and then those whose names differ in case and punctuation only."""
    pairs = [(name, name) for name in first if name in second]
    taken = {name for name, _ in pairs}
    plain = {_plain(name): name for name in reversed(list(second)) if name not in taken}
    for name in first:
        other = plain.pop(_plain(name), None) if name not in taken else None
        if other is not None:
            pairs.append((name, other))
    return pairs


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold()) or name


def _rest(columns: Mapping[str, Kind], taken: Sequence[str]) -> list[str]:
    return [name for name in columns if name not in set(taken)]


def _comparable(
    first: Mapping[str, Kind], second: Mapping[str, Kind], names: tuple[list[str], list[str]]
) -> list[tuple[str, str]]:
    """Return the pairs of columns of the same kind; of many, the first ones."""
    pairs = [(own, other) for own, other in product(*names) if _alike(first[own], second[other])]
    return pairs[:_MOST_COMPARED]


def _alike(own: Kind, other: Kind) -> bool:
    return own is other or {own, other} <= _NUMBERS or {own, other} <= _TIMES


def _match(first: Table, second: Table, pair: tuple[str, str], *, same_name: bool) -> ProposedPair | None:
    """Return a pair with the share of values in both; None if ``link`` cannot name the two columns."""
    own, other = pair
    on = own if own == other else f"{own}={other}"
    with suppress(InputError):
        item = parse_compared(on, first.columns, second.columns)
        if item.is_exact and [each.column for each in (*item.first, *item.second)] == [own, other]:
            return ProposedPair(on, own, other, same_name, _shared(first, item.first, second, item.second))
    return None


def _shared(first: Table, ours: Sequence[Attribute], second: Table, theirs: Sequence[Attribute]) -> float | None:
    counts = first.pair_counts(ours, second, theirs, [Chain((0,), 1)])[1]
    own, other = counts.records > 0, counts.people > 0
    fewer = min(int(counts.values[own].sum()), int(counts.values[other].sum()))
    return int(counts.values[own & other].sum()) / fewer if fewer else None


def _mutual_best(likely: Sequence[ProposedPair | None]) -> list[ProposedPair]:
    """Return the pairs in which each column shares most with the other; of several, the first."""
    best: dict[tuple[int, str], ProposedPair] = {}
    for match in likely:
        if match is None or (match.shared or 0) < _LEAST_SHARED:
            continue
        for key in ((0, match.first), (1, match.second)):
            if key not in best or (match.shared or 0) > (best[key].shared or 0):
                best[key] = match
    return [match for (side, _), match in best.items() if side == 0 and best[1, match.second] is match]
