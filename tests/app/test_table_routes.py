"""What pages about several tables have in common: they open only files that are offered, and every way back works."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from idbits.errors import InputError
from idbits.web.attack_request import AttackRequest
from idbits.web.link_request import LinkRequest
from idbits.web.overlap_request import OverlapRequest
from idbits.web.ways_back import ways_back

from .conftest import Site

FIRST = "in=0&file=people.parquet"
BOTH = f"{FIRST}&in2=0&file2=towns%2Ftown.csv"
THREE = f"{BOTH}&in3=0&file3=people.parquet"
ZONES = f"kind=zones&{FIRST}&zones=zip&zones=gender"
RELEASES = f"kind=releases&{BOTH}&person=id&sensitive=gender&q=zip&q2=zip"
HALVES = "&attack=linkability&left=zip&left=gender&right=birthdate"
Read = Callable[[Any], Any]


@pytest.mark.parametrize(
    ("read", "query"),
    [
        (OverlapRequest.read, ZONES),
        (OverlapRequest.read, RELEASES),
        (OverlapRequest.read, f"{ZONES}&below=5&reveal=yes"),
        (OverlapRequest.read, f"{RELEASES}&where=zip+%3E+1"),
        (LinkRequest.read, f"{BOTH}&on=zip"),
        (LinkRequest.read, f"{BOTH}&on=zip&known=share&share=80"),
        (LinkRequest.read, f"{BOTH}&on=zip&truth=id&truth2=id&compare=odds&claim=90"),
        (LinkRequest.read, f"{BOTH}&on=zip&where=zip+%3E+1&sheet2=a"),
        (AttackRequest.read, THREE),
        (AttackRequest.read, f"{THREE}{HALVES}"),
        (AttackRequest.read, f"{BOTH}&attack=inference&infer=zip&attacks=9&where=zip+%3E+1"),
    ],
)
def test_an_address_is_its_own_short_form(read: Read, query: str) -> None:
    short = read(parse_qsl(query)).query()
    assert sorted(parse_qsl(short)) == sorted(parse_qsl(query))
    assert read(parse_qsl(short)).query() == short


@pytest.mark.parametrize(
    ("page", "query"), [("/overlap", ZONES), ("/link", f"{BOTH}&on=zip"), ("/attack", f"{THREE}{HALVES}")]
)
def test_a_busy_server_leads_back_to_the_form(page: str, query: str) -> None:
    assert [address for _, address in ways_back(f"{page}/report", query, 429)] == [
        f"{page}/report?{query}", f"{page}/columns?{query}", page,
    ]  # fmt: skip
    assert ways_back(f"{page}/report", f"in=0&file={'x' * 2000}") == [("Choose other tables", page)]


@pytest.mark.parametrize("read", [OverlapRequest.read, LinkRequest.read, AttackRequest.read])
@pytest.mark.parametrize("name", ["file", "file2", "zones", "on", "left"])
def test_too_long_a_field_is_refused(read: Read, name: str) -> None:
    with pytest.raises(InputError, match="at most 1,000 characters"):
        read([("in", "0"), (name, "x" * 1001)])


@pytest.mark.parametrize(
    ("page", "query", "fields"),
    [
        ("/overlap", f"kind=releases&{FIRST}&in2=0&file2=empty.csv&person=id&q=born", ["person=id", "q=born"]),
        ("/link", f"{FIRST}&in2=0&file2=empty.csv&on=zip", ["on=zip"]),
        ("/attack", f"{FIRST}&in2=0&file2=empty.csv&attack=inference&infer=zip", ["attack=inference", "infer=zip"]),
    ],
)
def test_tables_that_cannot_be_read_can_be_read_otherwise(
    site: Site, people: Path, page: str, query: str, fields: list[str]
) -> None:
    path = people / "empty.csv"
    path.write_text("")
    try:
        failed = site.text(f"{page}/columns?{query}", 422)
        assert f'<form action="{page}/columns" method="get"' in failed
        for field in ("file2=empty.csv", *fields):
            name, _, value = field.partition("=")
            assert f'name="{name}" value="{value}"' in failed
        assert ('name="delimiter2"' in failed) == (page == "/link")
        before = len(site.app.state.work_queue._works)
        again = site.post(f"{page}/again", query=query, page="columns")
        assert again.headers["location"] == f"{page}/columns?{query}"
        assert len(site.app.state.work_queue._works) == before - 2
    finally:
        path.unlink()


@pytest.mark.parametrize("page", ["/overlap", "/link", "/attack"])
@pytest.mark.parametrize("action", ["cancel", "again"])
def test_nothing_is_changed_without_the_token(site: Site, page: str, action: str) -> None:
    address = f"{page}/{action}"
    assert site.browser.post(address, data={"work": "x"}).status_code == 403
    assert site.browser.post(address, data={"csrf_token": "wrong", "work": "x"}).status_code == 403
    elsewhere = {"Origin": "http://evil.example"}
    assert site.browser.post(address, data={"csrf_token": site.token}, headers=elsewhere).status_code == 403


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", ".hidden.csv", "..%2f..%2fetc%2fpasswd", "%00"])
@pytest.mark.parametrize(
    "where",
    [
        "/overlap/columns?kind=zones&in=0&file=",
        "/overlap/report?kind=zones&zones=a&zones=b&in=0&file=",
        f"/overlap/report?kind=releases&{FIRST}&person=id&sensitive=gender&q=zip&q2=zip&in2=0&file2=",
        "/overlap?kind=zones&dir=",
        f"/overlap?kind=releases&{FIRST}&dir2=",
        "/link/columns?in2=0&file2=people.parquet&in=0&file=",
        f"/link/columns?{FIRST}&in2=0&file2=",
        f"/link/report?{FIRST}&on=zip&in2=0&file2=",
        "/link?dir=",
        f"/link?{FIRST}&dir2=",
        f"/attack/columns?{FIRST}&in2=0&file2=",
        f"/attack/report?{BOTH}&in3=0&file3=",
        "/attack?dir=",
        f"/attack?{BOTH}&dir3=",
    ],
)
def test_no_other_file_is_opened(site: Site, where: str, path: str) -> None:
    page = site.text(where + path, 400)
    kind, _, query = where.partition("?")
    assert "is not among those that idbits was started with" in page
    assert f'href="/{kind.split("/")[1]}' in page
    assert "root:" not in page
    assert "is not among those" in site.data(f"{kind}.json?{query}{path}", 400)["error"]
