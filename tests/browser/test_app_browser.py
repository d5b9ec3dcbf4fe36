"""The app in a real browser: three stories, by mouse, by keyboard and without scripts; and axe-core finds nothing."""

import re
from collections.abc import Callable
from typing import Any

import pytest

LOOKS = [("light", 1440), ("dark", 375)]
ASKED = "/?q=nl.age%3Aband5&q=us.birthday&q=%3D60%2C40%7COwn&q=%3D80%7CHalf+known"

TREAT = "in=0&file=people.csv&q=birthdate%3Ayear&q=zip"
SURVEYS = "kind=releases&in=0&file=survey1.csv&in2=0&file2=survey2.csv"

Open = Callable[..., Any]


def people(page: Any) -> float:
    """Return how many people the headline says."""
    text = page.locator(".headline").inner_text()
    if "nobody" in text:
        return 1.0
    number, unit = re.search(r"([\d.,]+)( million)?", text).groups()  # type: ignore[union-attr]
    return float(number.replace(",", "")) * (1e6 if unit else 1)


def settled(page: Any, act: Callable[[], None]) -> None:
    """Do something, and wait until the answer stands on the page."""
    before = page.locator("#app").evaluate_handle("node => node")
    act()
    page.wait_for_function("before => document.querySelector('#app') !== before", arg=before)


def focused(page: Any, wanted: str) -> None:
    """Wait until the keyboard is there; it is put back a moment after the answer stands on the page."""
    page.wait_for_function("id => document.activeElement.id === id", arg=wanted)


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_story_of_the_questions(visit: Open, scheme: str, width: int) -> None:
    page = visit("/", scheme, width)
    assert page.get_by_role("heading", level=1).inner_text() == "How identifying are these questions?"
    everyone = people(page)
    # Real people from the first minute.
    assert everyone == 17.8e6
    settled(page, lambda: page.locator("#add-nl-age").click())
    born = people(page)
    settled(page, lambda: page.get_by_role("button", name="When is your birthday?").click())
    together = people(page)
    assert everyone > born > together
    assert page.locator("svg.crowd use").count() >= 1
    # Coarser questions leave more people, and so does one that is not asked.
    settled(page, lambda: page.locator("#view-nl-age").select_option(label="in 10-year bands"))
    coarser = people(page)
    assert coarser > together
    page.get_by_label("Question", exact=True).fill("Cats <b>or</b> dogs")
    page.get_by_label("How many in 100 people give the most common answer?").fill("60, 40")
    settled(page, lambda: page.get_by_role("button", name="Add", exact=True).click())
    assert page.get_by_role("heading", name="Cats <b>or</b> dogs").is_visible()
    fewer = people(page)
    assert fewer <= coarser
    # The order changes, the end does not.
    settled(page, lambda: page.get_by_role("button", name="Ask Birthday earlier").click())
    assert page.locator(".steps h3").all_inner_texts()[0] == "When is your birthday?"
    assert people(page) == fewer
    # The first tip is the question to drop, and leads to what it says.
    tip = page.locator(".helps li").first
    assert tip.inner_text().startswith("Do not ask Birthday: ")
    assert "people answered" in page.locator(".unique").inner_text()
    settled(page, lambda: page.get_by_role("button", name="Do not ask Birthday").click())
    assert people(page) > fewer
    # Everything is in the address: a new page shows the same, and so does going back.
    again = visit(page.url.partition("127.0.0.1")[2].partition("/")[2].join(["/", ""]), scheme, width)
    assert again.locator(".headline").inner_text() == page.locator(".headline").inner_text()
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('.steps li').length === 3")
    assert people(page) == fewer
    data = page.request.get(page.get_by_role("link", name="As data").get_attribute("href")).json()
    assert len(data["steps"]) == 3
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_typing_a_number_of_people_reacts_while_typing(visit: Open) -> None:
    page = visit("/?q=nl.sex")
    page.get_by_label("How many people?").click()
    settled(page, lambda: page.keyboard.type("100"))
    page.wait_for_function("() => document.querySelector('.headline').textContent.includes('About 50 ')")
    # The cursor stays where it was.
    focused(page, "people")
    assert page.get_by_label("How many people?").input_value() == "100"
    page.wait_for_url("**people=100*")


class Held:
    """Answers that are on their way: they arrive when a test says so."""

    def __init__(self, page: Any) -> None:
        self.page, self.holds = page, True
        self.routes: list[Any] = []
        page.route(lambda address: "?" in address, lambda route: self._asked(route))

    def _asked(self, route: Any) -> None:
        self.routes.append(route)
        if not self.holds:
            route.continue_()

    def asked(self, act: Callable[[], None]) -> None:
        """Do something, and wait until it is asked of the server."""
        before = len(self.routes)
        act()
        for _ in range(6000):
            if len(self.routes) > before:
                return
            self.page.wait_for_timeout(10)
        raise AssertionError("nothing was asked of the server")

    def arrive(self) -> None:
        """Let what was asked be answered, and everything from now on."""
        self.holds = False
        for route in self.routes:
            route.continue_()


def test_what_is_typed_while_an_answer_is_on_its_way_is_not_lost(visit: Open) -> None:
    page = visit("/?q=nl.sex")
    held = Held(page)
    page.get_by_label("How many people?").click()
    held.asked(lambda: page.keyboard.type("2"))
    # The next digits, so shortly before the answer that they are not asked for yet.
    page.get_by_label("How many people?").evaluate("field => { field.value = '2400'; field.setSelectionRange(3, 3); }")
    settled(page, held.arrive)
    page.wait_for_function("() => document.querySelector('.headline').textContent.includes('About 1,200 ')")
    assert page.get_by_label("How many people?").input_value() == "2400"
    focused(page, "people")
    page.keyboard.type("9")
    page.wait_for_function("() => document.querySelector('.headline').textContent.includes('About 12,')")
    assert page.get_by_label("How many people?").input_value() == "24090"


def test_a_half_written_question_and_another_choice_outlast_an_answer(visit: Open) -> None:
    page = visit("/?q=nl.sex&q=nl.age")
    held = Held(page)
    held.asked(lambda: page.get_by_role("button", name="When is your birthday?").click())
    page.get_by_label("Question", exact=True).fill("Left-ha")
    page.locator("#view-nl-age").evaluate("select => { select.value = 'nl.age:band10'; }")
    settled(page, held.arrive)
    page.wait_for_url("**nl.age%3Aband10*")
    page.wait_for_function("() => document.querySelectorAll('.steps > li').length === 3")
    assert page.get_by_label("Question", exact=True).input_value() == "Left-ha"
    assert page.locator("#view-nl-age").input_value() == "nl.age:band10"


def test_two_buttons_pressed_at_once_have_both_their_turn(visit: Open) -> None:
    page = visit("/")
    held = Held(page)
    held.asked(lambda: page.get_by_role("button", name="When is your birthday?").click())
    page.locator("#add-nl-age").click()
    settled(page, held.arrive)
    page.wait_for_function("() => document.querySelectorAll('.steps > li').length === 2")


def tab_to(page: Any, wanted: str, most: int = 60) -> None:
    for _ in range(most):
        if page.evaluate("document.activeElement.id") == wanted:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {wanted}")


def test_story_of_the_questions_by_keyboard(visit: Open) -> None:
    page = visit("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    tab_to(page, "add-nl-sex")
    settled(page, lambda: page.keyboard.press("Enter"))
    tab_to(page, "add-nl-age")
    settled(page, lambda: page.keyboard.press("Space"))
    before = people(page)
    page.keyboard.press("Home")
    page.locator("body").press("Shift+Tab")
    tab_to(page, "view-nl-age", 120)
    # A select reacts to an arrow.
    settled(page, lambda: page.keyboard.press("ArrowDown"))
    focused(page, "view-nl-age")
    assert people(page) > before
    # The keyboard stays where it was, also on what has no effect any more.
    tab_to(page, "up-nl-age", 120)
    settled(page, lambda: page.keyboard.press("Enter"))
    focused(page, "up-nl-age")
    assert page.locator("#up-nl-age").get_attribute("aria-disabled") == "true"
    tab_to(page, "drop-nl-age", 120)
    settled(page, lambda: page.keyboard.press("Enter"))
    focused(page, "asked")
    assert page.locator(".steps li").count() == 1
    outline = page.evaluate(
        "(document.querySelector('#add-own').focus(), getComputedStyle(document.activeElement).outlineStyle)"
    )
    assert outline not in ("", "none")


def test_the_questions_work_without_scripts(visit: Open) -> None:
    page = visit("/", java_script_enabled=False)
    page.locator("#add-nl-age").click()
    page.get_by_role("button", name="Are you a man or a woman?").click()
    page.wait_for_url(lambda url: url.endswith("/?q=nl.age&q=nl.sex"))
    page.locator("#view-nl-age").select_option("nl.age:band10")
    page.locator("#people").fill("1000")
    page.locator("#people").press("Enter")
    page.wait_for_url(lambda url: url.endswith("/?place=nl&people=1000&q=nl.age%3Aband10&q=nl.sex"))
    page.get_by_role("button", name="Ask Sex earlier").click()
    page.wait_for_url(lambda url: url.endswith("&q=nl.sex&q=nl.age%3Aband10"))
    assert page.locator(".steps h3").all_inner_texts() == ["Are you a man or a woman?", "How old are you?"]


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_story_of_the_repository(visit: Open, scheme: str, width: int) -> None:
    page = visit("/repository", scheme, width)
    page.get_by_label("Words to search for").fill("municipality")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Municipality", exact=True).click()
    page.get_by_text("verified with the key").wait_for()
    page.get_by_text("not published by the holder").wait_for()
    answer = page.locator(".answer")
    first = answer.inner_text()
    assert "Of 100 people who answer" in first
    page.get_by_label("Number of people who answer").fill("500")
    page.wait_for_function("() => document.querySelector('.answer')?.textContent.includes('500 people')")
    assert page.url.endswith("?k=500")
    assert page.locator(".forecast .big").count() == 3
    assert page.locator("svg.chart").count() == 2
    page.get_by_text("Record a decision").click()
    decision = f"Two digits are enough ({scheme})"
    page.get_by_label("What was decided?").fill(decision)
    page.get_by_label("By whom?").fill("The committee")
    page.get_by_label("Why?").fill("Four of them give away <b>ten</b> bits.")
    page.get_by_role("button", name="Record the decision").click()
    page.get_by_text(decision).wait_for()
    page.get_by_text("Four of them give away <b>ten</b> bits.").first.wait_for()
    page.get_by_role("link", name="Use this on the page Questions").click()
    page.get_by_role("heading", name="Municipality (as in Norway)").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == width


NAMED = """() => {
    const at = document.activeElement;
    return (at.labels?.length ? at.labels[0].textContent : at.getAttribute("aria-label") ?? at.textContent).trim();
}"""


def tab_to_name(page: Any, wanted: str, most: int = 80) -> None:
    """Press Tab until what has the focus is called so."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(NAMED) == wanted:
            return
    raise AssertionError(f"the keyboard does not reach {wanted!r}")


def test_story_of_the_repository_by_keyboard(visit: Open) -> None:
    page = visit("/repository")
    tab_to_name(page, "Words to search for")
    page.keyboard.type("municipality")
    page.keyboard.press("Enter")
    page.wait_for_url("**/repository?*municipality*")
    tab_to_name(page, "Municipality")
    page.keyboard.press("Enter")
    page.locator(".answer").wait_for()
    tab_to_name(page, "Number of people who answer")
    page.keyboard.press("Control+A")
    page.keyboard.type("250")
    page.wait_for_function("() => document.querySelector('.answer')?.textContent.includes('250 people')")
    tab_to_name(page, "Record a decision")
    page.keyboard.press("Enter")
    for label, words in (("What was decided?", "By keys"), ("By whom?", "One hand"), ("Why?", "No mouse")):
        tab_to_name(page, label)
        page.keyboard.type(words)
    tab_to_name(page, "Record the decision")
    page.keyboard.press("Enter")
    page.get_by_text("By keys").wait_for()
    assert page.get_by_text("No mouse").first.is_visible()


def test_story_of_a_table_by_keyboard(visit: Open) -> None:
    page = visit("/measure")
    tab_to_name(page, "people.csv")
    page.keyboard.press("Enter")
    page.get_by_role("radio", name="Each row is one person").wait_for()
    tab_to_name(page, "Continue")
    page.keyboard.press("Enter")
    page.get_by_role("checkbox", name="gender").wait_for()
    tab_to(page, "pick2")
    page.keyboard.press("Space")
    assert not page.get_by_role("checkbox", name="gender").is_checked()
    # The first link with this name is the page of tables.
    tab_to(page, "measure-columns")
    page.keyboard.press("Enter")
    page.locator("#outcome").wait_for()
    assert page.url.endswith("/measure/answer?in=0&file=people.csv&rows-are-people=yes&q=birthdate&q=zip")
    for tab in ("What is learnt", "Population", "Second table", "Over time"):
        # The first link with a name may be one of the pages.
        tab_to_name(page, "Columns")
        tab_to_name(page, tab)
        page.keyboard.press("Enter")
        page.locator(f'.tabs a[aria-current="page"]:text-is("{tab}")').wait_for()


def test_what_is_not_published_is_bounded(visit: Open) -> None:
    page = visit("/repository")
    page.get_by_label("Questions", exact=True).fill("age:band20")
    page.get_by_label("Population", exact=True).fill("Country=Netherlands")
    page.get_by_role("button", name="Look up").click()
    page.get_by_role("heading", name="Not published").wait_for()
    page.get_by_text("at most").first.wait_for()


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_story_of_a_table(visit: Open, scheme: str, width: int) -> None:
    page = visit("/measure", scheme, width)
    page.get_by_role("link", name="people.csv", exact=True).click()
    page.get_by_role("heading", name="Who is a person in people.csv?").wait_for()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("checkbox", name="gender").uncheck()
    assert page.get_by_role("checkbox", name="birthdate").is_checked()
    page.get_by_label("How exactly may someone know birthdate?").select_option(label="year only")
    page.get_by_role("button", name="Measure", exact=True).click()
    page.locator("#outcome").wait_for()
    assert page.url.endswith("/measure/answer?in=0&file=people.csv&rows-are-people=yes&q=birthdate%3Ayear&q=zip")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_role("link", name="The whole report, to print").click()
    page.get_by_role("heading", name="What people.csv gives away about people").wait_for()
    assert page.url.endswith("/measure/report?in=0&file=people.csv&rows-are-people=yes&q=birthdate%3Ayear&q=zip")
    assert page.locator(".report svg").count() >= 3
    assert page.locator(".report .verdict").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as a file").click()
    assert saved.value.suggested_filename == "report.html"
    # Back to the columns: they are as they were chosen.
    page.get_by_role("link", name="Columns of").click()
    page.get_by_label("How exactly may someone know birthdate?").wait_for()
    assert page.get_by_label("How exactly may someone know birthdate?").input_value() == "0|year"
    assert not page.get_by_role("checkbox", name="gender").is_checked()


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_story_of_people_with_several_rows(visit: Open, scheme: str, width: int) -> None:
    page = visit("/measure/people?in=0&file=visits.csv&q=age&q=sex", scheme, width)
    assert page.get_by_role("radio", name="A person can have several rows").is_checked()
    # What an attacker knows of several rows matters only where somebody can have several.
    page.get_by_role("radio", name="Each row is one person").check()
    assert not page.get_by_label("Which column identifies a person?").is_visible()
    page.get_by_role("radio", name="A person can have several rows").check()
    assert page.get_by_label("Which column identifies a person?").input_value() == "patient"
    page.get_by_text("What may an attacker know of a person’s records?").first.click()
    assert page.get_by_role("radio", name="The most telling record").is_checked()
    page.get_by_role("radio", name="All records").check()
    page.get_by_text("Do people live together?").click()
    page.get_by_label("Which column says who lives together?").select_option(label="home")
    page.get_by_role("button", name="Continue").click()
    assert page.get_by_role("checkbox", name="age").is_checked()
    page.get_by_role("button", name="Measure", exact=True).click()
    page.locator("#outcome").wait_for()
    query = "in=0&file=visits.csv&person=patient&knows=all-records&household=home&q=age&q=sex"
    assert page.url.endswith(f"/measure/answer?{query}")
    page.get_by_role("link", name="The whole report, to print").click()
    page.locator(".report .verdict").wait_for()
    assert page.url.endswith(f"/measure/report?{query}")
    attackers = page.get_by_role("table", name="If an attacker knows this about a person")
    assert attackers.locator("tbody tr").count() == 3
    assert page.get_by_role("table", name="People who are found through their household").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    # Back to the form: it is as it was filled in.
    page.get_by_role("link", name="Columns of").click()
    page.get_by_role("navigation", name="Steps").get_by_role("link", name="People").click()
    page.locator("#knows-all-records").wait_for(state="attached")
    assert page.locator("#knows-all-records").is_checked()
    assert page.get_by_label("Which column identifies a person?").input_value() == "patient"
    assert page.locator("#household").input_value() == "home"


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_story_of_two_zonings(visit: Open, scheme: str, width: int) -> None:
    page = visit("/overlap", scheme, width)
    page.get_by_role("link", name="Compare two kinds of zones").click()
    page.get_by_role("link", name="blocks.csv").click()
    page.get_by_label("Counts are published by").select_option("town")
    page.get_by_label("Counts are also published by").select_option("post")
    assert page.get_by_label("What is a row?").input_value() == "count|people"
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("heading", name="Subtracting the two tables isolates small groups").wait_for()
    assert page.url.endswith("/overlap/report?kind=zones&in=0&file=blocks.csv&count=people&zones=town&zones=post")
    # Drawn twice, and the style shows the one that fits.
    shown = "() => [...document.querySelectorAll('.report svg')].filter(each => each.checkVisibility()).length == 1"
    page.wait_for_function(shown)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_role("link", name="Name the zones").click()
    page.get_by_text("INTERNAL: this page names the zones").wait_for()
    page.get_by_role("link", name="Columns of").click()
    page.get_by_label("Counts are also published by").wait_for()
    assert page.get_by_label("Counts are also published by").input_value() == "post"


def test_story_of_two_releases_by_keyboard(visit: Open) -> None:
    page = visit("/overlap?kind=releases")
    tab_to_name(page, "survey1.csv")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Which table is the second release?").wait_for()
    tab_to_name(page, "survey2.csv")
    page.keyboard.press("Enter")
    page.get_by_label("What is to stay secret?").wait_for()
    tab_to(page, "person")
    page.keyboard.type("respondent")
    tab_to(page, "sensitive")
    page.keyboard.type("illness")
    page.evaluate("document.querySelectorAll('input[type=checkbox]').forEach(box => { box.checked = false; })")
    tab_to(page, "pick1")
    page.keyboard.press("Space")
    tab_to(page, "pick2-2")
    page.keyboard.press("Space")
    tab_to_name(page, "Compare")
    page.keyboard.press("Enter")
    page.locator(".report .verdict").wait_for()
    assert page.url.endswith(f"/overlap/report?{SURVEYS}&person=respondent&sensitive=illness&q=age&q2=region")


def test_long_work_can_be_stopped(visit: Open) -> None:
    page = visit("/measure?in=0&dir=more")
    assert page.get_by_role("link", name="large.csv", exact=True).is_visible()
    page.goto("/measure/report?in=0&file=more%2Flarge.csv&q=birthdate&q=zip&q=gender&where=gender+%3D+%27M%27")
    page.locator("progress").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.wait_for_url("**/measure?in=0&dir=more")
    assert page.get_by_role("link", name="large.csv", exact=True).is_visible()


def test_work_that_fails_says_why_when_it_ends(visit: Open) -> None:
    # Long enough for a bar, then an error: the filter keeps nobody.
    page = visit("/measure")
    page.goto("/measure/report?in=0&file=more%2Flarge.csv&q=birthdate%3Aband5&q=zip")
    page.get_by_role("alert").wait_for()
    # The one thing that the browser may complain about: that the page says it failed.
    assert len(page.complaints) == 1
    assert "status of 422" in page.complaints.pop()
    assert page.get_by_role("alert").inner_text().endswith(".")
    assert page.get_by_role("link", name="Back to the columns and options").is_visible()


def test_a_wrong_column_is_the_sentence_of_the_terminal(visit: Open, server: Any) -> None:
    # The browser itself complains about the status.
    page = visit("/measure")
    answer = page.request.get(f"{server.address}/measure/report.json?in=0&file=people.csv&q=gendr")
    while answer.status == 202:
        answer = page.request.get(answer.url)
    assert answer.status == 400
    assert '"gendr"; did you mean "gender"?' in answer.json()["error"]


PAGES = {
    "questions": "/",
    "asked": ASKED,
    "repository": "/repository",
    "incomplete look-up": "/repository?qid=age&population=",
    "looked up": "/repository?qid=age:band20&population=Country%3DNetherlands",
    "measure": "/measure",
    "people": "/measure/people?in=0&file=people.csv",
    "people with several rows": "/measure/people?in=0&file=visits.csv",
    "columns": "/measure/columns?in=0&file=people.csv",
    "one role of the columns": "/measure/columns?in=0&file=people.csv&sent=yes&role=time&find=b",
    "answer": f"/measure/answer?{TREAT}",
    "what is learnt": f"/measure/learnt?{TREAT}&sensitive=gender",
    "population": f"/measure/population?{TREAT}&people=100000",
    "which second table": f"/measure/second?{TREAT}",
    "over time without a person": f"/measure/time?{TREAT}",
    "decide": f"/measure/decide?{TREAT}",
    "decisions": "/decisions",
    "answer about people": "/measure/answer?in=0&file=visits.csv&person=patient&q=age&q=sex",
    "no treatment for people": "/measure/treat?in=0&file=visits.csv&person=patient&q=age&q=sex",
    "columns of people": "/measure/columns?in=0&file=visits.csv&person=patient",
    "report on people": "/measure/report?in=0&file=visits.csv&person=patient&household=home&q=age&q=sex",
    "hostile columns": "/measure/columns?in=0&file=hostile+%3Cb%3E.parquet",
    "report": "/measure/report?in=0&file=people.csv&q=birthdate%3Ayear&q=zip",
    "treatments": f"/measure/treat?{TREAT}",
    "treatments with a wrong goal": f"/measure/treat?{TREAT}&least=0",
    "treated file": f"/measure/treated?{TREAT}&treatment=0",
    "compare": "/overlap",
    "second release": "/overlap?kind=releases&in=0&file=survey1.csv",
    "zones": "/overlap/columns?kind=zones&in=0&file=blocks.csv",
    "releases": f"/overlap/columns?{SURVEYS}",
    "report on zones": "/overlap/report?kind=zones&in=0&file=blocks.csv&count=people&zones=town&zones=post&reveal=yes",
    "report on releases": f"/overlap/report?{SURVEYS}&person=respondent&sensitive=illness&q=age&q2=region",
    "second table": "/link?in=0&file=survey1.csv",
    "columns of both": f"/link/columns?{SURVEYS.removeprefix('kind=releases&')}",
    "report on links": f"/link/report?{SURVEYS.removeprefix('kind=releases&')}&on=age&on=region&known=share&share=80",
}


def shown(page: Any, path: str) -> None:
    """Go to a page, and wait for work on it to end."""
    page.goto(path)
    page.wait_for_function("() => !document.querySelector('progress')")
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_axe_finds_nothing(visit: Open, scheme: str, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = visit("/repository", scheme, width, bypass_csp=True)
    entries = page.locator(".entries a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    found = {}
    paths = PAGES | {"entry": entries[0], "whole entry": entries[-1]}
    if (scheme, width) not in LOOKS:
        # Sixty rows like those of the other table: seen in two looks.
        del paths["hostile columns"]
    for name, path in paths.items():
        shown(page, path)
        if name in ("treatments with a wrong goal", "incomplete look-up"):
            page.complaints[:] = [said for said in page.complaints if "400 (Bad Request)" not in said]
        answer = Axe().run(
            page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
        )
        violations = [(one["id"], one["nodes"][0]["html"][:200]) for one in answer.response["violations"]]
        if violations:
            found[name] = violations
        if page.evaluate("document.documentElement.scrollWidth") != width:
            found[f"{name} is too wide"] = []
    assert found == {}


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_a_hostile_table_changes_nothing_but_text(visit: Open, scheme: str, width: int) -> None:
    page = visit("/measure", scheme, width)
    page.get_by_role("link", name="hostile <b>.parquet", exact=True).click()
    page.get_by_role("button", name="Continue").click()
    page.locator("#pick59").wait_for(state="attached")
    page.evaluate("document.querySelectorAll('input[name=pick]').forEach((box, place) => { box.checked = place < 4; })")
    assert page.locator("#main b, #main i, #main script, #main img").count() == 0
    page.get_by_role("button", name="Measure", exact=True).click()
    page.locator("#outcome").wait_for()
    assert page.locator("#main b, #main i, #main script, #main img").count() == 0
    page.get_by_role("link", name="The whole report, to print").click()
    page.locator(".report .verdict").wait_for()
    assert page.locator("#main b, #main i, #main script, #main img").count() == 0
    assert page.get_by_text("<script>alert(1)</script>").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_what_is_printed_is_the_answer(visit: Open) -> None:
    page = visit(ASKED)
    page.emulate_media(media="print")
    assert page.locator(".result .headline").is_visible()
    assert not page.get_by_role("navigation", name="Pages").is_visible()
    assert not page.locator("#own").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
