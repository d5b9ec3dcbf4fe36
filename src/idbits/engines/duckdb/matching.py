"""Compares the values of two tables of one DuckDB connection, by translating the codes of one to those of the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow

from idbits.engines.base import PopulationMatch, match_of_sizes
from idbits.values.attributes import Attribute, Kind

if TYPE_CHECKING:
    from idbits.engines.duckdb.person_keys import DuckDBRows

__all__ = ["match_tables", "translated_joins", "translation_of"]


def match_tables(
    release: DuckDBRows,
    attributes: Sequence[Attribute],
    population: DuckDBRows,
    population_attributes: Sequence[Attribute],
) -> PopulationMatch:
    """Count the population by the codes of the release, and join both counts."""
    groups = [f"g{position}" for position in range(len(attributes))]
    joins = translated_joins(release, attributes, population, population_attributes)
    codes = ", ".join(f"k{position}.ours AS g{position}" for position in range(len(attributes)))
    counted = (
        f"SELECT {codes}, {population.weight} AS people FROM {population.relation} t {joins} "
        f"GROUP BY {', '.join(groups)}"
    )
    rows = release.connection.rows(
        "SELECT coalesce(p.people, 0) AS size, count(*), sum(r.people), count(*) FILTER (r.people > p.people) "
        f"FROM ({release.grouped(attributes)}) r LEFT JOIN ({counted}) p "
        f"USING ({', '.join(groups)}) WHERE r.people > 0 GROUP BY size",
        "comparing with the population",
    )
    return match_of_sizes([tuple(map(int, row)) for row in rows], population.n_people())


def translated_joins(
    release: DuckDBRows,
    attributes: Sequence[Attribute],
    population: DuckDBRows,
    population_attributes: Sequence[Attribute],
) -> str:
    """Return the SQL that joins the rows t of a population with the release's codes k0.ours, k1.ours, ..."""
    joins = []
    for position, (ours, theirs) in enumerate(zip(attributes, population_attributes, strict=True)):
        cell, dictionary = population.cell(theirs), population.dictionary(theirs)
        translation = translation_of(release, ours, population, theirs)
        joins.append(
            f"JOIN {dictionary.codes} r{position} ON t.{cell} IS NOT DISTINCT FROM r{position}.raw "
            f"JOIN {translation} k{position} ON r{position}.code = k{position}.theirs"
        )
    return " ".join(joins)


def translation_of(release: DuckDBRows, ours: Attribute, population: DuckDBRows, theirs: Attribute) -> str:
    """Return the table (theirs, ours) of codes with equal values; different kinds are compared as text."""
    connection, table = release.connection, release.connection.new_name("translation")
    columns = f"CREATE TEMP TABLE {table} AS SELECT p.code AS theirs, o.code AS ours"
    left, right = release.dictionary(ours).values, population.dictionary(theirs).values
    if ours.result_kind is theirs.result_kind and ours.result_kind is not Kind.NUMBER:
        same = "o.value IS NOT DISTINCT FROM p.value AND o.other = p.other"
        connection.run(f"{columns} FROM {right} p JOIN {left} o ON {same}")
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
