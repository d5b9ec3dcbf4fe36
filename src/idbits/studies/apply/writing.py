"""Treats the rows of a table and writes all files, or none."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from idbits.counts import Integers, Spectrum, Value
from idbits.engines.backends.treating import ReleaseRequest, TreatedColumn, TreatedRows, TreatmentRequest
from idbits.engines.base import Source, Table
from idbits.engines.open import is_database
from idbits.engines.sources.files import sha256_of
from idbits.errors import ColumnNotFoundError, DataError, EngineError, InputError, NotEstimableError, RefusedError
from idbits.reading import OpenOptions
from idbits.storage import whole_file
from idbits.studies.apply.hierarchies import GivenHierarchies
from idbits.studies.apply.identifiers import (
    free_text_columns,
    refuse_identifiers,
    refuse_mostly_unique,
    refuse_repeated_people,
)
from idbits.studies.apply.losses import TOO_LARGE, group_places, losses_of, rows_of_pairs, usefulness_of
from idbits.studies.apply.mixed_rows import treat_mixed
from idbits.studies.apply.pseudonyms import PseudonymKey
from idbits.studies.apply.question import ReleaseOptions, TreatedPaths
from idbits.studies.apply.receipt import given_reading, not_assessed, write_mapping, write_receipt
from idbits.studies.apply.result import ColumnChange, FileDigest, TreatedFile, WithheldPeople
from idbits.studies.apply.rules import (
    GroupedTable,
    VerifiedRule,
    WithheldGroups,
    check_limit,
    grouped,
    outcome_of,
    withhold,
)
from idbits.studies.apply.sensitive_values import SensitiveDescription
from idbits.studies.apply.treated_columns import treated_columns
from idbits.studies.apply.written_file import WrittenFile, read_back
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.goals import GoalRule, parse_goals, sensitive_columns
from idbits.studies.shared.persons import require_one_row_per_person
from idbits.studies.shared.plans import Plan
from idbits.studies.shared.roles.judging import columns_to_look_at, judge_columns
from idbits.studies.shared.treatments.planned import problem_of_plan
from idbits.studies.shared.treatments.problem import MOST_PAIR_ROWS, TreatmentProblem
from idbits.studies.shared.units import Unit
from idbits.values.attributes import Attribute, parse_attribute
from idbits.wording import counted

__all__ = ["ApplyStudy"]


@dataclass(frozen=True, eq=False)
class _TreatedSource:
    """A treated table before it is written.

    Attributes:
        before: the figures of the columns of the plan as they were.
        n_values: the number of values of each of them.
        texts: the texts of the values of each sensitive column, in any order.
        groups: the groups after the treatment, with their sensitive values.
        formulas: the number of untouched cells that a spreadsheet would take for formulas.
        reasons: why losses do not exist.
    """

    rows: TreatedRows
    before: Figures
    n_values: dict[str, int]
    texts: dict[str, list[Value]]
    groups: GroupedTable
    withheld: WithheldGroups
    loss: dict[str, Any]
    formulas: int
    reasons: dict[str, str]


class ApplyStudy:
    """A table that is being treated."""

    def __init__(
        self,
        table: Table,
        source: Source,
        options: OpenOptions,
        plan: Plan,
        release: ReleaseOptions,
        paths: TreatedPaths,
        hierarchies: GivenHierarchies,
        ranks: Mapping[str, Sequence[str]],
        unit: Unit,
    ) -> None:
        self.table, self.source, self.options = table, source, options
        self.plan, self.release, self.paths, self.unit = plan, release, paths, unit
        self.hierarchies = hierarchies
        self.ranks = ranks
        if plan.method != "nodes" and paths.mapping is not None:
            raise InputError("each group has its own replacements, so there is no --mapping; leave it out")
        self.rules: tuple[GoalRule, ...] = parse_goals(plan.goal) if plan.goal else ()
        self.sensitive = sensitive_columns(self.rules)
        hierarchies.check(plan, self.sensitive)
        self.columns = treated_columns(plan.columns, table.columns, hierarchies)
        planned = [column.column for column in self.columns]
        if plan.use_for is not None:
            parse_attribute(plan.use_for, table.columns)
        release.check_columns(table.columns, planned)
        given_up = [column.column for column in self.columns if column.is_given_up]
        self.names = release.released(table.columns, given_up)
        self.planned = [name for name in planned if name in self.names]
        self._check_sensitive(planned)
        self.describe = SensitiveDescription(self.rules, table.columns, ranks, hierarchies)
        self.key = PseudonymKey.of(paths.key) if paths.key is not None else None
        self.digest = sha256_of(table.files)

    def _check_sensitive(self, planned: list[str]) -> None:
        for name in self.sensitive:
            if name not in self.table.columns:
                raise ColumnNotFoundError(name, self.table.columns)
            if name in planned or name not in self.names or name == self.release.pseudonym:
                raise InputError(f'the goal is about column "{name}", so it must be in the file as it is')

    def prepare(self, person: str | None, *, rows_are_people: bool) -> None:
        """Read the table, and refuse identifiers and people with several rows as early as possible."""
        table, planned = self.table, [column.column for column in self.columns]
        if person is not None and person not in table.columns:
            raise ColumnNotFoundError(person, table.columns)
        look = columns_to_look_at(table, self.options, planned)
        more = [name for name in (person, self.plan.use_for) if name is not None]
        needed = {*planned, *self.names, *look.keys, *more}
        table.load([name for name in table.columns if name in needed], look.sampled)
        if table.n_people() == 0:
            raise NotEstimableError("there are no rows to treat")
        if person is not None:
            require_one_row_per_person(table, person)
        self.hierarchies.require_values(table, self.plan.columns)
        judgements = judge_columns(table, self.options, look)
        absent = set(table.columns) - set(self.names)
        refuse_identifiers(judgements, {*absent, *self._allowed, *planned})
        if not rows_are_people and person is None:
            refuse_repeated_people(judgements)

    @property
    def _allowed(self) -> set[str]:
        """The columns that may identify people, because the user says so."""
        return {*self.release.keep_identifiers, *([self.release.pseudonym] if self.release.pseudonym else [])}

    def write(self) -> TreatedFile:
        """Treat the rows and write all files, or none."""
        treated = self._treated()
        key, column = self.key, self.release.pseudonym
        pseudonyms = {column: key.pseudonym} if column is not None and key is not None else {}
        with whole_file(self.paths.out) as draft:
            request = ReleaseRequest(self.names, treated.withheld.numbers, pseudonyms, self.release.is_sorted)
            treated.rows.write(draft, request)
            self._require_same_source()
            written = self._read_back(draft, treated)
            outcomes = tuple(
                outcome_of(rule, written.figures, written.groups, treated.groups.values) for rule in self.rules
            )
            _require_passed(outcomes)
            answer = self._answer(draft, treated, written, outcomes)
            self._write_others(treated.rows, answer)
        return answer

    def _treated(self) -> _TreatedSource:
        """Replace values, count groups and decide who is withheld."""
        before = Figures.of(self.table.spectrum([_plain(column) for column in self.columns]))
        request = TreatmentRequest(self.columns, self.release.words, self.paths.is_text, self.release.protects_cells)
        if self.plan.method == "nodes":
            rows = self.table.treated_rows(request)
            texts = self._sensitive_texts(rows)
            groups = grouped(rows, self.sensitive, texts, self.describe)
            groups = replace(groups, places=group_places(rows, self.table, self.plan.columns))
            withheld = withhold(self.rules, groups)
            loss, reasons = self._losses(rows, withheld)
        else:
            mixed = treat_mixed(self._problem(), self.plan, self.release.words)
            rows = self.table.treated_rows(replace(request, mixed=mixed.cells))
            texts = self._sensitive_texts(rows)
            groups = mixed.with_source_values(grouped(rows, self.sensitive, texts, self.describe), rows, self.describe)
            withheld = mixed.withheld(len(groups.sizes))
            loss, reasons = mixed.losses
        check_limit(withheld, before.n_rows, Fraction(str(self.plan.withhold_limit)), self.unit)
        n_values = {column.column: self.table.spectrum((_plain(column),)).n_sets for column in self.columns}
        formulas = self._formula_cells(rows)
        return _TreatedSource(rows, before, n_values, texts, groups, withheld, loss, formulas, reasons)

    def _sensitive_texts(self, rows: TreatedRows) -> dict[str, list[Value]]:
        return {name: list(dict.fromkeys(rows.cell_texts(name))) for name in self.sensitive}

    def _problem(self) -> TreatmentProblem:
        return problem_of_plan(self.table, self.plan, self.hierarchies.files, self.ranks, self.options)

    def _losses(self, rows: TreatedRows, withheld: WithheldGroups) -> tuple[dict[str, Any], dict[str, str]]:
        loss = losses_of(rows, self.table, self.plan.columns, withheld, self._raw_values())
        if rows_of_pairs(len(self.plan.columns), self.table.n_people()) > MOST_PAIR_ROWS:
            return loss, dict.fromkeys(("loss.mutual", "loss.model"), TOO_LARGE)
        more, reasons = usefulness_of(self._problem(), self.plan, withheld)
        return loss | more, reasons

    def _raw_values(self) -> dict[str, tuple[Integers, int]]:
        planned = [column for column in self.plan.columns if column.hierarchy is not None]
        return {column.column: self.hierarchies.raw_values(self.table, column) for column in planned}

    def _formula_cells(self, rows: TreatedRows) -> int:
        if not self.paths.is_text or self.release.protects_cells:
            return 0
        changed = {column.column for column in self.columns if not column.is_untouched} | {self.release.pseudonym}
        return rows.formula_cells([name for name in self.names if name not in changed])

    def _require_same_source(self) -> None:
        self.table.check_unchanged()
        if sha256_of(self.table.files) != self.digest:
            raise DataError("the source changed while it was read; try again when nothing writes to it")

    def _read_back(self, draft: Path, treated: _TreatedSource) -> WrittenFile:
        """Read the file back; refuse it if it is not what it should be, or identifies people."""
        written = read_back(
            draft,
            self.names,
            self.planned,
            self.options,
            is_text=self.paths.is_text,
            declared=self._allowed,
            texts=treated.texts,
            describe=self.describe,
        )
        sizes, sets = np.unique(treated.groups.sizes[~treated.withheld.is_withheld], return_counts=True)
        if written.figures.spectrum != Spectrum.of(zip(sizes.tolist(), sets.tolist(), strict=True)):
            raise EngineError("the file that was read back differs from what was written; no file was left")
        refuse_identifiers(written.judgements, {*self._allowed, *self.planned})
        refuse_mostly_unique(written.mostly_unique)
        return written

    def _answer(
        self, draft: Path, treated: _TreatedSource, written: WrittenFile, outcomes: tuple[VerifiedRule, ...]
    ) -> TreatedFile:
        reason = None
        if self.digest is None:
            reason = "a database has no file to hash" if is_database(self.source) else "the table was in memory"
        others = len(self.names) - len(self.planned)
        free_text = free_text_columns(written.judgements)
        return TreatedFile(
            source=os.fspath(self.source) if isinstance(self.source, str | os.PathLike) else None,
            out=str(self.paths.out),
            receipt=str(self.paths.receipt),
            plan=self.plan,
            source_digest=FileDigest(self.digest, treated.before.n_rows, reason),
            output=FileDigest(sha256_of([draft]), written.figures.n_rows),
            columns=tuple(
                ColumnChange(item.column, item.view, treated.n_values[item.column], written.n_values.get(item.column))
                for item in self.plan.columns
            ),
            released=tuple(self.names),
            dropped=tuple(name for name in self.table.columns if name not in self.names),
            kept_identifiers=self.release.keep_identifiers,
            pseudonym=self.release.pseudonym,
            rows_sorted=self.release.is_sorted,
            reading=given_reading(self.options),
            withheld=WithheldPeople(treated.withheld.people, treated.withheld.by_rule),
            before=treated.before,
            after=written.figures,
            loss=treated.loss,
            rules=outcomes,
            hierarchies=self.hierarchies.digests(),
            reasons={
                **{f"before.{figure}": reason for figure, reason in treated.before.main_reasons.items()},
                **{f"after.{figure}": reason for figure, reason in written.figures.main_reasons.items()},
                **treated.reasons,
            },
            not_assessed=not_assessed(others, free_text, has_pseudonym=self.release.pseudonym is not None),
            notes=(*self.table.notes, *self._notes(treated, outcomes)),
            unit=self.unit,
        )

    def _notes(self, treated: _TreatedSource, outcomes: tuple[VerifiedRule, ...]) -> list[str]:
        notes = list(self.key.notes) if self.key is not None else []
        if any(transform.name == "top" for column in self.columns for transform in column.view.transforms):
            notes.append("top keeps the most frequent values of this table, which another table may not have")
        if treated.formulas:
            verb = "begins" if treated.formulas == 1 else "begin"
            notes.append(
                f"{counted(treated.formulas, 'untouched cell')} {verb} with = + - or @, which a spreadsheet takes for "
                "a formula (protect with --safe-csv)"
            )
        for outcome in outcomes:
            if outcome.is_worse_released:
                notes.append(
                    f'"{outcome.rule}" is met against the values of the source, but the figure is worse against those '
                    "of the file"
                )
        return notes

    def _write_others(self, rows: TreatedRows, answer: TreatedFile) -> None:
        """Write the other files; the treated file is the last to get its name."""
        if self.key is not None and self.key.is_new and self.paths.key is not None:
            self.key.write(self.paths.key)
        if self.paths.mapping is not None:
            write_mapping(self.paths.mapping, rows, self.columns)
        write_receipt(self.paths.receipt, answer)


def _plain(column: TreatedColumn) -> Attribute:
    return Attribute(column.column, column.view.kind)


def _require_passed(outcomes: tuple[VerifiedRule, ...]) -> None:
    failed = [outcome.rule for outcome in outcomes if not outcome.passed]
    if failed:
        raise RefusedError(failed[0], f'the treated table does not meet "{failed[0]}", so no file was written')
