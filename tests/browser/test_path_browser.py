"""The whole guided path in a real browser, on real tables: a wide one, one of events, and one with identifiers."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from pyarrow import parquet

import idbits
from idbits.cli.browser import open_in_browser
from idbits.studies.decide.study import list_decisions, verify_decisions

from .conftest import Server, serving

Open = Callable[..., Any]
HOUSEHOLDS = 60
ADULT = ["sex", "age", "race", "education", "workclass"]


@pytest.fixture(scope="module")
def folder(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with real tables; of the visits, those of some households."""
    folder = tmp_path_factory.mktemp("handed")
    for name in ("adult.csv", "leak/employee-attrition.csv"):
        (folder / Path(name).name).write_bytes((shared_data / name).read_bytes())
    visits = parquet.read_table(shared_data / "shopping-visits.parquet")
    some = pc.less(visits["household_id"], HOUSEHOLDS)
    columns = ["household_id", "store_id", "basket_id", "quantity", "transaction_timestamp"]
    parquet.write_table(visits.filter(some).select(columns), folder / "visits.parquet")
    numbers = [f"value_{n:03}" for n in range(295)]
    lines = [",".join(["zip", "sex", "age", "income", "place", *numbers])]
    for n in range(80):
        known = [str(1000 + n % 7), "FM"[n % 2], str(20 + n % 50), str(1000 + n), "ABC"[n % 3]]
        lines.append(",".join([*known, *(f"{n}.{m}5" for m in range(295))]))
    (folder / "wide.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def decisions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("decided") / "decisions"


@pytest.fixture(scope="module")
def server(chromium: Any, folder: Path, decisions: Path) -> Iterator[Server]:
    database = decisions.parent / "repository.db"
    options = ("--folder", str(folder), "--decisions", str(decisions), "--database", str(database))
    with serving(chromium, *options) as running:
        yield running


def ready(page: Any) -> None:
    """Wait until work on a page has ended."""
    page.wait_for_function("() => !document.querySelector('progress')", timeout=300_000)


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    ready(page)


def follow(page: Any, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).first.click()
    ready(page)


def tab(page: Any, name: str) -> None:
    page.get_by_role("navigation", name="Parts of the answer").get_by_role("link", name=name).click()
    ready(page)


def fits(page: Any, width: int) -> None:
    page.wait_for_load_state("load")
    assert page.evaluate("document.documentElement.scrollWidth") == width, page.url


def begin(visit: Open, file: str, scheme: str = "light", width: int = 1280) -> Any:
    page = visit("/measure", scheme, width)
    fits(page, width)
    page.get_by_role("link", name=file, exact=True).click()
    page.get_by_role("heading", name=f"Who is a person in {file}?").wait_for()
    fits(page, width)
    return page


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_from_a_wide_table_to_a_decision(
    visit: Open, folder: Path, decisions: Path, tmp_path: Path, scheme: str, width: int
) -> None:
    page = begin(visit, "adult.csv", scheme, width)
    assert page.get_by_role("radio", name="Each row is one person").is_checked()
    press(page, "Continue")
    # Search, untick what is shown, tick five columns.
    press(page, "Untick all shown")
    assert page.locator("[data-ticked]").inner_text() == "0"
    for name in ADULT:
        page.get_by_label("Search 9 columns").fill(name)
        page.get_by_role("checkbox", name=name, exact=False).first.check()
    assert page.locator("[data-ticked]").inner_text() == "5"
    press(page, "Measure")
    page.locator("#outcome").wait_for()
    fits(page, width)
    measured = idbits.measure(folder / "adult.csv", ADULT, rows_are_people=True)
    assert page.get_by_text(f"{measured.singletons:,} unique people").first.is_visible()
    answer = page.url
    # What is learnt: the suggestion is a button or was measured by itself.
    tab(page, "What is learnt")
    page.get_by_label("What must not be learnt").select_option("salary-class")
    press(page, "Measure")
    page.locator("section#disclosure").wait_for()
    fits(page, width)
    # Population: nonsense is said beside the form, and the answer comes back.
    tab(page, "Population")
    page.get_by_label("People in the population").fill("nobody knows")
    press(page, "Estimate")
    assert page.get_by_role("alert").inner_text()
    page.complaints[:] = [said for said in page.complaints if "400 (Bad Request)" not in said]
    assert page.get_by_label("People in the population").input_value() == "nobody knows"
    page.get_by_label("People in the population").fill("3000000")
    press(page, "Estimate")
    page.locator("section#population").wait_for()
    fits(page, width)
    tab(page, "Second table")
    assert page.get_by_role("link", name="employee-attrition.csv").is_visible()
    fits(page, width)
    # Treat, and take the file with its receipt.
    tab(page, "Treat")
    page.get_by_role("heading", name="Before and after").wait_for()
    fits(page, width)
    page.get_by_role("link", name="Write this file").first.click()
    ready(page)
    page.get_by_role("heading", name="is ready").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download the treated file").click()
    saved.value.save_as(tmp_path / "treated.csv")
    treated = idbits.measure(tmp_path / "treated.csv", ADULT, rows_are_people=True)
    assert treated.k_min >= 5
    assert page.get_by_role("row", name=re.compile("^smallest group")).locator("td").nth(1).inner_text() == (
        f"{treated.k_min:,}"
    )
    # Decide, with the receipt.
    follow(page, "Go to Decide")
    assert page.get_by_role("radio", name="Hand over after treatment").is_checked()
    page.get_by_label("Reason").fill("The goal of 5 is reached.")
    page.get_by_label("Decided by").fill("Officer")
    press(page, "Record the decision")
    page.get_by_role("heading", name="is recorded").wait_for()
    fits(page, width)
    record = list_decisions(decisions).records[-1]
    assert (record.decision, record.why) == ("approve-with-treatment", "The goal of 5 is reached.")
    assert record.receipt is not None
    assert record.n_people == 30_162
    recorded = len(list_decisions(decisions).records)
    # Reload and Back repeat nothing.
    page.reload()
    page.go_back()
    ready(page)
    page.go_forward()
    page.get_by_role("heading", name="is recorded").wait_for()
    assert len(list_decisions(decisions).records) == recorded
    assert verify_decisions(decisions).problems == ()
    follow(page, "The page to print and sign")
    page.get_by_text("The goal of 5 is reached.").first.wait_for()
    page.emulate_media(media="print")
    assert not page.get_by_role("navigation", name="Pages").is_visible()
    page.emulate_media(media="screen")
    # The answer that was left is found again without measuring again.
    page.goto("/measure")
    assert page.get_by_role("link", name="Open adult.csv").is_visible()
    page.goto(answer)
    assert page.locator("progress").count() == 0
    page.locator("#outcome").wait_for()


@pytest.mark.parametrize(("scheme", "width"), [("dark", 1280), ("light", 390)])
def test_events_are_followed_over_time(visit: Open, folder: Path, decisions: Path, scheme: str, width: int) -> None:
    page = begin(visit, "visits.parquet", scheme, width)
    assert page.get_by_text("These look like records, not people.").is_visible()
    assert page.get_by_role("radio", name="A person can have several rows").is_checked()
    assert page.get_by_label("Which column identifies a person?").input_value() == "household_id"
    press(page, "Continue")
    assert page.get_by_role("checkbox", name="household_id").count() == 0
    press(page, "Measure")
    page.locator("#outcome").wait_for()
    fits(page, width)
    # Nothing is a dead end: Treat says what to do, and leads there.
    tab(page, "Treat")
    assert page.get_by_role("link", name="Choose coarser columns").is_visible()
    page.locator(".note").get_by_role("link", name="Over time").click()
    ready(page)
    assert page.get_by_label("When did it happen?").input_value() == "transaction_timestamp"
    page.get_by_role("checkbox", name="store_id").check()
    press(page, "Measure over time")
    page.locator("section#events").wait_for()
    fits(page, width)
    expected = idbits.events(
        folder / "visits.parquet", "household_id", "transaction_timestamp", ["store_id"], points="1..4"
    )
    assert page.get_by_text(f"{expected.period.n_pairs:,} pairs of events").first.is_visible()
    data = page.request.get(page.get_by_role("link", name="As data for programs").get_attribute("href")).json()
    assert data == json.loads(expected.to_json())
    tab(page, "Decide")
    page.get_by_role("radio", name="Do not hand over").check()
    page.get_by_label("Reason").fill("Two visits single people out.")
    page.get_by_label("Decided by").fill("Officer")
    press(page, "Record the decision")
    page.get_by_role("heading", name="is recorded").wait_for()
    assert list_decisions(decisions).records[-1].why == "Two visits single people out."


def test_identifiers_are_named_and_taken_out(visit: Open, folder: Path, tmp_path: Path) -> None:
    page = begin(visit, "employee-attrition.csv")
    press(page, "Continue")
    identifiers = page.locator("[data-group]").filter(has_text="Names a person")
    assert "Employee_ID" in identifiers.inner_text()
    assert not page.get_by_role("checkbox", name="Employee_ID").is_checked()
    page.get_by_role("button", name="Names a person 1").click()
    assert page.locator("[data-column]:visible").count() == 1
    page.get_by_role("button", name="All 11").click()
    press(page, "Untick all shown")
    for name in ("Age", "Gender", "Department"):
        page.get_by_role("checkbox", name=re.compile(f"^{name}")).check()
    press(page, "Measure")
    page.locator("#outcome").wait_for()
    row = page.get_by_role("row", name=re.compile("^Columns that name a person"))
    assert "Employee_ID" in row.inner_text()
    assert "Over" in row.inner_text()
    follow(page, "Go to Treat")
    page.get_by_role("link", name="Write this file").first.click()
    ready(page)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download the treated file").click()
    saved.value.save_as(tmp_path / "treated.csv")
    head = (tmp_path / "treated.csv").read_text().splitlines()[0]
    assert "Employee_ID" not in head
    assert "Department" in head


def test_the_path_works_without_scripts(visit: Open) -> None:
    page = visit("/measure", java_script_enabled=False)
    page.get_by_role("link", name="wide.csv", exact=True).click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Search 300 columns").fill("value_01")
    page.get_by_role("button", name="Search", exact=True).click()
    assert page.locator("[data-column]:visible").count() == 10
    page.get_by_role("button", name="Untick all shown").click()
    page.get_by_role("button", name="Tick all shown", exact=True).click()
    page.get_by_label("Search 300 columns").fill("")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("button", name="All 300").click()
    boxes = page.locator("input[name=pick]:checked")
    assert {value.partition("|")[2] for value in boxes.evaluate_all("all => all.map(box => box.value)")} >= {
        f"value_01{n}" for n in range(10)
    }
    page.get_by_role("button", name="Untick all shown").click()
    assert page.locator("input[name=pick]:checked").count() == 0
    page.get_by_role("button", name="Measure", exact=True).click()
    # Nothing is ticked: the form again, with a sentence.
    assert "at least one column" in page.get_by_role("alert").inner_text()
    page.complaints[:] = [said for said in page.complaints if "400 (Bad Request)" not in said]
    for name in ("zip", "sex"):
        page.get_by_role("checkbox", name=re.compile(f"^{name}")).check()
    page.get_by_role("button", name="Measure", exact=True).click()
    page.locator("#outcome").wait_for(timeout=120_000)
    assert page.url.endswith("&q=zip&q=sex")


def test_many_columns_are_searched_while_typing(visit: Open) -> None:
    page = visit("/measure/columns?in=0&file=wide.csv&rows-are-people=yes")
    ready(page)
    page.get_by_label("Search 300 columns").fill("value_2")
    assert page.locator("[data-column]:visible").count() == 95
    press(page, "Tick all shown")
    page.get_by_label("Search 300 columns").fill("nothing like it")
    assert page.locator("#none-found").is_visible()
    page.get_by_label("Search 300 columns").fill("")
    counted = int(page.locator("[data-ticked]").inner_text())
    assert counted == page.locator("input[name=pick]:checked").count() >= 95
    # Back after measuring: the ticks are as they were.
    press(page, "Untick all shown")
    page.get_by_role("checkbox", name=re.compile("^zip")).check()
    press(page, "Measure")
    page.locator("#outcome").wait_for()
    page.go_back()
    page.get_by_role("checkbox", name=re.compile("^zip")).wait_for()
    assert page.locator("[data-ticked]").inner_text() == "1"


def focus(page: Any, wanted: str, most: int = 150) -> None:
    """Press Tab until what has the focus is called ``wanted``, and see that it can be seen."""
    for _ in range(most):
        page.keyboard.press("Tab")
        named = page.evaluate(
            "() => { const node = document.activeElement;"
            " return (node.labels?.[0]?.innerText ?? node.getAttribute('aria-label') ?? node.innerText).trim(); }"
        )
        if named.partition("\n")[0] == wanted:
            marked = "() => getComputedStyle(document.activeElement).outlineStyle"
            assert page.evaluate(marked) not in ("", "none")
            return
    raise AssertionError(f"the keyboard does not reach {wanted}")


def test_the_path_by_keyboard_alone(visit: Open, decisions: Path) -> None:
    before = len(list_decisions(decisions).records) if decisions.is_dir() else 0
    page = visit("/measure")
    for wanted, heading in (
        ("employee-attrition.csv", "Who is a person in employee-attrition.csv?"),
        ("Continue", "Which columns of employee-attrition.csv can somebody know?"),
    ):
        focus(page, wanted)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=heading).wait_for()
    ticked = int(page.locator("[data-ticked]").inner_text())
    focus(page, "Age")
    page.keyboard.press("Space")
    page.wait_for_function(f"() => document.querySelector('[data-ticked]').innerText === '{ticked - 1}'")
    focus(page, "Measure")
    page.keyboard.press("Enter")
    page.locator("#outcome").wait_for(timeout=120_000)
    focus(page, "Decide")
    page.keyboard.press("Enter")
    page.wait_for_url("**/measure/decide?**")
    focus(page, "Hand over as it is")
    page.keyboard.press("ArrowUp")
    focus(page, "Reason")
    page.keyboard.type("Nobody needs this table.")
    focus(page, "Decided by")
    page.keyboard.type("A. Officer")
    focus(page, "Record the decision")
    page.keyboard.press("Enter")
    page.wait_for_url("**/measure/decided?**")
    *_, record = list_decisions(decisions).records
    assert (len(list_decisions(decisions).records), record.decision, record.by) == (before + 1, "refuse", "A. Officer")


PAGES = ("", "/people", "/columns", "/answer", "/learnt", "/population", "/second", "/time", "/treat", "/decide")
SMALL = "in=0&file=employee-attrition.csv&rows-are-people=yes&q=Age&q=Gender"


@pytest.mark.parametrize("path", PAGES)
def test_at_200_percent_nothing_is_cut_off(visit: Open, path: str) -> None:
    # A window of 1280 pixels at 200% has 640 of the page's own.
    page = visit(f"/measure{path}?{SMALL}" if path else "/measure", "light", 640, device_scale_factor=2)
    ready(page)
    fits(page, 640)
    cut = page.evaluate(
        "() => [...document.querySelectorAll('main a, main button, main label, main h1, main h2')]"
        ".filter(node => node.offsetParent && !node.closest('.unseen, .scroll, svg')"
        " && node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== 'visible')"
        ".map(node => node.outerHTML.slice(0, 80))"
    )
    assert cut == []


def test_nothing_moves_for_people_who_asked_for_that(visit: Open) -> None:
    page = visit(f"/measure/answer?{SMALL}", reduced_motion="reduce")
    ready(page)
    moving = page.evaluate(
        "() => [...document.querySelectorAll('*')].filter(node => { const style = getComputedStyle(node);"
        " return parseFloat(style.transitionDuration) > 0 || style.animationName !== 'none'; }).length"
    )
    assert moving == 0


def test_the_file_that_opens_the_browser_signs_it_in(
    chromium: Any, folder: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    command = [sys.executable, "-m", "idbits.cli.main", "serve", "--quiet", "--port", "0", "--folder", str(folder),
               "--database", str(tmp_path / "r.db"), "--decisions", str(tmp_path / "d")]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=os.environ) as run:
        try:
            assert run.stdout is not None
            link = run.stdout.readline().strip()
            assert open_in_browser(link, tmp_path)
            file = tmp_path / "open.html"
            assert file.stat().st_mode & 0o777 == 0o600
            # The code of the link is not among the arguments of the browser.
            assert opened == [file.as_uri()]
            context = chromium.new_context()
            page = context.new_page()
            page.goto(opened[0])
            page.get_by_role("navigation", name="Pages").wait_for()
            assert page.url == link.partition("open?")[0]
            context.close()
        finally:
            run.terminate()
