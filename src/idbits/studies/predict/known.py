"""What is known before anything is collected: a distribution, or only how many values there are and kappa."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from idbits.engines.base import Table
from idbits.engines.open import open_table
from idbits.errors import InputError, NotEstimableError
from idbits.measures.distribution import Distribution
from idbits.reading import Names, Reading, name_list, open_options
from idbits.values.attributes import Attribute, parse_attributes, split_names

__all__ = [
    "Given",
    "Known",
    "PredictOptions",
    "check_people",
    "check_values",
    "known",
    "listed_numbers",
    "needed_people",
    "on_table",
    "parted",
    "split_source",
    "table_distribution",
]

Found = TypeVar("Found")


class Given(TypedDict, total=False):
    """What people draw from; give one of them.

    Attributes:
        values: how many values are possible; alone, all are equally likely.
        kappa: only the KL distance to the uniform distribution is known, in nats; needs ``values``.
        distribution: a table to take the distribution from: ``"ages.csv:age"``,
            ``"people.parquet:birthdate:year,sex"``, or a frame with ``attributes``.
        attributes: the columns of a frame.
        probabilities: the probabilities themselves.
        label: what to call them.
    """

    values: int | None
    kappa: float | None
    distribution: Any
    attributes: Names | None
    probabilities: Sequence[float] | str | None
    label: str | None


@dataclass(frozen=True, slots=True)
class Known:
    """What is known: the distribution, or None where only kappa is; and what to call it."""

    distribution: Distribution | None
    n_values: int
    kappa_nats: float
    label: str
    notes: tuple[str, ...] = ()


_MOST_PEOPLE = 10**12
_MOST_VALUES = 10**30


def check_people(k: int | None) -> None:
    """Refuse what is not a number of people."""
    if k is not None and (isinstance(k, bool) or not math.isfinite(k) or int(k) != k or not 1 <= k <= _MOST_PEOPLE):
        raise InputError("a group has one person or more, and at most 10^12 (--k)")


def check_values(values: int | None) -> None:
    """Refuse what is not a number of possible values."""
    if values is not None and not 1 <= values <= _MOST_VALUES:
        raise InputError("there is at least one possible value, and at most 10^30 (--values)")


def needed_people(k: int | None) -> int:
    """Return k where it cannot be left out."""
    check_people(k)
    if k is None:
        raise InputError("say how many people there are (--k)")
    return int(k)


def known(given: Given, reading: Reading) -> Known:
    """Return what people draw from; contradictions are errors."""
    values, kappa = given.get("values"), given.get("kappa")
    source, probabilities = given.get("distribution"), given.get("probabilities")
    check_values(values)
    ways = [source is not None, probabilities is not None, kappa is not None]
    if sum(ways) > 1:
        raise InputError("give a distribution, its probabilities, or kappa: one of them")
    if source is not None:
        distribution, label, notes = table_distribution(source, given.get("attributes"), reading, values)
        return Known(distribution, distribution.n_values, distribution.kappa_nats, label, notes)
    if probabilities is not None:
        distribution = Distribution.of(listed_numbers(probabilities), values)
        label = given.get("label") or "the given probabilities"
        return Known(distribution, distribution.n_values, distribution.kappa_nats, label)
    if values is None:
        if kappa is not None:
            raise InputError("kappa needs the number of possible values beside it (--values)")
        raise InputError("say what people draw from: --values, --distribution or --probabilities")
    if kappa is None or kappa == 0:
        # A distance of 0 is the uniform distribution itself, so everything about it is exact.
        label = given.get("label") or f"{values:,} equally likely values"
        return Known(Distribution.uniform(values), values, 0.0, label)
    if not 0 <= kappa <= math.log(values):
        raise InputError(f"kappa lies between 0 and ln {values:,} = {math.log(values):.4f} nats (--kappa)")
    label = given.get("label") or f"{values:,} values at a distance of {kappa:g} nats from equally likely"
    return Known(None, values, kappa, label)


def listed_numbers(text: Sequence[float] | str, what: str = "probabilities") -> Sequence[float]:
    """Return the numbers that a text lists: ``0.5,0.3,0.2`` or ``50%,30%,20%``."""
    if not isinstance(text, str):
        return text
    try:
        return [
            float(word.rstrip("%")) / (100 if word.endswith("%") else 1) for word in map(str.strip, text.split(","))
        ]
    except ValueError:
        raise InputError(f"{what} are numbers separated by commas, such as 0.5,0.3,0.2 or 50%,30%,20%") from None


def table_distribution(
    source: Any, attributes: Names | None, reading: Reading, n_values: int | None = None
) -> tuple[Distribution, str, tuple[str, ...]]:
    """Return the distribution of some columns of a table, what to call it, and the decisions taken while reading."""

    def take(table: Table, wanted: tuple[Attribute, ...]) -> Distribution:
        return Distribution.from_spectrum(table.spectrum(wanted), n_values)

    return on_table(source, attributes, reading, take)


def on_table(
    source: Any, attributes: Names | None, reading: Reading, ask: Callable[[Table, tuple[Attribute, ...]], Found]
) -> tuple[Found, str, tuple[str, ...]]:
    """Open a table, ask it something about the columns named, and return the answer, their names and the notes."""
    names = name_list(attributes) if attributes is not None else None
    if names is None and isinstance(source, str | os.PathLike):
        source, names = split_source(os.fspath(source))
    options = open_options(reading)
    with closing(open_table(source, options)) as table:
        if not names:
            others = [name for name in table.columns if name != options.count]
            if len(others) != 1:
                raise InputError("name the column to take the distribution from, such as ages.csv:age")
            names = others
        wanted = parse_attributes(names, table.columns)
        table.load(attribute.column for attribute in wanted)
        if table.n_people() == 0:
            raise NotEstimableError("there is nobody in the table, so it gives no distribution")
        found = ask(table, wanted)
        table.check_unchanged()
        return found, " and ".join(attribute.name for attribute in wanted), tuple(table.notes)


def split_source(text: str) -> tuple[str, list[str] | None]:
    """Part ``FILE:column:transform,column`` into the file and its columns: the longest existing path wins.

    >>> split_source("no-such-file.csv:age:band5,sex")
    ('no-such-file.csv', ['age:band5', 'sex'])
    """
    parts = text.split(":")
    for length in range(len(parts), 0, -1):
        path = ":".join(parts[:length])
        if path and (_exists(path) or length == 1):
            rest = ":".join(parts[length:])
            return path, split_names(rest) if rest else None
    raise InputError("name a file and a column, such as ages.csv:age")


def _exists(path: str) -> bool:
    try:
        return Path(path).exists() or (any(c in path for c in "*?[") and any(Path().glob(path)))
    except (OSError, ValueError, NotImplementedError):
        return False


class PredictOptions(Given, Reading, total=False):
    """What people draw from, and how a table is read."""


def parted(options: PredictOptions) -> tuple[Given, Reading]:
    """Part the keywords of a study into what people draw from and how a table is read."""
    unknown = set(options) - set(PredictOptions.__annotations__)
    if unknown:
        raise TypeError(f"there is no option {min(unknown)!r}")
    given: Given = {}
    reading: Reading = {}
    for name, value in options.items():
        (given if name in Given.__annotations__ else reading)[name] = value  # type: ignore[literal-required]
    return given, reading
