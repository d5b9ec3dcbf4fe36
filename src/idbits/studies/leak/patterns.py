"""Ordinal patterns as users write them: ``0-1-2,2-1-0=3,*=0.5``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from idbits.errors import InputError
from idbits.kernels.ordinal import MOST_CODED

__all__ = ["Patterns", "read_patterns"]


@dataclass(frozen=True, slots=True)
class Patterns:
    """Weights of patterns, each the ranks of its values in order of time, and the weight of all others."""

    weights: dict[tuple[int, ...], float]
    others: float = 0.0

    @property
    def order(self) -> int:
        """The length of the patterns."""
        return len(next(iter(self.weights)))

    def to_dict(self) -> dict[str, float]:
        """Return the weights by pattern as it is written."""
        return {_shown(pattern): weight for pattern, weight in self.weights.items()} | {"*": self.others}


def read_patterns(given: str | Mapping[tuple[int, ...] | str, float]) -> Patterns:
    """Read patterns with their weights (1 unless said); ``*`` stands for all others, which count 0 unless said.

    >>> read_patterns("0-1-2, 2-1-0=3, *=0.5")
    Patterns(weights={(0, 1, 2): 1.0, (2, 1, 0): 3.0}, others=0.5)
    """
    items = [_split(item) for item in given.split(",")] if isinstance(given, str) else list(given.items())
    weights: dict[tuple[int, ...], float] = {}
    others = 0.0
    for name, weight in items:
        if not (math.isfinite(weight) and weight >= 0):
            raise InputError("the weight of a pattern is a number of 0 or more")
        if name == "*":
            others = float(weight)
            continue
        pattern = _pattern(name)
        if pattern in weights:
            raise InputError(f'the pattern "{_shown(pattern)}" is named twice')
        weights[pattern] = float(weight)
    if len({len(pattern) for pattern in weights}) != 1:
        raise InputError("name patterns of one length, such as 0-1-2,2-1-0")
    if max([others, *weights.values()]) <= 0:
        raise InputError("at least one pattern must count more than 0")
    return Patterns(weights, others)


def _split(item: str) -> tuple[str, float]:
    name, _, weight = item.strip().partition("=")
    try:
        return name.strip(), float(weight) if weight else 1.0
    except ValueError:
        raise InputError("the weight of a pattern is a number of 0 or more") from None


def _pattern(name: tuple[int, ...] | str) -> tuple[int, ...]:
    try:
        pattern = tuple(map(int, name.split("-") if isinstance(name, str) else name))
    except (TypeError, ValueError):
        pattern = ()
    if not 2 <= len(pattern) <= MOST_CODED or sorted(pattern) != list(range(len(pattern))):
        raise InputError(
            f"a pattern is the ranks of 2 to {MOST_CODED} neighbouring values, each once from 0: "
            "0-1-2 rises, 2-1-0 falls"
        )
    return pattern


def _shown(pattern: tuple[int, ...]) -> str:
    return "-".join(map(str, pattern))
