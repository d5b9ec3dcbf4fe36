"""Where a report comes from: what to type, or to call, to make it again, and the hash of what was read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from idbits.engines.base import OpenOptions, Table
from idbits.engines.open import is_database
from idbits.engines.sources.fingerprint import sha256_of
from idbits.studies.measure.study import MeasureStudy
from idbits.studies.report.result import Origin
from idbits.studies.shared.next_command import quoted_names
from idbits.values.attributes import Attribute

__all__ = ["Asked", "origin_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a report is asked for, besides the table and its quasi-identifier.

    Attributes:
        sections: those that are shown, in the order of the page.
        all_sections: whether these are all that apply, because none were named.
    """

    by: str | None
    person: str | None
    population: Any
    population_count: str | None
    population_table: str | None
    missing: str
    features: Sequence[str]
    sections: tuple[str, ...]
    all_sections: bool
    include: Sequence[Any]
    internal: bool
    reveal: bool
    seed: int


def origin_of(table: Table, source: Any, study: MeasureStudy, more: Sequence[Attribute], asked: Asked) -> Origin:
    """Return where a report comes from."""
    names = [attribute.name for attribute in study.qids[0]]
    command = _call(names, study.options, asked) if study.source is None else _command(names, study, more, asked)
    digest = sha256_of(table.files)
    reason = None
    if digest is None:
        reason = "a database has no file to hash" if is_database(source) else "the table was in memory, not in a file"
    return Origin(command, asked.seed, len(table.files), digest, reason, study.options.table)


def _command(names: list[str], study: MeasureStudy, more: Sequence[Attribute], asked: Asked) -> str:
    options = study.options
    words = ["idbits report", shlex.quote(study.source or ""), "--qid", shlex.quote(quoted_names(names))]
    words += [*options.command_words(), *study.words]
    words += ["--missing unbounded"] if asked.missing == "unbounded" else []
    words += ["--columns", shlex.quote(quoted_names(options.columns))] if options.columns is not None else []
    words += ["--features", shlex.quote(quoted_names([attribute.name for attribute in more]))] if more else []
    words += [] if asked.all_sections else ["--sections", ",".join(asked.sections)]
    words += [f"--include {shlex.quote(os.fspath(path))}" for path in asked.include]
    words += ["--internal"] if asked.internal else []
    words += ["--reveal"] if asked.reveal else []
    return " ".join([*words, *([f"--seed {asked.seed}"] if asked.seed else [])])


def _call(names: list[str], options: OpenOptions, asked: Asked) -> str:
    """Return the call for a table in memory; a filter is withheld as it is in a command."""
    words: dict[str, Any] = {name: getattr(asked, name) for name in ("by", "person", "population_count")}
    words |= {"count": options.count, "features": list(asked.features)}
    words |= {"sections": None if asked.all_sections else list(asked.sections)}
    words |= {name: getattr(asked, name) for name in ("internal", "reveal", "seed")}
    told = [f"{name}={value!r}" for name, value in words.items() if value]
    told += ["population=..."] if asked.population is not None else []
    told += ["where='...'"] if options.where is not None else []
    told += ["include=[...]"] if asked.include else []
    return f"idbits.report({', '.join(['frame', repr(names), *told])})"
