"""Compares a release with a population if DuckDB has both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow

from idbits.engines.base import PopulationMatch, match_of_sizes
from idbits.values.attributes import Attribute, Kind

if TYPE_CHECKING:
    from idbits.engines.duckdb.table import DuckDBTable

__all__ = ["match_tables"]


def match_tables(
    release: DuckDBTable,
    attributes: Sequence[Attribute],
    population: DuckDBTable,
    population_attributes: Sequence[Attribute],
) -> PopulationMatch:
    """Count the population by the codes of the release, and join both counts."""
    groups = [f"g{position}" for position in range(len(attributes))]
    joins = []
    for position, (ours, theirs) in enumerate(zip(attributes, population_attributes, strict=True)):
        cell, dictionary = population.cell(theirs), population.dictionary(theirs)
        translation = _translation(release, ours, population, theirs)
        joins.append(
            f"JOIN {dictionary.codes} r{position} ON t.{cell} IS NOT DISTINCT FROM r{position}.raw "
            f"JOIN {translation} k{position} ON r{position}.code = k{position}.theirs"
        )
    codes = ", ".join(f"k{position}.ours AS g{position}" for position in range(len(attributes)))
    counted = (
        f"SELECT {codes}, {population.weight} AS people FROM {population.relation} t {' '.join(joins)} "
        f"GROUP BY {', '.join(groups)}"
    )
    rows = release.connection.rows(
        "SELECT coalesce(p.people, 0) AS size, count(*), sum(r.people), count(*) FILTER (r.people > p.people) "
        f"FROM ({release.grouped(attributes)}) r LEFT JOIN ({counted}) p "
        f"USING ({', '.join(groups)}) WHERE r.people > 0 GROUP BY size",
        "comparing with the population",
    )
    return match_of_sizes([tuple(map(int, row)) for row in rows], population.n_people())


def _translation(release: DuckDBTable, ours: Attribute, population: DuckDBTable, theirs: Attribute) -> str:
    """Return the table (theirs, ours) of codes with equal values; different kinds are compared as text."""
    connection, table = release.connection, release.connection.new_name("translation")
    columns = f"CREATE TEMP TABLE {table} AS SELECT p.code AS theirs, o.code AS ours"
    left, right = release.dictionary(ours).values, population.dictionary(theirs).values
    if ours.result_kind is theirs.result_kind and ours.result_kind is not Kind.NUMBER:
        connection.run(f"{columns} FROM {right} p JOIN {left} o ON o.value IS NOT DISTINCT FROM p.value")
        return table
    texts = dict(release.match_values(ours))
    pairs = [(code, texts[text]) for text, code in population.match_values(theirs) if text in texts]
    frame = pyarrow.table({"theirs": [pair[0] for pair in pairs], "ours": [pair[1] for pair in pairs]})
    name = connection.new_name("codes")
    connection.raw.register(
        name, frame.cast(pyarrow.schema([("theirs", pyarrow.uint64()), ("ours", pyarrow.uint64())]))
    )
    connection.run(f"CREATE TEMP TABLE {table} AS SELECT * FROM {name}")
    connection.raw.unregister(name)
    return table
