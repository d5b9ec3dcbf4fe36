"""What can be asked of a measurement: its quasi-identifiers, and options that cannot be combined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from idbits.counts import Spectrum
from idbits.engines.base import Source
from idbits.errors import DataError, InputError, NotEstimableError
from idbits.reading import Names, listed, name_list, no_names
from idbits.studies.measure.result import Population
from idbits.values.attributes import split_names
from idbits.wording import counted

__all__ = [
    "check_combinations", "check_match", "check_numbers", "check_one_list", "possible_values_of", "quasi_identifiers",
]  # fmt: skip


def quasi_identifiers(qid: Names | Sequence[Names] | None) -> tuple[list[list[str]], bool]:
    """Return the names of each quasi-identifier, and whether several were given."""
    if isinstance(qid, str):
        return [split_names(qid)], False
    items = [] if qid is None else listed(qid)
    if not items or any(map(no_names, items)):
        raise InputError("name at least one column to measure")
    if all(isinstance(item, str) for item in items):
        return [[str(item) for item in items]], False
    return [name_list(cast("Names", item)) for item in items], True


def check_numbers(*, suppress: int | None, possible_values: int | None) -> None:
    """Refuse numbers that are too small."""
    if suppress is not None and suppress < 2:
        raise InputError("--suppress must be at least 2: it withholds groups smaller than that")
    if possible_values is not None and possible_values < 1:
        raise InputError("--possible-values must be at least 1")


def check_combinations(by: str | None, population: Source, *, missing: str, values: bool = False) -> None:
    """Refuse options that cannot be combined."""
    if missing not in ("error", "unbounded"):
        raise InputError('--missing must be "error" or "unbounded"')
    if population is not None and by is not None:
        raise InputError("--by and --population cannot be combined; measure each category with --where")
    if population is not None and values:
        raise InputError("--values and --population cannot be combined; measure without --population to list values")


def check_one_list(number: int, by: str | None) -> None:
    """Refuse lists that can be subtracted from each other: each one folds its small groups separately.

    50 people in a town and 45 women in that town are 5 men, whom neither list names.
    """
    if number > 1:
        raise InputError(
            "--values needs a single --qid: subtracting one list from another could reveal a small group; "
            "measure them one at a time"
        )
    if by is not None:
        raise InputError(
            "--values and --by cannot be combined: subtracting values from categories could reveal a small group; "
            "use one at a time"
        )


def check_match(population: Population, n_matched: int, missing: str) -> None:
    """Refuse values that the population lacks, unless the user wants them reported separately."""
    if population.unbounded_values and missing == "error":
        raise DataError(
            f"the population lacks {counted(population.unbounded_values, 'value')} of the release "
            f"({counted(population.unbounded_people, 'record')}); --missing unbounded reports them separately"
        )
    if not n_matched:
        raise NotEstimableError("the population has none of the release's values")


def possible_values_of(n_values: int | None, spectrum: Spectrum) -> int | None:
    """Return the number of possible values; those that occur are possible."""
    if n_values is not None and n_values < spectrum.n_sets:
        raise InputError(f"--possible-values {n_values} is too small: {spectrum.n_sets:,} values occur in the table")
    return n_values
