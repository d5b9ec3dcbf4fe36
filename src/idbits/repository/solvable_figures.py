"""Which figures an entry may give if some values are rare, so that nobody can solve them for the group sizes.

An entropy with all digits may have a single solution: for 100 people with two values, it can give away that one person
is unique. If every value has enough people, this does no harm. Otherwise we round the entropy, compute kappa from the
rounded entropy, and refuse the entry unless at least 100 different spectra would be published with the same figures:

- The number of decimals and the search for spectra depend only on published figures and on the number of values that
  occur. So the fact that an entry was accepted tells nothing about the sizes.
- A spectrum counts only if it has a rare value too. Other spectra would be published with all digits.
- If all values could have enough people (n at least 10 times the values), no size below 10 may be in all of these
  spectra: with few values, everyone knows which value is the rare one.
- Every spectrum that counts is computed and rounded like the true one. The search may miss spectra but never invents
  one.

The publishing program knows the group sizes and rounds (``publishable_entropy``). Older programs did not, and other
programs may not. So the repository solves the figures as an attacker would (``gives_sizes_away``): it searches for all
spectra that fit an entry. If it finds them all, every one has a rare value, and they are too few or share a small size,
then the entry gives small groups away, whatever the true sizes are.

Implements: SPEC section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from idbits.measures.fitting_spectra import (
    Sizes,
    SizeSearch,
    entropy_of,
    exact_twins,
    merged,
    most_bits,
    near_sizes,
    twin_number,
    weight,
    weights_for,
)
from idbits.render.numbers import published
from idbits.repository.small_groups import LEAST_CELL
from idbits.repository.statements import LEAST_DECIMALS, MOST_DECIMALS, Cells, Statement

__all__ = ["RoundedFigures", "decimals_for", "gives_sizes_away", "publishable_entropy", "sure_small_sizes"]

LEAST_SPECTRA = 100
"""The minimum number of spectra that must fit the published figures."""

_FEW_VALUES = 6
_MOST_STEPS = 30_000
_STEPS_FOR_EACH = 3_000
_MOST_DEPTH = 80
_TRIED_GROUPS = 20

# Limits on the work of solving an entry, and of searching for a spectrum without rare values.
_SOLVING_STEPS, _OTHER_STEPS = 12_000, 3_000
_MOST_SOLVED_VALUES = 60
# Rounding error of an entropy with all digits, depending on the order of summation.
_SAME_BITS = 1e-12


def decimals_for(n_people: int, n_values: int) -> int:
    """Return the number of decimals of an entropy if some values are rare: more for more people.

    >>> decimals_for(500, 4), decimals_for(99_999, 100), decimals_for(100_000, 100), decimals_for(10**7, 5)
    (2, 2, 3, 2)
    """
    if n_values < _FEW_VALUES:
        return LEAST_DECIMALS
    return min(max(LEAST_DECIMALS, len(str(n_people)) - 3), MOST_DECIMALS - 1)


@dataclass(frozen=True, slots=True)
class RoundedFigures:
    """What an entry gives away about group sizes.

    Attributes:
        n_people: the number of people who were counted.
        n_values: the number of possible values.
        groups: the number of values that occur; None if the entry gives only the number of possible values.
        listed: the sizes of the groups in its distribution.
        entropy_bits: the rounded entropy.
        decimals: the number of decimals.
    """

    n_people: int
    n_values: int
    groups: int | None
    listed: Sizes
    entropy_bits: float
    decimals: int

    @classmethod
    def rounded(cls, sizes: Sizes, n_values: int, listed: Sizes, decimals: int) -> RoundedFigures:
        """Return the figures of a spectrum, rounded to a number of decimals."""
        n_people, groups = _totals(sizes)
        bits = published(entropy_of(sizes), decimals, most_bits(n_people, n_values))
        known = bool(listed) or not _are_uncertain(sizes, n_values)
        return cls(n_people, n_values, groups if known else None, listed, bits, decimals)

    def fit(self, sizes: Sizes) -> bool:
        """Return whether a spectrum would be published with these figures."""
        most = most_bits(self.n_people, self.n_values)
        return (
            published(entropy_of(sizes), self.decimals, most) == self.entropy_bits
            and sizes[0][0] < LEAST_CELL
            and decimals_of(sizes, self.n_values, self.listed) == self.decimals
            and (self.groups is None) == (not self.listed and _are_uncertain(sizes, self.n_values))
        )

    def have_many_spectra(self) -> bool:
        """Return whether enough different spectra fit and, with few values, no small size is in all of them.

        >>> RoundedFigures.rounded(((1, 1), (99, 1)), 2, (), 2).have_many_spectra()
        False
        """
        if self.listed:
            return self._are_enough(self._remainders())
        if self.groups is None or self.n_people < LEAST_CELL * self.groups:
            return self._are_enough(self._with_many_values())
        return self._no_small_size_is_sure(self.groups)

    def have_many_twins(self, sizes: Sizes) -> bool:
        """Return whether enough spectra with exactly the same entropy fit."""
        return self._are_enough(exact_twins(sizes))

    def _weights(self) -> tuple[float, float]:
        """Return the range of weights of spectra with this entropy."""
        unit, most = 10.0**-self.decimals, most_bits(self.n_people, self.n_values)
        high = self.entropy_bits + (unit / 2 if self.entropy_bits + unit <= most else 1.5 * unit)
        return weights_for(self.n_people, self.entropy_bits - unit / 2, high)

    def _are_enough(self, candidates: Iterable[Sizes]) -> bool:
        return len(self._fitting(candidates)) >= LEAST_SPECTRA

    def _fitting(self, candidates: Iterable[Sizes]) -> set[Sizes]:
        """Return different spectra that fit, stopping when there are enough."""
        return _first_spectra(candidates, self.fit)

    def _remainders(self) -> Iterator[Sizes]:
        """Yield spectra with the listed groups, and other groups below the minimum cell size."""
        assert self.groups is not None
        low, high = self._weights()
        known = sum(number * weight(size) for size, number in self.listed)
        groups = self.groups - sum(number for _, number in self.listed)
        people = self.n_people - sum(size * number for size, number in self.listed)
        search = SizeSearch(_MOST_STEPS)
        for sizes in search.small_sizes(groups, people, low - known, high - known, LEAST_CELL - 1):
            yield merged(self.listed, sizes)

    def _with_many_values(self) -> Iterator[Sizes]:
        """Yield spectra with too many values for all of them to be common."""
        low, high = self._weights()
        for groups in (self.groups,) if self.groups is not None else self._possible_groups():
            yield from near_sizes(groups, self.n_people, low, high, 1, SizeSearch(_STEPS_FOR_EACH))
            if min(groups, self.n_people - groups) <= _MOST_DEPTH:
                yield from SizeSearch(_STEPS_FOR_EACH).sizes(groups, self.n_people, low, high)

    def _possible_groups(self) -> Iterator[int]:
        """Yield possible numbers of values: the largest, then some down to the fewest with this entropy."""
        most = min(self.n_values, self.n_people)
        fewest = min(most, int(2.0 ** (self.entropy_bits - 10.0**-self.decimals)))
        yield from range(most, max(fewest, most - _TRIED_GROUPS), -1)
        yield from range(most - _TRIED_GROUPS, fewest, -max(1, (most - fewest) // _TRIED_GROUPS))

    def _no_small_size_is_sure(self, groups: int) -> bool:
        """Return whether enough spectra with a rare value fit, and no small size is in all of them."""
        fitting: set[Sizes] = set()
        for smallest in range(1, LEAST_CELL):
            fitting |= self._fitting(self._with_smallest(groups, smallest))
            if len(fitting) >= LEAST_SPECTRA and not sure_small_sizes(fitting):
                return True
        for size in sure_small_sizes(fitting):
            others = (smallest for smallest in range(1, LEAST_CELL) if smallest != size)
            candidates = (sizes for smallest in others for sizes in self._with_smallest(groups, smallest))
            without = next((sizes for sizes in candidates if size not in dict(sizes) and self.fit(sizes)), None)
            fitting |= {without} if without is not None else set()
        return len(fitting) >= LEAST_SPECTRA and not sure_small_sizes(fitting)

    def _with_smallest(self, groups: int, smallest: int) -> Iterator[Sizes]:
        """Yield spectra whose smallest groups have a given size."""
        low, high = self._weights()
        number = 1
        while number < groups and groups > _FEW_VALUES:
            known, people = number * weight(smallest), self.n_people - number * smallest
            search = SizeSearch(_STEPS_FOR_EACH)
            for others in near_sizes(groups - number, people, low - known, high - known, LEAST_CELL, search):
                yield merged(((smallest, number),), others)
            number *= 2
        if groups <= _MOST_DEPTH:
            search = SizeSearch(_MOST_STEPS if groups <= _FEW_VALUES else _STEPS_FOR_EACH)
            known, people = weight(smallest), self.n_people - smallest
            for others in search.sizes(groups - 1, people, low - known, high - known, least=smallest):
                yield merged(((smallest, 1),), others)


def _totals(sizes: Sizes) -> tuple[int, int]:
    """Return the number of people and of groups in a spectrum."""
    return sum(size * number for size, number in sizes), sum(number for _, number in sizes)


def _are_uncertain(sizes: Sizes, n_values: int) -> bool:
    """Return whether readers cannot know how many values occur: many do, and only the possible number is published."""
    n_people, groups = _totals(sizes)
    return groups < n_values and n_people < LEAST_CELL * groups


def sure_small_sizes(spectra: set[Sizes]) -> set[int]:
    """Return the sizes below the minimum cell size that are in all spectra."""
    return (
        set.intersection(*({size for size, _ in sizes if size < LEAST_CELL} for sizes in spectra)) if spectra else set()
    )


def decimals_of(sizes: Sizes, n_values: int, listed: Sizes = ()) -> int | None:
    """Return the number of decimals with which the entropy of a spectrum is published; None for all digits."""
    if sizes[0][0] >= LEAST_CELL:
        return None
    n_people, groups = _totals(sizes)
    if (listed or n_people < LEAST_CELL * groups) and twin_number(sizes) >= LEAST_SPECTRA:
        # Enough spectra have exactly this entropy, so nearly all digits can be published.
        return MOST_DECIMALS
    return decimals_for(n_people, n_values)


def publishable_entropy(sizes: Sizes, n_values: int, listed: Sizes = ()) -> tuple[float, int | None] | None:
    """Return the entropy as it may be published and its decimals (None for all digits); None if it may not be.

    >>> publishable_entropy(((50, 2),), 2)
    (1.0, None)
    >>> publishable_entropy(((1, 1), (99, 1)), 2) is None
    True
    """
    decimals = decimals_of(sizes, n_values, listed)
    if decimals is None:
        return entropy_of(sizes), None
    figures = RoundedFigures.rounded(sizes, n_values, listed, decimals)
    enough = figures.have_many_twins(sizes) if decimals == MOST_DECIMALS else figures.have_many_spectra()
    return (figures.entropy_bits, decimals) if enough else None


def gives_sizes_away(statement: Statement, least_cell: int) -> bool:
    """Return whether the figures of a statement provably give the sizes of small groups away."""
    search = SizeSearch(_SOLVING_STEPS)
    if statement.distribution is not None:
        if not statement.distribution.rest_values:
            return False
        left_out, people = statement.distribution.rest_values, statement.distribution.rest_people
        if min(left_out, people - left_out) > _MOST_SOLVED_VALUES:
            return False
        fitting = _first_spectra(_remainders(statement, statement.distribution, search))
        return search.is_complete and len(fitting) < LEAST_SPECTRA
    if statement.n_values > _MOST_SOLVED_VALUES:
        return False
    few_values = statement.n_people >= least_cell * statement.n_values
    fitting = set()
    for sizes in _with_rare_value(statement, search, least_cell):
        fitting.add(sizes)
        if len(fitting) >= LEAST_SPECTRA and not (few_values and sure_small_sizes(fitting)):
            return False
    if not fitting or not search.is_complete:
        return False
    # Perhaps a spectrum without rare values fits too. With all digits hardly two spectra fit, so those found are true.
    search = SizeSearch(_OTHER_STEPS)
    without = next(_spectra(statement, search, least_cell), None)
    return without is None and (search.is_complete or statement.entropy_decimals is None)


def _first_spectra(candidates: Iterable[Sizes], fits: Callable[[Sizes], bool] = lambda _: True) -> set[Sizes]:
    """Return different spectra that fit, stopping when there are enough."""
    fitting: set[Sizes] = set()
    for sizes in candidates:
        if sizes not in fitting and fits(sizes):
            fitting.add(sizes)
            if len(fitting) >= LEAST_SPECTRA:
                break
    return fitting


def _entropy_range(statement: Statement) -> tuple[float, float]:
    """Return the range of true entropies that are consistent with the published one."""
    error = max(statement.entropy_error_bits, _SAME_BITS)
    return statement.entropy_bits - error, statement.entropy_bits + error


def _fits(statement: Statement, sizes: Sizes) -> bool:
    entropy = entropy_of(sizes)
    if statement.entropy_decimals is None:
        return abs(entropy - statement.entropy_bits) <= _SAME_BITS
    most = most_bits(statement.n_people, statement.n_values)
    return published(entropy, statement.entropy_decimals, most) == statement.entropy_bits


def _with_rare_value(statement: Statement, search: SizeSearch, least_cell: int) -> Iterator[Sizes]:
    """Yield the spectra that fit and have a small group, for any number of values that occur."""
    low, high = weights_for(statement.n_people, *_entropy_range(statement))
    for groups in range(2, min(statement.n_values, statement.n_people) + 1):
        for smallest in range(1, min(least_cell - 1, statement.n_people // groups) + 1):
            smallest_weight, people = weight(smallest), statement.n_people - smallest
            for others in search.sizes(
                groups - 1, people, low - smallest_weight, high - smallest_weight, least=smallest
            ):
                sizes = merged(((smallest, 1),), others)
                if _fits(statement, sizes):
                    yield sizes


def _spectra(statement: Statement, search: SizeSearch, least: int) -> Iterator[Sizes]:
    """Yield the spectra that fit and have no group below a minimum size, for any number of values that occur."""
    low, high = weights_for(statement.n_people, *_entropy_range(statement))
    most = min(statement.n_values, statement.n_people // least)
    candidates = (search.sizes(groups, statement.n_people, low, high, least=least) for groups in range(1, most + 1))
    yield from (sizes for sizes in chain.from_iterable(candidates) if _fits(statement, sizes))


def _remainders(statement: Statement, cells: Cells, search: SizeSearch) -> Iterator[Sizes]:
    """Yield the spectra that fit a distribution without its rare values."""
    listed = merged(*(((cell.people, 1),) for cell in cells.cells))
    known = sum(number * weight(size) for size, number in listed)
    low, high = weights_for(statement.n_people, *_entropy_range(statement))
    rest = search.sizes(cells.rest_values, cells.rest_people, low - known, high - known)
    yield from (sizes for sizes in (merged(listed, others) for others in rest) if _fits(statement, sizes))
