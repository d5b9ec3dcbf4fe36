"""Queries: what a repository knows about a quasi-identifier in a population.

Exact entries come first, with the spread between their holders. Coarser, finer, wider and narrower entries then give
bounds.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import sqlalchemy as sa

from idbits.errors import InputError
from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, count, decimal, fixed, outward
from idbits.repository.bounds import Bound, bounds_from, relation
from idbits.repository.entries import Entry, find_entries, find_newest, population_key, qid_key
from idbits.repository.search_index import SearchIndex
from idbits.repository.statements import population_text
from idbits.studies.shared.presentation import Answer
from idbits.wording import counted

__all__ = ["QueryAnswer", "Spread", "answer_query", "bound_text"]

_SAME_BITS = 1e-9


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of the current entries of one quasi-identifier and population."""

    entries: int
    holders: int
    kappa_nats_min: float
    kappa_nats_max: float
    entropy_bits_min: float
    entropy_bits_max: float

    @classmethod
    def of(cls, entries: tuple[Entry, ...]) -> Spread | None:
        """Return the spread of some entries; None if there are no entries."""
        if not entries:
            return None
        statements = [entry.statement for entry in entries]
        kappas = [statement.kappa_nats for statement in statements]
        entropies = [statement.entropy_bits for statement in statements]
        holders = {statement.holder for statement in statements}
        return cls(len(entries), len(holders), min(kappas), max(kappas), min(entropies), max(entropies))

    @property
    def is_one_figure(self) -> bool:
        """Whether all entries agree; kappa depends on the number of possible values, so both figures are compared."""
        return self.entropy_bits_min == self.entropy_bits_max and self.kappa_nats_min == self.kappa_nats_max


@dataclass(frozen=True, kw_only=True, eq=False)
class QueryAnswer(Answer):
    """What a repository knows about a quasi-identifier in a population.

    Attributes:
        qid: the attributes, by their vocabulary names.
        population: pairs of attribute and value.
        size: the number of people in the population, if known.
        exact: current entries of exactly this question, newest first; holders may disagree.
        spread: the spread of the exact entries.
        bounds: bounds from other entries, the best of each side first.
        limits: what limits the answer.
        repository: the address of the repository, for the next command; None for the user's own.
    """

    command: ClassVar[str] = "query"

    qid: tuple[str, ...]
    population: tuple[tuple[str, str], ...]
    size: int | None
    exact: tuple[Entry, ...]
    spread: Spread | None
    bounds: tuple[Bound, ...]
    limits: tuple[str, ...] = ()
    repository: str | None = None
    notes: tuple[str, ...] = ()

    def best(self, side: str) -> Bound | None:
        """Return the best bound of a side, ``"at least"`` or ``"at most"``."""
        return next((bound for bound in self.bounds if bound.side == side), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        low, high = self.best("at least"), self.best("at most")
        return {
            "qid": list(self.qid),
            "population": dict(self.population),
            "size": self.size,
            "exact": [entry.to_dict() for entry in self.exact],
            "spread": asdict(self.spread) if self.spread is not None else None,
            "bounds": [asdict(bound) | {"refs": list(bound.refs)} for bound in self.bounds],
            "entropy_bits_at_least": low.entropy_bits if low is not None else None,
            "entropy_bits_at_most": high.entropy_bits if high is not None else None,
            "k_hat_at_least": self._k_hat(high),
            "k_hat_at_most": self._k_hat(low),
            "limits": list(self.limits),
        }

    def _k_hat(self, bound: Bound | None) -> float | None:
        return self.size / math.exp2(bound.entropy_bits) if bound is not None and self.size is not None else None

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        question = f"{', '.join(self.qid)} in {population_text(self.population)}"
        blocks: list[Block] = [self._verdict(question)]
        if self.exact:
            blocks.append(self._entries())
            where = f" --repository {shlex.quote(self.repository)}" if self.repository is not None else ""
            command = f"idbits predict singletons --k 100 --entry {self.exact[0].ref}{where}"
            blocks.append(Command("Next: predict with an entry", command))
        else:
            if self.bounds:
                blocks.append(self._bounds())
            if self.size is None:
                blocks.append(Paragraph("Give the size of the population (--size) to use wider and narrower ones too."))
        if self.limits:
            blocks.append(Items("Limits of this answer", self.limits))
        return blocks

    @property
    def contradicts(self) -> bool:
        """Whether the best bounds contradict each other: an entry is wrong, or counted other people."""
        low, high = self.best("at least"), self.best("at most")
        return low is not None and high is not None and low.entropy_bits > high.entropy_bits + _SAME_BITS

    def _verdict(self, question: str) -> Verdict:
        if self.spread is not None:
            return self._published(question, self.spread)
        low, high = self.best("at least"), self.best("at most")
        if self.contradicts:
            sentence = f"{question}: the bounds from other entries contradict each other, {self._sides()}."
            return Verdict(Level.WARN, "Not published, and not known", sentence)
        if low is not None and high is not None and high.entropy_bits <= low.entropy_bits + _SAME_BITS:
            sentence = f"{question}: {bits(low.entropy_bits)} bits follow from entry {' '.join(low.refs)}."
            return Verdict(Level.GOOD, "Not published, but known", sentence)
        if any(bound.refs for bound in self.bounds):
            return Verdict(Level.WARN, "Not published", f"{question}: other entries give bounds, {self._sides()}.")
        return Verdict(Level.WARN, "Not published", f"{question}: no entry answers this or gives a bound.")

    def _published(self, question: str, spread: Spread) -> Verdict:
        holders = counted(spread.holders, "holder")
        range_bits = _range(bits(spread.entropy_bits_min), bits(spread.entropy_bits_max))
        range_kappa = _range(fixed(spread.kappa_nats_min, 4), fixed(spread.kappa_nats_max, 4))
        sentence = f"{question}: {range_bits} bits, kappa {range_kappa} nats"
        if spread.is_one_figure:
            return Verdict(Level.GOOD, "Published", f"{sentence} ({holders}).")
        entries = f"{count(spread.entries)} entries of {holders}"
        return Verdict(Level.WARN, "Published, with a spread", f"{sentence} ({entries}).")

    def _sides(self) -> str:
        best = self.best("at least"), self.best("at most")
        return " and ".join(f"{bound.side} {bound_text(bound)} bits" for bound in best if bound is not None)

    def _entries(self) -> TableBlock:
        rows = []
        for entry in self.exact:
            statement = entry.statement
            counts = [count(statement.n_people), count(statement.n_values)]
            figures = [fixed(statement.kappa_nats, 4), bits(statement.entropy_bits), decimal(statement.k_hat)]
            rows.append([entry.ref, statement.holder, statement.date, *counts, *figures])
        names = ("entry", "holder", "day", "people", "values", "kappa", "bits", "k-hat")
        methods = "; ".join(dict.fromkeys(entry.statement.method for entry in self.exact))
        return TableBlock("Entries, signatures verified", names, rows, left=(0, 1, 2), caption=f"method: {methods}")

    def _bounds(self) -> TableBlock:
        rows = [[bound.side, bound_text(bound), " ".join(bound.refs), bound.why] for bound in self.bounds]
        return TableBlock("Bounds on its entropy", ("", "bits", "entry", "why"), rows, left=(0, 2, 3))


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def bound_text(bound: Bound) -> str:
    """Return the bits of a bound as displayed, rounded outward so that the bound remains valid."""
    return outward(bound.entropy_bits, down=bound.side == "at least")


_MOST_ENTRIES = 2000
_MOST_BOUNDS = 20
_CONTRADICTION = "the bounds contradict each other: an entry is wrong, or the entries count different people"


def answer_query(
    connection: sa.Connection,
    index: SearchIndex,
    qid: tuple[str, ...],
    population: tuple[tuple[str, str], ...],
    size: int | None = None,
) -> QueryAnswer:
    """Return what the repository knows about a quasi-identifier in a population."""
    if size is not None and not 1 <= size <= 10**11:
        raise InputError("the size of the population must be a whole number from 1 to 100,000,000,000")
    key = population_key(population)
    exact = find_entries(connection, qids=[qid_key(qid)], populations=[key], limit=_MOST_ENTRIES)
    notes = [f"entry {ref} was changed after signing and is left out" for ref in exact.unverified]
    same_people = find_entries(connection, populations=[key], limit=_MOST_ENTRIES).entries
    others = find_newest(connection, index.related(connection, qid, population), _MOST_ENTRIES)
    if len(others) == _MOST_ENTRIES:
        notes.append(f"only the newest {_MOST_ENTRIES:,} entries of wider and narrower populations were used")
    near = (*same_people, *others)
    if size is None and exact.entries:
        size = exact.entries[0].statement.n_people
    elif size is None and same_people:
        size = same_people[0].statement.n_people
        notes.append(f"the size of the population, {size:,} people, comes from entry {same_people[0].ref}")
    all_bounds = bounds_from((entry for entry in near if _is_other(entry, qid, key)), qid, population, size)
    bounds = [bound for bound in all_bounds if bound.side == "at least"][:_MOST_BOUNDS]
    bounds += [bound for bound in all_bounds if bound.side == "at most"][:_MOST_BOUNDS]
    used = {ref for bound in bounds for ref in bound.refs}
    notes += _limits([*exact.entries, *(entry for entry in near if entry.ref in used)], bool(exact.entries))
    answer = QueryAnswer(
        qid=qid,
        population=population,
        size=size,
        exact=exact.entries,
        spread=Spread.of(exact.entries),
        bounds=tuple(bounds),
        limits=tuple(notes),
    )
    return replace(answer, limits=(*notes, _CONTRADICTION)) if answer.contradicts and not exact.entries else answer


def _is_other(entry: Entry, qid: Sequence[str], key: str) -> bool:
    return relation(qid, entry.statement.qid) != "same" or population_key(entry.statement.population) != key


def _limits(used: Sequence[Entry], exact: bool) -> list[str]:
    """Return notes on entries that do not all count the same people on the same day."""
    notes = []
    statements = [entry.statement for entry in used]
    if any(statement.coverage is not None and statement.coverage < 1 for statement in statements):
        notes.append("some holders counted only part of the population")
    sizes: dict[str, set[int]] = {}
    for statement in statements:
        sizes.setdefault(population_key(statement.population), set()).add(statement.n_people)
    if any(len(counts) > 1 for counts in sizes.values()):
        notes.append("entries of the same population count different numbers of people")
    if len({statement.date for statement in statements}) > 1:
        notes.append("the entries describe different days")
    if not exact and len({statement.holder for statement in statements}) > 1:
        notes.append("the bounds use entries of several holders, who may have counted different people")
    if not exact and statements:
        notes.append("the bounds apply to the people who were counted, if the entries are right")
    return notes
