"""Reads a treated file back and measures it: only what is in the file counts, not what was meant to be written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from idbits.counts import Integers, Spectrum, Value
from idbits.engines.backends.treating import TreatedColumn, TreatmentRequest
from idbits.engines.base import Table
from idbits.engines.open import open_table
from idbits.errors import EngineError
from idbits.measures.treatment.group_rules import SensitiveValues
from idbits.reading import OpenOptions
from idbits.studies.apply.rules import DescribeValues, GroupedTable, grouped
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.roles.judgement import RoleJudgement
from idbits.studies.shared.roles.judging import judge_profiles
from idbits.values.attributes import Attribute
from idbits.values.released_labels import LabelWords

__all__ = ["WrittenFile", "read_back"]


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """What a treated file has in it.

    Attributes:
        figures: the figures of the columns of the plan.
        groups: their groups with the sensitive values of the rules.
        n_values: the number of values of each of them; null counts as a value.
        judgements: the likely roles of the other columns.
        mostly_unique: other columns in which more than half of the rows are unique.
    """

    figures: Figures
    groups: GroupedTable
    n_values: dict[str, int]
    judgements: tuple[RoleJudgement, ...]
    mostly_unique: tuple[str, ...]


def read_back(
    file: Path,
    names: Sequence[str],
    planned: Sequence[str],
    options: OpenOptions,
    *,
    is_text: bool,
    declared: Collection[str],
    texts: Mapping[str, Sequence[Value]],
    describe: DescribeValues,
) -> WrittenFile:
    """Measure a file.

    Args:
        file: the file.
        names: its columns as they should be.
        planned: those of the plan.
        options: limits on memory and threads.
        is_text: whether it is a CSV file.
        declared: columns that need no judgement.
        texts: the texts of the values of sensitive columns.
        describe: describes the values of a sensitive column.
    """
    reading = OpenOptions(memory=options.memory, threads=options.threads, progress=options.progress)
    reading = replace(reading, delimiter=",", encoding="utf-8", header_row=1) if is_text else reading
    with closing(open_table(file, reading)) as table:
        if len(table.columns) != len(names):
            raise EngineError("the file that was written has other columns than it should; no file was left")
        # The names of a CSV file can differ: some are protected from spreadsheets.
        written = dict(zip(names, table.columns, strict=True))
        original = {cell: name for name, cell in written.items()}
        used = [written[name] for name in planned]
        others = [written[name] for name in names if name not in planned and name not in declared]
        table.load([*used, *others])

        def described(cell: str, values: Sequence[Value], people: Integers) -> SensitiveValues:
            return describe(original[cell], values, people)

        figures = Figures.of(_spectrum(table, used))
        groups = _groups(table, used, {written[name]: texts[name] for name in texts}, described)
        n_values = {name: table.spectrum((_plain(table, written[name]),)).n_sets for name in planned}
        profiles = {name: table.profile(name) for name in others}
        judgements = judge_profiles(table, reading, profiles)
        unique = [name for name, profile in profiles.items() if 2 * profile.unique_people > profile.people]
    return WrittenFile(
        figures,
        GroupedTable(
            groups.sizes,
            {original[name]: cells for name, cells in groups.cells.items()},
            {original[name]: values for name, values in groups.values.items()},
        ),
        n_values,
        tuple(replace(judgement, column=original[judgement.column]) for judgement in judgements),
        tuple(original[name] for name in unique),
    )


def _groups(
    table: Table, used: Sequence[str], texts: Mapping[str, Sequence[Value]], describe: DescribeValues
) -> GroupedTable:
    """Return the groups with their sensitive values; nothing is counted if there are none."""
    if not texts:
        return GroupedTable(np.zeros(0, np.int64), {}, {})
    columns = tuple(TreatedColumn(_plain(table, name)) for name in used)
    untouched = TreatmentRequest(columns, LabelWords(), is_text_file=False)
    return grouped(table.treated_rows(untouched), list(texts), texts, describe)


def _plain(table: Table, name: str) -> Attribute:
    return Attribute(name, table.columns[name])


def _spectrum(table: Table, names: Sequence[str]) -> Spectrum:
    if not names:
        return Spectrum.of({table.n_people(): 1})
    return table.spectrum(tuple(_plain(table, name) for name in names))
