"""The report as a PDF: the same content as the web page, tagged, with bookmarks, whole pages, and nothing loaded."""

import base64
import io
import re
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pypdf
import pytest

import idbits
from idbits.errors import EngineError, InputError
from idbits.examples.registry import registry
from idbits.render.pdf import check_pdf, is_pdf_possible, to_pdf
from idbits.studies.report.result import Report

QID = ["birthdate", "zip", "gender"]
MADE = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)
MILLIMETRE = 72 / 25.4
DOTS_PER_POINT = 1.0
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
RISK, GOAL = (176, 55, 11), (27, 92, 156)
HOSTILE = [
    "<img src='http://127.0.0.1:9/a.png'>",
    "</style></head><link rel=stylesheet href=file:///etc/hostname>",
    "\"; } @import url(file:///etc/passwd); a { content: url(http://127.0.0.1:9/)",
    "<svg><image href='file:///etc/hostname'/></svg>",
    "<a href='file:///etc/hostname' rel=attachment>x</a>",
    "font-weight: 650",
]  # fmt: skip

try:
    check_pdf()
except InputError as error:
    pytest.skip(f"{error} (tests/packages.sh)", allow_module_level=True)


class Shown(HTMLParser):
    """Collects the texts of a web page that paper shows, and its headings."""

    VOID = frozenset({"meta", "br", "link", "path", "rect", "line", "circle", "input"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.first_sheet: list[str] = []
        self.headings: list[str] = []
        self._open: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self._open.append((tag, dict(attributes).get("class") or ""))
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        while tag not in self.VOID and self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        kinds = {kind for _, kinds in self._open for kind in kinds.split()}
        tags = {tag for tag, _ in self._open}
        if (
            not data.strip()
            or kinds & {"hidden", "narrow", "screen", "watermark", "contents"}
            or tags & {"style", "head", "details"}
        ):
            return
        self.texts.append(data)
        if "sheet" in kinds:
            self.first_sheet.append(data)
        if tags & {"h1", "h2", "h3"}:
            self.headings[-1] += data


@dataclass(frozen=True)
class Printed:
    """A report and its PDF."""

    html: str
    pdf: bytes

    @classmethod
    def of(cls, report: Report) -> "Printed":
        html = report.to_html()
        return cls(html, to_pdf(html, MADE))

    @cached_property
    def reader(self) -> pypdf.PdfReader:
        return pypdf.PdfReader(io.BytesIO(self.pdf))

    @cached_property
    def pages(self) -> list[str]:
        return [page.extract_text() for page in self.reader.pages]

    @cached_property
    def shown(self) -> Shown:
        return Shown(self.html)

    @cached_property
    def pictures(self) -> list[np.ndarray]:
        import pypdfium2

        document = pypdfium2.PdfDocument(self.pdf)
        pictures = [page.render(scale=DOTS_PER_POINT).to_numpy()[:, :, ::-1].astype(int) for page in document]
        document.close()
        return pictures


def wide() -> Any:
    names = [*HOSTILE, *(f"column {n} with quite a long name" for n in range(34))]
    return pa.table({name: [f"{row % (place + 2)}" for row in range(60)] for place, name in enumerate(names)})


def several_rows() -> Any:
    rows = range(600)
    return pa.table(
        {"person": [n // 3 for n in rows], "age": [20 + n % 13 for n in rows], "visit": [n % 7 for n in rows]}
    )


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Printed]:
    folder = tmp_path_factory.mktemp("pdf")
    keys = ("dataset", "purpose", "recipient", "legal_basis", "assessor", "retention", "owner", "notes")
    (folder / "about.toml").write_text("".join(f'{key} = "{f"the {key} in so many words " * 12}"\n' for key in keys))
    (folder / "people.csv").write_text("a,b\n" + "".join(f"{n % 7},{n % 11}\n" for n in range(300)))
    saved = folder / "people.json"
    saved.write_text(idbits.report(folder / "people.csv", "a,b").to_json() + "\n")
    idbits.decide(saved, "refuse", by="A. Example", why="there are several reasons for it " * 12)
    table = wide()
    reports = {
        "registry": idbits.report(registry(3_000), QID, by="zip:prefix1"),
        "internal": idbits.report(registry(3_000), ["gender", "zip:prefix1"], internal=True),
        "wide": idbits.report(table, table.column_names),
        "people": idbits.report(several_rows(), ["age", "visit"], person="person"),
        "decided": idbits.report(
            folder / "people.csv", "a,b", about=folder / "about.toml", decision=folder / "decisions.jsonl"
        ),
    }
    return {name: Printed.of(report) for name, report in reports.items()}


@pytest.fixture(params=["registry", "internal", "wide", "people", "decided"])
def each(request: pytest.FixtureRequest, printed: dict[str, Printed]) -> Printed:
    found: Printed = printed[request.param]
    return found


def squeezed(text: str) -> str:
    """Return a text without blanks, which PDF does not record, and without marks of direction."""
    return re.sub(r"[\s\u200b-\u200f\u2066-\u2069\ufffd]+", "", text)


def running(printed: Printed) -> list[str]:
    """Return the texts at the head and foot of pages, as the style has them."""
    texts = re.findall(r'@(?:top|bottom)-\w+ \{ content: "((?:\\[0-9a-f]{6})+)"', printed.html)
    return ["".join(chr(int(code, 16)) for code in re.findall(r"[0-9a-f]{6}", text)) for text in texts]


def bodies(printed: Printed) -> list[str]:
    """Return the texts of the pages, squeezed, without what is at their head and foot."""
    found = []
    for number, page in enumerate(printed.pages, start=1):
        body = squeezed(page)
        frame = [*map(squeezed, running(printed)), f"Page{number}of{len(printed.pages)}"]
        while shorter := next((part for part in frame if part and body.endswith(part)), None):
            body = body.removesuffix(shorter)
        found.append(body)
    return found


def test_every_text_of_the_web_page_is_in_the_pdf(each: Printed) -> None:
    written = "".join(bodies(each))
    assert len(each.shown.texts) > 100
    missing = [text for text in each.shown.texts if squeezed(text) not in written]
    assert missing == []


def test_the_first_sheet_is_one_page(each: Printed) -> None:
    first, second = squeezed(each.pages[0]), squeezed(each.pages[1])
    assert [text for text in each.shown.first_sheet if squeezed(text) not in first] == []
    for part in ("Canthistablebehandedover?", "Decision", "Notassessed:"):
        assert part in first
        assert part not in second or part == "Decision"


def test_even_the_longest_names_leave_the_first_sheet_on_one_page(tmp_path: Path) -> None:
    known = {f"{f'what someone may know {n} ' * 12}": [row % (3 + 4 * n) for row in range(2_000)] for n in range(8)}
    secrets = {f"{f'what must stay secret {n} ' * 12}": [row * (n + 1) % 4 for row in range(2_000)] for n in range(3)}
    keys = ("dataset", "purpose", "recipient", "legal_basis", "assessor", "retention", "owner", "notes")
    (tmp_path / "about.toml").write_text("".join(f'{key} = "{f"the {key} in many words " * 30}"\n' for key in keys))
    printed = Printed.of(
        idbits.report(
            pa.table(known | secrets), list(known), sensitive=list(secrets), about=tmp_path / "about.toml",
            people=20_000, rows_are_people=True, sections="bits",
        )
    )  # fmt: skip
    first = squeezed(printed.pages[0])
    assert [text for text in printed.shown.first_sheet if squeezed(text) not in first] == []


def test_every_page_is_a4_with_its_number_and_what_it_is_about(each: Printed) -> None:
    dataset, frame = each.shown.headings[0], running(each)
    assert any(dataset in text for text in frame)
    assert any(re.search(r"\d{1,2} \w+ \d{4}$", text) for text in frame)
    for number, (page, text) in enumerate(zip(each.reader.pages, each.pages, strict=True), start=1):
        assert (round(page.mediabox.width), round(page.mediabox.height)) == (595, 842)
        written = squeezed(text)
        assert f"Page{number}of{len(each.pages)}" in written
        assert number == 1 or all(squeezed(part) in written for part in frame)


def test_no_heading_ends_a_page(each: Printed) -> None:
    headings = [squeezed(heading) for heading in each.shown.headings]
    assert len(headings) > 8
    for body in bodies(each):
        assert body
        assert not [heading for heading in headings if body.endswith(heading)]


def outline_of(reader: pypdf.PdfReader) -> list[tuple[str, int]]:
    def walk(level: Any) -> Iterator[tuple[str, int]]:
        for entry in level:
            if isinstance(entry, list):
                yield from walk(entry)
            else:
                yield entry.title, reader.get_destination_page_number(entry)

    return list(walk(reader.outline))


def test_bookmarks_are_the_headings(each: Printed) -> None:
    outline = outline_of(each.reader)
    assert [squeezed(title) for title, _ in outline] == [squeezed(heading) for heading in each.shown.headings]
    for title, page in outline:
        assert squeezed(title) in squeezed(each.pages[page]), title


def test_properties_say_what_it_is_and_nothing_about_the_machine(each: Printed) -> None:
    root, properties = each.reader.trailer["/Root"], each.reader.metadata
    assert properties is not None
    title = re.search("<title>(.*?)</title>", each.html)
    assert title is not None
    assert properties.title == title[1].replace("&#39;", "'")
    assert root["/Lang"] == "en"
    assert set(properties) == {"/Title", "/Creator", "/Producer", "/CreationDate", "/ModDate"}
    assert properties.creation_date == properties.modification_date == MADE
    everything = " ".join(map(str, properties.values()))
    assert "/" not in everything
    assert socket.gethostname() not in everything


def structure(reader: pypdf.PdfReader) -> list[Any]:
    """Return the elements that screen readers are told about."""
    found: list[Any] = []
    waiting = [reader.trailer["/Root"]["/StructTreeRoot"]]
    while waiting:
        part = waiting.pop().get_object()
        if isinstance(part, pypdf.generic.DictionaryObject):
            found += [part] if "/S" in part else []
            waiting += [part["/K"]] if "/K" in part else []
        elif isinstance(part, list):
            waiting += part
    return found


def test_it_is_tagged_for_screen_readers(each: Printed) -> None:
    assert each.reader.trailer["/Root"]["/MarkInfo"]["/Marked"] == True  # noqa: E712 (an object of the PDF)
    elements = structure(each.reader)
    kinds = [element["/S"] for element in elements]
    assert kinds.count("/H1") == 1
    assert kinds.count("/H2") == len(re.findall("<h2", each.html))
    assert {"/Table", "/TH", "/TD", "/P", "/Figure"} <= set(kinds)
    described = [element.get("/Alt", "") for element in elements if element["/S"] == "/Figure"]
    assert all(len(words) > 40 for words in described)
    drawings = re.findall('<svg[^>]*role="img"[^>]*>', each.html)
    assert len(described) == sum("narrow" not in drawing for drawing in drawings)


def near(picture: np.ndarray, colour: tuple[int, int, int]) -> int:
    return int((np.abs(picture - np.array(colour)).max(axis=2) <= 12).sum())


def test_nothing_is_cut_at_the_edges_and_no_page_is_blank(each: Printed) -> None:
    # Many printers leave five millimetres white.
    side, end = round(14 * MILLIMETRE), round(4.8 * MILLIMETRE)
    for picture in each.pictures:
        ink = picture.min(axis=2) < 200
        assert not ink[:, :side].any()
        assert not ink[:, -side:].any()
        assert not ink[:end].any()
        assert not ink[-end:].any()
        # Between the text and the foot.
        assert not ink[round(-11 * MILLIMETRE) : round(-9 * MILLIMETRE)].any()
        assert ink.mean() > 0.002


def test_the_mark_of_internal_reports_is_on_every_page(printed: dict[str, Printed]) -> None:
    assert all("INTERNAL" in page for page in printed["internal"].pages)
    assert not any("INTERNAL" in page for page in printed["registry"].pages)


def test_charts_have_the_colours_of_the_page(printed: dict[str, Printed]) -> None:
    first, *others = printed["registry"].pictures
    assert near(first, RISK) > 300
    assert near(first, GOAL) > 300
    assert sum(near(picture, RISK) for picture in others) > 1_000
    # Bars would be black if a colour were unknown.
    for picture in printed["registry"].pictures:
        assert near(picture, (0, 0, 0)) < 0.03 * picture.shape[0] * picture.shape[1]


def test_the_same_page_gives_the_same_bytes(printed: dict[str, Printed]) -> None:
    html = printed["people"].html
    assert to_pdf(html, MADE) == printed["people"].pdf
    assert to_pdf(html, datetime(2026, 11, 19, tzinfo=UTC)) != printed["people"].pdf


def test_a_long_table_goes_on_with_its_head() -> None:
    rows = "".join(f"<tr><td>row {number} of it</td></tr>" for number in range(150))
    table = f"<table><caption>Title</caption><thead><tr><th>Head</th></tr></thead><tbody>{rows}</tbody></table>"
    section = f'<section id="x"><h2>Part</h2><div class="tables"><div>{table}</div></div></section>'
    part = f'<div class="evidence">{section}</div>'
    style = "<style>@page { size: A4 } #x, table, tr, .tables > div { break-inside: avoid }</style>"
    pages = pypdf.PdfReader(io.BytesIO(to_pdf(a_page(style + "<p>before</p>" + part), MADE))).pages
    texts = [page.extract_text() for page in pages]
    assert 2 < len(texts) < 6
    assert all("Head" in text for text in texts)
    # It begins on the first page, although it does not fit there.
    assert ["row 0 of it" in text for text in texts] == [True, *[False] * (len(texts) - 1)]
    assert sum(len(re.findall(r"row \d+ of it", text)) for text in texts) == 150


def test_names_are_shown_as_they_are(printed: dict[str, Printed]) -> None:
    written = squeezed("".join(printed["wide"].pages))
    for name in HOSTILE[:1] + HOSTILE[3:]:
        assert squeezed(name) in written
    actions = [
        str(note.get_object().get("/A", {}).get("/URI"))
        for page in printed["wide"].reader.pages
        for note in page.get("/Annots", [])
    ]
    assert all(action.startswith("https://pure.uva.nl/") for action in actions)


class Watch:
    """Notes what Python opens; a hook cannot be removed, so it is told when to note."""

    def __init__(self) -> None:
        self.is_on = False
        self.opened: list[str] = []
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_on and event.split(".")[0] in ("open", "socket", "subprocess", "urllib", "os"):
            self.opened.append(f"{event} {arguments[0] if arguments else ''}")


def test_nothing_is_opened_but_the_parts_of_python(printed: dict[str, Printed]) -> None:
    watch = Watch()
    watch.is_on = True
    try:
        to_pdf(printed["wide"].html, MADE)
    finally:
        watch.is_on = False
    own = tuple(
        str(Path(path).resolve()) for path in (sys.prefix, sys.base_prefix, idbits.__path__[0], *sys.path) if path
    )
    elsewhere = [
        note for note in watch.opened
        if not note.startswith(("os.listdir", "os.scandir")) and not note.partition(" ")[2].startswith(own)
    ]  # fmt: skip
    assert elsewhere == []


@pytest.mark.parametrize(
    "part",
    [
        "<img src='{folder}/dot.png' alt='x'>",
        "<img src='http://127.0.0.1:9/dot.png' alt='x'>",
        "<img src='dot.png' alt='x'>",
        "<link rel=stylesheet href='{folder}/style.css'>",
        "<link rel=stylesheet href='http://127.0.0.1:9/style.css'>",
        "<link rel=attachment href='{folder}/dot.png'>",
        "<style>@import url({folder}/style.css);</style>",
        "<style>body {{ background: url({folder}/dot.png) }}</style>",
        "<object data='{folder}/dot.png'></object>",
        "<svg><style>@import url({folder}/style.css);</style></svg>",
    ],
)
def test_a_page_that_loads_something_is_refused(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are there and are what they should be: only the address is wrong."""

    def connect(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dot.png").write_bytes(base64.b64decode(DOT))
    (tmp_path / "style.css").write_text("p { color: red }")
    with pytest.raises(EngineError, match="could not be drawn completely"):
        to_pdf(a_page(part.format(folder=tmp_path.as_uri())), MADE)


def a_page(part: str) -> str:
    head = "<head><title>t</title><style></style></head>"
    return f"<!doctype html><html lang=en>{head}<body>{part}<p>text</p></body></html>"


def test_a_picture_inside_the_page_is_drawn() -> None:
    reader = pypdf.PdfReader(io.BytesIO(to_pdf(a_page(f"<img src='data:image/png;base64,{DOT}' alt='x'>"), MADE)))
    assert len(reader.pages[0].images) == 1


def test_a_chart_that_fails_is_an_error_and_ctrl_c_ends_it(
    printed: dict[str, Printed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """WeasyPrint would leave the chart out and go on, even after Ctrl-C."""

    for raised, expected in ((ValueError("x"), EngineError), (KeyboardInterrupt(), KeyboardInterrupt)):

        def draw(*_: object, error: BaseException = raised) -> None:
            raise error

        monkeypatch.setattr("weasyprint.svg.SVG.draw", draw)
        with pytest.raises(expected):
            to_pdf(printed["people"].html, MADE)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(InputError, match=re.escape("run pip install 'idbits[pdf]'")):
        to_pdf("", MADE)
    assert not is_pdf_possible()


def test_pages_of_the_app_without_a_first_sheet() -> None:
    from idbits.render.html import to_html

    page = idbits.report(several_rows(), ["age", "visit"], person="person").page
    reader = pypdf.PdfReader(io.BytesIO(to_pdf(to_html(page), MADE)))
    assert "What a table in memory gives away" in reader.pages[0].extract_text()
    assert outline_of(reader)[0] == (page.title, 0)
