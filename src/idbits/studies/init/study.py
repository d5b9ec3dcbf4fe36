"""Writes a first policy for tables: the study behind ``idbits init``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path, PurePath
from typing import Any, Unpack

from idbits.engines.open import is_database, open_table
from idbits.errors import InputError
from idbits.reading import OPTIONS, Names, Reading, open_options
from idbits.storage import expand_home
from idbits.studies.shared.roles import (
    Role,
    RoleJudgement,
    columns_someone_may_know,
    judge_all_rows,
    must_withhold_names,
    person_candidates,
)
from idbits.studies.shared.rules import rule_column
from idbits.studies.shared.serialisation import UncheckedData

__all__ = ["propose_policy"]

_MOST = 8
_FORBIDDEN = (Role.IDENTIFIER, Role.FREE_TEXT)
_MOST_SENSITIVE = 3
_EXAMPLES = (
    "",
    "# If the table is a sample of a population:",
    "# [dataset.sample]",
    '# people = 17_000_000  # or fraction = 0.05, or weight = "the column of sampling weights"',
    "",
    "# To waive a rule until a date:",
    "# [[dataset.waivers]]",
    '# rule = "k_min >= 5"',
    '# owner = "the person responsible"',
    '# reason = "why"',
    "# expires = 2027-12-31",
)


@dataclass(frozen=True)
class _ColumnParts:
    """What each column of a table is in a policy."""

    person: str | None
    known: list[str]
    left_out: list[str]
    allowed: list[str]
    forbidden: list[str]
    sensitive: list[str]

    @classmethod
    def of(cls, judgements: Sequence[RoleJudgement], names: Iterable[str], *, is_counted: bool) -> _ColumnParts:
        persons = () if is_counted else person_candidates(judgements)
        person = persons[0].column if len(persons) == 1 else None
        others = [judgement for judgement in judgements if judgement.column != person]
        known = columns_someone_may_know(others, _MOST) or [judgement.column for judgement in others][:1]
        forbidden = [judgement.column for judgement in others if judgement.role in _FORBIDDEN]
        measured = {judgement.column for judgement in others if judgement.attribute in known}
        return cls(
            person,
            known,
            left_out=[name for name in columns_someone_may_know(others) if name not in known],
            allowed=[name for name in names if name not in forbidden or name in measured],
            forbidden=forbidden,
            # What groups give away is measured with one row per person.
            sensitive=_sensitive(others, measured) if person is None else [],
        )


def propose_policy(
    sources: Names, folder: Path | None = None, **reading: Unpack[Reading]
) -> tuple[str, tuple[str, ...]]:
    """Return the text of a policy for tables, with comments, and notes on how they were read.

    ``folder`` is where the policy will be; the current folder if not given.
    """
    lines = [
        "# The rules for handing over data. `idbits check` tests the data against them.",
        "# Paths are relative to this file. Its JSON schema is idbits/studies/check/policy.schema.json.",
        "version = 1",
    ]
    all_notes: list[str] = []
    names: set[str] = set()
    given = [sources] if isinstance(sources, str) else list(sources)
    for source in given:
        table = open_options(reading).table
        name = _unused_name(_dataset_name(source, table), names)
        names.add(name)
        dataset, notes = _propose_dataset(source, name, folder, reading)
        lines += ["", *dataset]
        all_notes += [f"{name}: {note}" for note in notes] if len(given) > 1 else notes
    return "\n".join([*lines, *_EXAMPLES, ""]), tuple(all_notes)


def _unused_name(name: str, used: Set[str]) -> str:
    """Return the name, or the name with the first number that makes it new.

    >>> _unused_name("people", set()), _unused_name("people", {"people", "people-2"})
    ('people', 'people-3')
    """
    candidates = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(candidate for candidate in candidates if candidate not in used)


def _propose_dataset(
    source: str, name: str, folder: Path | None, reading: Reading
) -> tuple[list[str], tuple[str, ...]]:
    """Return the lines of a dataset, and notes on how the table was read."""
    options = open_options(reading)
    with closing(open_table(source, options)) as table:
        names_withheld = must_withhold_names(table, options)
        table.load(name for name in table.columns if name != options.count)
        judgements = judge_all_rows(table, options)
        table.check_unchanged()
        notes = tuple(table.notes)
    if names_withheld:
        raise InputError(
            "the first row may be a person instead of column names, which a policy needs; add --no-header, or name the "
            "columns with --columns"
        )
    parts = _ColumnParts.of(judgements, table.columns, is_counted=options.count is not None)
    lines = [
        "[[dataset]]",
        f"name = {_toml(name)}",
        f"source = {_toml(_beside(folder, source))}",
        *_column_lines(parts),
        *(f"{option} = {_toml(value)}" for option, value in _given(reading).items()),
        *_rule_lines(parts.sensitive),
    ]
    return lines, notes


def _dataset_name(source: str, table: str | None) -> str:
    """Return a name for a dataset: that of the table of a database, of the file, or of the folder of a glob.

    >>> [_dataset_name(source, None) for source in ("data/week47.csv.gz", "weeks/*.parquet", "*.csv", "sqlite:///a.db")]
    ['week47', 'weeks', 'people', 'people']
    >>> _dataset_name("sqlite:///a.db", "visits")
    'visits'
    """
    if is_database(source):
        return table or "people"
    path = PurePath(source)
    plain = [part for part in (path.name.split(".")[0], path.parent.name) if part and not re.search(r"[*?\[]", part)]
    return plain[0] if plain else "people"


def _column_lines(parts: _ColumnParts) -> Iterator[str]:
    yield "# The columns someone may know about a person; coarsen them like birthdate:year or zip:prefix2."
    yield f"qid = {_toml(parts.known)}"
    if parts.left_out:
        yield f"# Left out here, although someone may know them too: {_comment(parts.left_out)}"
    if parts.person is not None:
        why = "people seem to repeat in this column; without this line, each row is a person"
        yield f"person = {_toml(parts.person)}  # {why}"
    else:
        yield '# person = "id"  # the column that identifies people, if they have several rows'
    yield "# Any other column, and any column that looks like an identifier or free text, fails the check."
    yield f"allowed_columns = {_toml(parts.allowed)}"
    yield "forbid_identifiers = true"
    if parts.forbidden:
        yield f"# In the table, but not in a release: {_comment(parts.forbidden)}"
    if parts.sensitive:
        yield "# The columns that must not be learnt about people who share a group."
        yield f"sensitive = {_toml(parts.sensitive)}"


def _rule_lines(sensitive: Sequence[str]) -> list[str]:
    return [
        "rules = [",
        '    "k_min >= 5",                                        # every group has at least 5 people',
        '    { rule = "people_below.10 <= 5%", level = "warn" },  # at most 5% of people are in groups smaller than 10',
        '    { rule = "mean_risk <= 10%", level = "warn" },       # at most 10% of guesses within a group are right',
        *(f"    {_sensitive_rule(column)},  # every group has at least 2 values" for column in sensitive),
        "    # Other figures: entropy_bits, singletons, pif, rig.p95, change.entropy_bits (with --baseline).",
        "    # If the table is a sample (see below): at most 20% of those unique here are unique in the population.",
        '    # { rule = "sample.pi_high <= 20%", level = "warn" },',
        "]",
    ]


def _sensitive(judgements: Sequence[RoleJudgement], known: Set[str]) -> list[str]:
    """Return the sensitive columns, by their role; those that someone may know are not secret."""
    found = [judgement.column for judgement in judgements if judgement.role is Role.SENSITIVE]
    return [column for column in found if column not in known][:_MOST_SENSITIVE]


def _sensitive_rule(column: str) -> str:
    r"""Return a rule about a sensitive column as TOML.

    >>> print(_sensitive_rule("diagnosis"))
    { rule = "l_distinct.diagnosis >= 2", level = "warn" }
    >>> print(_sensitive_rule("main diagnosis") == r'{ rule = "l_distinct.\"main diagnosis\" >= 2", level = "warn" }')
    True
    """
    return f'{{ rule = {_toml(f"l_distinct.{rule_column(column)} >= 2")}, level = "warn" }}'


def _beside(folder: Path | None, source: str) -> str:
    """Return the path of a source relative to a folder."""
    if folder is None or is_database(source):
        return source
    if not Path(expand_home(source)).is_absolute() and folder.resolve() != Path.cwd():
        try:
            source = os.path.relpath(source, folder.resolve())
        except ValueError:  # Another drive of Windows.
            source = os.path.abspath(source)  # noqa: PTH100 (a glob stays one)
    # With slashes, so that the policy can be used on every system.
    return source.replace(os.sep, "/")


def _given(reading: Reading) -> UncheckedData:
    given: UncheckedData = {}
    for name, option in OPTIONS.items():
        value = reading.get(name)
        if option.in_policy and value is not None and value != option.default:
            given[name] = list(value) if isinstance(value, tuple) else value
    return given


def _toml(value: Any) -> str:
    # A TOML string is written like a JSON string, except for the one control character that JSON does not escape.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _comment(names: list[str]) -> str:
    return ", ".join(_toml(name) for name in names)
