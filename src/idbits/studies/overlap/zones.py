"""Two zonings of one table: what subtracting their counts isolates."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence
from contextlib import closing

import numpy as np

from idbits.counts import Integers, Value
from idbits.engines.base import OpenOptions, Table
from idbits.engines.open import open_table
from idbits.errors import DataError, InputError
from idbits.kernels.minimum_cuts import LARGEST_LIMIT
from idbits.measures.differencing import Differencing, IsolatedGroup, ZoneAtoms, isolate
from idbits.progress import Count
from idbits.studies.overlap.result import (
    IsolatedCounts,
    IsolatedSize,
    IsolatedZones,
    SmallZones,
    UnsearchedPieces,
    ZoneOverlap,
)
from idbits.studies.shared.next_command import quoted_names
from idbits.studies.shared.persons import PersonOptions, require_one_row_per_person
from idbits.studies.shared.units import Unit
from idbits.values.attributes import Attribute, parse_attribute

__all__ = ["check_threshold", "overlap_of_zones", "zones_of_table"]

_SHOWN_PEOPLE = 10
_MOST_LISTED = 1_000


def overlap_of_zones(
    source: object, names: Sequence[str], below: int, persons: PersonOptions, options: OpenOptions, *, reveal: bool
) -> ZoneOverlap:
    """Open a table and difference two of its columns."""
    check_threshold(below)
    persons.check(count=options.count, has_population=False, by=None)
    if len(names) != 2:
        raise InputError("--zones needs exactly two columns of zones, for example --zones municipality,postcode")
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    with closing(open_table(source, options)) as table:
        zones = [parse_attribute(name, table.columns) for name in names]
        table.load([*(zone.column for zone in zones), *persons.columns(table.columns)])
        answer = zones_of_table(table, zones, below, persons, options, reveal=reveal, source=path)
        table.check_unchanged()
    return answer


def check_threshold(below: int) -> None:
    """Refuse a threshold that no group is below, or that flows cannot be computed with."""
    if not 2 <= below <= LARGEST_LIMIT:
        raise InputError(f"the number of people below which a group is small must be 2 to {LARGEST_LIMIT:,} (--below)")


def zones_of_table(
    table: Table,
    zones: Sequence[Attribute],
    below: int,
    persons: PersonOptions,
    options: OpenOptions,
    *,
    reveal: bool = False,
    source: str | None = None,
) -> ZoneOverlap:
    """Difference two columns of an open table that are already loaded."""
    if zones[0] == zones[1]:
        raise InputError(f'--zones names "{zones[0].name}" twice; name two different columns')
    if persons.column is not None:
        require_one_row_per_person(table, persons.column)
    rows = _pair_counts(table, zones)
    atoms, codes = ZoneAtoms.numbered(*rows)
    if not len(atoms):
        left = "no row is left after the filter" if options.where else "the table has no people in it"
        raise DataError(f"there is nothing to compare: {left}")
    searched = Count(1.0)

    def advance(part: float) -> None:
        searched.done = part

    with options.progress.step("subtracting zones", searched):
        found = isolate(atoms, below, advance)
    labels = _Labels(table, zones, codes, show_all=reveal) if reveal or below > _SHOWN_PEOPLE else None
    is_about_people = persons.column is not None or persons.rows_are_people or options.count is not None
    return ZoneOverlap(
        zones=tuple(zone.name for zone in zones),
        n_zones=(atoms.n_first, atoms.n_second),
        unit=Unit.PEOPLE if is_about_people else Unit.ROWS,
        n_people=int(atoms.people.sum()),
        n_atoms=len(atoms),
        n_components=found.n_components,
        threshold=below,
        published_small=SmallZones(found.small_zones, found.people_in_small_zones),
        isolated=IsolatedCounts(len(found.groups), found.isolated_people, len(found.isolated_atoms)),
        smallest=found.groups[0].people if found.groups else None,
        sizes=tuple(IsolatedSize(*size) for size in sorted(Counter(group.people for group in found.groups).items())),
        groups=_listed(found.groups, zones, labels),
        not_searched=UnsearchedPieces(len(found.unsearched), int(atoms.people[found.unsearched].sum())),
        null_zones=tuple(table.null_people(zone) for zone in zones),
        internal=reveal,
        filtered=options.where is not None,
        notes=(*table.notes, *_constant(zones, found)),
        next_command=_next(source, zones, below, persons, options) if found.groups and not reveal else None,
    )


def _pair_counts(table: Table, zones: Sequence[Attribute]) -> tuple[Integers, Integers, Integers]:
    """Return each pair of zones that occurs with its people; only counts leave a database."""
    keys, people = np.zeros(0, np.int64), np.zeros(0, np.int64)
    width = 1
    for batch in table.coded_batches(zones):
        width = max(width, batch.sizes[1])
        first, second = (codes.astype(np.int64) for codes in batch.codes)
        weights = np.ones(len(first), np.int64) if batch.people is None else batch.people
        keys, index = np.unique(np.concatenate((keys, first * width + second)), return_inverse=True)
        total = np.zeros(len(keys), np.int64)
        np.add.at(total, index, np.concatenate((people, weights)))
        people = total
    return keys // width, keys % width, people


class _Labels:
    """The names of zones, for groups that may be shown."""

    def __init__(
        self, table: Table, zones: Sequence[Attribute], codes: tuple[Integers, Integers], *, show_all: bool
    ) -> None:
        self._texts = [table.labels(zone) for zone in zones]
        self._codes = codes
        self._show_all = show_all

    def may_show(self, group: IsolatedGroup) -> bool:
        """Whether the zones of a group may be named."""
        return self._show_all or group.people >= _SHOWN_PEOPLE

    def named(self, column: int, zones: Sequence[int]) -> tuple[Value, ...]:
        """Return the names of zones of the first or the second column."""
        texts = [self._texts[column][self._codes[column][zone]] for zone in zones]
        return tuple(sorted(texts, key=lambda text: (text is not None, text or "")))


def _listed(
    groups: Sequence[IsolatedGroup], zones: Sequence[Attribute], labels: _Labels | None
) -> tuple[IsolatedZones, ...]:
    """Return the smallest groups, in an order that does not depend on how an engine numbers the zones."""
    largest = groups[min(_MOST_LISTED, len(groups)) - 1].people if groups else 0
    described = [_described(group, zones, labels) for group in groups if group.people <= largest]
    described.sort(
        key=lambda group: (
            (group.people, group.atoms, group.zones_added + group.zones_taken, group.zones_added, group.added_from),
            [(name is not None, name or "") for name in (*group.added, *group.taken)],
        )
    )
    return tuple(described[:_MOST_LISTED])


def _described(group: IsolatedGroup, zones: Sequence[Attribute], labels: _Labels | None) -> IsolatedZones:
    column = 0 if group.adds_first else 1
    shown = labels is not None and labels.may_show(group)
    return IsolatedZones(
        people=group.people,
        atoms=len(group.atoms),
        zones_added=len(group.added),
        zones_taken=len(group.taken),
        added_from=zones[column].name,
        added=labels.named(column, group.added) if labels is not None and shown else (),
        taken=labels.named(1 - column, group.taken) if labels is not None and shown else (),
    )


def _constant(zones: Sequence[Attribute], found: Differencing) -> list[str]:
    counts = (found.atoms.n_first, found.atoms.n_second)
    return [
        f'column "{zone.name}" has only one zone, so there is nothing to subtract'
        for zone, number in zip(zones, counts, strict=True)
        if number == 1
    ]


def _next(
    source: str | None, zones: Sequence[Attribute], below: int, persons: PersonOptions, options: OpenOptions
) -> str | None:
    """Return the same command with the names of the zones."""
    if source is None or source == "-":
        return None
    words = ["idbits", "overlap", shlex.quote(source), "--zones", shlex.quote(quoted_names([z.name for z in zones]))]
    words += ["--below", str(below)] if below != _SHOWN_PEOPLE else []
    return " ".join([*words, *options.command_words(), *persons.command_words(), "--reveal"])
