"""Equality of text is textual; prefixes count code points; top breaks ties by bytes."""

import pytest

from idbits.errors import InputError
from idbits.values.attributes import Kind, parse_attribute

DIFFERENT = [
    "1", "01", "1.0", " 1", "1 ", "+1", "1e0", "A", "a", "a ", " a", "a\t", "\u00e9", "e\u0301", "e", "E",
    "\u00df", "ss",
    "\u0130", "i", "I", "\u0131", "\ufb01", "fi", "\u212b", "\u00c5", "A\u030a", "\u200ba", "a\u200b", "\u00a0a", "NA",
    "null", "NULL", "None", "nan", "NaN", "true", "True", "-", "0", "-0", "00", "'", '"', '""', "''", "\\",
    "\\n", "\\N",
    "a,b", "a;b", "a|b", "a\tb", "a\nb", "a\r\nb", "a\rb", "\U0001f600", "\U0001f468\u200d\U0001f469", "%", "_", "=1+1",
    "<b>", "(other values)", "x" * 70_000, "x" * 70_001,
]  # fmt: skip


def test_what_differs_in_a_byte_differs(engine):
    found = engine.count([{"t": text} for text in DIFFERENT] + [{"t": None}], ["t"])
    assert found == dict.fromkeys([*DIFFERENT, None], 1)
    twice = engine.count([{"t": text, "u": text} for text in DIFFERENT] * 2, ["t", "u"])
    assert twice == {(text, text): 2 for text in DIFFERENT}


def test_empty_text_is_null_in_text_files_and_a_value_elsewhere(engine):
    found = engine.count([{"t": "", "u": "x"}, {"t": None, "u": "x"}, {"t": " ", "u": "x"}], ["t"])
    assert found == ({"": 1, None: 1, " ": 1} if engine.kept.empty_text else {None: 2, " ": 1})


def test_prefixes_count_code_points(engine):
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    rows = [{"t": text} for text in ("e\u0301a", "\u00e9a", family, family + "x", "ab", "a", "ac", None)]
    one, two, three, many = engine.count_each(rows, [["t:prefix1"], ["t:prefix2"], ["t:prefix3"], ["t:prefix999"]])
    assert one == {"e": 1, "\u00e9": 1, "\U0001f468": 2, "a": 3, None: 1}
    assert two == {"e\u0301": 1, "\u00e9a": 1, "\U0001f468\u200d": 2, "ab": 1, "a": 1, "ac": 1, None: 1}
    assert three[family[:3]] == 2
    assert len(many) == len(rows)


def test_prefixes_of_prefixes(engine):
    assert engine.count([{"t": "abc"}, {"t": "abd"}], ["t:prefix2:prefix1"]) == {"a": 2}


def test_prefixes_of_numbers(typed_engine):
    rows = [{"n": number} for number in (1234, -1234, 1, 0, None)]
    found = typed_engine.count_each(rows, [["n:prefix2"], ["n:band1000:prefix1"]], {"n": Kind.INTEGER})
    assert found == [{"12": 1, "-1": 1, "1": 1, "0": 1, None: 1}, {"1": 1, "-": 1, "0": 2, None: 1}]


def test_top_keeps_the_most_frequent(engine):
    rows = [{"t": text} for text in "aaabbcd"] + [{"t": None}] * 5
    one, two, all_of_them = engine.count_each(rows, [["t:top1"], ["t:top2"], ["t:top4"]])
    assert one == {"a": 3, "(other values)": 4, None: 5}
    assert two == {"a": 3, "b": 2, "(other values)": 2, None: 5}
    assert all_of_them == {"a": 3, "b": 2, "c": 1, "d": 1, None: 5}


def test_top_breaks_ties_by_bytes(engine):
    texts = ("\uffff", "\U00010000", "z", "Z", "\u00e9", "a", "B", "10", "9", "~")
    for kept in range(1, len(texts)):
        ranked = sorted(texts, key=str.encode)
        (found,) = engine.count_each([{"t": text} for text in texts], [[f"t:top{kept}"]])
        assert found == dict.fromkeys(ranked[:kept], 1) | {"(other values)": len(texts) - kept}


def test_top_breaks_ties_of_extreme_numbers_by_their_text(any_number_engine):
    found = any_number_engine.count([{"n": value} for value in (1e-5, 1e16, 2.0)], ["n:top1"], {"n": Kind.NUMBER})
    assert found == {"1e+16": 1, "(other values)": 2}


@pytest.mark.parametrize(
    ("kind", "values", "first"),
    [
        (Kind.INTEGER, (10, 9, -5), "-5"),
        (Kind.NUMBER, (10.0, 9.0, 100.5), "10"),
        (Kind.NUMBER, (0.5, 1e16, 1e15), "0.5"),
        (Kind.BOOLEAN, (True, False), "false"),
    ],
)
def test_top_breaks_ties_of_numbers_by_their_text(typed_engine, kind, values, first):
    found = typed_engine.count([{"n": value} for value in values], ["n:top1"], {"n": kind})
    assert found == {first: 1, "(other values)": len(values) - 1}


def test_top_of_a_coarser_view(engine):
    rows = [{"n": text} for text in ("11", "12", "21", "31", None)]
    assert engine.count(rows, ["n:band10:top1"]) == {"10": 2, "(other values)": 2, None: 1}
    assert engine.count(rows, ["n:prefix1:top1"]) == {"1": 2, "(other values)": 2, None: 1}
    assert engine.count(rows, ["n:top1", "n:band10"])[("11", "10")] == 1


def test_a_value_that_looks_like_the_rest_is_not_the_rest(engine):
    rows = [{"t": text} for text in ("(other values)", "(other values)", "a", "b")]
    table = engine.loaded(rows, ["t"])
    assert table.spectrum([parse_attribute("t:top1", table.columns)]).pairs() == [(2, 2)]


def test_top_in_a_counted_table(engine):
    rows = [{"t": text, "n": count} for text, count in (("a", "1"), ("b", "9"), ("a", "7"), ("c", "0"), (None, "50"))]
    one, three = engine.count_each(rows, [["t:top1"], ["t:top3"]], count="n")
    assert one == {"b": 9, "(other values)": 8, None: 50}
    assert three == {"b": 9, "a": 8, None: 50}


@pytest.mark.parametrize("name", ["t:top2:prefix1", "t:prefix2:band5x", "t:prefix0", "t:prefix", "t:top", "t:PREFIX2"])
def test_wrong_transforms_of_text(engine, name):
    with pytest.raises(InputError):
        parse_attribute(name, engine([{"t": "a"}]).columns)
