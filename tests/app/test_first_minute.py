"""A new installation: an empty repository shows examples, and every field says what finds something."""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from idbits.web.app import create_app
from idbits.web.demo import ExampleRepository
from idbits.web.settings import WebSettings

from .conftest import Site, signed_in
from .invented import publish_invented


@pytest.fixture(scope="module")
def examples() -> Iterator[ExampleRepository]:
    published = ExampleRepository()
    yield published
    published.close()


@contextmanager
def fresh_site(folder: Path, examples: ExampleRepository, **settings: Any) -> Iterator[Site]:
    """Start the app with a repository in which nothing has been published."""
    app = create_app(WebSettings(database=str(folder / "own.sqlite"), folders=(folder,), **settings))
    app.state.example_repository = examples
    try:
        yield signed_in(app, folder)
    finally:
        app.state.work_queue.close()
        app.state.repository.close()


def test_an_empty_repository_shows_examples_of_public_statistics(tmp_path: Path, examples: ExampleRepository) -> None:
    with fresh_site(tmp_path, examples) as site:
        page = html.unescape(site.text("/repository"))
        assert "Nothing has been published in your repository yet" in page
        entries = site.data("/repository.json")["entries"]
        assert {entry["statement"]["holder"] for entry in entries} == {"Statistics Netherlands", "Statistics Norway"}
        assert all("not published by the holder" in entry["statement"]["method"] for entry in entries)
        both = next(entry for entry in entries if entry["statement"]["qid"] == ["age", "gender"])
        assert both["statement"]["n_people"] == 17_811_291
        # They are only shown: the repository itself and its interface for programs stay empty.
        assert site.app.state.repository.entries().entries == ()
        assert site.data("/api/v1/entries")["entries"] == []
        entry = html.unescape(site.text(f"/repository/entries/{both['ref']}?k=50"))
        assert "Of 50 people who answer" in entry
        assert "decisions about it are not recorded" in entry
        assert "Record a decision" not in entry
        asked = site.data(f"/questions.json?place=other&people=1000&q=entry.{both['ref']}")
        assert asked["steps"][0]["expected"] == pytest.approx(1000 / 2 ** both["statement"]["entropy_bits"])
        (cookie,) = (each.value for each in site.browser.cookies.jar)
        session = site.app.state.sessions.find(cookie)
        assert session is not None
        said = {"csrf_token": session.csrf_token, "decision": "a", "by": "b", "why": "c"}
        refused = site.browser.post(f"/repository/entries/{both['ref']}/decisions", data=said)
        assert refused.status_code == 403
        assert "ecisions about examples are not recorded" in refused.text


def test_the_first_entry_of_ones_own_replaces_the_examples(tmp_path: Path, examples: ExampleRepository) -> None:
    with fresh_site(tmp_path, examples) as site:
        ref = site.data("/repository.json")["entries"][0]["ref"]
        publish_invented(site.app.state.repository, 5_000)
        page = html.unescape(site.text("/repository"))
        assert "Nothing has been published" not in page
        assert "Statistics Norway" not in page
        assert "idbits example (made up)" in page
        assert site.get(f"/repository/entries/{ref}").status_code == 404


def test_behind_a_proxy_an_empty_repository_is_empty(tmp_path: Path, examples: ExampleRepository) -> None:
    with fresh_site(tmp_path, examples, host_names=("repository.example.org",)) as site:
        assert "Nothing has been published yet" in site.text("/repository")
        assert site.data("/repository.json")["entries"] == []


def fields(page: str) -> dict[str, str]:
    """Return the example in each text field of a page."""
    found = re.findall(r'<input id="(\w+)"[^>]* placeholder="([^"]*)"', page)
    return {name: html.unescape(text) for name, text in found}


def test_the_examples_in_the_fields_find_something(site: Site, tmp_path: Path, examples: ExampleRepository) -> None:
    with fresh_site(tmp_path, examples) as fresh:
        for place in (site, fresh):
            shown = fields(place.text("/repository"))
            assert set(shown) == {"text", "qid", "population"}
            assert place.data(f"/repository.json?{urlencode({'text': shown['text']})}")["entries"]
            query = urlencode({name: shown[name] for name in ("qid", "population")})
            assert place.data(f"/repository.json?{query}")["query"]["exact"]
            listed = re.search('<datalist id="populations">(.*?)</datalist>', place.text("/repository"))
            assert listed is not None
            assert html.escape(shown["population"]) in listed[1]
        # A new installation.
        assert shown == {"text": "age Netherlands", "qid": "age, gender", "population": "Country=Netherlands"}


@pytest.mark.parametrize(
    ("query", "missing", "sentence", "choice"),
    [
        ("qid=gender&population=", ["population"], "Enter a population", "Published for these questions:"),
        ("qid=&population=Country%3DNetherlands", ["qid"], "Enter at least one question", "for these people:"),
        ("qid=&population=&size=", ["qid", "population"], "Enter the questions and the population", "For example:"),
    ],
)
def test_an_incomplete_look_up_says_what_to_fill_in(
    tmp_path: Path, examples: ExampleRepository, query: str, missing: list[str], sentence: str, choice: str
) -> None:
    with fresh_site(tmp_path, examples) as site:
        page = site.text(f"/repository?{query}", 400)
        problem = re.search('<div class="problem" role="alert">(.*?)</div>', page, re.DOTALL)[1]
        assert sentence in problem
        assert choice in problem
        links = [html.unescape(link) for link in re.findall('href="([^"]+)"', problem)]
        assert links
        for link in links:
            assert site.data(link.replace("/repository?", "/repository.json?"))["query"]["exact"], link
        for name in ("qid", "population"):
            field = re.search(f'<input id="{name}"[^>]*>', page)[0]
            assert ('aria-invalid="true"' in field) == (name in missing)
