"""People with several rows, and households: plain Python counts as a brute force, every engine as plain Python."""

import itertools
from collections import Counter
from datetime import date, datetime
from fractions import Fraction

import pyarrow
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from idbits.engines.backends.persons import HouseholdCounts, PersonRequest, Persons
from idbits.engines.duckdb import persons as duckdb_persons
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.open import open_table
from idbits.engines.plain import PlainTable
from idbits.errors import InputError
from idbits.reading import OpenOptions
from idbits.values.attributes import Kind, parse_attributes

LIMITS = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
EVERYTHING = PersonRequest(records=True, profiles=True, sets=True, multisets=True)
PERSON, OWN = Persons("person"), Persons("person", null_is_own=True)
WHO = [None, "1", "2", "3", "a", "A", "a ", "é"]
TEXTS = st.sampled_from([None, "a", "A", "a ", "é", "e\u0301", "ab", "b", "\U0001f600x"])
NUMBERS = st.sampled_from([None, "1", "01", "7", "12", "95"])
ROWS = st.lists(
    st.fixed_dictionaries({"person": st.sampled_from(WHO), "t": TEXTS, "n": NUMBERS, "home": TEXTS}),
    min_size=1,
    max_size=24,
)
QIDS = st.sampled_from([["t"], ["t", "n"], ["t:prefix1", "n:band10"], ["n:top1"], ["home", "t", "n"], ["person", "t"]])
PEOPLE = st.sampled_from([PERSON, OWN])

SHOPS = {"1": "ab", "2": "a", "3": "b", "4": "bc"}
PAIRS = {"1": "a", "2": "a", "3": "b", "4": "b"}


def rows_of(values):
    return [{"person": person, "t": value} for person, of in values.items() for value in of]


def people_of(rows, persons):
    """Return the rows of each person; without a column each row is a person."""
    people = {}
    for index, row in enumerate(rows):
        name = row[persons.column] if persons is not None else None
        if name is not None:
            people.setdefault(name, []).append(row)
        elif persons is None or persons.null_is_own:
            people["row", index] = [row]
    return list(people.values())


def brute_force(rows, persons, columns):
    """Count everything by comparing every person with every other, without a table of values."""
    people = [[tuple(row[column] for column in columns) for row in of] for of in people_of(rows, persons)]
    k = {value: sum(value in other for other in people) for of in people for value in of}
    smallest = [min(k[value] for value in of) for of in people]
    records = Counter((len(of), of.count(value), k[value]) for of in people for value in set(of))
    profiles = Counter(tuple(sorted((k[value], of.count(value)) for value in set(of))) for of in people)
    sets = Counter(sum(set(of) == set(other) for other in people) for of in people)
    multisets = Counter(sum(sorted(of, key=str) == sorted(other, key=str) for other in people) for of in people)
    unique = [[value for value in of if k[value] == 1] for of in people]
    return {
        "rows": sorted(Counter(map(len, people)).items()),
        "smallest": sorted(Counter(smallest).items()),
        "records": sorted((*key, number) for key, number in records.items()),
        "profiles": dict(profiles),
        "sets": sorted((size, number // size) for size, number in sets.items()),
        "multisets": sorted((size, number // size) for size, number in multisets.items()),
        "null_people": sum(set(itertools.chain(*of)) == {None} for of in people),
        "unique_by_null_people": sum(bool(of) and all(None in value for value in of) for of in unique),
    }


def figures(counts):
    return {
        "rows": list(counts.rows),
        "smallest": list(counts.smallest),
        "records": list(counts.records),
        "profiles": counts.profiles.by_entries(),
        "sets": counts.sets.pairs(),
        "multisets": counts.multisets.pairs(),
        "null_people": counts.null_people,
        "unique_by_null_people": counts.unique_by_null_people,
    }


def opened(engine, rows, names, *more, kinds=None, **options):
    table = engine.loaded(rows, [*names, *more], kinds, **options)
    return table, parse_attributes(names, table.columns)


def counted(engine, rows, names, persons=PERSON, request=EVERYTHING, kinds=None, **options):
    """Return the counts of an engine after holding them against the plain engine's."""
    table, attributes = opened(engine, rows, names, persons.column, kinds=kinds, **options)
    counts = table.person_counts(persons, attributes, request, OpenOptions(**options))
    reference = engine.reference(rows, kinds, OpenOptions(**options))
    assert counts == reference.person_counts(persons, attributes, request, OpenOptions(**options))
    return counts


PLAIN = pytest.mark.parametrize("engine", ["plain"], indirect=True)
DUCKDB = pytest.mark.parametrize("engine", ["duckdb-arrow"], indirect=True)
TEXT_AND_FRAME = pytest.mark.parametrize("engine", ["duckdb-csv", "duckdb-arrow", "sqlite"], indirect=True)


@PLAIN
@LIMITS
@given(rows=ROWS, columns=st.sampled_from([["t"], ["t", "n"], ["person", "t"]]), persons=PEOPLE)
def test_plain_python_counts_what_a_brute_force_counts(engine, rows, columns, persons):
    counts = counted(engine, rows, columns, persons)
    assert figures(counts) == brute_force(rows, persons, columns)
    assert counts.n_people == len(people_of(rows, persons))
    assert counts.n_rows == sum(map(len, people_of(rows, persons)))


@TEXT_AND_FRAME
@LIMITS
@given(rows=ROWS, names=QIDS, persons=PEOPLE)
def test_random_tables(engine, rows, names, persons):
    counted(engine, rows, names, persons)


@TEXT_AND_FRAME
@settings(LIMITS, max_examples=15)
@given(rows=ROWS, persons=PEOPLE)
def test_random_tables_with_a_filter(engine, rows, persons):
    counted(engine, rows, ["t", "n"], persons, where="n <> '7' or n is null")


def test_every_engine_counts_the_same(engine):
    draw = [None, "x", "X", "x ", "é", "long " * 100]
    rows = [
        {"person": WHO[(7 * index * index + index // 3) % 8], "t": draw[index * index % 6], "n": str(index % 3)}
        for index in range(60)
    ]
    for persons in (PERSON, OWN):
        counted(engine, rows, ["t", "n:band2"], persons)
    counts = counted(engine, rows, ["t"], request=PersonRequest())
    assert (counts.records, counts.profiles, counts.sets, counts.multisets) == ((), None, None, None)
    table, attributes = opened(engine, rows, ["t", "n:band2"], "person")
    alone = [engine.reference(rows).person_counts(PERSON, [one], EVERYTHING, OpenOptions()) for one in attributes]
    assert table.person_counts_by_column(PERSON, attributes, EVERYTHING, OpenOptions()) == alone


@TEXT_AND_FRAME
@LIMITS
@given(rows=ROWS, persons=PEOPLE)
def test_fewer_columns_after_more(engine, rows, persons):
    """What is remembered of one question does not change the next one."""
    table, attributes = opened(engine, rows, ["t", "n:band10", "home"], "person")
    reference = engine.reference(rows)
    asked = [attributes, attributes[:1], [attributes[2], attributes[1]], attributes[1:], attributes]
    for some in asked:
        counts = table.person_counts(persons, some, EVERYTHING, OpenOptions())
        assert counts == reference.person_counts(persons, some, EVERYTHING, OpenOptions())
        by_column = table.person_counts_by_column(persons, some, EVERYTHING, OpenOptions())
        assert by_column == reference.person_counts_by_column(persons, some, EVERYTHING, OpenOptions())
    other = OWN if persons == PERSON else PERSON
    counts = table.person_counts(other, attributes[:1], EVERYTHING, OpenOptions())
    assert counts == reference.person_counts(other, attributes[:1], EVERYTHING, OpenOptions())
    table.give_back_memory()
    assert counts == table.person_counts(other, attributes[:1], EVERYTHING, OpenOptions())


def test_the_examples_of_the_specification(engine):
    counts = counted(engine, rows_of(SHOPS), ["t"])
    assert counts.smallest == ((1, 1), (2, 2), (3, 1))
    assert counts.sets.pairs() == [(1, 4)]
    assert expected_uniques(counts) == Fraction(1, 2)
    nobody = counted(engine, rows_of(PAIRS), ["t"])
    assert nobody.smallest == ((2, 4),)
    assert nobody.sets.pairs() == [(2, 2)]
    assert expected_uniques(nobody) == 0


def expected_uniques(counts):
    return sum(Fraction(rows, total) * number for total, rows, k, number in counts.records if k == 1)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["store_id", "week"], (375, 50.580127, 2469, 2469)),
        (["store_id"], (147, 23.346183, 1759, 2463)),
        (["product_id"], (2068, 69.816618, 2469, 2469)),
        (["store_id", "quantity"], (1313, 49.546676, 2430, 2469)),
    ],
)
def test_shopping_visits(shared_data, columns, expected):
    table = open_table(shared_data / "shopping-visits.parquet", OpenOptions())
    table.load(["household_id", *columns])
    counts = table.person_counts(
        Persons("household_id"), parse_attributes(columns, table.columns), EVERYTHING, OpenOptions()
    )
    table.close()
    found = [dict(pairs).get(1, 0) for pairs in (counts.smallest, counts.sets.pairs(), counts.multisets.pairs())]
    assert counts.n_people == 2469
    assert (found[0], round(float(expected_uniques(counts)), 6), found[1], found[2]) == expected


@LIMITS
@given(rows=ROWS, persons=PEOPLE)
def test_knowing_more_never_makes_anybody_less_unique(rows, persons):
    table = PlainTable(rows, dict.fromkeys(rows[0], Kind.TEXT))
    found = [
        table.person_counts(persons, parse_attributes(names, table.columns), EVERYTHING, OpenOptions())
        for names in (["t:prefix1"], ["t"], ["t", "n"])
    ]
    for counts in found:
        one, every, multi = (
            dict(pairs).get(1, 0) for pairs in (counts.smallest, counts.sets.pairs(), counts.multisets.pairs())
        )
        assert expected_uniques(counts) <= one <= every <= multi
    for before, after in itertools.pairwise(found):
        assert dict(before.smallest).get(1, 0) <= dict(after.smallest).get(1, 0)
        assert dict(before.sets.pairs()).get(1, 0) <= dict(after.sets.pairs()).get(1, 0)
        assert expected_uniques(before) <= expected_uniques(after)


def test_one_row_per_person_is_the_spectrum(engine):
    rows = [{"person": str(index), "t": value} for index, value in enumerate(["a", "a", "A", None, None, "b", "é"])]
    table, attributes = opened(engine, rows, ["t"], "person")
    counts = table.person_counts(PERSON, attributes, EVERYTHING, OpenOptions())
    spectrum = table.spectrum(attributes)
    assert counts.sets == counts.multisets == spectrum
    assert counts.smallest == tuple((size, size * sets) for size, sets in spectrum.pairs())
    assert counts.records == tuple((1, 1, size, size * sets) for size, sets in spectrum.pairs())
    assert counts.rows == ((1, 7),)


@pytest.mark.parametrize(
    "rows",
    [
        [{"person": "1", "t": "a", "n": "1"}],
        [{"person": None, "t": None, "n": None}] * 3,
        [{"person": "1", "t": None, "n": None}] * 3,
        [{"person": "1", "t": value, "n": None} for value in ("a", "b", "a")],
        [{"person": str(index), "t": "a", "n": "1"} for index in range(5)],
    ],
    ids=["one row", "all null", "null values", "one person", "all alike"],
)
@pytest.mark.parametrize("persons", [PERSON, OWN], ids=["left out", "own"])
def test_unusual_tables(engine, rows, persons):
    assert figures(counted(engine, rows, ["t", "n"], persons)) == brute_force(rows, persons, ["t", "n"])


def test_no_row(engine):
    rows = [{"person": "1", "t": "a"}]
    counts = counted(engine, rows, ["t"], where="t = 'b'")
    assert counts.n_people == counts.n_rows == 0
    assert counts.sets.pairs() == []
    table, attributes = opened(engine, rows, ["t"], "person", where="t = 'b'")
    assert not table.person_categories(PERSON, attributes[0], attributes, EVERYTHING, OpenOptions()).categories
    households = table.household_counts("person", None, attributes, OpenOptions())
    assert households == HouseholdCounts((), 0, 0, (), 0, 0, 0, ())


def test_nulls_are_reported(engine):
    values = {"1": [None], "2": [None, "a"], "3": ["a", "b"], "4": ["c"]}
    counts = counted(engine, [row | {"n": None} for row in rows_of(values)], ["t", "n"])
    assert counts.null_people == 1
    assert counts.unique_by_null_people == 2


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.BOOLEAN, Kind.TIMESTAMP])
def test_people_and_values_of_any_type(typed_engine, kind):
    several = {
        Kind.INTEGER: [None, -5, 2**62, 7, 7, -5],
        Kind.NUMBER: [None, 0.0, -0.0, float("nan"), 0.5, 1e16],
        Kind.DATE: [None, date(1985, 5, 1), date(2004, 12, 31), date(1985, 5, 1)],
        Kind.BOOLEAN: [None, True, False, True],
        Kind.TIMESTAMP: [None, datetime(1985, 5, 1, 2, 3, 4, 5), datetime(1985, 5, 1, 2, 3, 4)],
    }[kind]
    rows = [
        {"person": several[index % len(several)], "v": several[index * index % 7 % len(several)]} for index in range(30)
    ]
    for persons in (PERSON, OWN):
        counted(typed_engine, rows, ["v"], persons, kinds={"person": kind, "v": kind})


def test_values_of_more_than_64_bits(engine):
    names = [f"c{index}" for index in range(14)]
    rows = [
        {"person": WHO[number % 7], **{name: str((number + index) ** 2 % 37) for index, name in enumerate(names)}}
        for number in [*range(40), *range(12)]
    ]
    rows += [{"person": "1", **dict.fromkeys(names)}, {"person": "b", **dict.fromkeys(names)}]
    for persons in (PERSON, OWN):
        counted(engine, rows, names, persons)
    table, attributes = opened(engine, rows, names, "person")
    expected = engine.reference(rows)
    by = attributes[0]
    found = table.person_categories(PERSON, by, attributes, EVERYTHING, OpenOptions())
    assert by_label(found) == by_label(expected.person_categories(PERSON, by, attributes, EVERYTHING, OpenOptions()))
    households = table.household_counts("c0", None, attributes, OpenOptions())
    assert households == expected.household_counts("c0", None, attributes, OpenOptions())


@pytest.fixture
def small_memory():
    """Make pairs of value and person too large for the memory, and read them back in small batches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb_persons, "_BYTES_PER_ROW", 10**12)
        batches = DuckDBConnection.batches
        patch.setattr(DuckDBConnection, "batches", lambda connection, sql: batches(connection, sql, 2048))
        yield


@DUCKDB
@settings(LIMITS, max_examples=10)
@given(rows=ROWS, persons=PEOPLE)
def test_pairs_that_do_not_fit_in_the_memory(engine, small_memory, rows, persons):
    counted(engine, rows, ["t", "n"], persons, memory=10**9)
    found, expected = same_categories(engine, rows, ["home", "t"], persons, memory=10**9)
    assert by_label(found) == by_label(expected)


@DUCKDB
def test_many_pairs_that_do_not_fit_in_the_memory(engine, small_memory):
    """Values with more people than a batch has rows, and batches that end within a value."""
    rows = [
        {"person": str(index % 2900) if index % 11 else None, "t": "ab"[index % 7 % 2], "n": str(index * index % 31)}
        for index in range(9000)
    ]
    for persons in (PERSON, OWN):
        counted(engine, rows, ["t", "n"], persons, memory=10**9)
        counted(engine, rows, ["t"], persons, memory=10**9)
    table, attributes = opened(engine, rows, ["t"], "person", memory=10**9)
    match = table.person_match(OWN, attributes, table, PERSON, attributes, EVERYTHING, OpenOptions())
    reference = engine.reference(rows)
    assert match == reference.person_match(OWN, attributes, reference, PERSON, attributes, EVERYTHING, OpenOptions())


NUMBERED = {
    "smallest type": (pyarrow.int8(), [-128, 127, 0, None]),
    "unsigned": (pyarrow.uint64(), [2**64 - 1, 2**64 - 2, 2**63, None]),
    "spread": (pyarrow.int64(), [-(2**63), 2**63 - 1, 0, None]),
    "without nulls": (pyarrow.int32(), [5, 6, 9]),
    "only nulls": (pyarrow.int16(), [None]),
    "days": (pyarrow.date32(), [date(1, 1, 1), date(9999, 12, 31), date(2004, 2, 29), None]),
    "days that are not dates": (pyarrow.date32(), [2**31 - 1, -(2**31) + 1, 3, None]),
    "truths": (pyarrow.bool_(), [True, False, None]),
}


@pytest.mark.parametrize("kind", NUMBERED)
def test_numbers_and_days_as_people_values_categories_and_households(kind):
    arrow_type, values = NUMBERED[kind]
    # Python has no such days: the same days as numbers are the reference.
    cells = [[values[(index * step + index // 5) % len(values)] for index in range(40)] for step in (1, 3, 7)]
    names = ["person", "v", "home"]
    frame = pyarrow.table([pyarrow.array(column, arrow_type) for column in cells], names=names)
    table = open_table(frame, OpenOptions())
    table.load(names)
    (attribute,) = parse_attributes(["v"], table.columns)
    (by,) = parse_attributes(["home"], table.columns)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]
    for persons in (PERSON, OWN):
        counts = table.person_counts(persons, [attribute], EVERYTHING, OpenOptions())
        assert figures(counts) == brute_force(rows, persons, ["v"])
        found = table.person_categories(persons, by, [attribute], EVERYTHING, OpenOptions())
        labels = table.labels(by)
        assert sorted(map(str, labels)) == sorted({str(label) for label in labels})
        for label, of in found.categories:
            part = [row for row in rows if as_label(row["home"]) == label] if "not dates" not in kind else None
            assert part is None or figures(of) == brute_force(part, persons, ["v"])
        assert sum(of.n_rows for _, of in found.categories) == counts.n_rows
    households = table.household_counts("home", None, [attribute], OpenOptions())
    assert households == households_of(rows, None, ["v"], by_set=False)
    table.close()


def as_label(value):
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@LIMITS
@given(rows=ROWS, persons=PEOPLE)
@PLAIN
def test_categories_are_tables_of_their_own(engine, rows, persons):
    table, (by, *attributes) = opened(engine, rows, ["home", "t", "n"], "person")
    found = table.person_categories(persons, by, attributes, EVERYTHING, OpenOptions())
    homes = Counter(label for label, _ in found.categories)
    people = people_of(rows, persons)
    assert set(homes.values()) <= {1}
    assert set(homes) == {row["home"] for of in people for row in of}
    for label, counts in found.categories:
        part = [row for row in rows if row["home"] == label]
        assert figures(counts) == brute_force(part, persons, ["t", "n"])
    assert found.people_in_several == sum(len({row["home"] for row in of}) > 1 for of in people)


def by_label(categories):
    return sorted(categories.categories, key=lambda item: (item[0] is not None, item[0] or ""))


def same_categories(engine, rows, names, persons, at_least=1, **options):
    table, (by, *attributes) = opened(engine, rows, names, persons.column, **options)
    found = table.person_categories(persons, by, attributes, EVERYTHING, OpenOptions(), at_least=at_least)
    expected = engine.reference(rows).person_categories(persons, by, attributes, EVERYTHING, OpenOptions())
    assert found.people_in_several == expected.people_in_several
    return found, expected


@TEXT_AND_FRAME
@LIMITS
@given(rows=ROWS, names=st.sampled_from([["home", "t"], ["home:top1", "t", "n"], ["t:prefix1", "t"]]), persons=PEOPLE)
def test_categories_of_random_tables(engine, rows, names, persons):
    found, expected = same_categories(engine, rows, names, persons)
    assert by_label(found) == by_label(expected)


SEVERAL = [
    {"person": WHO[index * 3 % 7], "t": "abc"[index * index // 7 % 3], "home": [None, "x", "X", "é"][index // 5 % 4]}
    for index in range(40)
]


@pytest.mark.parametrize("persons", [PERSON, OWN], ids=["left out", "own"])
def test_categories_on_every_engine(engine, persons):
    for names in (["home", "t"], ["home:top1", "t"]):
        found, expected = same_categories(engine, SEVERAL, names, persons)
        assert by_label(found) == by_label(expected)
    least = sorted(counts.n_people for _, counts in expected.categories)[-1]
    found, _ = same_categories(engine, SEVERAL, ["home", "t"], persons, at_least=least)
    assert {label for label, _ in found.categories} <= {None, "x", "X", "é"}
    shown, _ = same_categories(engine, SEVERAL, ["home", "t"], persons)
    assert {label: counts for label, counts in found.categories if label is not None and counts.n_people >= least} == {
        label: counts for label, counts in shown.categories if label is not None and counts.n_people >= least
    }


def households_of(rows, persons, columns, by_set):
    """Count households by comparing every one with every other."""
    people = people_of(rows, persons)
    values = [frozenset(tuple(row[column] for column in columns) for row in of) for of in people]
    named = [{row["home"] for row in of} - {None} for of in people]
    several = sum(len(names) > 1 for names in named)
    if several:
        return HouseholdCounts((), 0, several, (), 0, 0, 0, ())
    keys = [next(iter(names)) if names else ("own", index) for index, names in enumerate(named)]
    homes = [[index for index, key in enumerate(keys) if key == home] for home in dict.fromkeys(keys)]
    known = [{of} if by_set else of for of in values]
    k = [min(sum(value in other for other in known) for value in of) for of in known]
    held = [set().union(*(known[index] for index in members)) for members in homes]
    distinct = [any(sum(value in other for other in held) == 1 for value in of) for of in held]
    made = [sorted([sorted(values[index], key=str) for index in members], key=str) for members in homes]
    alike = [sum(one == other for other in made) for one in made]
    risks = Counter(tuple(sorted(k[index] for index in members)) for members in homes)
    groups = Counter((number, len(members)) for number, members in zip(alike, homes, strict=True))
    return HouseholdCounts(
        sizes=tuple(sorted(Counter(map(len, homes)).items())),
        people_without=sum(not names for names in named),
        people_in_several=0,
        risks=tuple(sorted(risks.items())),
        people_with_unique_member=sum(len(of) for of in homes if any(k[index] == 1 for index in of)),
        distinct_households=sum(distinct),
        distinct_people=sum(len(of) for of, is_distinct in zip(homes, distinct, strict=True) if is_distinct),
        compositions=tuple((*key, number // key[0]) for key, number in sorted(groups.items())),
    )


def in_homes(rows, persons, *, wanders):
    """Let each person live where their first row says, unless somebody may live in several homes."""
    first = {}
    made = []
    for row in rows:
        home = row["home"] if wanders or row["person"] is None else first.setdefault(row["person"], row["home"])
        made.append(row | {"home": home if row["n"] != "7" or persons is None else None})
    return made


HOMES = st.sampled_from([None, PERSON, OWN])


@PLAIN
@LIMITS
@given(rows=ROWS, persons=HOMES, by_set=st.booleans(), wanders=st.booleans())
def test_households_of_plain_python(engine, rows, persons, by_set, wanders):
    rows = in_homes(rows, persons, wanders=wanders)
    table, attributes = opened(engine, rows, ["t"], "person", "home")
    found = table.household_counts("home", persons, attributes, OpenOptions(), by_set=by_set)
    assert found == households_of(rows, persons, ["t"], by_set)


@TEXT_AND_FRAME
@LIMITS
@given(rows=ROWS, persons=HOMES, by_set=st.booleans(), wanders=st.booleans())
def test_households_of_random_tables(engine, rows, persons, by_set, wanders):
    rows = in_homes(rows, persons, wanders=wanders)
    same_households(engine, rows, ["t", "n"], persons, by_set)


def same_households(engine, rows, names, persons, by_set):
    table, attributes = opened(engine, rows, names, "person", "home")
    found = table.household_counts("home", persons, attributes, OpenOptions(), by_set=by_set)
    reference = engine.reference(rows)
    assert found == reference.household_counts("home", persons, attributes, OpenOptions(), by_set=by_set)
    return found


@pytest.mark.parametrize("persons", [None, PERSON, OWN], ids=["rows", "left out", "own"])
def test_households_on_every_engine(engine, persons):
    rows = in_homes([row | {"n": str(index % 8)} for index, row in enumerate(SEVERAL)], persons, wanders=False)
    for by_set in (False, True):
        same_households(engine, rows, ["t"], persons, by_set)
    wandering = in_homes([row | {"n": "1"} for row in SEVERAL], persons, wanders=True)
    found = same_households(engine, wandering, ["t"], persons, by_set=False)
    assert (found.people_in_several > 0) == (persons is not None)


def test_the_household_example_of_the_specification(engine):
    homes = {"1": ["30F", "32M"], "2": ["30F", "5M"], "3": ["70F"]}
    rows = [{"person": None, "home": home, "t": value} for home, of in homes.items() for value in of]
    found = same_households(engine, rows, ["t"], None, by_set=False)
    assert found.risks == (((1,), 1), ((1, 2), 2))
    assert found.people_with_unique_member == 5
    assert found.distinct_households == 3
    assert found.compositions == ((1, 1, 1), (1, 2, 2))
    fewer = same_households(engine, [row for row in rows if row["t"][-1] != "M"], ["t"], None, by_set=False)
    assert fewer.risks == (((1,), 1), ((2,), 2))
    assert fewer.compositions == ((1, 1, 1), (2, 1, 1))
    twins = [{"person": None, "home": home, "t": value} for home, value in ("1a", "1a", "2b", "3b")]
    found = same_households(engine, twins, ["t"], None, by_set=False)
    assert (found.risks, found.distinct_households, found.distinct_people) == ((((2,), 2), ((2, 2), 1)), 1, 2)


def matched(release, persons, population, population_persons, columns):
    """Compare with a population by looking up each value of each person."""
    people = [[tuple(row[column] for column in columns) for row in of] for of in people_of(release, persons)]
    theirs = [
        {tuple(row[column] for column in columns) for row in of} for of in people_of(population, population_persons)
    ]
    k = {value: sum(value in other for other in theirs) for of in people for value in of}
    kept = [of for of in people if all(k[value] for value in of)]
    counts = Counter((len(of), of.count(value), k[value]) for of in kept for value in set(of))
    unique = [[value for value in of if k[value] == 1] for of in kept]
    return {
        "rows": sorted(Counter(map(len, kept)).items()),
        "smallest": sorted(Counter(min(k[value] for value in of) for of in kept).items()),
        "records": sorted((*key, number) for key, number in counts.items()),
        "profiles": dict(Counter(tuple(sorted((k[v], of.count(v)) for v in set(of))) for of in kept)),
        "null_people": sum(set(itertools.chain(*of)) == {None} for of in kept),
        "unique_by_null_people": sum(bool(of) and all(None in value for value in of) for of in unique),
        "n_population": len(theirs),
        "missing_values": sum(not size for size in k.values()),
        "missing_people": len(people) - len(kept),
        "overfull_values": sum(0 < size < sum(value in of for of in people) for value, size in k.items()),
    }


def match_figures(match):
    counts = match.counts
    assert counts.sets is counts.multisets is None
    return {
        "rows": list(counts.rows),
        "smallest": list(counts.smallest),
        "records": list(counts.records),
        "profiles": counts.profiles.by_entries(),
        "null_people": counts.null_people,
        "unique_by_null_people": counts.unique_by_null_people,
        "n_population": match.n_population,
        "missing_values": match.missing_values,
        "missing_people": match.missing_people,
        "overfull_values": match.overfull_values,
    }


def same_match(engine, rows, persons, others, other_persons, other_engine=None):
    table, attributes = opened(engine, rows, ["t", "n"], "person")
    there = other_engine(others, table) if other_engine else engine.loaded(others, ["person", "t", "n"])
    theirs = parse_attributes(["t", "n"], there.columns)
    match = table.person_match(persons, attributes, there, other_persons, theirs, EVERYTHING, OpenOptions())
    assert match_figures(match) == matched(rows, persons, others, other_persons, ["t", "n"])


@pytest.mark.parametrize("engine", ["plain", "duckdb-csv", "duckdb-arrow", "sqlite"], indirect=True)
@LIMITS
@given(rows=ROWS, others=ROWS, persons=PEOPLE, other_persons=HOMES)
def test_random_populations(engine, rows, others, persons, other_persons):
    same_match(engine, rows, persons, others, other_persons)


@pytest.mark.parametrize("names", [["t:prefix1", "n:band10"], ["t:top1"], ["n:top2", "t"]], ids=str)
def test_coarser_values_of_a_population(engine, names):
    rows = [row | {"n": None if index % 5 else str(index)} for index, row in enumerate(SEVERAL)]
    rows += [{"person": "z", "t": None, "n": None, "home": None}]
    others = [row | {"person": row["home"]} for row in rows[7:]]
    table, attributes = opened(engine, rows, names, "person")
    there = engine.loaded(others, ["person", *names])
    ask = (PERSON, attributes, there, OWN, parse_attributes(names, there.columns), EVERYTHING, OpenOptions())
    reference, elsewhere = engine.reference(rows), engine.reference(others)
    expected = reference.person_match(PERSON, attributes, elsewhere, OWN, attributes, EVERYTHING, OpenOptions())
    assert table.person_match(*ask) == expected


@pytest.mark.parametrize("other_persons", [None, PERSON, OWN], ids=["rows", "left out", "own"])
def test_populations_on_every_engine(engine, other_persons):
    rows = [row | {"n": None if index % 5 else "1"} for index, row in enumerate(SEVERAL)]
    others = [row | {"person": row["home"]} for row in rows[7:]]
    for persons in (PERSON, OWN):
        same_match(engine, rows, persons, others, other_persons)
    same_match(
        engine,
        rows,
        PERSON,
        others,
        other_persons,
        lambda there, _: PlainTable(there, dict.fromkeys(there[0], Kind.TEXT)),
    )


def test_counted_tables_have_no_people(engine):
    rows = [{"person": "1", "t": "a", "n": "2"}]
    table, attributes = opened(engine, rows, ["t"], "person", "n", count="n")
    options = OpenOptions(count="n")
    for ask in (
        lambda: table.person_counts(PERSON, attributes, EVERYTHING, options),
        lambda: table.person_categories(PERSON, attributes[0], attributes, EVERYTHING, options),
        lambda: table.household_counts("person", None, attributes, options),
        lambda: table.person_match(PERSON, attributes, table, PERSON, attributes, EVERYTHING, options),
    ):
        with pytest.raises(InputError, match="--count"):
            ask()
