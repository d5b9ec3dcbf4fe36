"""The page Second table: the same figures and sentences as the command, and no row of the second table."""

import csv
import html
import io
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pyarrow as pa
import pypdf
import pytest
from pyarrow import parquet

import idbits
from idbits.errors import IdbitsError
from idbits.render.pdf import is_pdf_possible
from idbits.studies.link.study import link
from idbits.web.link_request import LinkRequest
from idbits.web.wording import as_sentence

from .conftest import ConfiguredSite, Site

TABLES = "in=0&file=released.parquet&in2=0&file2=voters.csv"
LINKED = f"{TABLES}&on=born%3Ddob&on=zip&on=sex"
NAMES = ["Aaltje", "Bartholomeus", "Cunegonde"]


@pytest.fixture(scope="module", autouse=True)
def tables(people: Path) -> Iterator[None]:
    """Write a release of 200 people, and a roll with 400 people, those of the release among them."""
    draw = random.Random(5)
    rows = [
        {
            "id": f"n{n}",
            "born": f"{1930 + draw.randrange(60)}-0{1 + draw.randrange(9)}-1{draw.randrange(9)}",
            "zip": f"10{draw.randrange(10, 60)}",
            "sex": draw.choice("FM"),
            "illness": draw.choice(["none", "none", "flu"]),
        }
        for n in range(400)
    ]
    parquet.write_table(pa.Table.from_pylist(rows[:200]), people / "released.parquet")
    with (people / "voters.csv").open("w", newline="") as file:
        roll = csv.writer(file)
        roll.writerow(["Voter", "dob", "zip", "sex", "id"])
        roll.writerows([f"{NAMES[n % 3]} {n}", row["born"], row["zip"], row["sex"], row["id"]]
                       for n, row in enumerate(rows))  # fmt: skip
    yield
    for name in ("released.parquet", "voters.csv"):
        (people / name).unlink()


def sentences(page: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]*>", "", page)))


def chosen_items(form: str) -> list[str]:
    """Return the pairs that are ticked in a form, each with how exactly it is compared."""
    chosen = []
    for pair in re.findall(r'<li><label class="tick".*?</li>', form, re.DOTALL):
        base = re.search(r'name="on" value="([^"]+)" checked', pair)
        how = re.search(r'<option value="([^"]+)" selected', pair)
        if base is not None:
            chosen.append(dict(parse_qsl(how[1]))["as"] if how is not None else base[1])
    return chosen


def test_the_tables_are_chosen_one_after_the_other(site: Site) -> None:
    start = html.unescape(site.text("/link"))
    assert 'href="/link?in=0&file=released.parquet"' in start
    assert re.search(r'<a href="/link" aria-current="page">Second table</a>', start)
    second = html.unescape(site.text("/link?in=0&file=released.parquet"))
    assert f'href="/link/columns?{TABLES}"' in second
    assert 'href="/link?in=0&file=released.parquet&in2=0&dir2=towns"' in second
    # The second table is looked for beside the first.
    assert "town.csv" in site.text("/link?in=0&file=towns/town.csv")
    assert "voters.csv" in [entry["name"] for entry in site.data("/link.json")["entries"]]


def test_pairs_of_columns_are_proposed(site: Site) -> None:
    page = html.unescape(site.text(f"/link/columns?{TABLES}"))
    assert "Release: 200 rows, 5 columns. Second table: 400 rows, 5 columns." in page
    offered = re.findall(r'name="on" value="([^"]+)"( checked)?', page)
    assert dict(offered) == {"id": "", "born=dob": " checked", "zip": " checked", "sex": " checked"}
    assert "Same kind of values · 100% of the values are in both tables" in page
    assert 'id="known-nothing" name="known" value="nothing" checked' in page
    sent = f"{TABLES}&on=zip&own=born&other=dob&known=share&share=80&truth=&truth2=&sensitive=&where=&dates2="
    answer = site.get(f"/link/report?{sent}", follow_redirects=False)
    expected = f"/link/report?{TABLES}&on=zip&on=born%3Ddob&known=share&share=80"
    assert (answer.status_code, answer.headers["location"]) == (303, expected)
    # Back on the form, it is as it was filled in.
    more = "&on=zip&on=born:year%3Ddob&on=born%3Ddob~5d&known=share&share=80"
    chosen = html.unescape(site.text(f"/link/columns?{TABLES}{more}"))
    # The view is chosen beside its pair; an item that is not proposed has a line of its own.
    assert chosen_items(chosen) == ["born:year=dob", "zip", "born=dob~5d"]
    assert 'value="share" checked' in chosen


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", {}),
        ("&known=everyone&sensitive=illness", {"coverage": 1, "sensitive": "illness"}),
        ("&known=share&share=62,5", {"coverage": 0.625}),
        ("&truth=id&truth2=id", {"truth": "id"}),
    ],
)
def test_answers_are_those_of_the_command(site: Site, query: str, options: dict[str, object]) -> None:
    first, second = site.folder / "released.parquet", site.folder / "voters.csv"
    expected = idbits.link(first, second, ["born=dob", "zip", "sex"], **options)
    assert expected.records.one_to_one > 100
    assert site.data(f"/link/report.json?{LINKED}{query}") == json.loads(expected.to_json())
    page = site.text(f"/link/report?{LINKED}{query}")
    text = sentences(page)
    verdict = expected.blocks()[0]
    assert verdict.title in text
    assert verdict.sentence in text
    if options:
        assert all(sentence in text for sentence in verdict.more)
    assert [page.count(f'<svg class="drawing {kind}"') for kind in ("wide", "narrow")] == [3, 3]
    assert "one person, and no other record fits that person" in text
    assert "born=dob, zip and sex" in text
    assert "\\u2068" not in text
    assert not any(name in page for name in NAMES)
    assert not re.search(r"\b(n7|flu|10[1-5]\d)\b", text)


@pytest.mark.parametrize(
    ("on", "query", "options"),
    [
        (["born:year=dob", "zip", "sex"], "", {}),
        (["born=dob~3d", "zip", "sex"], "&known=share&share=80", {"coverage": 0.8}),
        (["zip:prefix2", "born=dob", "sex"], "&sensitive=illness", {"sensitive": "illness"}),
        (["born=dob", "zip", "sex"], "&compare=odds", {"probabilistic": True}),
        (["born:month=dob", "zip", "sex"], "&truth=id&truth2=id&compare=odds&claim=90",
         {"probabilistic": True, "threshold": 0.9, "truth": "id"}),
    ],
)  # fmt: skip
def test_values_can_be_coarser_near_or_weighed_together(
    site: Site, on: list[str], query: str, options: dict[str, object]
) -> None:
    expected = idbits.link(site.folder / "released.parquet", site.folder / "voters.csv", on, **options)
    address = f"{TABLES}&{urlencode([('on', item) for item in on])}{query}"
    assert site.data(f"/link/report.json?{address}") == json.loads(expected.to_json())
    page = site.text(f"/link/report?{address}")
    text = sentences(page)
    assert expected.blocks()[0].title in text
    assert ("How the bits of a claim add up, on average" in text) == ("probabilistic" in options)
    assert ("right guesses" in text) == ("coverage" in options or "truth" in options)
    # The page names the command that gives the same answer.
    command = html.unescape(re.search(r"idbits link [^<]*", page)[0])
    assert ("--probabilistic" in command, "--threshold 0.9" in command) == (
        "probabilistic" in options, "threshold" in options,
    )  # fmt: skip
    # Back on the form, it is as it was filled in.
    form = html.unescape(site.text(f"/link/columns?{address}"))
    assert sorted(chosen_items(form)) == sorted(on)
    assert f'name="compare" value="{"odds" if "probabilistic" in options else "values"}" checked' in form


def test_ways_to_compare_fit_the_columns_of_both_tables(site: Site) -> None:
    page = html.unescape(site.text(f"/link/columns?{TABLES}"))
    offered: dict[str, list[str]] = {}
    for value in re.findall(r'<option value="(on=[^"]+)"', page):
        how = dict(parse_qsl(value))
        offered.setdefault(how["on"], []).append(how["as"])
    assert offered["born=dob"][:3] == ["born:day=dob", "born:month=dob", "born:quarter=dob"]
    assert offered["born=dob"][-3:] == ["born=dob~3d", "born=dob~31d", "born=dob~366d"]
    assert {"zip:prefix3", "zip:prefix2", "zip~edit1"} <= set(offered["zip"])
    assert offered["sex"] == ["sex~fold", "sex~fold~edit1", "sex~fold~jw0.92"]
    assert "at most 3 days apart" in page
    sent = (
        f"{TABLES}&on=born%3Ddob&on=zip&how=on%3Dborn%253Ddob%26as%3Dborn%253Ddob~3d&how=&how=on%3Dsex%26as%3Dsex~fold"
    )
    answer = site.get(f"/link/report?{sent}&compare=values&claim=", follow_redirects=False)
    assert answer.headers["location"] == f"/link/report?{TABLES}&on=born%3Ddob~3d&on=zip"


def test_the_answer_can_be_saved(site: Site) -> None:
    site.text(f"/link/report?{LINKED}")
    saved = site.get(f"/link/report.html?{LINKED}")
    assert saved.headers["content-disposition"] == 'attachment; filename="link.html"'
    assert "<main>" in saved.text
    assert not any(name in saved.text for name in NAMES)
    assert [table["n_rows"] for table in site.data(f"/link/columns.json?{TABLES}")["tables"]] == [200, 400]


def test_the_answer_can_be_saved_as_a_pdf(site: Site) -> None:
    if not is_pdf_possible():
        pytest.skip("WeasyPrint or Pango is not installed (tests/packages.sh)")
    page = site.text(f"/link/report?{LINKED}")
    assert 'href="/link/report.pdf?' in page
    drawn = site.get(f"/link/report.pdf?{LINKED}")
    assert drawn.headers["content-disposition"] == 'attachment; filename="link.pdf"'
    text = "".join(sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(drawn.content)).pages)
    assert "born=dob, zip and sex" in re.sub(r"\s+", " ", text)
    assert not any(name in text for name in NAMES)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "Tick at least one pair of columns to compare."),
        ("&on=zip&truth=id", "Choose the column that identifies people in both tables, or in neither."),
        ("&on=zip&truth=id&truth2=id&known=everyone", "Choose “Nothing” for what is known about the second table"),
        ("&on=zip&share=80", "Choose “A share of the people in the release is in it”, or remove the share."),
        ("&on=zip&known=everyone&share=80", "Choose “A share of the people in the release is in it”, or remove"),
        ("&on=zip&known=share", "Write the share of people who are in the second table in percent, such as 80."),
        ("&on=zip&known=share&share=most", "Write the share of people who are in the second table in percent"),
        ("&on=zip&known=share&share=0", "The share of people who are in the second table must be above 0%"),
        ("&on=zip&claim=90", "Choose “All columns together, with typing errors”, or remove the probability."),
        ("&on=zip&compare=odds&claim=100", "Write the least probability of a claim in percent, above 0 and below 100"),
        ("&on=zip&compare=odds&known=everyone", "Choose “Nothing” for what is known about the second table"),
        ("&on=zip&compare=odds&sensitive=illness", "Choose “nothing” for what is to stay secret, or compare each"),
        ("&on=zip~edit1&compare=odds", "Choose “as it is” or a coarser view for each column"),
        ("&on=zip&known=share&share=101", "The share of people who are in the second table must be above 0%"),
    ],
)
def test_what_is_missing_is_said_on_the_form_as_it_was_filled_in(site: Site, query: str, sentence: str) -> None:
    page = html.unescape(site.text(f"/link/report?{TABLES}{query}", 400))
    assert re.search(rf'role="alert">{re.escape(sentence)}', page)
    given = parse_qsl(query)
    assert chosen_items(page) == [value for name, value in given if name == "on"]
    known = dict(given).get("known", "nothing")
    assert re.findall(r'name="known" value="([^"]+)" checked', page) == [known]
    for name in ("truth", "truth2"):
        if name in dict(given):
            assert re.search(rf'<select id="{name}".*?<option selected>id<', page)
    assert site.data(f"/link/report.json?{TABLES}{query}", 400)["error"]


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("&on=zp", {"on": "zp"}),
        ("&on=zip%3Dzap", {"on": "zip=zap"}),
        ("&on=zip&sensitive=zip", {"on": "zip", "sensitive": "zip"}),
        ("&on=zip&truth=sex&truth2=sex", {"on": "zip", "truth": "sex"}),
    ],
)
def test_errors_are_those_of_the_command_and_lead_back_to_the_form(
    site: Site, query: str, options: dict[str, str]
) -> None:
    with pytest.raises(IdbitsError) as raised:
        link(site.folder / "released.parquet", site.folder / "voters.csv", **options)
    status = 400 if raised.value.exit_code == 2 else 422
    assert site.data(f"/link/report.json?{TABLES}{query}", status) == {"error": str(raised.value)}
    page = html.unescape(site.text(f"/link/report?{TABLES}{query}", status))
    assert as_sentence(str(raised.value)) in page
    back = re.search(r'href="(/link/columns\?[^"]+)"', page)
    assert back is not None
    assert parse_qsl(back[1].partition("?")[2]) == parse_qsl(LinkRequest.read(parse_qsl(TABLES + query)).query())


def test_each_table_is_read_in_its_own_way(site: Site, people: Path) -> None:
    path = people / "semicolons.csv"
    path.write_text("zip;sex\n" + "".join(f"10{n};{'FM'[n % 2]}\n" for n in range(10, 60)))
    try:
        query = "in=0&file=released.parquet&in2=0&file2=semicolons.csv"
        options = "&where=sex+%3D+%27F%27&delimiter2=%3B&on=zip"
        found = site.data(f"/link/report.json?{query}{options}")
        expected = idbits.link(people / "released.parquet", path, "zip", where="sex = 'F'", delimiter_b=";")
        assert found == json.loads(expected.to_json())
        assert 0 < found["n_records"] < 200
        page = site.text(f"/link/columns?{query}{options}")
        assert 'name="delimiter2" maxlength="2" value=";"' in page
        assert 'name="delimiter" maxlength="2" value=""' in page
    finally:
        path.unlink()


def test_names_that_may_be_data_are_not_shown(site: Site, people: Path) -> None:
    path = people / "headless.csv"
    path.write_text("".join(f"1985-05-{day:02},10{day:02},{'MF'[day % 2]}\n" for day in range(1, 29)))
    try:
        query = "in=0&file=released.parquet&in2=0&file2=headless.csv"
        page = html.unescape(site.text(f"/link/columns?{query}"))
        assert "may be a person instead of column names" in page
        assert "1985-05-01" not in page
        # Only the second table lacks names.
        assert f'href="/link/columns?{query}&header2=no"' in page
        assert "28 rows" in site.text(f"/link/columns?{query}&header2=no")
    finally:
        path.unlink()


def test_stopping_leads_back_to_the_form(site: Site) -> None:
    site.text(f"/link/columns?{TABLES}")
    known = site.post("/link/cancel", work="nothing", query=LINKED).headers["location"]
    unread = site.post("/link/cancel", work="nothing", query=f"{LINKED}&where=zip+%3E+1").headers["location"]
    gone = site.post("/link/cancel", work="nothing", query="in=0&file=../x&in2=0&file2=x").headers["location"]
    assert (known, unread, gone) == (f"/link/columns?{LINKED}", "/link", "/link")


def test_a_hostile_table_changes_nothing_but_text(site: Site) -> None:
    names = ["<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "a,b", "c=d~1", "e"]
    table = pa.table({name: [f"<i>{row % (place + 2)}</i>" for row in range(40)] for place, name in enumerate(names)})
    path = site.folder / "<b>hostile.parquet"
    parquet.write_table(table, path)
    try:
        both = urlencode({"in": "0", "file": path.name, "in2": "0", "file2": path.name})
        linked = both + "&" + urlencode([("on", name) for name in names])
        for address in (f"columns?{both}", f"report?{linked}"):
            page = site.text(f"/link/{address}")
            assert not re.search(r"<script>alert|<img src=x|<b>|<i>", page), address
            assert "&lt;script&gt;" in page
        assert site.data(f"/link/report.json?{linked}")["on"] == names
    finally:
        path.unlink()


def test_a_source_shows_only_the_columns_that_were_set_up(
    configured_site: ConfiguredSite, people: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "idbits.toml"
    sets = [("old", "released.parquet", '["born", "zip", "sex"]'), ("roll", "voters.csv", '["dob", "zip"]')]
    policy.write_text(
        'rules = ["k_min >= 1"]\n'
        + "".join(
            f'[[dataset]]\nname = "{name}"\nsource = "{people / file}"\nqid = ["zip"]\ncolumns = {columns}\n'
            for name, file, columns in sets
        )
    )
    own = configured_site(policy)
    page = own.text("/link/columns?set=old&set2=roll")
    assert set(re.findall(r'name="on" value="([^"]+)"', page)) == {"born=dob", "zip"}
    assert own.data("/link/report.json?set=old&set2=roll&on=zip")["n_people"] == 400
    assert '"sex"' in own.data("/link/report.json?set=old&set2=roll&on=sex", 400)["error"]
    assert '"id"' in own.data("/link/report.json?set=old&set2=roll&on=zip&truth=id&truth2=id", 400)["error"]
