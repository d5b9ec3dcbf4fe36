"""The page that decides: all studies of one table, read once. The study behind ``idbits report``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Unpack

from idbits.attributes import Attribute, parse_attributes
from idbits.engines.base import OpenOptions, Table
from idbits.engines.fingerprint import sha256_of
from idbits.engines.open import is_database, open_table
from idbits.errors import EngineError, InputError
from idbits.results.gain import Gain
from idbits.results.measurement import Measurement
from idbits.results.report import SECTIONS, Origin, Report
from idbits.studies.changes import changes_tried
from idbits.studies.coarser import coarser_views
from idbits.studies.gain import GainStudy
from idbits.studies.gain_question import Question, attacker_of
from idbits.studies.gain_table import GainTable
from idbits.studies.measure import MeasureStudy, quasi_identifiers
from idbits.studies.next_step import quoted_names, reading_words
from idbits.studies.reading import Names, Reading, name_list, open_options
from idbits.studies.saved import read_saved

__all__ = ["report"]

# Cells that are kept while the most exposed rows are looked for, 8 bytes each.
_KEPT_CELLS = 60_000_000
_SWEEP_STEPS = 3
# Cells that a sweep may visit; above, one column is not made coarser step by step.
_SWEPT_CELLS = 400_000_000


def report(
    source: Any,
    qid: Names,
    by: str | None = None,
    person: str | None = None,
    *,
    features: Names | None = None,
    sections: Names | None = None,
    include: Sequence[Any] = (),
    internal: bool = False,
    reveal: bool = False,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Report:
    """Measure a table and put everything on one page.

    Args:
        source: a path, a glob of paths, a folder, the address of a database, or a pandas, polars or pyarrow frame.
        qid: the columns that someone may know, ``["birthdate", "zip"]`` or ``"birthdate,zip"``.
        by: set sizes within each value of this column, too.
        person: the column that names the person; more than one row a person is an error.
        features: columns beside the quasi-identifier for information gain and utility.
        sections: the sections to show, see ``idbits.results.report.SECTIONS``; all that apply when not given.
        include: answers of other commands, saved as JSON, to be shown as sections.
        internal: stamp every page as internal.
        reveal: show values that few people have, too; on internal pages only.
        seed: kept in the foot; nothing is drawn at random.
        reading: how the table is read, see ``idbits.studies.reading.Reading``.

    Returns:
        A Report: ``to_html()``, ``to_markdown()``, ``to_json()``.

    >>> import pyarrow
    >>> frame = pyarrow.table({"zip": ["1011", "1011", "9985"], "sex": ["F", "M", "F"]})
    >>> report(frame, ["zip", "sex"], sections="bits")
    Report(qid=['zip', 'sex'], n_rows=3, entropy_bits=1.5850, singletons=3, sections=['bits'])
    """
    qids, _ = quasi_identifiers(qid)
    if len(qids) > 1:
        raise InputError("a page is about one quasi-identifier; make one page for each (--qid)")
    if reveal and not internal:
        raise InputError("values of few people go on internal pages only: say --internal --reveal")
    if seed < 0:
        raise InputError("a seed is 0 or more (--seed)")
    options = open_options(reading)
    if person is not None and options.count is not None:
        raise InputError("--person says one row is one person, --count says it is many: give one of them")
    chosen = _chosen(sections, included=bool(include))
    saved = tuple(read_saved(path, internal=internal) for path in include)
    with closing(open_table(source, options)) as table, closing(MeasureStudy(table, options, source)) as study:
        more = parse_attributes(name_list(features), table.columns) if features is not None else ()
        study.prepare(qids, by, person, also=[attribute.column for attribute in more])
        attributes = study.qids[0]
        measurement = study.measurement(
            attributes, missing="error", values=False, suppress=None, n_values=None, reveal=reveal, advise=False
        )
        studies = _Studies(table, options, attributes, more, measurement)
        changes = changes_tried(table, attributes, more, measurement.figures, options.progress)
        gained = studies.gain(source, person, chosen) if {"gain", "sweep"} & set(chosen) else None
        origin = _origin(table, source, study, more, options, chosen if sections is not None else None, include,
                         seed=seed, internal=internal, reveal=reveal)  # fmt: skip
        known = set(table.notes)
        more_notes = [note for note in gained.notes if note not in known] if gained is not None else []
        table.check_unchanged()
    return Report(
        source=study.source,
        measurement=measurement,
        changes=changes,
        gain=gained,
        gain_reason=studies.gain_reason,
        sweep_reason=studies.sweep_reason,
        sections=chosen,
        origin=origin,
        included=saved,
        internal=internal,
        notes=(*measurement.notes, *more_notes),
    )


def _chosen(sections: Names | None, *, included: bool) -> tuple[str, ...]:
    """Return the sections to show, in the order of the page."""
    if sections is None:
        return tuple(name for name in SECTIONS if name != "saved" or included)
    asked = [name.strip() for name in name_list(sections)]
    unknown = [name for name in asked if name not in SECTIONS]
    if unknown:
        raise InputError(f'there is no section "{unknown[0]}"; sections are {", ".join(SECTIONS)}')
    if included and "saved" not in asked:
        raise InputError("saved answers are shown in the section saved: name it with --sections, too")
    return tuple(name for name in SECTIONS if name in asked)


class _Studies:
    """What is asked of the opened table besides the measurement, and why some of it does not apply."""

    def __init__(
        self,
        table: Table,
        options: OpenOptions,
        qid: tuple[Attribute, ...],
        more: tuple[Attribute, ...],
        measurement: Measurement,
    ) -> None:
        self.table, self.options, self.measurement = table, options, measurement
        self.qid = qid
        self.features = tuple(dict.fromkeys([*qid, *more]))
        self.gain_reason: str | None = None
        self.sweep_reason: str | None = None

    def gain(self, source: Any, person: str | None, chosen: tuple[str, ...]) -> Gain | None:
        """Return information gain, with a sweep of the column that tells most, where they apply."""
        if len(self.features) < 2:
            self.gain_reason = "with one column there is nothing to know beside it"
            return None
        # Cells take at most a quarter of the memory that is allowed.
        memory = self.options.memory
        kept = _KEPT_CELLS if memory is None else min(_KEPT_CELLS, memory // 32)
        question = Question(
            attacker=attacker_of("strongest"), accuracy=1.0, priors={}, smoothing=0.0, threshold=1.0, percentile=95.0,
            subsets=1000, seed=0, mutual=False, csf=False, cells=False, kept_cells=kept,
        )  # fmt: skip
        # Features may be coarser views of columns: which may be seen was settled when the table was opened.
        options = replace(self.options, columns=None)
        study = GainStudy(GainTable(self.table, options, question), source, person=person, target=None)
        study.prepare([feature.name for feature in self.features], None, loaded=True)
        study.features = self.features
        study.steps = self._steps() if "sweep" in chosen else []
        try:
            return study.answer(compare=None, growth=None, file=None, cells_as="cig")
        except EngineError as error:
            self.gain_reason = str(error)
            return None

    def _steps(self) -> list[tuple[int, Attribute]]:
        """Return coarser views of the column with most bits that has some."""
        if not self.table.trials_are_cheap:
            self.sweep_reason = "each step would be one more query on the database"
            return []
        cells = self.measurement.figures.n_rows * len(self.features) ** 2
        if cells > _SWEPT_CELLS:
            self.sweep_reason = "so many rows of so many columns take too long; idbits gain --sweep does it"
            return []
        bits = dict(self.measurement.columns)
        for attribute in sorted(self.qid, key=lambda attribute: -bits[attribute.name].entropy_bits):
            views = coarser_views(self.table, attribute)[:_SWEEP_STEPS]
            if views:
                return [(self.features.index(attribute), view) for view in views]
        self.sweep_reason = "no column can be made coarser by a rule"
        return []


def _origin(
    table: Table,
    source: Any,
    study: MeasureStudy,
    more: tuple[Attribute, ...],
    options: OpenOptions,
    sections: tuple[str, ...] | None,
    include: Sequence[Any],
    *,
    seed: int,
    internal: bool,
    reveal: bool,
) -> Origin:
    names = [attribute.name for attribute in study.qids[0]]
    words = [shlex.quote(quoted_names(names)), *reading_words(options), *study.words]
    words += ["--columns", shlex.quote(quoted_names(options.columns))] if options.columns is not None else []
    words += ["--features", shlex.quote(quoted_names([attribute.name for attribute in more]))] if more else []
    words += ["--sections", ",".join(sections)] if sections is not None else []
    words += [f"--include {shlex.quote(os.fspath(path))}" for path in include]
    words += ["--internal"] if internal else []
    words += ["--reveal"] if reveal else []
    words += [f"--seed {seed}"] if seed else []
    if study.source is None:
        command = f"idbits.report(frame, {names!r})"
    else:
        command = " ".join(["idbits report", shlex.quote(study.source), "--qid", *words])
    digest = sha256_of(table.files)
    reason = None
    if digest is None:
        reason = "a database has no file to hash" if is_database(source) else "the table was in memory, not in a file"
    return Origin(command, seed, len(table.files), digest, reason)
