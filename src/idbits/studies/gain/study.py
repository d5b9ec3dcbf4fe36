"""Which cell, which person, which column gives away how much? The study behind ``idbits gain``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from idbits.engines.base import OpenOptions, Table
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, InputError, NotEstimableError
from idbits.file_guard import guarded_files
from idbits.reading import Names, Reading, name_list, open_options
from idbits.studies.gain import advice as gain_advice
from idbits.studies.gain import analysis as gain_analysis
from idbits.studies.gain import cells as gain_cells
from idbits.studies.gain import question as gain_question
from idbits.studies.gain import versions as gain_versions
from idbits.studies.gain.cluster_gain import gain_table
from idbits.studies.gain.growth import growth_of
from idbits.studies.gain.question import Question
from idbits.studies.gain.result import Gain
from idbits.studies.gain.table import Attacked, GainTable, RowsRead
from idbits.studies.shared.persons import one_row_a_person
from idbits.values.attributes import Attribute, parse_attribute, parse_attributes

__all__ = ["GainStudy", "gain"]

_MOST_EXPOSED = 25


@guarded_files()
def gain(
    source: Any,
    *,
    attacker: str = "strongest",
    accuracy: float | str | Mapping[str, float] | None = None,
    prior: Mapping[str, Any] | None = None,
    person: str | None = None,
    compare: Any = None,
    sweep: Names | None = None,
    cells: Any = None,
    cells_as: str = "cig",
    target: str | None = None,
    analysis: Any = None,
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
        attacker: ``"strongest"`` knows all other features of a person, ``"knows:2"`` any two of them (the mean over
            all pairs, the maximum beside it), ``"named:age,zip"`` these.
        accuracy: how far the attacker trusts the table, from 0 to 1; for all features, or ``{"age": 0.5}``.
        prior: population priors, ``{"age": source}``: a table of values with a count or a probability each.
        person: the column that names the person; more than one row a person is an error.
        compare: a treated version of the table, to be put side by side.
        sweep: coarser views of a feature to try in turn, ``"age:band2,age:band5,age:band10"``.
        cells: True to keep the gain of every cell in the result, or a path (.parquet, .csv) to write it to.
        cells_as: what cells show: ``"cig"``, ``"weighted"`` CIG or ``"csf"``, the cell surprise factor.
        target: measure utility by what features say about this column, not about each other.
        analysis: the output of an analysis, to measure what it tells about each cell: columns of the table that are not
            features, such as a model's predictions, or a source with a table of counts.
        growth: how the figures grow as columns join, in the order ``"given"`` or ``"greedy"``.
        threshold: the PIF at which a person counts as identifiable.
        percentile: a percentile of RIG to report beside the 95th.
        smoothing: the share of the table's own distribution to mix into priors that miss values.
        subsets: the most subsets to try with ``knows:N``; where there are more, so many are drawn at random.
        mutual: compute the mutual information of all pairs in a large table, too.
        seed: seed of the draw of subsets.
        reading: how the table is read, see ``idbits.reading.Reading``. Here ``columns`` names the
            features looked at, ``["age:band5", "zip"]`` or ``"age:band5,zip"``; all columns when not given.

    >>> import pyarrow
    >>> gain(pyarrow.table({"zip": ["1011", "1011", "9985"], "sex": ["F", "M", "F"]}))
    Gain(columns=['zip', 'sex'], n_rows=3, rig_p95=0.6699, mics=1, pif=0.6699)
    """
    # Features may be coarser views of columns, which only the opened table can tell.
    named = reading.get("columns")
    options = replace(open_options(reading), columns=None, in_order=cells is not None and cells is not False)
    question = _question(
        attacker, accuracy, prior, cells, cells_as,
        smoothing=smoothing, threshold=threshold, percentile=percentile, subsets=subsets, mutual=mutual, seed=seed,
    )  # fmt: skip
    if growth not in (None, "given", "greedy"):
        raise InputError("columns join in the order given or greedy (--growth)")
    if person is not None and options.count is not None:
        raise InputError("--person says one row is one person, --count says it is many: give one of them")
    file = gain_cells.check_cells_file(cells) if cells is not None and not isinstance(cells, bool) else None
    with closing(open_table(source, options)) as table:
        study = GainStudy(gain_table(table, options, question), source, person=person, target=target)
        study.prepare(named, sweep, analysis)
        answer = study.answer(compare=compare, growth=growth, file=file, cells_as=cells_as)
        table.check_unchanged()
    return answer


def _question(
    attacker: str,
    accuracy: float | str | Mapping[str, float] | None,
    prior: Mapping[str, Any] | None,
    cells: Any,
    cells_as: str,
    **numbers: Any,
) -> Question:
    if cells_as not in ("cig", "weighted", "csf"):
        raise InputError("cells show cig, weighted or csf (--cells-as)")
    wanted = cells is not None and cells is not False
    if cells_as != "cig" and not wanted:
        raise InputError("--cells-as says what --cells writes; give --cells FILE, too")
    question = Question(
        attacker=gain_question.attacker_of(attacker),
        accuracy=gain_question.accuracy_of(accuracy),
        priors=dict(prior or {}),
        csf=cells_as == "csf",
        cells=wanted,
        **numbers,
    )
    question.check()
    return question


class GainStudy:
    """A table whose cells are being measured."""

    def __init__(self, gains: GainTable, source: Any, *, person: str | None, target: str | None) -> None:
        self.gains = gains
        self.table: Table = gains.table
        self.options: OpenOptions = gains.options
        self.source = os.fspath(source) if isinstance(source, str | os.PathLike) else None
        self.person = person
        self.target_name = target
        self.features: tuple[Attribute, ...] = ()
        self.target: Attribute | None = None
        self.steps: list[tuple[int, Attribute]] = []
        self.analysis: gain_analysis.Analysis | None = None

    def prepare(self, names: Names | None, sweep: Names | None, analysis: Any = None, *, loaded: bool = False) -> None:
        """Resolve names, read what is needed, and check that there is somebody to measure.

        A table is read once: one that another study has ``loaded`` holds the columns already.
        """
        known = self.table.columns
        if self.person is not None and self.person not in known:
            raise ColumnNotFoundError(self.person, known)
        self._choose_features(names, analysis)
        if self.target_name is not None:
            self.target = parse_attribute(self.target_name, known)
        # What is asked of columns is checked before the table is read.
        question = self.gains.question
        gain_question.check_known(question.attacker, self.features)
        gain_question.accuracies_of(question.accuracy, self.features)
        gain_question.resolved(question.priors, self.features, "--prior")
        self.steps = gain_question.sweep_of(sweep, known, self.features) if sweep is not None else []
        if loaded:
            return
        used = [feature.column for feature in self.features]
        used += [self.target.column] if self.target is not None else []
        used += [column.column for column in self.analysis.columns] if self.analysis is not None else []
        used += [self.person] if self.person is not None else []
        self.table.load(used)
        if self.table.n_people() == 0:
            left = "no row is left after the filter" if self.options.where else "the table has no people in it"
            raise NotEstimableError(f"there is nobody to measure: {left}")
        if self.person is not None:
            one_row_a_person(self.table, self.person)

    def _choose_features(self, names: Names | None, analysis: Any) -> None:
        """Resolve the columns looked at; those that hold the output of an analysis are not among them."""
        known = self.table.columns
        output: set[str] = set()
        if analysis is not None:
            self.analysis = gain_analysis.analysis_of(analysis, known, self.gains.question.attacker, self.options)
            output = {column.column for column in self.analysis.columns} if self.analysis.cells is None else set()
        if names is not None:
            self.features = parse_attributes(name_list(names), known)
        elif self.table.names_may_be_data:
            raise InputError(
                "the first row may be a person instead of names, so they are not shown: say --no-header, or which "
                "columns to look at with --columns"
            )
        else:
            left_out = {self.person, self.options.count, *output}
            self.features = tuple(Attribute(name, kind) for name, kind in known.items() if name not in left_out)
        if not self.features:
            raise InputError("there is no column to look at")
        if output & {feature.column for feature in self.features}:
            raise InputError("--analysis names a column that is looked at itself; leave it out of --columns")

    def answer(self, *, compare: Any, growth: str | None, file: Path | None, cells_as: str) -> Gain:
        """Attack, then everything else that was asked for."""
        gains, features = self.gains, self.features
        read = gains.read(features, with_places=gains.question.cells)
        rows = read.rows
        attacked = gains.attack(features, rows)
        figures, described = attacked.figures, attacked.described
        names = [feature.name for feature in features]
        threshold = gains.question.threshold
        kept = self._cells(read, attacked, file, cells_as) if gains.question.cells else None
        exposed = gains.exposed(attacked, _MOST_EXPOSED)
        return Gain(
            source=self.source,
            columns=tuple(names),
            attacker=str(gains.question.attacker),
            known=gains.question.attacker.names,
            figures=figures,
            dependence=described.dependence(gains.all_relations(described)),
            subsets=attacked.subsets,
            smoothing=_smoothing(attacked, gains.question),
            exposed=exposed,
            growth=(
                growth_of(
                    names,
                    described.entropies,
                    lambda places: gains.joined(rows, attacked.belief, places),
                    growth,
                    threshold,
                    self.options.progress,
                )
                if growth is not None
                else None
            ),
            comparison=(
                gain_versions.compared(gains, features, self.target, rows, attacked, compare)
                if compare is not None
                else None
            ),
            sweep=(
                gain_versions.swept(gains, features, self.target, rows, attacked, self.steps) if self.steps else None
            ),
            analysis=(
                gain_analysis.analysis_gain(gains, features, self.analysis) if self.analysis is not None else None
            ),
            target=self.target.name if self.target is not None else None,
            seed=gains.question.seed,
            person=self.person,
            count=self.options.count,
            n_other_columns=len(set(self.table.columns) - self._used()),
            cells=kept,
            cells_file=os.fspath(file) if file is not None else None,
            notes=(*self.table.notes, *gain_advice.notes(self.table, features, figures)),
            next_command=gain_advice.next_command(
                self.table, features, figures, self.source, self.options, self.person, gains.question
            ),
        )

    def _used(self) -> set[str | None]:
        target = self.target.column if self.target is not None else None
        output = self.analysis.columns if self.analysis is not None else ()
        columns = (attribute.column for attribute in (*self.features, *output))
        return {*columns, self.options.count, self.person, target}

    def _cells(self, read: RowsRead, attacked: Attacked, file: Path | None, cells_as: str) -> Any:
        blocks = self.gains.cells(read, attacked, cells_as)
        if file is None:
            return gain_cells.cells_table(blocks)
        gain_cells.write_cells(file, blocks, read.rows.n_people, self.options.progress)
        return None


def _smoothing(attacked: Attacked, question: Question) -> dict[str, Any] | None:
    if not question.smoothing:
        return None
    lost = [{"column": one.feature, "values": one.values, "people": one.people} for one in attacked.smoothed]
    return {"share": question.smoothing, "missing": lost}
