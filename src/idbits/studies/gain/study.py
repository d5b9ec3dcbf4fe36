"""How much does each cell, person and column give away? The study behind ``idbits gain``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from idbits.counts import Spectrum
from idbits.engines.backends.persons import PersonRequest
from idbits.engines.base import OpenOptions, Table
from idbits.engines.open import open_table
from idbits.errors import InputError
from idbits.file_guard import guarded_files
from idbits.measures.persons import rows_per_person
from idbits.reading import Names, Reading, name_list, open_options
from idbits.studies.gain import advice
from idbits.studies.gain.analysis import Analysis, analysis_gain, analysis_of
from idbits.studies.gain.attack import AttackOutcome, GainTable
from idbits.studies.gain.cells import cell_names, cells_table, check_cells_file, write_cells
from idbits.studies.gain.figures import Exposed
from idbits.studies.gain.growth import growth_of
from idbits.studies.gain.question import (
    Question,
    accuracies_of,
    accuracy_of,
    attacker_of,
    check_known,
    resolved,
    sweep_of,
)
from idbits.studies.gain.result import Gain, GainPeople, Smoothing
from idbits.studies.gain.versions import compare_versions, sweep_views
from idbits.studies.shared.beside import NOTHING_BESIDE, ColumnsBeside
from idbits.studies.shared.default_columns import ChosenColumns, choose_columns
from idbits.studies.shared.persons import (
    PersonOptions,
    TablePeople,
    require_other_columns,
    require_people,
    require_several_people,
)
from idbits.studies.shared.surroundings import Surroundings
from idbits.studies.shared.units import Unit
from idbits.values.attributes import Attribute, parse_attribute, parse_attributes

if TYPE_CHECKING:
    import pyarrow

__all__ = ["gain", "gain_of_table"]

_MOST_EXPOSED = 25


@guarded_files()
def gain(
    source: object,
    *,
    attacker: str = "strongest",
    accuracy: float | str | Mapping[str, float] | None = None,
    prior: Mapping[str, object] | None = None,
    person: str | None = None,
    null_person: str = "error",
    rows_are_people: bool = False,
    compare: object = None,
    sweep: Names | None = None,
    cells: bool | str | os.PathLike[str] | None = None,
    cells_as: str = "cig",
    target: str | None = None,
    analysis: object = None,
    growth: str | None = None,
    threshold: float = 1.0,
    percentile: float = 95.0,
    smoothing: float = 0.0,
    subsets: int = 1000,
    mutual: bool = False,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Gain:
    """Measure what an attacker learns about each cell, person and column of a table.

    Args:
        source: a path, a glob of paths, a folder, or a pandas, polars or pyarrow frame.
        attacker: ``"strongest"`` knows all other features of a person, ``"knows:2"`` any two of them (the mean and
            the maximum over all pairs), ``"named:age,zip"`` the named features.
        accuracy: how far the attacker trusts the table, from 0 to 1; for all features, or ``{"age": 0.5}``.
        prior: population priors, ``{"age": source}``: a table of values, each with a count or a probability.
        person: the column that identifies people, who may have several rows. A person's RIG is then the largest of
            their rows', and the group of a row consists of the people who have it; the sum over all rows of a person
            is reported beside it. Cells and features stay those of rows.
        null_person: what rows without a person are: an ``"error"``, left out (``"drop"``), or each a person of its
            own (``"own"``).
        rows_are_people: whether each row is known to be a person; otherwise figures without ``person`` are about rows.
        compare: a treated version of the table to compare with.
        sweep: coarser views of a feature to try one at a time, ``"age:band2,age:band5,age:band10"``.
        cells: True to keep the gain of every cell in the result, or a path (.parquet, .csv) to write it to.
        cells_as: what cells show: ``"cig"``, ``"weighted"`` CIG or ``"csf"``, the cell surprise factor.
        target: measure utility by the relationships of features with this column, not with each other.
        analysis: the output of an analysis, to measure what it reveals about each cell: columns of the table that are
            not features, such as a model's predictions, or a source with a table of counts.
        growth: report the figures as columns are added, in the order ``"given"`` or ``"greedy"``.
        threshold: the PIF at which a person counts as identifiable.
        percentile: a percentile of RIG to report besides the 95th.
        smoothing: the share of the table's own distribution to mix into priors that lack values.
        subsets: the most subsets to try with ``knows:N``; if there are more, this many are drawn at random.
        mutual: compute the mutual information of all pairs even in a large table.
        seed: seed of the random subsets.
        reading: how the table is read, see ``idbits.reading.Reading``. Here ``columns`` names the features to
            examine, ``["age:band5", "zip"]`` or ``"age:band5,zip"``; if not given, those that someone may know,
            judged by their names and values.

    Examples:
        >>> import pyarrow
        >>> gain(pyarrow.table({"zip": ["1011", "1011", "9985"], "sex": ["F", "M", "F"]}))
        Gain(columns=['zip', 'sex'], n_rows=3, rig_p95=0.6699, mics=1, pif=0.6699)
    """
    with_cells = cells is not None and cells is not False
    # Features may be coarser views of columns, which can only be resolved once the table is open.
    names = reading.get("columns")
    options = replace(open_options(reading), columns=None, in_order=with_cells)
    _check_cells(cells_as, with_cells=with_cells)
    question = Question(
        attacker=attacker_of(attacker),
        accuracy=accuracy_of(accuracy),
        priors=dict(prior or {}),
        smoothing=smoothing,
        threshold=threshold,
        percentile=percentile,
        subsets=subsets,
        seed=seed,
        mutual=mutual,
        csf=cells_as == "csf",
        cells=with_cells,
    )
    question.check()
    if growth not in (None, "given", "greedy"):
        raise InputError("--growth must be given or greedy")
    persons = PersonOptions(column=person, null_person=null_person, rows_are_people=rows_are_people)
    persons.check(count=options.count, has_population=False, by=None)
    file = check_cells_file(cells) if cells is not None and not isinstance(cells, bool) else None
    chosen = None
    if names is None:
        output = name_list(analysis) if isinstance(analysis, str | list | tuple) else []
        used = [*([person] if person is not None else []), *output]
        chosen = choose_columns(source, options, used, "--columns", wanted=question.columns(sweep))
        names = chosen.names
    with closing(open_table(source, options)) as table:
        study = _GainStudy(GainTable(table, options, question), source, persons, chosen)
        study.choose(names, target, sweep, analysis)
        study.load()
        answer = study.answer(compare=compare, growth=growth, file=file, cells_as=cells_as)
        table.check_unchanged()
    return answer


def gain_of_table(
    table: Table,
    features: Sequence[Attribute],
    options: OpenOptions,
    *,
    source: object = None,
    person: PersonOptions | str | None = None,
    attacker: str = "strongest",
    steps: Sequence[tuple[int, Attribute]] = (),
    kept_cells: int = 0,
    sets: Spectrum | None = None,
) -> Gain:
    """Measure an open table in which another study has loaded the columns of these features.

    Args:
        person: who is a person, or the column that identifies people.
        steps: coarser views to try, each with the index of the feature that it replaces.
        kept_cells: the number of cells that are always kept, to find the most exposed rows of a large table.
        sets: the people by their sets of records in these features, if another study has counted them.
    """
    question = Question(attacker=attacker_of(attacker), kept_cells=kept_cells)
    persons = person if isinstance(person, PersonOptions) else PersonOptions(column=person)
    # Features may be coarser views; which columns may be read was decided when the table was opened.
    study = _GainStudy(GainTable(table, replace(options, columns=None), question), source, persons)
    study.features, study.steps, study.sets = tuple(features), list(steps), sets
    check_known(question.attacker, study.features)
    study.find_people()
    return study.answer()


def _check_cells(cells_as: str, *, with_cells: bool) -> None:
    if cells_as not in ("cig", "weighted", "csf"):
        raise InputError("--cells-as must be cig, weighted or csf")
    if cells_as != "cig" and not with_cells:
        raise InputError("--cells-as needs --cells FILE")


class _GainStudy:
    """Measures the cells of a table."""

    def __init__(
        self, gains: GainTable, source: object, person: PersonOptions, chosen: ChosenColumns | None = None
    ) -> None:
        self.gains = gains
        self.table: Table = gains.table
        self.options: OpenOptions = gains.options
        self.source = os.fspath(source) if isinstance(source, str | os.PathLike) else None
        self.person = person
        self.chosen = chosen
        self.surroundings: Surroundings | None = None
        self.features: tuple[Attribute, ...] = ()
        self.target: Attribute | None = None
        self.steps: list[tuple[int, Attribute]] = []
        self.analysis: Analysis | None = None
        self.sets: Spectrum | None = None

    def choose(self, names: Names, target: str | None, sweep: Names | None, analysis: object) -> None:
        """Resolve names, and check options about columns before the table is read."""
        known = self.table.columns
        self.person.columns(known)
        self._choose_features(names, analysis)
        require_other_columns(self.person.column, [feature.column for feature in self.features], "--columns")
        if target is not None:
            self.target = parse_attribute(target, known)
        question = self.gains.question
        check_known(question.attacker, self.features)
        accuracies_of(question.accuracy, self.features)
        resolved(question.priors, self.features, "--prior")
        self.steps = sweep_of(sweep, known, self.features) if sweep is not None else []

    def _choose_features(self, names: Names, analysis: object) -> None:
        """Resolve the columns to examine, without those that contain the output of an analysis."""
        known = self.table.columns
        output: set[str] = set()
        if analysis is not None:
            self.analysis = analysis_of(analysis, known, self.gains.question.attacker, self.options)
            output = {column.column for column in self.analysis.columns} if self.analysis.cells is None else set()
        self.features = parse_attributes(name_list(names), known)
        if not self.features:
            raise InputError("the table has no columns to examine")
        if output & {feature.column for feature in self.features}:
            raise InputError("--analysis names a column that is also examined; remove it from --columns")

    def load(self) -> None:
        """Read the columns needed and a sample of the others, and check that there is somebody to measure."""
        declared = self.person.columns(self.table.columns)
        self.surroundings = Surroundings(self.table, self.options, self._used(), declared)
        self.table.load(dict.fromkeys([*self._used(), *self.surroundings.columns]), self.surroundings.sampled)
        require_people(self.table, self.options)
        self.find_people()

    def find_people(self) -> None:
        """Find out whether people have several rows."""
        if self.person.column is not None:
            self.gains.people = TablePeople.of(self.table, self.person)

    def _used(self) -> list[str]:
        """Return the columns of the table that are needed, in a fixed order."""
        output = self.analysis.columns if self.analysis is not None else ()
        target = (self.target,) if self.target is not None else ()
        columns = [attribute.column for attribute in (*self.features, *target, *output)]
        return [*columns, *self.person.columns(self.table.columns)]

    def answer(
        self, *, compare: object = None, growth: str | None = None, file: Path | None = None, cells_as: str = "cig"
    ) -> Gain:
        """Attack, then compute everything else that was requested."""
        gains, features, question = self.gains, self.features, self.gains.question
        attacked = gains.attack(features)
        if self.person.column is not None:
            require_several_people(self.person.column, attacked.rows.n_persons, attacked.rows.n_people)
        figures, entropies = attacked.figures, attacked.entropies
        cells = self._cells(attacked, file, cells_as) if question.cells else None
        exposed = attacked.gains.most_exposed(_MOST_EXPOSED)
        return Gain(
            source=self.source,
            columns=entropies.names,
            attacker=str(question.attacker),
            known=question.attacker.names,
            figures=figures,
            dependence=entropies.dependence(gains.all_relations(attacked.rows, len(features))),
            subsets=attacked.subsets,
            smoothing=_smoothing(attacked, question),
            exposed=tuple(Exposed(*row) for row in exposed) if exposed is not None else None,
            growth=(
                growth_of(
                    entropies.names,
                    entropies.alone,
                    attacked.believed,
                    growth,
                    question.threshold,
                    self.options.progress,
                )
                if growth is not None
                else None
            ),
            comparison=(
                compare_versions(gains, features, self.target, attacked, compare) if compare is not None else None
            ),
            sweep=sweep_views(gains, features, self.target, attacked, self.steps) if self.steps else None,
            analysis=analysis_gain(gains, features, self.analysis) if self.analysis is not None else None,
            target=self.target.name if self.target is not None else None,
            seed=question.seed,
            unit=self._unit(),
            people=self._people(attacked),
            beside=self._beside,
            chosen=self.chosen,
            count=self.options.count,
            n_other_columns=len(set(self.table.columns) - {*self._used(), self.options.count}),
            cells=cells,
            cells_file=os.fspath(file) if file is not None else None,
            notes=(*self.table.notes, *advice.notes(self.table, features, figures)),
            next_command=advice.next_command(
                self.table, features, figures, self.source, self.options, self._next_person(), question
            ),
        )

    def _unit(self) -> Unit:
        is_about_people = self.person.column is not None or self.person.rows_are_people
        return Unit.PEOPLE if is_about_people or self.options.count is not None else self._beside.unit

    @property
    def _beside(self) -> ColumnsBeside:
        return self.surroundings.beside if self.surroundings is not None else NOTHING_BESIDE

    def _next_person(self) -> PersonOptions:
        """Return who is a person in the next command: the one column in which people seem to repeat, if any."""
        return replace(self.person, column=self._beside.person) if self._unit() is Unit.RECORDS else self.person

    def _people(self, attacked: AttackOutcome) -> GainPeople | None:
        people = self.gains.people
        if people is None:
            return None
        by_all_records = None
        if not people.everyone_has_one_row and not attacked.figures.people_at_threshold:
            # Nobody stands out by one record; all records of a person may tell more.
            sets = self.sets or self._sets_of_records(people)
            by_all_records = int(sets.people[sets.sizes == 1].sum())
        return GainPeople(
            person=people.persons.column,
            rows_per_person=rows_per_person(attacked.rows.people_by_rows),
            rows_without_person=people.rows.rows_without_person,
            null_person=self.person.null_person,
            unique_by_all_records=by_all_records,
        )

    def _sets_of_records(self, people: TablePeople) -> Spectrum:
        request = PersonRequest(sets=True)
        counts = self.table.person_counts(people.persons, self.features, request, self.options)
        assert counts.sets is not None
        return counts.sets

    def _cells(self, attacked: AttackOutcome, file: Path | None, cells_as: str) -> pyarrow.Table | None:
        features = attacked.figures.features
        weights = [feature.weight if cells_as == "weighted" else 1.0 for feature in features]
        blocks = attacked.gains.cells(cell_names(attacked.entropies.names), weights, csf=cells_as == "csf")
        if file is None:
            return cells_table(blocks)
        write_cells(file, blocks, attacked.rows.n_people, self.options.progress)
        return None


def _smoothing(attacked: AttackOutcome, question: Question) -> Smoothing | None:
    return {"share": question.smoothing, "missing": list(attacked.smoothed)} if question.smoothing else None
