"""The queries that count people who have several rows: each returns whole numbers only.

They count on the distinct pairs of value and person, with windows: a join back on the value would lose nulls. Rows
without a person that are people of their own stay together if they have the same value; ``people`` is then the number
of people that a pair stands for.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import func

from idbits.engines.backends.persons import PersonRequest, Persons
from idbits.engines.sql.dialect import ONE, ZERO, Element, SqlDialect
from idbits.engines.sql.queries import Queries, Query, only_unmerged, value_names, values_named
from idbits.values.attributes import Attribute

__all__ = [
    "PersonQueries", "flag", "n_people_of", "null_flags", "people_by_value",
    "records_query", "value_columns", "with_list",
]  # fmt: skip


def flag(condition: Element) -> Element:
    """Return 1 if a condition holds, otherwise 0."""
    return sa.case((condition, ONE), else_=ZERO)


def value_columns(sets: sa.FromClause, indices: Sequence[int]) -> list[Element]:
    """Return the columns that identify the values of some attributes of a grouped query."""
    return [sets.c[name] for index in indices for name in (f"o{index}", f"g{index}") if name in sets.c]


def null_flags(sets: sa.FromClause, indices: Sequence[int]) -> list[Element]:
    """Return whether some, and whether all of the values of some attributes are null."""
    nulls = [
        sa.and_(sets.c[f"g{index}"].is_(sa.null()), *([sets.c[f"o{index}"] == ZERO] if f"o{index}" in sets.c else []))
        for index in indices
    ]
    return [flag(sa.or_(*nulls)).label("some_null"), flag(sa.and_(*nulls)).label("all_null")]


def _person(queries: Queries, persons: Persons) -> Attribute:
    return Attribute(persons.column, queries.source.kinds[persons.column])


def n_people_of(queries: Queries, persons: Persons) -> Query:
    """Count the people of a table."""
    sets = queries.grouped([_person(queries, persons)]).subquery("sets")
    return sa.select(func.coalesce(func.sum(_people(sets.c.g0, sets.c.people, persons)), 0))


def _people(person: Element, rows: Element, persons: Persons) -> Element:
    """Return the number of people in a group of rows with the same person."""
    nobody = rows if persons.null_is_own else ZERO
    return sa.case((person.is_(sa.null()), nobody), else_=ONE)


def people_by_value(queries: Queries, persons: Persons | None, attributes: Sequence[Attribute]) -> Query:
    """Count the people who have each value g0, g1, ...; without ``persons``, each row is a person."""
    if persons is None:
        return queries.grouped(attributes)
    sets = queries.grouped([*attributes, _person(queries, persons)]).subquery("sets")
    values = value_columns(sets, range(len(attributes)))
    people = _people(sets.c[f"g{len(attributes)}"], sets.c.people, persons)
    counted = sa.select(*values, func.sum(people).label("people")).group_by(*values).cte("idbits_counted")
    return sa.select(*counted.c).where(counted.c.people > ZERO)


def records_query(queries: Queries, persons: Persons, attributes: Sequence[Attribute]) -> Query:
    """Return the values of each person, to show them, with a number instead of the person."""
    sets = queries.grouped([*attributes, _person(queries, persons)], shown=True).subquery("sets")
    name = sets.c[f"g{len(attributes)}"]
    number = sa.case((name.is_not(sa.null()), func.dense_rank().over(order_by=name)))
    hidden = (f"g{len(attributes)}", f"s{len(attributes)}")
    return sa.select(number.label("person"), *(column for key, column in sets.c.items() if key not in hidden))


class PersonQueries:
    """Builds the queries on the people of one table.

    Args:
        queries: the queries on the rows.
        persons: who is a person.
        attributes: what makes a value.
        by: count the people of each category by themselves.
        population: a query like ``people_by_value`` of another table, whose people make the groups.
    """

    def __init__(
        self,
        queries: Queries,
        persons: Persons,
        attributes: Sequence[Attribute],
        by: Attribute | None = None,
        population: Query | None = None,
    ) -> None:
        self._queries, self._dialect = queries, queries.dialect
        self._persons, self._attributes, self._by = persons, list(attributes), by
        self._population = population

    def requested(self, request: PersonRequest) -> dict[str, Query]:
        """Return the queries for a request, by the figure that they count."""
        return {
            "people": self.people(),
            **({"records": self.records()} if request.records else {}),
            **({"profiles": self.profiles()} if request.profiles else {}),
            **({"sets": self.sets()} if request.sets else {}),
            **({"multisets": self.sets(multisets=True)} if request.multisets else {}),
        }

    # Pairs of value and person.

    def _pairs(self) -> sa.CTE:
        """Return the distinct pairs: category c0, ..., person p, value v0, ..., their rows and people."""
        before = [] if self._by is None else [self._by]
        first = len(before) + 1
        person = _person(self._queries, self._persons)
        sets = self._queries.grouped([*before, person, *self._attributes]).subquery("sets")
        indices = range(first, first + len(self._attributes))
        name, rows = sets.c[f"g{first - 1}"], sets.c.people
        query = sa.select(
            *(column.label(f"c{index}") for index, column in enumerate(value_columns(sets, range(len(before))))),
            name.label("p"),
            *(column.label(f"v{index}") for index, column in enumerate(value_columns(sets, indices))),
            *null_flags(sets, indices),
            (sa.case((name.is_(sa.null()), ONE), else_=rows) if self._persons.null_is_own else rows).label("n_rows"),
            _people(name, rows, self._persons).label("people"),
        )
        return (query if self._persons.null_is_own else query.where(name.is_not(sa.null()))).cte("idbits_pairs")

    def _grouped_pairs(self, *, numbered: bool = False) -> sa.CTE:
        """Add the size of the group, the rows of the person and, if needed, the number of the value."""
        pairs = self._pairs() if self._population is None else self._with_population()
        category = _starting_with(pairs, "c")
        values = _starting_with(pairs, "v")
        group = func.sum(pairs.c.people if self._population is None else pairs.c.held)
        columns = [
            *([func.dense_rank().over(order_by=category).label("category")] if category else []),
            *([func.dense_rank().over(order_by=values).label("value_number")] if numbered else []),
            pairs.c.p,
            self._own(pairs, category, values).label("own"),
            pairs.c.some_null,
            pairs.c.all_null,
            pairs.c.n_rows,
            pairs.c.people,
            group.over(partition_by=[*category, *values]).label("k"),
        ]
        grouped = sa.select(*columns).cte("idbits_grouped")
        return (
            grouped
            if self._population is None
            else sa.select(grouped).where(grouped.c.people > ZERO).cte("idbits_ours")
        )

    def _own(self, pairs: sa.FromClause, category: Sequence[Element], values: Sequence[Element]) -> Element:
        """Return a number that distinguishes people without a name, each of whom has one value."""
        if not self._persons.null_is_own:
            return ZERO
        number = func.row_number().over(partition_by=[*category, pairs.c.p], order_by=values)
        return sa.case((pairs.c.p.is_(sa.null()), number), else_=ZERO)

    def _with_population(self) -> sa.CTE:
        """Add the values of the population: pairs without people."""
        assert self._population is not None
        ours, theirs = self._pairs(), self._population.cte("idbits_theirs")
        names = value_names(self._attributes)
        released = sa.select(*ours.c, ZERO.label("held"))
        held = sa.select(
            sa.null().label("p"),
            *(value.label(f"v{index}") for index, value in enumerate(values_named(theirs, names))),
            *(ZERO.label(name) for name in ("some_null", "all_null", "n_rows", "people")),
            theirs.c.people.label("held"),
        ).where(*only_unmerged(theirs, names))
        return sa.union_all(released, held).cte("idbits_both")

    # People.

    def people(self) -> Query:
        """Count people by (category,) rows, smallest group, unique only by nulls, nothing but nulls.

        People with a value that the population does not have are in a group of 0.
        """
        pairs = self._grouped_pairs()
        category, who = _category(pairs), _who(pairs)
        has_full_unique = func.max(flag(sa.and_(pairs.c.k == ONE, pairs.c.some_null == ZERO)))
        people = (
            sa.select(
                *category,
                func.sum(pairs.c.n_rows).label("n_rows"),
                func.min(pairs.c.k).label("k"),
                has_full_unique.label("has_full"),
                func.min(pairs.c.all_null).label("only_nulls"),
                func.max(pairs.c.people).label("people"),
            )
            .group_by(*who)
            .cte("idbits_persons")
        )
        by_null = flag(sa.and_(people.c.k == ONE, people.c.has_full == ZERO))
        keys = [*_category(people), people.c.n_rows, people.c.k, by_null, people.c.only_nulls]
        return _counted(people, keys)

    def records(self) -> Query:
        """Count pairs by (category,) rows of the person, rows of the pair, size of the group."""
        pairs = self._grouped_pairs()
        who = _who(pairs)
        of_person = sa.select(
            *_category(pairs),
            func.sum(pairs.c.n_rows).over(partition_by=who).label("total"),
            func.min(pairs.c.k).over(partition_by=who).label("smallest"),
            pairs.c.n_rows,
            pairs.c.k,
            pairs.c.people,
        ).cte("idbits_of_person")
        keys = [*_category(of_person), of_person.c.total, of_person.c.n_rows, of_person.c.k]
        return _counted(of_person, keys).where(of_person.c.smallest > ZERO)

    def profiles(self) -> Query:
        """Count people by (category,) the list of the group sizes and rows of their values."""
        pairs = self._grouped_pairs()
        item = self._dialect.list_item(pairs.c.k, pairs.c.n_rows)
        lists = self._lists(pairs, item, func.min(pairs.c.k) > ZERO)
        keys = [*_category(lists), self._dialect.list_key(lists.c.listed)]
        columns = [*_category(lists), func.min(lists.c.listed), func.sum(lists.c.people), func.max(lists.c.is_cut)]
        return sa.select(*columns).group_by(*keys)

    def sets(self, *, multisets: bool = False) -> Query:
        """Count the groups of people with the same set of values by (category,) people; also whether a list was cut."""
        pairs = self._grouped_pairs(numbered=True)
        item = self._dialect.list_item(pairs.c.value_number, *([pairs.c.n_rows] if multisets else []))
        lists = self._lists(pairs, item)
        columns = [
            *_category(lists),
            func.sum(lists.c.people).label("group_size"),
            func.max(lists.c.is_cut).label("is_cut"),
        ]
        alike = (
            sa.select(*columns).group_by(*_category(lists), self._dialect.list_key(lists.c.listed)).cte("idbits_alike")
        )
        keys = [*_category(alike), alike.c.group_size]
        return sa.select(*keys, self._dialect.count(), func.max(alike.c.is_cut)).group_by(*keys)

    def _lists(self, pairs: sa.CTE, item: Element, *having: Element) -> sa.CTE:
        """Return one list of items per person."""
        columns = [*_category(pairs), func.max(pairs.c.people).label("people")]
        query = sa.select(*columns).group_by(*_who(pairs))
        return with_list(query.having(*having) if having else query, item, self._dialect, "person_lists")

    # Values and categories.

    def values(self) -> Query:
        """Count the values that the population does not have, and those that fewer people have there."""
        pairs = self._with_population()
        having, held = func.sum(pairs.c.people).label("n_having"), func.sum(pairs.c.held).label("held")
        values = sa.select(having, held).group_by(*_starting_with(pairs, "v")).cte("idbits_vals")
        missing = flag(sa.and_(values.c.n_having > ZERO, values.c.held == ZERO))
        overfull = flag(sa.and_(values.c.held > ZERO, values.c.n_having > values.c.held))
        return sa.select(*(func.coalesce(func.sum(count), 0) for count in (missing, overfull)))

    def people_in_several(self) -> Query:
        """Count the people with rows in several categories."""
        pairs = self._pairs()
        category = _starting_with(pairs, "c")
        homes = sa.select(pairs.c.p, *category).where(pairs.c.p.is_not(sa.null())).distinct().cte("idbits_homes")
        people = (
            sa.select(self._dialect.count().label("n")).select_from(homes).group_by(homes.c.p).cte("idbits_persons")
        )
        return sa.select(self._dialect.count()).select_from(people).where(people.c.n > ONE)

    def labels(self, at_least: int) -> Query:
        """Return the number of each category, whether ``top`` made it, and its label if enough people are in it."""
        assert self._by is not None
        person = _person(self._queries, self._persons)
        sets = self._queries.grouped([self._by, person], shown=True).subquery("sets")
        category = value_columns(sets, [0])
        people = func.sum(_people(sets.c.g1, sets.c.people, self._persons))
        value = func.min(sets.c.s0) if "s0" in sets.c else sets.c.g0
        counted = sa.select(*category, value.label("value"), people.label("people")).group_by(*category)
        held = counted.having(people > ZERO).cte("idbits_held")
        return sa.select(
            func.dense_rank().over(order_by=value_columns(held, [0])),
            held.c.o0 if "o0" in held.c else ZERO,
            sa.case((held.c.people >= at_least, held.c.value)),
        )


def with_list(grouped: Query, item: Element, dialect: SqlDialect, name: str) -> sa.CTE:
    """Add the list of the items of each group to a query, and whether the database has cut it."""
    listed = dialect.ordered_list(item).label("listed")
    if not dialect.cuts_lists:
        return grouped.add_columns(listed, ZERO.label("is_cut")).cte(f"idbits_{name}")
    length = func.sum(dialect.length(item) + ONE) - ONE
    lists = grouped.add_columns(listed, length.label("whole_length")).cte(f"idbits_unchecked_{name}")
    kept = [column for key, column in lists.c.items() if key != "whole_length"]
    is_cut = flag(dialect.length(lists.c.listed) != lists.c.whole_length)
    return sa.select(*kept, is_cut.label("is_cut")).cte(f"idbits_{name}")


def _starting_with(rows: sa.FromClause, letter: str) -> list[Element]:
    return [column for name, column in rows.c.items() if name[0] == letter and name[1:].isdigit()]


def _category(rows: sa.FromClause) -> list[Element]:
    return [rows.c.category] if "category" in rows.c else []


def _who(pairs: sa.FromClause) -> list[Element]:
    return [*_category(pairs), pairs.c.p, pairs.c.own]


def _counted(rows: sa.FromClause, keys: Sequence[Element]) -> Query:
    return sa.select(*keys, func.sum(rows.c.people)).group_by(*keys)
