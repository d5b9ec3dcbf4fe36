"""Random tables of few values: DuckDB gives what plain Python gives, count for count."""

from collections import Counter
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from idbits.values.attributes import Kind, parse_attributes

LIMITS = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],  # shrinking would open thousands of tables
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# One engine of each way to read: every example opens tables of its own.
TEXT_AND_FRAME = pytest.mark.parametrize("engine", ["duckdb-csv", "duckdb-arrow"], indirect=True)
FRAME = pytest.mark.parametrize("typed_engine", ["duckdb-arrow"], indirect=True)

TEXTS = st.sampled_from([None, "a", "A", "a ", "é", "e\u0301", "ab", "ac", "b", "\U0001f600x", "0", "00"])
NUMBERS_AS_TEXT = st.sampled_from([None, "1", "01", "1.0", "-7", "6.5", "7", "12", " 12", "95", "0.3", "-0"])
DATES_AS_TEXT = st.sampled_from(
    [None, "1985-05-01", "1985-05-31", "1985-5-1", "2004-12-31", "2005-01-01", "0987-02-28", "19850501"]
)
TEXT_TABLES = st.lists(
    st.fixed_dictionaries({"t": TEXTS, "n": NUMBERS_AS_TEXT, "d": DATES_AS_TEXT, "u": TEXTS}), min_size=1, max_size=25
)
ON_TEXT = ["", ":prefix1", ":prefix2", ":top1", ":top2", ":prefix1:top1"]
ON_NUMBERS = ["", ":band5", ":band0.1", ":round10", ":cap7", ":cap7:band5", ":round5:top2", ":top2"]
ON_DATES = [
    "",
    ":year",
    ":quarter",
    ":month",
    ":week",
    ":day",
    ":monthofyear",
    ":year:band10",
    ":month:top2",
    ":week:month",
]


def one_of(column, transforms):
    return st.sampled_from([column + transform for transform in transforms])


TEXT_QIDS = st.lists(
    st.one_of(one_of("t", ON_TEXT), one_of("u", ON_TEXT), one_of("n", ON_NUMBERS), one_of("d", ON_DATES)),
    min_size=1,
    max_size=4,
    unique=True,
)

TYPED_TABLES = st.lists(
    st.fixed_dictionaries(
        {
            "i": st.one_of(st.none(), st.integers(-12, 12), st.sampled_from([2**53 + 1, -(2**53) - 1, 2**63 - 1])),
            "f": st.one_of(st.none(), st.sampled_from([0.0, -0.0, 0.5, 2.5, -2.5, 7.0, float("nan"), 1e16])),
            "b": st.one_of(st.none(), st.booleans()),
            "d": st.one_of(st.none(), st.integers(0, 800).map(lambda days: date(1999, 12, 20) + timedelta(days))),
        }
    ),
    max_size=25,
)
TYPED_KINDS = {"i": Kind.INTEGER, "f": Kind.NUMBER, "b": Kind.BOOLEAN, "d": Kind.DATE}
TYPED_QIDS = st.lists(
    st.one_of(
        one_of("i", ["", ":band5", ":round4", ":cap3", ":prefix1", ":top2", ":band3:prefix1", ":cap2:round3"]),
        one_of("f", ["", ":band5", ":round1", ":cap3", ":top1", ":band0.5"]),
        one_of("b", ["", ":top1"]),
        one_of("d", ON_DATES),
    ),
    min_size=1,
    max_size=4,
    unique=True,
)


@pytest.mark.big
@TEXT_AND_FRAME
@LIMITS
@given(rows=TEXT_TABLES, names=TEXT_QIDS)
def test_tables_of_text(engine, rows, names):
    engine.count(rows, names, dict.fromkeys("tndu", Kind.TEXT))


@pytest.mark.big
@FRAME
@LIMITS
@given(rows=TYPED_TABLES, names=TYPED_QIDS)
def test_tables_of_many_kinds(typed_engine, rows, names):
    typed_engine.count(rows, names, TYPED_KINDS)


@pytest.mark.big
@TEXT_AND_FRAME
@LIMITS
@given(rows=st.lists(st.fixed_dictionaries({"t": TEXTS, "u": TEXTS}), min_size=1, max_size=25))
def test_plain_columns_against_a_counter(engine, rows):
    expected = Counter((row["t"], row["u"]) for row in rows)
    assert engine.count(rows, ["t", "u"]) == expected


@pytest.mark.big
@TEXT_AND_FRAME
@LIMITS
@given(
    rows=st.lists(
        st.fixed_dictionaries({"t": TEXTS, "u": TEXTS, "n": st.sampled_from(["0", "1", "2.0", " 3"])}),
        min_size=1,
        max_size=15,
    ),
    names=st.sampled_from([["t"], ["t", "u"], ["t:prefix1", "u:top2"]]),
)
def test_counted_tables(engine, rows, names):
    engine.count(rows, names, count="n")


CONDITIONS = st.recursive(
    st.sampled_from(
        ["t = 'a'", "t <> 'a'", "t is null", "u in ('a', 'A', 'é')", "n > 5", "n = 1", "n between -7 and 7", "t < u",
         "t like 'a%'", "not n = 12", "u not like '_'", "t between 'A' and 'a'", "n in (1, 12)"]
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda condition: f"not ({condition})"),
    ),
    max_leaves=5,
)  # fmt: skip


@TEXT_AND_FRAME
@LIMITS
@given(rows=TEXT_TABLES, condition=CONDITIONS)
def test_filters(engine, rows, condition):
    engine.people(condition, rows, dict.fromkeys("tndu", Kind.TEXT))


@FRAME
@pytest.mark.parametrize("most", [1, 3, 30])
@settings(LIMITS, max_examples=10)
@given(rows=TYPED_TABLES, names=TYPED_QIDS)
def test_the_most_exposed(typed_engine, most, rows, names):
    table, reference = typed_engine.loaded(rows, names, TYPED_KINDS), typed_engine.reference(rows, TYPED_KINDS)
    qid = parse_attributes(names, table.columns)
    assert table.histogram(qid, most=most) == reference.histogram(qid, most=most)
    assert table.histogram(qid, at_least=2) == reference.histogram(qid, at_least=2)
