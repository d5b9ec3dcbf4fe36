"""The first minute after ``idbits serve`` without options: real questions and entries, fields that say what to type."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .conftest import Server, serving

LOOKS = [("light", 1280), ("dark", 390)]


@pytest.fixture(scope="module")
def server(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(chromium, IDBITS_DATA=str(tmp_path_factory.mktemp("data"))) as started:
        yield started


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_the_first_minute(visit: Callable[..., Any], scheme: str, width: int) -> None:
    page = visit("/", scheme, width)
    assert page.locator(".headline").inner_text() == "17.8 million people"
    assert page.get_by_text("invented").count() == page.get_by_text("made up").count() == 0
    page.locator("#place").select_option(label="Norway")
    page.locator("#add-no-home").click()
    page.locator(".steps li").nth(0).wait_for()
    page.locator("#add-no-age").click()
    page.locator(".steps li").nth(1).wait_for()
    assert page.locator(".headline").inner_text() == "About 455 people"
    assert "would be unique" in page.locator(".unique").inner_text()
    page.get_by_text("Statistics Norway (SSB)").wait_for()
    page.get_by_role("link", name="Repository", exact=True).click()
    page.get_by_text("Nothing has been published in your repository yet").wait_for()
    # What the fields show as an example finds something.
    field = page.get_by_label("Words to search for")
    field.fill(field.get_attribute("placeholder"))
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Age and gender", exact=True).wait_for()
    # Without a population, the page names those that are published.
    page.get_by_label("Questions", exact=True).fill("age")
    page.get_by_role("button", name="Look up").click()
    page.get_by_role("alert").get_by_text("Enter a population").wait_for()
    page.complaints[:] = [said for said in page.complaints if "400 (Bad Request)" not in said]
    assert page.get_by_label("Population", exact=True).get_attribute("aria-invalid") == "true"
    page.get_by_role("alert").get_by_role("link", name="Netherlands").click()
    page.locator(".verdict").wait_for()
    page.locator(".entries a").first.click()
    page.locator(".answer").get_by_text("Of 100 people who answer").wait_for()
    assert page.get_by_text("decisions about it are not recorded").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_axe_finds_nothing_in_the_first_minute(visit: Callable[..., Any], scheme: str, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = visit("/repository", scheme, width, bypass_csp=True)
    entry = page.locator(".entries a").last.get_attribute("href")
    crowded = "/?place=no&people=2000&q=no.home&q=no.age&q=us.birthday&q=%3D60%2C30%2C10%7CHair"
    found = {}
    for path in ("/", crowded, "/repository", "/repository?qid=age&population=", entry):
        page.goto(path)
        page.complaints[:] = [said for said in page.complaints if "400 (Bad Request)" not in said]
        rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
        violations = Axe().run(page, options=rules).response["violations"]
        if violations:
            found[path] = [(each["id"], each["nodes"][0]["html"][:200]) for each in violations]
    assert found == {}
