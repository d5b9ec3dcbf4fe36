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


@pytest.mark.parametrize(("name", "most"), [("registry", 5), ("good", 5), ("hostile", 7), ("people", 5)])
def test_it_prints_on_few_pages(browser: Any, pages: dict[str, Path], name: str, most: int) -> None:
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(pages[name].as_uri())
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    sheets = pypdf.PdfReader(io.BytesIO(printed)).pages
    assert 2 <= len(sheets) <= most
    # A page that is internal says so on every sheet.
    assert all(f"Page {number} of {len(sheets)}" in sheet.extract_text() for number, sheet in enumerate(sheets, 1))
    assert [name == "good"] * len(sheets) == ["INTERNAL" in sheet.extract_text() for sheet in sheets]
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    context.close()


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
    page = browser.new_page()
    page.goto(real_pages[name].as_uri())
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    first, second, *_ = [sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(printed)).pages]
    for text in ("Can this table be handed over?", "What we checked", "Group size", "Decision", "Not assessed:", "UTC"):
        assert text in first
    assert "gives away about people" in second
    assert "UTC" not in second
    page.close()


@pytest.mark.parametrize("width", [390, 1100])
def test_no_label_leaves_its_drawing_or_touches_another(browser: Any, real_pages: dict[str, Path], width: int) -> None:
    for path in real_pages.values():
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width
        boxes = page.evaluate(
            """() => [...document.querySelectorAll('.fig svg')].filter(svg => svg.getBoundingClientRect().width)
              .map(svg => [svg, ...svg.querySelectorAll('text')].map(part => {
                const box = part.getBoundingClientRect();
                return [box.left, box.top, box.right, box.bottom, part.textContent]; }))"""
        )
        assert len(boxes) == 1
        (left, top, right, bottom, _), *labels = boxes[0]
        assert len(labels) > 15
        for box in labels:
            assert left - 0.5 <= box[0] < box[2] <= right + 0.5, box
            assert top - 1 <= box[1] < box[3] <= bottom + 1, box
        pairs = [(one, other) for index, one in enumerate(labels) for other in labels[:index]]
        # The boxes of letters have room above and below.
        overlapping = [
            (one[4], other[4]) for one, other in pairs
            if one[0] < other[2] and other[0] < one[2] and one[1] + 4 < other[3] and other[1] + 4 < one[3]
        ]  # fmt: skip
        assert overlapping == []
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
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is True
    page.close()
