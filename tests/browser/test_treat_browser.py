"""Treating a table in a real browser: from the file to the treated copy, which gives away what the page promises."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import idbits

Open = Callable[..., Any]


def figure(page: Any, label: str, column: str) -> str:
    """Return a figure of the table Before and after."""
    table = page.get_by_role("table")
    heads = table.locator("thead tr > *").all_inner_texts()
    row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name=label, exact=True))
    return str(row.locator("th, td").nth(heads.index(column)).inner_text())


def downloaded(page: Any, link: str, path: Path) -> Path:
    with page.expect_download() as saved:
        page.get_by_role("link", name=link).click()
    saved.value.save_as(path)
    return path


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_story_of_a_treated_table(visit: Open, tmp_path: Path, scheme: str, width: int) -> None:
    page = visit("/measure", scheme, width)
    page.get_by_role("link", name="people.csv", exact=True).click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("checkbox", name="birthdate").wait_for()
    page.get_by_role("button", name="Measure", exact=True).click()
    page.get_by_role("link", name="Go to Treat").click()
    page.get_by_role("heading", name="Before and after").wait_for()
    page.wait_for_load_state("load")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    # Another goal than the one that is proposed.
    page.get_by_label("Smallest group").fill("7")
    page.get_by_label("Most that may be left out, in percent").fill("3")
    page.get_by_text("More: columns to keep").click()
    page.get_by_role("checkbox", name="gender").check()
    page.get_by_role("button", name="Look for treatments").click()
    page.wait_for_url("**least=7*")
    page.get_by_role("heading", name="Before and after").wait_for()
    promised = {
        label: figure(page, label, "groups of at least 7")
        for label in ("people left", "unique people", "in groups below 5", "smallest group", "bits given away")
    }
    assert int(promised["smallest group"]) >= 7
    page.get_by_role("link", name="Write this file").first.click()
    page.get_by_role("heading", name="is ready").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    treated = downloaded(page, "Download the treated file", tmp_path / "treated.csv")
    receipt = downloaded(page, "Download the receipt", tmp_path / "treated.csv.receipt.json")
    # The file itself keeps the promise, measured again from its text.
    measured = idbits.measure(treated, ["birthdate", "zip", "gender"])
    assert promised == {
        "people left": f"{measured.n_rows:,}",
        "unique people": f"{measured.singletons:,}",
        "in groups below 5": f"{measured.people_below['5']:,}",
        "smallest group": f"{measured.k_min:,}",
        "bits given away": f"{measured.entropy_bits:.2f}",
    }
    assert measured.n_rows >= 0.97 * 2_000
    assert treated.read_text().splitlines()[0].replace('"', "") == "birthdate,zip,gender"
    assert json.loads(receipt.read_text())["after"]["k_min"] == measured.k_min
