"""The ladder of a column: each rung joins values of the one before; the table decides how many rungs there are."""

from datetime import date
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idbits.engines.open import open_table
from idbits.studies.shared.coarser import coarser_views, next_view, spread_views
from idbits.values.attributes import Attribute, Kind, Transform, parse_attribute
from idbits.values.ladder import ladder

COLUMNS: dict[str, list[Any]] = {
    "born": [date(1951 + i // 8, 1 + i % 8 // 2, 1 + i % 28) for i in range(200)],
    "age": [i % 97 for i in range(200)],
    "income": [i * 1234 for i in range(200)],
    "height": [150 + i / 20 for i in range(200)],
    "zip": [str(1000 + 7 * i) for i in range(200)],
    "town": [f"town {'x' * (i % 60)}" for i in range(200)],
    "sex": ["F", "M"] * 100,
}


def views_of(values: list[Any], name: str = "x") -> list[str]:
    table = open_table(pyarrow.table({"x": values}))
    table.load(["x"])
    return [view.name for view in coarser_views(table, parse_attribute(name, table.columns))]


@pytest.mark.parametrize(
    ("column", "views"),
    [
        ("born", ["month", "quarter", "year", "year:band5", "year:band10"]),
        ("age", ["band5", "band10", "band50"]),
        # Multiples of 1,234: bands up to 1,000 join nobody.
        ("income", ["band5000", "band10000", "band50000", "band100000"]),
        ("height", ["round0.1", "round0.1:round1", "round0.1:round1:round10"]),
        ("zip", ["prefix3", "prefix2", "prefix1"]),
        ("town", ["top50", "top20", "top10", "top5"]),
        ("sex", []),
    ],
)
def test_each_kind_of_column_has_its_ladder(column: str, views: list[str]) -> None:
    assert views_of(COLUMNS[column]) == [f"x:{view}" for view in views]


def test_text_is_read_as_what_it_holds() -> None:
    assert views_of([day.isoformat() for day in COLUMNS["born"]]) == views_of(COLUMNS["born"])
    assert views_of([str(age) for age in COLUMNS["age"]]) == views_of(COLUMNS["age"])


@pytest.mark.parametrize(
    ("name", "below"),
    [
        ("born:month", ["born:quarter", "born:year", "born:year:band5", "born:year:band10"]),
        ("born:year:band10", []),
        ("born:week", [f"born:week:{word}" for word in ("month", "quarter", "year", "year:band5", "year:band10")]),
        ("born:month:year", ["born:month:year:band5", "born:month:year:band10"]),
        ("born:monthofyear", []),
        ("zip:prefix3", ["zip:prefix2", "zip:prefix1"]),
        ("zip:prefix900000000000000", ["zip:prefix4", "zip:prefix3", "zip:prefix2", "zip:prefix1"]),
        ("town:top20", ["town:top10", "town:top5"]),
        ("age:band20", ["age:band20:band40"]),
        ("height:round1", ["height:round1:round10", "height:round1:round100"]),
        ("age:cap90", ["age:cap90:band5", "age:cap90:band10", "age:cap90:band50"]),
    ],
)
def test_a_ladder_starts_at_the_view_that_was_chosen(name: str, below: list[str]) -> None:
    table = open_table(pyarrow.table(COLUMNS))
    attribute = parse_attribute(name, table.columns)
    table.load([attribute.column])
    assert [view.name for view in ladder(attribute, table.profile(attribute.column))][: len(below) or None] == below


def test_without_a_look_at_the_data_the_kind_decides() -> None:
    assert [view.name for view in ladder(Attribute("a", Kind.DATE))][:2] == ["a:month", "a:quarter"]
    assert ladder(Attribute("a", Kind.TIMESTAMP))[0].name == "a:day"
    assert ladder(Attribute("a", Kind.BOOLEAN)) == []
    assert ladder(Attribute("a", Kind.TEXT))[0].name == "a:top50"
    assert ladder(Attribute("a", Kind.DATE, (Transform("year"),)))[0].name == "a:year:band5"


def test_long_numbers_have_ladders_too() -> None:
    numbers = [10**17 + 10**16 * i for i in range(50)]
    assert views_of(numbers) == []
    assert views_of([str(number) for number in numbers]) == [f"x:{view}" for view in ("top20", "top10", "top5")]
    assert views_of([3 * 10**14 * i for i in range(50)]) == ["x:band500000000000000"]
    columns = {"x": Kind.NUMBER}
    for view in ("round100000000000000", "cap123456789012345.5", "band999999999999999"):
        rungs = ladder(parse_attribute(f"x:{view}", columns))
        assert [parse_attribute(rung.name, columns) for rung in rungs] == rungs


def groups(values: list[Any], name: str) -> list[str | None]:
    table = open_table(pyarrow.table({"x": values}))
    table.load(["x"])
    attribute = parse_attribute(name, table.columns)
    rows = table.coded_rows([attribute])
    labels = table.labels(attribute)
    return [labels[code] for code in rows.codes[0].tolist()]


@settings(max_examples=12)
@given(
    st.one_of(
        st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=40),
        st.lists(st.floats(-1e4, 1e4, allow_nan=False).map(lambda x: round(x, 3)), min_size=1, max_size=40),
        st.lists(st.dates(date(1900, 1, 1), date(2026, 12, 31)), min_size=1, max_size=40),
        st.lists(st.text("0123456789", min_size=5, max_size=5), min_size=1, max_size=40),
        st.lists(st.sampled_from(["a", "b", "cc", "ddd", "e e"]), min_size=1, max_size=40),
    )
)
def test_each_rung_joins_values_of_the_one_before(values: list[Any]) -> None:
    finer = groups(values, "x")
    for name in views_of(values):
        coarser = groups(values, name)
        assert len(dict.fromkeys(zip(finer, coarser, strict=True))) == len(set(finer)), name
        assert 1 < len(set(coarser)) < len(set(finer))
        finer = coarser


@pytest.mark.parametrize("name", ["x", "x:band5", "x:cap999999999999999", "x:round100000000000000"])
def test_numbers_may_be_longer_than_any_band(name: str) -> None:
    values = [2**63 - 1 - i * 10**14 for i in range(200)]
    assert all(len(view.removeprefix("x:").rpartition("band")[2]) <= 15 for view in views_of(values, "x:band5"))
    assert isinstance(views_of(values, name), list)
    assert "x:band500000000000000" in views_of(values)


def test_the_next_view_halves_the_values_if_one_does() -> None:
    table = open_table(pyarrow.table(COLUMNS))
    table.load(COLUMNS)
    next_views = {name: next_view(table, parse_attribute(name, table.columns)) for name in COLUMNS}
    named = {name: None if view is None else view.name for name, view in next_views.items()}
    assert named == {
        "born": "born:month",
        "age": "age:band5",
        "income": "income:band5000",
        "height": "height:round0.1:round1",
        "zip": "zip:prefix2",
        "town": "town:top20",
        "sex": None,
    }


def test_spread_views_have_both_ends_of_the_ladder() -> None:
    table = open_table(pyarrow.table(COLUMNS))
    table.load(["born"])
    names = [view.name for view in spread_views(table, parse_attribute("born", table.columns), 3)]
    assert names == ["born:month", "born:year", "born:year:band10"]
