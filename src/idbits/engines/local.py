"""Capabilities based on coded rows, for every engine that provides them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.engines.local_persons import LocalPersonCounting
from idbits.engines.sources.files import stamps
from idbits.engines.value_pairs import ValuePairCounting
from idbits.engines.view_codes import FetchedViewCodes
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.counts import CodedRows
    from idbits.engines.backends.group_values import GroupValueCounts, GroupValueRequest
    from idbits.engines.backends.persons import PersonRequest, Persons
    from idbits.engines.backends.points import EventRequest, FileStamp, Points
    from idbits.engines.backends.subsets import PersonSubsetCounts
    from idbits.engines.base import Table
    from idbits.engines.local_gains import LocalGainRows
    from idbits.engines.local_subsets import LocalSubsetCounts
    from idbits.kernels.distinct import DistinctRows
    from idbits.kernels.linking import LinkedRows
    from idbits.reading import OpenOptions

__all__ = ["LocalCapabilities"]


class LocalCapabilities(LocalPersonCounting, FetchedViewCodes, ValuePairCounting):
    """The capabilities of a table on this machine beyond single counts, each imported when it is first used."""

    # Combinations of columns, and the records that they single out.

    def subset_counts(self: Table, attributes: Sequence[Attribute], options: OpenOptions) -> LocalSubsetCounts:
        """Prepare the rows of some attributes for counting combinations, within the allowed threads and memory."""
        from idbits.engines.local_subsets import LocalSubsetCounts

        return LocalSubsetCounts(self, attributes, options)

    def person_subset_counts(
        self: Table, persons: Persons, attributes: Sequence[Attribute], request: PersonRequest, options: OpenOptions
    ) -> PersonSubsetCounts:
        """Prepare the rows of people for counting combinations, within the allowed threads and memory."""
        from idbits.engines.local_person_subsets import LocalPersonSubsets

        return LocalPersonSubsets(self, persons, attributes, request, options)

    def distinct_rows(self: Table, attributes: Sequence[Attribute], threads: int) -> DistinctRows:
        """Return the distinct rows of some attributes, with their numbers of people."""
        from idbits.kernels.distinct import distinct_rows

        return distinct_rows(self.coded_rows(attributes), threads=threads)

    # People in two tables.

    def linkable_rows(self: Table, attributes: Sequence[Attribute]) -> CodedRows:
        """Return the rows, which are on this machine."""
        return self.coded_rows(attributes)

    def linked_rows(
        self: Table,
        attributes: Sequence[Attribute],
        other: Table,
        other_attributes: Sequence[Attribute],
        more: Sequence[Attribute] = (),
    ) -> LinkedRows:
        """Return the rows of both tables with codes by the texts of values."""
        from idbits.engines.local_linking import local_linked_rows

        return local_linked_rows(self, attributes, other, other_attributes, more)

    # People's points.

    def event_points(self: Table, request: EventRequest, options: OpenOptions) -> Points:
        """Return people's points as codes."""
        from idbits.engines import coded_points

        return coded_points.load_points(self, request, options)

    def file_stamps(self: Table) -> list[FileStamp]:
        return [(str(path), size, str(changed)) for path, size, changed in stamps(self.files)]

    # Information gain.

    def gain_rows(
        self: Table,
        attributes: Sequence[Attribute],
        options: OpenOptions,
        *,
        with_cells: bool = False,
        persons: Persons | None = None,
    ) -> LocalGainRows:
        """Return the distinct rows of attributes."""
        from idbits.engines.gain_loading import local_gain_rows

        return local_gain_rows(self, attributes, options, with_cells=with_cells, persons=persons)

    # Sensitive values.

    def group_value_counts(self: Table, request: GroupValueRequest, options: OpenOptions) -> GroupValueCounts:
        """Count people by group and value."""
        from idbits.engines.local_group_values import local_group_values

        return local_group_values(self, request, options)
