"""The filter: SQL's three-valued logic, text against numbers, and names in quotes."""

import functools
import sys
import time
from datetime import date, datetime

import hypothesis
import hypothesis.strategies as st
import pytest

from idbits.engines import where as filters
from idbits.engines.base import OpenOptions
from idbits.engines.plain import satisfies
from idbits.engines.where import like_pattern
from idbits.errors import DataError, InputError
from idbits.values.attributes import Kind

LETTERS = [{"a": a, "b": b} for a in ("x", "y", None) for b in ("x", "z", None)]

LOGIC = [
    ("a = 'x'", 3), ("a <> 'x'", 3), ("a != 'x'", 3), ("not a = 'x'", 3), ("not (a = 'x' or b = 'z')", 1),
    ("a = 'x' or b = 'x'", 5), ("a = 'x' and b = 'x'", 1), ("not (a = 'x' and b = 'x')", 5),
    ("a = b", 1), ("a <> b", 3),
    ("not a = b", 3), ("a is null", 3), ("a is not null", 6), ("not a is null", 6), ("a is null or b is null", 5),
    ("a is null and b is null", 1), ("a in ('x', 'q')", 3), ("a not in ('x', 'q')", 3), ("not a in ('q')", 6),
    ("a between 'x' and 'y'", 6), ("a not between 'y' and 'z'", 3), ("a between 'z' and 'a'", 0), ("'x' = a", 3),
    ("'x' < a", 3), ("'y' >= a", 6), ("a < b", 2), ("b >= a", 3), ("(((a = 'x')))", 3), ("a = 'x' or a is null", 6),
    ("a = 'x' and not b = 'x'", 1), ("a = 'X'", 0), ("a = 'x '", 0), ("a like 'x'", 3), ("a not like 'x'", 3),
    ("a = 'x' or a = 'y' and b = 'z'", 4), ("not a = 'x' or b = 'x'", 5), ("a > ''", 6),
]  # fmt: skip


@pytest.mark.big
def test_three_valued_logic(engine):
    for where, people in LOGIC:
        if where == "a > ''":
            assert engine.loaded(LETTERS, [], where=where).n_people() == people
        else:
            assert engine.people(where, LETTERS) == people, where


LIKE = [
    "a%b",
    "a_b",
    "aXb",
    "ab",
    "a\\b",
    "a.b",
    "a*b",
    "[ab]",
    "A%B",
    "a\nb",
    "\U0001f600",
    "e\u0301",
    "it's",
    "",
    None,
]
PATTERNS = [
    ("a%b", {"a%b", "a_b", "aXb", "ab", "a\\b", "a.b", "a*b", "a\nb"}),
    ("a_b", {"a%b", "a_b", "aXb", "a\\b", "a.b", "a*b", "a\nb"}),
    ("a.b", {"a.b"}), ("a*b", {"a*b"}), ("[ab]", {"[ab]"}), ("a\\b", {"a\\b"}),
    ("a\\%b", {"a\\b"}), ("_", {"\U0001f600"}),
    ("__", {"ab", "e\u0301"}), ("%'%", {"it's"}), ("%", set(LIKE) - {None}), ("", {""}), ("A%", {"A%B"}),
    ("%%", set(LIKE) - {None}),
]  # fmt: skip


def test_like_knows_two_signs_and_no_escape(engine):
    texts = [text for text in LIKE if text != "" or engine.kept.empty_text]
    for pattern, matching in PATTERNS:
        where = f"t like '{pattern.replace(chr(39), chr(39) * 2)}'"
        assert engine.people(where, [{"t": text} for text in texts]) == len(matching & set(texts)), where


TRYING = [
    ("%a%a%a%a%a%a%a%a%b", "a" * 20_000),
    ("%a_a%a_a%a_a%a_a%aab", "ab" * 10_000),
    ("%ab" * 20 + "c", "ab" * 10_000),
]


@pytest.mark.parametrize(("pattern", "text"), TRYING)
def test_like_does_not_try_every_way_to_cut_a_text(engine, pattern, text):
    """A text of 20,000 characters that all but matches: each way to cut it once would take for ever."""
    rows = [{"t": text}, {"t": text + pattern.replace("%", "")}]
    opened = engine(rows, options=OpenOptions(where=f"t like '{pattern}'"))
    began = time.monotonic()
    opened.load(["t"])
    assert opened.n_people() == 1
    assert time.monotonic() - began < 20  # a busy machine that starts a cluster; on its own it takes milliseconds


SIGNS = st.text(st.sampled_from("ab%_\\.*[](\n\u00e9\U0001f600"), max_size=12)


@hypothesis.settings(max_examples=500, deadline=None)
@hypothesis.given(SIGNS, SIGNS)
def test_like_in_linear_time_is_like(text, pattern):
    """Against the definition: a % stands for some text, and all lengths of it are tried."""

    @functools.cache
    def fits(place: int, sign: int) -> bool:
        if sign == len(pattern):
            return place == len(text)
        if pattern[sign] == "%":
            return any(fits(after, sign + 1) for after in range(place, len(text) + 1))
        return place < len(text) and pattern[sign] in ("_", text[place]) and fits(place + 1, sign + 1)

    assert (like_pattern(pattern).fullmatch(text) is not None) == fits(0, 0)
    assert satisfies(filters.Like(filters.FilterColumn("t", Kind.TEXT), pattern), {"t": text}) == fits(0, 0)


def test_a_long_text_takes_milliseconds():
    for pattern, text in TRYING:
        began = time.process_time()
        assert like_pattern(pattern).fullmatch(text) is None
        assert time.process_time() - began < 0.5


def test_several_filters_must_all_hold(engine):
    rows = [{"a": "x", "b": "1"}, {"a": "x", "b": "2"}, {"a": "y", "b": "1"}]

    def people(*texts):
        return engine(rows, options=OpenOptions(where=texts)).n_people()

    assert people("a = 'x' or a = 'y'", "b = '1'") == 2
    assert people("a = 'x'", "b = '1' or b = '2'", "b <> '2'") == 1
    assert people("a = 'x'") == 2
    for escape in ("b = '1') or (b = '2'", "b = '1' or b = '2') --", "b = '1') or a = 'y' or (b = '2'", ""):
        with pytest.raises(InputError):
            people("a = 'x'", escape)
    with pytest.raises(InputError):
        people()


NUMBERS = ["5", "05", "5.0", " 5", "1e1", "-3", "10", "9", "100", None]


@pytest.mark.parametrize(
    ("where", "people"),
    [
        ("n = 5", 4), ("n > 5", 4), ("n >= 10", 3), ("n < 0", 1), ("n = -3", 1), ("n in (5, 10)", 6), ("n <> 5", 5),
        ("n between 9 and 10", 3), ("n = 5.0", 4), ("n < 9.5", 6), ("n = '5'", 1), ("n > '5'", 2), ("5 = n", 4),
        ("n = 1e1", 2), ("not n = 5", 5), ("n = 5 and n = '05'", 1), ("n = 5 and n like '0%'", 1), ("n <= 1e400", 9),
    ],
)  # fmt: skip
def test_text_against_numbers_and_text(engine, where, people):
    assert engine.people(where, [{"n": text} for text in NUMBERS]) == people


@pytest.mark.parametrize(("where", "people"), [("n = 9007199254740993", 1), ("n > 9007199254740992", 1)])
def test_huge_numbers_in_the_filter_are_exact(engine, where, people):
    assert engine.people(where, [{"n": "9007199254740992"}, {"n": "9007199254740993"}]) == people


@pytest.mark.parametrize(
    ("where", "people"),
    [
        ("n = 9007199254740993", 1), ("n > 9007199254740992", 1), ("n < 1e30", 3), ("n < 1e60", 3), ("n > -1e400", 3),
        ("n > 9007199254740992.5", 1), ("n in (9007199254740993, 5)", 1), ("n = 1.5", 0), ("n between -1 and 1", 1),
    ],
)  # fmt: skip
def test_whole_numbers_in_the_filter_are_exact(typed_engine, where, people):
    rows = [{"n": value} for value in (2**53, 2**53 + 1, 0, None)]
    assert typed_engine.people(where, rows, {"n": Kind.INTEGER}) == people


def test_numbers_in_the_filter(any_number_engine):
    rows = [{"n": value} for value in (0.1, 0.3, -0.0, float("nan"), float("inf"), None)]
    cases = {"n = 0.1": 1, "n = 0.3": 1, "n = 0": 1, "n > 5": 1, "n is null": 2, "n <> 0.1": 3, "not n < 5": 1}
    for where, people in cases.items():
        assert any_number_engine.people(where, rows, {"n": Kind.NUMBER}) == people, where


def test_dates_moments_and_flags_in_the_filter(typed_engine):
    kinds = {"d": Kind.DATE, "t": Kind.TIMESTAMP, "f": Kind.BOOLEAN}
    rows = [
        {"d": date(1985, 5, 1), "t": datetime(1985, 5, 1), "f": True},
        {"d": date(985, 1, 1), "t": datetime(1985, 5, 1, 0, 0, 0, 1), "f": False},
        {},
    ]
    cases = {
        "d = '1985-05-01'": 1, "d < '1000-01-01'": 1, "d between '0001-01-01' and '9999-12-31'": 2, "d is null": 1,
        "d in ('1985-05-01', '0985-01-01')": 2, "t = '1985-05-01'": 1, "t > '1985-05-01'": 1,
        "t <= '1985-05-01 00:00:00.000001'": 2, "f = true": 1, "f <> true": 1, "not f = false": 1,
    }  # fmt: skip
    for where, people in cases.items():
        assert typed_engine.people(where, rows, kinds) == people, where
    for where in ("d = 5", "d = 'May'", "t = 'x'", "f = 1", "f = 'true'", "d like '1985%'", "d = t", "f", "d = true"):
        with pytest.raises(InputError):
            typed_engine(rows, kinds, OpenOptions(where=where))


def test_a_moment_with_a_zone_is_refused_or_compared(typed_engine):
    rows, kinds = [{"t": datetime(1985, 5, 1, 8)}, {"t": datetime(1985, 5, 1, 10)}], {"t": Kind.TIMESTAMP}
    try:
        assert typed_engine.people("t = '1985-05-01T10:00+02:00'", rows, kinds) == 1
    except InputError:
        assert typed_engine.people("t = '1985-05-01T10:00'", rows, kinds) == 1


NAMES = ['a"b', "a b", "a,b", "a:b", "select", "a;b", "a--b", "é", "1", "a'b", "a\nb", "A", "*"]


def test_names_in_quotes(engine):
    for name in NAMES:
        quoted = '"' + name.replace('"', '""') + '"'
        rows = [{name: "x", "other": "1"}, {name: "y", "other": "2"}]
        assert engine.people(f"{quoted} = 'x' and other = '1'", rows) == 1, name


def test_a_column_that_is_not_there(engine):
    for where in ("age = 'x'", "\"A\" = 'x'", "a = 'x' or c is null"):
        with pytest.raises(InputError):
            engine(LETTERS, options=OpenOptions(where=where))


def test_text_that_is_no_number_is_not_compared_with_one(engine):
    with pytest.raises(DataError):
        engine.loaded([{"n": "5"}, {"n": "x"}], [], where="n > 3")


@pytest.fixture(params=[1_000, 100_000], ids=["recursion of Python", "recursion of a notebook"])
def recursion(request):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(request.param)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.big
@pytest.mark.usefixtures("recursion")
def test_a_long_list_of_alternatives(engine):
    where = " or ".join(f"n = '{number}'" for number in range(2_000))
    try:
        assert engine.people(where, [{"n": "7"}, {"n": "1999"}, {"n": "2000"}]) == 2
    except InputError:
        assert engine.people("n in ('7', '1999')", [{"n": "7"}, {"n": "1999"}, {"n": "2000"}]) == 2
