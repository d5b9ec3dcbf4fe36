"""The page Measure: the same figures and the same sentences as the commands, and no value of a table."""

import html
import json
import os
import re
import signal
import sqlite3
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.parquet
import pytest

import idbits
from idbits.errors import IdbitsError, InputError
from idbits.examples.registry import registry, write_registry
from idbits.render.pdf import is_pdf_possible
from idbits.repository.service import Repository
from idbits.signing import SigningKey
from idbits.studies.check.policy import Dataset
from idbits.web.app import create_app
from idbits.web.files import OfferedFolders
from idbits.web.pages.pdf_file import offers_pdf
from idbits.web.questions.examples import ExampleBank
from idbits.web.settings import WebSettings
from idbits.web.table_request import OfferedTable, TableRequest, choose_table, labelled_views
from idbits.web.ways_back import ways_back
from idbits.web.wording import as_sentence
from idbits.web.work.queue import Work

from .conftest import PEOPLE, Site

TABLE = "in=0&file=people.parquet"
LINKED = f"{TABLE}&in2=0&file2=towns%2Ftown.csv"
QID = "&q=birthdate:year&q=zip:prefix2&q=gender"


def measured(site: Site, query: str, status: int = 200) -> str:
    return site.text(f"/measure/report?{query}", status)


def test_folders_and_files_are_listed(site: Site) -> None:
    page = site.text("/measure")
    assert "people.parquet" in page
    assert "towns" in page
    assert ".hidden" not in page
    assert "notes.md" not in page
    assert "Nothing is uploaded" in page
    assert "town.csv" in site.text("/measure?in=0&dir=towns")
    data = site.data("/measure.json")
    assert [entry["name"] for entry in data["entries"]] == ["towns", "people.parquet"]
    assert data["others"] == 1


def test_columns_are_those_of_inspect(site: Site) -> None:
    found = site.data(f"/measure/columns.json?{TABLE}")
    expected = json.loads(idbits.inspect(site.folder / "people.parquet").to_json())
    assert {key: found[key] for key in expected} == expected
    page = site.text(f"/measure/columns?{TABLE}")
    assert f"{PEOPLE:,} rows, 3 columns" in page
    assert re.findall(r'name="pick" value="([^"]+)" checked', page) == ["0|birthdate", "1|zip", "2|gender"]


def test_a_column_offers_the_rungs_of_its_ladder(site: Site) -> None:
    page = site.text(f"/measure/columns?{TABLE}")
    offered = re.findall(r'<option value="(\d\|[^"]+)">([^<]*)</option>', page)
    assert [label for value, label in offered if value.startswith("0|")] == [
        "month and year", "quarter", "year only", "years in steps of 5", "years in steps of 10",
    ]  # fmt: skip
    assert [value for value, _ in offered if value.startswith("1|")] == ["1|prefix3", "1|prefix2", "1|prefix1"]
    assert not [value for value, _ in offered if value.startswith("2|")]


def test_fractions_are_offered_in_usual_steps() -> None:
    weights = idbits.inspect(pa.table({"weight": [50 + n / 7 for n in range(100)]})).columns[0]
    shown = [view for view, _ in labelled_views(weights.views)]
    assert shown == ["round0.1", "round1", "round10", "round100", "round1000"]


def test_the_form_leads_to_an_address_of_its_own(site: Site) -> None:
    sent = "&pick=0|birthdate&view=0|year&pick=1|zip&view=1|prefix2&view=&pick=2|gender&count=&where="
    answer = site.get(f"/measure/report?{TABLE}{sent}", follow_redirects=False)
    assert answer.status_code == 303
    asked = TableRequest.read(
        [
            ("in", "0"),
            ("file", "people.parquet"),
            *(("q", name) for name in ("birthdate:year", "zip:prefix2", "gender")),
        ]
    )
    assert answer.headers["location"] == f"/measure/report?{asked.query()}"


def test_the_report_is_that_of_the_command(site: Site) -> None:
    page = measured(site, TABLE + QID)
    expected = idbits.report(str(site.folder / "people.parquet"), ["birthdate:year", "zip:prefix2", "gender"])
    assert html.escape(expected.verdict.title) in page
    assert site.data(f"/measure/report.json?{TABLE}{QID}") == json.loads(expected.to_json())
    saved = site.get(f"/measure/report.html?{TABLE}{QID}")
    assert saved.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert saved.text == expected.to_html()


def test_the_pdf_is_that_of_the_command(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_pdf_possible():
        pytest.skip("WeasyPrint or Pango is not installed (tests/packages.sh)")
    page = measured(site, TABLE + QID)
    address = re.search(r'href="(/measure/report\.pdf\?[^"]*)"', page)
    assert address is not None
    saved = site.get(html.unescape(address[1]))
    assert saved.headers["content-type"] == "application/pdf"
    assert saved.headers["content-disposition"] == 'attachment; filename="report.pdf"'
    expected = idbits.report(str(site.folder / "people.parquet"), ["birthdate:year", "zip:prefix2", "gender"])
    assert saved.content == expected.to_pdf()
    # Without the extra there is no link, and the address says what is missing.
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    offers_pdf.cache_clear()
    assert "/measure/report.pdf" not in site.text(f"/measure/report?{TABLE}{QID}")
    refused = site.get(f"/measure/report.pdf?{TABLE}{QID}")
    offers_pdf.cache_clear()
    assert refused.status_code == 400
    assert "PDF support is not installed" in refused.text


def test_what_must_not_be_learnt(site: Site) -> None:
    assert 'for="sensitive">What must not be learnt' in site.text(f"/measure/columns?{TABLE}")
    page = measured(site, f"{TABLE}&q=zip:prefix1&sensitive=gender")
    assert "What groups give away" in page
    found = site.data(f"/measure/report.json?{TABLE}&q=zip:prefix1&sensitive=gender")
    assert [column["column"] for column in found["disclosure"]["sensitive"]] == ["gender"]
    refused = site.data(f"/measure/report.json?{TABLE}&q=gender&sensitive=gender", 400)
    assert refused == {"error": '"gender" cannot be both known and secret'}


def test_no_value_is_shown_unless_that_is_asked_for(site: Site) -> None:
    values = set(registry(PEOPLE).column("birthdate").to_pylist()[:200])
    birthdates = {value.isoformat() for value in values}
    plain = measured(site, f"{TABLE}&q=birthdate&q=gender")
    assert not any(value in plain for value in birthdates)
    assert "INTERNAL" not in plain
    revealed = measured(site, f"{TABLE}&q=birthdate&q=gender&reveal=yes")
    assert "INTERNAL" in revealed
    assert "Hide values that few people have" in revealed


@pytest.mark.parametrize(
    ("query", "qid"),
    [("&q=birthdte", ["birthdte"]), ("&q=gender:year", ["gender:year"]), ("&q=zip:foo", ["zip:foo"])],
)
def test_errors_are_those_of_the_commands_and_lead_back_to_the_form(site: Site, query: str, qid: list[str]) -> None:
    with pytest.raises(IdbitsError) as raised:
        idbits.report(site.folder / "people.parquet", qid)
    status = 400 if raised.value.exit_code == 2 else 422
    assert site.data(f"/measure/report.json?{TABLE}{query}", status) == {"error": str(raised.value)}
    page = html.unescape(measured(site, TABLE + query, status))
    assert as_sentence(str(raised.value)) in page
    # A way back to the form, with the columns that were ticked.
    assert f'href="/measure/columns?{TABLE}&{urlencode({"q": qid[0]})}"' in page


def test_other_bad_input(site: Site) -> None:
    assert "tick at least one column" in site.data(f"/measure/report.json?{TABLE}", 400)["error"]
    assert "This source is not among" in site.text("/measure/columns?set=nothing", 400)
    assert "at most 1,000 characters" in site.text(f"/measure/columns?in=0&file={'x' * 2000}", 400)
    assert site.data(f"/measure/report.json?{TABLE}&where=drop+table&q=zip", 400)["error"]


def test_nothing_ticked_shows_the_form_as_it_was_filled_in(site: Site) -> None:
    sent = "&view=0|year&view=&count=&person=&by=gender&where=zip+like+'1%25'&dates=dmy&reveal=yes"
    page = html.unescape(site.text(f"/measure/report?{TABLE}{sent}", 400))
    assert re.search('role="alert">[^<]*at least one column', page)
    assert '<form action="/measure/answer" method="get" data-columns>' in page
    assert 'value="0|year" selected' in page
    assert """name="where" maxlength="1000" value="zip like '1%'\"""" in page
    assert 'value="dmy" selected' in page
    assert "<option selected>gender</option>" in page
    assert 'name="reveal" value="yes" checked' in page
    assert re.findall(r'name="pick" value="([^"]+)" checked', page) == []


def test_a_report_that_fails_leads_back_to_what_was_typed(site: Site) -> None:
    query = f"{TABLE}&where=gender+%3D&q=gender&q=zip%3Aprefix2"
    failed = html.unescape(site.text(f"/measure/report?{query}", 400))
    assert f'href="/measure/columns?{query}"' in failed
    form = site.text(f"/measure/columns?{query}", 400)
    assert 'name="where" maxlength="1000" value="gender ="' in form
    assert 'name="q" value="zip:prefix2"' in form


@pytest.mark.parametrize("page", ["columns", "report"])
def test_settings_that_a_source_does_not_allow_can_be_changed(
    bank: object, people: Path, tmp_path: Path, page: str
) -> None:
    from starlette.testclient import TestClient

    policy = tmp_path / "idbits.toml"
    source = people / "towns" / "town.csv"
    policy.write_text(
        f'rules = ["k_min >= 1"]\n[[dataset]]\nname = "town"\nsource = "{source}"\nqid = ["gender"]\ndelimiter = ","\n'
    )
    settings = WebSettings(policy=policy)
    repository = Repository.open(str(tmp_path / "r.sqlite"))
    app = create_app(settings, repository, ExampleBank(bank=bank))  # type: ignore[arg-type]
    browser = TestClient(app, base_url=settings.address)
    browser.get(f"/open?code={app.state.sessions.new_code()}")
    query = "set=town&delimiter=%3B&q=gender"
    answer = browser.get(f"/measure/{page}?{query}")
    assert answer.status_code == 400
    assert 'href="/measure"' in answer.text
    form = answer.text if page == "columns" else browser.get(f"/measure/columns?{query}").text
    assert f"/measure/columns?{html.escape(query)}" in answer.text or page == "columns"
    assert 'name="delimiter" maxlength="2" value=";"' in form
    assert 'name="q" value="gender"' in form
    app.state.work_queue.close()
    repository.close()


def test_a_busy_server_leads_back_to_the_form() -> None:
    ways = ways_back("/measure/report", "in=0&file=a.csv&q=zip&where=x+%3D+1", 429)
    assert [address for _, address in ways] == [
        "/measure/report?in=0&file=a.csv&q=zip&where=x+%3D+1",
        "/measure/columns?in=0&file=a.csv&where=x+%3D+1&q=zip",
        "/measure",
    ]
    # A request that cannot be read leads to the tables.
    assert ways_back("/measure/report", f"in=0&file={'x' * 2000}") == [("Choose another table", "/measure")]


def test_no_page_shows_an_option_of_a_command(site: Site) -> None:
    ref = site.app.state.repository.entries().entries[0].ref
    pages = [
        site.text("/"),
        site.text("/repository"),
        site.text(f"/repository/entries/{ref}"),
        site.text("/measure"),
        site.text(f"/measure/columns?{TABLE}"),
        # The command that makes the report again is the point of its last lines.
        measured(site, TABLE + QID).partition(">Command<")[0],
        measured(site, f"{TABLE}&q=birthdte", 400),
        site.text(f"/measure/columns?{TABLE}&where=gender+%3D", 400),
        measured(site, f"{TABLE}&q=zip&person=gender").partition(">Command<")[0],
        site.text("/overlap"),
        site.text(f"/overlap/columns?kind=zones&{TABLE}"),
        site.text(f"/overlap/report?kind=zones&{TABLE}&zones=zip&zones=gender").partition(">Command<")[0],
        site.text(f"/overlap/report?kind=zones&{TABLE}&zones=zip&zones=gender&below=1", 400),
        site.text("/link"),
        site.text(f"/link?{TABLE}"),
        site.text(f"/link/columns?{LINKED}"),
        site.text(f"/link/report?{LINKED}&on=zip&on=gender").partition(">Command<")[0],
        site.text(f"/link/report?{LINKED}&on=zp", 400),
        site.text(f"/link/report?{LINKED}&on=zip&known=everyone", 422),
        site.text(f"/link/report?{LINKED}&on=zip&truth=gender&truth2=gender", 422),
        site.text(f"/link/report?{LINKED}&on=zip&on=gender&compare=odds", 422),
        site.text("/attack"),
        site.text(f"/attack?{LINKED}"),
        site.text(f"/attack/columns?{LINKED}"),
        site.text(f"/attack/report?{LINKED}&attacks=50").partition(">Command<")[0],
        site.text(f"/attack/report?{LINKED}&attacks=5000", 400),
        site.text(f"/attack/report?{LINKED}&attack=inference&infer=no", 400),
    ]
    for page in pages:
        text = html.unescape(re.sub(r"<[^>]*>", " ", page))
        assert not re.findall(r"(?<![\w-])--[a-z]+", text)
        assert not re.findall("[α-ωΑ-Ω]|kappa", text)
        assert not re.findall(r"\bS[0-4] [IV0-9]", text)


def test_names_that_may_be_data_are_not_shown(site: Site) -> None:
    path = site.folder / "headless.csv"
    path.write_text("".join(f"1985-05-{day:02},10{day:02},{'MF'[day % 2]}\n" for day in range(1, 29)))
    try:
        page = site.text("/measure/columns?in=0&file=headless.csv")
        assert "1985-05-01" not in page
        assert "may be a person instead of column names" in page
        shown = site.text("/measure/columns?in=0&file=headless.csv&header=no")
        assert "may be a person" not in shown
        assert "28 rows" in shown
        assert "1985-05-01" in site.text("/measure/columns?in=0&file=headless.csv&names=shown")
    finally:
        path.unlink()


def test_a_hostile_table_changes_nothing_but_text(site: Site) -> None:
    names = [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(2)>',
        "עמודה",
        "a,b",
        "a:b",
        "c|d",
        *(f"<b>{n}</b>" for n in range(54)),
    ]
    import pyarrow as pa
    from pyarrow import parquet

    rows = 40
    table = pa.table({name: [f"<i>{row % (place + 2)}</i>" for row in range(rows)] for place, name in enumerate(names)})
    path = site.folder / "<b>hostile.parquet"
    parquet.write_table(table, path)
    try:
        columns = site.text("/measure/columns?in=0&file=%3Cb%3Ehostile.parquet")
        picks = [html.unescape(value) for value in re.findall(r'name="pick" value="([^"]*)"', columns)]
        # The page groups columns by their roles.
        in_order = sorted(picks, key=lambda value: int(value.partition("|")[0]))
        assert in_order == [f"{place}|{name}" for place, name in enumerate(names)]
        asked = TableRequest(root="0", file="<b>hostile.parquet", qid=tuple(names[:6]))
        report = measured(site, asked.query())
        for page in (columns, report, site.text("/measure")):
            assert "<script>alert" not in page
            assert "<img src=x" not in page
            assert "<b>" not in page
            assert "<i>" not in page
    finally:
        path.unlink()


def hold_still(work: Work) -> None:
    """Stop the process of a work, so that it cannot be done before somebody presses Stop, however fast it is."""
    for _ in range(200):
        if work.process is not None:
            break
        time.sleep(0.05)
    assert work.process is not None
    os.kill(work.process.pid, signal.SIGSTOP)
    assert not work.done.is_set()


def test_long_work_shows_progress_and_can_be_stopped(site: Site) -> None:
    path = site.folder / "large.csv"
    write_registry(path, 150_000)
    try:
        address = "/measure/report.json?in=0&file=large.csv&q=birthdate&q=zip&q=gender"
        first = site.get(address)
        assert first.status_code == 202
        assert set(first.json()) == {"working", "part", "work"}
        ident = first.json()["work"]
        works = [work for work in site.app.state.work_queue._works.values() if work.ident == ident]
        assert len(works) == 1
        hold_still(works[0])
        page = site.get("/measure/report?in=0&file=large.csv&q=birthdate&q=zip&q=gender").text
        assert "<progress" in page
        assert f'value="{ident}"' in page
        with ThreadPoolExecutor(1) as pool:
            # A poll that waits for the work while Stop is pressed does not load the page again.
            waiting = pool.submit(site.get, address.replace(".json", ""), headers={"hx-request": "true"})
            time.sleep(0.3)
            answer = site.post("/measure/cancel", work=ident, back="in=0&dir=")
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/measure")
            assert (waiting.result(10).status_code, waiting.result().headers.get("hx-refresh")) == (286, None)
        assert works[0].done.wait(10)
        assert works[0].process is None or works[0].process.poll() is not None
        assert works[0].result is None
        assert works[0].error == "stopped"
        # A poll that was on its way does not begin the work anew; loading the page does.
        running = list(site.app.state.work_queue._works)
        polled = site.get(address.replace(".json", ""), headers={"hx-request": "true"})
        assert (polled.status_code, polled.text) == (286, "")
        assert list(site.app.state.work_queue._works) == running
        again = site.get(address)
        assert again.status_code == 202
        assert site.get(address.replace(".json", ""), headers={"hx-request": "true"}).status_code == 200
        site.post("/measure/cancel", work=again.json()["work"])
        # Nothing else is ended by a word that is no work.
        assert site.post("/measure/cancel", work="nothing").status_code == 303
    finally:
        path.unlink()


def test_a_changed_file_is_measured_anew(site: Site) -> None:
    path = site.folder / "small.csv"
    try:
        path.write_text("age\n1\n2\n3\n")
        assert site.data("/measure/report.json?in=0&file=small.csv&q=age")["measurement"]["n_rows"] == 3
        time.sleep(0.01)
        path.write_text("age\n1\n2\n3\n4\n")
        assert site.data("/measure/report.json?in=0&file=small.csv&q=age")["measurement"]["n_rows"] == 4
    finally:
        path.unlink()


@pytest.mark.parametrize("source", ["", "*.parquet"])
def test_a_changed_file_of_a_folder_is_measured_anew(tmp_path: Path, source: str) -> None:
    def chosen() -> OfferedTable:
        dataset = Dataset("ages", str(tmp_path / source) if source else str(tmp_path), ("age",), ())
        return choose_table(TableRequest(dataset="ages"), OfferedFolders([]), [dataset], None)

    path = tmp_path / "ages.parquet"
    path.write_bytes(b"a")
    before = chosen()
    path.write_bytes(b"ab")
    after = chosen()
    assert before.key({}) != after.key({})
    assert (before.bytes, after.bytes) == (1, 2)


def test_again_makes_it_anew(site: Site) -> None:
    query = f"{TABLE}&q=gender"
    measured(site, query)
    before = [work for work in site.app.state.work_queue._works.values() if work.task.get("qid") == ["gender"]]
    assert site.post("/measure/again", query=query).headers["location"] == f"/measure/report?{query}"
    measured(site, query)
    after = [work for work in site.app.state.work_queue._works.values() if work.task.get("qid") == ["gender"]]
    assert [work.ident for work in before] != [work.ident for work in after]


def test_what_failed_can_be_tried_again(site: Site, people: Path) -> None:
    path = people / "late.csv"
    path.write_text("")
    query = "in=0&file=late.csv"
    try:
        page = site.text(f"/measure/columns?{query}", 422)
        assert '<button class="plain">Try again</button>' in page
        assert '<input type="hidden" name="page" value="columns">' in page
        before = set(site.app.state.work_queue._works)
        assert (
            site.post("/measure/again", query=query, page="columns").headers["location"] == f"/measure/columns?{query}"
        )
        assert len(before - set(site.app.state.work_queue._works)) == 1
    finally:
        path.unlink()


def test_a_stopped_report_goes_on_from_the_columns_that_were_ticked(site: Site) -> None:
    query = f"{TABLE}&q=zip%3Aprefix2"
    assert site.post("/measure/cancel", work="nothing", query="in=0&file=gone.csv").headers["location"] == "/measure"
    site.app.state.work_queue.close()
    assert site.post("/measure/cancel", work="nothing", query=query).headers["location"] == "/measure"
    site.text(f"/measure/columns?{TABLE}")
    stopped = site.post("/measure/cancel", work="nothing", query=f"{query}&reveal=yes").headers["location"]
    assert stopped == f"/measure/columns?{query}"


def test_how_a_table_is_read_can_be_said_where_reading_failed(site: Site, people: Path) -> None:
    path = people / "several.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table one (zip text)")
        database.execute("create table two (town text, sex text)")
        database.executemany("insert into two values (?, ?)", [("a", "F"), ("b", "M")])
        database.commit()
    try:
        failed = site.text("/measure/columns?in=0&file=several.sqlite&q=sex&by=town", 400)
        assert "&#34;one&#34;, &#34;two&#34;" in failed
        # The field of the form, not the option of the command.
        assert "“Table in a database or archive”" in failed
        assert "--table" not in failed
        assert '<form action="/measure/columns" method="get"' in failed
        for field in ('name="table" maxlength="200" value=""', 'name="q" value="sex"', 'name="by" value="town"'):
            assert field in failed
        sent = "in=0&file=several.sqlite&q=sex&by=town&where=&dates=&sheet=&table=two&delimiter=&encoding="
        answer = site.get(f"/measure/columns?{sent}", follow_redirects=False)
        assert answer.headers["location"] == "/measure/columns?in=0&file=several.sqlite&by=town&table=two&q=sex"
        page = site.text(answer.headers["location"])
        assert "2 rows, 2 columns" in page
        assert re.findall(r'name="pick" value="([^"]+)" checked', page) == ["1|sex"]
    finally:
        path.unlink()


def test_a_filter_that_fails_is_there_to_be_mended(site: Site) -> None:
    failed = site.text(f"/measure/columns?{TABLE}&where=gender+%3D&q=gender", 400)
    assert 'name="where" maxlength="1000" value="gender ="' in failed
    assert 'name="q" value="gender"' in failed


def test_the_report_reads_the_table_as_the_columns_were_read(site: Site, people: Path) -> None:
    path = people / "odd.csv"
    path.write_text("a~b\n" + "1~2\n" * 12)
    try:
        page = site.text("/measure/columns?in=0&file=odd.csv&delimiter=~&encoding=utf-8")
        assert "12 rows, 2 columns" in page
        assert 'name="delimiter" maxlength="2" value="~"' in page
        assert 'name="encoding" maxlength="40" value="utf-8"' in page
        assert "12 rows, 1 column," in site.text("/measure/columns?in=0&file=odd.csv&delimiter=%3B")
        assert "24 people, 1 column," in site.text("/measure/columns?in=0&file=odd.csv&count=b&delimiter=~")
    finally:
        path.unlink()


def women(people: Path, **reading: object) -> Dataset:
    source = str(people / "people.parquet")
    return Dataset("women", source, ("gender",), (), reading={"where": "gender = 'F' or gender = 'x'", **reading})


def people_found(dataset: Dataset, **options: str) -> int:
    """Return how many people a request for a configured source finds."""
    asked = TableRequest(dataset="women", options=tuple(options.items()))
    table = choose_table(asked, OfferedFolders([]), [dataset], None)
    return idbits.measure(table.source, "gender", **table.reading).n_rows


def test_a_filter_looks_at_some_rows_of_a_configured_source(people: Path) -> None:
    table = pyarrow.parquet.read_table(people / "people.parquet").to_pylist()
    in_1 = [row for row in table if row["zip"].startswith("1")]
    assert people_found(women(people)) == sum(row["gender"] == "F" for row in table)
    assert people_found(women(people), where="zip like '1%'") == sum(row["gender"] == "F" for row in in_1)
    assert people_found(women(people), where="zip like '1%' or zip like '1%'") == sum(
        row["gender"] == "F" for row in in_1
    )


ESCAPES = ["gender='F') or (gender='M'", "gender='M') or (1=1", "gender = 'M' -- ", "gender='M'; gender='M'",
           "true) or (true", "gender = 'M' /*", "gender='F' or gender='M') --", "') or ('' = '"]  # fmt: skip


@pytest.mark.parametrize("text", ESCAPES)
def test_no_filter_escapes_that_of_a_configured_source(people: Path, text: str) -> None:
    with pytest.raises(InputError):
        people_found(women(people), where=text)


def test_a_filter_for_others_finds_nobody(people: Path) -> None:
    with pytest.raises(IdbitsError, match="no row is left"):
        people_found(women(people), where="gender = 'M'")
    with pytest.raises(IdbitsError, match="no row is left"):
        people_found(women(people), where="gender = 'M' or not gender = 'F'")


@pytest.mark.parametrize(
    "options", [{"where": "zip = '1011'"}, {"where": "\"zip\" is null or gender = 'F'"}, {"count": "zip"}]
)
def test_columns_that_a_configured_source_does_not_show(people: Path, options: dict[str, str]) -> None:
    """A filter on a hidden column would tell its values one by one."""
    with pytest.raises(InputError, match="does not show"):
        people_found(women(people, columns=["gender"]), **options)


def test_a_configured_source_keeps_its_table(people: Path) -> None:
    dataset = women(people, table="released", count="n")
    for options in ({"table": "secret"}, {"count": "salary"}):
        asked = TableRequest(dataset="women", options=tuple(options.items()))
        with pytest.raises(InputError, match="other settings"):
            choose_table(asked, OfferedFolders([]), [dataset], None)
    same = TableRequest(dataset="women", options=(("table", "released"),))
    assert choose_table(same, OfferedFolders([]), [dataset], None).reading["table"] == "released"


def test_keys_of_the_repository_open_no_table(site: Site) -> None:
    from starlette.testclient import TestClient

    for role in ("reader", "publisher"):
        public = SigningKey.generate().public_key if role == "publisher" else None
        holder = "H" if role == "publisher" else None
        key = site.app.state.repository.add_account(f"files {role}", role, by="test", public_key=public, holder=holder)
        other = TestClient(site.app, base_url="http://127.0.0.1:8765", headers={"Authorization": f"Bearer {key}"})
        for address in (
            "/measure",
            "/measure.json",
            f"/measure/columns?{TABLE}",
            f"/measure/report.json?{TABLE}&q=zip",
        ):
            answer = other.get(address)
            assert answer.status_code == 403
            assert "only the person who started idbits" in answer.text.lower()
        assert other.post("/measure/cancel", data={"work": "x"}).status_code == 403
        assert other.get("/").status_code == 200


@pytest.mark.parametrize("address", ["/measure/cancel", "/measure/again"])
def test_nothing_is_changed_without_the_token(site: Site, address: str) -> None:
    assert site.browser.post(address, data={"work": "x"}).status_code == 403
    assert site.browser.post(address, data={"csrf_token": "wrong", "work": "x"}).status_code == 403
    elsewhere = {"Origin": "http://evil.example"}
    assert site.browser.post(address, data={"csrf_token": site.token}, headers=elsewhere).status_code == 403


def test_configured_sources_are_offered_by_name(bank: object, people: Path, tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    policy = tmp_path / "idbits.toml"
    policy.write_text(
        f'rules = ["k_min >= 1"]\n[[dataset]]\nname = "the <b>register</b>"\nsource = "{people / "people.parquet"}"\n'
        'qid = ["birthdate:year", "gender"]\nsensitive = ["zip:prefix1", "gender"]\n'
    )
    settings = WebSettings(policy=policy)
    repository = Repository.open(str(tmp_path / "r.sqlite"))
    app = create_app(settings, repository, ExampleBank(bank=bank))  # type: ignore[arg-type]
    browser = TestClient(app, base_url=settings.address)
    browser.get(f"/open?code={app.state.sessions.new_code()}")
    own = Site(app, browser, people)
    page = own.text("/measure")
    assert "the &lt;b&gt;register&lt;/b&gt;" in page
    assert "No folder is open here" in page
    name = "the+%3Cb%3Eregister%3C%2Fb%3E"
    columns = own.text(f"/measure/columns?set={name}")
    assert 'value="0|birthdate" checked' in columns
    assert re.search(r'value="0\|year" selected', columns)
    assert 'value="1|zip">' in columns
    data = own.data(f"/measure/report.json?set={name}&q=gender")
    assert data["measurement"]["n_rows"] == PEOPLE
    # What must not be learnt is as it was set up, unless someone may know it or another column is chosen.
    assert '<option value="">as set up: zip:prefix1, gender</option>' in columns
    assert [column["column"] for column in data["disclosure"]["sensitive"]] == ["zip:prefix1"]
    known = own.data(f"/measure/report.json?set={name}&q=birthdate%3Ayear")
    assert [column["column"] for column in known["disclosure"]["sensitive"]] == ["zip:prefix1", "gender"]
    chosen = own.data(f"/measure/report.json?set={name}&q=birthdate%3Ayear&sensitive=gender")
    assert [column["column"] for column in chosen["disclosure"]["sensitive"]] == ["gender"]
    app.state.work_queue.close()
    repository.close()


def test_a_script_that_asks_how_far_the_work_is_loads_the_page_when_it_is_done(site: Site) -> None:
    measured(site, f"{TABLE}&q=gender")
    done = site.get(f"/measure/report?{TABLE}&q=gender", headers={"HX-Request": "true"})
    assert done.status_code == 200
    assert done.headers["hx-refresh"] == "true"
    assert done.text == ""


def test_a_word_that_is_no_work_ends_nothing(site: Site) -> None:
    for word in ("ünknown", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "x" * 1000):
        assert site.post("/measure/cancel", work=word).status_code == 303


def test_a_title_is_skipped_and_the_row_with_the_names_can_be_said(site: Site, people: Path) -> None:
    path = people / "titled.csv"
    path.write_text("Secret report\n\nname,age\n" + "Ann,34\n" * 12)
    try:
        page = site.text("/measure/columns?in=0&file=titled.csv")
        assert "12 rows, 2 columns" in page
        assert "the column names are in row 3; 2 rows above them were skipped" in page
        assert "Secret report" not in page
        assert "--header-row" not in page
        page = site.text("/measure/columns?in=0&file=titled.csv&header_row=1")
        assert "14 rows, 1 column" in page
        assert 'name="header_row" type="number" min="1" value="1"' in page
        for wrong in ("0", "x", "1.5"):
            failed = site.text(f"/measure/columns?in=0&file=titled.csv&header_row={wrong}", 400)
            assert "“Row with the column names”" in failed
            assert "--header-row" not in failed
    finally:
        path.unlink()


def test_an_archive_is_listed_and_opened(site: Site, people: Path) -> None:
    path = people / "people.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "name,age\n" + "Ann,34\n" * 12)
        archive.writestr("b.csv", "name\n" + "Ann\n" * 13)
    try:
        assert "people.zip" in site.text("/measure")
        failed = site.text("/measure/columns?in=0&file=people.zip", 400)
        assert "contains 2 tables" in failed
        assert "“Table in a database or archive”" in failed
        assert "13 rows, 1 column" in site.text("/measure/columns?in=0&file=people.zip&table=b.csv")
    finally:
        path.unlink()
