"""The hierarchy of a column's values from a file: each line has a value and its coarser values, as ARX writes them."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from idbits.counts import Integers, Value
from idbits.errors import DataError, InputError
from idbits.file_guard import note_read
from idbits.storage import expand_home
from idbits.wording import counted, counted_people

__all__ = ["hierarchy_levels", "read_hierarchy"]

_DELIMITERS = ";,\t"

Ancestors = dict[Value, tuple[str, ...]]


def read_hierarchy(source: object) -> Ancestors:
    """Return the coarser values of each value, finest first; the last is the same for all."""
    if not isinstance(source, str | os.PathLike):
        raise InputError("--hierarchy must be the path of a file")
    path = Path(expand_home(source))
    note_read(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f'the hierarchy "{path}" cannot be opened: {error.strerror}') from error
    except UnicodeDecodeError as error:
        raise InputError(f'the hierarchy "{path}" must be written in UTF-8') from error
    lines = text.splitlines()
    if not lines:
        raise InputError(f'the hierarchy "{path}" is empty')
    delimiter = max(_DELIMITERS, key=lines[0].count)
    ancestors: Ancestors = {}
    width = None
    for number, fields in enumerate(csv.reader(lines, delimiter=delimiter), start=1):
        if width is None:
            width = len(fields)
        if len(fields) != width or width < 2:
            raise InputError(
                f'line {number} of the hierarchy "{path}" has {counted(len(fields), "field")}; every line needs a '
                "value and the same number of coarser values"
            )
        value, path_up = fields[0] or None, tuple(fields[1:])
        if ancestors.setdefault(value, path_up) != path_up:
            raise InputError(f'line {number} of the hierarchy "{path}" repeats a value with other coarser values')
    _check_nested(ancestors, path)
    if len({levels[-1] for levels in ancestors.values()}) > 1:
        ancestors = {value: (*levels, "*") for value, levels in ancestors.items()}
    return ancestors


def _check_nested(ancestors: Ancestors, path: Path) -> None:
    height = len(next(iter(ancestors.values())))
    for level in range(1, height):
        above: dict[str, set[str]] = {}
        for levels in ancestors.values():
            above.setdefault(levels[level - 1], set()).add(levels[level])
        split = sum(len(parents) > 1 for parents in above.values())
        if split:
            raise InputError(
                f'level {level + 1} of the hierarchy "{path}" splits what level {level} had joined, for '
                f"{counted(split, 'value')}"
            )


def hierarchy_levels(
    ancestors: Ancestors, labels: Sequence[Value], people: Sequence[int], column: str
) -> list[Integers]:
    """Return the node of each value at each height; a null without a line stays apart up to the top."""
    missing = [
        number for text, number in zip(labels, people, strict=True) if text is not None and text not in ancestors
    ]
    if missing:
        raise DataError(
            f'{counted(len(missing), "value")} ({counted_people(sum(missing))}) of "{column}" are not in the hierarchy'
        )
    height = len(next(iter(ancestors.values())))
    top = next(iter(ancestors.values()))[-1]
    levels = []
    for level in range(height):
        nodes: dict[object, int] = {}
        of_labels = []
        for text in labels:
            known = ancestors.get(text)
            node: object = known[level] if known is not None else top if level == height - 1 else None
            of_labels.append(nodes.setdefault(node, len(nodes)))
        levels.append(np.array(of_labels, np.int64))
    return levels
