"""The smallest change that helps: a few coarser views of each column are tried, one by one and together.

Rows are read once as codes, with all views; every trial is then a count in memory.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers, Spectrum
from idbits.engines.base import Table
from idbits.errors import EngineError
from idbits.kernels.cohorts import pair_spectrum, spectrum_of
from idbits.kernels.distinct import distinct_rows, people_by_code
from idbits.measures.utility import ColumnPair, ColumnRelations, Relation, relation_of, utility_kept
from idbits.progress import Count, Progress
from idbits.studies.report.result import Change, Changes, at_risk, best_first
from idbits.studies.shared.coarser import spread_views
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.units import Unit
from idbits.values.attributes import Attribute

__all__ = ["Codes", "Replaced", "ViewRelations", "changes_tried"]

_MOST_COLUMNS = 12
_MOST_VIEWS = 4
_MOST_ROUNDS = 4
_MOST_TRIALS = 150
# Most codes in memory, 4 bytes each; and most rows times columns to visit in all trials.
_MOST_CODES = 200_000_000
_MOST_VISITS = 1_000_000_000

State = tuple[Attribute | None, ...]
"""The released view of each column of the quasi-identifier; None for a column that is left out."""


def changes_tried(
    table: Table,
    qid: Sequence[Attribute],
    others: Sequence[Attribute],
    before: Figures,
    progress: Progress,
    unit: Unit = Unit.PEOPLE,
) -> Changes:
    """Try coarser views of the columns of the quasi-identifier; ``others`` matter for utility only."""
    nobody, everyone = unit.nobody.lower(), unit.everyone
    if before.standing == 3:
        return Changes((), reason=f"{nobody} is in a group smaller than 5, so we looked for no change")
    if before.n_people == 1:
        return Changes((), reason=f"in a table of one {unit.singular}, that {unit.singular} is always unique")
    if before.n_sets == 1:
        return Changes((), reason=f"{everyone} has the same values already, so no change can make the group larger")
    if not table.trials_are_cheap:
        return Changes((), reason="each trial would need another query to the database")
    ranked = sorted(qid, key=lambda attribute: -table.spectrum((attribute,)).n_sets)
    chosen = set(ranked[:_MOST_COLUMNS])
    views = {attribute: spread_views(table, attribute, _MOST_VIEWS) if attribute in chosen else [] for attribute in qid}
    related = [*(attribute for attribute in qid if attribute in chosen), *others][:_MOST_COLUMNS]
    try:
        trials = _Trials(table, list(qid), views, related, before)
    except EngineError:
        return Changes((), reason="the rows with their coarser views need more memory than allowed")
    if len(qid) == 1 and not any(views.values()):
        return Changes((), reason="the column has no coarser view")
    tried = trials.search(progress)
    names = tuple(attribute.name for attribute in related)
    counted = trials.relations.counted()
    return Changes(
        best_first(tried),
        names,
        len(qid) - len(chosen),
        utility_bits=counted.total_bits,
        utility_pairs=tuple(counted.bits),
    )


class _Trials:
    def __init__(
        self,
        table: Table,
        qid: list[Attribute],
        views: dict[Attribute, list[Attribute]],
        related: list[Attribute],
        before: Figures,
    ) -> None:
        self.qid, self.before = qid, before
        n = max(1, table.n_people())
        base = list(dict.fromkeys([*qid, *related]))
        room = max(0, _MOST_CODES // n - len(base))
        flat = [view for attribute in qid for view in views[attribute]][:room]
        self.views = {attribute: [view for view in views[attribute] if view in flat] for attribute in qid}
        read = table.coded_rows([*base, *flat])
        self.people = read.people
        self.codes = dict(zip([*base, *flat], zip(read.codes, read.sizes, strict=True), strict=True))
        self.most = int(max(8, min(_MOST_TRIALS, _MOST_VISITS // (n * max(3, len(qid))))))
        self.relations = ViewRelations(related, self.codes, self.people)

    def search(self, progress: Progress) -> list[Change]:
        """Try each single change, then coarser views of two columns, then continue from the best change for its cost.

        Stop when coarser views improve the verdict: a column that is left out is of no use to anyone.
        """
        tried: dict[State, Change] = {}
        count = Count(self.most)
        with progress.step("trying changes", count):
            self._try(self._singles(), tried, count)
            if not self._enough(tried):
                self._try(self._pairs(), tried, count)
            for _ in range(_MOST_ROUNDS):
                if self._enough(tried) or not tried:
                    break
                counted = self.relations.counted()
                bought = {state: self._bought(state, change, counted) for state, change in tried.items()}
                start = max(tried, key=lambda state: (bought[state], tried[state].columns))
                self._try(self._next(start), tried, count)
        # The relationships between the columns are known only after all views have been counted.
        counted = self.relations.counted()
        return [
            replace(change, utility=self.relations.utility(self._replaced(state), counted))
            for state, change in tried.items()
        ]

    def _try(self, states: Iterable[State], tried: dict[State, Change], count: Count) -> None:
        for state in states:
            if len(tried) >= self.most:
                return
            if state not in tried:
                tried[state] = self._trial(state)
                count.done += 1

    def _enough(self, tried: dict[State, Change]) -> bool:
        if len(tried) >= self.most:
            return True
        return any(change.improves and None not in state for state, change in tried.items())

    def _singles(self) -> Iterator[State]:
        return self._next(tuple(self.qid))

    def _pairs(self) -> Iterator[State]:
        """Yield coarser views of two columns, starting with the columns with most values."""
        ranked = sorted(range(len(self.qid)), key=lambda index: -self.codes[self.qid[index]][1])
        for left, right in itertools.combinations(ranked, 2):
            for first, second in itertools.product(self.views[self.qid[left]], self.views[self.qid[right]]):
                state: list[Attribute | None] = list(self.qid)
                state[left], state[right] = first, second
                yield tuple(state)

    def _next(self, state: State) -> Iterator[State]:
        """Yield the states with one more change: one column coarsened or left out."""
        for index, attribute in enumerate(self.qid):
            if state[index] is None:
                continue
            coarser, current = self.views[attribute], state[index]
            # Never back to a finer view.
            start = coarser.index(current) + 1 if current is not None and current in coarser else 0
            for view in [*coarser[start:], None]:
                changed = (*state[:index], view, *state[index + 1 :])
                if any(part is not None for part in changed):
                    yield changed

    def _bought(self, state: State, change: Change, counted: ColumnRelations) -> float:
        """Return how many people a change helps, divided by its cost in utility."""
        saved = at_risk(self.before, self.before) - at_risk(change.figures, self.before)
        utility = self.relations.utility(self._replaced(state), counted)
        kept = utility if utility is not None else change.figures.entropy_bits / self.before.entropy_bits
        return saved / (max(0.0, 1 - kept) + 0.05)

    def _trial(self, state: State) -> Change:
        after = Figures.of(self._spectrum([view for view in state if view is not None]))
        replaced = self._replaced(state)
        self.relations.look(replaced)
        return Change.of(
            tuple(view.name for view in state if view is not None),
            tuple((old.name, new.name if new is not None else None) for old, new in replaced.items()),
            self.before,
            after,
            None,
        )

    def _replaced(self, state: State) -> dict[Attribute, Attribute | None]:
        return {old: new for old, new in zip(self.qid, state, strict=True) if old != new}

    def _spectrum(self, attributes: list[Attribute]) -> Spectrum:
        codes, sizes = zip(*(self.codes[attribute] for attribute in attributes), strict=True)
        return spectrum_of(distinct_rows(CodedRows(codes, sizes, self.people)).cohorts())


Codes = Mapping[Attribute, tuple[NDArray[np.uint32], int]]
"""The codes of each view of a column, and the number of different codes."""

Replaced = Mapping[Attribute, Attribute | None]
"""The changed columns, each with the view that replaces it; None for a column that is left out."""

Views = tuple[Attribute, Attribute]


class ViewRelations:
    """The relations between views of some columns, each counted once."""

    def __init__(self, columns: Sequence[Attribute], codes: Codes, people: Integers | None) -> None:
        self.columns, self.codes, self.people = tuple(columns), codes, people
        self._alone: dict[Attribute, Spectrum] = {}
        self._relations: dict[Views, Relation] = {}
        self._nested: dict[Views, bool] = {}
        self._seen: dict[ColumnPair, dict[Views, Relation]] = {}
        self.look({})

    def look(self, replaced: Replaced) -> None:
        """Count the relationships between the columns after a change."""
        for pair, views in self._pairs(replaced):
            if views is not None:
                self._seen.setdefault(pair, {})[views] = self._relation(views)

    def counted(self) -> ColumnRelations:
        """Return the pairs of columns that are related beyond chance in any of the views counted."""
        return ColumnRelations.of({pair: relation} for pair, views in self._seen.items() for relation in views.values())

    def utility(self, replaced: Replaced, counted: ColumnRelations) -> float | None:
        """Return the share of the ``counted`` bits that a change preserves; None if there are none."""
        kept: dict[ColumnPair, float] = {}
        for pair, views in self._pairs(replaced):
            if views is not None and pair in counted.bits:
                within = {views: self._relation(views)} | self._made_from(pair, views)
                kept |= counted.kept_by(*({pair: relation} for relation in within.values()))
        return utility_kept(kept, counted.bits)

    def _made_from(self, pair: ColumnPair, views: Views) -> dict[Views, Relation]:
        """Return the relations between views that can be derived from these."""
        return {
            other: relation
            for other, relation in self._seen.get(pair, {}).items()
            if all(self._is_made_from(coarse, fine) for coarse, fine in zip(other, views, strict=True))
        }

    def _is_made_from(self, coarse: Attribute, fine: Attribute) -> bool:
        """Whether each value of the finer view belongs to exactly one value of the coarser view."""
        if coarse == fine:
            return True
        if (coarse, fine) not in self._nested:
            joint = pair_spectrum(*self.codes[coarse], *self.codes[fine], self.people)
            self._nested[coarse, fine] = joint.n_sets == self._spectrum(fine).n_sets
        return self._nested[coarse, fine]

    def _pairs(self, replaced: Replaced) -> list[tuple[ColumnPair, Views | None]]:
        """Return each pair of columns with their views; None if one of them is left out."""
        pairs: list[tuple[ColumnPair, Views | None]] = []
        for left, right in itertools.combinations(self.columns, 2):
            first, second = replaced.get(left, left), replaced.get(right, right)
            both = (first, second) if first is not None and second is not None else None
            pairs.append(((left.name, right.name), both))
        return pairs

    def _relation(self, views: Views) -> Relation:
        if views not in self._relations:
            left, right = views
            joint = pair_spectrum(*self.codes[left], *self.codes[right], self.people)
            self._relations[views] = relation_of(self._spectrum(left), self._spectrum(right), joint)
        return self._relations[views]

    def _spectrum(self, view: Attribute) -> Spectrum:
        if view not in self._alone:
            codes, size = self.codes[view]
            self._alone[view] = spectrum_of(people_by_code(np.asarray(codes), size, self.people))
        return self._alone[view]
