"""The row with the column names is found below titles and in two rows, and plain tables keep their first row."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.engines.sources.cell_texts import is_unit, may_be_unit
from idbits.engines.sources.header import find_header, header_at, table_start
from idbits.engines.sources.header_rows import HeaderRows

Table = list[list[str]]


def table(text: str) -> Table:
    """Return the rows of a table written with bars; a line without text is an empty row."""
    return [line.strip().split("|") if line.strip() else [] for line in text.strip("\n").splitlines()]


BODY = "Ann|1011|34|F|Paris\nBob|1012|35|M|Rome\nCid|1013|36|F|Oslo"
WORDS = "Ann|Paris|France|Main St|Cook\nBob|Rome|Italy|Low St|Clerk\nCid|Oslo|Norway|Hill St|Vet"

TITLES = {
    "one cell": ("Report||||\nname|zip|age|sex|city\n" + BODY, 1),
    "one cell, empty row": ("Report||||\n\nname|zip|age|sex|city\n" + BODY, 2),
    "an empty row with delimiters": ("Report||||\n||||\nname|zip|age|sex|city\n" + BODY, 2),
    "empty rows on top": ("||||\n||||\nname|zip|age|sex|city\n" + BODY, 2),
    "two cells": ("Report|2019|||\nname|zip|age|sex|city\n" + BODY, 1),
    "more than half of the cells": ("Report|2019|confidential||\nname|zip|age|sex|city\n" + BODY, 1),
    "more than half, names like values": ("Report|2019|confidential||\nName|Zip|Age|Sex|City\n" + BODY, 1),
    "all but one cell": ("Report|2019|confidential|draft|\nname|zip|age|sex|city\n" + BODY, 1),
    "all cells, one a number": ("Report|2019|confidential|draft|x\nname|zip|age|sex|city\n" + BODY, 1),
    "all cells, two equal": ("Report|Office|Office|draft|x\nname|zip|age|sex|city\n" + BODY, 1),
    "all cells, all texts": ("Report|Office|secret|draft|x\nname|zip|age|sex|city\n" + BODY, 1),
    "cells apart": ("Report||2019||secret\nname|zip|age|sex|city\n" + BODY, 1),
    "several rows": ("Report||||\nYear|2019|||\nState|open|draft||\nname|zip|age|sex|city\n" + BODY, 3),
    "only texts below": ("Report||||\nName|City|Country|Street|Job\n" + WORDS, 1),
    "only texts below, several cells": ("Report|2019|secret||\nName|City|Country|Street|Job\n" + WORDS, 1),
    "a name is missing": ("Report||||\n|zip|age|sex|city\n" + BODY, 1),
    "years as names": ("Report||\ncountry|2001|2002\nAT|5|6\nDE|7|8", 1),
    "two columns": ("Report|\nName|Age\nAnn|34\nBob|35", 1),
    "500 rows": ("Report||||\n" * 500 + "name|zip|age|sex|city\n" + BODY, 500),
    "no rows below the names": ("Report||\nname|zip|age", 1),
}
PLAIN = {
    "names": "name|zip|age|sex|city\n" + BODY,
    "names like values": "Name|Zip|Age|Sex|City\n" + BODY,
    "only texts": "Name|City|Country|Street|Job\n" + WORDS,
    "only names": "name|zip|age",
    "one column": "name\nAnn\nBob",
    "one cell": "name",
    "a name is missing": "name||age\nAnn|x|34\nBob|y|35",
    "names are missing at the end": "name|age||||\nAnn|34|p|q|r|s\nBob|35|t|u|v|w",
    "only the last name": "||city\n1|2|3\n4|5|6",
    "no names": "||\n1|2|3\n4|5|6",
    "years as names": "country|2001|2002\nAT|5|6\nDE|7|8",
    "numbers as names": "1|2|3\n4|5|6\n7|8|9",
    "no header": "Ann|1011|34|F|Paris\n" + BODY,
    "no header, only texts": WORDS,
    "a first person without numbers": "name|zip|age\nAnn|unknown|n/a\nBob|1012|35\nCid|1013|36",
    "a first person with words for numbers": "name|zip|age\nAnn|secret|old\nBob|1012|35\nCid|1013|36",
    "a first person with a remark": "remark|zip|age\nA remark|secret|old\nb|1012|35\nIn 2 words|1013|36\n?!|1014|37",
    "a first person with words, a name missing": "|name|zip|age\nA1|Ann|secret|old\nB2|Bob|1012|35\nC3|Cid|1013|36",
    "no header, and a word for a number": "Ann|34|F\nBob|35|M\nCid|old|X\nDan|36|M\nEve|37|F",
    "no header, and words for numbers": "Ann|34|F|1\nBob|low|M|high\nCid|35|F|2\nDan|36|M|3\nEve|37|F|4",
    "a first person with a gap": "name||city\n|Ann|Paris\nx|Bob|Rome\ny|Cid|Oslo",
    "a first person with equal values": "country|2001|2002\nAT|5|5\nDE|7|8",
    "one person": "name|zip|age\nAnn|1011|34",
    "longer rows": "a|b\n1|2\n1|2|3|4\n3|4\n1|2|3|4",
    "a footer": "name|zip|age\nAnn|1011|34\nBob|1012|35\nSource: office||",
}
TWO_ROWS = {
    "groups above equal names": (
        "|Before||After|\nid|kg|cm|kg|cm\n1|60|170|61|171\n2|70|180|71|181",
        ("id", "Before kg", "Before cm", "After kg", "After cm"),
    ),
    "groups repeated in each column": (
        "|A|A|B|B\nid|x|y|x|y\n1|2|3|4|5\n2|3|4|5|6",
        ("id", "A x", "A y", "B x", "B y"),
    ),
    "names in either row": (
        "ID|Name|Address||Income|\n||Street|City|2019|2020\n1|Ann|Main St|Paris|100|200\n2|Bob|Low St|Rome|101|201",
        ("ID", "Name", "Street", "City", "Income 2019", "Income 2020"),
    ),
    "a title above": (
        "Report||||\n\n|Before||After|\nid|kg|cm|kg|cm\n1|60|170|61|171\n2|70|180|71|181",
        ("id", "Before kg", "Before cm", "After kg", "After cm"),
    ),
    "only texts": (
        "|Before||After|\nid|job|town|job|town\nA1|Cook|Rome|Vet|Oslo\nB2|Vet|Oslo|Cook|Rome",
        ("id", "Before job", "Before town", "After job", "After town"),
    ),
}


@pytest.mark.parametrize("name", TITLES)
def test_names_below_a_title(name: str) -> None:
    text, row = TITLES[name]
    rows = table(text)
    header = find_header(rows)
    assert (header.row, header.data, header.suspect) == (row, row + 1, None)
    assert header.names == tuple(rows[row])
    (note,) = header.notes(0)
    assert f"row {row + 1};" in note
    assert f"{row} row{'' if row == 1 else 's'} above" in note
    assert not any(word in note for word in ("Report", "2019", "secret", "confidential"))


@pytest.mark.parametrize("name", PLAIN)
def test_plain_tables_keep_their_first_row(name: str) -> None:
    rows = table(PLAIN[name])
    header = find_header(rows)
    assert (header.row, header.data, header.names) == (0, 1, tuple(rows[0]))
    assert not header.groups


@pytest.mark.parametrize("name", TWO_ROWS)
def test_names_in_two_rows(name: str) -> None:
    text, names = TWO_ROWS[name]
    rows = table(text)
    header = find_header(rows)
    assert (header.names, header.groups) == (names, True)
    assert header.data == header.row + 1 == len(rows) - 2
    assert "completed with the row above" in header.notes(0)[0]


def test_groups_above_names_that_are_complete_are_left_out() -> None:
    rows = table("Person|||Visit||\nname|age|zip|day|cost|ward\nAnn|3|1|2020-01-01|5|x\nBob|4|2|2020-01-02|6|y")
    header = find_header(rows)
    assert (header.row, header.names, header.groups) == (1, tuple(rows[1]), False)


@pytest.mark.parametrize(
    "units",
    [
        "text|cm|kg",
        "|(cm)|(kg)",
        "varchar|int|float",
        "How are you called?|How tall are you today?|How heavy are you?",
    ],
)
def test_units_and_descriptions_below_the_names_are_no_data(units: str) -> None:
    rows = table(f"name|height|weight\n{units}\nAnn|170|60\nBob|180|71\nCid|181|72")
    header = find_header(rows)
    assert (header.row, header.data, header.names) == (0, 2, ("name", "height", "weight"))
    assert header.notes(0) == [
        "row 2, below the column names, has units or descriptions and was skipped (change with --header-row 1)"
    ]


def test_a_doubt_is_said() -> None:
    rows = table("Report|Office|secret\nName|Zip|Age\nAnn|1011|34\nBob|1012|35")
    header = find_header(rows)
    assert (header.row, header.suspect) == (0, 1)
    assert header.notes(0) == ["row 2 may contain the column names; if so, add --header-row 2"]


def test_a_chosen_row_is_taken_as_it_is() -> None:
    rows = table("Report||\nname|zip|age\nAnn|1011|34\nBob|1012|35")
    assert [header_at(rows, index).names for index in range(3)] == [tuple(row) for row in rows[:3]]


def test_groups_complete_the_equal_names_of_a_chosen_row() -> None:
    rows = table("|Before||After|\nid|kg|cm|kg|cm\n1|60|170|61|171")
    assert header_at(rows, 1).names == ("id", "Before kg", "Before cm", "After kg", "After cm")
    title = table("Report|2019|||\nid|kg|cm|kg|cm\n1|60|170|61|171")
    assert header_at(title, 1).names == ("id", "kg", "cm", "kg", "cm")


def test_the_first_row_of_a_table_without_names() -> None:
    assert table_start(table(BODY)) == 0
    assert table_start(table("Report||||\n\n" + BODY)) == 2


def test_units_are_not_names() -> None:
    assert [is_unit(text) for text in ("kg", "(any)", "VARCHAR", "date", "age")] == [True, True, True, False, False]
    assert [may_be_unit(text) for text in ("kg", "date", "m", "age", "zip")] == [True, True, True, False, False]


KINDS = {
    "number": st.integers(0, 99_999).map(str),
    "decimal": st.floats(0, 1000, allow_nan=False).map(lambda number: f"{number:.2f}"),
    "date": st.dates().map(str),
    "word": st.sampled_from(["Ann", "Bob", "Cid", "Dora", "Emil"]),
    "code": st.sampled_from(["F", "M", "X"]),
    "text": st.text("abc XYZ-", min_size=1, max_size=12),
}
NAMES = st.from_regex(r"[A-Za-z][a-z_]{2,10}", fullmatch=True)


@st.composite
def plain_tables(draw: st.DrawFn, *, with_numbers: bool = False) -> Table:
    """Draw a table with names and values of one kind per column, some of them missing."""
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=2, max_size=6))
    kinds = [*kinds, "number"] if with_numbers else kinds
    names = draw(st.lists(NAMES, min_size=len(kinds), max_size=len(kinds), unique=True))
    cells = [st.one_of(KINDS[kind], KINDS[kind], KINDS[kind], st.just("")) for kind in kinds]
    cells[-1] = KINDS[kinds[-1]] if with_numbers else cells[-1]
    rows = draw(st.lists(st.tuples(*cells).map(list), min_size=2 if with_numbers else 0, max_size=15))
    return [names, *rows]


@given(plain_tables())
def test_no_plain_table_loses_a_row(rows: Table) -> None:
    header = find_header(rows)
    assert (header.row, header.data, header.names) == (0, 1, tuple(rows[0]))


@given(
    plain_tables(with_numbers=True),
    st.lists(st.one_of(st.just(""), st.text("Report 2019:", min_size=1)), min_size=1, max_size=5),
)
def test_titles_of_one_cell_never_become_names(rows: Table, titles: list[str]) -> None:
    width = len(rows[0])
    above = [[title, *[""] * (width - 1)] if title.strip() else [] for title in titles]
    if not any(above):
        return
    header = find_header([*above, *rows])
    assert header == HeaderRows(len(above), len(above) + 1, tuple(rows[0]))


def test_words_for_numbers_do_not_make_a_person_the_names() -> None:
    random = Random(1)
    words = ["low", "high", "neg", "trace", "Other", "see note", "<LOD", "pos"]
    values = {"n": [str(number) for number in range(100)], "w": ["Ann", "Bob", "Cid"], "c": ["F", "M"]}
    for _ in range(1000):
        kinds = random.choices("nnnwc", k=random.randint(2, 6))
        names = random.sample(["name", "zip", "age", "sex", "city", "Job", "Born", "Id"], len(kinds))
        people = [
            [random.choice(words if random.random() < 0.15 else values[kind]) for kind in kinds]
            for _ in range(random.randint(1, 25))
        ]
        header = find_header([names, *people])
        assert (header.row, header.data) == (0, 1), people


@given(
    st.lists(
        st.lists(st.sampled_from(["", " ", "a", "b", "Ann", "7", "2019", "kg", "n/a"]), max_size=5), max_size=9
    ).filter(any)
)
def test_any_rows_have_a_header_among_them(rows: Table) -> None:
    header = find_header(rows)
    assert 0 <= header.row < header.data <= len(rows)
    assert rows[header.row]
    assert all(isinstance(note, str) for note in header.notes(0))
    assert 0 <= table_start(rows) < len(rows)
    for index, row in enumerate(rows):
        assert len(header_at(rows, index).names) >= len(row)


def only_texts(seed: int, rows: int = 40) -> Table:
    """Return people described by texts that repeat."""
    draw = Random(seed)
    choices = [["F", "M"], ["north", "south", "east"], ["flu", "asthma", "none"], ["yes", "no"]]
    return [[draw.choice(column) for column in choices] for _ in range(rows)]


TEXT_NAMES = ["sex", "region", "illness", "smoker"]


@pytest.mark.parametrize(
    "title",
    [
        ["Survey of", "the health", "office", "2019 results"],
        ["Health office", "Table 3", "Final", ""],
        ["Health office", "Table 3", "", "Final"],
        ["Health", "Survey of 2019", "Final version", "x"],
    ],
)
def test_names_are_told_from_texts_that_repeat(title: list[str]) -> None:
    assert find_header([title, TEXT_NAMES, *only_texts(1)]).row == 1
    assert find_header([title, ["", "", "", ""], TEXT_NAMES, *only_texts(1)]).row == 2


def test_two_rows_that_may_both_have_names_are_said() -> None:
    codes = ["Q1", "Q2", "Q3", "Q4"]
    found = find_header([codes, TEXT_NAMES, *only_texts(1)])
    assert (found.row, found.suspect) == (0, 1)


@pytest.mark.parametrize("names", [TEXT_NAMES, ["", "region", "illness", "smoker"], ["sex", "region", "", ""]])
@pytest.mark.parametrize("seed", range(20))
def test_a_first_person_whose_texts_repeat_stays_a_person(names: list[str], seed: int) -> None:
    assert find_header([names, *only_texts(seed)]).row == 0
