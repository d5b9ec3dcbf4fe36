"""Which treatment meets a goal with the least loss? The study behind ``idbits advise``."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from idbits.engines.base import Table
from idbits.engines.open import open_table
from idbits.errors import DataError, InputError
from idbits.file_guard import guarded_files, will_write
from idbits.progress import Progress
from idbits.reading import Names, OpenOptions, Reading, name_list, no_names, open_options
from idbits.storage import expand_home
from idbits.studies.advise.answering import AdviceParts, answer_of, treatment_of
from idbits.studies.advise.result import Advice, GoalTreatment
from idbits.studies.shared.default_columns import choose_columns
from idbits.studies.shared.goals import parse_goals, parse_share, sensitive_columns
from idbits.studies.shared.persons import PersonOptions, require_one_row_per_person, require_other_columns
from idbits.studies.shared.plans import Plan
from idbits.studies.shared.surroundings import Surroundings
from idbits.studies.shared.treatments.identifiers import identifiers_among
from idbits.studies.shared.treatments.ladders import (
    LadderRequest,
    column_of,
    parse_importance,
    parse_views,
    read_hierarchies,
    require_columns,
)
from idbits.studies.shared.treatments.other_columns import NO_OTHER_COLUMNS, OtherColumns, other_columns
from idbits.studies.shared.treatments.problem import TreatmentProblem, read_problem
from idbits.studies.shared.treatments.question import AdviceQuestion, parse_risk
from idbits.values.attributes import Attribute, parse_attribute, parse_attributes, split_names
from idbits.wording import joined

__all__ = [
    "AdviceParts", "TableAdvice", "advise", "columns_of_advice",
]  # fmt: skip

# A lattice with more treatments is searched with pruning, if only its best one is needed.
_FEW_NODES = 200


@guarded_files()
def advise(
    source: object,
    qid: Names | None = None,
    *,
    sensitive: Names | None = None,
    goal: str | Sequence[str] | None = None,
    withhold: str | float = "5%",
    loss: str = "cells",
    method: str = "nodes",
    hierarchy: Mapping[str, object] | Sequence[str] = (),
    keep: Names = (),
    from_: Mapping[str, str] | Sequence[str] = (),
    to: Mapping[str, str] | Sequence[str] = (),
    importance: Mapping[str, object] | Sequence[str] = (),
    ranks: Mapping[str, Sequence[str]] | Sequence[str] = (),
    use_for: str | None = None,
    risk: str = "people_below.5",
    max_nodes: int = 50_000,
    max_seconds: float | None = None,
    max_cells: int = 10**8,
    passes: int = 10,
    plan: str | os.PathLike[str] | None = None,
    choose: int | None = None,
    person: str | None = None,
    rows_are_people: bool = False,
    population: object = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Advice:
    """Find the treatment that meets a goal with the least loss, and the frontier of risk and loss.

    Args:
        source: a path, a glob of paths, or a pandas, polars or pyarrow frame, with one row per person.
        qid: the columns that someone may know and that may become coarser, ``["birthdate", "zip"]``.
        sensitive: columns whose values must not be given away; their figures are shown.
        goal: rules such as ``"k_min >= 5"`` or ``"l_distinct.illness >= 2"``, all of which must hold.
        withhold: the largest share of people that may be left out, ``"4%"`` or ``0.04``.
        loss: what to minimise: ``"cells"``, ``"cells:geometric"``, ``"entropy"``, ``"entropy:kept"``,
            ``"discernibility"``, ``"discernibility:monotone"``, ``"class_size"`` or ``"mutual"``.
        method: ``"nodes"`` (one view per column), ``"local"``, ``"sets"`` or ``"all"``.
        hierarchy: for some columns a file in the format of ARX, or a list of views, ``{"zip": "zip.csv"}``.
        keep: columns that must stay as they are.
        from_: the finest view allowed per column, ``{"birthdate": "year"}``.
        to: the coarsest view allowed per column.
        importance: the weight of a column's loss, ``{"age": 2}``; 1 for all others.
        ranks: an order of the values of a sensitive column, ``{"illness": ["none", "mild", "severe"]}``.
        use_for: a column that the treated table should still predict; relationships with it are what counts.
        risk: the risk of the frontier: ``"people_below.5"``, ``"mean_risk"``, ``"singletons"`` or ``"entropy_bits"``.
        max_nodes: the largest number of treatments that are all measured.
        max_seconds: stop searching after this many seconds and return the best treatment so far.
        max_cells: the most cells to fetch from a database or a cluster.
        passes: the most passes of the method ``"local"``.
        plan: a file to write the plan of the best treatment to, for ``idbits apply``.
        choose: the treatment on the frontier to write the plan of instead, numbered from 1.
        person: the column that identifies people; more than one row per person is an error.
        rows_are_people: whether each row is known to be a person.
        population: not possible here; see the error.
        seed: seed of all random draws.
        reading: how the table is read, see ``idbits.reading.Reading``.

    Examples:
        >>> import pyarrow
        >>> people = pyarrow.table({"zip": ["1011", "1012", "1013", "2011"] * 3, "sex": ["F", "M", "F", "M"] * 3})
        >>> advise(people, ["zip", "sex"], goal="k_min >= 6", withhold=0)
        Advice(qid=['zip', 'sex'], goal=['k_min >= 6'], reached=True, columns=['zip:all', 'sex'], withheld=0)
    """
    began = time.monotonic()
    if population is not None:
        raise InputError(
            "a treatment changes the groups of this table, not those of a population; leave out --population"
        )
    rules = parse_goals(goal)
    secret = tuple(
        dict.fromkeys(
            [
                *(name_list(sensitive) if sensitive is not None and not no_names(sensitive) else ()),
                *sensitive_columns(rules),
            ]
        )
    )
    question = AdviceQuestion(
        rules=rules,
        withhold=parse_share(withhold, "--withhold"),
        sensitive=secret,
        ladders=LadderRequest(
            read_hierarchies(hierarchy),
            tuple(name_list(keep)) if keep else (),
            parse_views(from_, "--from"),
            parse_views(to, "--to"),
            parse_importance(importance),
        ),
        loss=loss,
        method=method,
        use_for=use_for,
        risk=parse_risk(risk),
        ranks=_parse_ranks(ranks),
        max_nodes=max_nodes,
        max_seconds=max_seconds,
        max_cells=max_cells,
        passes=passes,
        seed=seed,
    )
    question.check()
    place = _plan_place(plan, choose)
    options = open_options(reading)
    persons = PersonOptions(column=person, rows_are_people=rows_are_people)
    persons.check(count=options.count, has_population=False, by=None)
    if qid is None or no_names(qid):
        qid = choose_columns(source, options, [name for name in (*secret, use_for, person) if name]).names
    with closing(open_table(source, options)) as table:
        study = _AdviceStudy(table, question, options, persons, source)
        problem = study.load(name_list(qid))
        answer = answer_of(problem, study.parts(), options.progress)
        table.check_unchanged()
    answer = replace(answer, seconds=time.monotonic() - began)
    if place is not None:
        _chosen(answer, choose).write(place)
    return answer


@dataclass(frozen=True, eq=False)
class TableAdvice:
    """Advice about a table that another study has opened and read."""

    problem: TreatmentProblem
    parts: AdviceParts
    progress: Progress

    @classmethod
    def of(cls, table: Table, qid: Sequence[Attribute], question: AdviceQuestion, parts: AdviceParts) -> TableAdvice:
        """Read the codes of the columns."""
        sensitive = columns_of_advice(table, qid, question)
        require_columns(question.ladders, qid, [attribute.column for attribute in sensitive])
        return cls(read_problem(table, qid, sensitive, None, question, parts.options), parts, parts.options.progress)

    @property
    def n_climbed_rows(self) -> int:
        """The rows that a climb from the finest to the coarsest treatment may visit."""
        lattice = self.problem.lattice
        return len(lattice.people) * len(lattice.columns) * sum(lattice.n_levels)

    def answer(self) -> Advice:
        """Return the whole answer."""
        return answer_of(self.problem, self.parts, self.progress)

    def treatment(self, goal: str) -> GoalTreatment:
        """Return the best treatment for another goal about group sizes."""
        question = replace(self.problem.question, rules=parse_goals(goal), max_nodes=_FEW_NODES)
        return treatment_of(self.problem.with_question(question), self.progress)


def columns_of_advice(table: Table, qid: Sequence[Attribute], question: AdviceQuestion) -> list[Attribute]:
    """Return the sensitive columns of a question, which are not among those that someone may know."""
    columns = [attribute.column for attribute in qid]
    return [_other(table, name, columns, "a sensitive column") for name in question.sensitive]


def _other(table: Table, name: str, columns: Sequence[str], role: str) -> Attribute:
    attribute = parse_attribute(name, table.columns)
    if attribute.column in columns:
        raise InputError(f'column "{attribute.column}" is in --qid, so it cannot be {role}; name it once')
    return attribute


def _parse_ranks(given: Mapping[str, Sequence[str]] | Sequence[str]) -> dict[str, tuple[str, ...]]:
    if isinstance(given, Mapping):
        return {column: tuple(values) for column, values in given.items()}
    return {column: tuple(split_names(text)) for column, text in (column_of(item, "--ranks") for item in given)}


def _plan_place(plan: str | os.PathLike[str] | None, choose: int | None) -> Path | None:
    if choose is not None and plan is None:
        raise InputError("--choose writes the plan of a treatment on the frontier; name the file with --plan")
    if plan is None:
        return None
    path = Path(expand_home(plan))
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f'"{path}" cannot be written: it must be a file in an existing folder (--plan)')
    will_write(path, "--plan")
    return path


def _chosen(answer: Advice, choose: int | None) -> Plan:
    if choose is None:
        return answer.plan
    if not 1 <= choose <= len(answer.points):
        raise InputError(
            f"the frontier has {len(answer.points)} treatments; choose 1 to {len(answer.points)} (--choose)"
        )
    return answer.plan_of(choose)


class _AdviceStudy:
    """A table whose columns may become coarser."""

    def __init__(
        self, table: Table, question: AdviceQuestion, options: OpenOptions, persons: PersonOptions, source: object
    ) -> None:
        self.table, self.question, self.options, self.persons = table, question, options, persons
        self.source = os.fspath(source) if isinstance(source, str | os.PathLike) else None
        self.qid: tuple[Attribute, ...] = ()
        self._used: set[str] = set()
        self._surroundings: Surroundings | None = None

    def load(self, names: Sequence[str]) -> TreatmentProblem:
        """Resolve the columns, read them and make the ladders."""
        table, question = self.table, self.question
        self.qid = parse_attributes(names, table.columns)
        columns = [attribute.column for attribute in self.qid]
        _require_different(columns)
        sensitive = columns_of_advice(table, self.qid, question)
        target = _other(table, question.use_for, columns, "the column of --use-for") if question.use_for else None
        require_columns(question.ladders, self.qid, [attribute.column for attribute in sensitive])
        for name in question.ranks:
            if name not in question.sensitive:
                raise InputError(f'column "{name}" is not sensitive (--ranks); add --sensitive {name}')
        require_other_columns(self.persons.column, columns, "--qid")
        more = [attribute.column for attribute in (*sensitive, *([target] if target is not None else []))]
        self._used = {*columns, *more, *self.persons.columns(table.columns)}
        declared = self.persons.columns(table.columns)
        around = self._surroundings = Surroundings(table, self.options, [*columns, *more], declared)
        table.load([*columns, *more, *declared, *around.columns], around.sampled, around.sampled)
        if self.persons.column is not None:
            require_one_row_per_person(table, self.persons.column)
        if not table.n_people():
            raise DataError("the table has no rows")
        _refuse_identifiers(identifiers_among(table, self.qid, self.options, question.ladders.hierarchies))
        return read_problem(table, self.qid, sensitive, target, question, self.options)

    def parts(self) -> AdviceParts:
        """Return what the answer says besides figures."""
        assert self._surroundings is not None
        others = [name for name in self.table.columns if name not in self._used and name != self.options.count]
        return AdviceParts(
            source=self.source,
            options=self.options,
            persons=self.persons,
            qid=tuple(attribute.name for attribute in self.qid),
            beside=self._surroundings.beside,
            has_other_columns=bool(others),
            notes=tuple(self.table.notes),
            to_name=self._to_name(),
        )

    def _to_name(self) -> OtherColumns:
        """Return the other columns that the command for the plan has to name."""
        assert self._surroundings is not None
        if self.source is None or self.source == "-":
            return NO_OTHER_COLUMNS
        wanted = [name for name in (*self.question.sensitive, self.question.use_for) if name is not None]
        treated = [attribute.column for attribute in self.qid]
        return other_columns(self.source, self.options, self.table, treated, self._surroundings.beside, wanted)


def _refuse_identifiers(found: Sequence[str]) -> None:
    if found:
        them = "it" if len(found) == 1 else "them"
        raise InputError(
            f"{joined(found)} {'identifies' if len(found) == 1 else 'identify'} people: identifiers are not made "
            f"coarser but dropped or replaced; take {them} out of --qid, and use idbits apply --drop or --pseudonym"
        )


def _require_different(columns: Sequence[str]) -> None:
    for name in columns:
        if columns.count(name) > 1:
            raise InputError(f'column "{name}" is twice in --qid; name one view of it, with which its ladder begins')
