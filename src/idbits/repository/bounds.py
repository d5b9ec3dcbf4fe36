"""What other entries say about a question that nobody has published: bounds on its entropy, and why they hold.

All of them are textbook inequalities of entropy, for the people who were counted:

- a coarser quasi-identifier has no more entropy, a finer one no less;
- parts that together make up the quasi-identifier have at least its entropy between them (subadditivity);
- a population of n people within one of m: with s = n/m, s H(part) <= H(whole) <= s H(part) + (1-s) H(rest) + h(s),
  where h(s) = -s log2 s - (1-s) log2 (1-s) and H(rest) <= log2 of its people and of the possible values. An entry that
  covers only a share of its population does not say which part of it was counted, so it gives no such bound; nor does
  one of several attributes with the most frequent values of one (``top``), which are others in another population.

Implements: SPEC section 6; S2 7.1.3 (less specific QIDs and subpopulations).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from idbits.repository.conditions import coarsened, condition, finer, implies
from idbits.repository.model import Entry, Statement

__all__ = ["Bound", "bounds_from", "mixing_bits", "relation"]

_MOST_PARTS = 60


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on the entropy, the entries it follows from, and why.

    Attributes:
        side: ``"at least"`` or ``"at most"``.
        entropy_bits: the bound.
        refs: the entries.
        why: one sentence.
    """

    side: str
    entropy_bits: float
    refs: tuple[str, ...]
    why: str


def mixing_bits(share: float) -> float:
    """Return h(s), the bits in knowing which of two parts somebody is in.

    >>> mixing_bits(0.5), mixing_bits(1.0)
    (1.0, 0.0)
    """
    return math.fsum(-part * math.log2(part) for part in (share, 1 - share) if part > 0)


def relation(mine: Sequence[str], theirs: Sequence[str]) -> str | None:
    """Return how another quasi-identifier lies to mine: ``same``, ``coarser``, ``finer``, or None.

    >>> relation(["birthdate:year", "gender"], ["birthdate:year"])
    'coarser'
    >>> relation(["postcode:prefix2"], ["gender", "postcode"])
    'finer'
    """
    if sorted(mine) == sorted(theirs):
        return "same"
    if all(any(finer(own, other) for own in mine) for other in theirs):
        return "coarser"
    if all(any(finer(other, own) for other in theirs) for own in mine):
        return "finer"
    return None


def bounds_from(
    entries: Iterable[Entry], qid: Sequence[str], population: Sequence[tuple[str, str]], size: int | None
) -> list[Bound]:
    """Return all bounds that entries give on the entropy of a quasi-identifier in a population, the best first."""
    group = frozenset(condition(name, value) for name, value in population)
    found: list[Bound] = []
    same: list[Entry] = []
    for entry in entries:
        said = entry.statement
        theirs = frozenset(condition(name, value) for name, value in said.population)
        if theirs == group:
            same.append(entry)
            found += _same_people(entry, relation(qid, said.qid))
            found += _coarsened(entry, qid)
        elif size is None or (said.coverage is not None and said.coverage < 1) or _is_ranked_jointly(said.qid):
            # How many of those who were counted are in the part, nobody says, nor which values are frequent there.
            continue
        elif implies(group, theirs):
            found += _wider(entry, relation(qid, said.qid), size)
        elif implies(theirs, group):
            found += _narrower(entry, relation(qid, said.qid), size)
    found += _parts(same, qid)
    if size is not None:
        found.append(Bound("at most", math.log2(size), (), f"{size:,} people cannot be told apart by more"))
    return sorted(found, key=lambda bound: (bound.side, bound.entropy_bits * (-1 if bound.side == "at least" else 1)))


def _is_ranked_jointly(qid: Sequence[str]) -> bool:
    """Return whether a quasi-identifier of several attributes has the most frequent values of one.

    Those are others in another population. Of one attribute alone they have the largest entropy that so many values
    and a rest can have, so the bounds hold all the same; together with others they may have less.
    """
    return len(qid) > 1 and any(":top" in name for name in qid)


def _least(said: Statement) -> float:
    """Return the least entropy that stands behind a published one, which may be rounded."""
    return max(0.0, said.entropy_bits - said.entropy_error_bits)


def _most(said: Statement) -> float:
    """Return the most entropy that stands behind a published one."""
    return said.entropy_bits + said.entropy_error_bits


def _same_people(entry: Entry, lies: str | None) -> list[Bound]:
    said = entry.statement
    words = ", ".join(said.qid)
    if lies == "coarser":
        return [Bound("at least", _least(said), (entry.ref,), f"{words} is coarser, and tells no more")]
    if lies == "finer":
        return [Bound("at most", _most(said), (entry.ref,), f"{words} is finer, and tells no less")]
    return []


def _coarsened(entry: Entry, qid: Sequence[str]) -> list[Bound]:
    """Count the quasi-identifier in a published distribution that is finer: that is the entropy itself."""
    said = entry.statement
    if not entry.is_whole or relation(qid, said.qid) != "finer":
        return []
    sources = [next(place for place, other in enumerate(said.qid) if finer(other, own)) for own in qid]
    people: Counter[tuple[tuple[str | None], ...]] = Counter()
    for cell in entry.cells:
        # Values as they are written: "a" and "A" are two, as they were when the entry was counted.
        seen = [coarsened(said.qid[place], cell.value[place], own) for place, own in zip(sources, qid, strict=True)]
        if any(one is None for one in seen):
            return []
        people[tuple(one for one in seen if one is not None)] += cell.people
    bits = math.fsum(-part * math.log2(part) for part in (k / said.n_people for k in people.values()))
    why = f"counted in the published distribution of {', '.join(said.qid)}"
    return [Bound(side, abs(bits), (entry.ref,), why) for side in ("at least", "at most")]


def _wider(entry: Entry, lies: str | None, size: int) -> list[Bound]:
    """Bound the part by the whole."""
    said, found = entry.statement, []
    whole = said.n_people
    if lies is None or not 0 < size < whole:
        return []
    share = size / whole
    where = f"the population is {share:.3g} of {_words(said)}"
    if lies in ("same", "finer"):
        why = f"{where}; a part of s people in 1 has at most 1/s of the whole's entropy"
        found.append(Bound("at most", _most(said) / share, (entry.ref,), why))
    if lies in ("same", "coarser"):
        rest = (1 - share) * math.log2(min(said.n_values, whole - size))
        least = (_least(said) - mixing_bits(share) - rest) / share
        if least > 0:
            why = f"{where}; the others cannot bring more entropy than their number or the values allow"
            found.append(Bound("at least", least, (entry.ref,), why))
    return found


def _narrower(entry: Entry, lies: str | None, size: int) -> list[Bound]:
    """Bound the whole by a part."""
    said, found = entry.statement, []
    part = said.n_people
    if lies is None or not 0 < part < size:
        return []
    share = part / size
    where = f"{_words(said)} is {share:.3g} of the population"
    if lies in ("same", "coarser"):
        why = f"{where}; the whole has at least s of the entropy of a part of s people in 1"
        found.append(Bound("at least", share * _least(said), (entry.ref,), why))
    if lies in ("same", "finer"):
        most = share * _most(said) + (1 - share) * math.log2(size - part) + mixing_bits(share)
        why = f"{where}; the others can at most all be different"
        found.append(Bound("at most", most, (entry.ref,), why))
    return found


def _words(said: Statement) -> str:
    return ", ".join(f"{name}={value}" for name, value in said.population)


def _parts(entries: Sequence[Entry], qid: Sequence[str]) -> list[Bound]:
    """Return the least sum of entropies of entries that together make up the quasi-identifier."""
    useful: dict[int, Entry] = {}
    for entry in entries:
        covers = sum(1 << i for i, own in enumerate(qid) if any(finer(other, own) for other in entry.statement.qid))
        best = useful.get(covers)
        if covers and (best is None or entry.statement.entropy_bits < best.statement.entropy_bits):
            useful[covers] = entry
    everything = (1 << len(qid)) - 1
    least: dict[int, tuple[float, tuple[Entry, ...]]] = {0: (0.0, ())}
    parts = sorted(useful.items(), key=lambda item: item[1].statement.entropy_bits)[:_MOST_PARTS]
    for covers, entry in parts:
        for covered, (bits, used) in list(least.items()):
            now, total = covered | covers, bits + _most(entry.statement)
            if now not in least or total < least[now][0]:
                least[now] = (total, (*used, entry))
    if everything not in least or len(least[everything][1]) < 2:
        return []
    bits, used = least[everything]
    words = " and ".join(", ".join(entry.statement.qid) for entry in used)
    why = f"{words} together make it up, and tell at least as much when asked apart"
    return [Bound("at most", bits, tuple(entry.ref for entry in used), why)]
