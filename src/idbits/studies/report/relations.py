"""What columns say about each other as they are released in coarser views."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, Spectrum
from idbits.kernels.distinct import people_by_code
from idbits.kernels.known_columns import pair_spectrum, spectrum_of
from idbits.measures.utility import ColumnPair, ColumnRelations, Relation, relation_of, utility_kept
from idbits.values.attributes import Attribute

__all__ = ["Codes", "Replaced", "ViewRelations"]

Codes = Mapping[Attribute, tuple[NDArray[np.uint32], int]]
"""The codes of each view of a column, and how many there are."""

Replaced = Mapping[Attribute, Attribute | None]
"""Columns that a change is about, with the view that takes their place; None where they are left out."""

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
        """Look at what columns say about each other after a change."""
        for pair, views in self._pairs(replaced):
            if views is not None:
                self._seen.setdefault(pair, {})[views] = self._relation(views)

    def counted(self) -> ColumnRelations:
        """Return the pairs of columns that have bits beyond chance in any of the views looked at."""
        return ColumnRelations.of({pair: relation} for pair, views in self._seen.items() for relation in views.values())

    def utility(self, replaced: Replaced, counted: ColumnRelations) -> float | None:
        """Return the share of the ``counted`` bits that a change keeps; None where there are none."""
        kept: dict[ColumnPair, float] = {}
        for pair, views in self._pairs(replaced):
            if views is not None and pair in counted.bits:
                within = {views: self._relation(views)} | self._made_from(pair, views)
                kept |= counted.kept_by(*({pair: relation} for relation in within.values()))
        return utility_kept(kept, counted.bits)

    def _made_from(self, pair: ColumnPair, views: Views) -> dict[Views, Relation]:
        """Return the relations between views that can be made from these."""
        return {
            other: relation
            for other, relation in self._seen.get(pair, {}).items()
            if all(self._is_made_from(coarse, fine) for coarse, fine in zip(other, views, strict=True))
        }

    def _is_made_from(self, coarse: Attribute, fine: Attribute) -> bool:
        """Whether each value of the finer view has one value of the coarser one."""
        if coarse == fine:
            return True
        if (coarse, fine) not in self._nested:
            joint = pair_spectrum(*self.codes[coarse], *self.codes[fine], self.people)
            self._nested[coarse, fine] = joint.n_sets == self._spectrum(fine).n_sets
        return self._nested[coarse, fine]

    def _pairs(self, replaced: Replaced) -> list[tuple[ColumnPair, Views | None]]:
        """Return each two columns with the views of them; None where one is left out."""
        found: list[tuple[ColumnPair, Views | None]] = []
        for one, two in itertools.combinations(self.columns, 2):
            first, second = replaced.get(one, one), replaced.get(two, two)
            both = (first, second) if first is not None and second is not None else None
            found.append(((one.name, two.name), both))
        return found

    def _relation(self, views: Views) -> Relation:
        if views not in self._relations:
            one, two = views
            joint = pair_spectrum(*self.codes[one], *self.codes[two], self.people)
            self._relations[views] = relation_of(self._spectrum(one), self._spectrum(two), joint)
        return self._relations[views]

    def _spectrum(self, view: Attribute) -> Spectrum:
        if view not in self._alone:
            codes, size = self.codes[view]
            self._alone[view] = spectrum_of(people_by_code(np.asarray(codes), size, self.people))
        return self._alone[view]
