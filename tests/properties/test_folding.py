"""What is folded cannot be told by subtraction, not even by somebody who knows all values that there can be."""

import itertools
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import idbits
from idbits.engines.open import open_table
from idbits.reading import open_options
from idbits.studies.measure.parts import largest_folded
from idbits.values.attributes import parse_attribute

LIST = "ABCDE"
COUNTS = st.dictionaries(st.sampled_from(LIST), st.integers(1, 24), min_size=1)
# Balanced tables have ties, in which a choice by name would tell.
TIES = st.dictionaries(st.sampled_from(LIST), st.sampled_from([1, 3, 9, 10, 12]), min_size=1)

Shown = tuple[dict[str, int], int, int, tuple[int, ...]]
"""What is named with its people; of the rest, how many there are, their people, and all sizes in some order."""


def table_of(counts: dict[str, int]) -> pa.Table:
    labels = [label for label, people in counts.items() for _ in range(people)]
    return pa.table({"town": labels, "word": ["x"] * len(labels)})


def database_of(counts: dict[str, int], folder: Path) -> str:
    path = folder / "people.db"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE people (town TEXT, word TEXT)")
    rows = [(label, "x") for label, people in counts.items() for _ in range(people)]
    connection.executemany("INSERT INTO people VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


def groups(source: Any, **reading: Any) -> Shown:
    answer = idbits.measure(source, ["word"], by="town", **reading).to_dict()
    folded = [group for group in answer["groups"] if group["folded_groups"]]
    assert len(folded) <= 1
    named = {group["label"]: group["n_rows"] for group in answer["groups"] if not group["folded_groups"]}
    # With one word only, a group is one set: the figures of the folded row hold the sizes of its groups.
    rest = folded[0] if folded else {"folded_groups": 0, "n_rows": 0}
    sizes = sorted(counted_sizes(answer, named, rest))
    return named, rest["folded_groups"], rest["n_rows"], tuple(sizes)


def counted_sizes(answer: dict[str, Any], named: dict[str, int], rest: dict[str, Any]) -> list[int]:
    if not rest["folded_groups"]:
        return []
    sizes = rest["set_sizes"]
    assert sizes["min"] * rest["folded_groups"] <= rest["n_rows"] <= sizes["max"] * rest["folded_groups"]
    assert answer["n_groups"] == len(named) + rest["folded_groups"]
    return [sizes["min"], sizes["max"]]


def values(source: Any, **reading: Any) -> Shown:
    answer = idbits.measure(source, ["town"], values=True, **reading).to_dict()
    named = {row["value"][0]: row["people"] for row in answer["values"] if row["value"] is not None}
    rest = next((row for row in answer["values"] if row["value"] is None), {"folded_values": 0, "people": 0})
    total = sum(row["entropy_bits"] for row in answer["values"])
    assert total == pytest.approx(answer["entropy_bits"], abs=1e-9)
    return named, rest["folded_values"], rest["people"], ()


def by_definition(counts: dict[str, int]) -> Shown:
    """Return what is shown, by the rule as it is written."""
    levels = sorted(set(counts.values()))
    if levels[0] >= 10:
        return counts, 0, 0, ()
    for most in levels:
        inside = {label: people for label, people in counts.items() if people <= most}
        small = all(people in inside.values() for people in counts.values() if people < 10)
        if small and len(set(inside.values())) >= 2 and sum(inside.values()) >= 10:
            break
    else:
        inside = counts
    named = {label: people for label, people in counts.items() if label not in inside}
    return named, len(inside), sum(inside.values()), ()


def worlds(shown: Shown, everything: list[str]) -> Iterator[dict[str, int]]:
    """Yield all tables that the attacker cannot rule out: each would have been shown like this."""
    named, number, people, _ = shown
    rest = [label for label in everything if label not in named]
    if not rest:
        yield named
        return
    for first in itertools.product(range(people + 1), repeat=len(rest) - 1):
        sizes = (*first, people - sum(first))
        if sizes[-1] >= 0 and sum(size > 0 for size in sizes) == number:
            world = named | {label: size for label, size in zip(rest, sizes, strict=True) if size}
            if by_definition(world)[:3] == shown[:3]:
                yield world


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(COUNTS, TIES))
def test_all_engines_fold_by_the_rule(tmp_path: Path, counts: dict[str, int]) -> None:
    expected = by_definition(counts)[:3]
    database = database_of(counts, tmp_path)
    for show in (groups, values):
        assert show(table_of(counts))[:3] == expected
        assert show(database, table="people")[:3] == expected


@settings(max_examples=60)
@given(
    st.one_of(
        st.dictionaries(st.sampled_from("ABC"), st.integers(1, 24), min_size=3),
        st.dictionaries(st.sampled_from("ABCD"), st.sampled_from([1, 3, 9, 10, 12]), min_size=4),
    )
)
def test_no_size_of_a_folded_value_is_known(counts: dict[str, int]) -> None:
    """The attacker knows that these values are all there are, and that each of them occurs."""
    shown = by_definition(counts)
    folded = [label for label in counts if label not in shown[0]]
    possible = list(worlds(shown, sorted(counts)))
    assert counts in possible
    everything_alike = not shown[0] and len(set(counts.values())) == 1
    for label in folded:
        sizes = {world.get(label, 0) for world in possible}
        assert len(sizes) > 1 or everything_alike, (counts, shown, label, sizes)


@given(st.dictionaries(st.sampled_from(LIST), st.integers(1, 60), min_size=2))
def test_which_value_is_the_rare_one_stays_open(counts: dict[str, int]) -> None:
    """Whoever even knows all sizes, only not whose they are, cannot tell: swapped names look the same."""
    shown = by_definition(counts)
    folded = [label for label in counts if label not in shown[0]]
    for one, other in itertools.combinations(folded, 2):
        swapped = counts | {one: counts[other], other: counts[one]}
        assert by_definition(swapped) == shown
    small = [label for label in folded if counts[label] < 10]
    if len(small) == 1 and len(counts) > 1:
        assert len(folded) > 1


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 5)), unique_by=lambda pair: pair[0]))
def test_the_largest_folded_size_follows_the_rule(sizes: list[tuple[int, int]]) -> None:
    counts = {str(place): size for place, size in enumerate(size for size, n in sizes for _ in range(n))}
    named = by_definition(counts)[0] if counts else {}
    hidden = Counter(size for label, size in counts.items() if label not in named)
    assert largest_folded(sizes) == max(hidden, default=0)


def test_one_small_group_takes_the_next_one_with_it() -> None:
    counts = {"A": 3, "B": 40, "C": 50, "D": 60}
    assert groups(table_of(counts))[:3] == ({"C": 50, "D": 60}, 2, 43)
    assert values(table_of(counts))[:3] == ({"C": 50, "D": 60}, 2, 43)
    for show in (groups, values):
        assert show(table_of({"A": 3, "B": 40}))[:3] == ({}, 2, 43)
        assert show(table_of({"A": 1, "B": 1, "C": 50, "D": 60}))[:3] == ({"D": 60}, 3, 52)
        assert show(table_of({"A": 10, "B": 40}))[:3] == ({"A": 10, "B": 40}, 0, 0)


def test_names_of_rare_values_do_not_leave_a_database(tmp_path: Path) -> None:
    """The name of a large group may come along with a small one; that of a small group never does."""
    database = database_of({"A": 3, "B": 40, "C": 50}, tmp_path)
    table = open_table(database, open_options({"table": "people"}))
    try:
        by, word = (parse_attribute(name, table.columns) for name in ("town", "word"))
        found = {label for label, _ in table.group_spectra(by, [word], at_least=10)}
        listed = {value for (value,) in table.histogram([by], at_least=10).values}
    finally:
        table.close()
    assert found == {None, "B", "C"}
    assert listed == {"B", "C"}
