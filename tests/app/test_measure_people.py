"""The page Measure for people with several rows and for households: no dead end, no option of a command."""

import html
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest
from starlette.testclient import TestClient

import idbits
from idbits.repository.service import Repository
from idbits.studies.shared.persons import PersonOptions
from idbits.web.app import create_app
from idbits.web.questions.examples import ExampleBank
from idbits.web.settings import WebSettings
from idbits.web.table_request import TableRequest

from .conftest import Site

TABLE = "in=0&file=visits.csv"
# Persons with one to three rows in homes of three, and two rows whose person is missing.
UNNAMED = (7, 13)
ROWS = [
    ("" if n in UNNAMED else f"p{n}", f"home {n // 3}", str(20 + (n * 7 + visit * 3) % 11), "FM"[n % 2])
    for n in range(30)
    for visit in range(1 if n in UNNAMED else 1 + n % 3)
]


@pytest.fixture(autouse=True)
def visits(people: Path) -> Iterator[Path]:
    path = people / "visits.csv"
    path.write_text("patient,home,age,sex\n" + "\n".join(map(",".join, ROWS)) + "\n")
    yield path
    path.unlink()


def unique_people(columns: list[int]) -> dict[str, int]:
    """Count the unique people by hand, with one record and with all, without rows that have no person."""
    values = defaultdict(set)
    for row in ROWS:
        if row[0]:
            values[row[0]].add(tuple(row[index] for index in columns))
    having = Counter(value for own in values.values() for value in own)
    whole = Counter(map(frozenset, values.values()))
    return {
        "one-record": sum(min(having[value] for value in own) == 1 for own in values.values()),
        "all-records": sum(whole[frozenset(own)] == 1 for own in values.values()),
    }


def test_a_person_with_several_rows_is_no_dead_end(site: Site) -> None:
    page = html.unescape(site.text(f"/measure/report?{TABLE}&person=patient&null-person=drop&q=age&q=sex"))
    unique = unique_people([2, 3])
    assert 0 < unique["one-record"] < unique["all-records"]
    for known, attacker in (("the most telling record", "one-record"), ("all records", "all-records")):
        row = re.search(rf"<bdi>{known}</bdi></th><td [^>]*><bdi>[^<]*</bdi></td><td [^>]*><bdi>(\d+)</bdi>", page)
        assert row is not None
        assert int(row[1]) == unique[attacker]
    assert "How many people can be found depends on what an attacker knows of them." in page
    assert "28 people with" in page


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("person=patient&null-person=drop", {"person": "patient", "null_person": "drop"}),
        ("person=patient&null-person=own&knows=any-record",
         {"person": "patient", "null_person": "own", "knows": "any-record"}),
        ("person=patient&null-person=drop&knows=all-records&household=home",
         {"person": "patient", "null_person": "drop", "knows": "all-records", "household": "home"}),
        ("household=home", {"household": "home"}),
        ("rows-are-people=yes", {"rows_are_people": True}),
        # Without a person, nothing else can be known of their rows.
        ("knows=all-records&null-person=own", {}),
    ],
)  # fmt: skip
def test_the_report_is_that_of_the_command(site: Site, visits: Path, query: str, options: dict[str, object]) -> None:
    found = site.data(f"/measure/report.json?{TABLE}&{query}&q=age&q=sex")
    assert found == json.loads(idbits.report(str(visits), ["age", "sex"], **options).to_json())  # type: ignore[arg-type]


def checked(page: str) -> list[str]:
    return re.findall(r'type="radio"[^>]*value="([^"]+)" checked', page)


def who(page: str) -> tuple[str, str, list[str]]:
    """Return who is a person in the form: the kind, the column, and what an attacker knows."""
    kind, *knows = checked(page)
    return kind, chosen(page, "whose"), knows


def chosen(page: str, field: str) -> str:
    """Return the value or text of the option that is selected in a field; the first without one."""
    options = re.search(rf'<select id="{field}".*?</select>', page, re.DOTALL)[0]
    selected = re.findall(r"<option([^>]*) selected>([^<]*)</option>", options)
    if not selected:
        return ""
    value = re.search(r'value="([^"]*)"', selected[0][0])
    return value[1] if value else selected[0][1]


def test_the_form_asks_in_plain_words(site: Site) -> None:
    page = site.text(f"/measure/people?{TABLE}")
    text = html.unescape(re.sub(r"<[^>]*>", " ", page))
    for words in ("Which column identifies a person?", "I do not know", "Each row is one person",
                  "Most risks would be hidden",
                  "Which column says who lives together?", "The most telling record", "A record at random",
                  "All records", "Rows without a person", "leave them out", "count each as one person"):  # fmt: skip
        assert words in text
    assert not re.findall(r"(?<![\w-])--[a-z]+|one-record|multiset|null", text)
    assert (checked(page), chosen(page, "null-person")) == (["column", "one-record"], "error")
    assert '<option value="patient"' in page
    # And so does the form with the columns.
    columns = html.unescape(re.sub(r"<[^>]*>", " ", site.text(f"/measure/columns?{TABLE}")))
    assert not re.findall(r"(?<![\w-])--[a-z]+|one-record|multiset|S3 IV", columns)


def test_links_to_the_earlier_form_still_work(site: Site) -> None:
    query = f"{TABLE}&count=&person=patient&by=sex&where=&q=age"
    page = site.text(f"/measure/columns?{query}")
    assert '<input type="hidden" name="person" value="patient">' in page
    assert chosen(page, "by") == "sex"
    assert who(site.text(f"/measure/people?{query}"))[:2] == ("column", "patient")
    answer = site.get(f"/measure/report?{query}", follow_redirects=False)
    assert answer.headers["location"] == f"/measure/report?{TABLE}&person=patient&by=sex&q=age"


SENT = "&pick=0|patient&view=&pick=2|age&view=&household=&count=&by=&where="


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ("&who=&knows=one-record&null-person=error", "&q=patient&q=age"),
        ("&who=rows&knows=one-record&null-person=error", "&rows-are-people=yes&q=patient&q=age"),
        # Nobody knows the number by which the table distinguishes people.
        ("&who=column|patient&knows=one-record&null-person=error", "&person=patient&q=age"),
        ("&who=column|patient&knows=all-records&null-person=drop",
         "&person=patient&knows=all-records&null-person=drop&q=age"),
    ],
)  # fmt: skip
def test_the_form_leads_to_a_short_address(site: Site, fields: str, options: str) -> None:
    answer = site.get(f"/measure/report?{TABLE}{SENT}{fields}", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/measure/report?{TABLE}{options}"
    # The address leads to the same request, and the form to the same address.
    query = answer.headers["location"].partition("?")[2]
    assert TableRequest.read(parse_qsl(query)).query() == query


@pytest.mark.parametrize(
    ("query", "status", "sentence"),
    [
        ("person=patient", 422,
         'Column "patient" is empty in 2 rows; leave them out with “Rows without a person: leave them out”, or count '
         "each as a person with “Rows without a person: count each as one person”."),
        ("person=patient&null-person=drop&household=age", 422,
         '18 people have rows in several households ("age"); each person needs one household.'),
        ("person=patient&null-person=own&knows=any-record&household=home", 400,
         "“Which column says who lives together?” cannot be combined with “A record at random”; choose “The most "
         "telling record” or “All records”."),
        ("household=home&by=sex", 400,
         "“Which column says who lives together?” cannot be combined with “Also within each category of”."),
        ("person=patient&null-person=drop&reveal=yes", 422,
         "“Show values that few people have” needs one row per person, and people in this table have several; leave it "
         "out."),
        ("person=patient&count=age", 400,
         "“Which column identifies a person?” and “Which column says who lives together?” (rows of people) cannot be "
         "combined with “Number of people per row” (many people per row)."),
        ("person=nobody", 400, 'visits.csv: no column named "nobody"; the columns are patient, home, age, sex.'),
        ("person=patient&null-person=own&knows=everything", 400,
         "“What may an attacker know of a person’s records?” must be one-record, any-record or all-records."),
    ],
)  # fmt: skip
def test_errors_lead_back_to_the_form_as_it_was_filled_in(site: Site, query: str, status: int, sentence: str) -> None:
    asked = TableRequest.read(parse_qsl(f"{TABLE}&{query}&q=age"))
    page = html.unescape(site.text(f"/measure/report?{asked.query()}", status))
    assert re.search(r'role="alert">([^<]*)<', page)[1] == sentence
    assert f'href="/measure/columns?{asked.query()}"' in page
    if asked.option("count"):
        return
    assert f'href="/measure/people?{asked.query()}"' in page
    form = html.unescape(site.text(f"/measure/people?{asked.query()}"))
    if asked.option("person"):
        assert who(form)[:2] == ("column", asked.option("person"))
    assert chosen(form, "household") == (asked.option("household") or "")
    assert chosen(form, "null-person") == (asked.option("null-person") or "error")
    assert '<input type="hidden" name="q" value="age">' in form
    form = html.unescape(site.text(f"/measure/columns?{asked.query()}"))
    for name in ("person", "household", "null-person"):
        if asked.option(name):
            assert f'<input type="hidden" name="{name}" value="{asked.option(name)}">' in form
    assert re.findall(r'name="pick" value="([^"]+)" checked', form) == ["2|age"]


def test_nothing_ticked_keeps_what_was_chosen(site: Site) -> None:
    sent = "&who=column|patient&knows=all-records&null-person=drop&household=home&view="
    page = site.text(f"/measure/report?{TABLE}{sent}", 400)
    assert "Tick at least one column" in page
    options = {"person": "patient", "knows": "all-records", "household": "home", "null-person": "drop"}
    for name, value in options.items():
        assert f'<input type="hidden" name="{name}" value="{value}">' in page
    back = html.unescape(re.search(r'href="(/measure/people[^"]+)">Back', page)[1])
    form = site.text(back)
    assert who(form) == ("column", "patient", ["all-records"])
    assert (chosen(form, "household"), chosen(form, "null-person")) == ("home", "drop")


def test_a_table_that_cannot_be_read_keeps_what_was_chosen(site: Site) -> None:
    query = f"{TABLE}&person=patient&knows=all-records&household=home&null-person=drop&by=sex&where=age+%3D&q=age"
    page = site.text(f"/measure/columns?{query}", 400)
    for name, value in parse_qsl(query):
        assert f'name="{name}"' in page
        assert f'value="{html.escape(value)}"' in page


def test_identifiers_that_occur_in_several_rows_are_pointed_out(site: Site, people: Path) -> None:
    path = people / "mail.csv"
    path.write_text("email,age\n" + "".join(f"a{row if row < 38 else 1}@example.org,{row % 7}\n" for row in range(40)))
    try:
        page = html.unescape(site.text("/measure/people?in=0&file=mail.csv"))
        assert "occur in several rows: email (38 values in 40 rows)." in page
        # A missing value does not make the others repeat.
        path.write_text("email,age\n" + "".join(f"{f'a{row}@example.org' if row else ''},3\n" for row in range(40)))
        assert "occur in several rows" not in site.text("/measure/people?in=0&file=mail.csv")
    finally:
        path.unlink()


def test_what_was_configured_is_the_default_and_can_be_changed(
    bank: object, people: Path, visits: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "idbits.toml"
    policy.write_text(
        f'rules = ["k_min >= 1"]\n[[dataset]]\nname = "visits"\nsource = "{visits}"\nqid = ["age"]\n'
        'person = "patient"\nknows = "all-records"\nmultiset = true\nnull_person = "drop"\n'
    )
    settings = WebSettings(policy=policy)
    repository = Repository.open(str(tmp_path / "r.sqlite"))
    app = create_app(settings, repository, ExampleBank(bank=bank))  # type: ignore[arg-type]
    browser = TestClient(app, base_url=settings.address)
    browser.get(f"/open?code={app.state.sessions.new_code()}")
    own = Site(app, browser, people)
    form = own.text("/measure/people?set=visits")
    assert who(form) == ("column", "patient", ["all-records"])
    measured = own.data("/measure/report.json?set=visits&q=age")["measurement"]
    assert (measured["knows"], measured["multiset"], measured["null_person"]) == ("all-records", True, "drop")
    sent = urlencode({"set": "visits", "who": "column|patient", "knows": "one-record", "null-person": "own"})
    answer = browser.get(f"/measure/report?{sent}&pick=2|age", follow_redirects=False)
    measured = own.data(answer.headers["location"].replace("report?", "report.json?"))["measurement"]
    assert (measured["knows"], measured["multiset"], measured["null_person"]) == ("one-record", False, "own")
    app.state.work_queue.close()
    repository.close()


def test_a_request_knows_who_a_person_is() -> None:
    asked = TableRequest(options=(("knows", "all-records"), ("null-person", "own"), ("rows-are-people", "yes")))
    assert asked.persons(PersonOptions()) == PersonOptions(rows_are_people=True)
    own = PersonOptions(column="id", household="home")
    # Rows are not people where a column that identifies them was set up.
    assert asked.persons(own) == PersonOptions(column="id", household="home", knows="all-records", null_person="own")
