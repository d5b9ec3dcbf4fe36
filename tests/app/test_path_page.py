"""The guided path: file, people, columns, then an answer with tabs. Its figures are those of the commands."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

import idbits
from idbits.studies.decide.study import list_decisions, verify_decisions

from .conftest import PEOPLE, Site

PERSONS = "in=0&file=people.parquet"
QID = "&q=birthdate%3Ayear&q=zip%3Aprefix2&q=gender"
COUNTED = f"{PERSONS}&rows-are-people=yes{QID}"
VISITS = "in=0&file=events.csv"
ROWS = [(f"p{n % 40}", f"2005-01-{1 + (n * 7 + n // 40) % 28:02d}", f"shop {n % 5}", "FM"[n % 2]) for n in range(400)]


@pytest.fixture(autouse=True)
def visits(people: Path) -> Iterator[Path]:
    path = people / "events.csv"
    path.write_text("patient,visit_date,place,sex\n" + "\n".join(map(",".join, ROWS)) + "\n")
    yield path
    path.unlink()


def words(page: str) -> str:
    """Return the text of a page, without its marks."""
    body = page.partition("<main")[2]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", body)))


def ticked(page: str) -> list[str]:
    return re.findall(r'name="pick" value="([^"]+)" checked', page)


def checked(page: str, field: str) -> str | None:
    match = re.search(rf'type="radio"[^>]*name="{field}" value="([^"]*)" checked', page)
    return match[1] if match else None


def hidden(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', html.unescape(page)))


def test_a_file_leads_to_the_question_who_is_a_person(site: Site) -> None:
    page = site.text("/measure")
    assert 'href="/measure/people?in=0&amp;file=people.parquet"' in page
    assert "The file stays on this computer." in page
    assert [*re.findall(r'<li class="(now|later|done)"', page)] == ["now", "later", "later", "later"]


def test_rows_without_a_repeated_number_are_suggested_as_people(site: Site) -> None:
    page = site.text(f"/measure/people?{PERSONS}")
    assert checked(page, "who") == "rows"
    assert f"{PEOPLE:,} rows, 3 columns. No column repeats as the number of a person would" in words(page)


def test_records_are_told_from_people_and_the_wrong_choice_says_what_it_hides(site: Site) -> None:
    page = site.text(f"/measure/people?{VISITS}")
    text = words(page)
    assert checked(page, "who") == "column"
    assert "These look like records, not people. 400 rows hold only 40 different values of patient" in text
    assert "so a person may have about 10 rows" in text
    assert "Then each of the 400 rows counts as a person of its own. Most risks would be hidden." in text
    assert re.search(r'<option value="patient" selected>patient: 40 different values, on average 10 rows each', page)
    assert not re.findall(r"(?<![\w-])--[a-z]+|one-record|multiset|S3 IV", text)


@pytest.mark.parametrize(
    ("sent", "options"),
    [
        ("who=rows&whose=patient&counted=&knows=one-record&null-person=error&household=", "rows-are-people=yes"),
        ("who=column&whose=patient&knows=all-records&null-person=drop&household=",
         "person=patient&knows=all-records&null-person=drop"),
        ("who=count&whose=patient&counted=place&knows=one-record", "count=place"),
        ("who=rows&whose=patient&knows=one-record&who=", ""),
    ],
)  # fmt: skip
def test_the_choice_of_people_is_in_the_next_address(site: Site, sent: str, options: str) -> None:
    answer = site.get(f"/measure/columns?{VISITS}&{sent}", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/measure/columns?{VISITS}{'&' + options if options else ''}"


def test_the_columns_keep_who_a_person_is(site: Site) -> None:
    page = site.text(f"/measure/columns?{VISITS}&person=patient&knows=all-records")
    assert {"person": "patient", "knows": "all-records"}.items() <= hidden(page).items()
    assert 'value="0|patient"' not in page
    assert "says who a person is, so nobody is assumed to know it" in page
    # And the way back keeps both.
    back = html.unescape(re.search(r'href="(/measure/people[^"]+)">Back', page)[1])
    assert checked(site.text(back), "knows") == "all-records"


def test_each_guess_has_its_evidence_and_columns_are_grouped_by_role(site: Site) -> None:
    page = site.text(f"/measure/columns?{PERSONS}&rows-are-people=yes")
    assert ticked(page) == ["0|birthdate", "1|zip", "2|gender"]
    inspected = idbits.inspect(site.folder / "people.parquet").columns
    for column in inspected:
        assert html.escape("; ".join(column.evidence[:2])) in page
    roles = re.findall(r'data-role="([^"]*)" aria-pressed="(true|false)">([^<]+) <strong>(\d+)', page)
    assert roles[0] == ("", "true", "All", "3")
    assert sum(int(number) for _, _, _, number in roles[1:]) == 3


def shown(page: str) -> list[str]:
    return re.findall(r'<li data-column="([^"]+)" data-role-of="[^"]+">', page)


def test_columns_are_searched_and_ticked_without_a_script(site: Site) -> None:
    form = f"/measure/columns?{PERSONS}&rows-are-people=yes&sent=yes&view=0|year&view=&view="
    page = site.text(f"{form}&pick=0|birthdate&find=zi")
    assert shown(page) == ["zip"]
    assert ticked(page) == ["0|birthdate"]
    assert 'value="0|year" selected' in page
    assert ticked(site.text(f"{form}&pick=0|birthdate&find=zi&tick=all")) == ["0|birthdate", "1|zip"]
    assert ticked(site.text(f"{form}&pick=0|birthdate&pick=1|zip&find=zi&tick=none")) == ["0|birthdate"]
    assert ticked(site.text(f"{form}&pick=0|birthdate&pick=1|zip&tick=none")) == []
    one_role = site.text(f"{form}&pick=2|gender&role=quasi-identifier&find=GENDER")
    assert shown(one_role) == ["gender"]
    nothing = site.text(f"{form}&pick=2|gender&find=nothing")
    assert shown(nothing) == []
    assert re.search(r'id="none-found" role="status">', nothing)
    assert ticked(nothing) == ["2|gender"]


def test_nothing_ticked_leads_back_to_the_form(site: Site) -> None:
    page = site.text(f"/measure/answer?{PERSONS}&rows-are-people=yes&sent=yes&view=0|year&view=", 400)
    assert re.search('role="alert">[^<]*at least one column', page)
    assert '<form action="/measure/answer"' in page
    assert ticked(page) == []
    assert 'value="0|year" selected' in page
    assert hidden(page)["rows-are-people"] == "yes"


def test_the_answer_has_the_figures_of_the_command(site: Site) -> None:
    page = site.text(f"/measure/answer?{COUNTED}")
    measured = idbits.measure(
        site.folder / "people.parquet", ["birthdate:year", "zip:prefix2", "gender"], rows_are_people=True
    )
    unique, below = measured.singletons, measured.people_below["5"]
    labels = re.findall(r"<strong>[\d.]+%</strong> <span>([^<]+)</span></li>", page)
    assert labels == [
        f"{unique:,} unique people",
        f"{below - unique:,} in groups of 2 to 4",
        f"{PEOPLE - below:,} in groups of 5 or more",
    ]
    parts = [
        (float(x), float(width))
        for x, width in re.findall(r'<rect class="\w+" x="([\d.]+)" y="0" width="([\d.]+)"', page)
    ]
    assert parts[0][0] == 0
    assert abs(sum(width for _, width in parts) - 1000) < 0.5
    assert abs(parts[0][1] - 1000 * unique / PEOPLE) < 0.1


def test_a_suggestion_is_a_button_that_keeps_its_promise(site: Site) -> None:
    page = html.unescape(site.text(f"/measure/answer?{COUNTED}"))
    offers = re.findall(r"Leave out <bdi><strong>([^<]+)</strong></bdi><small>([\d,]+) unique \w+ instead of", page)
    assert offers
    for column, promised in offers:
        address = re.search(rf'href="([^"]+)">Try it<span class="unseen"> without {re.escape(column)}<', page)[1]
        others = [value for name, value in parse_qsl(address.partition("?")[2]) if name == "q"]
        assert column not in others
        assert len(others) == 2
        alone = idbits.measure(site.folder / "people.parquet", others)
        assert f"{alone.singletons:,}" == promised


def test_every_tab_keeps_the_file_the_person_and_the_columns(site: Site) -> None:
    query = f"{VISITS}&person=patient&q=place&q=sex"
    page = html.unescape(site.text(f"/measure/answer?{query}"))
    nav = page.partition('aria-label="Parts of the answer"')[2].partition("</nav>")[0]
    tabs = re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', nav)
    assert [name for _, name in tabs] == [
        "People", "What is learnt", "Population", "Second table", "Over time", "Treat", "Decide",
    ]  # fmt: skip
    for address, name in tabs:
        assert address.partition("?")[2] == query
        tab = site.text(address)
        assert f'aria-current="page">{name}</a>' in tab
        assert "of 40 people" in tab
        text = words(tab)
        assert not re.findall(r"(?<![\w-])--[a-z]+|one-record|multiset|S3 IV", text), name


def test_what_is_learnt_asks_for_a_column_and_measures_it(site: Site) -> None:
    query = f"{PERSONS}&rows-are-people=yes&q=zip%3Aprefix1"
    # The way there has read the columns.
    site.data(f"/measure/columns.json?{PERSONS}")
    page = html.unescape(site.text(f"/measure/learnt?{query}"))
    address = re.search(r'href="([^"]+)">Measure<span class="unseen"> gender<', page)[1]
    assert "sensitive=gender" in address
    answered = site.text(address)
    assert '<section id="disclosure"' in answered
    assert 'id="disclosure-title"' in answered
    learnt = site.data(address.replace("/learnt?", "/report.json?"))["disclosure"]["sensitive"]
    assert [column["column"] for column in learnt] == ["gender"]
    assert "<option selected>gender</option>" in answered
    wrong = site.text(f"/measure/learnt?{query}&sensitive=zip", 400)
    assert re.search('role="alert">[^<]*cannot be both known and secret', html.unescape(wrong))
    assert 'name="sensitive"' in wrong


def test_the_population_asks_for_its_size(site: Site) -> None:
    query = f"{PERSONS}&rows-are-people=yes&q=birthdate&q=gender"
    assert 'for="people">People in the population' in site.text(f"/measure/population?{query}")
    page = site.text(f"/measure/population?{query}&people=100000")
    assert '<section id="population"' in page
    found = site.data(f"/measure/report.json?{query}&people=100000")
    assert found["population"]["people"] == 100_000
    table, columns = str(site.folder / "people.parquet"), ["birthdate", "gender"]
    expected = idbits.report(table, columns, rows_are_people=True, fraction=0.05)
    assert site.data(f"/measure/report.json?{query}&sampled=5%25") == json.loads(expected.to_json())
    for typed in ("people=many", "sampled=0", "sampled=200", "people=10", "people=100000&sampled=5"):
        wrong = site.text(f"/measure/population?{query}&{typed}", 400)
        assert 'role="alert"' in wrong
        assert 'name="people"' in wrong


def test_people_are_looked_up_in_a_table_of_the_population(site: Site) -> None:
    query = f"{PERSONS}&rows-are-people=yes&q=birthdate%3Ayear&q=gender"
    folder = html.unescape(site.text(f"/measure/population?{query}&in2=0&dir2=towns"))
    address = re.search(r'href="(/measure/population[^"]+file2=towns%2Ftown.csv)"', folder)[1]
    form = html.unescape(site.text(address))
    assert "Look people up in <bdi>town.csv</bdi>" in form
    assert '<option value="">one person</option>' in form
    answered = words(site.text(f"{address}&look=up&count2="))
    table, town = str(site.folder / "people.parquet"), str(site.folder / "towns" / "town.csv")
    expected = idbits.report(
        table, ["birthdate:year", "gender"], rows_are_people=True, population=town, missing="unbounded"
    )
    assert expected.verdict.title in answered
    assert expected.verdict_data["sentence"] in answered
    wrong = site.text(f"{address}&look=up&count2=nothing", 400)
    assert re.search('role="alert">[^<]*nothing', wrong)
    assert '<select id="count2"' in wrong


def test_a_second_table_gets_the_chosen_file(site: Site) -> None:
    page = html.unescape(site.text(f"/measure/second?{COUNTED}&dir2=towns"))
    address = re.search(r'href="(/link/columns[^"]+file2=towns[^"]+)"', page)[1]
    answer = site.get(address, follow_redirects=False)
    while answer.status_code == 303:
        address = answer.headers["location"]
        answer = site.get(address, follow_redirects=False)
    given = dict(parse_qsl(address.partition("?")[2]))
    assert given == {"in": "0", "file": "people.parquet", "in2": "0", "file2": "towns/town.csv"}


def test_events_over_time_are_those_of_the_command(site: Site, visits: Path) -> None:
    query = f"{VISITS}&person=patient&q=place"
    form = site.text(f"/measure/time?{query}")
    assert '<option value="visit_date">visit_date</option>' in form
    assert 'value="patient"' not in form.partition("<fieldset")[2]
    asked = f"{query}&when=visit_date&step=week&also=place"
    found = site.data(f"/measure/time.json?{asked}")
    expected = idbits.events(str(visits), "patient", "visit_date:week", ["place"], points="1..4")
    assert found == json.loads(expected.to_json())
    page = site.text(f"/measure/time?{asked}")
    assert '<option value="week" selected>' in page
    assert 'value="place" checked' in page
    assert f"{expected.period.n_pairs:,} pairs" in words(page)
    saved = site.get(f"/measure/time.html?{asked}")
    assert saved.headers["content-disposition"] == 'attachment; filename="over-time.html"'
    wrong = site.text(f"/measure/time?{query}&when=sex", 422)
    assert 'role="alert"' in wrong
    assert '<select id="when"' in wrong


def test_over_time_without_a_person_offers_the_column(site: Site) -> None:
    page = html.unescape(site.text(f"/measure/time?{VISITS}&rows-are-people=yes&q=place"))
    address = re.search(r'href="([^"]+)">Use this column<span class="unseen"> patient<', page)[1]
    assert address == f"/measure/time?{VISITS}&person=patient&q=place"


def test_people_with_several_rows_are_no_dead_end(site: Site) -> None:
    query = f"{VISITS}&person=patient&q=place&q=sex"
    site.text(f"/measure/answer?{query}")
    treat = html.unescape(site.text(f"/measure/treat?{query}"))
    assert f'href="/measure/columns?{query}">Choose coarser columns' in treat
    for tab in ("learnt", "population"):
        assert f'href="/measure/time?{query}">Over time</a>' in html.unescape(site.text(f"/measure/{tab}?{query}"))


def test_work_can_be_left_and_found_again(site: Site) -> None:
    site.text(f"/measure/people?{VISITS}")
    assert "Waiting for you: Who is a person?" in site.text("/measure")
    query = f"{VISITS}&person=patient&q=place&q=sex"
    verdict = re.search(r'<h1 id="outcome">([^<]+)<', site.text(f"/measure/answer?{query}"))[1]
    page = site.text("/measure")
    assert verdict in page.partition('id="continue"')[2].partition("</section>")[0]
    assert f'href="/measure/answer?{html.escape(query)}">Open<span class="unseen"> events.csv' in page


class TestDecide:
    """Recording decisions."""

    def form(self, site: Site, query: str = COUNTED) -> dict[str, str]:
        page = site.text(f"/measure/decide?{query}")
        return {name: value for name, value in hidden(page).items() if name in ("query", "form")}

    def send(self, site: Site, **fields: str) -> object:
        return site.post("/measure/decide", **fields)

    def test_a_decision_is_recorded_once_with_the_report(self, site: Site) -> None:
        folder = site.app.state.decisions.path
        before = len(site.app.state.decisions.records())
        fields = self.form(site) | {"decision": "refuse", "by": "An <b>Officer</b>", "why": "Too many are unique."}
        first, again = (site.post("/measure/decide", **fields) for _ in range(2))
        assert first.status_code == again.status_code == 303
        assert first.headers["location"] == again.headers["location"]
        records = list_decisions(folder).records
        assert len(records) == before + 1
        record = records[-1]
        assert (record.decision, record.by, record.why) == ("refuse", "An <b>Officer</b>", "Too many are unique.")
        report = folder / record.report.file
        assert json.loads(report.read_text()) == site.data(f"/measure/report.json?{COUNTED}")
        assert str(record.data.state) == "same"
        assert verify_decisions(folder).problems == ()
        assert report.stat().st_mode & 0o077 == 0
        page = site.text(first.headers["location"])
        assert record.reference in page
        assert "An &lt;b&gt;Officer&lt;/b&gt;" in page

    def test_the_page_to_print_has_the_decision(self, site: Site) -> None:
        fields = self.form(site) | {"decision": "approve", "by": "Head", "why": "Accepted for research."}
        place = site.post("/measure/decide", **fields).headers["location"]
        printed = html.unescape(re.search(r'href="(/measure/signed[^"]+)"', site.text(place))[1])
        page = site.text(printed)
        assert "Accepted for research." in page
        assert "Approved" in page
        assert site.app.state.decisions.records()[0].reference in page
        everything = site.text("/decisions")
        assert "Accepted for research." in everything
        newest = site.data("/decisions.json")["records"][0]
        assert newest["why"] == "Accepted for research."

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"by": "A", "why": "B"}, "Choose what you decide."),
            ({"decision": "maybe", "by": "A", "why": "B"}, "Choose what you decide."),
            ({"decision": "refuse", "by": " ", "why": "B"}, "Write who decides."),
            ({"decision": "refuse", "by": "A", "why": ""}, "Write the reason of the decision."),
            ({"decision": "approve-with-treatment", "by": "A", "why": "B"}, "Write the treated file under Treat first"),
            ({"decision": "refuse", "by": "A", "why": "B", "form": "../x"}, "This form is incomplete"),
        ],
    )
    def test_what_is_missing_is_said_and_nothing_typed_is_lost(
        self, site: Site, fields: dict[str, str], sentence: str
    ) -> None:
        before = site.app.state.decisions.records()
        answer = site.post("/measure/decide", **(self.form(site) | fields))
        assert answer.status_code == 400
        assert sentence in answer.text
        if fields["by"].strip():
            assert f'name="by" maxlength="200" required autocomplete="name" value="{fields["by"]}"' in answer.text
        assert site.app.state.decisions.records() == before

    def test_a_treated_file_is_named_by_its_receipt(self, site: Site) -> None:
        treat = f"{COUNTED}&least=5&withhold=5"
        site.text(f"/measure/treat?{treat}")
        written = html.unescape(site.text(f"/measure/treated?{treat}&treatment=0"))
        address = re.search(r'href="/measure/decide\?([^"]+)">Go to Decide', written)[1]
        page = site.text(f"/measure/decide?{address}")
        assert checked(page, "decision") == "approve-with-treatment"
        fields = self.form(site, address) | {"decision": "approve-with-treatment", "by": "A", "why": "Goal reached."}
        assert site.post("/measure/decide", **fields).status_code == 303
        record = site.app.state.decisions.records()[0]
        assert record.receipt is not None
        kept = json.loads((site.app.state.decisions.path / record.receipt.file).read_text())
        given = site.get(f"/measure/treated.receipt.json?{treat}&treatment=0").json()
        assert kept == given
        assert kept["source"]["sha256"] == record.data.sha256

    def test_a_changed_table_gets_no_page_with_an_old_decision(self, site: Site, visits: Path) -> None:
        query = f"{VISITS}&person=patient&q=place&q=sex"
        fields = self.form(site, query) | {"decision": "refuse", "by": "A", "why": "B"}
        place = site.post("/measure/decide", **fields).headers["location"]
        number = place.rpartition("=")[2]
        assert "B" in site.text(f"/measure/signed?{query}&record={number}")
        visits.write_text(visits.read_text() + "p99,2005-01-09,shop 1,F\n")
        page = site.text(f"/measure/signed?{query}&record={number}", 422)
        assert "The table has changed since the decision" in page
        assert "There is no decision with this number." in site.text(f"/measure/decided?{query}&record=999", 400)
