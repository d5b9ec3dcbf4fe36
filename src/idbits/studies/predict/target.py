"""Find what meets a target: group sizes, coarser views of a column, interval widths.

Implements: SPEC section 5 (inverse questions).
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from idbits.engines.base import Table
from idbits.errors import InputError, NotEstimableError
from idbits.measures.birthday import log_uniqueness, uniqueness_from_uniform_and_kappa
from idbits.measures.densities import Density
from idbits.measures.distribution import Distribution
from idbits.measures.singleton_distribution import log_no_singleton, log_no_singleton_from_kappa
from idbits.measures.singletons import mean_sets_from_kappa, unique_share
from idbits.measures.widths import four_digits, grids, widths_between
from idbits.reading import Names, Reading
from idbits.render.numbers import nearest, significant
from idbits.studies.predict.known import Given, PriorKnowledge
from idbits.studies.predict.result import TargetAnswer
from idbits.studies.shared.coarser import coarser_views
from idbits.studies.shared.column_source import ask_columns
from idbits.values.attributes import Attribute

__all__ = ["Target", "answer_target", "best_listed_width", "best_width"]

_OPERATORS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_QUANTITIES = ("singletons", "uniqueness", "none", "somebody")
_LARGEST_K = 10**12
_DENSE = 64
_SIZES_PER_OCTAVE = 8
_WIDTHS_PER_OCTAVE = 4
_MOST_COLUMNS = 5


@dataclass(frozen=True, slots=True)
class Target:
    """A figure, a comparison and a limit: ``singletons<=1%``.

    >>> Target.parse("singletons <= 1%")
    Target(text='singletons<=1%', quantity='singletons', comparison='<=', limit=0.01, per_person=True)
    """

    text: str
    quantity: str
    comparison: str
    limit: float
    per_person: bool

    @classmethod
    def parse(cls, text: str) -> Target:
        """Read a target from a text."""
        plain = text.replace(" ", "")
        match = re.fullmatch(r"([a-z]+)(<=|>=|<|>)([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)(%?)", plain, re.ASCII)
        if match is None or match[1] not in _QUANTITIES:
            raise InputError(
                f'not a target: compare {", ".join(_QUANTITIES)} with a limit, such as "singletons<=1%" (--target)'
            )
        quantity, comparison, number, percent = match.groups()
        limit = float(number) / (100 if percent else 1)
        if (percent or quantity != "singletons") and limit > 1:
            raise InputError("a share or a chance must be at most 100% (--target)")
        return cls(plain, quantity, comparison, limit, bool(percent) or quantity != "singletons")

    @property
    def protects(self) -> bool:
        """Whether the target asks for fewer unique people rather than more."""
        return self.comparison.startswith("<") != (self.quantity == "none")

    def holds(self, figure: float) -> bool:
        """Return whether a figure meets the target."""
        return bool(_OPERATORS[self.comparison](figure, self.limit))

    def figure(self, distribution: Distribution, k: int) -> float:
        """Return the target's figure for k people."""
        if self.quantity == "singletons":
            share = unique_share(distribution, k)
            return share if self.per_person else k * share
        if self.quantity == "uniqueness":
            return math.exp(log_uniqueness(distribution, k))
        return self._of_none(log_no_singleton(distribution, k))

    def rough_figure(self, n_values: int, kappa_nats: float, k: int) -> float:
        """Return the figure computed from kappa alone."""
        if self.quantity == "singletons":
            mean = mean_sets_from_kappa(n_values, kappa_nats, k, 1)
            return mean / k if self.per_person else mean
        if self.quantity == "uniqueness":
            return uniqueness_from_uniform_and_kappa(n_values, kappa_nats, k)
        return self._of_none(log_no_singleton_from_kappa(n_values, kappa_nats, k))

    def _of_none(self, log_chance: float) -> float:
        return math.exp(log_chance) if self.quantity == "none" else -math.expm1(log_chance)


def answer_target(target: Target, facts: PriorKnowledge, k: int | None, given: Given, reading: Reading) -> TargetAnswer:
    """Return the group sizes that meet the target; for a given k, whether it does and which coarser views do."""

    def figure(people: int) -> float:
        if facts.distribution is not None:
            return target.figure(facts.distribution, people)
        return target.rough_figure(facts.n_values, facts.kappa_nats, people)

    exact = facts.distribution is not None
    if k is None:
        ranges = _group_sizes(target, figure, _settled_from(target, facts))
        if not ranges:
            raise NotEstimableError(f"no group size meets {target.text}")
        return TargetAnswer(target.text, ranges, exact=exact)
    now = figure(k)
    if given.get("distribution") is None:
        options = (("as it is", now, target.holds(now)),)
        return TargetAnswer(target.text, options=options, meets=target.holds(now), exact=exact)
    views = _views_to_try(given["distribution"], given.get("attributes"), reading)
    rows = [(name, target.figure(view, k), view.n_occurring) for name, view in views]
    meeting = [(n if target.protects else -n, name) for name, value, n in rows if target.holds(value)]
    if not meeting:
        raise NotEstimableError(f"no coarser view of {facts.label} meets {target.text} for {k:,} people")
    tried = tuple((name, value, target.holds(value)) for name, value, _ in rows)
    return TargetAnswer(
        target.text, options=tried, chosen=max(meeting)[1], meets=target.holds(now), protects=target.protects
    )


def _views_to_try(source: object, attributes: Names | None, reading: Reading) -> list[tuple[str, Distribution]]:
    """Return the distributions of the columns as they are, of coarser views of one column, and of fewer columns."""

    def views(table: Table, wanted: tuple[Attribute, ...]) -> list[tuple[str, Distribution]]:
        every = [wanted]
        for index, attribute in enumerate(wanted):
            every += [(*wanted[:index], coarser, *wanted[index + 1 :]) for coarser in coarser_views(table, attribute)]
        every += _fewer(wanted)
        return [(_view_name(view), Distribution.from_spectrum(table.spectrum(view))) for view in every]

    return ask_columns(source, attributes, reading, views)[0]


def _fewer(wanted: tuple[Attribute, ...]) -> Iterator[tuple[Attribute, ...]]:
    """Yield sets of fewer columns, largest first: all of them, or those without one column if there are many."""
    fewest = 1 if len(wanted) <= _MOST_COLUMNS else len(wanted) - 1
    for size in range(len(wanted) - 1, fewest - 1, -1):
        yield from itertools.combinations(wanted, size)


def _view_name(attributes: tuple[Attribute, ...]) -> str:
    return ",".join(attribute.name for attribute in attributes)


def _settled_from(target: Target, facts: PriorKnowledge) -> int:
    """Return a number of people from which on the figure no longer changes."""
    if target.quantity == "uniqueness":
        return facts.n_values + 1
    rarest = 1 / facts.n_values if facts.distribution is None else float(facts.distribution.probabilities[0])
    return min(_LARGEST_K, math.ceil(60 / rarest) + 2)


def _group_sizes(target: Target, figure: Callable[[int], float], last: int) -> tuple[tuple[int, float], ...]:
    """Return the ranges of k that meet the target; the last one has no end if the largest k meets it.

    Tries every k up to 64, then 8 per octave, and locates a change between two of them by bisection.
    """
    sizes = list(range(1, min(_DENSE, last) + 1))
    size = float(_DENSE)
    while sizes[-1] < last:
        size *= 2 ** (1 / _SIZES_PER_OCTAVE)
        sizes.append(min(last, max(sizes[-1] + 1, nearest(size))))
    ranges: list[tuple[int, float]] = []
    start: int | None = None
    before = 0
    for k in sizes:
        held = target.holds(figure(k))
        if held and start is None:
            start = _first_size_where(lambda n: target.holds(figure(n)), before, k)
        elif not held and start is not None:
            end = _first_size_where(lambda n: not target.holds(figure(n)), before, k) - 1
            ranges.append((start, end))
            start = None
        before = k
    if start is not None:
        ranges.append((start, math.inf))
    return tuple(ranges)


def _first_size_where(is_so: Callable[[int], bool], before: int, at: int) -> int:
    """Return the first number above ``before`` that fulfils the condition; ``at`` fulfils it."""
    while at - before > 1:
        middle = (before + at) // 2
        if is_so(middle):
            at = middle
        else:
            before = middle
    return at


def best_width(text: str, density: Density, k: int) -> TargetAnswer:
    """Return the width that meets the target, to four digits.

    Tries four widths per octave from the narrow end (from the wide end if many people should be unique), then locates
    the change by bisection. If the position of the grid is known, figures need not fall steadily with the width, and
    the result is the first change.
    """
    target = Target.parse(text)

    def figure(width: float) -> float:
        weighted_grids = grids(density, width, k)
        if weighted_grids is None:
            raise InputError("the target needs too many intervals; choose a target that wider ones can meet (--target)")
        return math.fsum(weight * target.figure(grid, k) for weight, grid in weighted_grids)

    tried: list[tuple[str, float, bool]] = []
    before: float | None = None
    for width in _widths_to_try(target, density, k):
        value = figure(width)
        tried.append((significant(width, 4), value, target.holds(value)))
        if target.holds(value):
            best = width if before is None else _first_width_where(lambda w: target.holds(figure(w)), before, width)
            # Round in the direction that meets the target.
            chosen = significant(four_digits(best, up=target.protects), 10)
            return TargetAnswer(target.text, options=tuple(tried[-6:]), chosen=chosen, protects=target.protects)
        before = width
    raise NotEstimableError(f"no width meets {target.text} for {k:,} people")


def _widths_to_try(target: Target, density: Density, k: int) -> list[float]:
    """Return the widths to try, in order.

    The chance that two people share an interval is at most d Int f^2. So on average at most (k-1) d Int f^2 of the
    people share one, and k times as much is a bound for every chance: narrower widths need not be tried.
    """
    low, high = density.reach(1e-6)
    loss = max(1 - (target.limit if target.per_person else target.limit / k), 1e-6)
    narrowest = loss / (max(1, k - 1) * density.power_integral(2)) / (1 if target.quantity == "singletons" else k)
    widest = max(8 * (high - low), 2 * narrowest)
    widths = widths_between(narrowest, widest, _WIDTHS_PER_OCTAVE)
    return widths if target.protects else widths[::-1]


def _first_width_where(is_so: Callable[[float], bool], before: float, at: float) -> float:
    for _ in range(20):
        middle = math.sqrt(before * at)
        if is_so(middle):
            at = middle
        else:
            before = middle
    return at


def best_listed_width(text: str, grid: Callable[[float], Distribution], k: int, n_values: int) -> TargetAnswer:
    """Return the best width that meets the target for a table's values, out of 1, 2, 5, 10, ... and 0.5, 0.2, ..."""
    target = Target.parse(text)
    tried: list[tuple[str, float, bool]] = []
    for width in _round_widths():
        view = grid(width)
        if view.n_occurring == n_values and width < 1:
            continue
        value = target.figure(view, k)
        tried.append((significant(width, 6), value, target.holds(value)))
        if view.n_occurring == 1:
            break
    meeting = [name for name, _, holds in tried if holds]
    if not meeting:
        raise NotEstimableError(f"no width meets {target.text} for {k:,} people")
    chosen = meeting[0] if target.protects else meeting[-1]
    return TargetAnswer(target.text, options=tuple(tried), chosen=chosen, protects=target.protects)


def _round_widths() -> Sequence[float]:
    return [float(f"{digit}e{power}") for power in range(-3, 10) for digit in (1, 2, 5)]
