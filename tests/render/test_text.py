"""Text: names and values cannot control a terminal, hide, or act as markup; no figure is cut."""

import io
import re
import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import idbits
from idbits.render.blocks import Command, Heading, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.text import print_blocks, safe, to_text

NASTY = {
    "colour": "a\x1b[31mb",
    "title": "\x1b]0;owned\x07",
    "one-byte escape": "a\x9b31mb",
    "bell": "\x07",
    "return": "good\rbad",
    "line break": "one\ntwo",
    "line separator": "one\u2028two",
    "backspace": "secret\x08\x08",
    "right-to-left override": "\u202egpj.exe",
    "isolate": "\u2066x\u2069",
    "zero width": "a\u200bb",
    "delete": "a\x7fb",
    "surrogate": "a\udcffb",
}


def everywhere(text: str) -> list:
    return [
        Verdict(Level.BAD, text, text), Heading(text), Paragraph(text), Items(text, (text,)), Command(text, text),
        TableBlock(text, (text, "n"), [[text, "1"]], caption=text),
    ]  # fmt: skip


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
def test_control_characters_are_shown_not_sent(nasty: str) -> None:
    text = to_text(everywhere(nasty))
    assert {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")} == {"\n"}
    assert text.count(safe(nasty)) == 12
    assert to_text(everywhere(nasty)).encode("utf-8")


@given(st.text())
def test_safe_is_one_printable_line(text: str) -> None:
    shown = safe(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in shown)
    assert safe(shown) == shown
    if text.isascii() and text.isprintable():
        assert shown == text


@pytest.mark.parametrize("name", ["[red]x", "[/red]", "[bold]x[/bold]", ":smile:", "[link=file:///x]y[/link]", "a\\[b"])
def test_markup_in_names_is_printed_literally(name: str) -> None:
    text = to_text(everywhere(name))
    assert text.count(name) == 12
    result = idbits.measure(pa.table({name: ["v"] * 10}), [name], values=True)
    assert name in str(result)


def test_right_to_left_names_are_printed() -> None:
    name = "שם משפחה"
    text = str(idbits.measure(pa.table({name: ["כהן"] * 10}), [name], values=True))
    assert name in text
    assert "כהן" in text


def test_plain_text_is_ascii_for_ascii_names() -> None:
    table = pa.table({"zip": ["a"] * 12 + ["b"] * 3, "sex": ["F"] * 15, "town": ["X"] * 11 + ["Y"] * 4})
    result = idbits.measure(table, ["zip", "sex"], by="town", values=True, suppress=4, reveal=True)
    assert str(result).isascii()
    assert str(idbits.measure(table, [["zip"], ["sex"]])).isascii()


def test_colours_only_where_asked() -> None:
    out = io.StringIO()
    print_blocks(everywhere("x"), Console(file=out, force_terminal=True, color_system="standard"))
    assert "\x1b[1;31m" in out.getvalue()
    assert "\x1b" not in to_text(everywhere("x"))


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_no_figure_is_cut_on_a_narrow_terminal(width: int) -> None:
    rows = [["a rather long name of a column", "12.34", "56.78%", "10,004,090", "1,234,567", "7,301,408", "98.7"]]
    block = TableBlock("Title", ("column", "bits", "unique", "below 5", "k-hat", "forced", "alone"), rows)
    out = io.StringIO()
    print_blocks([block], Console(file=out, width=width), plain=True)
    words = re.split(r"[\s|]+", out.getvalue())
    assert [cell for cell in rows[0][1:] if cell not in words] == []


def test_a_table_fits_80_columns_when_piped() -> None:
    columns = ("column", "bits", "unique", "below 5", "smallest group", "typical group", "forced", "unique people")
    rows = [["marital-status", "13.60", "46.49%", "21,977", "10,004", "16,063", "0", "14,021"]]
    out = io.StringIO()
    print_blocks([TableBlock("Title", columns, rows)], Console(file=out, width=100), plain=True)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    # Names wrap at spaces, the last line next to the numbers; neither names nor words are broken.
    assert "smallest" in lines[1]
    assert "marital-status" in lines[-1]
    assert [cell for cell in rows[0] if cell not in lines[-1]] == []


@pytest.mark.big
@pytest.mark.parametrize("columns", [2, 8, 12, 30])
def test_wide_tables_lose_no_value(columns: int) -> None:
    names = [f"column{position}" for position in range(columns)]
    table = pa.table({name: [f"value{position}"] * 12 for position, name in enumerate(names)})
    text = str(idbits.measure(table, names, values=True))
    shown = text[text.index("Values, most frequent first") : text.index("Not assessed")]
    lines = [[cell.strip() for cell in line.split("|")] for line in shown.splitlines() if "|" in line]
    # A long value may wrap: its parts are below each other.
    folded = ["".join(cells) for cells in zip(*lines, strict=True)] if lines else []
    values = [f"value{position}" for position in range(columns)]
    assert [value for value in values if value not in shown and not any(value in cells for cells in folded)] == []


def test_long_names_are_folded_not_dropped() -> None:
    name = "".join(f"{i:04}" for i in range(100))
    text = str(idbits.measure(pa.table({name: ["v"] * 10}), [name]))
    rows = text[text.index("What the columns give away") : text.index("bits single out every")]
    assert "".join(re.findall(r"^(\d+) *\|", rows, flags=re.MULTILINE)) == name


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("date_of_the_first_admission_to_the_hospital", ["date_of_the_first_admission_", "to_the_hospital"]),
        ("dateOfTheFirstAdmissionToTheHospitalICUWard", ["dateOfTheFirstAdmissionToThe", "HospitalICUWard"]),
        ("patient.address.before-the-move.postal-code", ["patient.address.before-the-", "move.postal-code"]),
        ("x" * 43, ["x" * 30, "x" * 13]),
    ],
)
def test_long_names_break_between_their_parts(name: str, parts: list[str]) -> None:
    # 30 of 80 columns are left for the name.
    block = TableBlock("", ("column", "meaning"), ((name, "7" * 47),), left=(0,))
    lines = [line.partition("|")[0].strip() for line in to_text([block]).splitlines()]
    assert lines == ["column", "-" * 30 + "-+-" + "-" * 47, *parts]


def test_commands_are_one_line_to_copy() -> None:
    command = "idbits measure " + "x" * 300 + " --qid a"
    assert command in to_text([Command("Next", command)])


def test_an_empty_table_is_printed() -> None:
    text = to_text([TableBlock("Nothing", ("a", "b"), [])])
    assert text.startswith("Nothing\na")
