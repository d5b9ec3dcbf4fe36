"""A first policy for a table: the study behind ``idbits init``."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path, PurePath
from typing import Any, Unpack

from idbits.engines.open import is_database, open_table
from idbits.errors import InputError
from idbits.reading import OPTIONS, Reading, open_options
from idbits.studies.shared.roles import must_withhold_names, report_columns
from idbits.studies.shared.serialisation import UncheckedData

__all__ = ["propose_policy"]

_MOST = 8


def propose_policy(source: str, folder: Path | None = None, **reading: Unpack[Reading]) -> tuple[str, tuple[str, ...]]:
    """Return the text of a policy for a table, with comments, and notes on how the table was read.

    ``folder`` is where the policy will be: here unless given.
    """
    options = open_options(reading)
    with closing(open_table(source, options)) as table:
        names_withheld = must_withhold_names(table, options)
        columns = report_columns(table, options)
        table.check_unchanged()
        notes = tuple(table.notes)
    if names_withheld:
        raise InputError(
            "the first row may be a person instead of names, and a policy has to name columns: say --no-header, or "
            "which columns may be seen with --columns"
        )
    quasi = [report.column for report in columns if report.role == "quasi-identifier"]
    direct = [report.column for report in columns if report.role == "direct identifier"]
    chosen = quasi[:_MOST] or [report.column for report in columns][:1]
    name = "people" if is_database(source) else PurePath(source).name.split(".")[0] or "people"
    lines = [
        "# What may be handed over, and under which conditions: `idbits check` holds the data to it.",
        "# Paths are beside this file. The schema of this file is shipped as idbits/studies/check/policy.schema.json.",
        "version = 1",
        "",
        "[[dataset]]",
        f"name = {_toml(name)}",
        f"source = {_toml(_beside(folder, source))}",
        "# The columns that somebody may know of a person; coarsen them like birthdate:year or zip:prefix2.",
        f"qid = {_toml(chosen)}",
    ]
    if len(quasi) > _MOST:
        lines.append(f"# Not taken in, though they look like quasi-identifiers: {_comment(quasi[_MOST:])}")
    if direct:
        lines.append(f"# These name people directly and have no place in a release: {_comment(direct)}")
    lines += ['# person = "id"  # one row a person is checked, too']
    lines += [f"{option} = {_toml(value)}" for option, value in _given(reading).items()]
    lines += [
        "rules = [",
        '    "k_min >= 5",                                        # nobody is in a set of fewer than 5',
        '    { rule = "people_below.10 <= 5%", level = "warn" },  # few are in sets of fewer than 10',
        '    { rule = "mean_risk <= 10%", level = "warn" },       # a guess within the set is rarely right',
        "    # Other figures: entropy_bits, singletons, pif, rig.p95, change.entropy_bits (needs --baseline).",
        "]",
        "",
        "# A rule may be broken with somebody's leave, for a while:",
        "# [[dataset.waivers]]",
        '# rule = "k_min >= 5"',
        '# owner = "name of who answers for it"',
        '# reason = "why"',
        "# expires = 2027-12-31",
        "",
    ]
    return "\n".join(lines), notes


def _beside(folder: Path | None, source: str) -> str:
    """Return a source as it is called from a folder."""
    if folder is None or is_database(source) or Path(source).is_absolute() or folder.resolve() == Path.cwd():
        return source
    return os.path.relpath(source, folder.resolve())


def _given(reading: Reading) -> UncheckedData:
    given: UncheckedData = {}
    for name, option in OPTIONS.items():
        value = reading.get(name)
        if option.in_policy and value is not None and value != option.default:
            given[name] = list(value) if isinstance(value, tuple) else value
    return given


def _toml(value: Any) -> str:
    # A basic string of TOML is written as one of JSON, but for the one control character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _comment(names: list[str]) -> str:
    return ", ".join(_toml(name) for name in names)
