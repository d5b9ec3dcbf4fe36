"""Attributes: which column and which transforms a name stands for, on every engine the same."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.errors import ColumnNotFoundError, InputError
from idbits.values.attributes import Attribute, Kind, Transform, parse_attribute, parse_attributes, split_names

COLUMNS = {
    "name": Kind.TEXT,
    "age": Kind.INTEGER,
    "height": Kind.NUMBER,
    "member": Kind.BOOLEAN,
    "born": Kind.DATE,
    "seen": Kind.TIMESTAMP,
    "blob": Kind.OTHER,
}
DATE_WORDS = ["year", "quarter", "month", "week", "day", "monthofyear"]
NUMBER_WORDS = ["band5", "cap90", "round10"]
FITTING = {
    "name": {"prefix2", "top20", *NUMBER_WORDS, *DATE_WORDS},
    "age": {"prefix2", "top20", *NUMBER_WORDS},
    "height": {"top20", *NUMBER_WORDS},
    "member": {"top20"},
    "born": {"top20", *DATE_WORDS},
    "seen": {"top20", *DATE_WORDS},
    "blob": {"top20"},
}
ALL_WORDS = sorted(FITTING["name"])
AWKWARD_NAMES = st.text(st.sampled_from("ab:,\"' ;<&\n\t\\ó5"), min_size=1, max_size=8)


def words_of(name: str) -> list[str]:
    return [str(transform) for transform in parse_attribute(name, COLUMNS).transforms]


def test_a_bare_name_is_its_column() -> None:
    assert parse_attribute("age", COLUMNS) == Attribute("age", Kind.INTEGER)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("word", ALL_WORDS)
def test_transforms_fit_by_kind_and_misfits_list_the_fitting_ones(column: str, word: str) -> None:
    if word in FITTING[column]:
        assert words_of(f"{column}:{word}") == [word]
        return
    with pytest.raises(InputError) as caught:
        words_of(f"{column}:{word}")
    listed = str(caught.value).split("use one of ")[1].split(", ")
    assert set(listed) == FITTING[column]
    assert len(listed) == len(FITTING[column])


@pytest.mark.parametrize("column", COLUMNS)
def test_the_listed_examples_are_themselves_accepted(column: str) -> None:
    with pytest.raises(InputError) as caught:
        words_of(f"{column}:nonsense")
    for word in str(caught.value).split("use one of ")[1].split(", "):
        assert words_of(f"{column}:{word}") == [word]


def test_the_longest_column_wins() -> None:
    columns = {"a": Kind.TEXT, "a:year": Kind.DATE, "a:year:month": Kind.TEXT}
    assert parse_attribute("a:year:month", columns) == Attribute("a:year:month", Kind.TEXT)
    assert parse_attribute("a:year:day", columns) == Attribute("a:year", Kind.DATE, (Transform("day"),))
    assert parse_attribute("a:day", columns) == Attribute("a", Kind.TEXT, (Transform("day"),))


@given(AWKWARD_NAMES)
def test_a_name_that_is_a_column_is_that_column_whatever_it_holds(name: str) -> None:
    columns = {name: Kind.TEXT, name.split(":")[0]: Kind.DATE}
    assert parse_attribute(name, columns).column == name
    assert parse_attribute(name, columns).transforms == ()


@given(AWKWARD_NAMES, st.sampled_from(ALL_WORDS))
def test_any_column_can_be_coarsened(name: str, word: str) -> None:
    attribute = parse_attribute(f"{name}:{word}", {name: Kind.TEXT})
    assert attribute.column == name
    assert attribute.name == f"{name}:{word}"


@pytest.mark.parametrize(
    ("name", "missing"),
    [("agee", "agee"), ("agee:band5", "agee"), ("agee:cap90:band5", "agee"), ("a:b", "a:b"), ("", ""), (":", ":")],
)
def test_an_unknown_column_is_named_without_its_transforms(name: str, missing: str) -> None:
    with pytest.raises(ColumnNotFoundError) as caught:
        parse_attribute(name, COLUMNS)
    assert caught.value.name == missing


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("band5", "band5"),
        ("band5.0", "band5"),
        ("band005", "band5"),
        ("band2.50", "band2.5"),
        ("band0.000000001", "band0.000000001"),
        ("band999999999999999", "band999999999999999"),
        ("band100", "band100"),
        ("round0.5", "round0.5"),
        ("cap0", "cap0"),
        ("cap0.0", "cap0"),
        ("cap90.5", "cap90.5"),
        ("prefix1", "prefix1"),
        ("prefix2.0", "prefix2"),
        ("top1", "top1"),
    ],
)
def test_arguments_are_decimals_written_one_way(word: str, shown: str) -> None:
    assert words_of(f"age:{word}") == [shown]
    argument = parse_attribute(f"age:{word}", COLUMNS).transforms[0].argument
    assert argument == Decimal(word.lstrip("abcdefghijklmnopqrstuvwxyz"))


@pytest.mark.parametrize(
    "word",
    [
        "", "band", "cap", "top", "prefix", "round", "year5", "month1", "band0", "band0.0", "round0", "prefix0", "top0",
        "prefix1.5", "top2.5", "band-5", "cap-1", "band+5", "band5.", "band.5", "band1e3", "band1_000", "band5 ",
        " band5", "band 5", "band5\n", "Band5", "BAND5", "band٥", "band５", "ｂand5", "bänd5", "band1234567890123456",
        "band0.0000000001", "band5,0", "bandinf", "bandnan", "year:", "median3",
    ],
)  # fmt: skip
def test_what_is_no_transform_is_refused_with_the_fitting_ones(word: str) -> None:
    with pytest.raises(InputError, match="use one of prefix2, top20"):
        words_of(f"name:{word}")


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("age:cap90:band5", [Kind.INTEGER, Kind.INTEGER, Kind.INTEGER]),
        ("age:band2.5:cap90", [Kind.INTEGER, Kind.NUMBER, Kind.NUMBER]),
        ("height:band5", [Kind.NUMBER, Kind.NUMBER]),
        ("name:band5", [Kind.TEXT, Kind.NUMBER]),
        ("born:year:band10", [Kind.DATE, Kind.INTEGER, Kind.INTEGER]),
        ("born:month:year:prefix3:top9", [Kind.DATE, Kind.DATE, Kind.INTEGER, Kind.TEXT, Kind.TEXT]),
        ("seen:week:monthofyear", [Kind.TIMESTAMP, Kind.DATE, Kind.INTEGER]),
        ("name:prefix4:year", [Kind.TEXT, Kind.TEXT, Kind.INTEGER]),
        ("member:top1", [Kind.BOOLEAN, Kind.BOOLEAN]),
    ],
)
def test_chains_follow_the_kind_from_step_to_step(name: str, kinds: list[Kind]) -> None:
    attribute = parse_attribute(name, COLUMNS)
    assert attribute.name == name
    assert [kind for _, kind in attribute.steps()] == kinds[:-1]
    assert attribute.result_kind == kinds[-1]


@pytest.mark.parametrize(
    "name", ["born:year:month", "born:band5", "height:prefix2", "age:band2.5:prefix1", "age:year", "member:prefix1"]
)
def test_a_step_must_fit_what_the_step_before_gives(name: str) -> None:
    with pytest.raises(InputError, match="use one of"):
        parse_attribute(name, COLUMNS)


@pytest.mark.parametrize("name", ["name:top5:prefix2", "age:cap90:top5:top3", "age:top5:"])
def test_top_comes_last(name: str) -> None:
    with pytest.raises(InputError, match="top must be the last"):
        parse_attribute(name, COLUMNS)


def test_the_same_attribute_counts_once_and_order_is_kept() -> None:
    attributes = parse_attributes(["age:band5", "name", "age", "age:band5.0", "name"], COLUMNS)
    assert [attribute.name for attribute in attributes] == ["age:band5", "name", "age"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("zip", ["zip"]),
        ("birthdate,zip", ["birthdate", "zip"]),
        ("birthdate, zip,  sex", ["birthdate", "zip", "sex"]),
        ('"income, yearly",zip', ["income, yearly", "zip"]),
        ('"income, yearly":band5,zip', None),
        ('"income, yearly:band5",zip', ["income, yearly:band5", "zip"]),
        ('"say ""hi"""', ['say "hi"']),
        ("it's,O'Brien", ["it's", "O'Brien"]),
        ('height 5"', ['height 5"']),
        ('" a"', [" a"]),
        ("a;b\tc", ["a;b\tc"]),
        ("", None),
        (" ", None),
        (",", None),
        ("a,,b", None),
        ("a,", None),
        ('"a', None),
        ("a\nb", None),
    ],
)
def test_lists_of_names_are_read_as_csv(text: str, names: list[str] | None) -> None:
    if names is not None:
        assert split_names(text) == names
        return
    with pytest.raises(InputError, match="list of columns"):
        split_names(text)


@given(st.lists(AWKWARD_NAMES, min_size=1, max_size=5))
def test_quoted_names_survive_the_way_through_a_list(names: list[str]) -> None:
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="").writerow(names)
    assert split_names(written.getvalue()) == names


def test_ten_thousand_columns_are_read() -> None:
    names = [f"column {number}" for number in range(10_000)]
    columns = dict.fromkeys(names, Kind.TEXT)
    assert [a.column for a in parse_attributes(split_names(",".join(names)), columns)] == names


def test_spaces_around_a_column_name_need_not_be_given() -> None:
    columns = {"": Kind.TEXT, " born": Kind.DATE, "a": Kind.TEXT, "a ": Kind.TEXT, "d ": Kind.TEXT, " d": Kind.TEXT}
    assert parse_attribute("born:year", columns).name == " born:year"
    assert parse_attribute("a", columns).column == "a"
    for unknown in ("d", "zip", "zip:year"):
        with pytest.raises(ColumnNotFoundError):
            parse_attribute(unknown, columns)
