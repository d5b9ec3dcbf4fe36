"""What is asked of a sample: how large its population is, and what else is known about it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from idbits.errors import InputError

__all__ = ["MOST_PEOPLE", "PopulationQuestion", "population_sizes", "whole_number"]

MOST_PEOPLE = 2**53

_HOW_LARGE = "say how large the population is: --people N, --fraction F or --weight COLUMN"


@dataclass(frozen=True, kw_only=True)
class PopulationQuestion:
    """The question.

    Attributes:
        people: the people in the population.
        fraction: the share of the population that is in the sample.
        weight: the column of sampling weights.
        strata: the column of strata.
        stratum_sizes: a table of the people of each stratum in the population.
        marginals: for some columns, a table of the people of each value in the population.
        sizes: other numbers of people to report figures for.
        level: the confidence level of intervals and bounds.
        seed: the seed of all random draws.
    """

    people: int | None = None
    fraction: float | None = None
    weight: str | None = None
    strata: str | None = None
    stratum_sizes: object = None
    marginals: Mapping[str, object] = field(default_factory=dict)
    sizes: tuple[int, ...] = ()
    level: float = 0.9
    seed: int = 0

    def check(self) -> None:
        """Refuse wrong values, and options that cannot be combined."""
        given = {"--people": self.people, "--fraction": self.fraction, "--weight": self.weight, "--strata": self.strata}
        names = [name for name, value in given.items() if value is not None]
        if not names:
            raise InputError(_HOW_LARGE)
        if len(names) > 1:
            raise InputError(f"{' and '.join(names)} both say how large the population is; give one of them")
        if (self.strata is None) != (self.stratum_sizes is None):
            raise InputError("--strata COLUMN and --stratum-sizes SOURCE belong together; give both")
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise InputError("the sampling fraction must be above 0 and at most 1, for example 0.05 (--fraction)")
        if not 0 < self.level < 1:
            raise InputError("the confidence level must be between 0 and 1, for example 0.9 (--level)")
        for number, option in [(self.people, "--people"), *((size, "--sizes") for size in self.sizes)]:
            if number is not None and not 1 <= number <= MOST_PEOPLE:
                raise InputError(f"a population must have 1 to 2^53 people ({option})")

    def command_words(self) -> list[str]:
        """Return the command-line options that ask the same, except for marginals, sizes and the level."""
        values = {
            "--people": self.people,
            "--fraction": self.fraction,
            "--weight": self.weight,
            "--strata": self.strata,
            "--stratum-sizes": self.stratum_sizes,
        }
        return [f"{name} {shlex.quote(str(value))}" for name, value in values.items() if value is not None]

    @property
    def beside(self) -> str | None:
        """The column that says for how many people each person in the sample stands."""
        return self.weight if self.weight is not None else self.strata


def whole_number(number: object, option: str) -> int:
    """Return a number of people, also if it is written as 1e6 or 10_000.

    >>> whole_number("1e6", "--people"), whole_number(30_162, "--people")
    (1000000, 30162)
    """
    try:
        exact = Decimal(str(number).replace("_", "").strip())
    except InvalidOperation:
        exact = Decimal("NaN")
    if not exact.is_finite() or abs(exact.adjusted()) > 30 or exact != int(exact):
        raise InputError(f"a number of people must be a whole number, for example 17000000 or 1.7e7 ({option})")
    return int(exact)


def population_sizes(sizes: str | Iterable[object] | None) -> tuple[int, ...]:
    """Return numbers of people, ascending and each once.

    >>> population_sizes("1e5,1000"), population_sizes([7, 7])
    ((1000, 100000), (7,))
    """
    if sizes is None:
        return ()
    texts = sizes.split(",") if isinstance(sizes, str) else sizes
    return tuple(sorted({whole_number(text, "--sizes") for text in texts}))
