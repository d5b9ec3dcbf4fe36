"""The queries that count households: each returns whole numbers only.

Implements: SPEC page people.md, section 2. Households, values and sets of values are numbered first, so that later
steps compare whole numbers. People without a name and with the same value and household stay together; ``people`` is
then their number. So do those without a household, each of whom is one of their own: ``homes`` is their number.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import func

from idbits.engines.backends.persons import Persons
from idbits.engines.sql.dialect import ONE, ZERO, Element
from idbits.engines.sql.person_queries import flag, value_columns, with_list
from idbits.engines.sql.queries import Queries, Query
from idbits.values.attributes import Attribute

__all__ = ["HouseholdQueries"]


class HouseholdQueries:
    """Builds the queries on the households of one table; without ``persons``, each row is a person."""

    def __init__(
        self,
        queries: Queries,
        household: str,
        persons: Persons | None,
        attributes: Sequence[Attribute],
        *,
        by_set: bool,
    ) -> None:
        self._queries, self._dialect = queries, queries.dialect
        self._household, self._persons, self._attributes = household, persons, list(attributes)
        self._by_set = by_set

    # From rows to people.

    def _pairs(self) -> sa.CTE:
        """Return the distinct values of each person: home (a number), p, v0, ..., n_rows."""
        kinds = self._queries.source.kinds
        person = [] if self._persons is None else [Attribute(self._persons.column, kinds[self._persons.column])]
        named = Attribute(self._household, kinds[self._household])
        sets = self._queries.grouped([named, *person, *self._attributes]).subquery("sets")
        first = 1 + len(person)
        values = value_columns(sets, range(first, first + len(self._attributes)))
        home = sa.case((sets.c.g0.is_not(sa.null()), func.dense_rank().over(order_by=sets.c.g0)))
        query = sa.select(
            home.label("named"),
            (sets.c.g1 if person else sa.null()).label("p"),
            *(column.label(f"v{index}") for index, column in enumerate(values)),
            sets.c.people.label("n_rows"),
        )
        leaves_out = self._persons is not None and not self._persons.null_is_own
        pairs = (query.where(sets.c.g1.is_not(sa.null())) if leaves_out else query).cte("idbits_named")
        return sa.select(
            *pairs.c,
            _of_person(pairs, func.min(pairs.c.named)).label("low"),
            _of_person(pairs, func.max(pairs.c.named)).label("high"),
        ).cte("idbits_pairs")

    def check(self) -> Query:
        """Count the people in several households, and those without one."""
        pairs = self._pairs()
        nameless = pairs.c.p.is_(sa.null())
        persons = sa.select(
            func.max(pairs.c.low).label("low"), func.max(pairs.c.high).label("high"), ONE.label("people")
        )
        persons = persons.where(sa.not_(nameless)).group_by(pairs.c.p)
        others = sa.select(pairs.c.low, pairs.c.high, pairs.c.n_rows.label("people")).where(nameless)
        everyone = sa.union_all(persons, others).cte("idbits_everyone")
        several = sa.case((everyone.c.low != everyone.c.high, everyone.c.people), else_=ZERO)
        without = sa.case((everyone.c.low.is_(sa.null()), everyone.c.people), else_=ZERO)
        return sa.select(*(func.coalesce(func.sum(number), 0) for number in (several, without)))

    def _members(self) -> sa.CTE:
        """Return the members: home, value set (a number), size of the group, people, whether a value is only here."""
        pairs = self._pairs()
        values = [column for name, column in pairs.c.items() if name[0] == "v" and name[1:].isdigit()]
        # A person may have a value in a row that names the household and in one that does not.
        merged = sa.select(pairs.c.low.label("home"), pairs.c.p, *values, func.sum(pairs.c.n_rows).label("n_rows"))
        held = merged.group_by(pairs.c.low, pairs.c.p, *values).cte("idbits_held")
        values = [held.c[column.name] for column in values]
        nameless = held.c.p.is_(sa.null())
        own = func.row_number().over(partition_by=held.c.p, order_by=[held.c.home, *values])
        numbered = sa.select(
            held.c.home,
            held.c.p,
            sa.case((nameless, own), else_=ZERO).label("own"),
            sa.case((nameless, held.c.n_rows), else_=ONE).label("people"),
            func.dense_rank().over(order_by=values).label("value_number"),
        ).cte("idbits_numbered")
        marked = self._marked(numbered, "value_number")
        people = sa.select(
            marked.c.home,
            func.max(marked.c.people).label("people"),
            func.min(marked.c.group_size).label("group_size"),
            func.max(marked.c.is_only).label("is_only"),
        ).group_by(marked.c.home, marked.c.p, marked.c.own)
        item = self._dialect.list_item(marked.c.value_number)
        lists = with_list(people, item, self._dialect, "value_lists")
        sets = sa.select(
            *(lists.c[name] for name in ("home", "people", "group_size", "is_only", "is_cut")),
            func.dense_rank().over(order_by=self._dialect.list_key(lists.c.listed)).label("set_number"),
        ).cte("idbits_sets")
        if not self._by_set:
            return sets
        kept = sa.select(*(sets.c[name] for name in ("home", "people", "set_number", "is_cut"))).cte("idbits_kept")
        return self._marked(kept, "set_number")

    def _marked(self, rows: sa.CTE, value: str) -> sa.CTE:
        """Add how many people have each value, and whether only one household has it."""
        value_column, home = rows.c[value], rows.c.home
        first = func.row_number().over(partition_by=[value_column, home], order_by=value_column)
        sized = sa.select(
            *rows.c,
            func.sum(rows.c.people).over(partition_by=value_column).label("group_size"),
            sa.case((home.is_(sa.null()), rows.c.people), (first == ONE, ONE), else_=ZERO).label("adds"),
        ).cte(f"idbits_sized_{value}")
        homes = func.sum(sized.c.adds).over(partition_by=sized.c[value])
        kept = [column for name, column in sized.c.items() if name != "adds"]
        return sa.select(*kept, flag(homes == ONE).label("is_only")).cte(f"idbits_marked_{value}")

    # From people to households.

    def _homes(self, name: str) -> sa.CTE:
        """Return one list per household of what its members have in a column, with their numbers."""
        members = self._members()
        alone = members.c.home.is_(sa.null())
        number = func.row_number().over(partition_by=members.c.home, order_by=members.c.set_number)
        placed = sa.select(
            members.c.home,
            sa.case((alone, number), else_=ZERO).label("own"),
            sa.case((alone, members.c.people), else_=ONE).label("homes"),
            sa.case((alone, ONE), else_=members.c.people).label("members"),
            members.c[name],
            members.c.is_only,
            members.c.is_cut,
        ).cte("idbits_placed")
        counted = (
            sa.select(
                placed.c.home,
                placed.c.own,
                placed.c[name],
                func.max(placed.c.homes).label("homes"),
                func.sum(placed.c.members).label("members"),
                func.max(placed.c.is_only).label("is_only"),
                func.max(placed.c.is_cut).label("was_cut"),
            )
            .group_by(placed.c.home, placed.c.own, placed.c[name])
            .cte("idbits_counted")
        )
        homes = sa.select(
            func.max(counted.c.homes).label("homes"),
            func.sum(counted.c.members).label("members"),
            func.max(counted.c.is_only).label("is_only"),
            func.max(counted.c.was_cut).label("was_cut"),
        ).group_by(counted.c.home, counted.c.own)
        item = self._dialect.list_item(counted.c[name], counted.c.members)
        lists = with_list(homes, item, self._dialect, "home_lists")
        kept = [column for key, column in lists.c.items() if key not in ("is_cut", "was_cut")]
        is_cut = flag(lists.c.was_cut + lists.c.is_cut > ZERO)
        return sa.select(*kept, is_cut.label("is_cut")).cte("idbits_homes")

    def risks(self) -> Query:
        """Count households by the sizes of their members' groups and whether they are distinct; also cut lists."""
        homes = self._homes("group_size")
        columns = [func.min(homes.c.listed), homes.c.is_only, func.sum(homes.c.homes), func.max(homes.c.is_cut)]
        return sa.select(*columns).group_by(self._dialect.list_key(homes.c.listed), homes.c.is_only)

    def compositions(self) -> Query:
        """Count the groups of households with the same composition by households and members; also cut lists."""
        homes = self._homes("set_number")
        alike = (
            sa.select(
                func.sum(homes.c.homes).label("households"),
                func.max(homes.c.members).label("members"),
                func.max(homes.c.is_cut).label("is_cut"),
            )
            .group_by(self._dialect.list_key(homes.c.listed))
            .cte("idbits_alike")
        )
        keys = [alike.c.households, alike.c.members]
        return sa.select(*keys, self._dialect.count(), func.max(alike.c.is_cut)).group_by(*keys)


def _of_person(pairs: sa.FromClause, number: sa.sql.functions.FunctionElement[int]) -> Element:
    """Return the smallest or largest number of a household that the rows of a person name."""
    return sa.case((pairs.c.p.is_(sa.null()), pairs.c.named), else_=number.over(partition_by=pairs.c.p))
