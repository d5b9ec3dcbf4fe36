"""The part Treat: the same figures as the commands, a file for its owner only, and nothing that outlives its result."""

import csv
import io
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

import idbits
from idbits.repository.service import Repository
from idbits.studies.check.policy import Dataset
from idbits.web.app import create_app
from idbits.web.questions.examples import ExampleBank
from idbits.web.settings import WebSettings
from idbits.web.table_request import TableRequest
from idbits.web.treatment_request import TreatmentChoice
from idbits.web.work import queue

from .conftest import Site

QID = ["age", "town", "sex"]
TABLE = urlencode([("in", "0"), ("file", "patients.csv"), ("rows-are-people", "yes"), *(("q", name) for name in QID)])
PAGES = ("treat", "treat.json", "treated", "treated.csv", "treated.receipt.json")


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(2)
    folder = tmp_path_factory.mktemp("patients")
    with (folder / "patients.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["patient_id", "age", "town", "sex", "illness", "remark"])
        for number in range(600):
            town = draw.choice(["other", "Ede", *(f"town {n}" for n in range(20))])
            row = (20 + draw.randrange(60), town, draw.choice("FM"), draw.choice(["flu", "cold", "none"]))
            rows.writerow([f"{number:08}", *row, draw.choice(["=1+2", "none"])])
    return folder


def site_of(folder: Path, repository: Repository, bank: Any, datasets: tuple[Dataset, ...] = (), **more: Any) -> Site:
    settings = WebSettings(folders=(folder,), **more)
    app = create_app(settings, repository, ExampleBank(bank=bank))
    app.state.datasets = datasets
    browser = TestClient(app, base_url=f"http://127.0.0.1:{settings.port}")
    browser.get(f"/open?code={app.state.sessions.new_code()}")
    return Site(app, browser, folder)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    opened = Repository.open(str(tmp_path_factory.mktemp("data") / "repository.sqlite"))
    yield opened
    opened.close()


@pytest.fixture
def clinic(patients: Path, repository: Repository, bank: Any) -> Iterator[Site]:
    made = site_of(patients, repository, bank)
    yield made
    made.app.state.work_queue.close()


def test_the_treated_file_is_what_the_page_says(clinic: Site) -> None:
    page = clinic.text(f"/measure/treat?{TABLE}&least=4&withhold=10")
    known = idbits.advise(
        str(clinic.folder / "patients.csv"), QID, goal="k_min >= 4", withhold="10%", rows_are_people=True
    )
    assert f"<td>{600 - known.best.withheld}</td>" in page
    assert "groups of at least 4" in page
    address = re.search(r'href="(/measure/treated[^"]+treatment=0)"', page)[1].replace("&amp;", "&")
    assert "is ready" in clinic.text(address)
    file = clinic.get(address.replace("/treated?", "/treated.csv?"))
    assert file.headers["content-disposition"] == 'attachment; filename="treated.csv"'
    assert file.headers["cache-control"] == "no-store"
    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert len(rows) == 600 - known.best.withheld
    assert min(Counter(tuple(row[name] for name in QID) for row in rows).values()) == known.best.figures["k_min"]
    # The identifier is gone, and no cell is a formula.
    assert "patient_id" not in rows[0]
    assert not any(row["remark"].startswith("=") for row in rows)
    receipt = json.loads(clinic.get(address.replace("/treated?", "/treated.receipt.json?")).text)
    assert receipt["after"]["k_min"] == known.best.figures["k_min"]
    assert receipt["dropped"] == ["patient_id"]


def test_goals_protected_columns_and_columns_to_leave_out(clinic: Site) -> None:
    more = urlencode({"least": "3", "values": "2", "of": "illness", "withhold": "20", "keep": "sex", "drop": "remark"})
    page = clinic.text(f"/measure/treat?{TABLE}&{more}")
    assert re.search(r'name="keep" value="sex" checked', page)
    assert re.search(r'name="drop" value="remark" checked', page)
    assert re.search(r'name="drop" value="patient_id" checked disabled', page)
    data = clinic.data(f"/measure/treat.json?{TABLE}&{more}")
    assert data["advice"]["goal"] == ["k_min >= 3", 'l_distinct."illness" >= 2']
    assert data["advice"]["best"]["columns"][2] == "sex"
    clinic.text(f"/measure/treated?{TABLE}&{more}&treatment=0")
    file = clinic.get(f"/measure/treated.csv?{TABLE}&{more}&treatment=0").text
    rows = list(csv.DictReader(io.StringIO(file)))
    assert list(rows[0]) == [*QID, "illness"]
    groups: dict[Any, set[str]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in QID), set()).add(row["illness"])
    assert min(map(len, groups.values())) >= 2


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("least=x", "The smallest group must be a whole number"),
        ("least=0", "The smallest group must be a whole number"),
        ("withhold=101", "must be 0 to 100 percent"),
        ("values=2", "fill in both, or none"),
        ("values=2&of=nowhere", "nowhere"),
    ],
)
def test_wrong_goals_lead_back_to_the_form(clinic: Site, more: str, sentence: str) -> None:
    for page in ("treat", "treated"):
        address = f"/measure/{page}?{TABLE}&{more}&treatment=0"
        shown = clinic.text(address, 400)
        assert sentence in shown
        assert "<button>Look for treatments</button>" in shown
        assert "--" not in re.sub("<[^>]*>", "", shown)


def test_a_file_that_is_refused_leads_back_to_the_columns(clinic: Site) -> None:
    rows = [f"{n % 3},{n % 2},{1000 * n + 7}.{n:03},{n % 2},{n % 2}" for n in range(60)]
    (clinic.folder / "amounts.csv").write_text("age,sex,amount,note,Note\n" + "\n".join(rows) + "\n")
    table = urlencode([("in", "0"), ("file", "amounts.csv"), ("q", "age"), ("q", "sex")])
    # Nearly everybody has their own amount, so that it is left out like an identifier.
    assert 'name="drop" value="amount" checked disabled' in clinic.text(f"/measure/treat?{table}")
    refused = clinic.text(f"/measure/treated?{table}&treatment=0", 400)
    assert "differ only in capitals" in refused
    assert 'name="drop" value="Note"' in refused
    assert "Write this file" in refused
    assert "is ready" in clinic.text(f"/measure/treated?{table}&drop=Note&treatment=0")
    file = clinic.get(f"/measure/treated.csv?{table}&drop=Note&treatment=0").text
    assert file.startswith("age,sex,note\n")


def test_only_treatments_that_reach_their_goal_are_written(clinic: Site) -> None:
    strict = f"{TABLE}&least=500&withhold=0&keep=age&keep=town&keep=sex"
    assert "not reached" in clinic.text(f"/measure/treat?{strict}")
    for page in ("treated", "treated.csv", "treated.receipt.json"):
        for number in ("0", "7", "x", "-1"):
            answer = clinic.browser.get(f"/measure/{page}?{strict}&treatment={number}", follow_redirects=False)
            assert answer.status_code == 303, answer.text
            assert answer.headers["location"].startswith("/measure/treat?")


def test_nobody_but_the_owner_gets_a_file(clinic: Site) -> None:
    clinic.text(f"/measure/treat?{TABLE}")
    clinic.text(f"/measure/treated?{TABLE}&treatment=0")
    stranger = TestClient(clinic.app, base_url=str(clinic.browser.base_url))
    for page in PAGES:
        address = f"/measure/{page}?{TABLE}&treatment=0"
        assert stranger.get(address).status_code == 401
        assert stranger.get(address, headers={"Authorization": "Bearer idbits_no"}).status_code == 401
        assert clinic.get(address, headers={"Host": "elsewhere.example"}).status_code == 400
        assert clinic.get(address, headers={"Origin": "https://elsewhere.example"}).status_code == 403
        assert clinic.get(address, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
        assert clinic.browser.post(address, data={"csrf_token": "wrong"}).status_code == 403
        outside = f"/measure/{page}?in=0&file=../patients.csv&q=age&treatment=0"
        assert clinic.get(outside).status_code == 400


@pytest.mark.parametrize("settings", [{"downloads": False}, {"host_names": ("files.example.org",)}])
def test_without_downloads_there_are_treatments_but_no_files(
    patients: Path, repository: Repository, bank: Any, settings: dict[str, Any]
) -> None:
    site = site_of(patients, repository, bank, **settings)
    try:
        page = site.text(f"/measure/treat?{TABLE}")
        assert "Write this file" not in page
        assert "hands out no treated files" in page
        for name in ("treated", "treated.csv", "treated.receipt.json"):
            assert site.get(f"/measure/{name}?{TABLE}&treatment=0").status_code == 403
    finally:
        site.app.state.work_queue.close()
    assert WebSettings(host_names=("files.example.org",), downloads=True).allows_downloads


def test_a_configured_source_gives_its_treated_rows_and_columns_only(
    patients: Path, repository: Repository, bank: Any
) -> None:
    reading: Any = {"columns": (*QID, "illness"), "where": "sex = 'F'"}
    dataset = Dataset("women", str(patients / "patients.csv"), tuple(QID), (), reading=reading)
    site = site_of(patients, repository, bank, (dataset,))
    try:
        table = urlencode([("set", "women"), *(("q", name) for name in QID)])
        site.text(f"/measure/treat?{table}")
        site.text(f"/measure/treated?{table}&treatment=0")
        rows = list(csv.DictReader(io.StringIO(site.get(f"/measure/treated.csv?{table}&treatment=0").text)))
        assert list(rows[0]) == [*QID, "illness"]
        assert {row["sex"] for row in rows} <= {"F", "*"}
        assert site.get(f"/measure/treat?{urlencode([('set', 'men'), ('q', 'age')])}").status_code == 400
    finally:
        site.app.state.work_queue.close()


def files_of(site: Site) -> list[Path]:
    works = site.app.state.work_queue._works.values()
    return [work.kept.path for work in works if work.kept is not None]


def test_files_are_private_and_end_with_their_result(clinic: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for least in (3, 4):
        clinic.text(f"/measure/treat?{TABLE}&least={least}")
        clinic.text(f"/measure/treated?{TABLE}&least={least}&treatment=0")
    first, second = files_of(clinic)
    assert [oct(folder.stat().st_mode & 0o777) for folder in (first, second)] == ["0o700"] * 2
    assert sorted(path.name for path in first.iterdir() if not path.name.startswith(".")) == [
        "treated.csv", "treated.csv.receipt.json",
    ]  # fmt: skip
    # The oldest results make room for newer ones.
    monkeypatch.setattr(queue, "_MOST_FILE_BYTES", 1)
    clinic.text(f"/measure/treat?{TABLE}&least=6")
    assert not first.exists()
    assert not second.exists()
    too_large = clinic.text(f"/measure/treated?{TABLE}&least=6&treatment=0", 422)
    assert "larger than the app keeps" in too_large
    monkeypatch.undo()
    clinic.text(f"/measure/treat?{TABLE}&least=3")
    clinic.text(f"/measure/treated?{TABLE}&least=3&treatment=0")
    (kept,) = files_of(clinic)
    clinic.app.state.work_queue.close()
    assert not kept.exists()


def test_addresses_keep_what_was_chosen() -> None:
    asked = TableRequest("0", "a.csv", qid=("age",))
    choice = TreatmentChoice("7", "2", "my, illness", "2.5", ("age",), ("name", "x&y"), 1)
    from urllib.parse import parse_qsl

    assert TreatmentChoice.read(parse_qsl(choice.query(asked))) == choice
    assert TableRequest.read(parse_qsl(choice.query(asked))).qid == ("age",)
