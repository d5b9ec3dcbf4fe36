"""The answers of ``idbits overlap``: two zonings, or two releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from idbits.errors import InputError
from idbits.studies.shared.ruled_answer import RuledAnswer
from idbits.studies.shared.rules import CheckedRule
from idbits.studies.shared.serialisation import JsonObject, UncheckedData
from idbits.studies.shared.short_repr import short_repr
from idbits.studies.shared.units import Unit

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart

__all__ = [
    "CandidateCount",
    "IsolatedCounts",
    "IsolatedSize",
    "IsolatedZones",
    "JointGroups",
    "MeanGains",
    "ReleaseCertainty",
    "ReleaseOverlap",
    "SmallZones",
    "UnsearchedPieces",
    "ZoneOverlap",
]  # fmt: skip


class _Overlap(RuledAnswer):
    """What two publications give away together."""

    command: ClassVar[str] = "overlap"


@dataclass(frozen=True, slots=True)
class SmallZones:
    """Zones that are published with fewer people than the threshold, and the people in them, each counted once."""

    zones: int
    people: int


@dataclass(frozen=True, slots=True)
class IsolatedCounts:
    """The groups below the threshold that differencing isolates; people and atoms are counted once each."""

    groups: int
    people: int
    atoms: int


@dataclass(frozen=True, slots=True)
class IsolatedSize:
    """The number of isolated groups of one size."""

    people: int
    groups: int


@dataclass(frozen=True, slots=True)
class UnsearchedPieces:
    """Atoms in parts that are too large to search completely, and the people in them."""

    atoms: int
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolatedZones:
    """A group that differencing isolates: zones of one column, minus zones of the other.

    Attributes:
        people: the people in it.
        atoms: the number of atoms in it: pairs of zones, one of each column.
        zones_added, zones_taken: how many zones are added and taken away.
        added_from: the column whose zones are added; those taken away are of the other.
        added, taken: the zones themselves, if they may be shown.
    """

    json_keys: ClassVar = ("people", "atoms", "zones_added", "zones_taken", "added_from", "?added", "?taken")

    people: int
    atoms: int
    zones_added: int
    zones_taken: int
    added_from: str
    added: tuple[str | None, ...] = ()
    taken: tuple[str | None, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ZoneOverlap(_Overlap):
    """What tables of counts over two zonings give away together.

    Attributes:
        zones: the two columns.
        n_zones: the number of zones of each.
        unit: what is counted: people, or rows.
        n_people: how many there are.
        n_atoms: pairs of zones, one of each column, that have people.
        n_components: parts of the map between which nothing can be computed.
        threshold: groups of fewer people are small.
        published_small: zones that are small themselves.
        isolated: small groups that follow from subtracting counts.
        smallest: the people in the smallest of them; None if there is none.
        sizes: the number of groups by the people in them, ascending.
        groups: the smallest groups.
        not_searched: what may contain further groups.
        null_zones: people without a zone in each column; they count as a zone of their own.
    """

    json_keys: ClassVar = (
        "zones", "n_zones", "unit", "n_people", "n_atoms", "n_components", "threshold", "published_small", "isolated",
        "smallest", "sizes", "groups", "not_searched", "null_zones", "?internal", "rules", "notes",
        "reasons",
    )  # fmt: skip

    _main_table: ClassVar[str] = "sizes"
    _row_class: ClassVar = IsolatedSize

    zones: tuple[str, ...]
    n_zones: tuple[int, ...]
    unit: Unit
    n_people: int
    n_atoms: int
    n_components: int
    threshold: int
    published_small: SmallZones
    isolated: IsolatedCounts
    smallest: int | None
    sizes: tuple[IsolatedSize, ...]
    groups: tuple[IsolatedZones, ...]
    not_searched: UnsearchedPieces
    null_zones: tuple[int, ...]
    internal: bool = False
    filtered: bool = False
    rules: tuple[CheckedRule, ...] = ()
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return no field; the answer is about two columns of zones."""
        if len(data["zones"]) != 2 or len(data["null_zones"]) != 2:
            raise InputError("it does not have two columns of zones")
        return {}

    def __repr__(self) -> str:
        return (
            f"ZoneOverlap(zones={short_repr(self.zones)}, n_atoms={self.n_atoms}, threshold={self.threshold}, "
            f"isolated_people={self.isolated.people}, smallest={self.smallest})"
        )

    @property
    def reasons(self) -> dict[str, str]:
        """Why some figures are None."""
        return {} if self.smallest is not None else {"smallest": "differencing isolates no group below the threshold"}

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.overlap.charts import sizes_chart

        return {"sizes": sizes_chart(self)} if self.sizes else {}

    def chart(self) -> JsonObject:
        """Return the isolated groups by size as a Vega-Lite specification."""
        from idbits.studies.overlap.charts import size_chart

        return size_chart(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseCertainty:
    """People for whom one value is left.

    Attributes:
        first, second: by one release alone.
        both: by the intersection of both.
        new: by the intersection, but by neither release alone.
        new_common: those of ``new`` whose value more than 90% of all records have.
    """

    first: int
    second: int
    both: int
    new: int
    new_common: int


@dataclass(frozen=True, slots=True)
class MeanGains:
    """What a person's groups tell about the value on average, in bits; None if the releases contradict each other."""

    first: float
    second: float
    both: float | None


@dataclass(frozen=True, slots=True)
class JointGroups:
    """Groups of people who share both groups.

    Attributes:
        k_min: the people in the smallest one.
        alone: people who are unique in theirs.
        certain: people in whose group everybody has the same value.
        gain_bits: what these groups tell on average.
    """

    k_min: int
    alone: int
    certain: int
    gain_bits: float


@dataclass(frozen=True, slots=True)
class CandidateCount:
    """People by the number of values that are left for them: in their group of each release, and in both."""

    values: int
    first: int
    second: int
    both: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReleaseOverlap(_Overlap):
    """What two releases of the same people give away together.

    Attributes:
        person: the column that identifies people in both releases.
        qid_a, qid_b: the columns that someone may know, in each release.
        sensitive: the column that is to stay secret.
        people: people in both releases; the figures are about them.
        only_first, only_second: people in one release, who are in its groups but are not targets.
        changed: people whose value differs between the releases.
        empty: people without a value that both of their groups have.
        n_values: values of the sensitive column in both releases.
        prior_entropy_bits: the uncertainty about the value before anything is known.
        certain: people for whom one value is left.
        l_min: the smallest number of values left, of those with any; None if nobody has any.
        gain_bits: what the groups tell on average.
        joint: groups of people who share both groups.
        candidates: people by the number of values left.
    """

    json_keys: ClassVar = (
        "person", "qid_a", "qid_b", "sensitive", "people", "only_first", "only_second", "changed", "empty", "n_values",
        "prior_entropy_bits", "certain", "l_min", "gain_bits", "joint", "candidates", "rules", "notes",
        "reasons",
    )  # fmt: skip

    _main_table: ClassVar[str] = "candidates"

    person: str
    qid_a: tuple[str, ...]
    qid_b: tuple[str, ...]
    sensitive: str
    people: int
    only_first: int
    only_second: int
    changed: int
    empty: int
    n_values: int
    prior_entropy_bits: float
    certain: ReleaseCertainty
    l_min: int | None
    gain_bits: MeanGains
    joint: JointGroups
    candidates: tuple[CandidateCount, ...]
    filtered: bool = False
    rules: tuple[CheckedRule, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"ReleaseOverlap(sensitive={self.sensitive!r}, people={self.people}, certain_first={self.certain.first}, "
            f"certain_second={self.certain.second}, certain_both={self.certain.both})"
        )

    @property
    def reasons(self) -> dict[str, str]:
        """Why some figures are None."""
        contradicting = "the two groups of every person have no value in common"
        return dict.fromkeys(("l_min", "gain_bits.both"), contradicting) if self.l_min is None else {}

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.overlap.charts import left_chart

        return {"candidates": left_chart(self)}

    def chart(self) -> JsonObject:
        """Return people by the number of values left as a Vega-Lite specification."""
        from idbits.studies.overlap.charts import candidates_chart

        return candidates_chart(self)
