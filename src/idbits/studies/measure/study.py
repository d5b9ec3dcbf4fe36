"""How identifying are these columns? The study behind ``idbits measure``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import closing
from typing import Unpack

from idbits.counts import Spectrum
from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, DataError, InputError, NotEstimableError
from idbits.reading import Names, Reading, name_list, open_options
from idbits.studies.measure.parts import exposed_of, groups_of, suppression_of, values_of
from idbits.studies.measure.result import Measurement, Measurements, Population
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.next_command import command_line, next_command
from idbits.studies.shared.persons import require_one_row_per_person
from idbits.values.attributes import Attribute, parse_attribute, parse_attributes, split_names
from idbits.wording import counted

__all__ = ["MeasureStudy", "check_combinations", "check_one_list", "measure", "quasi_identifiers"]

_LEFT_OUT = (
    "the figures of each column are omitted: with the list of values they could reveal a group of fewer than 10 "
    "people; measure without --values to see them"
)


def measure(
    source: Source,
    qid: Names | Sequence[Names],
    by: str | None = None,
    population: Source = None,
    person: str | None = None,
    *,
    population_count: str | None = None,
    population_table: str | None = None,
    missing: str = "error",
    values: bool = False,
    suppress: int | None = None,
    possible_values: int | None = None,
    reveal: bool = False,
    **reading: Unpack[Reading],
) -> Measurement | Measurements:
    """Measure how identifying some columns of a table are.

    Args:
        source: a path, a glob of paths, or a pandas, polars or pyarrow frame.
        qid: the columns that someone may know, ``["birthdate", "zip"]`` or ``"birthdate,zip"``; each can be coarsened
            (``"birthdate:year"``). A list of lists measures several quasi-identifiers.
        by: also measure within each category of this column.
        population: look up the release in this table and take group sizes from it.
        person: the column that identifies people; more than one row per person is an error.
        population_count: the column with the number of people per row of the population.
        population_table: the population's table in a database; without ``population``, in the same database.
        missing: ``"error"``, or ``"unbounded"`` to report records that the population lacks separately.
        values: list the values that at least 10 people have; for one quasi-identifier, without ``by``.
        suppress: report what withholding everyone in groups below this size costs, and what is left.
        possible_values: the number of values that the columns could take, for kappa.
        reveal: also show values that few people have.
        reading: how the table is read, see ``idbits.reading.Reading``.

    Returns:
        A Measurement, or Measurements when several quasi-identifiers are given.

    >>> import pyarrow
    >>> frame = pyarrow.table({"zip": ["1011", "1011", "9985"], "sex": ["F", "M", "F"]})
    >>> measure(frame, ["zip"])
    Measurement(qid=['zip'], n_rows=3, entropy_bits=0.9183, k_min=1, singletons=1)
    """
    _check(suppress=suppress, possible_values=possible_values)
    qids, several = quasi_identifiers(qid)
    options = open_options(reading)
    population = source if population is None and population_table is not None else population
    check_combinations(by, population, person, options.count, missing=missing, values=values)
    if values and not reveal:
        check_one_list(len(qids), by)
    with closing(open_table(source, options)) as table, closing(MeasureStudy(table, options, source)) as study:
        study.prepare(qids, by, person, population, population_count, population_table)
        results = tuple(
            study.measurement(
                attributes, missing=missing, values=values, suppress=suppress, n_values=possible_values, reveal=reveal
            )
            for attributes in study.qids
        )
        table.check_unchanged()
    return Measurements(measurements=results) if several else results[0]


def quasi_identifiers(qid: Names | Sequence[Names]) -> tuple[list[list[str]], bool]:
    """Return the names of each quasi-identifier, and whether several were given."""
    if isinstance(qid, str):
        return [split_names(qid)], False
    items = list(qid or [])
    if not items or not all(items):
        raise InputError("name at least one column to measure")
    if all(isinstance(item, str) for item in items):
        return [[str(item) for item in items]], False
    return [name_list(item) for item in items], True


def _check(*, suppress: int | None, possible_values: int | None) -> None:
    if suppress is not None and suppress < 2:
        raise InputError("--suppress must be at least 2: it withholds groups smaller than that")
    if possible_values is not None and possible_values < 1:
        raise InputError("--possible-values must be at least 1")


def check_combinations(
    by: str | None, population: Source, person: str | None, count: str | None, *, missing: str, values: bool = False
) -> None:
    """Refuse options that cannot be combined."""
    if missing not in ("error", "unbounded"):
        raise InputError('--missing must be "error" or "unbounded"')
    if population is not None and by is not None:
        raise InputError("--by and --population cannot be combined; measure each category with --where")
    if population is not None and values:
        raise InputError("--values and --population cannot be combined; measure without --population to list values")
    if person is not None and count is not None:
        raise InputError(
            "--person (one row per person) and --count (many people per row) cannot be combined; give one of them"
        )


def check_one_list(number: int, by: str | None) -> None:
    """Refuse lists that can be subtracted from each other: each one folds its small groups separately.

    50 people in a town and 45 women in that town are 5 men, whom neither list names.
    """
    if number > 1:
        raise InputError(
            "--values needs a single --qid: subtracting one list from another could reveal a small group; "
            "measure them one at a time"
        )
    if by is not None:
        raise InputError(
            "--values and --by cannot be combined: subtracting values from categories could reveal a small group; "
            "use one at a time"
        )


class MeasureStudy:
    """A table being measured, with everything that its quasi-identifiers share."""

    def __init__(self, table: Table, options: OpenOptions, source: Source) -> None:
        self.table = table
        self.options = options
        self.source = os.fspath(source) if isinstance(source, str | os.PathLike) else None
        self.qids: list[tuple[Attribute, ...]] = []
        self.by: Attribute | None = None
        self.person: str | None = None
        self.population: Table | None = None
        self.words: list[str] = []

    def prepare(
        self,
        qids: list[list[str]],
        by: str | None = None,
        person: str | None = None,
        population: Source = None,
        population_count: str | None = None,
        population_table: str | None = None,
        also: Sequence[str] = (),
    ) -> None:
        """Resolve names, read the columns needed, and check that there is somebody to measure.

        A table is read once: ``also`` names columns that other studies will need.
        """
        known = self.table.columns
        self.qids = [parse_attributes(names, known) for names in qids]
        self.by = parse_attribute(by, known) if by is not None else None
        if person is not None and person not in known:
            raise ColumnNotFoundError(person, known)
        self.person = person
        used = [attribute.column for qid in self.qids for attribute in qid]
        used += [self.by.column] if self.by is not None else []
        used += [self.person] if self.person is not None else []
        self.table.load([*used, *also])
        if self.table.n_people() == 0:
            left = (
                "no row is left after the filter" if self.options.where is not None else "the table has no people in it"
            )
            raise NotEstimableError(f"there is nobody to measure: {left}")
        if self.person is not None:
            require_one_row_per_person(self.table, self.person)
        if population is not None:
            self._open_population(population, population_count, population_table)
        options_given = {
            "--by": by,
            "--person": person,
            "--population": population,
            "--population-count": population_count,
            "--population-table": population_table,
        }
        self.words = [
            f"{word} {shlex.quote(str(value))}" for word, value in options_given.items() if isinstance(value, str)
        ]

    def _open_population(self, population: Source, population_count: str | None, population_table: str | None) -> None:
        if any(transform.name == "top" for qid in self.qids for a in qid for transform in a.transforms):
            raise InputError('":top" selects different values in the release and in the population; remove it')
        options = self.options.for_population(population_count, population_table)
        opened = open_table(population, options, beside=self.table)
        try:
            theirs = [parse_attribute(a.name, opened.columns) for qid in self.qids for a in qid]
        except InputError as error:
            error.args = (f"population: {error}",)
            raise
        opened.load(attribute.column for attribute in theirs)
        if opened.n_people() == 0:
            raise NotEstimableError("the population has no people in it")
        self.population = opened

    def measurement(
        self,
        qid: tuple[Attribute, ...],
        *,
        missing: str,
        values: bool,
        suppress: int | None,
        n_values: int | None,
        reveal: bool,
        advise: bool = True,
    ) -> Measurement:
        """Measure one quasi-identifier; without ``advise``, no next command is sought."""
        table, population = self.table, None
        if self.population is None:
            spectrum, count_one = table.spectrum(qid), self._own_spectrum
        else:
            spectrum, population = self._match(qid, missing)
            count_one = self._matched_spectrum
        figures = Figures.of(spectrum, _possible(n_values, spectrum))
        columns = tuple((a.name, figures if len(qid) == 1 else Figures.of(count_one((a,)))) for a in qid)
        notes = tuple(table.notes)
        listed = values_of(table, qid, spectrum, reveal=reveal) if values else None
        # Sums over a column, even without names, reveal how the people of the folded row are distributed.
        is_open = len(qid) == 1 or listed is None or not listed.folded_values
        return Measurement(
            qid=tuple(attribute.name for attribute in qid),
            source=self.source,
            figures=figures,
            columns=columns if is_open else (),
            nulls={attribute.name: table.null_people(attribute) for attribute in qid},
            n_other_columns=len(set(table.columns) - self._used()),
            filtered=self.options.where is not None,
            narrowed=self.options.columns is not None,
            person=self.person,
            count=self.options.count,
            groups=groups_of(table, self.by, qid, reveal=reveal) if self.by is not None else None,
            values=listed,
            exposed=exposed_of(table, qid, spectrum) if reveal and population is None else None,
            suppression=suppression_of(figures, suppress) if suppress is not None else None,
            population=population,
            notes=notes if is_open else (*notes, _LEFT_OUT),
            internal=reveal,
            next_command=self._next(qid, columns, figures) if advise else None,
        )

    def close(self) -> None:
        """Close the population; the table belongs to its opener."""
        if self.population is not None:
            self.population.close()

    def _used(self) -> set[str | None]:
        measured = {attribute.column for qid in self.qids for attribute in qid}
        return {*measured, self.options.count, self.person, self.by.column if self.by is not None else None}

    def _next(
        self, qid: tuple[Attribute, ...], columns: tuple[tuple[str, Figures], ...], figures: Figures
    ) -> str | None:
        # With several quasi-identifiers, trying a coarser column would leave notes about a table nobody requested.
        if len(self.qids) > 1:
            return command_line([a.name for a in qid], self.source, self.options, *self.words) if self.source else None
        return next_command(self.table, qid, columns, self.source, self.options, figures, self.words)

    def _own_spectrum(self, qid: tuple[Attribute, ...]) -> Spectrum:
        return self.table.spectrum(qid)

    def _matched_spectrum(self, qid: tuple[Attribute, ...]) -> Spectrum:
        return self._match(qid, "unbounded")[0]

    def _match(self, qid: tuple[Attribute, ...], missing: str) -> tuple[Spectrum, Population]:
        assert self.population is not None
        theirs = [parse_attribute(attribute.name, self.population.columns) for attribute in qid]
        match = self.table.match(qid, self.population, theirs)
        if match.missing_values and missing == "error":
            raise DataError(
                f"the population lacks {counted(match.missing_values, 'value')} of the release "
                f"({counted(match.missing_people, 'record')}); --missing unbounded reports them separately"
            )
        if not match.spectrum.n_people:
            raise NotEstimableError("the population has none of the release's values")
        population = Population(
            self.population.n_people(), match.missing_values, match.missing_people, match.overfull_values
        )
        return match.spectrum, population


def _possible(n_values: int | None, spectrum: Spectrum) -> int | None:
    if n_values is not None and n_values < spectrum.n_sets:
        raise InputError(f"--possible-values {n_values} is too small: {spectrum.n_sets:,} values occur in the table")
    return n_values
