"""The documentation site in a browser, opened from its folder: nothing is cut, nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SITE = Path(__file__).parents[2] / "site"
HOME = SITE / "index.html"
SCREEN, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
# What is wider than its place: the whole page, a table or a program that scrolls, an image. Pages with
# tables of the experiments may have parts that scroll.
TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth
    const wide = [...document.querySelectorAll("article pre > code, article .md-typeset__table, article img")].filter(
        part => part.scrollWidth > part.clientWidth + 1 || part.getBoundingClientRect().right > width + 1)
    return [document.documentElement.scrollWidth > width, wide.map(part => part.textContent.trim().slice(0, 40))]
}"""
MAY_SCROLL = {f"explanation/{name}.html" for name in ("experiments", "population", "utility")}
UNSEEN = "() => [...document.images].filter(image => !image.alt || !image.naturalWidth).map(image => image.src)"


@pytest.fixture(scope="module")
def page(chromium: Any) -> Iterator[Any]:
    if not HOME.exists():
        pytest.skip("there is no site (make docs)")
    context = chromium.new_context(viewport=SCREEN)
    opened = context.new_page()
    opened.requests = []
    opened.on("request", lambda request: opened.requests.append(request.url))
    yield opened
    context.close()


def test_no_page_is_cut_or_loads_anything_from_elsewhere(page: Any) -> None:
    page.set_viewport_size(SCREEN)
    for file in sorted(SITE.rglob("*.html")):
        if file.name != "404.html":
            page.goto(file.as_uri())
            name = file.relative_to(SITE).as_posix()
            scrolls, wide = page.evaluate(TOO_WIDE)
            assert not scrolls, name
            assert name in MAY_SCROLL or not wide, f"{name}: {wide}"
            assert page.evaluate(UNSEEN) == [], name
            page.set_viewport_size(PHONE)
            assert not page.evaluate(TOO_WIDE)[0], f"{name} on a phone"
            page.set_viewport_size(SCREEN)
    assert page.requests
    assert [url for url in page.requests if not url.startswith((SITE.as_uri(), "data:", "blob:", "about:"))] == []


def test_the_home_page_shows_a_figure_and_three_ways_in_on_one_screen(page: Any) -> None:
    page.set_viewport_size(SCREEN)
    page.goto(HOME.as_uri())
    shown = [page.get_by_role("img", name="Share of the rows by group size")]
    shown += [page.locator("strong", has_text=way) for way in ("In the terminal.", "In the browser.", "In Python.")]
    shown += [page.locator("code", has_text="idbits serve"), page.locator("code", has_text="831 of 200000")]
    for part in shown:
        box = part.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= SCREEN["height"]


def test_search_works_without_a_server(page: Any) -> None:
    page.goto(HOME.as_uri())
    page.wait_for_function("() => window.__index")
    page.get_by_role("button", name="Search").click()
    field = page.locator("input:focus")
    field.press_sequentially("questionnaire", delay=50)
    result = page.locator("a[href*='reference/cli.html?h=questionnaire']", has_text="idbits questionnaire").first
    result.wait_for(timeout=20_000)
    assert field.input_value() == "questionnaire"
    result.click()
    page.wait_for_url("**/reference/cli.html?h=questionnaire#idbits-questionnaire")
    assert page.locator("mark", has_text="questionnaire").count() > 1
