"""Bounds on the entropy of a quasi-identifier that nobody has published, derived from other entries.

All bounds are textbook inequalities of entropy and apply to the people who were counted:

- a coarser quasi-identifier has no more entropy, a finer one no less;
- the entropies of parts that together make up the quasi-identifier add up to at least its entropy (subadditivity);
- a population of n people within one of m: with s = n/m, s H(part) <= H(whole) <= s H(part) + (1-s) H(rest) + h(s),
  where h(s) = -s log2 s - (1-s) log2 (1-s) and H(rest) is at most log2 of its people and of the possible values.

Two kinds of entries give no bound between populations: an entry that covers only a share of its population, because it
does not say which part was counted; and an entry of several attributes of which one keeps its most frequent values
(``top``), because other values are the most frequent ones in another population.

Implements: SPEC section 6; S2 7.1.3 (less specific QIDs and subpopulations).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from idbits.measures.entropy import bits_about_person
from idbits.measures.entropy_bounds import (
    least_part_bits,
    least_whole_bits,
    most_part_bits,
    most_whole_bits,
    shares_entropy_bits,
)
from idbits.render.numbers import significant
from idbits.repository.conditions import coarsen_value, implies, is_finer, make_condition
from idbits.repository.entries import Entry
from idbits.repository.statements import Statement, population_text

__all__ = ["Bound", "bounds_from", "relation"]

_MOST_PARTS = 60


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on the entropy, with the entries and the reason it follows from.

    Attributes:
        side: ``"at least"`` or ``"at most"``.
        entropy_bits: the bound.
        refs: the references of the entries.
        why: the reason, one sentence.
    """

    side: str
    entropy_bits: float
    refs: tuple[str, ...]
    why: str


def relation(mine: Sequence[str], theirs: Sequence[str]) -> str | None:
    """Return how another quasi-identifier relates to mine: ``same``, ``coarser``, ``finer``, or None.

    >>> relation(["birthdate:year", "gender"], ["birthdate:year"])
    'coarser'
    >>> relation(["postcode:prefix2"], ["gender", "postcode"])
    'finer'
    """
    if sorted(mine) == sorted(theirs):
        return "same"
    if all(any(is_finer(name, other) for name in mine) for other in theirs):
        return "coarser"
    if all(any(is_finer(other, name) for other in theirs) for name in mine):
        return "finer"
    return None


def bounds_from(
    entries: Iterable[Entry], qid: Sequence[str], population: Sequence[tuple[str, str]], size: int | None
) -> list[Bound]:
    """Return all bounds that entries give on the entropy of a quasi-identifier in a population, best first."""
    group = frozenset(make_condition(name, value) for name, value in population)
    bounds: list[Bound] = []
    same_people: list[Entry] = []
    for entry in entries:
        statement = entry.statement
        relationship = relation(qid, statement.qid)
        theirs = frozenset(make_condition(name, value) for name, value in statement.population)
        if theirs == group:
            same_people.append(entry)
            bounds += _same_people(entry, relationship)
            bounds += _coarsened(entry, qid, relationship)
        elif (
            size is None
            or (statement.coverage is not None and statement.coverage < 1)
            or _is_ranked_jointly(statement.qid)
        ):
            # Nobody knows how many of the counted people are in the part, or which values are frequent there.
            continue
        elif implies(group, theirs):
            bounds += _wider(entry, relationship, size)
        elif implies(theirs, group):
            bounds += _narrower(entry, relationship, size)
    bounds += _parts(same_people, qid)
    if size is not None:
        bounds.append(Bound("at most", bits_about_person(size), (), f"this many bits single out all {size:,} people"))
    return sorted(bounds, key=lambda bound: (bound.side, bound.entropy_bits * (-1 if bound.side == "at least" else 1)))


def _is_ranked_jointly(qid: Sequence[str]) -> bool:
    """Return whether a quasi-identifier has several attributes, one of them reduced to its most frequent values.

    Other values are the most frequent in another population. For a single attribute, its most frequent values give the
    largest entropy of any choice of that many values and a rest, so the bounds are still valid. Together with other
    attributes they may give less.
    """
    return len(qid) > 1 and any(":top" in name for name in qid)


def _least(statement: Statement) -> float:
    """Return the smallest entropy that is consistent with the published one, which may be rounded."""
    return max(0.0, statement.entropy_bits - statement.entropy_error_bits)


def _most(statement: Statement) -> float:
    """Return the largest entropy that is consistent with the published one."""
    return statement.entropy_bits + statement.entropy_error_bits


def _same_people(entry: Entry, relationship: str | None) -> list[Bound]:
    statement = entry.statement
    names = ", ".join(statement.qid)
    if relationship == "coarser":
        return [Bound("at least", _least(statement), (entry.ref,), f"{names} is coarser, so it has no more bits")]
    if relationship == "finer":
        return [Bound("at most", _most(statement), (entry.ref,), f"{names} is finer, so it has no fewer bits")]
    return []


def _coarsened(entry: Entry, qid: Sequence[str], relationship: str | None) -> list[Bound]:
    """Count the quasi-identifier in a finer published distribution, which gives its exact entropy."""
    statement = entry.statement
    if not entry.is_whole or relationship != "finer":
        return []
    sources = [next(index for index, other in enumerate(statement.qid) if is_finer(other, name)) for name in qid]
    people: Counter[tuple[tuple[str | None], ...]] = Counter()
    for cell in entry.cells:
        # Values are compared as written, as they were when the entry was counted: "a" and "A" are two values.
        values = [
            coarsen_value(statement.qid[index], cell.value[index], name)
            for index, name in zip(sources, qid, strict=True)
        ]
        if any(value is None for value in values):
            return []
        people[tuple(value for value in values if value is not None)] += cell.people
    bits = shares_entropy_bits(count / statement.n_people for count in people.values())
    why = f"counted in the published distribution of {', '.join(statement.qid)}"
    return [Bound(side, abs(bits), (entry.ref,), why) for side in ("at least", "at most")]


def _wider(entry: Entry, relationship: str | None, size: int) -> list[Bound]:
    """Bound the entropy of a part by that of the whole."""
    statement, bounds = entry.statement, []
    whole = statement.n_people
    if relationship is None or not 0 < size < whole:
        return []
    where = f"the population is {significant(size / whole, 3)} of {population_text(statement.population)}"
    if relationship in ("same", "finer"):
        why = f"{where}; a part with a share s of the people has at most 1/s times the entropy of the whole"
        bounds.append(Bound("at most", most_part_bits(_most(statement), size, whole), (entry.ref,), why))
    if relationship in ("same", "coarser"):
        least = least_part_bits(_least(statement), size, whole, statement.n_values)
        if least > 0:
            why = f"{where}; the other people cannot add more entropy than their number or the possible values allow"
            bounds.append(Bound("at least", least, (entry.ref,), why))
    return bounds


def _narrower(entry: Entry, relationship: str | None, size: int) -> list[Bound]:
    """Bound the entropy of the whole by that of a part."""
    statement, bounds = entry.statement, []
    part = statement.n_people
    if relationship is None or not 0 < part < size:
        return []
    where = f"{population_text(statement.population)} is {significant(part / size, 3)} of the population"
    if relationship in ("same", "coarser"):
        why = f"{where}; the whole has at least s times the entropy of a part with a share s of the people"
        bounds.append(Bound("at least", least_whole_bits(_least(statement), part, size), (entry.ref,), why))
    if relationship in ("same", "finer"):
        why = f"{where}; at most, all other people are different"
        bounds.append(Bound("at most", most_whole_bits(_most(statement), part, size), (entry.ref,), why))
    return bounds


def _parts(entries: Sequence[Entry], qid: Sequence[str]) -> list[Bound]:
    """Return the smallest sum of entropies of entries that together make up the quasi-identifier."""
    useful: dict[int, Entry] = {}
    for entry in entries:
        theirs = entry.statement.qid
        covers = sum(1 << index for index, name in enumerate(qid) if any(is_finer(other, name) for other in theirs))
        best = useful.get(covers)
        if covers and (best is None or entry.statement.entropy_bits < best.statement.entropy_bits):
            useful[covers] = entry
    everything = (1 << len(qid)) - 1
    least: dict[int, tuple[float, tuple[Entry, ...]]] = {0: (0.0, ())}
    parts = sorted(useful.items(), key=lambda item: item[1].statement.entropy_bits)[:_MOST_PARTS]
    for covers, entry in parts:
        for covered, (bits, used) in list(least.items()):
            union, total = covered | covers, bits + _most(entry.statement)
            if union not in least or total < least[union][0]:
                least[union] = (total, (*used, entry))
    if everything not in least or len(least[everything][1]) < 2:
        return []
    bits, used = least[everything]
    names = " and ".join(", ".join(entry.statement.qid) for entry in used)
    why = f"{names} together make it up, and their entropies add up to at least its own"
    return [Bound("at most", bits, tuple(entry.ref for entry in used), why)]
