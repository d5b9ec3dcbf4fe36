"""The page Compare: the same figures and sentences as the command, and no value of a table."""

import csv
import html
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pyarrow as pa
import pytest
from pyarrow import parquet

import idbits
from idbits.errors import IdbitsError
from idbits.studies.overlap.study import overlap
from idbits.web.wording import as_sentence

from .conftest import ConfiguredSite, Site

ZONES = "kind=zones&in=0&file=blocks.csv"
COMPARED = f"{ZONES}&count=people&zones=town&zones=post"
RELEASES = "kind=releases&in=0&file=first.parquet&in2=0&file2=second.parquet"
ASKED = f"{RELEASES}&person=id&sensitive=diagnosis&q=born&q2=town"


@pytest.fixture(scope="module", autouse=True)
def publications(people: Path) -> Iterator[None]:
    """Write blocks in two zonings, and two releases of 300 people."""
    # The golden case of the specification: a1 - b1 are three people.
    blocks = [("x", "a1", "b1", 50), ("y", "a1", "b2", 3), ("z", "a2", "b2", 40)]
    with (people / "blocks.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("block", "town", "post", "people"), *blocks])
    draw = random.Random(3)
    table = pa.table(
        {
            "id": [f"n{n}" for n in range(320)],
            "born": [1930 + n % 40 for n in range(320)],
            "town": [f"t{draw.randrange(40)}" for _ in range(320)],
            "diagnosis": [draw.choice(["none", "none", "flu", "asthma"]) for _ in range(320)],
        }
    )
    parquet.write_table(table.slice(0, 310), people / "first.parquet")
    parquet.write_table(table.slice(10), people / "second.parquet")
    yield
    for name in ("blocks.csv", "first.parquet", "second.parquet"):
        (people / name).unlink()


def test_the_questions_lead_to_the_tables(site: Site) -> None:
    start = site.text("/overlap")
    assert 'href="/overlap?kind=zones"' in start
    assert 'href="/overlap?kind=releases"' in start
    zones = html.unescape(site.text("/overlap?kind=zones"))
    assert 'href="/overlap/columns?kind=zones&in=0&file=blocks.csv"' in zones
    first = html.unescape(site.text("/overlap?kind=releases"))
    assert 'href="/overlap?kind=releases&in=0&file=first.parquet"' in first
    assert 'href="/overlap?kind=releases&in=0&dir=towns"' in first
    second = html.unescape(site.text("/overlap?kind=releases&in=0&file=first.parquet"))
    assert f'href="/overlap/columns?{RELEASES}"' in second
    assert 'href="/overlap?kind=releases&in=0&file=first.parquet&in2=0&dir2=towns"' in second
    assert "town.csv" in site.text("/overlap?kind=releases&in=0&file=first.parquet&in2=0&dir2=towns")
    # The second release is looked for beside the first.
    assert "town.csv" in site.text("/overlap?kind=releases&in=0&file=towns/town.csv")
    assert "blocks.csv" in [entry["name"] for entry in site.data("/overlap.json?kind=zones")["entries"]]


def test_the_form_of_zones(site: Site) -> None:
    page = site.text(f"/overlap/columns?{ZONES}")
    assert "3 rows, 4 columns" in page
    assert page.count('<option value="town"') == 2
    # The column of people is recognised.
    assert re.search(r'value="count\|people" selected', page)
    assert 'name="below" inputmode="numeric" maxlength="9" value="10"' in page
    sent = f"{ZONES}&zones=town&zones=post&row=count%7Cpeople&below=10&where=&dates=&reveal=yes"
    answer = site.get(f"/overlap/report?{sent}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/overlap/report?{COMPARED}&reveal=yes")


def test_the_form_of_releases(site: Site) -> None:
    page = site.text(f"/overlap/columns?{RELEASES}")
    assert page.count("310 rows, 4 columns") == 2
    # Who is a person and what is secret are suggested, and neither is ticked as known.
    chosen = re.findall(r'<select id="(person|sensitive)".*?<option selected>(\w+)<', page)
    assert chosen == [("person", "id"), ("sensitive", "diagnosis")]
    assert {value.partition("|")[2] for value in re.findall(r'name="pick2?" value="([^"]+)" checked', page)} <= {
        "born", "town",
    }  # fmt: skip
    ticked = "pick=1%7Cborn&view=&view=1%7Cband10&pick2=2%7Ctown&view2=&pick=0%7Cid"
    sent = f"{RELEASES}&person=id&sensitive=diagnosis&{ticked}"
    answer = site.get(f"/overlap/report?{sent}", follow_redirects=False)
    expected = f"{RELEASES}&person=id&sensitive=diagnosis&q=born%3Aband10&q2=town"
    assert answer.headers["location"] == f"/overlap/report?{expected}"


def test_zones_are_those_of_the_command(site: Site) -> None:
    expected = idbits.overlap(site.folder / "blocks.csv", zones=["town", "post"], count="people")
    assert expected.smallest == 3
    assert site.data(f"/overlap/report.json?{COMPARED}") == json.loads(expected.to_json())
    page = site.text(f"/overlap/report?{COMPARED}")
    text = re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]*>", "", page)))
    for block in expected.blocks():
        for sentence in getattr(block, "reasons", ()):
            assert sentence in text
    assert "Isolated groups by size" in text
    assert "1 of town" in text
    assert [page.count(f'<svg class="drawing {kind}"') for kind in ("wide", "narrow")] == [1, 1]
    assert "INTERNAL" not in page
    assert not re.search(r"\b[ab][12]\b", text)
    revealed = site.text(f"/overlap/report?{COMPARED}&reveal=yes")
    assert "INTERNAL" in revealed
    assert "town a1" in revealed


def test_releases_are_those_of_the_command(site: Site) -> None:
    first, second = site.folder / "first.parquet", site.folder / "second.parquet"
    expected = idbits.overlap(first, second, person="id", qid_a="born", qid_b="town", sensitive="diagnosis")
    assert site.data(f"/overlap/report.json?{ASKED}") == json.loads(expected.to_json())
    page = site.text(f"/overlap/report?{ASKED}")
    text = re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]*>", "", page)))
    assert expected.certain.both
    assert f"{expected.certain.both} people have one value left with both releases" in text
    assert "both, by joint group" in text
    assert not any(value in text for value in ("flu", "asthma", "t14"))
    saved = site.get(f"/overlap/report.html?{ASKED}")
    assert saved.headers["content-disposition"] == 'attachment; filename="overlap.html"'
    assert "<main>" in saved.text
    columns = site.data(f"/overlap/columns.json?{RELEASES}")
    assert [table["n_rows"] for table in columns["tables"]] == [310, 310]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (f"{ZONES}&zones=town&zones=", "Choose two different columns of zones."),
        (f"{ZONES}&zones=town&zones=town", "Choose two different columns of zones."),
        (f"{RELEASES}&sensitive=diagnosis&q=born&q2=town", "Choose the column that identifies people"),
        (f"{RELEASES}&person=id&q=born&q2=town", "Choose the column that is to stay secret."),
        (f"{RELEASES}&person=id&sensitive=diagnosis&pick=1%7Cborn&view2=1%7Cband10", "Tick at least one column"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_on_the_form_as_it_was_filled_in(site: Site, query: str, sentence: str) -> None:
    page = html.unescape(site.text(f"/overlap/report?{query}", 400))
    assert re.search(rf'role="alert">{re.escape(sentence)}', page)
    given = parse_qsl(query)
    for name, value in given:
        if name in ("person", "sensitive"):
            assert re.search(rf'<select id="{name}".*?<option selected>{value}<', page)
    ticked = re.findall(r'name="(pick2?)" value="\d+\|([^"]+)" checked', page)
    names = {"pick": ("q", "pick"), "pick2": ("q2", "pick2")}
    for pick, asked in names.items():
        chosen = {value.rpartition("|")[2] for name, value in given if name in asked}
        assert {name for kind, name in ticked if kind == pick} == chosen
    if "view2" in query:
        assert 'value="1|band10" selected' in page
    if "zones=town" in query:
        assert '<option value="town" selected>' in page
    assert site.data(f"/overlap/report.json?{query}", 400)["error"]


@pytest.mark.parametrize(
    ("query", "options"),
    [
        (f"{ZONES}&zones=town&zones=pst", {"zones": "town,pst"}),
        (f"{COMPARED}&below=1", {"zones": "town,post", "count": "people", "below": 1}),
        (f"{ZONES}&zones=town&zones=post&count=block", {"zones": "town,post", "count": "block"}),
    ],
)
def test_errors_are_those_of_the_command_and_lead_back_to_the_form(
    site: Site, query: str, options: dict[str, object]
) -> None:
    with pytest.raises(IdbitsError) as raised:
        overlap(site.folder / "blocks.csv", **options)
    status = 400 if raised.value.exit_code == 2 else 422
    assert site.data(f"/overlap/report.json?{query}", status) == {"error": str(raised.value)}
    page = html.unescape(site.text(f"/overlap/report?{query}", status))
    assert as_sentence(str(raised.value)) in page
    back = re.search(r'href="(/overlap/columns\?[^"]+)"', page)
    assert back is not None
    assert dict(parse_qsl(back[1])) == dict(parse_qsl("/overlap/columns?" + query))


def test_a_secret_that_is_ticked_is_an_error_in_words_of_the_form(site: Site) -> None:
    page = site.text(f"/overlap/report?{ASKED}&q=diagnosis", 400)
    assert "cannot be both known and secret" in page
    assert "“What may someone know from the first release?”" in page
    assert site.data(f"/overlap/report.json?{COMPARED}&below=many", 400)["error"].startswith("the number of people")


def test_stopping_leads_back_to_the_form(site: Site) -> None:
    site.text(f"/overlap/columns?{ZONES}")
    stopped = site.post("/overlap/cancel", work="nothing", query=f"{COMPARED}&reveal=yes").headers["location"]
    # A table whose columns are known leads to its form, another to the list of tables.
    site.text(f"/overlap/columns?{ZONES}&count=people")
    known = site.post("/overlap/cancel", work="nothing", query=f"{COMPARED}&reveal=yes").headers["location"]
    assert (stopped, known) == ("/overlap?kind=zones", f"/overlap/columns?{COMPARED}")
    gone = site.post("/overlap/cancel", work="nothing", query="kind=zones&in=0&file=../x").headers["location"]
    assert gone == "/overlap"


def test_a_hostile_table_changes_nothing_but_text(site: Site) -> None:
    names = ["<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "a,b", "c|d"]
    table = pa.table({name: [f"<i>{row % (place + 2)}</i>" for row in range(40)] for place, name in enumerate(names)})
    path = site.folder / "<b>hostile.parquet"
    parquet.write_table(table, path)
    try:
        first = {"kind": "zones", "in": "0", "file": path.name}
        zones = urlencode([*first.items(), ("zones", names[0]), ("zones", names[1])])
        both = urlencode({**first, "kind": "releases", "in2": "0", "file2": path.name})
        addresses = [f"columns?{urlencode(first)}", f"report?{zones}", f"report?{zones}&reveal=yes", f"columns?{both}"]
        for address in addresses:
            page = site.text(f"/overlap/{address}")
            assert not re.search(r"<script>alert|<img src=x|<b>|<i>", page), address
            assert "&lt;script&gt;" in page
    finally:
        path.unlink()


def test_two_sources_are_each_read_as_they_were_set_up(
    configured_site: ConfiguredSite, people: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "idbits.toml"
    sets = [("old", "first.parquet", "born < 1950"), ("new", "second.parquet", "born >= 1945")]
    policy.write_text(
        'rules = ["k_min >= 1"]\n'
        + "".join(
            f'[[dataset]]\nname = "{name}"\nsource = "{people / file}"\nqid = ["born"]\nwhere = "{where}"\n'
            'columns = ["id", "born", "town", "diagnosis"]\nsensitive = ["diagnosis"]\n'
            for name, file, where in sets
        )
    )
    own = configured_site(policy)
    query = "kind=releases&set=old&set2=new&person=id&sensitive=diagnosis&q=born&q2=town"
    found = own.data(f"/overlap/report.json?{query}")
    born = [1930 + n % 40 for n in range(320)]
    both = sum(1945 <= born[n] < 1950 for n in range(10, 310))
    assert found["people"] == both
    # No command reads two tables in different ways.
    assert ">Command<" not in own.text(f"/overlap/report?{query}")
