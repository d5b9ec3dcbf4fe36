"""HTML: everything is escaped, nothing is loaded, and the page is well formed."""

import re
from html.parser import HTMLParser

import pyarrow as pa
import pytest

import idbits
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
        Verdict(Level.WARN, text, text), Heading(text), Paragraph(text), Items(text, (text,)), Command(text, text),
        TableBlock(text, (text, "n"), [[text, text]], caption=text, emphasis=(0,)),
    ]  # fmt: skip


@pytest.mark.parametrize("nasty", NASTY)
def test_everything_is_escaped(nasty: str) -> None:
    harmless, attacked = read(to_fragment(everywhere("harmless"))), read(to_fragment(everywhere(nasty)))
    assert attacked.tags == harmless.tags
    assert {name for name, _ in attacked.attributes} == {name for name, _ in harmless.attributes}
    assert attacked.text.count(nasty) == harmless.text.count("harmless") == 13


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
