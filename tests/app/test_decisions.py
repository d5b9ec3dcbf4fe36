"""The folder of decisions: who can read it, what is recorded once, what counts as damage, and what a page may show."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import idbits
from idbits.errors import InputError
from idbits.web.decisions import DecisionFolder, DecisionText

from .conftest import Site

REFUSED = DecisionText("refuse", "An officer", "Too many are unique.")
ROWS = [(20 + n % 50, "FM"[n % 2], n % 7) for n in range(300)]


@pytest.fixture
def table(people: Path) -> Iterator[Path]:
    path = people / "decided.csv"
    path.write_text("age,sex,place\n" + "".join(f"{age},{sex},{place}\n" for age, sex, place in ROWS))
    yield path
    path.unlink()


@pytest.fixture
def report(table: Path) -> str:
    return idbits.report(str(table), ["age", "sex"], rows_are_people=True).to_json()


@pytest.fixture
def folder(tmp_path: Path) -> DecisionFolder:
    """Return a folder of decisions that others can open."""
    path = tmp_path / "decided"
    path.mkdir(mode=0o755)
    return DecisionFolder(path)


class TestFolder:
    def test_only_the_owner_reads_the_files_even_if_others_can_open_the_folder(
        self, folder: DecisionFolder, report: str
    ) -> None:
        folder.record("form-one", REFUSED, report, None)
        assert len(list(folder.path.iterdir())) == 2
        assert {file.stat().st_mode & 0o777 for file in folder.path.iterdir()} == {0o600}

    def test_a_form_that_was_changed_and_sent_again_is_another_decision(
        self, folder: DecisionFolder, report: str
    ) -> None:
        approved = DecisionText("approve", "An officer", "After another look.")
        sent = [folder.record("form-one", text, report, None) for text in (REFUSED, REFUSED, approved, REFUSED)]
        assert sent == [1, 1, 2, 1]
        assert [record.decision for record in folder.records()] == ["approve", "refuse"]

    def test_a_table_that_changed_later_is_no_damage_and_is_not_read(
        self, folder: DecisionFolder, report: str, table: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder.record("form-one", REFUSED, report, None)
        table.write_text(f"{table.read_text()}99,F,1\n")
        monkeypatch.setattr("idbits.studies.decide.verification.data_state", None)
        assert folder.problems() == []

    def test_a_kept_report_that_was_changed_is_damage(self, folder: DecisionFolder, report: str) -> None:
        folder.record("form-one", REFUSED, report, None)
        kept = folder.path / folder.records()[0].report.file
        kept.write_text(kept.read_text().replace("300", "301"))
        assert folder.problems() == ["Line 1: the report has changed since the decision"]

    def test_a_folder_that_cannot_be_written_is_said(self, tmp_path: Path, report: str) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError, match="is not a folder"):
            DecisionFolder(tmp_path / "file")
        with pytest.raises(InputError, match=r'^the decision cannot be written to ".*": Not a directory$'):
            DecisionFolder(tmp_path / "file" / "decided").record("form-one", REFUSED, report, None)


QUERY = "in=0&file=decided.csv&rows-are-people=yes&q=age&q=sex"


def sent(site: Site, **fields: str) -> dict[str, str]:
    """Return the fields of a decision as the form sends them."""
    page = html.unescape(site.text(f"/measure/decide?{QUERY}"))
    made = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
    return {**made, "decision": "refuse", "by": "An officer", "why": "Too many are unique."} | fields


@pytest.mark.usefixtures("table")
class TestPages:
    def test_a_decision_about_all_rows_is_on_no_page_about_some_of_them(self, site: Site) -> None:
        place = site.post("/measure/decide", **sent(site)).headers["location"]
        number = place.rpartition("=")[2]
        assert "Too many are unique." in site.text(f"/measure/signed?{QUERY}&record={number}")
        for other in (f"{QUERY}&where=age+%3E+40", QUERY.replace("rows-are-people=yes", "person=place")):
            assert site.data(f"/measure/report.json?{other}")["measurement"]["qid"] == ["age", "sex"]
            page = site.text(f"/measure/signed?{other}&record={number}", 422)
            assert "the decision is about other rows, people or columns" in page
            assert "Too many are unique." not in page

    def test_damaged_records_are_shown_as_damaged_and_printed_on_no_page(self, site: Site) -> None:
        number = site.post("/measure/decide", **sent(site)).headers["location"].rpartition("=")[2]
        file = site.app.state.decisions.file
        written = file.read_bytes()
        try:
            *before, last, _ = written.split(b"\n")
            forged = last.replace(b'"decision":"refuse"', b'"decision":"approve"')
            file.write_bytes(b"\n".join([*before, forged, b""]))
            assert "its hash is wrong" in site.text("/decisions")
            page = site.text(f"/measure/signed?{QUERY}&record={number}", 400)
            assert "The records are not as they were written" in page
            # Even if no record is left that could be listed.
            file.write_bytes(b"nothing\n")
            everything = site.text("/decisions")
            assert "The records are not as they were written." in everything
            assert "No decision has been recorded yet" not in everything
        finally:
            file.write_bytes(written)

    def test_a_record_that_ends_with_the_server_is_said(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "is deleted when idbits ends" not in site.text(f"/measure/decide?{QUERY}")
        changed = replace(site.app.state.settings, keeps_decisions=False)
        monkeypatch.setitem(site.app.state._state, "settings", changed)
        assert "this record is deleted when idbits ends" in site.text(f"/measure/decide?{QUERY}")
        place = site.post("/measure/decide", **sent(site)).headers["location"]
        assert "decisions.jsonl</bdi>, until idbits ends</dd>" in site.text(place)

    def test_a_reason_is_as_long_as_its_field_counts_it(self, site: Site) -> None:
        """Browsers count the end of a line as one sign, and send two."""
        reason = "\n".join(["x" * 49] * 100)
        assert len(reason) == 4_999
        answer = site.post("/measure/decide", **sent(site, why=reason.replace("\n", "\r\n")))
        assert answer.status_code == 303, answer.text
        assert site.app.state.decisions.records()[0].why == reason

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"why": "x" * 5_001}, "The reason may have at most 5,000 characters."),
            ({"by": "x" * 201}, "The name of the person who decides may have at most 200 characters."),
            ({"query": "q=a&" * 10_001 + "q=a"}, "The form cannot be read."),
        ],
    )
    def test_what_is_too_long_is_said_in_the_words_of_the_page(
        self, site: Site, fields: dict[str, str], sentence: str
    ) -> None:
        before = site.app.state.decisions.records()
        answer = site.post("/measure/decide", **sent(site, **fields))
        assert answer.status_code == 400
        assert sentence in answer.text
        assert site.app.state.decisions.records() == before
