"""The report in a real browser: axe-core finds no violation, nothing is cut off, and it prints on few pages."""

import io
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pypdf
import pytest

import idbits
from idbits.examples.registry import registry
from idbits.examples.visits import visits
from idbits.render.blocks import Level, Verdict
from idbits.render.html import to_html

CHROMIUM = shutil.which("chromium")
QID = ["birthdate", "zip", "gender"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (tests/packages.sh)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def hostile() -> Any:
    names = ["<script>alert(1)</script>", "עמודה", "اسم العمود", "long " * 60, *(f"<b>{n}</b>" for n in range(56))]
    return pa.table({name: [f"{name}{row % (place + 2)}" for row in range(60)] for place, name in enumerate(names)})


def several_rows() -> Any:
    rows = range(900)
    return pa.table(
        {
            "person": [n // 3 for n in rows],
            "home": [n // 9 for n in rows],
            "age": [20 + n % 13 for n in rows],
            "sex": ["FM"[n // 3 % 2] for n in rows],
            "visit": [f"place {n % 7}" if n % 50 else None for n in rows],
        }
    )


def saved_answers(folder: Path) -> list[Path]:
    made = visits(people=40, first=date(2005, 1, 1), last=date(2005, 3, 1))
    people = registry(300)
    answers = [
        idbits.events(made, "patient", "date", "place", points="1..2", times="month"),
        idbits.leak(people, people.select(["zip", "gender", "birthdate"])),
        idbits.columns(people, QID),
    ]
    for answer in answers:
        (folder / f"{answer.command}.json").write_text(answer.to_json(), encoding="utf-8")
    # One of them twice: what is on the page must have names of its own all the same.
    return [folder / f"{name}.json" for name in ("events", "leak", "columns", "columns")]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    table = hostile()
    reports = {
        "registry": idbits.report(registry(3_000), QID, by="zip:prefix1"),
        "good": idbits.report(registry(3_000), ["gender", "zip:prefix1"], internal=True),
        "hostile": idbits.report(table, table.column_names),
        "people": idbits.report(several_rows(), ["age", "sex", "visit"], person="person", household="home"),
        "saved": idbits.report(registry(500), ["gender", "zip:prefix1"], include=saved_answers(folder)),
    }
    written = {name: report.to_html() for name, report in reports.items()}
    open_verdict = Verdict(Level.UNDECIDED, "These are records, not people", "One reason.", ("Another reason.",))
    written["undecided"] = to_html(replace(reports["people"].page, verdict=open_verdict))
    for name, text in written.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in written}


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [
        ("registry", "light", 1280), ("registry", "dark", 375),
        ("good", "light", 375), ("good", "dark", 1280), ("hostile", "light", 1280), ("hostile", "dark", 375),
        ("saved", "light", 375), ("saved", "dark", 1280), ("people", "light", 1280), ("people", "dark", 375),
        ("undecided", "light", 375), ("undecided", "dark", 1280),
    ],
)  # fmt: skip
def test_axe_finds_nothing(browser: Any, pages: dict[str, Path], name: str, scheme: str, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    size = {"width": width, "height": 900}
    context = browser.new_context(color_scheme=scheme, viewport=size, bypass_csp=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(pages[name].as_uri())
    # What is folded away must be as good as what is seen.
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    found = Axe().run(page, options={})
    assert [violation["id"] for violation in found.response["violations"]] == []
    assert len(found.response["passes"]) > 15
    assert asked == [pages[name].as_uri()]
    # Nothing is wider than the screen: only tables scroll, in a frame that the keyboard reaches.
    assert page.evaluate("document.documentElement.scrollWidth") == width
    context.close()


def test_axe_would_find_something(browser: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = browser.new_page()
    page.set_content("<html><body><img src='data:,'><p style='color:#eee;background:#fff'>pale</p></body></html>")
    assert Axe().run(page).violations_count >= 2
    page.close()


def printed(browser: Any, path: Path, scheme: str = "light") -> list[Any]:
    """Return the sheets of a page as it is printed."""
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto(path.as_uri())
    made = page.pdf(prefer_css_page_size=True, print_background=True)
    context.close()
    return list(pypdf.PdfReader(io.BytesIO(made)).pages)


@pytest.mark.parametrize(("name", "most"), [("registry", 8), ("good", 8), ("hostile", 12), ("people", 7)])
def test_it_prints_on_few_pages(browser: Any, pages: dict[str, Path], name: str, most: int) -> None:
    sheets = printed(browser, pages[name], "dark")
    assert 2 <= len(sheets) <= most
    assert all(f"Page {number} of {len(sheets)}" in sheet.extract_text() for number, sheet in enumerate(sheets, 1))
    # A page that is internal says so on every sheet.
    assert [name == "good"] * len(sheets) == ["INTERNAL" in sheet.extract_text() for sheet in sheets]
    page = browser.new_context(color_scheme="dark").new_page()
    page.goto(pages[name].as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    background = "getComputedStyle(document.querySelector('{}')).backgroundColor"
    assert page.evaluate(background.format(".evidence")) == "rgb(255, 255, 255)"
    assert page.evaluate(background.format("body")) == "rgb(255, 255, 255)"
    # Charts are as wide as the text, and their tables are only on the screen.
    widths = page.evaluate(
        """() => [...document.querySelectorAll('.evidence figure')].map(figure => [figure.clientWidth,
          ...[...figure.querySelectorAll('svg')].map(svg => Math.round(svg.getBoundingClientRect().width))])"""
    )
    assert len(widths) > 3
    assert all(wide >= whole - 1 and not narrow for whole, wide, narrow in widths)
    page.context.close()


def lines_of(sheet: Any) -> list[tuple[float, str]]:
    """Return the texts of a sheet from top to bottom, each with its distance from the foot of the paper."""
    found: list[tuple[float, str]] = []

    def visit(text: str, page: list[float], line: list[float], font: Any, size: float) -> None:
        del font, size
        if text.strip():
            found.append((line[5] * page[3] + page[5], text.strip()))

    sheet.extract_text(visitor_text=visit)
    return sorted(found, key=lambda line: -line[0])


# Below this height, in points, there are only the number of the report and of the page.
_FOOT = 40


def headings_at_the_foot(browser: Any, path: Path) -> list[tuple[int, str]]:
    """Return the sheets whose last line is a heading, the title of a table or its head."""
    page = browser.new_page()
    page.goto(path.as_uri())
    headings = page.evaluate(
        """() => [...document.querySelectorAll('.evidence :is(h2, h3, caption, .kicker, thead th)')]
          .map(part => part.innerText.trim())"""
    )
    page.close()
    assert len(headings) > 12
    # Printed words come in pieces, so only their letters are compared.
    squeezed = ["".join(heading.split()) for heading in headings]
    found = []
    for number, sheet in enumerate(printed(browser, path)[1:], start=2):
        lines = [line for line in lines_of(sheet) if line[0] > _FOOT]
        assert len(lines) > 3
        last = "".join("".join(text.split()) for height, text in lines if height <= lines[-1][0] + 1)
        if any(last == heading or (len(last) > 3 and heading.endswith(last)) for heading in squeezed):
            found.append((number, last))
    return found


@pytest.mark.parametrize("name", ["registry", "good", "hostile", "people", "saved", "adult", "sample", "shopping"])
def test_no_heading_is_the_last_line_of_a_sheet(
    browser: Any, pages: dict[str, Path], real_pages: dict[str, Path], name: str
) -> None:
    assert headings_at_the_foot(browser, (pages | real_pages)[name]) == []


def test_a_heading_at_the_foot_would_be_found(browser: Any, pages: dict[str, Path], tmp_path: Path) -> None:
    torn = "<style>@media print { .evidence section h2 { break-after: page !important; } }</style></head>"
    text = pages["registry"].read_text(encoding="utf-8").replace("</head>", torn)
    (tmp_path / "torn.html").write_text(text, encoding="utf-8")
    assert len(headings_at_the_foot(browser, tmp_path / "torn.html")) > 5


@pytest.fixture(scope="module")
def real_pages(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> dict[str, Path]:
    folder, known = tmp_path_factory.mktemp("real"), ["sex", "age", "race", "marital-status"]
    reports = {
        "adult": idbits.report(shared_data / "adult.csv"),
        "sample": idbits.report(
            shared_data / "adult.csv", known, sensitive=["salary-class", "occupation"], fraction=0.1
        ),
        "shopping": idbits.report(shared_data / "shopping-demographics.parquet"),
    }
    for name, report in reports.items():
        (folder / f"{name}.html").write_text(report.to_html(), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in reports}


@pytest.mark.parametrize("name", ["adult", "sample", "shopping"])
def test_all_that_is_needed_to_decide_is_on_one_sheet(browser: Any, real_pages: dict[str, Path], name: str) -> None:
    first, second, *others = [sheet.extract_text() for sheet in printed(browser, real_pages[name])]
    for text in ("Can this table be handed over?", "What we checked", "Group size", "Decision", "Not assessed:", "UTC"):
        assert text in first
    assert "gives away about people" in second
    assert "UTC" not in second
    # Every other sheet says what it belongs to.
    source = "shopping-demographics.parquet" if name == "shopping" else "adult.csv"
    assert all(source in text and "Evidence · 17 November 2025" in text for text in (second, *others))
    assert "Evidence" not in first


@pytest.mark.parametrize("width", [390, 1100])
@pytest.mark.parametrize("name", ["adult", "sample", "shopping", "registry", "hostile", "people", "saved", "undecided"])
def test_no_label_leaves_its_drawing_or_touches_another(
    browser: Any, pages: dict[str, Path], real_pages: dict[str, Path], name: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((pages | real_pages)[name].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    drawings = page.evaluate(
        """() => [...document.querySelectorAll('svg.drawing')].filter(svg => svg.getBoundingClientRect().width)
          .map(svg => [svg, ...svg.querySelectorAll('text')].map(part => {
            const box = part.getBoundingClientRect();
            return [box.left, box.top, box.right, box.bottom, part === svg ? '' : part.textContent]; }))"""
    )
    assert len(drawings) > 3
    for (left, top, right, bottom, _), *labels in drawings:
        assert labels
        # Never smaller than it was drawn.
        assert right - left >= 0.95 * (342 if width == 390 else 720)
        for box in labels:
            assert left - 0.5 <= box[0] <= box[2] <= right + 0.5, box
            assert top - 1 <= box[1] < box[3] <= bottom + 1, box
        pairs = [(one, other) for index, one in enumerate(labels) for other in labels[:index]]
        # The boxes of letters have room above and below.
        overlapping = [
            (one[4], other[4]) for one, other in pairs
            if one[0] < other[2] and other[0] < one[2] and one[1] + 4 < other[3] and other[1] + 4 < one[3]
        ]  # fmt: skip
        assert overlapping == []
    page.close()


@pytest.mark.parametrize("name", ["adult", "sample", "registry", "people", "saved"])
def test_no_table_is_cut_on_a_narrow_screen(
    browser: Any, pages: dict[str, Path], real_pages: dict[str, Path], name: str
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto((pages | real_pages)[name].as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.scroll')].filter(frame => frame.scrollWidth > frame.clientWidth + 1)
          .map(frame => frame.ariaLabel)"""
    )
    assert cut == []
    # What a row is about and what its numbers are can still be read, and a screen reader still has a table.
    first = page.locator(".stack").first
    assert first.get_attribute("role") == "table"
    shown = first.locator("td[data-label]").first.evaluate("cell => getComputedStyle(cell, '::before').content")
    assert shown not in ("none", "")
    page.close()


def test_the_contents_lead_to_the_parts(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(pages["registry"].as_uri())
    links = page.locator(".contents a")
    assert links.count() > 8
    for link in links.all():
        assert page.locator(link.get_attribute("href") or "").count() == 1
    links.filter(has_text="Treatments").click()
    assert page.locator("#changes").evaluate("part => Math.abs(part.getBoundingClientRect().top) < 5")
    page.close()


def test_colours_follow_the_system(browser: Any, pages: dict[str, Path]) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(pages["registry"].as_uri())
        colours[scheme] = page.evaluate(
            "[getComputedStyle(document.body).backgroundColor,"
            " getComputedStyle(document.querySelector('svg text')).fill]"
        )
        context.close()
    assert colours["light"] == ["rgb(236, 233, 226)", "rgb(26, 28, 33)"]
    assert colours["dark"] == ["rgb(12, 14, 17)", "rgb(238, 235, 228)"]


def test_the_keyboard_opens_tables(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page()
    page.goto(pages["registry"].as_uri())
    # First the contents, then the tables behind the charts.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "A"
    for _ in range(30):
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is True
    page.close()
