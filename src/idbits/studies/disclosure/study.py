"""What does sharing a group give away? The study behind ``idbits disclosure``."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack, cast, overload

import numpy as np

from idbits.engines.backends.group_values import GroupValueCounts, GroupValueRequest
from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.open import is_database, open_table
from idbits.errors import InputError, NotEstimableError
from idbits.file_guard import guarded_files
from idbits.measures.disclosure.information import learnt_bits
from idbits.reading import Names, Reading, listed, name_list, no_names, open_options
from idbits.studies.disclosure.figures import column_disclosure
from idbits.studies.disclosure.options import DisclosureOptions
from idbits.studies.disclosure.prepared import PreparedColumn, prepare_column
from idbits.studies.disclosure.presence import presence_in
from idbits.studies.disclosure.question import ColumnQuestion, DisclosureQuestion, disclosure_question
from idbits.studies.disclosure.records import RecordFigures, record_figures, write_records
from idbits.studies.disclosure.result import ColumnDisclosure, Disclosure, DisclosureCategory, Disclosures
from idbits.studies.disclosure.rules import check_rules, rule_figures
from idbits.studies.shared.default_columns import choose_columns
from idbits.studies.shared.folding import LEAST_SHOWN, largest_folded
from idbits.studies.shared.next_command import command_line, quoted_names
from idbits.studies.shared.persons import PersonOptions, require_one_row_per_person, require_other_columns
from idbits.studies.shared.row_files import check_row_file
from idbits.studies.shared.rules import rule_column
from idbits.studies.shared.units import Unit
from idbits.values.attributes import Attribute, parse_attribute, parse_attributes, split_names

__all__ = ["DisclosureQuestion", "disclosure", "disclosure_of_table", "disclosure_question", "rule_figures"]

_COMPARED_HERE = "the groups were compared with the population on this machine, so their values left the database"


@guarded_files()
@overload
def disclosure(
    source: Source, qid: Names | None = None, sensitive: Names | None = None, **options: Unpack[DisclosureOptions]
) -> Disclosure: ...


@overload
def disclosure(
    source: Source,
    qid: Sequence[list[str] | tuple[str, ...]],
    sensitive: Names | None = None,
    **options: Unpack[DisclosureOptions],
) -> Disclosures: ...


@overload
def disclosure(
    source: Source,
    qid: Names | Sequence[Names] | None = None,
    sensitive: Names | None = None,
    **options: Unpack[DisclosureOptions],
) -> Disclosure | Disclosures: ...


def disclosure(
    source: Source,
    qid: Names | Sequence[Names] | None = None,
    sensitive: Names | None = None,
    *,
    by: str | None = None,
    certainty: float = 0.9,
    c: float = 4.0,
    l: str | Iterable[int] = (2, 3, 5),  # noqa: E741 (the literature calls it so)
    excluded: str | Iterable[int] = (0, 1, 2),
    known_people: str | Iterable[int] = (0, 1, 2),
    near: Mapping[str, object] | None = None,
    secret: Mapping[str, Names] | None = None,
    ranks: Mapping[str, Names] | None = None,
    hierarchy: Mapping[str, object] | None = None,
    prior: Mapping[str, object] | None = None,
    smoothing: float = 0.0,
    population: Source = None,
    population_count: str | None = None,
    population_table: str | None = None,
    person: str | None = None,
    rows_are_people: bool = False,
    rules: Names | None = None,
    records: str | os.PathLike[str] | None = None,
    reveal: bool = False,
    **reading: Unpack[Reading],
) -> Disclosure | Disclosures:
    """Measure what sharing a group gives away about sensitive columns.

    Args:
        source: a path, a glob of paths, or a pandas, polars or pyarrow frame, with one row per person.
        qid: the columns that someone may know, ``["birthdate:year", "zip"]`` or ``"birthdate:year,zip"``; a list of
            lists for several quasi-identifiers. If not given, they are judged by their names and values.
        sensitive: the columns that must not be learnt, ``"diagnosis"`` or ``["diagnosis", "income:band5000"]``; each
            is measured by itself.
        by: also measure within each category of this column.
        certainty: the share of a group above which its people count as nearly certain.
        c: the limit of recursive (c,l)-diversity.
        l: the numbers of values to report people and limits for.
        excluded: numbers of other values that an attacker may rule out.
        known_people: numbers of other people of the group whom an attacker may know.
        near: which numbers or dates count as near, ``{"income": 1000}`` or ``{"income": "5%"}``; days for dates.
        secret: the values that are secret, ``{"diagnosis": ["HIV"]}``; all others are merged into one.
        ranks: the order of values, ``{"grade": ["low", "middle", "high"]}``.
        hierarchy: files with the coarser values of each value, ``{"diagnosis": "icd.csv"}``.
        prior: how frequent values are elsewhere, ``{"diagnosis": source}``: a table of values with counts or
            probabilities.
        smoothing: the share of the table's own values in priors that lack some.
        population: the population that the table is part of, to measure who is in it.
        population_count: the column with the number of people per row of the population.
        population_table: the population's table in a database; without ``population``, in the same database.
        person: the column that identifies people; more than one row per person is an error.
        rows_are_people: whether each row is known to be a person.
        rules: rules that the figures must meet, ``"l_distinct.diagnosis >= 2"``.
        records: a file (.csv, .parquet) to write the figures of every record to.
        reveal: also show the values of groups; for internal use only.
        reading: how the table is read, see ``idbits.reading.Reading``.

    Returns:
        A Disclosure, or Disclosures when several quasi-identifiers are given.

    Examples:
        >>> import pyarrow
        >>> frame = pyarrow.table({"zip": ["1", "1", "2", "2"], "ill": ["flu", "flu", "flu", "cold"]})
        >>> disclosure(frame, "zip", "ill")
        Disclosure(qid=['zip'], n_rows=4, certain_people={'ill': 2})
    """
    question = disclosure_question(
        certainty=certainty, c=c, l=l, excluded=excluded, known_people=known_people, near=near, secret=secret,
        ranks=ranks, hierarchy=hierarchy, prior=prior, smoothing=smoothing, rules=rules,
    )  # fmt: skip
    options = open_options(reading)
    if sensitive is None or no_names(sensitive):
        raise InputError("name the column that must not be learnt, for example --sensitive diagnosis")
    population = source if population is None and population_table is not None else population
    if by is not None and population is not None:
        raise InputError("--by and --population cannot be combined; measure each category with --where")
    persons = PersonOptions(column=person, rows_are_people=rows_are_people)
    persons.check(count=options.count, has_population=population is not None, by=by)
    file = check_row_file(records, "--records") if records is not None else None
    names = name_list(sensitive)
    if qid is None or no_names(qid):
        used = [name.partition(":")[0] for name in names]
        qid = choose_columns(source, options, [*used, *names, *(name for name in (by, person) if name)]).names
    qids, several = _quasi_identifiers(qid)
    if several and file is not None:
        raise InputError("--records needs a single --qid")
    options = replace(options, in_order=file is not None)
    with closing(open_table(source, options)) as table, ExitStack() as opened_tables:
        study = _DisclosureStudy(table, options, question, persons, source, opened_tables)
        study.load(qids, names, by)
        whole = None
        if population is not None:
            whole = (population, options.for_population(population_count, population_table))
        answers = tuple(study.answer(each, whole, file, reveal=reveal) for each in study.qids)
        table.check_unchanged()
    return Disclosures(disclosures=answers) if several else answers[0]


def disclosure_of_table(
    table: Table,
    qid: Sequence[Attribute],
    sensitive: Sequence[Attribute],
    question: DisclosureQuestion,
    options: OpenOptions,
    persons: PersonOptions,
    source: Source = None,
) -> Disclosure:
    """Measure an open table in which another study has loaded all columns that are needed."""
    study = _DisclosureStudy(table, options, question, persons, source)
    study.choose([[attribute.name for attribute in qid]], [attribute.name for attribute in sensitive], None)
    study.check_people()
    return study.answer(study.qids[0], None, None, reveal=False, advise=False)


def _quasi_identifiers(qid: Names | Sequence[Names]) -> tuple[list[list[str]], bool]:
    if isinstance(qid, str):
        return [split_names(qid)], False
    items = listed(qid)
    if all(isinstance(item, str) for item in items):
        return [[str(item) for item in items]], False
    return [name_list(cast("Names", item)) for item in items], True


@dataclass(frozen=True, slots=True, eq=False)
class _CountedColumn:
    """A sensitive column that was counted: its cells within all groups, and within categories."""

    prepared: PreparedColumn
    figures: ColumnDisclosure
    records: RecordFigures | None
    by_category: GroupValueCounts | None


class _DisclosureStudy:
    """A table whose groups may give something away."""

    def __init__(
        self,
        table: Table,
        options: OpenOptions,
        question: DisclosureQuestion,
        persons: PersonOptions,
        source: Source,
        opened_tables: ExitStack | None = None,
    ) -> None:
        self.table = table
        self.opened_tables = opened_tables or ExitStack()
        self.options = options
        self.question = question
        self.persons = persons
        self.source = os.fspath(source) if isinstance(source, str | os.PathLike) else None
        self.in_database = is_database(source)
        self.qids: list[tuple[Attribute, ...]] = []
        self.sensitive: tuple[Attribute, ...] = ()
        self.asked: list[ColumnQuestion] = []
        self.by: Attribute | None = None

    def choose(self, qids: Sequence[Sequence[str]], sensitive: Sequence[str], by: str | None) -> None:
        """Resolve the names of columns; a column cannot be both known and sensitive."""
        known = self.table.columns
        self.qids = [parse_attributes(names, known) for names in qids]
        self.sensitive = parse_attributes(sensitive, known)
        self.by = parse_attribute(by, known) if by is not None else None
        for qid in self.qids:
            require_other_columns(self.persons.column, [attribute.column for attribute in qid], "--qid")
        categories = {self.by.column} if self.by is not None else set()
        for column in self.sensitive:
            if any(column.column == each.column for qid in self.qids for each in qid) or column.column in categories:
                raise InputError(f'"{column.column}" cannot be both known and secret')
            if column.column == self.persons.column:
                raise InputError(f'"{column.column}" identifies people (--person), so it cannot be sensitive')
        self.asked = self.question.about(self.sensitive)

    def load(self, qids: Sequence[Sequence[str]], sensitive: Sequence[str], by: str | None) -> None:
        """Read the columns needed, and check that there is somebody to measure."""
        self.choose(qids, sensitive, by)
        self.table.load([*self._used(), *self.persons.columns(self.table.columns)])
        if self.table.n_people() == 0:
            left = "no row is left after the filter" if self.options.where else "the table has no people in it"
            raise NotEstimableError(f"there is nobody to measure: {left}")
        self.check_people()

    def check_people(self) -> None:
        """Refuse a table in which a person has several rows."""
        if self.persons.column is not None:
            require_one_row_per_person(self.table, self.persons.column)

    def _used(self) -> list[str]:
        known = [attribute.column for qid in self.qids for attribute in qid]
        by = [self.by.column] if self.by is not None else []
        return [*known, *by, *(attribute.column for attribute in self.sensitive)]

    def answer(
        self,
        qid: tuple[Attribute, ...],
        population: tuple[Source, OpenOptions] | None,
        file: Path | None,
        *,
        reveal: bool,
        advise: bool = True,
    ) -> Disclosure:
        """Measure one quasi-identifier; without ``advise``, no next command is sought."""
        columns = [
            self._column(qid, attribute, asked, with_rows=file is not None, reveal=reveal)
            for attribute, asked in zip(self.sensitive, self.asked, strict=True)
        ]
        notes = [note for column in columns for note in column.prepared.notes]
        presence = None
        if population is not None:
            presence = presence_in(self.table, qid, *population, self.question.certainty, self.opened_tables)
            # A release in a database notes itself whether its values left it.
            notes += [_COMPARED_HERE] * (is_database(population[0]) and not self.in_database)
        if file is not None:
            written = [column.records for column in columns if column.records is not None]
            write_records(file, written, self.options.progress)
        cells = columns[0].prepared.column.cells
        figures = tuple(column.figures for column in columns)
        return Disclosure(
            source=self.source,
            qid=tuple(attribute.name for attribute in qid),
            unit=self._unit(),
            n_people=cells.n_people,
            n_sets=cells.n_groups,
            k_min=int(cells.sizes.min()),
            certainty=self.question.certainty,
            c=self.question.c,
            sensitive=figures,
            presence=presence,
            by=self.by.name if self.by is not None else None,
            groups=self._categories(columns, reveal=reveal),
            rules=check_rules(self.question.rules, figures, cells.n_people),
            nulls={attribute.name: self.table.null_people(attribute) for attribute in qid},
            n_other_columns=len(set(self.table.columns) - {*self._used(), self.options.count, self.persons.column}),
            filtered=self.options.where is not None,
            with_near=any(asked.window is not None for asked in self.asked),
            records_file=os.fspath(file) if file is not None else None,
            internal=reveal,
            notes=(*self.table.notes, *notes),
            next_command=self._next(qid, figures) if advise else None,
        )

    def _column(
        self, qid: tuple[Attribute, ...], attribute: Attribute, asked: ColumnQuestion, *, with_rows: bool, reveal: bool
    ) -> _CountedColumn:
        request = GroupValueRequest(known=qid, sensitive=attribute, with_rows=with_rows, with_labels=reveal)
        counts = self.table.group_value_counts(request, self.options)
        prepared = prepare_column(counts, attribute, asked, self.question.smoothing, self.options)
        # Rows need the bits of each group; otherwise those of equal groups are computed once.
        learnt = learnt_bits(prepared.column) if with_rows else None
        figures = column_disclosure(prepared, self.question, learnt, counts.group_labels)
        by_category = None
        if self.by is not None:
            within = replace(
                request, by=self.by, with_rows=False, with_labels=False, at_least=1 if reveal else LEAST_SHOWN
            )
            by_category = self.table.group_value_counts(within, self.options)
        records = record_figures(prepared, counts, learnt) if learnt is not None else None
        return _CountedColumn(prepared, figures, records, by_category)

    def _categories(self, columns: Sequence[_CountedColumn], *, reveal: bool) -> tuple[DisclosureCategory, ...]:
        """Return the figures within each category; those too small to be named share one row."""
        first = columns[0].by_category
        if first is None or first.categories is None:
            return ()
        of_groups, labels = first.categories
        people = np.zeros(len(labels), np.int64)
        np.add.at(people, of_groups, first.cells.sizes)
        present = np.flatnonzero(people)
        most = 0 if reveal else largest_folded(Counter(people[present].tolist()).items())
        named = sorted((number for number in present.tolist() if people[number] > most),
                       key=lambda number: (-int(people[number]), labels[number] or ""))  # fmt: skip
        folded = [number for number in present.tolist() if people[number] <= most]
        shown = [([number], labels[number], 0) for number in named]
        shown += [(folded, None, len(folded))] if folded else []
        return tuple(self._category(columns, numbers, label, n_folded) for numbers, label, n_folded in shown)

    def _category(
        self, columns: Sequence[_CountedColumn], numbers: Sequence[int], label: str | None, n_folded: int
    ) -> DisclosureCategory:
        figures, sizes = [], np.zeros(0, np.int64)
        for column in columns:
            counts = column.by_category
            assert counts is not None
            assert counts.categories is not None
            of_groups, _ = counts.categories
            part = column.prepared.part(counts, np.isin(of_groups, numbers))
            sizes = part.column.cells.sizes
            figures.append(column_disclosure(part, self.question))
        return DisclosureCategory(
            label, n_folded, int(sizes.sum()), len(sizes), int(sizes.min(initial=0)), tuple(figures)
        )

    def _unit(self) -> Unit:
        is_about_people = self.persons.column is not None or self.persons.rows_are_people
        return Unit.PEOPLE if is_about_people or self.options.count is not None else Unit.ROWS

    def _next(self, qid: tuple[Attribute, ...], figures: Sequence[ColumnDisclosure]) -> str | None:
        """Return the search for a treatment after which every group has two values, if something is given away."""
        told = [each.column for each in figures if each.nearly_given_away.people]
        if self.source is None or self.source == "-" or len(self.qids) > 1 or not told:
            return None
        words = [f"--sensitive {shlex.quote(quoted_names([name]))}" for name in told]
        words += [f"--goal {shlex.quote(f'l_distinct.{rule_column(name)} >= 2')}" for name in told]
        command = command_line(
            [attribute.name for attribute in qid], self.source, self.options, *words, *self.persons.command_words()
        )
        return command.replace("idbits measure", "idbits advise", 1)
