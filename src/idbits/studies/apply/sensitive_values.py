"""The values of sensitive columns: their order, and their hierarchy, for rules that need one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from idbits.counts import Integers, Value
from idbits.errors import DataError, InputError
from idbits.measures.treatment.group_rules import SensitiveValues
from idbits.studies.apply.hierarchies import GivenHierarchies
from idbits.studies.shared.goals import GoalRule
from idbits.values.attributes import Kind
from idbits.values.decimals import as_decimal
from idbits.wording import counted

__all__ = ["SensitiveDescription", "ordered_values"]


@dataclass(frozen=True, eq=False)
class SensitiveDescription:
    """What is known about sensitive columns.

    Attributes:
        rules: the goal.
        kinds: the kinds of the table's columns.
        ranks: for some columns, their values in order.
    """

    rules: Sequence[GoalRule]
    kinds: Mapping[str, Kind]
    ranks: Mapping[str, Sequence[str]]
    hierarchies: GivenHierarchies

    def __call__(self, column: str, texts: Sequence[Value], people: Integers) -> SensitiveValues:
        """Describe the values of a column; refuse rules that need an order or a hierarchy if there is none."""
        figures = {rule.figure for rule in self.rules if rule.column == column}
        levels = self.hierarchies.levels(column, texts) if "t_hierarchical" in figures else None
        if "t_hierarchical" in figures and levels is None:
            raise InputError(
                f'"t_hierarchical.{column}" needs the hierarchy of its values: --hierarchy {column}=FILE.csv'
            )
        order = None
        if "t_ordered" in figures:
            order = ordered_values(texts, self.ranks.get(column), is_text=self.kinds[column] is Kind.TEXT)
            if order is None:
                raise InputError(f'"t_ordered.{column}" needs the order of its values: --ranks {column}=a,b,c')
        return SensitiveValues(people, order, texts.index(None) if None in texts else None, levels)


def ordered_values(texts: Sequence[Value], ranks: Sequence[str] | None, *, is_text: bool) -> Integers | None:
    """Return the rank of each value, null without one; None if the values have no order.

    >>> ordered_values(["10", None, "9"], None, is_text=True).tolist()
    [1, 0, 0]
    """
    known = [number for number, text in enumerate(texts) if text is not None]
    if ranks is not None:
        places = {text: place for place, text in enumerate(ranks)}
        missing = sum(texts[number] not in places for number in known)
        if missing:
            raise DataError(f"{counted(missing, 'value')} of the table have no place in the order (--ranks)")
        ranked = sorted(known, key=lambda number: places[texts[number] or ""])
    else:
        try:
            ranked = sorted(known, key=lambda number: as_decimal(texts[number] or ""))
        except ArithmeticError:
            if is_text:
                return None
            # Dates and times are written so that their texts have their order.
            ranked = sorted(known, key=lambda number: texts[number] or "")
    order = np.zeros(len(texts), np.int64)
    order[ranked] = np.arange(len(ranked))
    return order
