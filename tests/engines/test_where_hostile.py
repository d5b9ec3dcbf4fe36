"""Whatever is not in the grammar is an error of the question, touches no file and is not repeated in a log."""

import logging

import pytest

from idbits.engines import where
from idbits.engines.base import OpenOptions
from idbits.errors import InputError
from idbits.values.attributes import Kind

HOSTILE = [
    "", " ", ";", "a", "1", "'x'", "1 = 1", "true", "null", "a = 'x';", "a = 'x'; drop table t", "a = 'x'; a = 'y'",
    "a = 'x' -- and b = 'y'", "a = 'x' /* and b = 'y' */", "/* c */ a = 'x'", "-- c", "a = 'x' -- ", "a = 'x' # c",
    "length(a) = 1", "lower(a) = 'x'", "a || 'x' = 'xx'", "n + 1 = 2", "n = 1 + 1", "n = -(1)", "n = 2 * 3", "-n = 1",
    "cast(a as int) = 1", "a::int = 1", "try_cast(a as int) = 1", "n = '1'::int", "n = cast('1' as int)",
    "(select 1) = 1", "a in (select 'x')", "a = (select 'x')", "exists (select 1)", "a = any (select 'x')",
    "a in (select * from read_csv('PATH'))", "a = (select a from 'PATH')", "read_csv('PATH') is null",
    "a in ('x', (select a from 'PATH'))", "a = read_text('PATH')", "a in read_csv('PATH')", "a in b", "a in ()",
    "a in (b)", "a in (null)", "a = null", "a <> null", "a between null and 'x'", "a like null", "a like b",
    "a like 'x' escape '!'", "a ilike 'x'", "a ~ 'x'", "a glob 'x'", "a similar to 'x'", "regexp_matches(a, 'x')",
    "a collate nocase = 'X'", "a is distinct from 'x'", "a is not distinct from b", "a is true", "a is b", "a is 'x'",
    "case when a = 'x' then true end", "if(a = 'x', true, false)", "coalesce(a, 'x') = 'x'", "a = 'x' and 1", "a and b",
    "a = 'x' union select 1", "a = 'x' limit 1", "a = 'x' order by a", "a = 'x' group by a", "a = 'x', b = 'y'",
    "select a", "select * from t where a = 'x'", "where a = 'x'", "from 'PATH'", "copy t to 'PATH'", "attach 'PATH'",
    "pragma database_list", "install httpfs", "load httpfs", "set memory_limit = '1B'", "drop table t", "call f()",
    "a = ?", "a = $1", "a = :x", "a = @x", "t.a = 'x'", "main.t.a = 'x'", "a.b = 'x'", "a[1] = 'x'", "a -> 'x' = 'y'",
    "* = 'x'", "columns('a') = 'x'", "a = current_date", "a = getenv('HOME')", "a = date '2005-01-01'",
    "a = interval '1' day", "a = x'41'", "a = {'k': 1}", "a = ['x']", "a = ('x')::text", "a = 'x' 'y'", "a = e'x'",
    "('x') = 'x'", "a = 'x", 'a = "x', "a = 'x')", "(a = 'x'", "a == ", "a = = 'x'", "not", "a not",
    "and", "a = 'x' or",
    "lambda a: a", "a = 'x' as b", "a := 'x'", "(a, b) = ('x', 'y')", "(a, b) in (('x', 'y'))", "a = all ('x')",
    "a between 'a' and (select 'x')", "a overlaps b", "a xor b", "n & 1 = 1", "n % 2 = 1", "row(a) = row('x')",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_not_in_the_grammar_is_refused(text, tmp_path):
    path = tmp_path / "file"
    kinds = {"a": Kind.TEXT, "b": Kind.TEXT, "n": Kind.INTEGER}
    with pytest.raises(InputError):
        where.parse(text.replace("PATH", str(path)), kinds)
    assert not path.exists()


def test_engines_refuse_before_they_read(engine, tmp_path):
    path = tmp_path / "copy.csv"
    for text in (f"a in (select * from read_csv('{path}'))", f"copy t to '{path}'", "a = 'x'; drop table t"):
        with pytest.raises(InputError):
            engine([{"a": "x"}], options=OpenOptions(where=text))
    assert not path.exists()


@pytest.mark.parametrize("text", ["n = 1e5000", "n > -1e5000", "n in (1e5000)"])
@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.NUMBER, Kind.TEXT])
def test_numbers_beyond_all_measure(typed_engine, text, kind):
    rows = [{"n": "1" if kind is Kind.TEXT else 1}]
    try:
        assert typed_engine.loaded(rows, [], {"n": kind}, where=text).n_people() == (text == "n > -1e5000")
    except InputError:
        assert typed_engine.loaded(rows, [], {"n": kind}, where="n = 1").n_people() == 1


@pytest.mark.big
@pytest.mark.parametrize("text", ["(" * 5_000 + "a = 'x'" + ")" * 5_000, "not " * 5_000 + "a = 'x'"])
def test_deep_nesting_is_an_error_of_the_question(text):
    with pytest.raises(InputError):
        where.parse(text, {"a": Kind.TEXT})


@pytest.mark.parametrize(
    "text", ["call SECRET()", "pragma 'SECRET'", "load SECRET", "a = 'SECRET' and", "a ~ 'SECRET'", "show 'SECRET'",
             "explain select 'SECRET'", "alter table t rename to SECRET", "grant SECRET", "vacuum SECRET"]
)  # fmt: skip
def test_literals_are_not_repeated(text, caplog, capfd):
    with caplog.at_level(logging.DEBUG), pytest.raises(InputError) as refusal:
        where.parse(text, {"a": Kind.TEXT})
    assert "SECRET" not in str(refusal.value)
    assert "SECRET" not in caplog.text
    assert "SECRET" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("text", ["a = '\u2019'", "a = 'x;y'", "a = '--'", "a = '/*'", "a = '\"'", "a = '\\'"])
def test_literals_may_hold_anything(engine, text):
    value = text[5:-1]
    assert engine.people(text, [{"a": value}, {"a": value + "2"}, {"a": value[:-1] + "!"}]) == 1
