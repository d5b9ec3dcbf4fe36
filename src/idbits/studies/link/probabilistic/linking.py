"""Links two tables by the odds that two records are the same person (Fellegi and Sunter's model)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.engines.agreement import count_agreement
from idbits.engines.backends.agreement import (
    AgreementCounter,
    AgreementTables,
    BestPairs,
    Block,
    BlockPatterns,
    PairOdds,
    pattern_levels,
)
from idbits.engines.base import OpenOptions
from idbits.errors import DataError, NotEstimableError
from idbits.measures.linkage.blocks import BlockCandidates, choose_blocks
from idbits.measures.linkage.candidates import CandidateCounts
from idbits.measures.linkage.claims import calibrate, claim_counts, match_probabilities, odds_in_units
from idbits.measures.linkage.fellegi_sunter import (
    BlockEstimate,
    PatternTable,
    chances_of_nonmatches,
    estimate_block,
    likelihood_ratios,
    match_rate,
    mean_chances,
    mean_weights,
    odds_bits,
    pattern_odds,
    weight_bits,
)
from idbits.studies.link.links import RecordLinks
from idbits.studies.link.probabilistic.links import ProbabilisticLinks
from idbits.studies.link.probabilistic.result import (
    BlockFigures,
    ClaimProbability,
    ColumnBits,
    LevelWeight,
    LikelyPairs,
    MeanClaim,
)
from idbits.studies.link.probabilistic.settings import ProbabilisticSettings
from idbits.values.agreement import Agreement
from idbits.wording import counted, joined

__all__ = ["LinkedTables", "link_by_odds"]

_DRAWN_VALUES, _DRAWN_ROWS = 500, 5_000
_MOST_COLUMNS = 24
_LEAST_MATCHES = 50
_LEAST_RATE = 1e-4
_SHOWN_THRESHOLDS = (0.9, 0.99)
# Automatic blocks stop far below the limit on pairs: more pairs hardly find more matches.
_PAIRS_PER_ROW, _FEW_PAIRS = 20, 10_000_000
_TOO_MANY = 1.01
# More pairs than these are compared twice instead of remembered.
_REMEMBERED_PAIRS = 30_000_000


@dataclass(frozen=True, slots=True, eq=False)
class LinkedTables:
    """Two tables ready to be compared.

    Attributes:
        names: the compared columns.
        tables: their values.
        numbers: the numbers of the rows in their sources, if these have an order.
        is_in_both: for each record, whether its person is in the second table, if the truth is known.
    """

    names: tuple[str, ...]
    tables: AgreementTables
    numbers: tuple[Integers | None, Integers | None] = (None, None)
    is_in_both: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """The estimated model: m, u, the patterns of all pairs with their odds, and what was decided."""

    matches: list[Floats]
    nonmatches: list[Floats]
    patterns: Integers
    pairs: Integers
    true_pairs: Integers
    odds: Floats
    rate: float
    blocks: tuple[BlockFigures, ...]
    notes: tuple[str, ...]


def link_by_odds(
    linked: LinkedTables, settings: ProbabilisticSettings, max_pairs: int, options: OpenOptions
) -> ProbabilisticLinks:
    """Estimate the model from counts of patterns, and find what an attacker would claim."""
    tables = linked.tables
    if len(tables.columns) > _MOST_COLUMNS:
        raise DataError(f"probabilistic links compare at most {_MOST_COLUMNS} columns; name fewer (--on)")
    with closing(count_agreement(tables, options)) as counter:
        nonmatches = [_nonmatches(counter, tables, index) for index in range(len(tables.columns))]
        blocks = settings.block_indices(linked.names) or _chosen_blocks(counter, tables, max_pairs)
        n_pairs = _require_room(counter, blocks, max_pairs)
        counted_blocks = counter.block_patterns(blocks, keep=n_pairs <= _REMEMBERED_PAIRS)
        model = _estimate(linked, blocks, counted_blocks, nonmatches)
        # A pair is likely at o/(1 + o) >= threshold.
        likely = model.odds >= settings.threshold / (1 - settings.threshold)
        distinct, ranks = np.unique(model.odds, return_inverse=True)
        least = int(ranks[likely].min()) if likely.any() else len(distinct)
        units = odds_in_units(model.odds)
        best = counter.best_pairs(PairOdds(model.patterns.tolist(), units, ranks.tolist(), least))
        notes = [*model.notes, *_notes_about_model(model, tables), *_notes_about_texts(counter, linked.names)]
        units_of_rank = np.array(odds_in_units(distinct), np.float64)
        links = _answer(linked, settings, model, best, units_of_rank, likely, tuple(notes))
        return replace(links, mean_claim=_mean_claim(counter, linked, model, links.records.claimed))


def _nonmatches(counter: AgreementCounter, tables: AgreementTables, index: int) -> Floats:
    column = tables.columns[index]
    given = int(np.count_nonzero(column.codes_a >= 0)) * int(np.count_nonzero(column.codes_b >= 0))
    if not given:
        raise NotEstimableError("a compared column is empty in one of the tables; remove it (--on)")
    equal = counter.equal_pairs((index,))
    weights = counter.different_weights(index, _DRAWN_VALUES)
    first_is_equal = column.levels[0].agreement is Agreement.EQUAL
    return chances_of_nonmatches(equal, given, weights, first_is_equal=first_is_equal)


def _chosen_blocks(counter: AgreementCounter, tables: AgreementTables, max_pairs: int) -> list[Block]:
    """Choose blocks by their excess of equal pairs."""
    n_columns, n_all = len(tables.columns), tables.n_a * tables.n_b
    most = min(max_pairs, max(_FEW_PAIRS, _PAIRS_PER_ROW * (tables.n_a + tables.n_b)))
    singles = [(index,) for index in range(n_columns)]
    equal_chances = [counter.equal_pairs(block) / n_all for block in singles]
    pairs = {block: counter.equal_pairs(block) for block in [*singles, *combinations(range(n_columns), 2)]}
    fitting = {block: number for block, number in pairs.items() if 0 < number <= most}
    if not fitting:
        raise NotEstimableError(
            "no block of pairs is small enough to compare: no column or pair of columns separates the records; name "
            "more columns (--on) or allow more pairs (--max-pairs)"
        )
    drawn = counter.mask_counts(list(fitting), _DRAWN_ROWS)
    share = drawn.n_rows / tables.n_a
    candidates = BlockCandidates(fitting, drawn.pairs, drawn.n_rows * tables.n_b, share, equal_chances)
    blocks = choose_blocks(candidates, most)
    common = set.intersection(*map(set, blocks)) if blocks else set()
    if not blocks or common:
        raise NotEstimableError(
            "the columns do not suffice for two blocks of pairs with matches; name more columns (--on) or name blocks "
            "(--block)"
        )
    return blocks


def _require_room(counter: AgreementCounter, blocks: Sequence[Block], max_pairs: int) -> int:
    """Count the pairs before they are joined."""
    n_pairs = sum(counter.equal_pairs(block) for block in blocks)
    if n_pairs > max_pairs:
        raise DataError(
            f"{counted(n_pairs, 'pair')} would be compared, more than --max-pairs allows; name more columns per block "
            "(--block)"
        )
    if not n_pairs:
        raise NotEstimableError("no pair of records is equal in the columns of any block (--block)")
    return n_pairs


def _estimate(
    linked: LinkedTables, blocks: Sequence[Block], counted_blocks: Sequence[BlockPatterns], nonmatches: list[Floats]
) -> _Model:
    tables, names = linked.tables, linked.names
    n_levels = [len(column.levels) for column in tables.columns]
    estimates: list[tuple[Block, BlockEstimate]] = []
    notes, figures = [], []
    for block, found in zip(blocks, counted_blocks, strict=True):
        if not len(found.patterns):
            continue
        table = PatternTable(pattern_levels(found.patterns, n_levels), found.pairs)
        estimate = estimate_block(table, block, nonmatches)
        columns = tuple(names[index] for index in block)
        figures.append(BlockFigures(columns, int(found.pairs.sum()), estimate.matches))
        if estimate.rate < _LEAST_RATE:
            notes.append(f"pairs equal in {joined(columns)} hardly match, so they do not count for the weights")
        else:
            estimates.append((block, estimate))
    means = mean_chances([estimate for _, estimate in estimates], len(names))
    unknown = [name for name, mean in zip(names, means, strict=True) if mean is None]
    if unknown:
        raise NotEstimableError(
            f'how often "{unknown[0]}" differs for the same person cannot be estimated: no block without it has '
            "matches; name other blocks (--block)"
        )
    matches = [mean for mean in means if mean is not None]
    patterns, where = np.unique(np.concatenate([found.patterns for found in counted_blocks]), return_inverse=True)
    pairs, true_pairs = (np.zeros(len(patterns), np.int64) for _ in range(2))
    np.add.at(pairs, where, np.concatenate([found.new_pairs for found in counted_blocks]))
    np.add.at(true_pairs, where, np.concatenate([found.new_true for found in counted_blocks]))
    if len(patterns) < 2:
        raise NotEstimableError("all compared pairs agree in the same way, so nothing separates matches from others")
    ratios = likelihood_ratios(pattern_levels(patterns, n_levels), matches, nonmatches)
    n_all = tables.n_a * tables.n_b
    rate = match_rate(ratios, pairs, n_all, tables.n_b)
    if rate * n_all < _LEAST_MATCHES:
        raise NotEstimableError(
            f"the estimate needs at least {_LEAST_MATCHES} expected matches; fewer are expected in these tables"
        )
    odds = pattern_odds(ratios, rate)
    return _Model(matches, nonmatches, patterns, pairs, true_pairs, odds, rate, tuple(figures), tuple(notes))


def _answer(
    linked: LinkedTables,
    settings: ProbabilisticSettings,
    model: _Model,
    best: BestPairs,
    units_of_rank: Floats,
    likely: NDArray[np.bool_],
    notes: tuple[str, ...],
) -> ProbabilisticLinks:
    tables, threshold = linked.tables, settings.threshold
    mutual = best.rows_b >= 0
    chances = match_probabilities(units_of_rank[best.ranks[mutual]], best.totals[mutual])
    rows_a, rows_b = best.rows_a[mutual], best.rows_b[mutual]
    is_right = None
    if tables.truth_a is not None and tables.truth_b is not None:
        is_right = (tables.truth_a[rows_a] == tables.truth_b[rows_b]) & (tables.truth_a[rows_a] >= 0)
    claimed = chances >= threshold
    records = _record_links(linked, best, (rows_a[claimed], rows_b[claimed], chances[claimed]))
    least = sorted({threshold, *(each for each in _SHOWN_THRESHOLDS if each > threshold)})
    quantiles = np.quantile(chances[claimed], [0.5, 0.05]).tolist() if claimed.any() else None
    return ProbabilisticLinks(
        counts=_candidate_counts(records, tables.n_b),
        records=records,
        weights=_weights(linked, model),
        blocks=model.blocks,
        matches_expected=model.rate * tables.n_a * tables.n_b,
        thresholds=tuple(claim_counts(chances, is_right, least)),
        match_probability=None if quantiles is None else ClaimProbability(*quantiles),
        calibration=None if is_right is None else tuple(calibrate(chances, is_right)),
        likely_pairs=LikelyPairs(
            int(model.pairs[likely].sum()), None if is_right is None else int(model.true_pairs[likely].sum())
        ),
        notes=("texts are compared without spaces around them, and blanks are nulls", *notes),
    )


def _record_links(linked: LinkedTables, best: BestPairs, claims: tuple[Integers, Integers, Floats]) -> RecordLinks:
    """Return the links of each record; ``claims`` are rows of both tables with probabilities."""
    tables, (rows_a, rows_b, chances) = linked.tables, claims
    n_a = tables.n_a
    candidates, rivals, claimed = np.zeros(n_a, np.int64), np.zeros(n_a, np.int64), np.full(n_a, -1, np.int64)
    candidates[best.rows_a], rivals[best.rows_a] = best.likely, best.rivals
    claimed[rows_a] = rows_b
    probabilities = np.zeros(n_a)
    probabilities[rows_a] = chances
    among = is_right = None
    if linked.is_in_both is not None and tables.truth_a is not None and tables.truth_b is not None:
        among, is_right = np.zeros(n_a, np.bool_), np.zeros(n_a, np.bool_)
        among[best.rows_a] = best.has_true
        is_right[rows_a] = linked.is_in_both[rows_a] & (tables.truth_a[rows_a] == tables.truth_b[rows_b])
    return RecordLinks(
        linked.numbers[0], candidates, rivals, claimed, linked.numbers[1], linked.is_in_both, among, probabilities,
        is_right,
    )  # fmt: skip


def _candidate_counts(records: RecordLinks, n_people: int) -> CandidateCounts:
    """Return the records by their likely candidates and, if there is only one, by that person's records."""
    rivals = np.where(records.candidates == 1, records.rivals, 0)
    cells, values = np.unique(np.stack([records.candidates, rivals]), axis=1, return_counts=True)
    with_candidate = int(np.count_nonzero(records.candidates))
    return CandidateCounts(
        records=np.ones(len(values), np.int64),
        candidates=cells[0],
        rivals=cells[1],
        values=values.astype(np.int64),
        n_people=n_people,
        nulls=0,
        most_right=min(with_candidate, n_people),
    )


def _weights(linked: LinkedTables, model: _Model) -> tuple[LevelWeight, ...]:
    weights = []
    for name, column, m, u in zip(linked.names, linked.tables.columns, model.matches, model.nonmatches, strict=True):
        cells = zip(column.levels, m.tolist(), u.tolist(), weight_bits(m, u).tolist(), strict=True)
        weights += [LevelWeight(name, level.name, *numbers) for level, *numbers in cells]
    return tuple(weights)


def _mean_claim(counter: AgreementCounter, linked: LinkedTables, model: _Model, claimed: Integers) -> MeanClaim | None:
    """Return what each column tells about the claimed pairs; ``claimed`` has a row of the second table, or -1."""
    rows = np.flatnonzero(claimed >= 0)
    if not len(rows):
        return None
    patterns, pairs = counter.count_patterns(rows, claimed[rows])
    n_levels = [len(column.levels) for column in linked.tables.columns]
    means = mean_weights(PatternTable(pattern_levels(patterns, n_levels), pairs), model.matches, model.nonmatches)
    prior = odds_bits(model.rate)
    columns = tuple(ColumnBits(name, bits) for name, bits in zip(linked.names, means, strict=True))
    return MeanClaim(len(rows), prior, columns, math.fsum([prior, *means]))


def _notes_about_model(model: _Model, tables: AgreementTables) -> list[str]:
    """Say if the model contradicts that a record has at most one person."""
    if model.rate * tables.n_a * tables.n_b <= _TOO_MANY * min(tables.n_a, tables.n_b):
        return []
    return [
        "more matches are expected than the smaller table has rows: the columns are too few or depend on each other, "
        "so the probabilities may be too high"
    ]


def _notes_about_texts(counter: AgreementCounter, names: Sequence[str]) -> list[str]:
    return [
        f'"{name}" has more than 127 different characters: {counted(number, "value")} are compared byte by byte'
        for name, number in zip(names, counter.uncertain_texts, strict=True)
        if number
    ]
