"""Tables of thousands of columns: a question about one column plans that column alone."""

import random
from collections import Counter

import pyarrow
import pytest

import idbits
from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.values.attributes import parse_attributes


def test_a_column_is_counted_without_the_view_of_all(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("a,b,n\nx,1,2\nx,2,3\ny,1,0\n")
    table = open_table(path, OpenOptions(count="n", where="b = '1'"))
    table.load(table.columns)
    (attribute,) = parse_attributes("a", table.columns)
    asked = []
    run = table.connection.run
    table.connection.run = lambda sql, *further: (asked.append(sql), run(sql, *further))[1]
    histogram = table.histogram([attribute])
    assert dict(zip(histogram.values, histogram.people, strict=True)) == {("x",): 2}
    assert asked
    assert not any(table.relation in sql for sql in asked if "dictionary" in sql)
    table.close()


@pytest.mark.parametrize(("n_columns", "n_values"), [(11, 3), (14, 200), (30, 2), (30, 200), (70, 2)])
@pytest.mark.parametrize("count", [None, "people"])
def test_little_memory_is_enough_for_few_rows_of_many_columns(n_columns, n_values, count):
    """DuckDB needs 5 MB for each join of a dictionary, so 64 MB do not suffice for 13 columns."""
    draw = random.Random(n_columns)
    names = [f"c{index}" for index in range(n_columns)]
    rows = [tuple(f"v{draw.randrange(n_values)}" for _ in names) for _ in range(400)] * 3
    people = [draw.randrange(4) for _ in rows] if count else [1] * len(rows)
    towns = ["here" if index % 3 else "there" for index in range(len(rows))]
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    table = pyarrow.table({**columns, "town": towns, **({count: people} if count else {})})
    sizes, of_town = Counter(), Counter()
    for row, town, number in zip(rows, towns, people, strict=True):
        sizes[row] += number
        of_town[town, row] += number
    options = {"by": "town", "values": True, "reveal": True, "rows_are_people": True, "count": count}
    little, enough = (idbits.measure(table, names, **options, memory=memory) for memory in ("64MB", None))
    assert little == enough
    assert dict(little.to_dict()["spectrum"]) == Counter(number for number in sizes.values() if number)
    # Values that nobody has are possible.
    assert little.to_dict()["n_values"] == len(sizes)
    for group in little.to_dict()["groups"]:
        of_group = [number for (town, _), number in of_town.items() if town == group["label"]]
        expected = [number for number in of_group if number]
        figures = (len(expected), expected.count(1), len(of_group))
        assert (group["n_sets"], group["singletons"], group["n_values"]) == figures
