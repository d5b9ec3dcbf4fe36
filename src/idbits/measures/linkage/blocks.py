"""Which pairs of records are worth comparing: blocks of pairs that are equal in one or two columns.

A block's excess is the number of its pairs beyond those that chance makes equal: an estimate of its matches. Blocks are
chosen greedily by their excess on pairs that no chosen block has. Implements: SPEC link 7.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

__all__ = ["BlockCandidates", "choose_blocks"]

Block = tuple[int, ...]
_MOST_BLOCKS = 8
_LEAST_GAIN = 0.001


@dataclass(frozen=True, slots=True)
class BlockCandidates:
    """What is known about the pairs that are equal in some columns.

    Attributes:
        pairs: the blocks that may be chosen, with their pairs.
        masks: drawn pairs by the columns that are equal, written in bits.
        n_drawn: all pairs of the drawn rows.
        share: the share of pairs that were drawn.
        equal_chances: the chance that two people are equal in each column.
    """

    pairs: Mapping[Block, int]
    masks: Mapping[int, int]
    n_drawn: int
    share: float
    equal_chances: Sequence[float]


def choose_blocks(candidates: BlockCandidates, most_pairs: int) -> list[Block]:
    """Choose blocks with at most ``most_pairs`` pairs, until the gain is below 0.1% or there are 8.

    For every column some block does not use it, if that is possible.
    """
    chosen: list[Block] = []
    total = 0.0
    while len(chosen) < _MOST_BLOCKS:
        best = _best(candidates, chosen, most_pairs, without=None)
        if best is None or best[1] < _LEAST_GAIN * (total + best[1]):
            break
        chosen.append(best[0])
        total += best[1]
    for _ in range(2):
        common = set.intersection(*(set(block) for block in chosen)) if chosen else set()
        if not common:
            break
        kept = chosen[: _MOST_BLOCKS - 1]
        other = _best(candidates, kept, most_pairs, without=min(common))
        if other is None:
            break
        chosen = [*kept, other[0]]
    return chosen


def _best(
    candidates: BlockCandidates, chosen: Sequence[Block], most_pairs: int, without: int | None
) -> tuple[Block, float] | None:
    """Return the block with the largest excess, which is positive: on new pairs or, ``without`` a column, on all.

    A block without a column is needed to estimate how often that column differs, even if its pairs are not new.
    """
    room = most_pairs - sum(candidates.pairs[block] for block in chosen)
    covered = chosen if without is None else ()
    fitting = [
        block
        for block, pairs in candidates.pairs.items()
        if block not in chosen and 0 < pairs <= room and without not in block
    ]
    excesses = [(block, _excess(candidates, block, covered)) for block in fitting]
    best = max(excesses, key=lambda item: (item[1], -candidates.pairs[item[0]]), default=None)
    return best if best is not None and best[1] > 0 else None


def _excess(candidates: BlockCandidates, block: Block, chosen: Sequence[Block]) -> float:
    """Return the pairs of a block that no chosen block has, beyond those expected by chance."""
    needed, others = _mask(block), [_mask(other) for other in chosen]
    found = sum(
        pairs
        for mask, pairs in candidates.masks.items()
        if mask & needed == needed and not any(mask & other == other for other in others)
    )
    expected = candidates.n_drawn * _chance(needed, others, candidates.equal_chances)
    return (found - expected) / candidates.share


def _chance(needed: int, others: Sequence[int], equal_chances: Sequence[float]) -> float:
    """Return the chance of being equal in some columns but not in all columns of any other block.

    By inclusion and exclusion, with independent columns.
    """
    terms = []
    for number in range(len(others) + 1):
        for union in combinations(others, number):
            mask = needed
            for other in union:
                mask |= other
            equal = math.prod(chance for index, chance in enumerate(equal_chances) if mask >> index & 1)
            terms.append((-1) ** number * equal)
    return math.fsum(terms)


def _mask(block: Block) -> int:
    return sum(1 << index for index in block)
