"""The answer of ``idbits disclosure``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from idbits.counts import Value
from idbits.measures.anonymity import GainRow
from idbits.measures.disclosure.attackers import AfterExcluding, AfterKnowing
from idbits.measures.disclosure.certainty import HomogeneousPeople, SuspectedPeople, TopShares
from idbits.measures.disclosure.column import PeopleCount
from idbits.measures.disclosure.guess import GuessChances
from idbits.measures.disclosure.near import NearPeople
from idbits.measures.disclosure.presence import Presence
from idbits.studies.shared.answer_tables import arrow_table
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import fields_from, saved_value
from idbits.studies.shared.ruled_answer import RuledAnswer
from idbits.studies.shared.rules import CheckedRule
from idbits.studies.shared.serialisation import JsonObject, Serialisable, UncheckedData
from idbits.studies.shared.short_repr import short_repr
from idbits.studies.shared.units import Unit

if TYPE_CHECKING:
    import pyarrow

    from idbits.render.described_chart import DescribedChart

__all__ = [
    "ColumnDisclosure", "Disclosure", "DisclosureCategory", "Disclosures", "ExposedGroup", "ExposedValue", "GainBits",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class GainBits:
    """What groups give away about a column, in bits over people."""

    mean: float
    p50: float
    p95: float
    max: float


@dataclass(frozen=True, slots=True)
class ExposedGroup(Serialisable):
    """A group of several people that gives much away; its values only in an internal answer."""

    json_keys: ClassVar = ("k", "l", "top_share", "gain_bits", "people=k", "?values")

    k: int
    l: int  # noqa: E741 (the literature calls it so)
    top_share: float
    gain_bits: float
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class ExposedValue:
    """A value, or several with few people: how frequent it is, and at most in a group of several people."""

    label: Value
    folded_values: int
    people: int
    prior: float
    posterior: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDisclosure(Serialisable):
    """What groups give away about one sensitive column; the reference of the JSON output lists the keys.

    Attributes:
        given_away, nearly_given_away: people who are certain, or nearly so, of a value that is not as frequent in
            general.
        top_shares: people by the largest share of a value in their group.
        values: values with their largest shares; a saved answer has none.
        largest_prior: the share of the most frequent value.
        only_secret: whether only some values are secret.
        n_people: the people measured.
    """

    json_keys: ClassVar = (
        "column", "n_values", "nulls", "prior_entropy_bits", "conditional_entropy_bits", "l_distinct", "l_entropy",
        "recursive", "recursive_l", "alpha", "t_equal", "t_ordered", "t_distance", "t_hierarchical", "beta",
        "enhanced_beta", "enhanced_beta_violations", "delta_bits", "delta_bits_present", "gain_bits", "bits_table",
        "certain", "nearly_certain", "more_likely", "guess", "after_excluding", "after_knowing", "near",
        "people_below_l", "worst", "given_away", "nearly_given_away", "top_shares", "largest_prior", "?only_secret",
        "reasons",
    )  # fmt: skip

    column: str
    n_values: int
    nulls: int
    prior_entropy_bits: float
    conditional_entropy_bits: float
    l_distinct: int | None
    l_entropy: float | None
    recursive: dict[str, float | None]
    recursive_l: int | None
    alpha: float | None
    t_equal: float
    t_ordered: float | None
    t_distance: float | None
    t_hierarchical: float | None
    beta: float | None
    enhanced_beta: float | None
    enhanced_beta_violations: PeopleCount
    delta_bits: float
    delta_bits_present: float
    gain_bits: GainBits
    bits_table: tuple[GainRow, ...]
    certain: HomogeneousPeople
    nearly_certain: SuspectedPeople
    more_likely: SuspectedPeople
    guess: GuessChances
    after_excluding: tuple[AfterExcluding, ...]
    after_knowing: tuple[AfterKnowing, ...]
    near: NearPeople | None
    people_below_l: dict[str, PeopleCount]
    worst: tuple[ExposedGroup, ...]
    reasons: dict[str, str]
    n_people: int
    given_away: PeopleCount
    nearly_given_away: PeopleCount
    top_shares: TopShares
    values: tuple[ExposedValue, ...] = ()
    largest_prior: float
    only_secret: bool = False

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return no figures for those that answers of version 0.1.0 do not have."""
        later = ("given_away", "nearly_given_away", "top_shares", "largest_prior")
        return {name: None for name in later if name not in data}

    @property
    def is_constant(self) -> bool:
        """Whether everyone has the same value."""
        return self.n_values == 1

    def share(self, people: int) -> float:
        """Return people as a share of all people measured."""
        return people / self.n_people


@dataclass(frozen=True, slots=True)
class DisclosureCategory(Serialisable):
    """One category of the ``by`` column; ``label`` is None where ``n_folded`` categories are folded into one row."""

    json_keys: ClassVar = (
        "label",
        "folded_groups=n_folded",
        "n_rows=n_people",
        "n_people",
        "n_sets",
        "k_min",
        "sensitive",
    )

    label: Value
    n_folded: int
    n_people: int
    n_sets: int
    k_min: int
    sensitive: tuple[ColumnDisclosure, ...]

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the sensitive columns."""
        return {"sensitive": _saved_columns(data)}


def _saved_columns(data: Mapping[str, Any]) -> tuple[ColumnDisclosure, ...]:
    """Return the sensitive columns of a saved answer, which says once how many people there are."""
    rows = saved_value(list[dict[str, Any]], data["sensitive"], "sensitive")
    n_people = saved_value(int, data["n_people"], "n_people")
    return tuple(ColumnDisclosure(**fields_from(ColumnDisclosure, row), n_people=n_people) for row in rows)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Disclosure(RuledAnswer):
    """What sharing a group gives away about sensitive columns.

    Attributes:
        n_sets: the number of groups.
        k_min: the smallest group.
        certainty: the share above which people count as nearly certain.
        c: the limit of recursive diversity.
        by: the column of the categories, if there are any.
        rules: the rules with their figures.
        n_other_columns: the number of columns that are neither known nor sensitive here.
        records_file: the file with the figures of every record; None without ``records``.
        internal: whether values of groups are shown.
    """

    command: ClassVar[str] = "disclosure"
    _main_table: ClassVar[str] = "sensitive"
    json_keys: ClassVar = (
        "qid", "?internal", "unit", "n_rows=n_people",
        "n_people", "n_sets", "k_min", "certainty", "c", "sensitive",
        "presence", "by", "groups", "rules", "nulls", "reasons", "notes",
    )  # fmt: skip

    source: str | None
    qid: tuple[str, ...]
    unit: Unit
    n_people: int
    n_sets: int
    k_min: int
    certainty: float
    c: float
    sensitive: tuple[ColumnDisclosure, ...]
    presence: Presence | None = None
    by: str | None = None
    groups: tuple[DisclosureCategory, ...] = ()
    rules: tuple[CheckedRule, ...] = ()
    nulls: dict[str, int]
    n_other_columns: int = 0
    filtered: bool = False
    with_near: bool = False
    records_file: str | None = None
    internal: bool = False
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the sensitive columns."""
        return {"sensitive": _saved_columns(data), "with_near": any(row["near"] for row in data["sensitive"])}

    @property
    def n_rows(self) -> int:
        """Rows or, in a counted table, people: the same number as ``n_people``."""
        return self.n_people

    def __repr__(self) -> str:
        certain = short_repr({each.column: each.certain.people for each in self.sensitive})
        return f"Disclosure(qid={short_repr(self.qid)}, n_rows={self.n_people}, certain_people={certain})"

    def __getitem__(self, column: str) -> ColumnDisclosure:
        """Return the figures of a sensitive column."""
        for each in self.sensitive:
            if each.column == column:
                return each
        raise KeyError(column)

    @property
    def reasons(self) -> dict[str, str]:
        """Why figures that are None do not exist."""
        return {} if self.presence is not None else {"presence": "no population was given"}

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.disclosure.charts import charts_of

        return charts_of(self)

    def charts(self) -> dict[str, JsonObject]:
        """Return the charts of each sensitive column as Vega-Lite specifications."""
        from idbits.studies.disclosure.charts import bits_chart, share_chart, value_chart

        charts: dict[str, JsonObject] = {}
        for each in self.sensitive:
            if each.top_shares is not None:
                charts[f"{each.column}: shares"] = share_chart(each, self.unit)
            charts[f"{each.column}: bits"] = bits_chart(each, self.unit)
            if each.values:
                charts[f"{each.column}: values"] = value_chart(each)
        return charts


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Disclosures(Answer):
    """Several quasi-identifiers of one table, side by side."""

    command: ClassVar[str] = "disclosure"

    disclosures: tuple[Disclosure, ...]

    def __iter__(self) -> Iterator[Disclosure]:
        return iter(self.disclosures)

    def __len__(self) -> int:
        return len(self.disclosures)

    def __getitem__(self, position: int) -> Disclosure:
        return self.disclosures[position]

    def to_arrow(self) -> pyarrow.Table:
        """Return one row per quasi-identifier and sensitive column."""
        rows = [{"qid": list(each.qid), **column.to_dict()} for each in self.disclosures for column in each.sensitive]
        return arrow_table(rows, ColumnDisclosure)

    def __repr__(self) -> str:
        return f"Disclosures({short_repr(self.disclosures)})"

    @property
    def notes(self) -> tuple[str, ...]:
        """Decisions made while reading."""
        return tuple(dict.fromkeys(note for each in self.disclosures for note in each.notes))

    @property
    def exit_code(self) -> int:
        """The worst exit code of all."""
        return max(each.exit_code for each in self.disclosures)

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.disclosure.charts import charts_of_several

        return charts_of_several(self)

    def charts(self) -> dict[str, JsonObject]:
        """Return the charts of each quasi-identifier."""
        return {
            f"{','.join(each.qid)}: {name}": chart for each in self.disclosures for name, chart in each.charts().items()
        }
