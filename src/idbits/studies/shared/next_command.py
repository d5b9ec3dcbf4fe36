"""The next command: the search for a treatment; or, if there can be none, the same measurement of coarser columns."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from idbits.engines.base import OpenOptions, Table
from idbits.studies.shared.coarser import next_view
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.persons import PersonOptions
from idbits.values.attributes import Attribute

__all__ = ["SMALL_GROUP", "command_line", "next_command", "quoted_names", "treatment_command"]

_FEW_VALUES = 20
SMALL_GROUP = 5
"""The goal of idbits advise: no group is smaller."""


def next_command(
    table: Table,
    qid: Sequence[Attribute],
    columns: Sequence[tuple[str, Figures]],
    source: str | None,
    options: OpenOptions,
    figures: Figures,
    more: Sequence[str] = (),
    *,
    can_withhold: bool = True,
) -> str | None:
    """Return the command to try next: a coarser column if people are in small groups, else an inspection."""
    if source == "-":
        return None
    if not figures.people_below[str(SMALL_GROUP)]:
        words = ["idbits", "inspect", shlex.quote(source or ""), *options.command_words()]
        return " ".join(words) if source is not None else None
    ranked = sorted(zip(qid, columns, strict=True), key=lambda pair: -pair[1][1].entropy_bits)
    named = {attribute.name for attribute in qid}
    for attribute, (_, figures_alone) in ranked:
        if attribute.transforms or (figures_alone.n_sets is not None and figures_alone.n_sets <= _FEW_VALUES):
            continue
        view = next_view(table, attribute)
        if view is not None and view.name not in named:
            names = [view.name if other is attribute else other.name for other in qid]
            return command_line(names, source, options, *more)
    if not can_withhold:
        return None
    return command_line([attribute.name for attribute in qid], source, options, *more, f"--suppress {SMALL_GROUP}")


def treatment_command(names: Sequence[str], source: str | None, options: OpenOptions, persons: PersonOptions) -> str:
    """Return the command or the Python call that looks for a treatment after which no group is small."""
    if source is None:
        given = {"person": persons.column, "rows_are_people": persons.rows_are_people or None}
        more = "".join(f", {name}={value!r}" for name, value in given.items() if value is not None)
        return f"idbits.advise(frame, {list(names)!r}{more})"
    words = ["idbits", "advise", shlex.quote(source), "--qid", shlex.quote(quoted_names(names))]
    words += options.command_words()
    words += ["--person", shlex.quote(persons.column)] if persons.column is not None else []
    return " ".join([*words, *(["--rows-are-people"] if persons.rows_are_people else [])])


def command_line(
    names: Sequence[str],
    source: str | None,
    options: OpenOptions,
    *more: str,
    arguments: Mapping[str, str | bool | None] | None = None,
) -> str:
    """Return the command or the Python call that measures these columns with the same reading options.

    A command has the words of ``more``, a Python call the ``arguments`` that are not None.
    """
    if source is None:
        given = "".join(f", {name}={value!r}" for name, value in (arguments or {}).items() if value is not None)
        return f"idbits.measure(frame, {list(names)!r}{given})"
    quoted = shlex.quote(quoted_names(names))
    return " ".join(["idbits", "measure", shlex.quote(source), "--qid", quoted, *options.command_words(), *more])


def quoted_names(names: Sequence[str]) -> str:
    """Return names as the list that an option takes; a name with a comma is quoted as in CSV."""
    return ",".join(f'"{name.replace(chr(34), chr(34) * 2)}"' if _needs_quotes(name) else name for name in names)


def _needs_quotes(name: str) -> bool:
    return any(character in name for character in ',"\r\n') or name != name.strip()
