"""Two zonings counted by every engine: each engine finds the same groups."""

import pytest

from idbits.engines.base import OpenOptions
from idbits.errors import EngineError
from idbits.studies.overlap.zones import zones_of_table
from idbits.studies.shared.persons import PersonOptions
from idbits.values.attributes import parse_attributes

ROWS = [
    {"a": a, "b": b} for a, b, n in [("x", "p", 12), ("x", "q", 2), ("y", "q", 11), (None, "q", 3)] for _ in range(n)
]


def test_groups_and_names_of_zones(engine):
    table = engine(ROWS)
    zones = parse_attributes(["a", "b"], table.columns)
    table.load(["a", "b"])
    answer = zones_of_table(table, zones, 10, PersonOptions(), OpenOptions(), reveal=True)
    (group,) = answer.groups
    assert (answer.n_zones, answer.n_atoms, answer.n_people) == ((3, 2), 4, 28)
    assert (group.people, group.added_from, group.added, group.taken) == (2, "a", ("x",), ("p",))
    assert (answer.published_small.zones, answer.null_zones) == (1, (3, 0))


def test_rows_leave_only_tables_on_this_machine(engine):
    table = engine(ROWS)
    zones = parse_attributes(["a", "b"], table.columns)
    table.load(["a", "b"])
    if engine.name.startswith(("plain", "duckdb")):
        assert table.linkable_rows(zones).n_rows == len(ROWS)
    else:
        with pytest.raises(EngineError, match="person by person"):
            table.linkable_rows(zones)
