"""Treat a table and write it: the study behind ``idbits apply``.

The file appears only if everything succeeds: it is written beside its final name, read back, measured and checked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from idbits.engines.base import Source, Table
from idbits.engines.open import note_sources, open_table
from idbits.errors import InputError
from idbits.file_guard import guarded_files, note_read
from idbits.reading import Names, OpenOptions, Reading, name_list, open_options
from idbits.storage import expand_home
from idbits.studies.apply.hierarchies import GivenHierarchies, by_column
from idbits.studies.apply.question import FilePath, ReleaseOptions, TreatedPaths
from idbits.studies.apply.result import TreatedFile
from idbits.studies.apply.treated_columns import inline_plan
from idbits.studies.apply.writing import ApplyStudy
from idbits.studies.shared.plans import Plan, read_plan
from idbits.studies.shared.roles.judging import must_withhold_names
from idbits.studies.shared.units import Unit
from idbits.values.released_labels import LabelWords

__all__ = ["apply"]


def apply(
    source: Source,
    plan: Plan | FilePath | None = None,
    out: FilePath | None = None,
    *,
    qid: Names | None = None,
    withhold_below: int | None = None,
    receipt: FilePath | None = None,
    drop: Names = (),
    keep_identifier: Names = (),
    rows: str = "sorted",
    mapping: FilePath | None = None,
    blank: str = "*",
    rest: str = "other",
    pseudonym: str | None = None,
    key: FilePath | None = None,
    hierarchy: Mapping[str, object] | Sequence[str] = (),
    ranks: Mapping[str, Names] | Sequence[str] = (),
    drop_empty: bool = False,
    safe_csv: bool = False,
    force: bool = False,
    person: str | None = None,
    rows_are_people: bool = False,
    **reading: Unpack[Reading],
) -> TreatedFile:
    """Write a treated copy of a table, read it back, and measure what it still gives away.

    Args:
        source: a path, a glob of paths, or a pandas, polars or pyarrow frame. It is never changed.
        plan: what to do: a plan, or the path of one. Or name columns with their views in ``qid``.
        out: the file to write, ``.csv`` or ``.parquet``.
        qid: the columns someone may know, each with its view: ``"age:band20,zip:prefix2,job:all"``.
        withhold_below: leave out people in groups smaller than this; only with ``qid``.
        receipt: the file of the receipt; the treated file with ``.receipt.json`` at its end if not given.
        drop: columns to leave out.
        keep_identifier: columns to write although they seem to identify people.
        rows: ``"sorted"``, so that the order gives nothing away, or ``"kept"`` as in the source.
        mapping: a file for the values of the source and what replaces them; for internal use only.
        blank: replaces the values of columns that are given up, and the characters that a prefix leaves out.
        rest: replaces the values that ``top`` merges.
        pseudonym: a column whose values are replaced by pseudonyms.
        key: the file with the secret key of the pseudonyms; created if it does not exist.
        hierarchy: the hierarchy files of a plan by column, ``{"zip": "zip.csv"}``; they must be the same files again.
        ranks: the values of sensitive columns in order, for goals about ``t_ordered``: ``{"grade": ["low", "high"]}``.
        drop_empty: leave out columns that are given up.
        safe_csv: also protect untouched cells of a CSV file that a spreadsheet would take for formulas.
        force: replace files that exist.
        person: the column that identifies people, who must have one row each.
        rows_are_people: whether each row is known to be a person.
        reading: how the table is read, see ``idbits.reading.Reading``.

    Raises:
        RefusedError: the treated file does not meet a rule of the plan; nothing was written.
    """
    if out is None:
        raise InputError("name the file to write, for example --out treated.csv")
    if (plan is None) == (qid is None):
        raise InputError("say what to do: either --plan FILE, or the columns with their views in --qid")
    if plan is not None and withhold_below is not None:
        raise InputError("--withhold-below is for --qid; a plan has its own goal")
    if rows not in ("sorted", "kept"):
        raise InputError("rows must be sorted or kept (--rows)")
    options = open_options(reading)
    if options.count is not None:
        raise InputError("apply writes one row per person, but with --count a row is many people; leave out --count")
    release = ReleaseOptions(
        drop=tuple(name_list(drop)),
        keep_identifiers=tuple(name_list(keep_identifier)),
        pseudonym=pseudonym,
        is_sorted=rows == "sorted",
        drops_empty=drop_empty,
        protects_cells=safe_csv,
        words=LabelWords(rest=rest, blank=blank),
    )
    release.check(has_key=key is not None)
    given = ranks if isinstance(ranks, Mapping) else by_column(ranks, "--ranks")
    orders = {column: name_list(values) for column, values in given.items()}
    with guarded_files():
        note_sources(*([source] if isinstance(source, str) else []))
        for file in (plan, key):
            if isinstance(file, str | os.PathLike):
                note_read(expand_home(file))
        paths = TreatedPaths.checked(out, receipt, mapping, key, force=force)
        chosen = plan if plan is None or isinstance(plan, Plan) else read_plan(Path(plan))
        files = GivenHierarchies.read(hierarchy)
        options = replace(options, in_order=not release.is_sorted)
        with closing(open_table(source, options)) as table:
            _require_names(table, options)
            chosen = chosen or inline_plan(qid or "", withhold_below, table.columns)
            unit = Unit.PEOPLE if rows_are_people or person is not None else Unit.ROWS
            study = ApplyStudy(table, source, options, chosen, release, paths, files, orders, unit)
            study.prepare(person, rows_are_people=rows_are_people)
            return study.write()


def _require_names(table: Table, options: OpenOptions) -> None:
    if must_withhold_names(table, options):
        raise InputError(
            "the first row may contain data instead of column names; add --no-header, or --header-row 1 if it has names"
        )
