"""HTML: everything is escaped, nothing is loaded, and the page is well formed."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest

import idbits
from idbits import render, web
from idbits.render.blocks import Command, Heading, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.html import to_fragment

VOID = {"meta", "link", "br", "hr", "img", "input", "source"}
NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='x",
    "{{ 7*7 }}",
    "</style><b>",
    "&lt;",
]


class Reader(HTMLParser):
    """Reads a page; fails if a tag is not closed or not expected."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def everywhere(text: str) -> list:
    return [
        Verdict(Level.WARN, text, text, (text,)), Heading(text), Paragraph(text), Items(text, (text,)),
        Command(text, text), TableBlock(text, (text, "n"), [[text, text]], caption=text, emphasis=(0,)),
    ]  # fmt: skip


@pytest.mark.parametrize("nasty", NASTY)
def test_everything_is_escaped(nasty: str) -> None:
    harmless, attacked = read(to_fragment(everywhere("harmless"))), read(to_fragment(everywhere(nasty)))
    assert attacked.tags == harmless.tags
    assert {name for name, _ in attacked.attributes} == {name for name, _ in harmless.attributes}
    assert attacked.text.count(nasty) == harmless.text.count("harmless") == 14


@pytest.mark.parametrize("nasty", NASTY)
def test_names_and_values_of_data_are_escaped(nasty: str) -> None:
    result = idbits.measure(
        pa.table({nasty: [nasty + "!"] * 12, "town": [nasty] * 12}), [nasty], by="town", values=True, reveal=True
    )
    reader = read(result._repr_html_())
    assert reader.tags <= {
        "div", "style", "p", "strong", "h2", "ul", "li", "code", "table", "caption", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    assert nasty + "!" in reader.text
    assert not any(name.startswith("on") for name, _ in reader.attributes)


def test_a_fragment_loads_nothing_from_elsewhere() -> None:
    fragment = to_fragment(everywhere("word"))
    reader = read(fragment)
    assert not reader.tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert not {name for name, _ in reader.attributes} & {"src", "href", "srcset", "action", "data", "background"}
    assert not re.search(r"https?:|@import|url\(", fragment, flags=re.IGNORECASE)


def test_right_to_left_names_stay_in_their_cell() -> None:
    name = "שם משפחה"
    assert name in read(to_fragment(everywhere(name))).text


def test_tables_have_headers_for_screen_readers() -> None:
    html = to_fragment([TableBlock("Title", ("name", "n"), [["a", "1"], ["b", "2"]], caption="why")])
    assert html.count('scope="col"') == 2
    assert html.count('scope="row"') == 2
    assert '<p class="caption">why</p>' in html


def test_wide_tables_keep_every_cell() -> None:
    names = tuple(f"column{i}" for i in range(300))
    html = to_fragment([TableBlock("Wide", names, [[f"cell{i}" for i in range(300)]])])
    assert len(re.findall(r">cell\d+<", html)) == 300
    assert len(re.findall(r">column\d+<", html)) == 300


def test_all_reasons_of_a_verdict_have_the_same_size() -> None:
    html = to_fragment([Verdict(Level.UNDECIDED, "Title", "First.", ("Second.", "Third."))])
    assert (
        '<div class="verdict undecided"><p><strong>Title</strong></p><p>First.</p><p>Second.</p><p>Third.</p>' in html
    )


STYLES = {
    "report": ([Path(render.__file__).parent / "templates" / name for name in ("colours.css", "report.css")], "card"),
    "fragment": ([Path(render.__file__).parent / "templates" / "fragment.html"], "paper"),
    "app": ([Path(web.__file__).parent / "static" / "base.css"], "raised"),
}


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as WCAG 2.2 defines it."""
    digits = colour.removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[index : index + 2], 16) / 255 for index in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", list(STYLES))
def test_every_level_has_a_colour_with_enough_contrast_in_every_scheme(name: str) -> None:
    paths, behind = STYLES[name]
    style = "".join(path.read_text(encoding="utf-8") for path in paths)
    schemes = [dict(found) for block in re.findall(r"\{([^{}]*--ink:[^{}]*)\}", style)
               if (found := re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})\b", block))]  # fmt: skip
    # A colour may be another name of one.
    names = dict(re.findall(r"--([a-z-]+): var\(--([a-z0-9-]+)\)", style)) if name == "report" else {}
    schemes = [scheme | {other: scheme[colour] for other, colour in names.items() if colour in scheme}
               for scheme in schemes]  # fmt: skip
    # Light, dark and, where a page is printed, print.
    assert len(schemes) == (2 if name == "fragment" else 3)
    for scheme in schemes:
        for level in Level:
            assert contrast(scheme[level], scheme[behind]) >= 4.5, (level, scheme)
    for level in Level:
        assert re.search(rf"\.verdict\.{level} \{{ border-color: var\(--{level}\)", style)


def test_the_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
