"""A sensitive column ready to be measured: its values in order, what was expected, and which values are secret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, Value
from idbits.engines.backends.group_values import GroupValueCounts
from idbits.engines.base import OpenOptions
from idbits.errors import DataError, InputError
from idbits.kernels.group_values import GroupCells
from idbits.measures.disclosure.column import SensitiveColumn, ValuePrior
from idbits.studies.disclosure.hierarchy import hierarchy_levels
from idbits.studies.disclosure.question import ColumnQuestion
from idbits.studies.shared.hierarchies import read_hierarchy
from idbits.studies.shared.value_counts import read_value_counts, require_all_values
from idbits.values.attributes import Attribute
from idbits.values.order import ValueOrder, order_values
from idbits.wording import counted, counted_people

__all__ = ["PreparedColumn", "prepare_column"]

_MOSTLY_OWN = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class PreparedColumn:
    """A sensitive column.

    Attributes:
        column: people by group and value; values that are not secret are merged into one.
        plain: the same with all values.
        table: the cells of the whole table, of which this may be a part.
        order: the values in order.
        is_ordered: whether the order means something.
        levels: the node of each value at each height of a hierarchy.
        numbers: the number in ``column`` of each value that the engine counted.
        notes: what the user should know.
    """

    attribute: Attribute
    asked: ColumnQuestion
    column: SensitiveColumn
    plain: SensitiveColumn
    table: GroupCells
    order: ValueOrder
    is_ordered: bool
    levels: tuple[Integers, ...] | None
    numbers: Integers
    notes: tuple[str, ...] = ()

    @property
    def nulls(self) -> int:
        """The people without a value."""
        plain = self.plain
        return int(plain.cells.value_people[plain.null]) if plain.null is not None else 0

    @property
    def is_constant(self) -> bool:
        """Whether everyone has the same value, so that nothing is to be learnt."""
        return self.plain.prior.n_values == 1

    def collapsed(self) -> tuple[PreparedColumn, Integers]:
        """Return the column with one group for all unique people with the same value; see ``GroupCells.collapsed``."""
        column, numbers = self.column.collapsed()
        plain = column if self.plain is self.column else self.plain.collapsed()[0]
        return replace(self, column=column, plain=plain), numbers

    def part(self, counts: GroupValueCounts, groups: NDArray[np.bool_]) -> PreparedColumn:
        """Return the column of some groups that were counted within categories; the prior stays the whole table's."""
        kept = counts.cells.with_groups(groups)
        plain_numbers = _numbers_of(counts.labels, self.order.labels)
        plain = replace(self.plain, cells=kept.renumbered(plain_numbers, self.plain.cells.n_values))
        column = replace(self.column, cells=kept.renumbered(self.numbers, self.column.cells.n_values))
        return replace(self, plain=plain, column=column, notes=())


def prepare_column(
    counts: GroupValueCounts, attribute: Attribute, asked: ColumnQuestion, smoothing: float, options: OpenOptions
) -> PreparedColumn:
    """Order the values of a column, and read what is expected of them."""
    weights = read_value_counts(attribute, asked.prior, options, "prior") if asked.prior is not None else None
    labels = list(dict.fromkeys([*counts.labels, *(weights or {})]))
    people = dict(zip(counts.labels, counts.cells.value_people.tolist(), strict=True))
    order = _order(labels, attribute, asked, people, options)
    numbers = _numbers_of(counts.labels, order.labels)
    cells = counts.cells.renumbered(numbers, len(order.labels))
    prior = _prior(attribute, order.labels, people, weights, smoothing)
    null = len(order.labels) - 1 if order.labels and order.labels[-1] is None else None
    secret = _secret(asked, order.labels)
    plain = SensitiveColumn(cells, prior, null, secret, cells.value_people)
    column, merged = (plain, numbers) if secret is None else _merged(plain, secret, numbers)
    levels = None
    if asked.hierarchy is not None:
        hierarchy = read_hierarchy(asked.hierarchy)
        in_order = [people.get(label, 0) for label in order.labels]
        levels = tuple(hierarchy_levels(hierarchy, order.labels, in_order, attribute.name))
    is_ordered = asked.ranks is not None or order.positions is not None
    if asked.window is not None and order.positions is None:
        raise InputError(f'--near needs numbers or dates, and "{attribute.name}" has other values; leave it out')
    notes = _notes(attribute, asked, plain, order.labels)
    return PreparedColumn(attribute, asked, column, plain, cells, order, is_ordered, levels, merged, notes)


def _numbers_of(labels: Sequence[Value], ordered: Sequence[Value]) -> Integers:
    numbers = {label: number for number, label in enumerate(ordered)}
    return np.array([numbers[label] for label in labels], np.int64)


def _order(
    labels: Sequence[Value],
    attribute: Attribute,
    asked: ColumnQuestion,
    people: Mapping[Value, int],
    options: OpenOptions,
) -> ValueOrder:
    if asked.ranks is None:
        return order_values(labels, attribute.result_kind, options.dates, options.zone)
    missing = [label for label in labels if label is not None and label not in asked.ranks]
    if missing:
        number = sum(people.get(label, 0) for label in missing)
        have = "has" if len(missing) == 1 else "have"
        raise DataError(
            f'{counted(len(missing), "value")} ({counted_people(number)}) of "{attribute.name}" {have} no place in the '
            "order (--ranks)"
        )
    present = set(labels)
    null = (None,) if None in present else ()
    return ValueOrder((*(label for label in asked.ranks if label in present), *null))


def _prior(
    attribute: Attribute,
    labels: Sequence[Value],
    people: Mapping[Value, int],
    weights: Mapping[Value, Fraction] | None,
    smoothing: float,
) -> ValuePrior:
    n = sum(people.values())
    if weights is None:
        return ValuePrior(np.array([people[label] for label in labels], np.int64), n)
    lacking = [number for label, number in people.items() if not weights.get(label)]
    require_all_values(attribute, len(lacking), sum(lacking), smoothing)
    total, own = sum(weights.values(), Fraction(0)), Fraction(str(smoothing))
    return ValuePrior.of_shares(
        [
            (1 - own) * weights.get(label, Fraction(0)) / total + own * Fraction(people.get(label, 0), n)
            for label in labels
        ]
    )


def _secret(asked: ColumnQuestion, labels: Sequence[Value]) -> NDArray[np.bool_] | None:
    return None if asked.secret is None else np.array([label in asked.secret for label in labels], np.bool_)


def _merged(plain: SensitiveColumn, secret: NDArray[np.bool_], numbers: Integers) -> tuple[SensitiveColumn, Integers]:
    """Merge all values that are not secret into the last one."""
    n_secret = int(secret.sum())
    merged = np.where(secret, np.cumsum(secret) - 1, n_secret)
    others = not secret.all()
    of_merged = np.array([True] * n_secret + [False] * others, np.bool_)
    return plain.merged(merged, len(of_merged), of_merged, None), merged[numbers]


def _notes(
    attribute: Attribute, asked: ColumnQuestion, plain: SensitiveColumn, labels: Sequence[Value]
) -> tuple[str, ...]:
    notes = []
    if plain.prior.n_values == 1:
        notes.append(f'"{attribute.name}" has one value: nothing is to be learnt')
    elif plain.cells.n_values > _MOSTLY_OWN * plain.cells.n_people:
        notes.append(f'nearly everyone has their own value of "{attribute.name}"; use a coarser view')
    missing = sum(text not in labels for text in asked.secret or ())
    if missing:
        do = "does" if missing == 1 else "do"
        notes.append(f'{counted(missing, "secret value")} of "{attribute.name}" {do} not occur in the table')
    return tuple(notes)
