"""The answer of ``idbits link``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from idbits.measures.disclosure.presence import Presence
from idbits.measures.linkage.candidates import CandidateNumbers, RecordClasses
from idbits.measures.linkage.claims import CalibrationBin, ClaimCounts
from idbits.measures.linkage.coverage import Interval
from idbits.measures.linkage.sensitive import SensitiveLink
from idbits.studies.link.attacks.result import SyntheticAttack
from idbits.studies.link.probabilistic.result import BlockFigures, ClaimProbability, LevelWeight, LikelyPairs, MeanClaim
from idbits.studies.shared.ruled_answer import RuledAnswer
from idbits.studies.shared.rules import CheckedRule
from idbits.studies.shared.serialisation import JsonObject
from idbits.studies.shared.short_repr import short_repr

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart

__all__ = ["CandidateBin", "CurvePoint", "Linkage", "RightNumbers", "SyntheticAttack", "TruthFigures"]


@dataclass(frozen=True, slots=True)
class RightNumbers:
    """How many records are linked with the right person.

    Attributes:
        at_least, at_most: what is certain.
        expected: right guesses, with one even guess per record; None without coverage.
        expected_low, expected_high: its 95% interval.
        expected_claims: the one-to-one records that are right, with its interval.
    """

    at_least: int
    expected: float | None
    expected_low: float | None
    expected_high: float | None
    expected_claims: Interval | None
    at_most: int


@dataclass(frozen=True, slots=True)
class TruthFigures:
    """The claims compared with the truth. Claims are the one-to-one records, or those above the threshold.

    Attributes:
        in_both: IDs that both tables have.
        claims, right, wrong: the claims, and whether they are of the right person.
        missed: records whose person is in the second table, but which claim nobody.
        precision: right / claims; None without claims.
        recall: right / in_both; None if no ID is in both.
        among_candidates: ambiguous records whose person is among their candidates.
        expected_right: right guesses, with one even guess per record.
    """

    in_both: int
    claims: int
    right: int
    wrong: int
    missed: int
    precision: float | None
    recall: float | None
    among_candidates: int
    expected_right: float


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The figures if fewer columns are compared.

    Attributes:
        on: the columns.
        is_prefix: whether they are the first ones of ``--on``.
        right: right guesses with one even guess per record; None without coverage.
    """

    on: tuple[str, ...]
    is_prefix: bool
    one_to_one: int
    identity_bits: float | None
    right: float | None


@dataclass(frozen=True, slots=True)
class CandidateBin:
    """Records with ``low`` to ``high`` candidates."""

    low: int
    high: int
    records: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Linkage(RuledAnswer):
    """What a second table tells about the records of a release.

    Attributes:
        mode: ``exact``, ``tolerance`` or ``probabilistic``.
        n_records: the records of the release.
        n_people: the people of the second table.
        on: the columns that are compared.
        records: what happens to the records.
        candidates: the number of candidates over ambiguous records.
        candidate_bins: records by the number of candidates, in powers of two.
        right: how many are linked rightly.
        truth: the claims compared with the truth, if it was given.
        coverage: the share of the release's people who are in the second table, if it was given.
        identity_bits, max_identity_bits: what a record tells about its person, of what singles out everyone.
        added_bits: what the columns of ``also`` tell about a person beyond the compared columns.
        sensitive: what people of the second table give away about columns of the release, without being named.
        presence: who is in the release at all.
        curve: the figures for fewer columns.
        weights: what each level of agreement tells; these and the next are None if values are not linked by odds.
        pair_blocks: the pairs that were compared.
        matches_expected: how many pairs of both tables are expected to be the same person.
        likely_pairs: pairs above the threshold, each by itself.
        match_probability: the probabilities of claims.
        mean_claim: what each column adds to the odds of a claim, on average.
        thresholds: claims by their least probability.
        calibration: probabilities compared with the truth, if it was given.
        records_file: the file with a line per record; None without ``records``.
        internal: whether that file links people.
    """

    command: ClassVar[str] = "link"
    _main_table: ClassVar[str] = "record_rows"
    json_keys: ClassVar = (
        "mode", "?internal", "n_records", "n_people", "on", "coverage", "records", "candidates",
        "candidate_bins", "right", "truth", "identity_bits", "max_identity_bits", "also", "added_bits", "sensitive",
        "presence", "curve", "weights", "pair_blocks", "matches_expected", "likely_pairs", "match_probability",
        "mean_claim", "thresholds", "calibration", "rules", "reasons", "notes",
    )  # fmt: skip

    mode: str
    n_records: int
    n_people: int
    on: tuple[str, ...]
    records: RecordClasses
    candidates: CandidateNumbers | None
    candidate_bins: tuple[CandidateBin, ...]
    right: RightNumbers
    truth: TruthFigures | None
    coverage: float | None
    identity_bits: float | None
    max_identity_bits: float
    also: tuple[str, ...] = ()
    added_bits: float | None = None
    sensitive: tuple[SensitiveLink, ...] = ()
    presence: Presence | None = None
    curve: tuple[CurvePoint, ...] = ()
    weights: tuple[LevelWeight, ...] | None = None
    pair_blocks: tuple[BlockFigures, ...] | None = None
    matches_expected: float | None = None
    likely_pairs: LikelyPairs | None = None
    match_probability: ClaimProbability | None = None
    mean_claim: MeanClaim | None = None
    thresholds: tuple[ClaimCounts, ...] | None = None
    calibration: tuple[CalibrationBin, ...] | None = None
    rules: tuple[CheckedRule, ...] = ()
    reasons: dict[str, str]
    filtered: bool = False
    records_file: str | None = None
    internal: bool = False
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    @property
    def record_rows(self) -> list[JsonObject]:
        """What happens to the records: each outcome with its records and their share."""
        names = ("one_to_one", "crowded", "ambiguous", "no_candidate")
        counted = [(name, int(getattr(self.records, name))) for name in names]
        return [{"outcome": name, "records": each, "share": each / self.n_records} for name, each in counted]

    def __repr__(self) -> str:
        return (
            f"Linkage(mode={self.mode!r}, on={short_repr(self.on)}, n_records={self.n_records}, "
            f"n_people={self.n_people}, one_to_one={self.records.one_to_one})"
        )

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.link.charts import charts_of

        return charts_of(self)

    def charts(self) -> dict[str, JsonObject]:
        """Return the charts as Vega-Lite specifications."""
        from idbits.studies.link.charts import specifications_of

        return specifications_of(self)
