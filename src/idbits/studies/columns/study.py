"""Which columns together single people out? The study behind ``idbits columns``."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Unpack

from idbits.counts import Spectrum
from idbits.engines.base import OpenOptions, Table
from idbits.engines.open import open_table
from idbits.errors import InputError
from idbits.file_guard import guarded_files
from idbits.kernels.subsets import columns_of
from idbits.progress import INTERRUPTED, TimeIsUpError
from idbits.reading import Names, Reading, open_options
from idbits.storage import expand_home
from idbits.studies.columns.candidates import Candidates, choose_candidates
from idbits.studies.columns.conclusions import (
    ShapleyValues,
    contributions,
    estimate_shapley,
    exact_shapley,
    largest_within,
    minimal_masks,
    most_telling,
)
from idbits.studies.columns.people import SubsetPeople
from idbits.studies.columns.question import SubsetQuestion, checked_question
from idbits.studies.columns.records import RecordsRequest, RecordsWriter, check_records_path
from idbits.studies.columns.result import (
    Budget,
    ColumnSubsets,
    LeftOutColumn,
    Minimal,
    NotSearched,
    RecordsFile,
    Subset,
    SubsetFigures,
)
from idbits.studies.columns.search import ColumnSearch, CountedSubsets
from idbits.studies.shared.next_command import command_line
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.units import Unit
from idbits.values.attributes import Attribute

__all__ = ["column_subsets", "columns"]

_EVERY_SUBSET = 10
_LISTED_MINIMAL = 1_000
_MOST_SETS = 500_000
_STOPPED = "the search was stopped"
_INTERRUPTED = "it was stopped with Ctrl-C"
_OVER = "the time limit was reached (--max-seconds)"
_ROUNDING = 2.0**-50


@guarded_files()
def columns(
    source: object,
    candidates: Names | None = None,
    share: float | Sequence[float] = 0.8,
    *,
    max_size: int = 5,
    max_sets: int | None = None,
    max_seconds: float | None = None,
    max_bits: float | None = None,
    min_k: int | None = None,
    records: str | os.PathLike[str] | None = None,
    record_size: int = 4,
    person: str | None = None,
    knows: str = "one-record",
    null_person: str = "error",
    rows_are_people: bool = False,
    reveal: bool = False,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> ColumnSubsets:
    """Find out which columns together single people out, and what each column adds.

    Args:
        source: a path, a glob of paths, or a pandas, polars or pyarrow frame.
        candidates: the columns to examine; if not given, those that someone may know, judged by their names and values.
        share: the share of the people that a combination must single out, or a list of shares. Everyone (1) is always
            included.
        max_size: with more than 10 columns, the largest number of columns in a combination.
        max_sets: with more than 10 columns, the most combinations to search; single columns, all but one and all
            together are always counted.
        max_seconds: stop after this many seconds and return what is proven by then.
        max_bits: report which columns can be released together with at most this many bits.
        min_k: report which columns can be released together when each group has at least this many people.
        records: write each record's minimal sample uniques to this file, .csv or .parquet.
        record_size: the largest number of columns in a minimal sample unique.
        person: the column that identifies people, who may have several rows.
        knows: what an attacker knows of a person with several rows: ``"one-record"`` (the most telling one),
            ``"any-record"`` (one that is drawn: figures are expectations) or ``"all-records"``.
        null_person: what rows without a person are: an ``"error"``, left out (``"drop"``), or each a person of its
            own (``"own"``).
        rows_are_people: whether each row is known to be a person; otherwise figures without ``person`` are about rows.
        reveal: also write the values of records to that file.
        seed: seed of the column orders from which Shapley values of more than 10 columns are estimated.
        reading: how the table is read, see ``idbits.reading.Reading``.

    Examples:
        >>> import pyarrow
        >>> people = pyarrow.table({"zip": ["1", "1", "2", "2"], "sex": ["F", "M", "F", "M"], "x": ["a"] * 4})
        >>> answer = columns(people)
        >>> [list(subset.columns) for subset in answer.minimal[0].sets], answer.left_out[0].column
        ([['zip', 'sex']], 'x')
    """
    question = checked_question(
        share, max_size=max_size, max_sets=max_sets, max_seconds=max_seconds, max_bits=max_bits, min_k=min_k, seed=seed
    )
    if record_size < 1:
        raise InputError("--record-size must be at least 1")
    request = RecordsRequest(Path(expand_home(records)), record_size, reveal) if records is not None else None
    if request is not None:
        check_records_path(request.path)
    options = replace(open_options(reading), in_order=request is not None, repeatable=True)
    persons = PersonOptions(column=person, knows=knows, null_person=null_person, rows_are_people=rows_are_people)
    persons.check(count=options.count, has_population=False, by=None)
    with closing(open_table(source, options)) as table:
        chosen = choose_candidates(table, candidates, options, persons)
        study = ColumnStudy(table, chosen, question, options, persons, request)
        study.count()
        written = study.write_records()
        table.check_unchanged()
        notes = (*study.notes, *chosen.notes)
        if request is not None and written is None:
            notes += (f"we wrote no records: {study.stopped}",)
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    answer = study.answer(path, notes)
    return replace(answer, records=written, internal=reveal and written is not None)


def column_subsets(
    table: Table,
    attributes: Sequence[Attribute],
    options: OpenOptions,
    *,
    share: float,
    work_rows: int,
    fewest_sets: int,
    seed: int,
    source: str | None,
    left_out: tuple[LeftOutColumn, ...] = (),
    person: PersonOptions | None = None,
    sets: Spectrum | None = None,
) -> ColumnSubsets:
    """Find out which loaded columns of an open table together single out a share of the people.

    Args:
        work_rows: with more than 10 columns, search as many combinations as can be counted by reading this many rows.
        fewest_sets: the least number of combinations to search in any case.
        person: who is a person; the column that identifies people must be loaded, too.
        sets: the people by their sets of records in these columns, if another study has counted them.
    """
    names = tuple(attribute.name for attribute in attributes)
    chosen = Candidates(tuple(attributes), names, left_out, withheld=True)
    question = SubsetQuestion(shares=(share,), work_rows=work_rows, fewest_sets=fewest_sets, seed=seed)
    study = ColumnStudy(table, chosen, question, options, person or PersonOptions(), sets=sets)
    study.count()
    if study.interrupted:
        raise KeyboardInterrupt
    return study.answer(source, ())


class ColumnStudy:
    """Counts the sets of columns of one table and draws the answer from them.

    Attributes:
        stopped: why counting ended early, or None.
        interrupted: whether Ctrl-C ended it.
        notes: decisions made while reading the table.
    """

    def __init__(
        self,
        table: Table,
        chosen: Candidates,
        question: SubsetQuestion,
        options: OpenOptions,
        person: PersonOptions,
        request: RecordsRequest | None = None,
        sets: Spectrum | None = None,
    ) -> None:
        self._table, self._chosen, self._question, self._options = table, chosen, question, options
        self._person = person
        self._people = SubsetPeople(table, chosen.attributes, options, person, sets)
        counts = self._people.counts
        # A file that cannot be written is refused before anything is counted.
        if request is not None:
            self._people.require_one_row()
        self._records = RecordsWriter(table, chosen, counts, request) if request is not None else None
        self._counted = CountedSubsets(counts, options.progress, max_seconds=question.max_seconds)
        self._n = self._counted.n_columns
        self._every_subset = self._n <= _EVERY_SUBSET
        self._max_size = self._n if self._every_subset else min(question.max_size, self._n)
        # In exact fractions: 0.07 * 100 is more than 7 in floats.
        shares = [Fraction(str(share)) * self._counted.n_people for share in (*question.shares, 1.0)]
        is_expectation = self._people.is_expectation
        self._people_needed = [float(share) if is_expectation else math.ceil(share) for share in shares]
        # Expectations are sums of rounded floats.
        self._needs = [need * (1 - _ROUNDING) if is_expectation else need for need in self._people_needed]
        self._together_all_records: SubsetFigures | None = None
        self._search: ColumnSearch | None = None
        self._shapley: ShapleyValues | None = None
        self.stopped: str | None = None
        self.interrupted = False
        self.notes: tuple[str, ...] = ()

    def count(self) -> None:
        """Count, until it is done or stopped."""
        self._until_stopped(self._count)
        self.notes = (*self._table.notes, *self._people.notes(len(self._counted.figures)))

    def write_records(self) -> RecordsFile | None:
        """Write the file about records if requested, unless counting was or is stopped."""
        written: list[RecordsFile] = []
        if self._records is not None and self.stopped is None:
            writer = self._records
            self._until_stopped(lambda: written.append(writer.write(self._counted)))
        if not self._chosen.withheld:
            # Notes about the coarser views we tried contain column names, which may have to be withheld.
            self.notes = (*self._table.notes, *self._people.notes(len(self._counted.figures)))
        return written[0] if written else None

    def _until_stopped(self, work: Callable[[], None]) -> None:
        try:
            work()
        except KeyboardInterrupt:
            # The answer is what is proven so far; preparing it takes more steps, which must not stop.
            INTERRUPTED.clear()
            self.stopped, self.interrupted = _INTERRUPTED, True
        except TimeIsUpError:
            self.stopped = _OVER

    def _count(self) -> None:
        counted = self._counted
        if self._every_subset:
            counted.count_all()
            self._shapley = exact_shapley(counted)
        else:
            self._search_subsets()
        if not counted.figures[counted.everything].singletons:
            # Nobody is unique by one record; all records of a person may tell more.
            self._together_all_records = self._people.with_all_records()

    def _search_subsets(self) -> None:
        counted, question = self._counted, self._question
        counted.count_ends()
        self._shapley = estimate_shapley(counted, question.seed)
        by_work = max(question.fewest_sets, min(_MOST_SETS, question.work_rows // counted.counts.n_rows))
        fits = question.limits.fit if question.limits is not None else None
        bounds = self._people.bounds(counted)
        self._search = ColumnSearch(counted, self._needs, self._max_size, question.max_sets or by_work, fits, bounds)
        self._search.go()

    @property
    def _complete(self) -> bool:
        """Whether everything requested was examined."""
        return self.stopped is None and (self._search is None or self._search.complete)

    def answer(self, source: str | None, notes: tuple[str, ...]) -> ColumnSubsets:
        """Assemble the answer."""
        figures, chosen = self._counted.figures, self._chosen
        minimal = self._minimal()
        return ColumnSubsets(
            source=source,
            n_rows=self._people.n_rows,
            n_people=self._counted.n_people,
            unit=self._unit(),
            people=self._people.result(),
            candidates=chosen.names,
            left_out=chosen.left_out,
            beside=chosen.beside,
            chosen=chosen.choice,
            shares=self._question.shares,
            max_size=self._max_size,
            together=figures.get(self._counted.everything),
            together_all_records=self._together_all_records,
            subsets=self._subsets(minimal),
            n_counted=len(figures),
            minimal=minimal,
            contribution=contributions(self._counted, chosen.names, self._shapley),
            orders=self._shapley.orders if self._shapley is not None else 0,
            budget=self._budget(),
            not_searched=self._not_searched(),
            complete=self._complete,
            stopped=self.stopped,
            interrupted=self.interrupted,
            every_subset=self._every_subset,
            notes=notes,
            next_command=self._next_command(source, minimal),
        )

    def _unit(self) -> Unit:
        is_about_people = self._person.column is not None or self._person.rows_are_people
        return Unit.PEOPLE if is_about_people or self._options.count is not None else self._chosen.beside.unit

    def _subset(self, mask: int) -> Subset:
        names = tuple(self._chosen.names[column] for column in columns_of(mask))
        return Subset(names, self._counted.figures[mask])

    def _minimal(self) -> tuple[Minimal, ...]:
        figures, shares = self._counted.figures, self._question.shares
        together = figures.get(self._counted.everything)
        entries = []
        for goal, (share, need, people) in enumerate(
            zip((*shares, 1.0), self._needs, self._people_needed, strict=True)
        ):
            if share == 1.0 and goal < len(shares):
                continue
            masks = minimal_masks(figures, need, self._search.rules_out(goal) if self._search else lambda _: False)
            is_impossible = together is not None and together.singletons < need
            entries.append(Minimal(share, people, tuple(map(self._subset, masks)), self._complete or is_impossible))
        return tuple(entries)

    def _subsets(self, minimal: Sequence[Minimal]) -> tuple[Subset, ...]:
        """Return the listed subsets: all, or single columns, minimal sets, all together and the most identifying."""
        figures = self._counted.figures
        ordered = sorted(figures, key=lambda mask: (-figures[mask].entropy_bits, mask.bit_count(), columns_of(mask)))
        subsets = [self._subset(mask) for mask in ordered]
        if self._every_subset:
            return tuple(subsets)
        needed = {subset.columns for entry in minimal for subset in entry.sets[:_LISTED_MINIMAL]}
        needed |= {(name,) for name in self._chosen.names} | {self._chosen.names}
        return most_telling(subsets, needed, self._max_size)

    def _budget(self) -> Budget | None:
        limits = self._question.limits
        if limits is None:
            return None
        largest = largest_within(self._counted.figures, limits, self._n)
        proven = tuple(is_proven for _, is_proven in largest)
        sets = tuple(self._subset(mask) for mask, _ in largest)
        return Budget(limits.max_bits, limits.min_k, sets, proven, self._complete and all(proven))

    def _not_searched(self) -> tuple[NotSearched, ...]:
        n = self._n
        if self._search is not None:
            return tuple(self._search.not_searched)
        if self.stopped is None:
            return ()
        if not self._every_subset:
            return (NotSearched(2, n, 2**n - 1 - n, _STOPPED),)
        sizes = [0] * (n + 1)
        for mask in self._counted.figures:
            sizes[mask.bit_count()] += 1
        missing = [(size, math.comb(n, size) - sizes[size]) for size in range(1, n + 1)]
        return tuple(NotSearched(size, size, sets, _STOPPED) for size, sets in missing if sets)

    def _next_command(self, source: str | None, minimal: Sequence[Minimal]) -> str | None:
        if source == "-" or self._chosen.withheld:
            return None
        sets = minimal[0].sets
        names = sets[0].columns if sets else self._chosen.names[: self._max_size]
        person = self._person
        if self._unit() is Unit.RECORDS:
            person = replace(person, column=self._chosen.beside.person)
        return command_line(names, source, self._options, *person.command_words(), arguments=person.arguments())
