"""From the words of a plan to the columns of a table: what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from idbits.engines.backends.treating import TreatedColumn
from idbits.errors import ColumnNotFoundError, InputError
from idbits.reading import Names, name_list
from idbits.studies.apply.hierarchies import GivenHierarchies
from idbits.studies.shared.plans import ALL, AS_IS, MIXED, Plan, PlannedColumn
from idbits.values.attributes import Attribute, Kind, parse_attribute

__all__ = ["inline_plan", "treated_columns"]


def inline_plan(qid: Names, withhold_below: int | None, columns: Mapping[str, Kind]) -> Plan:
    """Return the plan that a quasi-identifier with views says, such as ``age:band20,zip:prefix2,job:all``."""
    if withhold_below is not None and withhold_below < 1:
        raise InputError("the smallest group must be at least 1 (--withhold-below)")
    planned = [_planned(name, columns) for name in name_list(qid)]
    names = [column.column for column in planned]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f'column "{name}" can have only one view in a treated file; name it once in --qid')
    goal = (f"k_min >= {withhold_below}",) if withhold_below is not None else ()
    return Plan(goal, 1.0, tuple(planned), "")


def _planned(name: str, columns: Mapping[str, Kind]) -> PlannedColumn:
    column, _, last = name.rpartition(":")
    if last == ALL and column and name not in columns:
        return PlannedColumn(parse_attribute(column, columns).column, ALL, 1)
    attribute = parse_attribute(name, columns)
    view = ":".join(map(str, attribute.transforms))
    return PlannedColumn(attribute.column, view or AS_IS, int(bool(view)))


def treated_columns(
    planned: Sequence[PlannedColumn], columns: Mapping[str, Kind], hierarchies: GivenHierarchies
) -> tuple[TreatedColumn, ...]:
    """Return what becomes of the columns of a plan."""
    return tuple(_treated(column, columns, hierarchies) for column in planned)


def _treated(planned: PlannedColumn, columns: Mapping[str, Kind], hierarchies: GivenHierarchies) -> TreatedColumn:
    if planned.column not in columns:
        raise ColumnNotFoundError(planned.column, columns)
    plain = Attribute(planned.column, columns[planned.column])
    if planned.view == MIXED:
        return TreatedColumn(plain, is_mixed=True)
    if planned.view == ALL:
        return TreatedColumn(plain, is_given_up=True)
    if planned.hierarchy is not None:
        return TreatedColumn(plain, labels=hierarchies.labels(planned) if planned.level else None)
    name = planned.attribute
    assert name is not None
    # Parsed with this column only: another column may be named "age:band5".
    return TreatedColumn(parse_attribute(name, {plain.column: plain.kind}))
