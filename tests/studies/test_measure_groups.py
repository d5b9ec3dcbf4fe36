"""``--by``: each category measured separately, small ones folded, and the correlation over all of them."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits

Check = Callable[..., None]
Row = tuple[str | None, str]

# Categories of 12, 10, 9, 2, 10 (null) and 1 people.
ROWS: list[Row] = [
    *[("Budapest", word) for word in "aaaabbbbccde"],
    *[("Szeged", word) for word in "aaaaaabbbb"],
    *[("Nagyvita", word) for word in "aabbccddd"],
    *[("Kisfalu", word) for word in "xa"],
    *[(None, word) for word in "pppppqqqqq"],
    ("Tanya", "z"),
]


def table_of(rows: list[Row]) -> pa.Table:
    return pa.table({"town": pa.array([row[0] for row in rows], pa.string()), "word": [row[1] for row in rows]})


def rows_by_town(rows: list[Row]) -> dict[str | None, list[str]]:
    towns: dict[str | None, list[str]] = {}
    for town, word in rows:
        towns.setdefault(town, []).append(word)
    return towns


def correlation(groups: dict[str | None, list[str]]) -> float | None:
    sizes = [len(words) for words in groups.values()]
    medians = [float(np.median(list(Counter(words).values()))) for words in groups.values()]
    if len(groups) < 2 or len(set(sizes)) == 1 or len(set(medians)) == 1:
        return None
    return float(np.corrcoef(sizes, medians)[0, 1])


def folded_up_to(sizes: list[int]) -> int:
    """Return the size up to which groups are not named: all below 10, then two sizes and 10 people at least."""
    if sizes[0] >= 10:
        return -1
    levels = sorted(set(sizes))
    inside = [sum(size for size in sizes if size <= level) for level in levels]
    for place, level in enumerate(levels):
        if place and inside[place] >= 10 and all(size <= level for size in sizes if size < 10):
            return level
    return levels[-1]


def check_groups(check: Check, data: dict, rows: list[Row], *, reveal: bool) -> None:
    towns = rows_by_town(rows)
    most = -1 if reveal else folded_up_to(sorted(len(words) for words in towns.values()))
    shown = {town: words for town, words in towns.items() if len(words) > most}
    hidden = {town: words for town, words in towns.items() if town not in shown}
    named = [group for group in data["groups"] if group["folded_groups"] == 0]
    folded = [group for group in data["groups"] if group["folded_groups"]]
    assert Counter(group["label"] for group in named) == Counter(dict.fromkeys(shown, 1))
    for group in named:
        check(group, shown[group["label"]])
    if hidden:
        assert len(folded) == 1
        assert folded[0]["folded_groups"] == len(hidden)
        assert folded[0]["label"] is None
        check(folded[0], [(town, word) for town, words in hidden.items() for word in words])
        assert data["groups"][-1] is folded[0]
    else:
        assert folded == []
    assert data["n_groups"] == len(towns)
    expected = correlation(towns)
    assert data["size_median_correlation"] == (pytest.approx(expected, abs=1e-9) if expected is not None else None)
    assert ("size_median_correlation" in data["reasons"]) == (expected is None)
    check(data, [row[1] for row in rows])


@pytest.mark.parametrize("reveal", [False, True])
def test_groups_are_measured_on_their_own(check: Check, reveal: bool) -> None:
    data = idbits.measure(table_of(ROWS), ["word"], by="town", reveal=reveal).to_dict()
    assert data["by"] == "town"
    check_groups(check, data, ROWS, reveal=reveal)


def test_small_groups_are_never_named() -> None:
    result = idbits.measure(table_of(ROWS), ["word"], by="town")
    for shown in (str(result), result.to_json(), result._repr_html_(), repr(result)):
        assert not any(town in shown for town in ("Nagyvita", "Kisfalu", "Tanya"))
    assert "Budapest" in str(result)
    assert "Szeged" in str(result)
    assert "3 categories" in str(result)
    assert "Kisfalu" in str(idbits.measure(table_of(ROWS), ["word"], by="town", reveal=True))


def test_smallest_median_comes_first() -> None:
    data = idbits.measure(table_of(ROWS), ["word"], by="town", reveal=True).to_dict()
    medians = [group["set_sizes"]["median"] for group in data["groups"]]
    assert medians == sorted(medians)


def test_one_group_has_no_correlation() -> None:
    data = idbits.measure(table_of(ROWS[:12]), ["word"], by="town").to_dict()
    assert data["size_median_correlation"] is None
    assert data["reasons"]["size_median_correlation"]


@pytest.mark.big
@settings(max_examples=15)
@given(
    st.lists(st.tuples(st.sampled_from(["A", "B", "C", None]), st.sampled_from("xyz")), min_size=1, max_size=60),
    st.booleans(),
)
def test_random_groups(check: Check, rows: list[Row], reveal: bool) -> None:
    data = idbits.measure(table_of(rows), ["word"], by="town", reveal=reveal).to_dict()
    check_groups(check, data, rows, reveal=reveal)


def test_groups_of_a_counted_table(check: Check) -> None:
    counted = Counter(ROWS)
    table = pa.table(
        {
            "town": pa.array([town for town, _ in counted], pa.string()),
            "word": [word for _, word in counted],
            "how_many": list(counted.values()),
        }
    )
    data = idbits.measure(table, ["word"], by="town", count="how_many").to_dict()
    check_groups(check, data, ROWS, reveal=False)


def test_grouping_by_a_coarser_column(check: Check) -> None:
    table = pa.table({"zip": ["10111", "10112", "99851", "99852"] * 10, "sex": ["F", "M", "F", "F"] * 10})
    data = idbits.measure(table, ["sex"], by="zip:prefix2").to_dict()
    assert {group["label"]: group["n_sets"] for group in data["groups"]} == {"10": 2, "99": 1}
    assert data["by"] == "zip:prefix2"


def test_several_quasi_identifiers_show_their_groups_as_text() -> None:
    several = idbits.measure(table_of(ROWS), [["word"], ["word", "town"]], by="town")
    assert all(one["groups"] for one in several.to_dict()["measurements"])
    assert "Budapest" in str(several)
