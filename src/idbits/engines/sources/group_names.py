"""Column names in two rows: groups of columns, and the columns in each group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

from idbits.engines.sources.cell_texts import is_value
from idbits.engines.sources.row_comparison import Row

__all__ = ["completed_names", "padded_row"]

_SEPARATOR = " "


def completed_names(upper: Row, lower: Row) -> tuple[str, ...] | None:
    """Return the names in two rows, of which the upper one names groups; None if they are not names together.

    >>> completed_names(["id", "income", ""], ["", "2019", "2020"])
    ('id', 'income 2019', 'income 2020')
    """
    upper, lower = ([cell.strip() for cell in padded_row(row, max(len(upper), len(lower)))] for row in (upper, lower))
    repeated = {name for name, number in Counter(lower).items() if name and number > 1}
    empty = any(high and not low for high, low in zip(upper, lower, strict=True))
    if (not repeated and not empty) or sum(map(bool, upper)) < 2:
        return None
    # Next to empty names, a number is no name by itself: income 2019.
    needs_group = repeated | ({name for name in lower if is_value(name)} if empty else set())
    groups = _groups(upper)
    if not any(_is_group([lower[column] for column in columns], needs_group) for _, columns in groups):
        return None
    names = list(lower)
    for group, columns in groups:
        for column in columns:
            name = lower[column]
            names[column] = f"{group}{_SEPARATOR}{name}" if name in needs_group and group else name or upper[column]
    texts = [name for name in names if name]
    return tuple(names) if len(set(texts)) == len(texts) >= len(names) - 1 else None


def _groups(upper: Row) -> list[tuple[str, list[int]]]:
    """Return the groups with their columns: a group goes on where its name is repeated or where there is none."""
    groups: list[tuple[str, list[int]]] = []
    for column, name in enumerate(upper):
        if groups and name in ("", groups[-1][0]):
            groups[-1][1].append(column)
        else:
            groups.append((name, [column]))
    return groups


def _is_group(names: Row, needs_group: Set[str]) -> bool:
    """Whether several columns of a group have names, and those of other groups if any name is repeated."""
    return len(names) > 1 and all(names) and (not needs_group or sum(name in needs_group for name in names) > 1)


def padded_row(row: Row, width: int) -> list[str]:
    """Return a row with at least this many cells."""
    return [*row, *[""] * (width - len(row))]
