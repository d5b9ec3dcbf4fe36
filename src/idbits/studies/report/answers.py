"""The studies of a report besides the measurement, and why some of them do not apply."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.counts import Spectrum
from idbits.engines.base import OpenOptions, Source, Table
from idbits.errors import EngineError
from idbits.render.numbers import nearest
from idbits.studies.columns.result import ColumnSubsets, LeftOutColumn
from idbits.studies.columns.study import column_subsets
from idbits.studies.gain.result import Gain
from idbits.studies.gain.study import gain_of_table
from idbits.studies.measure.result import Measurement
from idbits.studies.report.result import Treatments
from idbits.studies.report.treatments import ReportGoal, treatments_of
from idbits.studies.shared.coarser import spread_views
from idbits.studies.shared.persons import ALL_RECORDS, PersonOptions
from idbits.studies.shared.roles.judging import must_withhold_names
from idbits.studies.shared.treatments.identifiers import identifiers_among
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.studies.disclosure.result import Disclosure
    from idbits.studies.population.result import PopulationAnswer
    from idbits.studies.population.study import PopulationQuestion

__all__ = ["ReportStudies"]

# Cells kept in memory while searching for the most exposed rows, 8 bytes each.
_KEPT_CELLS = 60_000_000
_SWEEP_STEPS = 3
# Above this number of cells, no column is coarsened step by step.
_SWEPT_CELLS = 400_000_000
# Most columns to combine (those with most bits), and most rows times combinations to count.
_COMBINED_COLUMNS = 16
_COMBINED_ROWS = 1_500_000_000
# Most columns to combine if each combination of people's records is a query: 15 of them.
_QUERIED_COLUMNS = 4
_SHARES = (0.8, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
# Most columns for information gain, and most cells to visit: each row once per column, with all the others.
_MOST_FEATURES = 100
_GAIN_CELLS = 20_000_000_000

_AGAINST_POPULATION = "groups are those of the population, and this study looks at the table only"

_SEVERAL_ROWS = "people in this table have several rows, and this study needs one row per person"
_ROWS_LEFT_OUT = "rows without a person are left out, and this study reads all rows"
_EQUAL_RECORDS = "equal records of a person count, and combinations are counted without them"

_TOO_LARGE = "the table has too many rows and columns for a report; the command idbits gain can do it"


class ReportStudies:
    """The studies of one opened table, with the reason for each that was not made."""

    def __init__(
        self,
        table: Table,
        options: OpenOptions,
        qid: tuple[Attribute, ...],
        more: tuple[Attribute, ...],
        measurement: Measurement,
    ) -> None:
        self.options, self.measurement = options, measurement
        self.qid, self.more = qid, more
        self.features = tuple(dict.fromkeys([*qid, *more]))
        # Rows of a counted table are for many people each; only distinct rows cost time.
        distinct = measurement.figures.n_sets if options.count is not None else None
        self.n_rows = measurement.figures.n_rows if distinct is None else distinct
        self.by_row_reason = _why_not_by_row(measurement)
        self.table = table
        against = _AGAINST_POPULATION if measurement.population is not None else None
        self.gain_reason = self.sweep_reason = self.columns_reason = against
        self.population_reason: str | None = None
        self.disclosure_reason = self.by_row_reason

    def identifiers(self) -> tuple[str, ...] | None:
        """Return the columns that name a person; None if none was found but not every column could be judged."""
        table, options = self.table, self.options
        found = (*self.measurement.beside.identifiers, *identifiers_among(table, self.qid, options))
        judged = table.trials_are_cheap and not must_withhold_names(table, options)
        return found if found or judged else None

    def population(
        self, question: PopulationQuestion, persons: PersonOptions, source: Source
    ) -> PopulationAnswer | None:
        """Return who is unique in the population that the table is a sample of, if that can be asked."""
        from idbits.studies.population.study import population_of_table

        if self.measurement.population is not None:
            self.population_reason = "group sizes are counted in a population, so there is nothing to estimate"
        elif self.measurement.people is not None and self.measurement.people.has_several_rows:
            self.population_reason = _SEVERAL_ROWS
        if self.population_reason is not None:
            return None
        sizes = _round_sizes(self.measurement.figures.n_people, question)
        try:
            return population_of_table(
                self.table, self.qid, replace(question, sizes=sizes), self.options, persons, source
            )
        except EngineError as error:
            self.population_reason = str(error)
            return None

    def disclosure(
        self, sensitive: Sequence[Attribute], persons: PersonOptions, source: Source, *, named: bool
    ) -> Disclosure | None:
        """Return what groups give away about sensitive columns, if that can be asked.

        Columns that nobody named are left out if nearly everyone has their own value.
        """
        from idbits.studies.disclosure.study import disclosure_of_table, disclosure_question

        if self.disclosure_reason is not None:
            return None
        try:
            answer = disclosure_of_table(
                self.table, self.qid, sensitive, disclosure_question(), self.options, persons, source
            )
        except EngineError as error:
            self.disclosure_reason = str(error)
            return None
        kept = tuple(column for column in answer.sensitive if named or 2 * column.n_values <= answer.n_people)
        if not kept:
            self.disclosure_reason = "nearly everyone has their own value of the sensitive columns"
            return None
        return replace(answer, sensitive=kept, unit=self.measurement.unit)

    def treatments(
        self,
        request: ReportGoal,
        persons: PersonOptions,
        source: Source,
        sensitive: Collection[str],
        disclosed: Disclosure | None,
        seed: int,
    ) -> Treatments:
        """Return what reaches the goal."""
        if self.by_row_reason is not None:
            return Treatments(reason=self.by_row_reason)
        return treatments_of(
            self.table, self.qid, request, self.measurement, self.options, persons, source, sensitive,
            disclosed, seed,
        )  # fmt: skip

    def columns(self, source: str | None, person: PersonOptions, seed: int) -> ColumnSubsets | None:
        """Return which columns of the quasi-identifier together make people unique, and what each adds.

        The combinations depend on the table only, not on the time taken, so that the same table gives the same page.
        """
        if self.columns_reason is None and len(self.qid) < 2:
            self.columns_reason = "there is only one column"
        if self.columns_reason is None and person.multiset and self._have_several_rows:
            self.columns_reason = _EQUAL_RECORDS
        if self.columns_reason is not None:
            return None
        combined, left_out = self._combined_columns()
        # If every row is a person, they are counted as rows.
        by_person = replace(person, multiset=False) if self._counts_people else None
        try:
            answer = column_subsets(
                self.table, combined, self.options, share=self._share(), work_rows=_COMBINED_ROWS // 10,
                fewest_sets=200, seed=seed, source=source, left_out=left_out, person=by_person,
                sets=self._sets_of_records(combined),
            )  # fmt: skip
            return replace(answer, unit=self.measurement.unit, beside=self.measurement.beside)
        except EngineError as error:
            self.columns_reason = str(error)
            return None

    def _combined_columns(self) -> tuple[tuple[Attribute, ...], tuple[LeftOutColumn, ...]]:
        """Return the columns to combine, as many as the table allows, and the others."""
        bits = {name: figures.entropy_bits for name, figures in self.measurement.columns}
        most = min(_COMBINED_COLUMNS, max(2, (_COMBINED_ROWS // self.n_rows).bit_length() - 1))
        most = most if most < 10 else _COMBINED_COLUMNS
        if self._counts_people and not self.table.trials_are_cheap:
            most = min(most, _QUERIED_COLUMNS)
        ranked = sorted(self.qid, key=lambda attribute: -bits[attribute.name])
        combined = tuple(attribute for attribute in self.qid if attribute in set(ranked[:most]))
        why = f"only the {most} columns with the most bits were combined"
        others = [attribute for attribute in self.qid if attribute not in combined]
        return combined, tuple(LeftOutColumn(attribute.name, "fewer bits", why) for attribute in others)

    @property
    def _have_several_rows(self) -> bool:
        people = self.measurement.people
        return people is not None and people.has_several_rows

    @property
    def _counts_people(self) -> bool:
        """Whether people are not simply the rows of the table."""
        people = self.measurement.people
        return people is not None and (people.has_several_rows or people.leaves_out_rows)

    def _sets_of_records(self, columns: Sequence[Attribute]) -> Spectrum | None:
        """Return the people by their sets of records in these columns, if the measurement has counted them."""
        people = self.measurement.people
        if people is None or people.multiset or set(columns) != set(self.qid):
            return None
        figures = next(attacker.figures for attacker in people.attackers if attacker.knows == ALL_RECORDS)
        return figures.spectrum if figures is not None else None

    def _share(self) -> float:
        """Return the share of people that a combination must make unique, chosen so that a few columns can reach it."""
        figures = self.measurement.figures
        reached = figures.share(figures.singletons)
        return next((share for share in _SHARES if share <= (reached if share == _SHARES[0] else 0.75 * reached)), 0.01)

    def gain(self, source: Source, person: PersonOptions, *, sweep: bool) -> Gain | None:
        """Return information gain, with a sweep of the column with the most bits, if they apply."""
        if self.gain_reason is None and len(self.features) < 2:
            self.gain_reason = "it needs at least two columns"
        cells = self.n_rows * len(self.features) ** 2
        if self.gain_reason is None and (len(self.features) > _MOST_FEATURES or cells > _GAIN_CELLS):
            self.gain_reason = _TOO_LARGE
        if self.gain_reason is not None:
            return None
        # Cells use at most a quarter of the allowed memory.
        memory = self.options.memory
        kept = _KEPT_CELLS if memory is None else min(_KEPT_CELLS, memory // 32)
        steps = self._steps() if sweep else []
        try:
            answer = gain_of_table(
                self.table, self.features, self.options, source=source, person=person, steps=steps, kept_cells=kept,
                sets=self._sets_of_records(self.features),
            )  # fmt: skip
            return replace(answer, unit=self.measurement.unit, beside=self.measurement.beside)
        except EngineError as error:
            self.gain_reason = str(error)
            return None

    def _steps(self) -> list[tuple[int, Attribute]]:
        """Return coarser views of the column with the most bits that has any."""
        if not self.table.trials_are_cheap:
            self.sweep_reason = "each step would need another query to the database"
            return []
        # People are compared in addition to the values, as if they were one more column.
        n_columns = len(self.features) + self._counts_people
        if self.n_rows * n_columns**2 > _SWEPT_CELLS:
            self.sweep_reason = _TOO_LARGE
            return []
        bits = dict(self.measurement.columns)
        for attribute in sorted(self.qid, key=lambda attribute: -bits[attribute.name].entropy_bits):
            views = spread_views(self.table, attribute, _SWEEP_STEPS)
            if views:
                return [(self.features.index(attribute), view) for view in views]
        self.sweep_reason = "no column has a coarser view"
        return []


def _round_sizes(n: int, question: PopulationQuestion) -> tuple[int, ...]:
    """Return the numbers of people to draw a curve for: powers of ten around the sample and its population."""
    people = question.people
    if question.fraction is not None:
        people = nearest(n / question.fraction)
    powers = [10**power for power in range(2, 16)]
    most = 10 * (people or 1000 * n)
    return tuple(
        sorted({n, *([people] if people else []), *(power for power in powers if n <= 100 * power <= 100 * most)})
    )


def _why_not_by_row(measurement: Measurement) -> str | None:
    """Return why studies that take each row of the table for a person cannot be made; None if they can."""
    people = measurement.people
    if measurement.population is not None:
        return _AGAINST_POPULATION
    if people is not None and people.has_several_rows:
        return _SEVERAL_ROWS
    return _ROWS_LEFT_OUT if people is not None and people.leaves_out_rows else None
