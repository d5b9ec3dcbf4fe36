"""What the output of an analysis reveals about each cell: a model's predictions, or a table of counts.

Implements: S3 II (the PIF of outputs). The attacker sees the output instead of the table. Cells and priors are those
of the table that was analysed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers, Value
from idbits.engines.base import OpenOptions, Table
from idbits.engines.local_gains import KnownColumns, LocalBelievedRows, cohort_cells
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, DataError, InputError
from idbits.kernels.cohorts import Ranks, ranks_of
from idbits.kernels.distinct import DistinctRows, distinct_rows
from idbits.kernels.exact_sums import weighted_total
from idbits.kernels.ordering import CodedColumn, bits_of
from idbits.kernels.ranked import RankedRows
from idbits.measures.gain import Bits
from idbits.measures.logarithms import as_bits
from idbits.measures.pif import people_quantiles, personal_information_factor
from idbits.progress import SILENT
from idbits.reading import Names, name_list
from idbits.storage import expand_home
from idbits.studies.gain.attack import GainTable
from idbits.studies.gain.question import Attacker
from idbits.studies.gain.result import AnalysisFeature, AnalysisGain
from idbits.values.attributes import Attribute, Kind, parse_attribute, parse_attributes
from idbits.wording import counted

__all__ = ["Analysis", "analysis_gain", "analysis_of"]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The output of an analysis.

    Attributes:
        columns: the columns of the table that contain it, or those that a table of counts is about.
        cells: the labels of each cell of a table of counts with its count; None for columns of the table.
    """

    columns: tuple[Attribute, ...]
    cells: tuple[tuple[tuple[Value, ...], int], ...] | None


def analysis_of(given: object, columns: Mapping[str, Kind], attacker: Attacker, options: OpenOptions) -> Analysis:
    """Resolve the output: columns of the table by their names, or else a source with a table of counts."""
    if attacker.kind == "knows":
        raise InputError("--analysis needs an attacker who knows named columns, for example --attacker named:age,zip")
    if isinstance(given, str | list | tuple):
        names: Names = given
        try:
            return Analysis(parse_attributes(name_list(names), columns), None)
        except ColumnNotFoundError:
            if not isinstance(given, str) or not ("://" in given or Path(expand_home(given)).exists()):
                raise InputError("--analysis must name columns of the table or a file with counts") from None
    counts_options = replace(options.for_population(None, None), engine=None, master=None, progress=SILENT)
    with closing(open_table(given, counts_options)) as table:
        return _counts(table, columns)


def _counts(table: Table, columns: Mapping[str, Kind]) -> Analysis:
    """Read a table of counts: columns named as in the table that was analysed, and one of counts."""
    views, others = {}, []
    for name in table.columns:
        try:
            views[name] = parse_attribute(name, columns)
        except ColumnNotFoundError:
            others.append(name)
    if not views or len(others) != 1:
        raise InputError(
            "a table of counts needs columns named as in the table, such as age:band10, and one column of counts; "
            f"this one has {len(views)} and {len(others)} (--analysis)"
        )
    read = [Attribute(name, table.columns[name]) for name in (*views, others[0])]
    table.load([attribute.column for attribute in read])
    rows = table.coded_rows(read)
    labels = [table.labels(attribute) for attribute in read]
    cells: dict[tuple[Value, ...], int] = {}
    for codes in zip(*(column.tolist() for column in rows.codes), strict=True):
        *cell, number = (shown[code] for shown, code in zip(labels, codes, strict=True))
        cells[tuple(cell)] = cells.get(tuple(cell), 0) + _count(number)
    return Analysis(tuple(views.values()), tuple(cells.items()))


def _count(text: Value) -> int:
    try:
        number = Decimal(text) if text is not None else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite() or number < 0 or number != int(number) or number > 2**53:
        raise DataError("every count in a table of counts must be a whole number of at least 0 (--analysis)")
    return int(number)


def analysis_gain(gains: GainTable, features: Sequence[Attribute], analysis: Analysis) -> AnalysisGain:
    """Measure what the output reveals about each cell; this needs the distinct rows on this machine."""
    if gains.people is not None and not gains.people.everyone_has_one_row:
        raise DataError("--analysis needs one row per person, and people in this table have several")
    named = set(gains.question.attacker.names)
    if analysis.cells is None:
        return _of_columns(gains, list(features), analysis.columns, named)
    return _of_counts(gains, analysis, named)


def _of_columns(
    gains: GainTable, features: list[Attribute], outputs: Sequence[Attribute], named: set[str]
) -> AnalysisGain:
    """The attacker knows the output of the person, such as a prediction, and the columns that are named."""
    believed = _believed(gains, [*features, *outputs])
    rows = believed.rows
    known = [index for index, feature in enumerate(features) if named & {feature.name, feature.column}]
    seen = [*known, *range(len(features), rows.n_columns)]
    totals, before = [], 0
    rig = np.zeros(rows.n_rows)
    for feature in range(len(features)):
        bits, total = KnownColumns(believed, [column for column in seen if column != feature]).gains(feature)
        rig += bits
        totals.append(total)
        if known:
            before += KnownColumns(believed, [column for column in known if column != feature]).gains(feature)[1]
    # People who look the same to the attacker have the same gain.
    same = KnownColumns(believed, seen).ranks.ranks
    cohorts, first_rows = np.unique(same, return_index=True)
    people = np.bincount(np.searchsorted(cohorts, same), rows.distinct.cohorts()).astype(np.int64)
    return _result(
        "columns", outputs, [features[index].name for index in known], features, totals, rig[first_rows], people,
        without=as_bits(before, rows.n_people),
    )  # fmt: skip


def _of_counts(gains: GainTable, analysis: Analysis, named: set[str]) -> AnalysisGain:
    """The attacker knows all columns of the table of counts but one, and sees the distribution of that one."""
    columns = analysis.columns
    believed = _believed(gains, columns)
    rows = believed.rows.distinct
    published = _published(gains.table, analysis, rows)
    known = [index for index, view in enumerate(columns) if not named or named & {view.name, view.column}]
    totals = []
    rig = np.zeros(rows.n_rows)
    for feature in range(len(columns)):
        bits = _looked_up(published, believed, [column for column in known if column != feature], feature)
        rig += bits
        totals.append(weighted_total(bits, rows.people))
    cells = _together(published, rows, range(len(columns)))
    missing = ~np.isin(cells.ranks[published.n_rows :], cells.ranks[: published.n_rows])
    return _result(
        "counts", columns, [columns[index].name for index in known], columns, totals, rig, rows.cohorts(),
        unpublished=int(rows.cohorts()[missing].sum()),
    )  # fmt: skip


def _published(table: Table, analysis: Analysis, rows: DistinctRows) -> DistinctRows:
    """Return the cells of a table of counts in the codes of the table that was analysed."""
    assert analysis.cells is not None
    held = [(cell, number) for cell, number in analysis.cells if number]
    codes: list[NDArray[np.uint32]] = []
    for index, view in enumerate(analysis.columns):
        by_label = {label: code for code, label in enumerate(table.labels(view)) if rows.value_people[index][code] > 0}
        unknown = {cell[index] for cell, _ in held} - set(by_label)
        if unknown:
            raise DataError(
                f'the table of counts has {counted(len(unknown), "value")} of "{view.name}" that nobody in the table '
                "has, so the gain is unbounded (--analysis)"
            )
        codes.append(np.array([by_label[cell[index]] for cell, _ in held], np.uint32))
    if not held:
        raise DataError("all counts in the table of counts are 0 (--analysis)")
    return distinct_rows(CodedRows(tuple(codes), rows.sizes, np.array([number for _, number in held], np.int64)))


def _together(published: DistinctRows, rows: DistinctRows, columns: Sequence[int]) -> Ranks:
    """Return ranks by some columns, first of the cells of the table of counts, then of the rows; equal means same."""
    joined = [
        CodedColumn(np.concatenate((published.codes[column], rows.codes[column])), bits_of(rows.sizes[column]))
        for column in columns
    ]
    return ranks_of(joined, [rows.sizes[column] for column in columns], published.n_rows + rows.n_rows)


def _looked_up(published: DistinctRows, believed: LocalBelievedRows, known: Sequence[int], feature: int) -> Bits:
    """Return each row's gain about a column; 0 if nothing is published about people with the known values."""
    rows = believed.rows.distinct
    ranks = _together(published, rows, known)
    published_ranks = Ranks(ranks.ranks[: published.n_rows], ranks.number)
    cells, cohorts = cohort_cells(published_ranks, published.codes[feature], rows.sizes[feature], published.people)
    by_cohort = np.zeros(ranks.number)
    by_cohort[cohorts] = believed.beliefs[feature].gains(cells).cig_bits
    return by_cohort[ranks.ranks[published.n_rows :]]


def _believed(gains: GainTable, attributes: Sequence[Attribute]) -> LocalBelievedRows:
    """Return the rows of some columns with the attacker's priors; options for other columns are dropped."""
    question = gains.question
    names = {name for attribute in attributes for name in (attribute.name, attribute.column)}
    accuracy = question.accuracy
    if isinstance(accuracy, Mapping):
        accuracy = {name: share for name, share in accuracy.items() if name in names}
    priors = {name: source for name, source in question.priors.items() if name in names}
    fitting = gains.with_question(replace(question, accuracy=accuracy, priors=priors))
    believed = fitting.rows_here(attributes).believed(fitting.beliefs(attributes))
    fitting.smoothed(attributes, believed.missing)
    return believed


def _result(
    kind: str,
    columns: Sequence[Attribute],
    known: Sequence[str],
    features: Sequence[Attribute],
    totals: Sequence[int],
    rig: Bits,
    people: Integers,
    *,
    without: float | None = None,
    unpublished: int | None = None,
) -> AnalysisGain:
    n = int(people.sum())
    half, high, most = people_quantiles(RankedRows.of(rig, people).at, n, [0.5, 0.95, 1.0])
    factor = personal_information_factor(rig, people)
    return AnalysisGain(
        kind=kind,
        columns=tuple(column.name for column in columns),
        known=tuple(known),
        features=tuple(
            AnalysisFeature(feature.name, as_bits(total), as_bits(total, n))
            for feature, total in zip(features, totals, strict=True)
        ),
        rig={"mean": as_bits(sum(totals), n), "p50": half, "p95": high, "max": most},
        mics=factor.mics,
        pif=factor.pif,
        rows_at_pif=factor.rows_at_pif,
        without_output_bits=without,
        people_unpublished=unpublished,
    )
