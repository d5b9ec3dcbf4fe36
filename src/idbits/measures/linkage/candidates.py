"""What happens to records that are looked up in a second table: nobody fits, one person, or several.

Implements: SPEC page link.md, section 1 (classes, bits) and section 2 (the same with tolerance).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from idbits.counts import Integers, PairCounts, Spectrum
from idbits.measures.entropy import entropy_bits
from idbits.measures.quantiles import counted_quantiles

__all__ = ["CandidateCounts", "CandidateNumbers", "RecordClasses"]


@dataclass(frozen=True, slots=True)
class RecordClasses:
    """Records by their candidates, the people who fit; every record is in one class.

    Attributes:
        no_candidate: nobody fits, those with a null included.
        nulls: records with a null in the columns that are compared, which fit nobody.
        one_to_one: one person fits, and only this record fits that person.
        crowded: one person fits, and so do other records.
        ambiguous: several people fit.
    """

    no_candidate: int
    nulls: int
    one_to_one: int
    crowded: int
    ambiguous: int


@dataclass(frozen=True, slots=True)
class CandidateNumbers:
    """The number of candidates over ambiguous records."""

    min: int
    q1: float
    median: float
    mean: float
    q3: float
    max: int


@dataclass(frozen=True, slots=True, eq=False)
class CandidateCounts:
    """Values of the release by their records and candidates. Row i stands for ``values[i]`` different values.

    Attributes:
        records: the records that have one such value.
        candidates: the people who fit each of them.
        rivals: the records that fit the candidate, if there is only one.
        values: the number of values.
        n_people: the people of the second table.
        nulls: records with a null, which fit nobody; not part of ``values``.
        most_right: the largest number of records that can be right at once.
    """

    records: Integers
    candidates: Integers
    rivals: Integers
    values: Integers
    n_people: int
    nulls: int
    most_right: int

    @classmethod
    def of_pairs(cls, pairs: PairCounts, n_records: int, n_people: int) -> CandidateCounts:
        """Return the candidates of records that must be equal; both tables may have more rows, with nulls.

        >>> counts = CandidateCounts.of_pairs(PairCounts.of({(1, 1): 2, (2, 1): 1, (3, 0): 1, (0, 4): 1}), 8, 9)
        >>> counts.classes()
        RecordClasses(no_candidate=4, nulls=1, one_to_one=2, crowded=2, ambiguous=0)
        """
        held = pairs.records > 0
        records, people, values = pairs.records[held], pairs.people[held], pairs.values[held]
        return cls(
            records=records,
            candidates=people,
            rivals=records,
            values=values,
            n_people=n_people,
            nulls=n_records - pairs.n_records,
            most_right=int((np.minimum(records, people) * values).sum()),
        )

    @property
    def n_records(self) -> int:
        """The number of records, those with nulls included."""
        return int(self._people.sum()) + self.nulls

    @property
    def _people(self) -> Integers:
        return self.records * self.values

    def records_by_candidates(self) -> tuple[Integers, Integers]:
        """Return the numbers of candidates that occur, ascending, and the records that have them; without nulls."""
        numbers, where = np.unique(self.candidates, return_inverse=True)
        totals = np.zeros(len(numbers), np.int64)
        np.add.at(totals, where, self._people)
        return numbers, totals

    @property
    def with_candidate(self) -> int:
        """The records with at least one candidate."""
        return int(self._people[self.candidates > 0].sum())

    @property
    def only_one_candidate(self) -> int:
        """The records with exactly one candidate."""
        return int(self._people[self.candidates == 1].sum())

    def classes(self) -> RecordClasses:
        """Return the records of each class."""
        people, single, alone = self._people, self.candidates == 1, self.rivals == 1
        return RecordClasses(
            no_candidate=int(people[self.candidates == 0].sum()) + self.nulls,
            nulls=self.nulls,
            one_to_one=int(people[single & alone].sum()),
            crowded=int(people[single & ~alone].sum()),
            ambiguous=int(people[self.candidates > 1].sum()),
        )

    def ambiguous_candidates(self) -> CandidateNumbers | None:
        """Return the number of candidates over ambiguous records; None if there are none."""
        numbers, records = self.records_by_candidates()
        numbers, records = numbers[numbers > 1], records[numbers > 1]
        if not len(numbers):
            return None
        q1, median, q3 = counted_quantiles(numbers, records, (0.25, 0.5, 0.75))
        total = sum(n * each for n, each in zip(numbers.tolist(), records.tolist(), strict=True))
        return CandidateNumbers(int(numbers[0]), q1, median, total / int(records.sum()), q3, int(numbers[-1]))

    def even_guesses(self) -> float:
        """Return the guesses that are right if every record's person is among its candidates: the sum of 1/b.

        One even guess per record (journalist risk).
        """
        numbers, records = self.records_by_candidates()
        return math.fsum(n / b for b, n in zip(numbers.tolist(), records.tolist(), strict=True) if b)

    def identity_bits(self) -> float | None:
        """Return the mean of log2(N_B / b) over records with a candidate; None if there are none.

        Bounds: 0 to log2 N_B. For a table linked with itself it is the entropy of ``measure``.
        """
        held = self.candidates > 0
        if not held.any():
            return None
        numbers, where = np.unique(self.candidates[held], return_inverse=True)
        values, people = np.zeros((2, len(numbers)), np.int64)
        np.add.at(values, where, self.values[held])
        np.add.at(people, where, self._people[held])
        rows = zip(numbers.tolist(), values.tolist(), people.tolist(), strict=True)
        return entropy_bits(Spectrum.against(rows, self.n_people, int(values.sum())))
