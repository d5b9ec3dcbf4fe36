"""The page Repository: entries, predictions as by the commands, decisions that stay."""

import html
import json
import math
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from starlette.testclient import TestClient

import idbits.predict
from idbits.repository.bounds import Bound
from idbits.repository.entries import Entry
from idbits.repository.queries import QueryAnswer
from idbits.repository.service import Repository
from idbits.web import demo
from idbits.web.forecasting import curve, forecast, forecast_sentence, read_k
from idbits.web.pages.entry_view import answer_in_words

from .conftest import Site


@pytest.fixture(scope="module")
def entries(site: Site) -> dict[tuple[str, ...], Entry]:
    return {entry.statement.qid: entry for entry in site.app.state.repository.entries().entries}


def test_entries_are_listed_and_found(site: Site) -> None:
    page = site.text("/repository")
    assert page.count('<li class="card">') == len(site.data("/repository.json")["entries"]) == 8
    found = site.data("/repository.json?text=gender")
    assert found["entries"]
    assert all("gender" in entry["statement"]["qid"] for entry in found["entries"])
    assert "No entries match" in site.text("/repository?text=nothing+like+this")
    assert "example repository" in page


def test_an_entry_shows_where_it_comes_from(site: Site, entries: dict[tuple[str, ...], Entry]) -> None:
    entry = entries["postcode:prefix2",]
    page = html.unescape(site.text(f"/repository/entries/{entry.ref}"))
    for expected in (
        entry.statement.holder, entry.statement.method, entry.statement.date, entry.ref, "verified",
        f"line {entry.sequence}", "idbits demo", entry.publisher,
    ):  # fmt: skip
        assert expected in page
    assert page.count('<svg class="chart"') == 2
    assert site.data(f"/repository/entries/{entry.ref}.json")["entry"] == entry.to_dict()


@pytest.mark.big
@pytest.mark.parametrize(
    "qid", [("postcode:prefix2",), ("gender",), ("postcode",), ("birthdate", "gender", "postcode")]
)
@pytest.mark.parametrize("k", [1, 30, 3000])
def test_predictions_are_those_of_the_command(
    site: Site, entries: dict[tuple[str, ...], Entry], qid: tuple[str, ...], k: int
) -> None:
    entry = entries[qid]
    found = site.data(f"/repository/entries/{entry.ref}.json?k={k}")
    drawn = entry.drawn_from()
    # As the commands print them: what is infinite is a word.
    assert found["singletons"] | {"notes": []} == _printed(idbits.predict.singletons(k, **drawn))
    assert found["uniqueness"] | {"notes": []} == _printed(idbits.predict.uniqueness(k, **drawn))
    if not entry.is_whole:
        # A kappa of 0 is the uniform distribution, and exact.
        assert (found["singletons"]["mean"]["exact"] is None) == (entry.statement.kappa_nats > 0)
        assert found["singletons"]["mean"]["approximations"]


def _printed(prediction: Any) -> dict[str, Any]:
    data = json.loads(prediction.to_json())
    return {name: value for name, value in data.items() if name not in ("schema", "command", "version")} | {"notes": []}


def test_the_page_shows_exact_and_approximate(site: Site, entries: dict[tuple[str, ...], Entry]) -> None:
    page = html.unescape(site.text(f"/repository/entries/{entries['postcode:prefix2',].ref}?k=40"))
    assert "Of 40 people who answer, about" in page
    assert "exact" in page
    assert "approximation 1" in page
    assert "kappa" not in page
    only = html.unescape(site.text(f"/repository/entries/{entries['postcode',].ref}?k=40"))
    assert "No exact value" in only
    assert "kappa" not in only


def test_the_curve_runs_through_the_predictions(entries: dict[tuple[str, ...], Entry]) -> None:
    entry = entries["postcode:prefix2",]
    drawn = curve(entry)
    k, part = drawn.exact[10]
    assert part == pytest.approx(idbits.predict.singletons(int(k), **entry.drawn_from()).mean.exact / k)
    assert all(after[1] <= before[1] + 1e-12 for before, after in zip(drawn.exact, drawn.exact[1:], strict=False))
    assert not curve(entries["postcode",]).exact


def test_a_forecast_in_a_sentence(entries: dict[tuple[str, ...], Entry]) -> None:
    drawn = entries["gender",].drawn_from()
    assert forecast_sentence(forecast(1000, drawn), 1000).endswith("hardly anyone is unique.")
    assert forecast_sentence(forecast(1, drawn), 1) == "If only one person answers, that person is unique."
    # 60 answers at most occur, of very many possible ones: nobody can say this from kappa.
    rough = forecast_sentence(forecast(1000, {"values": 10**21, "kappa": 44.262}), 1000)
    assert rough.startswith("Perhaps ")
    assert "may be far off" in rough
    assert "all are unique" in forecast_sentence(
        forecast(2, entries["birthdate", "gender", "postcode"].drawn_from()), 2
    )
    assert "about one is unique" in forecast_sentence(forecast(2, drawn), 2)
    few = forecast_sentence({"mean": 0.48, "rough": False}, 2)
    assert few == "Of 2 people who answer, on average fewer than one (24.0% of them) is unique."
    assert "about 96 are unique" in forecast_sentence({"mean": 95.73, "rough": False}, 100)
    assert read_k("1,000") == 1000


@pytest.mark.parametrize("k", ["0", "-1", "many", "10000001", "1.5", "0000000001234567890"])
def test_a_wrong_group_size_is_said(site: Site, entries: dict[tuple[str, ...], Entry], k: str) -> None:
    ref = entries["gender",].ref
    assert "from 1 to 1,000,000" in site.text(f"/repository/entries/{ref}?k={k}", 400)
    assert "1,000,000" in site.data(f"/repository/entries/{ref}.json?k={k}", 400)["error"]


def test_a_wrong_group_size_stays_in_its_field_and_predicts_nothing(
    site: Site, entries: dict[tuple[str, ...], Entry]
) -> None:
    address = f"/repository/entries/{entries['gender',].ref}?k="
    swapped = site.browser.get(f"{address}1e5", headers={"hx-request": "true"})
    panel = re.search(r'<section class="card" aria-labelledby="predict".*?</section>', swapped.text, re.DOTALL)[0]
    assert swapped.status_code == 200
    assert 'name="k" value="1e5"' in panel
    assert re.search('<p class="problem" role="alert">[^<]*1,000,000', panel)
    assert "people who answer," not in panel
    emptied = site.text(address)
    assert 'name="k" value="" placeholder="100"' in emptied
    assert "Of 100 people who answer," in emptied


@pytest.mark.parametrize("ref", ["0000000000000000", "nothing", "x" * 300, "%00", "..%2f..%2fetc%2fpasswd"])
def test_no_such_entry(site: Site, ref: str) -> None:
    answer = site.get(f"/repository/entries/{ref}")
    assert answer.status_code == 404


def test_what_is_known_and_what_bounds_it(site: Site) -> None:
    exact = site.data("/repository.json?qid=sex&population=Country=Example (made up)")
    assert exact["query"]["exact"][0]["statement"]["qid"] == ["gender"]
    bounded = html.unescape(site.text("/repository?qid=postcode:prefix1&population=Country%3DExample (made up)"))
    assert "Not published" in bounded
    assert "at most" in bounded


def test_a_bound_is_rounded_to_the_side_on_which_it_holds() -> None:
    sides = Bound("at least", 3.1279, (), ""), Bound("at most", 3.1311, (), "")
    asked = {"qid": ("age",), "population": (("country", "n"),), "size": 10, "exact": (), "spread": None}
    found = answer_in_words(QueryAnswer(**asked, bounds=sides))
    assert found is not None
    assert [shown[:2] for shown in found["bounds"]] == [("at least", "3.12"), ("at most", "3.14")]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("qid=age", "enter a population"),
        ("population=Country=Norway", "enter at least one question"),
        ("qid=agee&population=Country=X", "agee"),
        ("qid=age&population=Norway", "City=Amsterdam"),
        ("qid=age&population=Country=X&size=many", "must be a whole number"),
        ("offset=x", "offset must be a whole number"),
        (f"text={'x' * 2000}", "at most 1,000 characters"),
    ],
)
def test_bad_questions_are_one_clear_sentence(site: Site, query: str, sentence: str) -> None:
    answer = site.get(f"/repository?{query}")
    assert answer.status_code == 400
    # On the page, a sentence starts with a capital letter.
    assert sentence[1:] in html.unescape(answer.text)
    assert sentence in site.data(f"/repository.json?{query}", 400)["error"]
    # What was typed stays in its field.
    for name, value in parse_qsl(query):
        if name != "offset" and len(value) < 1000:
            assert f'name="{name}" value="{html.escape(value)}"' in answer.text


def test_decisions_are_written_down_and_stay(site: Site, entries: dict[tuple[str, ...], Entry]) -> None:
    ref = entries["postcode",].ref
    where = f"/repository/entries/{ref}/decisions"
    said = {"decision": "Ask <b>two</b> digits only", "by": "A. Person", "why": "Twelve bits are too many."}
    answer = site.post(where, **said)
    assert answer.status_code == 303
    page = site.text(f"/repository/entries/{ref}")
    assert "Ask &lt;b&gt;two&lt;/b&gt; digits only" in page
    assert "owner of this machine" in page
    assert "Ask &lt;b&gt;two" in site.text("/repository")
    assert f'action="{where}?k=40"' in site.text(f"/repository/entries/{ref}?k=40")
    kept = site.data(f"/repository/entries/{ref}.json")["decisions"]
    assert {name: kept[-1][name] for name in said} == said
    site.post(where, **said | {"decision": "Ask nothing"})
    assert [one["decision"] for one in site.app.state.repository.decisions(ref)][-2:] == [
        said["decision"],
        "Ask nothing",
    ]
    assert site.app.state.repository.verify() == []


def test_a_decision_needs_all_three_and_the_token(site: Site, entries: dict[tuple[str, ...], Entry]) -> None:
    ref = entries["gender",].ref
    where = f"/repository/entries/{ref}/decisions"
    answer = site.post(where, decision="Ask", by="", why="Because")
    assert answer.status_code == 400
    assert "1,000 characters" in answer.text
    assert re.search("role=.alert.>“By whom\\?” must", answer.text)
    assert 'value="Ask"' in answer.text
    assert ">Because</textarea>" in answer.text
    said = {"decision": "a", "by": "b", "why": "c"}
    assert site.browser.post(where, data=said).status_code == 403
    assert (
        site.browser.post(
            where, data=said | {"csrf_token": site.token}, headers={"Origin": "http://evil.example"}
        ).status_code
        == 403
    )
    assert site.post("/repository/entries/0000000000000000/decisions", **said).status_code == 404
    assert site.app.state.repository.decisions(ref) == []


def test_a_page_that_is_too_old_leads_back_to_what_was_typed(site: Site, entries: dict[tuple[str, ...], Entry]) -> None:
    ref = entries["gender",].ref
    typed = {"decision": "Ask <b>less</b>", "by": "A & B", "why": "Too many bits"}
    sent = {"csrf_token": "old", **typed}
    where = f"/repository/entries/{ref}/decisions"
    refused = site.browser.post(where, data=sent, headers={"Accept": "text/html"})
    assert refused.status_code == 403
    assert "<b>less" not in refused.text
    back = html.unescape(re.search(r'href="(/repository/entries/[^"]+)"', refused.text)[1])
    form = site.text(back)
    assert 'value="Ask &lt;b&gt;less&lt;/b&gt;"' in form
    assert 'value="A &amp; B"' in form
    assert ">Too many bits</textarea>" in form
    assert site.app.state.repository.decisions(ref) == []
    # Programs get a line.
    assert site.browser.post(where, data=sent).text.startswith("idbits: ")


def test_a_browser_that_is_not_signed_in_gets_a_page(site: Site) -> None:
    stranger = TestClient(site.app, base_url="http://127.0.0.1:8765", headers={"Accept": "text/html"})
    refused = stranger.get("/measure/report?in=0&file=people.parquet&q=zip&where=%22%3E%3Cscript%3E")
    assert refused.status_code == 401
    assert "<h1>" in refused.text
    assert "<script" not in refused.text
    assert 'href="/measure/columns?in=0&amp;file=people.parquet' in refused.text


def test_a_reader_decides_nothing(site: Site, entries: dict[tuple[str, ...], Entry]) -> None:
    key = site.app.state.repository.add_account("a reader", "reader", by="test")
    ref = entries["gender",].ref
    reader = TestClient(site.app, base_url="http://127.0.0.1:8765", headers={"Authorization": f"Bearer {key}"})
    assert "Write down a decision" not in reader.get(f"/repository/entries/{ref}").text
    said = {"decision": "a", "by": "b", "why": "c"}
    assert reader.post(f"/repository/entries/{ref}/decisions", data=said).status_code == 403


def test_a_retracted_entry_shows_no_figure(tmp_path: Path, site: Site) -> None:
    repository = site.app.state.repository
    before = {entry.ref for entry in repository.entries().entries}
    holder = demo._Holder(repository, "Another holder")
    from idbits.examples.registry import registry
    from idbits.repository.publishing import PublicationDetails

    details = PublicationDetails(date="2020-01-01", method="made up")
    holder.publish(registry(2_000), ["gender"], {"Country": "Nowhere"}, details)
    (entry,) = [entry for entry in repository.entries().entries if entry.ref not in before]
    repository.retract(entry.ref, "wrong <b>table</b>", by="test")
    page = site.text(f"/repository/entries/{entry.ref}")
    assert "This entry was retracted" in page
    assert "wrong &lt;b&gt;table" in page
    assert "2,000" not in page
    assert "Given away" not in page
    data = site.data(f"/repository/entries/{entry.ref}.json")
    assert "n_people" not in data["entry"]["statement"]
    assert "uniqueness" not in data
    assert entry.ref not in site.text("/repository")
    assert entry.ref in site.text("/repository?old=yes")


@pytest.mark.big
def test_examples_of_real_places_are_those_of_their_files(shared_data: Path, tmp_path: Path) -> None:
    import gzip

    repository = Repository.open(str(tmp_path / "r.sqlite"))
    assert demo.fill(repository, shared_data) >= 20
    (norway,) = repository.entries(["age"], {"Country": "Norway"}).entries
    ages: dict[str, int] = {}
    with gzip.open(shared_data / "norway-municipality-ages.csv.gz", "rt") as file:
        next(file)
        for line in file:
            year, _, level, age, people, _ = line.split(",")
            if year == "2019.0" and level == "municipality":
                ages[age] = ages.get(age, 0) + int(float(people))
    n = sum(ages.values())
    said = norway.statement
    assert said.n_people == n
    assert said.entropy_bits == pytest.approx(-math.fsum(k / n * math.log2(k / n) for k in ages.values() if k))
    assert "Statistics Norway" in said.source
    assert "NLOD" in said.source
    assert "not published by the holder" in said.method
    amsterdam = repository.entries(["gender"], {"City": "Amsterdam", "Country": "Netherlands"}).entries[0]
    assert sorted(cell.people for cell in amsterdam.cells) == [427_787, 435_178]
    # Two tables of one country: both are shown, with their spread.
    bands = repository.entries(["age:band5"], {"Country": "Netherlands"}).entries
    assert {entry.statement.date for entry in bands} == {"2021-01-01", "2023-01-01"}
    assert repository.verify() == []
    repository.close()
