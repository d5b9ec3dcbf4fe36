"""The next command: the same measurement with the most telling column one step coarser, or with people withheld."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from idbits.engines.base import OpenOptions, Table
from idbits.errors import IdbitsError
from idbits.studies.shared.figures import Figures
from idbits.values.attributes import Attribute, Kind, parse_attribute

__all__ = ["command_line", "fitting_step", "next_command", "quoted_names"]

_STEPS = {
    Kind.DATE: ("year",),
    Kind.TIMESTAMP: ("month",),
    Kind.NUMBER: ("band10",),
    Kind.OTHER: ("top20",),
    Kind.BOOLEAN: (),
}
_FEW_VALUES = 20
_MANY_VALUES = 200
_SMALL = 5


def next_command(
    table: Table,
    qid: Sequence[Attribute],
    columns: Sequence[tuple[str, Figures]],
    source: str | None,
    options: OpenOptions,
    figures: Figures,
    more: Sequence[str] = (),
) -> str | None:
    """Return the command to try next: a coarser column while people are in small sets, else a look at the others."""
    if source == "-":
        return None
    if not figures.people_below[str(_SMALL)]:
        words = ["idbits", "inspect", shlex.quote(source or ""), *options.command_words()]
        return " ".join(words) if source is not None else None
    ranked = sorted(zip(qid, columns, strict=True), key=lambda pair: -pair[1][1].entropy_bits)
    named = {attribute.name for attribute in qid}
    for attribute, (_, own) in ranked:
        if attribute.transforms or own.n_sets <= _FEW_VALUES:
            continue
        step = fitting_step(table, attribute, own.n_sets)
        if step is not None and step not in named:
            return command_line([step if other is attribute else other.name for other in qid], source, options, *more)
    return command_line([attribute.name for attribute in qid], source, options, *more, f"--suppress {_SMALL}")


def fitting_step(table: Table, attribute: Attribute, n_values: int, *, tried: bool | None = None) -> str | None:
    """Return a coarser view of a column that makes fewer values of it, if one fits.

    Where trials are not cheap, what fits the kind of the column is proposed untried, unless ``tried`` asks for trials.
    """
    codes = "prefix2" if n_values > _MANY_VALUES else "band5"
    trying = table.trials_are_cheap if tried is None else tried
    if attribute.kind is Kind.TEXT and not trying:
        # Each trial would be one more query on somebody's server: only what fits any text is proposed.
        return f"{attribute.column}:prefix2"
    if attribute.kind is Kind.TEXT:
        # Only the values can tell what text is; coarsening them fails at once where it does not fit.
        steps: tuple[str, ...] = ("year", codes, "top20")
    elif attribute.kind is Kind.INTEGER:
        steps = (codes,)
    else:
        steps = _STEPS[attribute.kind]
    for step in steps:
        coarser = parse_attribute(f"{attribute.column}:{step}", {attribute.column: attribute.kind})
        if not trying:
            return coarser.name
        try:
            if table.spectrum((coarser,)).n_sets < n_values:
                return coarser.name
        except IdbitsError:
            continue
    return None


def command_line(names: Sequence[str], source: str | None, options: OpenOptions, *more: str) -> str:
    """Return the command, or the call, that measures these columns of a table read in this way."""
    if source is None:
        return f"idbits.measure(frame, {list(names)!r})"
    quoted = shlex.quote(quoted_names(names))
    return " ".join(["idbits", "measure", shlex.quote(source), "--qid", quoted, *options.command_words(), *more])


def quoted_names(names: Sequence[str]) -> str:
    """Return names as a list that an option takes; one that holds a comma is quoted as in CSV."""
    return ",".join(f'"{name.replace(chr(34), chr(34) * 2)}"' if _needs_quotes(name) else name for name in names)


def _needs_quotes(name: str) -> bool:
    return any(character in name for character in ',"\r\n') or name != name.strip()
