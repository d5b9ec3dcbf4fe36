"""The distribution of people's values: known in full, or only the number of values and kappa."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict, cast

from idbits.engines.base import Table
from idbits.errors import InputError
from idbits.measures.distribution import Distribution, largest_kappa_nats
from idbits.reading import Names, Reading
from idbits.render.numbers import significant, to_places
from idbits.studies.shared.column_source import ask_columns
from idbits.values.attributes import Attribute
from idbits.wording import counted

__all__ = [
    "Given", "PredictOptions", "PriorKnowledge", "check_people", "check_values", "read_numbers",
    "read_prior_knowledge", "require_people", "separate_options",
]  # fmt: skip

_MOST_PEOPLE = 10**12
_MOST_VALUES = 10**30
# For each column, the others are counted once more.
_MOST_DROPPED = 12


class Given(TypedDict, total=False):
    """The distribution of people's values, given in one of several ways.

    Attributes:
        values: the number of possible values; without anything else, all are equally likely.
        kappa: the KL distance to the uniform distribution in nats, if nothing else is known; needs ``values``.
        distribution: a table to take the distribution from: ``"ages.csv:age"``,
            ``"people.parquet:birthdate:year,sex"``, or a frame with ``attributes``.
        attributes: the columns of a frame.
        probabilities: the probabilities themselves.
        label: the name of the distribution in answers.
    """

    values: int | None
    kappa: float | None
    distribution: object
    attributes: Names | None
    probabilities: Sequence[float] | str | None
    label: str | None


@dataclass(frozen=True, slots=True)
class PriorKnowledge:
    """What is known: the distribution (None if only kappa is known) and its name in answers.

    Attributes:
        without: for a table with several columns, the distribution of the others without each of them.
    """

    distribution: Distribution | None
    n_values: int
    kappa_nats: float
    label: str
    notes: tuple[str, ...] = ()
    without: tuple[tuple[str, Distribution], ...] = ()


class PredictOptions(Given, Reading, total=False):
    """The distribution of people's values, and how to read a table."""


def separate_options(options: PredictOptions) -> tuple[Given, Reading]:
    """Separate the keywords of a study into those of the distribution and those of reading a table."""
    unknown = set(options) - set(PredictOptions.__annotations__)
    if unknown:
        raise TypeError(f"there is no option {min(unknown)!r}")
    given = {name: value for name, value in options.items() if name in Given.__annotations__}
    reading = {name: value for name, value in options.items() if name not in Given.__annotations__}
    return cast("Given", given), cast("Reading", reading)


def check_people(k: int | None) -> None:
    """Raise an error unless k is a possible number of people."""
    if k is not None and (isinstance(k, bool) or not math.isfinite(k) or int(k) != k or not 1 <= k <= _MOST_PEOPLE):
        raise InputError("the number of people must be a whole number from 1 to 10^12 (--k)")


def check_values(values: int | None) -> None:
    """Raise an error unless this is a number of possible values."""
    if values is not None and not 1 <= values <= _MOST_VALUES:
        raise InputError("the number of possible values must be from 1 to 10^30 (--values)")


def require_people(k: int | None) -> int:
    """Return k, which is required here."""
    check_people(k)
    if k is None:
        raise InputError("the number of people is missing; give it with --k")
    return int(k)


def read_prior_knowledge(given: Given, reading: Reading) -> PriorKnowledge:
    """Return what is known about the distribution; contradictions are errors."""
    values, kappa = given.get("values"), given.get("kappa")
    source, probabilities = given.get("distribution"), given.get("probabilities")
    check_values(values)
    ways = [source is not None, probabilities is not None, kappa is not None]
    if sum(ways) > 1:
        raise InputError("give only one of --distribution, --probabilities and --kappa")
    if source is not None:
        counts, label, notes = _table_distributions(source, given.get("attributes"), reading, values)
        distribution, without = counts
        return PriorKnowledge(distribution, distribution.n_values, distribution.kappa_nats, label, notes, without)
    if probabilities is not None:
        distribution = Distribution.of(read_numbers(probabilities), values)
        label = given.get("label") or "the given probabilities"
        return PriorKnowledge(distribution, distribution.n_values, distribution.kappa_nats, label)
    if values is None:
        if kappa is not None:
            raise InputError("--kappa also needs the number of possible values; give it with --values")
        raise InputError("the distribution is missing; give --values, --distribution or --probabilities")
    if kappa is None or kappa == 0:
        # At distance 0 it is the uniform distribution itself, so all its figures are exact.
        label = given.get("label") or counted(values, "equally likely value")
        return PriorKnowledge(Distribution.uniform(values), values, 0.0, label)
    if not 0 <= kappa <= largest_kappa_nats(values):
        raise InputError(
            f"kappa must be between 0 and ln {values:,} = {to_places(largest_kappa_nats(values), 4)} nats (--kappa)"
        )
    label = given.get("label") or f"{values:,} values at a distance of {significant(kappa, 6)} nats from equally likely"
    return PriorKnowledge(None, values, kappa, label)


def read_numbers(text: Sequence[float] | str, what: str = "probabilities") -> Sequence[float]:
    """Return the numbers in a text such as ``0.5,0.3,0.2`` or ``50%,30%,20%``."""
    if not isinstance(text, str):
        return text
    try:
        return [
            float(word.rstrip("%")) / (100 if word.endswith("%") else 1) for word in map(str.strip, text.split(","))
        ]
    except ValueError:
        raise InputError(f"{what} must be numbers separated by commas, such as 0.5,0.3,0.2 or 50%,30%,20%") from None


def _table_distributions(
    source: object, attributes: Names | None, reading: Reading, n_values: int | None
) -> tuple[tuple[Distribution, tuple[tuple[str, Distribution], ...]], str, tuple[str, ...]]:
    """Return the distribution of some columns, those without each of them, their name, and notes on the table."""

    def count(table: Table, wanted: tuple[Attribute, ...]) -> tuple[Distribution, tuple[tuple[str, Distribution], ...]]:
        without = []
        if 2 <= len(wanted) <= _MOST_DROPPED:
            for index, attribute in enumerate(wanted):
                others = (*wanted[:index], *wanted[index + 1 :])
                without.append((attribute.name, Distribution.from_spectrum(table.spectrum(others))))
        return Distribution.from_spectrum(table.spectrum(wanted), n_values), tuple(without)

    return ask_columns(source, attributes, reading, count)
