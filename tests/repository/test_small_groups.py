"""Which entries are refused: rule by rule, as an attacker would subtract, and compared with brute force."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from idbits.repository.conditions import concept_of, implies, make_condition
from idbits.repository.counted_groups import GroupCount
from idbits.repository.small_groups import PublishedCounts, RefusalRule

DAY = 737_060
CITY = frozenset({("municipality", "a")})


def group(**pairs: str) -> frozenset[tuple[str, str]]:
    return CITY | {(name.replace("_", ":"), value) for name, value in pairs.items()}


def published(*counts: GroupCount) -> PublishedCounts:
    found = PublishedCounts(floor=100)
    found.add(counts)
    return found


def count(people: int, day: int = DAY, holder: str = "", **pairs: str) -> GroupCount:
    return GroupCount(group(**pairs), people, day, holder)


def cell(people: int, **pairs: str) -> GroupCount:
    return GroupCount(group(**pairs), people, DAY, is_cell=True)


def test_the_floor() -> None:
    assert published().refuses([count(99)]) == RefusalRule.FLOOR
    assert published().refuses([count(100)]) is None


@pytest.mark.parametrize(
    ("people", "rule"), [(4901, RefusalRule.DIFFERENCE), (4999, RefusalRule.DIFFERENCE), (4900, None), (5000, None)]
)
def test_a_subset_must_leave_enough_people_or_nobody(people: int, rule: str | None) -> None:
    assert published(count(5000)).refuses([count(people, gender="f")]) == rule


def test_the_second_one_is_refused() -> None:
    assert published(count(4950, gender="f")).refuses([count(5000)]) == RefusalRule.DIFFERENCE


def test_two_conditions_at_once_are_still_a_subset() -> None:
    assert published(count(5000)).refuses([count(4950, gender="f", education="high")]) == RefusalRule.DIFFERENCE


def test_the_same_population_with_a_slightly_other_size() -> None:
    assert published(count(5000)).refuses([count(5001)]) == RefusalRule.DIFFERENCE
    assert published(count(5000)).refuses([count(5100)]) is None
    assert published(count(5000, holder="x")).refuses([count(5001, holder="y")]) == RefusalRule.DIFFERENCE


def test_a_year_later_they_are_other_people() -> None:
    assert published(count(5000)).refuses([count(5001, day=DAY + 365)]) is None
    assert published(count(5000)).refuses([count(5001, day=DAY + 364)]) == RefusalRule.DIFFERENCE


@pytest.mark.parametrize(
    ("early", "late"),
    [
        ([cell(300, age_band5="0"), cell(300, age_band5="5")], cell(595, age_band7="0")),
        ([cell(300, gender="f", car="y"), cell(250, gender="m", car="y")], cell(555, car="y")),
    ],
)
def test_an_entry_that_comes_late_is_compared_with_those_of_its_day(early: list[GroupCount], late: GroupCount) -> None:
    """February was published before the last entry of January, or came from another repository before it."""
    february = [replace(each, people=3 * each.people, day=DAY + 31) for each in early]
    assert published(*early).refuses([count(5000), late]) == RefusalRule.REMAINDER
    assert published(*early, *february).refuses([count(5000), late]) == RefusalRule.REMAINDER


def test_a_complement() -> None:
    assert published(count(5000), count(2500, gender="f")).refuses([count(2450, gender="m")]) == RefusalRule.REMAINDER
    assert published(count(5000), count(2500, gender="f")).refuses([count(2400, gender="m")]) is None
    assert published(count(5000), count(2500, gender="f")).refuses([count(2500, gender="m")]) is None


def test_the_whole_that_completes_its_parts() -> None:
    parts = count(2500, gender="f"), count(2450, gender="m")
    assert published(*parts).refuses([count(5000)]) == RefusalRule.REMAINDER


def test_parts_by_several_holders() -> None:
    known = published(count(5000, holder="x"), count(2500, holder="y", gender="f"))
    assert known.refuses([count(2450, holder="z", gender="m")]) == RefusalRule.REMAINDER


def test_parts_that_two_attributes_make_up() -> None:
    parts = [count(1000, gender=g, education=e) for g, e in itertools.product("fm", "abc")][:5]
    assert published(count(6000), *parts[:4]).refuses([count(1950, gender="m", education="b")]) == RefusalRule.REMAINDER


def test_a_part_beside_the_parts_of_another() -> None:
    known = published(count(5000), count(2000, gender="f"), count(1500, gender="m", education="a"))
    assert known.refuses([count(1450, gender="m", education="b")]) == RefusalRule.REMAINDER


def test_inclusion_and_exclusion() -> None:
    known = published(count(5000), count(3000, gender="f"), count(4000, education="a"))
    # 5000 - 3000 - 4000 + 2050 = 50 people are neither.
    assert known.refuses([count(2050, gender="f", education="a")]) == RefusalRule.REMAINDER
    assert known.refuses([count(2200, gender="f", education="a")]) is None


GENDERS = [count(10_000), cell(4000, gender="m"), cell(4000, gender="f"), cell(2000, gender="x")]
CARS = [count(10_000), cell(9000, car_owner="y"), cell(1000, car_owner="n")]


def test_some_rows_of_a_table_leave_the_last_cell() -> None:
    known = published(*GENDERS, *CARS, count(3500, gender="m", car_owner="y"))
    # 9000 - 3500 - 3505 of gender x own a car, so 2000 - 1995 do not.
    assert known.refuses([count(3505, gender="f", car_owner="y")]) == RefusalRule.REMAINDER
    assert known.refuses([count(3700, gender="f", car_owner="y")]) is None
    both = [count(10_000), cell(3500, gender="m", car_owner="y"), cell(3505, gender="f", car_owner="y")]
    assert published(*GENDERS, *CARS).refuses(both, rest_people=2995) == RefusalRule.REMAINDER


def test_cells_in_different_rows_and_columns_leave_another() -> None:
    genders = [count(1310), cell(655, gender="m"), cell(655, gender="f")]
    education = [count(1310), cell(650, education="a"), cell(10, education="b"), cell(650, education="c")]
    known = published(*genders, *education, count(450, gender="m", education="a"))
    # 200 men have education c, so 655 - 450 - 200 have b.
    assert known.refuses([count(450, gender="f", education="c")]) == RefusalRule.REMAINDER


def test_a_cell_of_a_row_that_is_not_published() -> None:
    known = published(count(4960), count(1955, car_owner="y"), count(3005, car_owner="n"), count(3000, gender="m"))
    known.add([count(1500, gender="m", car_owner="y")])
    # 1500 men own none, and 3005 - 1500 - 1500 are neither men nor women.
    assert known.refuses([count(1500, gender="f", car_owner="n")]) == RefusalRule.REMAINDER


def test_finer_values_within_a_coarser_one() -> None:
    ages = [count(200, age=str(age)) for age in range(30, 33)]
    assert published(count(1000, age_band5="30"), *ages).refuses([count(350, age="33")]) == RefusalRule.REMAINDER
    assert published(count(1000, age_band5="30")).refuses([count(990, age="33")]) == RefusalRule.DIFFERENCE
    # 35 is not within 30 to 34.
    assert published(count(1000, age_band5="30")).refuses([count(990, age="35")]) is None


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ({"age_band5": "30"}, {"age_cap90": "33"}),
        ({"age_band5": "30"}, {"age_cap90_band5": "30"}),
        ({"age_cap90_band5": "30"}, {"age_band5": "30"}),
        ({"age_cap90": "33"}, {"age": "33"}),
        ({"age": "33"}, {"age_cap90": "33", "gender": "f"}),
        ({"age_round10": "30"}, {"age_band5": "25"}),
        ({"age_band3": "0"}, {"age_band2": "0"}),
        ({"age_band10_cap80": "80"}, {"age_cap95": "95"}),
        ({"postcode_prefix2": "10"}, {"postcode_prefix4_prefix2": "10"}),
        ({"birthdate_month": "1985-05"}, {"birthdate_week": "1985-w20"}),
        ({"birthdate_quarter": "1985-q2"}, {"birthdate_month": "1985-05"}),
        ({"birthdate_year_band10": "1980"}, {"birthdate_quarter": "1985-q2"}),
        ({"occupation": "teacher"}, {"occupation_top20": "teacher"}),
        ({"occupation_top20": "teacher"}, {"occupation": "teacher", "gender": "f"}),
    ],
)  # fmt: skip
def test_views_of_one_attribute_lie_within_each_other(wide: dict[str, str], narrow: dict[str, str]) -> None:
    assert published(count(5000, **wide)).refuses([count(4990, **narrow)]) == RefusalRule.DIFFERENCE
    assert published(count(4990, **narrow)).refuses([count(5000, **wide)]) == RefusalRule.DIFFERENCE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"age_band5": "30"}, {"age_cap90": "35"}),
        ({"age_band3": "0"}, {"age_band2": "2"}),
        ({"age_cap90": "90"}, {"age_band5": "85"}),
        ({"birthdate_month": "1985-05"}, {"birthdate_week": "1985-w18"}),
        ({"birthdate_monthofyear": "5"}, {"birthdate_quarter": "1985-q2"}),
        ({"occupation": "clerk"}, {"occupation_top20": "(other values)"}),
    ],
)  # fmt: skip
def test_views_that_do_not_lie_within_each_other(one: dict[str, str], other: dict[str, str]) -> None:
    assert published(count(5000, **one)).refuses([count(4990, **other)]) is None


def test_people_between_the_cuts_of_two_views() -> None:
    fives = [count(1000), *(cell(50, age_band5=first) for first in ("0", "5", "10", "15"))]
    # 100 are below 10, and 97 are below 7.
    sevens = [count(1000), cell(97, age_band7="0"), cell(50, age_band7="7")]
    assert published(*fives).refuses(sevens, rest_people=853) == RefusalRule.REMAINDER
    sevens = [count(1000), cell(80, age_band7="0"), cell(50, age_band7="7")]
    assert published(*fives).refuses(sevens, rest_people=870) is None


def test_a_sum_of_finer_cells_is_a_count_too() -> None:
    ages = [count(1000), *(cell(100, age=str(age)) for age in range(30, 40))]
    # 500 people are 30 to 34, so 5 of them are not women.
    women = [count(600, gender="f"), cell(495, gender="f", age_band5="30"), cell(105, gender="f", age_band5="35")]
    known = PublishedCounts(floor=100, is_whole=lambda concept: concept == "age")
    known.add(ages)
    assert known.refuses(women) == RefusalRule.DIFFERENCE
    streets = [count(1000), cell(400, postcode="1011ab"), cell(300, postcode="1011ac"), cell(300, postcode="2000aa")]
    women = [count(900, gender="f"), cell(695, gender="f", postcode_prefix4="1011")]
    assert published(*streets).refuses(women, rest_people=205) == RefusalRule.DIFFERENCE
    # An attacker who knows that 1011 has these two streets learns the same, though other streets are left out.
    assert published(*streets[:3]).refuses(women, rest_people=205) == RefusalRule.REMAINDER
    assert published(*streets[:2]).refuses(women, rest_people=205) is None


def test_a_sum_within_a_group_of_unknown_size() -> None:
    # Of 70 men with education b who are 10 or 11, 63 have religion r. How many men have b is not published.
    men = [count(400, gender="m"), cell(60, gender="m", age="10", education="b"),
           cell(10, gender="m", age="11", education="b"), cell(330, gender="m", age="12", education="c")]  # fmt: skip
    believers = [count(300, education="b", religion="r"),
                 cell(63, education="b", religion="r", age_band2="10", gender="m")]  # fmt: skip
    for first, second, left_out in ((men, believers, 237), (believers, men, 0)):
        known = PublishedCounts(floor=100, is_whole=lambda concept: concept == "age")
        known.add(first)
        assert known.refuses(second, left_out) == RefusalRule.DIFFERENCE


def test_sums_in_coarser_views_of_two_attributes() -> None:
    everyone = [cell(20, age=str(age), postcode=code) for age in range(40) for code in ("1011", "1012", "1021", "1022")]
    bands = [(band, region) for band in range(0, 40, 2) for region in ("101", "102")]
    # 80 people have each pair, so 6 of those with the first one are not women.
    for least, rule in ((74, RefusalRule.DIFFERENCE), (40, None)):
        women = [cell(40, gender="f", age_band2=str(band), postcode_prefix3=region) for band, region in bands[1:]]
        women.append(cell(least, gender="f", age_band2="0", postcode_prefix3="101"))
        entries = [count(3200), *everyone], [count(39 * 40 + least, gender="f"), *women]
        for first, second in (entries, entries[::-1]):
            known = PublishedCounts(floor=100, is_whole=lambda concept: concept == "age")
            known.add(first)
            assert known.refuses(second) == rule


def test_sums_without_some_attributes() -> None:
    taught = [cell(20, age=str(age), education=level) for age in range(60) for level in "abcdef"]
    # 120 people have each age, so 5 of those aged 1 have none of these religions.
    for least, rule in ((55, RefusalRule.REMAINDER), (40, None)):
        others = [cell(60, age=str(age), religion="x") for age in range(60)]
        others += [cell(least if age == 1 else 40, age=str(age), religion="y") for age in range(60)]
        entries = [([count(7200), *taught], 0), ([count(7200), *others], 1240 - least)]
        for (first, _), (second, left_out) in (entries, entries[::-1]):
            known = PublishedCounts(floor=100, is_whole=lambda concept: concept == "age")
            known.add(first)
            assert known.refuses(second, left_out) == rule


def test_small_cells() -> None:
    assert published().refuses([count(1000), cell(9, gender="x"), cell(991, gender="f")]) == RefusalRule.CELL
    assert published().refuses([count(1000), cell(991, gender="f")], rest_people=9) == RefusalRule.CELL
    assert published().refuses([count(1000), cell(10, gender="x"), cell(990, gender="f")]) is None


def test_cells_that_differ_by_few_people() -> None:
    known = published(count(1000), cell(500, gender="f"), cell(500, gender="m"))
    assert known.refuses([count(1000), cell(501, gender="f"), cell(499, gender="m")]) == RefusalRule.DIFFERENCE
    assert known.refuses([count(1000), cell(510, gender="f"), cell(490, gender="m")]) is None


def test_a_cell_and_a_population_of_the_same_people() -> None:
    known = published(count(1000), cell(600, gender="f"), cell(400, gender="m"))
    assert known.refuses([count(605, gender="f")]) == RefusalRule.DIFFERENCE
    assert known.refuses([count(600, gender="f")]) is None


def test_a_left_out_cell_follows_from_the_margin() -> None:
    crossed = [cell(300, gender="f", education="a"), cell(195, gender="f", education="b"), cell(500, gender="m")]
    known = published(count(1000), *crossed)
    # Of the 500 women 5 have an education that was left out.
    assert known.refuses([count(1000), cell(500, gender="f"), cell(500, gender="m")]) == RefusalRule.REMAINDER


def test_what_was_refused_leaves_no_trace() -> None:
    known = published(count(5000))
    assert known.refuses([count(4950, gender="f")]) == RefusalRule.DIFFERENCE
    assert known.refuses([count(4960, gender="f")]) == RefusalRule.DIFFERENCE
    assert known.refuses([count(2500, gender="f")]) is None
    assert known.refuses([count(2400, gender="m")]) is None


ATTRIBUTES = {"gender": "fm", "education": "abc", "car owner": "yn"}
PEOPLE = tuple(itertools.product(*ATTRIBUTES.values()))


def members(conditions: frozenset[tuple[str, str]]) -> frozenset[int]:
    """Return the kinds of people who satisfy conditions, by brute force."""
    names = list(ATTRIBUTES)
    return frozenset(
        place
        for place, kind in enumerate(PEOPLE)
        if all(name == "municipality" or kind[names.index(name)] == value for name, value in conditions)
    )


def isolated(groups: list[frozenset[tuple[str, str]]], numbers: list[int], floor: int) -> bool:
    """Return whether a group less published groups within it that exclude each other leaves few people, all tried."""
    sets = [members(one) for one in groups]
    for whole in sets:
        inside = [one for one in sets if one < whole]
        for size in range(1, len(inside) + 1):
            for family in itertools.combinations(set(inside), size):
                if sum(map(len, family)) == len(frozenset().union(*family)):
                    left = sum(numbers[place] for place in whole - frozenset().union(*family))
                    if 0 < left < floor:
                        return True
    return False


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[int], list[frozenset[tuple[str, str]]]]:
    numbers = draw(st.lists(st.sampled_from([0, 20, 60, 150, 400]), min_size=len(PEOPLE), max_size=len(PEOPLE)))
    chosen = draw(
        st.lists(
            st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in ATTRIBUTES.items()}),
            min_size=2, max_size=7, unique_by=lambda pairs: tuple(sorted(pairs.items())),
        )
    )  # fmt: skip
    return numbers, [CITY | frozenset(pairs.items()) for pairs in chosen]


@pytest.mark.big
@settings(max_examples=150)
@given(worlds())
def test_whatever_brute_force_isolates_is_refused(world: tuple[list[int], list[frozenset[tuple[str, str]]]]) -> None:
    numbers, groups = world
    known, accepted = PublishedCounts(floor=100), []
    for one in groups:
        people = sum(numbers[place] for place in members(one))
        new = [GroupCount(one, people, DAY)]
        if known.refuses(new) is None:
            known.add(new)
            accepted.append(one)
    assert all(sum(numbers[place] for place in members(one)) >= 100 for one in accepted)
    assert not isolated(accepted, numbers, 100)


@pytest.mark.big
@settings(max_examples=150)
@given(worlds())
def test_nothing_is_refused_without_a_reason(world: tuple[list[int], list[frozenset[tuple[str, str]]]]) -> None:
    numbers, groups = world
    known, accepted = PublishedCounts(floor=100), []
    for one in groups:
        new = [GroupCount(one, sum(numbers[place] for place in members(one)), DAY)]
        rule = known.refuses(new)
        if rule is None:
            known.add(new)
            accepted.append(one)
        elif rule == RefusalRule.DIFFERENCE:
            assert isolated([*accepted, one], numbers, 100)
        elif rule == RefusalRule.REMAINDER:
            assert derivable([*accepted, one], numbers, 100)


def derivable(groups: list[frozenset[tuple[str, str]]], numbers: list[int], floor: int) -> bool:
    """Return whether some set of kinds of people with few people is a combination of the published ones.

    By linear algebra over the two-element and rational fields this would be a rank question; here sets of the form
    whole, less some, plus back some are tried with coefficients -1, 0 and 1.
    """
    sets = [members(one) for one in groups]
    for signs in itertools.product((-1, 0, 1), repeat=len(sets)):
        vector = [
            sum(sign for sign, one in zip(signs, sets, strict=True) if place in one) for place in range(len(PEOPLE))
        ]
        # If a whole and its parts are the same people, everyone knows that there are no others.
        vector = [taken for taken, people in zip(vector, numbers, strict=True) if people]
        if (
            set(vector) <= {0, 1}
            and 0 < sum(n for n, taken in zip(filter(None, numbers), vector, strict=True) if taken) < floor
        ):
            return True
    return False


VIEWS = {
    "age": lambda age: age,
    "age:band2": lambda age: age // 2 * 2,
    "age:band3": lambda age: age // 3 * 3,
    "age:cap7": lambda age: min(age, 7),
    "age:cap8:band4": lambda age: min(age, 8) // 4 * 4,
    "age:band2:cap6": lambda age: min(age // 2 * 2, 6),
    "age:round3": lambda age: (age + 1) // 3 * 3,
    "age:round4": lambda age: (age + 2) // 4 * 4,
}
AGES = range(12)


def follow(rows: list[set[int]], people: list[int], wanted: Iterable[set[int]]) -> bool:
    """Return whether one of some sets of 1 to 9 people is a linear combination of published ones."""
    known = numpy.array([[float(age in row) for age in AGES] for row in rows])
    rank = numpy.linalg.matrix_rank(known)
    return any(
        0 < sum(people[age] for age in ages) < 10
        and numpy.linalg.matrix_rank(numpy.vstack([known, [float(age in ages) for age in AGES]])) == rank
        for ages in wanted
    )


@pytest.mark.big
@settings(max_examples=100)
@example([3, 3, 3, 3, 3, 3, 3, 12, 12, 12, 12, 12], ["age:band2", "age:cap7"])
@example([3, 3, 3, 3, 3, 3, 3, 3, 7, 12, 12, 120], ["age:round3", "age:band3"])
@given(
    st.lists(st.sampled_from([3, 7, 12, 40, 120]), min_size=len(AGES), max_size=len(AGES)),
    st.lists(st.sampled_from(sorted(VIEWS)), min_size=2, max_size=4, unique=True),
)
def test_distributions_of_several_views_against_linear_algebra(people: list[int], views: list[str]) -> None:
    known, rows = PublishedCounts(floor=100, is_whole=lambda _: True), [set(AGES)]
    ranges = [set(AGES[first:end]) for first in AGES for end in range(first + 1, len(AGES) + 1)]
    few = [age for age in AGES if people[age] < 10]
    unions = [set(some) for size in (1, 2, 3) for some in itertools.combinations(few, size)]
    everyone = max(100, sum(people))
    people = [*people[:-1], people[-1] + everyone - sum(people)]
    for view in views:
        cells: dict[int, set[int]] = {}
        for age in AGES:
            cells.setdefault(VIEWS[view](age), set()).add(age)
        sizes = {value: sum(people[age] for age in ages) for value, ages in cells.items()}
        kept = sorted((value for value in cells if sizes[value] >= 10), key=lambda value: -sizes[value])
        while kept and 0 < everyone - sum(sizes[value] for value in kept) < 10:
            kept.pop()
        new = [GroupCount(CITY, everyone, DAY)]
        new += [GroupCount(CITY | {(view, str(value))}, sizes[value], DAY, is_cell=True) for value in kept]
        refused = known.refuses(new, everyone - sum(sizes[value] for value in kept)) is not None
        published_too = [*rows, *(cells[value] for value in kept)]
        if refused:
            # An attacker who knows the values may know that the end of the highest range has none.
            by_values = known._known_values_leave_few
            known._known_values_leave_few = lambda _: False  # type: ignore[method-assign]
            if known.refuses(new, everyone - sum(sizes[value] for value in kept)) is not None:
                assert follow(published_too, people, [*ranges, *unions])
            known._known_values_leave_few = by_values  # type: ignore[method-assign]
        else:
            assert not follow(published_too, people, ranges)
            rows = published_too
            known.add(new)


@pytest.mark.big
def test_a_country_and_all_its_municipalities_can_be_published(shared_data: Path) -> None:
    source = shared_data / "norway-municipality-ages.csv.gz"
    towns = duckdb.sql(
        f"SELECT location_code, sum(pop)::BIGINT FROM '{source}' "
        "WHERE year = 2019 AND level = 'municipality' GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    everyone = sum(people for _, people in towns)
    assert (len(towns), everyone) == (422, 5_328_212)
    country = frozenset({("country", "norway")})
    known = published(GroupCount(country, everyone, DAY))
    for name, people in towns:
        town = [GroupCount(country | {("municipality", name)}, people, DAY)]
        assert known.refuses(town) is None
        known.add(town)
    # If the whole had 50 people more, they could be elsewhere in the country.
    assert (
        published(*(c for g in known._groups.values() for c in g if c.group != country)).refuses(
            [GroupCount(country, everyone + 50, DAY)]
        )
        == RefusalRule.REMAINDER
    )


@pytest.mark.big
def test_many_populations_stay_quick_to_check() -> None:
    random.seed(0)
    known = published(GroupCount(frozenset({("country", "n")}), 400 * 500 + 200, DAY))
    for place in range(400):
        town = [GroupCount(frozenset({("country", "n"), ("municipality", str(place))}), 500, DAY)]
        assert known.refuses(town) is None
        known.add(town)
    assert (
        known.refuses([GroupCount(frozenset({("country", "n"), ("municipality", "x")}), 150, DAY)])
        == RefusalRule.REMAINDER
    )


_VIEWS = {"age": ["age", "age:band5", "age:band10"], "postcode": ["postcode", "postcode:prefix1"], "gender": ["gender"]}
_CONDITIONS = [
    make_condition(name, str(value // 10 * 10 if name == "age:band10" else value // 5 * 5 if ":" in name else value))
    for names in _VIEWS.values()
    for name in names
    for value in (30, 33, 47)
    if name != "postcode:prefix1"
] + [make_condition("postcode:prefix1", value) for value in "34"]


@settings(max_examples=200, deadline=None)
@given(groups=st.lists(st.frozensets(st.sampled_from(_CONDITIONS), max_size=6), min_size=1, max_size=12))
def test_the_groups_that_contain_a_group_are_found(groups: list[frozenset[tuple[str, str]]]) -> None:
    known = published(*(GroupCount(group, 1000, DAY) for group in groups))
    for group in groups:
        found = list(known._wider(group))
        assert len(found) == len(set(found))
        if len({concept_of(condition) for condition in group}) == len(group):
            assert set(found) == {wide for wide in groups if implies(group, wide)}


@pytest.mark.big
def test_many_attributes_among_many_populations_stay_quick_to_check() -> None:
    generator, names = random.Random(1), "abcdefghijkl"
    place = [make_condition("municipality", str(number)) for number in range(20_000)]
    known = published(*(GroupCount(frozenset({town}), 50_000, DAY) for town in place))
    values = {tuple(generator.randrange(7) for _ in names) for _ in range(1000)}
    groups = [
        frozenset({place[7], *((name, str(value)) for name, value in zip(names, cell, strict=True))}) for cell in values
    ]
    cells = [GroupCount(group, 50, DAY, is_cell=True) for group in groups]
    began = time.process_time()
    assert known.refuses([GroupCount(frozenset({place[7]}), 50_000, DAY), *cells]) is None
    assert time.process_time() - began < 4
