"""How identifying are these columns? The study behind ``idbits measure``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Unpack, overload

from idbits.engines.base import Source
from idbits.engines.open import open_table
from idbits.reading import Names, Reading, open_options
from idbits.studies.measure.options import MeasureOptions
from idbits.studies.measure.question import (
    check_combinations,
    check_numbers,
    check_one_list,
    quasi_identifiers,
)
from idbits.studies.measure.result import Measurement, Measurements
from idbits.studies.measure.table_study import MeasureStudy
from idbits.studies.shared.default_columns import choose_columns
from idbits.studies.shared.persons import PersonOptions

__all__ = ["MeasureStudy", "check_combinations", "check_one_list", "measure", "quasi_identifiers"]


@overload
def measure(
    source: Source,
    qid: Names | None = None,
    by: str | None = None,
    population: Source = None,
    person: str | None = None,
    **options: Unpack[MeasureOptions],
) -> Measurement: ...


@overload
def measure(
    source: Source,
    qid: Sequence[list[str] | tuple[str, ...]],
    by: str | None = None,
    population: Source = None,
    person: str | None = None,
    **options: Unpack[MeasureOptions],
) -> Measurements: ...


@overload
def measure(
    source: Source,
    qid: Names | Sequence[Names] | None = None,
    by: str | None = None,
    population: Source = None,
    person: str | None = None,
    **options: Unpack[MeasureOptions],
) -> Measurement | Measurements: ...


def measure(
    source: Source,
    qid: Names | Sequence[Names] | None = None,
    by: str | None = None,
    population: Source = None,
    person: str | None = None,
    *,
    population_count: str | None = None,
    population_table: str | None = None,
    population_person: str | None = None,
    missing: str = "error",
    knows: str = "one-record",
    null_person: str = "error",
    multiset: bool = False,
    household: str | None = None,
    rows_are_people: bool = False,
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
            (``"birthdate:year"``). A list of lists measures several quasi-identifiers. If not given, the columns that
            someone may know are judged by their names and values; scripts should name them.
        by: also measure within each category of this column.
        population: look up the release in this table and take group sizes from it.
        person: the column that identifies people, who may have several rows.
        population_count: the column with the number of people per row of the population.
        population_table: the population's table in a database; without ``population``, in the same database.
        population_person: the column that identifies people in the population, if they have several rows there.
        missing: ``"error"``, or ``"unbounded"`` to report records that the population lacks separately.
        knows: what an attacker knows of a person with several rows: ``"one-record"`` (the most telling one),
            ``"any-record"`` (one that is drawn: figures are expectations) or ``"all-records"``.
        null_person: what rows without a person are: an ``"error"``, left out (``"drop"``), or each a person of its
            own (``"own"``).
        multiset: with ``"all-records"``, also count how often a person has the same record.
        household: the column of the people who live together and are found together.
        rows_are_people: whether each row is known to be a person; otherwise figures without ``person`` are about rows.
        values: list the values that at least 10 people have; for one quasi-identifier, without ``by``.
        suppress: report what withholding everyone in groups below this size costs, and what is left.
        possible_values: the number of values that the columns could take, for kappa.
        reveal: also show values that few people have.
        reading: how the table is read, see ``idbits.reading.Reading``.

    Returns:
        A Measurement, or Measurements when several quasi-identifiers are given.

    Examples:
        >>> import pyarrow
        >>> frame = pyarrow.table({"zip": ["1011", "1011", "9985"], "sex": ["F", "M", "F"]})
        >>> measure(frame, ["zip"])
        Measurement(qid=['zip'], n_rows=3, entropy_bits=0.9183, k_min=1, singletons=1)
    """
    check_numbers(suppress=suppress, possible_values=possible_values)
    options = open_options(reading)
    chosen = (
        choose_columns(source, options, [name for name in (by, person, household) if name]) if qid is None else None
    )
    qids, several = quasi_identifiers(chosen.names if chosen is not None else qid)
    population = source if population is None and population_table is not None else population
    check_combinations(by, population, missing=missing, values=values)
    persons = PersonOptions(
        column=person,
        knows=knows,
        null_person=null_person,
        multiset=multiset,
        household=household,
        rows_are_people=rows_are_people,
    )
    persons.check(
        count=options.count, has_population=population is not None, by=by, population_person=population_person
    )
    if values and not reveal:
        check_one_list(len(qids), by)
    with closing(open_table(source, options)) as table, closing(MeasureStudy(table, options, source)) as study:
        study.chosen = chosen
        study.prepare(qids, by, persons, population, population_count, population_table, population_person)
        results = tuple(
            study.measurement(
                attributes, missing=missing, values=values, suppress=suppress, n_values=possible_values, reveal=reveal
            )
            for attributes in study.qids
        )
        table.check_unchanged()
    return Measurements(measurements=results) if several else results[0]
