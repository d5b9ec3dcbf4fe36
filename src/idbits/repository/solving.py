"""What a repository can tell about group sizes that it has not been told: it solves the figures, as an attacker would.

The publisher knows the group sizes and rounds the entropy (``figures``). Old programs did not, and others may not. So
the repository looks for all spectra that fit an entry. If it finds them all and every one of them has a rare value, and
they are too few or share a small size, then the entry gives small groups away, whatever the true sizes are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from idbits.measures.fitting_spectra import Sizes, SizeSearch, entropy_of, merged, most_bits, weight, weights_for
from idbits.render.numbers import published
from idbits.repository.figures import LEAST_SPECTRA, sure_small_sizes
from idbits.repository.model import Cells, Statement

__all__ = ["gives_sizes_away"]

_MOST_STEPS = 12_000
_STEPS_FOR_OTHERS = 3_000
_MOST_VALUES = 60
# An entropy with all digits: what different ways to add up the same numbers may differ by.
_SAME_BITS = 1e-12


def gives_sizes_away(said: Statement, least_cell: int) -> bool:
    """Return whether the figures of a statement prove that it gives the sizes of small groups away."""
    search = SizeSearch(_MOST_STEPS)
    if said.distribution is not None:
        if not said.distribution.rest_values:
            return False
        left_out, people = said.distribution.rest_values, said.distribution.rest_people
        if min(left_out, people - left_out) > _MOST_VALUES:
            return False
        fitting = _first(_remainders(said, said.distribution, search))
        return search.is_complete and len(fitting) < LEAST_SPECTRA
    if said.n_values > _MOST_VALUES:
        return False
    few_values = said.n_people >= least_cell * said.n_values
    fitting = set()
    for sizes in _with_rare_value(said, search, least_cell):
        fitting.add(sizes)
        if len(fitting) >= LEAST_SPECTRA and not (few_values and sure_small_sizes(fitting)):
            return False
    if not fitting or not search.is_complete:
        return False
    # Perhaps nobody needs to be rare. With all digits hardly two spectra fit: those that were found are the true ones.
    search = SizeSearch(_STEPS_FOR_OTHERS)
    without = next(_spectra(said, search, least_cell), None)
    return without is None and (search.is_complete or said.entropy_decimals is None)


def _first(spectra: Iterable[Sizes]) -> set[Sizes]:
    """Return different spectra, until there are enough."""
    fitting: set[Sizes] = set()
    for sizes in spectra:
        fitting.add(sizes)
        if len(fitting) >= LEAST_SPECTRA:
            break
    return fitting


def _range(said: Statement) -> tuple[float, float]:
    """Return the entropies that may stand behind the published one."""
    error = max(said.entropy_error_bits, _SAME_BITS)
    return said.entropy_bits - error, said.entropy_bits + error


def _fits(said: Statement, sizes: Sizes) -> bool:
    entropy = entropy_of(sizes)
    if said.entropy_decimals is None:
        return abs(entropy - said.entropy_bits) <= _SAME_BITS
    most = most_bits(said.n_people, said.n_values)
    return published(entropy, said.entropy_decimals, most) == said.entropy_bits


def _with_rare_value(said: Statement, search: SizeSearch, least_cell: int) -> Iterator[Sizes]:
    """Yield the spectra that fit and have a small group, whatever number of the possible values occurs."""
    low, high = weights_for(said.n_people, *_range(said))
    for groups in range(2, min(said.n_values, said.n_people) + 1):
        for smallest in range(1, min(least_cell - 1, said.n_people // groups) + 1):
            own, people = weight(smallest), said.n_people - smallest
            for others in search.sizes(groups - 1, people, low - own, high - own, least=smallest):
                sizes = merged(((smallest, 1),), others)
                if _fits(said, sizes):
                    yield sizes


def _spectra(said: Statement, search: SizeSearch, least: int) -> Iterator[Sizes]:
    """Yield the spectra that fit and have no group below the least, whatever number of the values occurs."""
    low, high = weights_for(said.n_people, *_range(said))
    most = min(said.n_values, said.n_people // least)
    candidates = (search.sizes(groups, said.n_people, low, high, least=least) for groups in range(1, most + 1))
    yield from (sizes for sizes in chain.from_iterable(candidates) if _fits(said, sizes))


def _remainders(said: Statement, cells: Cells, search: SizeSearch) -> Iterator[Sizes]:
    """Yield the spectra that fit a distribution whose rare values are left out."""
    listed = merged(*(((cell.people, 1),) for cell in cells.cells))
    known = sum(number * weight(size) for size, number in listed)
    low, high = weights_for(said.n_people, *_range(said))
    rest = search.sizes(cells.rest_values, cells.rest_people, low - known, high - known)
    yield from (sizes for sizes in (merged(listed, others) for others in rest) if _fits(said, sizes))
