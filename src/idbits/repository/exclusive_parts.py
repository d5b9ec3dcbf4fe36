"""What all families of parts that exclude each other add up to, without listing the families one by one.

Parts of a whole form a graph: two parts are joined if nobody is in both. A maximal family of exclusive parts is a
maximal clique. There can be very many (single ages or their band, in each band), but few different totals, because
finer parts add up to the coarser one. So we compute the set of totals:

- If all parts of one kind exclude all others (ages 0 to 9, and ages 10 to 19), each family of the first goes with each
  family of the second, and their totals add up.
- If no part of one kind excludes any of the others (gender, and education), a family has parts of one kind only.
- Otherwise every family has some part, or a part that does not exclude it. We try each, with the parts that exclude it.

Parts are bits of a whole number, so that sets of parts are compared quickly, and each set is solved once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from idbits.repository.conditions import Condition, Group, concept_of, exclude_each_other

__all__ = ["FamilyTotal", "bits_of", "exclusions", "family_totals"]

FamilyTotal = tuple[int, bool, bool]
"""The people in a family of parts, whether a cell is needed to count them, and whether a certain holder counted any."""

_NOBODY: FamilyTotal = (0, False, False)
_MOST_TOTALS = 4096
_MOST_SETS = 3000


class _TooManyError(Exception):
    """There are too many sets of parts, or too many totals."""


class _TooManySetsError(_TooManyError):
    """There are too many sets of parts, whatever their counts are."""


def exclusions(parts: Sequence[Group]) -> list[int]:
    """Return for each part the parts that exclude it, as bits.

    >>> exclusions([frozenset({("gender", "m")}), frozenset({("gender", "f")}), frozenset({("age", "30")})])
    [2, 1, 0]
    """
    having: dict[Condition, int] = defaultdict(int)
    for index, part in enumerate(parts):
        for condition in part:
            having[condition] |= 1 << index
    by_concept: dict[str, list[Condition]] = defaultdict(list)
    for condition in having:
        by_concept[concept_of(condition)].append(condition)
    excluded: dict[Condition, int] = defaultdict(int)
    for conditions in by_concept.values():
        for number, condition in enumerate(conditions):
            for other in conditions[:number]:
                if exclude_each_other(condition, other):
                    excluded[condition] |= having[other]
                    excluded[other] |= having[condition]
    excludes = [0] * len(parts)
    for index, part in enumerate(parts):
        for condition in part:
            excludes[index] |= excluded[condition]
    _mend_contradictions(parts, excludes)
    return excludes


def _mend_contradictions(parts: Sequence[Group], excludes: list[int]) -> None:
    """Compare parts whose own conditions exclude each other (an age outside its band) by the conditions that differ."""
    for index in [index for index, others in enumerate(excludes) if others >> index & 1]:
        for other, theirs in enumerate(parts):
            mine = parts[index]
            differ = any(exclude_each_other(a, b) for a in mine - theirs for b in theirs - mine)
            for one, two in ((index, other), (other, index)):
                excludes[one] = excludes[one] & ~(1 << two) | differ << two


def family_totals(
    excludes: Sequence[int],
    counted: Sequence[frozenset[FamilyTotal]],
    most: int,
    too_many: set[tuple[int, ...]] | None = None,
) -> frozenset[FamilyTotal] | None:
    """Return the totals, below a number of people, of all maximal families of parts; None if it would take too long.

    Args:
        excludes: for each part the parts that exclude it, as bits.
        counted: for each part its published counts.
        most: the number of people in the whole.
        too_many: exclusions that are known to take too long, because they have too many sets of parts; more are added.

    >>> women, men, everyone = [frozenset({(people, True, True)}) for people in (60, 30, 95)]
    >>> sorted(family_totals([2, 1, 0], [women, men, everyone], 100))
    [(90, True, True), (95, True, True)]
    """
    known = set() if too_many is None else too_many
    if tuple(excludes) in known:
        return None
    try:
        return _Families(excludes, counted, most).totals((1 << len(excludes)) - 1)
    except _TooManySetsError:
        known.add(tuple(excludes))
        return None
    except _TooManyError:
        return None


class _Families:
    def __init__(self, excludes: Sequence[int], counted: Sequence[frozenset[FamilyTotal]], most: int) -> None:
        self._excludes = excludes
        self._counted = counted
        self._most = most
        self._solved: dict[int, frozenset[FamilyTotal]] = {0: frozenset({_NOBODY})}

    def totals(self, parts: int) -> frozenset[FamilyTotal]:
        """Return the totals of the maximal families among some parts."""
        known = self._solved.get(parts)
        if known is None:
            if len(self._solved) > _MOST_SETS:
                raise _TooManySetsError
            known = self._solve(parts)
            if len(known) > _MOST_TOTALS:
                raise _TooManyError
            self._solved[parts] = known
        return known

    def _solve(self, parts: int) -> frozenset[FamilyTotal]:
        if not parts & (parts - 1):
            return self._counted[parts.bit_length() - 1]
        joined = self._pieces(parts, by_exclusion=False)
        if len(joined) > 1:
            totals = frozenset({_NOBODY})
            for piece in joined:
                totals = self._sums(totals, self.totals(piece))
            return totals
        apart = self._pieces(parts, by_exclusion=True)
        if len(apart) > 1:
            return frozenset().union(*(self.totals(piece) for piece in apart))
        pivot = max(bits_of(parts), key=lambda index: (self._excludes[index] & parts).bit_count())
        found: set[FamilyTotal] = set()
        # Also the pivot itself, which does not exclude itself.
        for index in bits_of(parts & ~self._excludes[pivot]):
            found |= self._sums(self._counted[index], self.totals(parts & self._excludes[index]))
        return frozenset(found)

    def _pieces(self, parts: int, *, by_exclusion: bool) -> list[int]:
        """Return the pieces of some parts that are connected by excluding each other, or by not doing so."""
        pieces = []
        while parts:
            piece, border = 0, parts & -parts
            parts ^= border
            while border and parts:
                low = border & -border
                excludes = self._excludes[low.bit_length() - 1]
                reached = parts & (excludes if by_exclusion else ~excludes)
                piece, border, parts = piece | low, border ^ low | reached, parts ^ reached
            pieces.append(piece | border)
        return pieces

    def _sums(self, mine: frozenset[FamilyTotal], theirs: frozenset[FamilyTotal]) -> frozenset[FamilyTotal]:
        if len(mine) * len(theirs) > _MOST_TOTALS * 16:
            raise _TooManyError
        return frozenset(
            (a + b, cell or other_cell, has or other_has)
            for a, cell, has in mine
            for b, other_cell, other_has in theirs
            if a + b < self._most
        )


def bits_of(number: int) -> Iterator[int]:
    """Yield the places of the bits of a whole number."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
