"""What is written for groups of mixed coarseness: ranges, lists of values, values of coarser views, or ``*``.

Different cells of a column get different texts. A value of a coarser view whose text a finer value has already gets
its view behind it, such as ``Utrecht (level 2)``.

Implements: SPEC page advise.md, section 4 (v), and section 10.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idbits.counts import Integers, Value
from idbits.engines.backends.treating import MixedCells
from idbits.errors import InputError
from idbits.measures.treatment.regional import LISTED, RANGE, VIEW, RegionalTreatment
from idbits.studies.shared.plans import ALL, AS_IS
from idbits.studies.shared.treatments.ladders import Ladder
from idbits.studies.shared.treatments.problem import TreatmentProblem
from idbits.values.attributes import Attribute, parse_attribute
from idbits.values.released_labels import LabelWords

__all__ = ["fingerprint_of", "mixed_cells"]

_MISSING = "missing"


def mixed_cells(problem: TreatmentProblem, treatment: RegionalTreatment, words: LabelWords) -> MixedCells:
    """Return what is written for each different row of a table."""
    table, lattice = problem.table, problem.lattice
    kept = treatment.numbers >= 0
    of_groups = treatment.numbers[kept]
    cells, texts = {}, {}
    for index, ladder in enumerate(problem.ladders):
        kinds, of_group = np.unique(treatment.written[index], axis=0, return_inverse=True)
        is_untouched = not ladder.attribute.transforms and not ladder.first and _are_single(kinds)
        made = _CellTexts(ladder, words, lambda view: table.released_texts(view, words), table.view_codes)
        texts[ladder.column] = None if is_untouched else made.texts(kinds)
        cells[ladder.column] = of_group.reshape(-1)[of_groups]
    return MixedCells(
        attributes=tuple(ladder.attribute for ladder in problem.ladders),
        numbers={ladder.column: ladder.allowed.ranks for ladder in problem.ladders},
        rows={ladder.column: codes[kept] for ladder, codes in zip(problem.ladders, lattice.codes, strict=True)},
        cells=cells,
        texts=texts,
    )


def _are_single(kinds: Integers) -> bool:
    return bool(((kinds[:, 0] == LISTED) & (kinds[:, 1] == kinds[:, 3])).all())


@dataclass(frozen=True, eq=False)
class _CellTexts:
    """The texts of the cells of a column.

    Attributes:
        released: returns the text of each code of a view.
        view_codes: returns the codes that the codes of an attribute become in views.
    """

    ladder: Ladder
    words: LabelWords
    released: Callable[[Attribute], Sequence[Value]]
    view_codes: Callable[[Attribute, Sequence[Attribute]], Sequence[Integers]]

    @cached_property
    def _codes(self) -> Integers:
        """A code of the source for each number."""
        ranks = self.ladder.allowed.ranks
        codes = np.zeros(int(ranks.max(initial=0)) + 1, np.int64)
        codes[ranks[::-1]] = np.arange(len(ranks))[::-1]
        return codes

    @cached_property
    def _values(self) -> list[Value]:
        """The text of each number."""
        return self._at_level(0)

    @cached_property
    def _missing(self) -> str:
        word = _MISSING
        known = set(self._values)
        while word in known:
            word = f"({word})"
        return word

    def _at_level(self, level: int) -> list[Value]:
        """Return what each number is written as at a level."""
        ladder, codes = self.ladder, self._codes
        view = ladder.views[ladder.first + level]
        if view == ALL:
            return [self.words.blank] * len(codes)
        if ladder.hierarchy is not None:
            raw = self.released(ladder.attribute)
            return [ladder.hierarchy.value(raw[code], ladder.first + level) for code in codes.tolist()]
        if view == AS_IS:
            texts = self.released(ladder.attribute)
            return [texts[code] for code in codes.tolist()]
        attribute = parse_attribute(f"{ladder.column}:{view}", {ladder.column: ladder.attribute.kind})
        (of_codes,) = self.view_codes(ladder.attribute, [attribute])
        texts = self.released(attribute)
        return [texts[code] for code in of_codes[codes].tolist()]

    def texts(self, kinds: Integers) -> list[Value]:
        """Return the text of each kind of cell, different ones for different cells."""
        levels = {0: self._values}
        for level in np.unique(kinds[kinds[:, 0] == VIEW, 1]).tolist():
            levels[level] = self._at_level(level)
            is_given_up = self.ladder.views[self.ladder.first + level] == ALL
            if is_given_up and self.words.blank in set(self._values):
                raise InputError(
                    f'"{self.words.blank}" is already a value of column "{self.ladder.column}"; choose another text '
                    "with --blank"
                )
        made: list[Value] = []
        taken: dict[Value, tuple[int, ...]] = {}
        # Finer cells first: they keep their texts.
        for kind in kinds.tolist():
            extent = self._extent(kind)
            text = self._text(kind, levels)
            if taken.get(text, extent) != extent and kind[0] == VIEW:
                text = f"{text} ({self.ladder.views[self.ladder.first + kind[1]]})"
            if taken.setdefault(text, extent) != extent:
                raise InputError(
                    f'two different values of "{self.ladder.column}" would be written alike; rename one of them first'
                )
            made.append(text)
        return made

    def _extent(self, kind: Sequence[int]) -> tuple[int, ...]:
        """Return the same numbers for cells that stand for the same raw values."""
        allowed = self.ladder.allowed
        if kind[0] != VIEW:
            return (*kind[1:], 1) if kind[0] == LISTED else (kind[1], kind[2], -1)
        _, level, value, _ = kind
        begin, end = np.searchsorted(allowed.maps[level], [value, value + 1]).tolist()
        if end - begin == 1 and allowed.raw_values[level][value] == 1:
            return (begin, begin, begin, 1)
        return (begin, end, int(allowed.raw_values[level][value]))

    def _text(self, kind: Sequence[int], levels: dict[int, list[Value]]) -> Value:
        if kind[0] == VIEW:
            _, level, value, _ = kind
            return levels[level][int(np.searchsorted(self.ladder.allowed.maps[level], value))]
        first, last = kind[1], kind[2] if kind[0] == RANGE else kind[3]
        if first == last:
            return self._values[first]
        if kind[0] == RANGE:
            return f"{self._named(first)}..{self._named(last)}"
        return f"{{{'|'.join(self._named(number) for number in dict.fromkeys(kind[1:]))}}}"

    def _named(self, number: int) -> str:
        text = self._values[number]
        return self._missing if text is None else text


def fingerprint_of(problem: TreatmentProblem, treatment: RegionalTreatment) -> str:
    """Return the hash of a table's columns and of the groups it was split into, whatever the order of its rows."""
    digest = hashlib.sha256()
    lattice = problem.lattice
    for ladder in problem.ladders:
        texts = problem.table.labels(ladder.attribute)
        ordered = [texts[code] for code in np.argsort(ladder.allowed.ranks, kind="stable").tolist()]
        digest.update(repr((ladder.attribute.name, ordered)).encode("utf-8", "surrogatepass"))
    columns = np.stack([*lattice.codes, treatment.numbers], axis=1)
    rows, where = np.unique(columns, axis=0, return_inverse=True)
    people = np.zeros(len(rows), np.int64)
    np.add.at(people, where.reshape(-1), lattice.people)
    for array in (rows, people, *treatment.written):
        digest.update(np.ascontiguousarray(array, "<i8").tobytes())
    return digest.hexdigest()
