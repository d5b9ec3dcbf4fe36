"""What a report was asked for, and the command or the Python call that asks for it again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.open import is_database
from idbits.engines.sources.files import sha256_of
from idbits.studies.measure.study import MeasureStudy
from idbits.studies.report.result import Origin
from idbits.studies.report.treatments import ReportGoal
from idbits.studies.shared.next_command import quoted_names
from idbits.studies.shared.persons import PersonOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.studies.population.study import PopulationQuestion

__all__ = ["ReportRequest", "origin_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """The options of a report, besides the table and its quasi-identifier.

    Attributes:
        treating: the goal that treatments have to reach.
        sections: the sections to show, in the order of the page.
        all_sections: whether all sections that apply are shown, because none were named.
    """

    by: str | None
    person: PersonOptions
    population: Source
    population_count: str | None
    population_table: str | None
    population_person: str | None
    missing: str
    features: Sequence[str]
    treating: ReportGoal
    sections: tuple[str, ...]
    all_sections: bool
    include: Sequence[str | os.PathLike[str]]
    about: str | os.PathLike[str] | None
    decision: str | os.PathLike[str] | None
    internal: bool
    reveal: bool
    seed: int
    sample: PopulationQuestion | None = None
    sensitive: tuple[str, ...] = ()
    names_sensitive: bool = False


def origin_of(
    table: Table, source: Source, study: MeasureStudy, more: Sequence[Attribute], request: ReportRequest
) -> Origin:
    """Return where a report comes from."""
    names = [attribute.name for attribute in study.qids[0]]
    command = _call(names, study.options, request) if study.source is None else _command(names, study, more, request)
    digest = sha256_of(table.files)
    reason = None
    if digest is None:
        reason = "a database has no file to hash" if is_database(source) else "the table was in memory, not in a file"
    return Origin(command, request.seed, len(table.files), digest, reason, study.options.table)


def _command(names: list[str], study: MeasureStudy, more: Sequence[Attribute], request: ReportRequest) -> str:
    options = study.options
    words = ["idbits report", shlex.quote(study.source or ""), "--qid", shlex.quote(quoted_names(names))]
    words += [*options.command_words(), *study.words]
    words += request.sample.command_words() if request.sample is not None else []
    words += ["--missing unbounded"] if request.missing == "unbounded" else []
    words += ["--columns", shlex.quote(quoted_names(options.columns))] if options.columns is not None else []
    words += [f"--sensitive {shlex.quote(quoted_names(request.sensitive))}"] if request.names_sensitive else []
    words += ["--features", shlex.quote(quoted_names([attribute.name for attribute in more]))] if more else []
    words += request.treating.command_words()
    words += [] if request.all_sections else ["--sections", ",".join(request.sections)]
    words += [f"--include {shlex.quote(os.fspath(path))}" for path in request.include]
    words += [f"--about {shlex.quote(os.fspath(request.about))}"] if request.about is not None else []
    words += [f"--decision {shlex.quote(os.fspath(request.decision))}"] if request.decision is not None else []
    words += ["--internal"] if request.internal else []
    words += ["--reveal"] if request.reveal else []
    return " ".join([*words, *([f"--seed {request.seed}"] if request.seed else [])])


def _call(names: list[str], options: OpenOptions, request: ReportRequest) -> str:
    """Return the call for a table in memory; the text of a filter is left out, as in a command."""
    words: dict[str, Any] = {"by": request.by, **request.person.arguments()}
    words |= {"population_count": request.population_count, "population_person": request.population_person}
    words |= {name: getattr(request.sample, name, None) for name in ("people", "fraction", "weight")}
    words |= {"sensitive": list(request.sensitive) if request.names_sensitive else None}
    words |= {"count": options.count, "features": list(request.features), **request.treating.arguments()}
    words |= {"sections": None if request.all_sections else list(request.sections)}
    words |= {name: getattr(request, name) for name in ("internal", "reveal", "seed")}
    options_given = [f"{name}={value!r}" for name, value in words.items() if value]
    options_given += ["population=..."] if request.population is not None else []
    options_given += ["where='...'"] if options.where is not None else []
    options_given += ["include=[...]"] if request.include else []
    options_given += [f"{name}=..." for name in ("about", "decision") if getattr(request, name) is not None]
    return f"idbits.report({', '.join(['frame', repr(names), *options_given])})"
