"""What a query answers: the entries that were asked for, how far their holders agree, and what others bound."""

from __future__ import annotations

import math
import shlex
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from idbits.render.blocks import Block, Command, Items, Level, Paragraph, Table, Verdict
from idbits.render.numbers import bits, count, decimal, fixed
from idbits.repository.bounds import Bound
from idbits.repository.model import Entry
from idbits.studies.shared.presentation import Answer
from idbits.wording import counted

__all__ = ["QueryAnswer", "Spread", "outward"]

_SAME_BITS = 1e-9


@dataclass(frozen=True, slots=True)
class Spread:
    """How far current entries of one quasi-identifier and population lie apart."""

    entries: int
    holders: int
    kappa_nats_min: float
    kappa_nats_max: float
    entropy_bits_min: float
    entropy_bits_max: float

    @classmethod
    def of(cls, entries: tuple[Entry, ...]) -> Spread | None:
        """Return the spread of some entries; None for none."""
        if not entries:
            return None
        said = [entry.statement for entry in entries]
        kappas, bits = [one.kappa_nats for one in said], [one.entropy_bits for one in said]
        return cls(len(said), len({one.holder for one in said}), min(kappas), max(kappas), min(bits), max(bits))

    @property
    def is_one_figure(self) -> bool:
        """Whether all entries say the same; with other possible values, kappa is another one for the same entropy."""
        return self.entropy_bits_min == self.entropy_bits_max and self.kappa_nats_min == self.kappa_nats_max


@dataclass(frozen=True, kw_only=True)
class QueryAnswer(Answer):
    """What a repository knows about a quasi-identifier in a population.

    Attributes:
        qid: the attributes, in the vocabulary's words.
        population: the pairs.
        size: how many people the population has, as far as that is known.
        exact: current entries of just this, newest first; several holders may disagree.
        spread: how far they lie apart.
        bounds: what other entries say, the best of each side first.
        limits: what limits the answer.
        repository: the address that was asked, for the next command; None for the user's own.
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
        """Return what there is to see."""
        asked = f"{', '.join(self.qid)} in {', '.join(f'{name}={value}' for name, value in self.population)}"
        blocks: list[Block] = [self._verdict(asked)]
        if self.exact:
            blocks.append(self._entries())
            where = f" --repository {shlex.quote(self.repository)}" if self.repository is not None else ""
            command = f"idbits predict singletons --k 100 --entry {self.exact[0].ref}{where}"
            blocks.append(Command("Next: predict with an entry", command))
        else:
            if self.bounds:
                blocks.append(self._bounds())
            if self.size is None:
                blocks.append(Paragraph("With the size of the population (--size), wider and narrower ones help, too."))
        if self.limits:
            blocks.append(Items("What limits this", self.limits))
        return blocks

    @property
    def contradicts(self) -> bool:
        """Whether the best bounds leave no room: what they rest on is wrong, or about other people."""
        low, high = self.best("at least"), self.best("at most")
        return low is not None and high is not None and low.entropy_bits > high.entropy_bits + _SAME_BITS

    def _verdict(self, asked: str) -> Verdict:
        if self.spread is not None:
            return self._published(asked, self.spread)
        low, high = self.best("at least"), self.best("at most")
        if self.contradicts:
            said = f"{asked}: others contradict each other, {self._sides()}."
            return Verdict(Level.WARN, "Not published, and not known", said)
        if low is not None and high is not None and high.entropy_bits <= low.entropy_bits + _SAME_BITS:
            said = f"{asked}: {bits(low.entropy_bits)} bits follow from entry {' '.join(low.refs)}."
            return Verdict(Level.GOOD, "Not published, but known", said)
        if any(bound.refs for bound in self.bounds):
            return Verdict(Level.WARN, "Not published", f"{asked}: others bound it, {self._sides()}.")
        return Verdict(Level.WARN, "Not published", f"{asked}: nothing is known, and nothing that bounds it.")

    def _published(self, asked: str, spread: Spread) -> Verdict:
        told = counted(spread.holders, "holder")
        range_bits = _range(bits(spread.entropy_bits_min), bits(spread.entropy_bits_max))
        range_kappa = _range(fixed(spread.kappa_nats_min, 4), fixed(spread.kappa_nats_max, 4))
        said = f"{asked}: {range_bits} bits, kappa {range_kappa} nats"
        if spread.is_one_figure:
            return Verdict(Level.GOOD, "Published", f"{said} ({told}).")
        return Verdict(Level.WARN, "Published, with a spread", f"{said} ({count(spread.entries)} entries of {told}).")

    def _sides(self) -> str:
        best = self.best("at least"), self.best("at most")
        return " and ".join(f"{bound.side} {outward(bound)} bits" for bound in best if bound is not None)

    def _entries(self) -> Table:
        rows = [
            [
                entry.ref,
                said.holder,
                said.date,
                count(said.n_people),
                count(said.n_values),
                fixed(said.kappa_nats, 4),
                bits(said.entropy_bits),
                decimal(said.k_hat),
            ]
            for entry in self.exact
            for said in [entry.statement]
        ]
        names = ("entry", "holder", "day", "people", "values", "kappa", "bits", "k-hat")
        methods = "; ".join(dict.fromkeys(entry.statement.method for entry in self.exact))
        return Table("Entries, signatures verified", names, rows, left=(0, 1, 2), caption=f"method: {methods}")

    def _bounds(self) -> Table:
        rows = [[bound.side, outward(bound), " ".join(bound.refs), bound.why] for bound in self.bounds]
        return Table("What other entries say about its entropy", ("", "bits", "entry", "why"), rows, left=(0, 2, 3))


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def outward(bound: Bound) -> str:
    """Return a bound with two decimals, rounded to the side on which it still holds."""
    hundredths = bound.entropy_bits * 100
    return f"{(math.floor if bound.side == 'at least' else math.ceil)(hundredths) / 100:.2f}"
