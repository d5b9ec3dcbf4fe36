"""The ladder of each column: its views from the finest to ``all``, and which value each value becomes.

Implements: SPEC page advise.md, section 1 (ladders).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from pathlib import Path

import numpy as np

from idbits.counts import Integers, Value
from idbits.engines.base import Table
from idbits.errors import InputError
from idbits.kernels.lattice.levels import ColumnLevels, split_values
from idbits.storage import expand_home
from idbits.studies.shared.coarser import coarser_views
from idbits.studies.shared.hierarchies import Hierarchy, read_hierarchy
from idbits.studies.shared.plans import ALL, AS_IS
from idbits.values.attributes import Attribute, Kind, parse_attribute, split_names
from idbits.wording import counted, near_names

__all__ = [
    "Ladder", "LadderRequest", "column_of", "make_ladder", "parse_importance", "parse_views", "read_hierarchies",
    "require_columns", "value_order",
]  # fmt: skip

_ORDERED = ("day", "week", "month", "quarter", "year", "band", "round", "cap")
_FILE_ENDINGS = (".csv", ".tsv", ".txt")


@dataclass(frozen=True, slots=True)
class LadderRequest:
    """What the user said about the ladders of columns.

    Attributes:
        hierarchies: a hierarchy file or a list of views per column.
        keep: columns that stay as they are.
        finest, coarsest: the first and the last view allowed per column.
        importance: the weight of a column's loss.
        keeps_equal_views: whether views stay on a ladder although they merge no values of this table.
    """

    hierarchies: Mapping[str, Hierarchy | tuple[str, ...]] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    finest: Mapping[str, str] = field(default_factory=dict)
    coarsest: Mapping[str, str] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    keeps_equal_views: bool = False


def column_of(text: str, option: str) -> tuple[str, str]:
    """Split ``COL=VALUE`` at its first equals sign.

    >>> column_of("zip=zip.csv", "--hierarchy")
    ('zip', 'zip.csv')
    """
    column, equals, value = text.partition("=")
    if not equals or not column or not value:
        raise InputError(f'"{text}" must name a column and what belongs to it, as in COL={"VALUE"} ({option})')
    return column, value


def read_hierarchies(given: Mapping[str, object] | Sequence[str]) -> dict[str, Hierarchy | tuple[str, ...]]:
    """Read the hierarchy of each column: a file, or views such as ``month,year``."""
    pairs = given.items() if isinstance(given, Mapping) else [column_of(text, "--hierarchy") for text in given]
    made: dict[str, Hierarchy | tuple[str, ...]] = {}
    for column, value in pairs:
        if column in made:
            raise InputError(f'column "{column}" has two hierarchies; give it one (--hierarchy)')
        made[column] = _hierarchy(value)
    return made


def _hierarchy(value: object) -> Hierarchy | tuple[str, ...]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(str(view) for view in value)
    path = Path(expand_home(str(value)))
    if path.exists() or path.suffix.lower() in _FILE_ENDINGS:
        return read_hierarchy(path)
    return tuple(split_names(str(value)))


@dataclass(frozen=True, eq=False)
class Ladder:
    """The views of a column.

    Attributes:
        attribute: the column, with the view that the ladder begins with.
        views: the names of its views: ``as is``, transforms such as ``year:band5``, ``level 2``, ``all``.
        levels: which value each value becomes in each view.
        first, last: the levels allowed.
        is_ordered: whether the values are numbers or dates whose ranges mean something.
        hierarchy: the file that the levels come from.
        importance: the weight of the column's loss.
    """

    attribute: Attribute
    views: tuple[str, ...]
    levels: ColumnLevels
    first: int
    last: int
    is_ordered: bool = False
    hierarchy: Hierarchy | None = None
    importance: float = 1.0

    @property
    def column(self) -> str:
        """The column of the source."""
        return self.attribute.column

    @property
    def start(self) -> str:
        """The view that the ladder begins with."""
        return self.attribute.name[len(self.column) + 1 :] if self.attribute.transforms else AS_IS

    @cached_property
    def allowed(self) -> ColumnLevels:
        """The levels that a treatment may choose."""
        if (self.first, self.last) == (0, self.levels.n_levels - 1):
            return self.levels
        return self.levels.only(range(self.first, self.last + 1))

    def named(self, level: int) -> str:
        """Return the column with the view of a level of the ladder, such as ``birthdate:year``."""
        view = self.views[level]
        return self.attribute.name if view == AS_IS else f"{self.column}:{view}"


def make_ladder(
    table: Table, attribute: Attribute, request: LadderRequest, people: Integers, *, in_order: bool = True
) -> Ladder:
    """Return the ladder of an attribute; ``people`` has the people of each of its codes.

    Only groups of similar people need values in their order (``in_order``): labels of many values take time.
    """
    hierarchy = request.hierarchies.get(attribute.column)
    if isinstance(hierarchy, Hierarchy):
        views, levels = _from_file(table, attribute, hierarchy, people)
        is_ordered = False
    else:
        views, levels, is_ordered = _from_views(
            table, attribute, hierarchy, len(people), in_order=in_order, keeps_equal=request.keeps_equal_views
        )
    first, last = _allowed(attribute, views, request)
    return Ladder(
        attribute, views, levels, first, last, is_ordered,
        hierarchy if isinstance(hierarchy, Hierarchy) else None,
        request.importance.get(attribute.column, 1.0),
    )  # fmt: skip


def _from_file(
    table: Table, attribute: Attribute, hierarchy: Hierarchy, people: Integers
) -> tuple[tuple[str, ...], ColumnLevels]:
    values = table.labels(attribute)
    hierarchy.require_values(values, people.tolist(), attribute.column)
    levels, raw_values = [], []
    known = [value if value is None or value in hierarchy.lines else None for value in values]
    has_own_null = any(value is None for value in known) and "" not in hierarchy.lines
    for level in range(hierarchy.n_levels - 1):
        texts = [hierarchy.value(value, level) for value in known]
        numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        levels.append(np.array([numbers[text] for text in texts], np.int64))
        in_file: dict[Value, int] = {}
        for raw in hierarchy.lines:
            text = hierarchy.value(raw, level)
            in_file[text] = in_file.get(text, 0) + 1
        raw_values.append(np.array([1 if text is None else in_file.get(text, 1) for text in texts], np.int64))
    n_raw = len(hierarchy.lines) + has_own_null
    levels.append(np.zeros(len(values), np.int64))
    raw_values.append(np.full(len(values), n_raw, np.int64))
    return tuple(hierarchy.views), ColumnLevels.of(levels, value_order(values), raw_values, n_raw)


def _from_views(
    table: Table,
    attribute: Attribute,
    inline: tuple[str, ...] | None,
    n_codes: int,
    *,
    in_order: bool,
    keeps_equal: bool,
) -> tuple[tuple[str, ...], ColumnLevels, bool]:
    natural = list(coarser_views(table, attribute))
    if inline is None:
        coarser = natural
    else:
        known = {attribute.column: attribute.kind}
        coarser = [parse_attribute(f"{attribute.column}:{view}", known) for view in inline if view not in (AS_IS, ALL)]
    levels = [np.arange(n_codes)]
    views = [AS_IS]
    for view, codes in zip(coarser, table.view_codes(attribute, coarser), strict=True):
        split = split_values(levels[-1], codes)
        if len(split):
            if inline is None:
                continue
            raise InputError(
                f'view {len(levels)} of "{attribute.column}" splits what the view before had joined, for '
                f"{counted(len(split), 'value')}; name views from fine to coarse (--hierarchy)"
            )
        if keeps_equal or len(np.unique(codes)) < len(np.unique(levels[-1])):
            levels.append(codes)
            views.append(view.name[len(attribute.column) + 1 :])
    if len(np.unique(levels[-1])) > 1 or (keeps_equal and inline is not None and ALL in inline):
        levels.append(np.zeros(len(levels[0]), np.int64))
        views.append(ALL)
    # The order is that of the values, whatever views the user chose.
    is_ordered = any(view.transforms[-1].name in _ORDERED for view in natural[:1]) or _is_ordered_kind(attribute)
    order = value_order(_ordered_labels(table, attribute, natural), is_number=is_ordered) if in_order else None
    return tuple(views), ColumnLevels.of(levels, order), is_ordered


def _is_ordered_kind(attribute: Attribute) -> bool:
    return attribute.result_kind in (Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP)


def _ordered_labels(table: Table, attribute: Attribute, coarser: Sequence[Attribute]) -> list[Value]:
    """Return labels that sort like the values: for dates in text, those of days."""
    if attribute.result_kind is Kind.TEXT and coarser and coarser[0].transforms[-1].name == "day":
        (codes,) = table.view_codes(attribute, coarser[:1])
        labels = table.labels(coarser[0])
        return [labels[code] for code in codes.tolist()]
    return table.labels(attribute)


def value_order(values: Sequence[Value], *, is_number: bool = False) -> Integers:
    """Return the place of each value: numbers by their size if all are numbers, else by code points; null first.

    >>> value_order(["10", "9", None], is_number=True).tolist(), value_order(["10", "9"]).tolist()
    ([2, 1, 0], [0, 1])
    """
    keys: list[tuple[int, Decimal | int, str]] = [(0, 0, "") if text is None else (1, 0, text) for text in values]
    if is_number:
        with suppress(InvalidOperation):
            keys = [(0, 0, "") if text is None else (1, _number(text), text) for text in values]
    order = sorted(range(len(values)), key=keys.__getitem__)
    places = np.empty(len(values), np.int64)
    places[order] = np.arange(len(values))
    return places


def _number(text: str) -> Decimal:
    number = Decimal(text.strip().replace(",", "."))
    if number.is_nan():
        raise InvalidOperation
    return number


def _allowed(attribute: Attribute, views: Sequence[str], request: LadderRequest) -> tuple[int, int]:
    """Return the first and the last level allowed."""
    column = attribute.column
    if column in request.keep:
        for option, named in (("--from", request.finest), ("--to", request.coarsest)):
            if column in named:
                raise InputError(f'column "{column}" stays as it is (--keep); leave out {option}')
        return 0, 0
    first = _level(column, request.finest[column], views, "--from") if column in request.finest else 0
    last = _level(column, request.coarsest[column], views, "--to") if column in request.coarsest else len(views) - 1
    if first > last:
        raise InputError(f'column "{column}": the view of --from is coarser than that of --to')
    return first, last


def _level(column: str, view: str, views: Sequence[str], option: str) -> int:
    named = view.removeprefix(f"{column}:")
    if named not in views:
        raise InputError(
            f'column "{column}" has no view "{named}" on its ladder{near_names(named, views)} '
            f"(its views: {', '.join(views)}; {option})"
        )
    return views.index(named)


def require_columns(request: LadderRequest, qid: Sequence[Attribute], sensitive: Sequence[str]) -> None:
    """Raise an error if an option names a column outside --qid; a hierarchy may be of a sensitive column."""
    columns = [attribute.column for attribute in qid]
    named: dict[str, Sequence[str]] = {
        "--keep": request.keep,
        "--from": tuple(request.finest),
        "--to": tuple(request.coarsest),
        "--importance": tuple(request.importance),
        "--hierarchy": tuple(name for name in request.hierarchies if name not in sensitive),
    }
    for option, names in named.items():
        for name in names:
            if name not in columns:
                raise InputError(f'column "{name}" is not in --qid{near_names(name, columns)} ({option})')


def parse_importance(given: Mapping[str, object] | Sequence[str]) -> dict[str, float]:
    """Return the weight of each column's loss."""
    pairs = given.items() if isinstance(given, Mapping) else [column_of(text, "--importance") for text in given]
    made = {}
    for column, text in pairs:
        try:
            weight = float(str(text))
        except ValueError:
            weight = -1.0
        if not 0 < weight < 10**6:
            raise InputError(f'the importance of "{column}" must be a number above 0 (--importance)')
        made[column] = weight
    return made


def parse_views(given: Mapping[str, str] | Sequence[str], option: str) -> dict[str, str]:
    """Return the view of each column."""
    return dict(given) if isinstance(given, Mapping) else dict(column_of(text, option) for text in given)
