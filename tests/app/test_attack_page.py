"""The pages about synthetic data: the same figures and sentences as the command, and no row of any table."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import idbits
from idbits.errors import IdbitsError
from idbits.render.pdf import is_pdf_possible
from idbits.studies.link.study import link
from idbits.web.wording import as_sentence

from .conftest import ConfiguredSite, Site
from .test_link_page import sentences

TWO = "in=0&file=synthetic.parquet&in2=0&file2=original.parquet"
THREE = f"{TWO}&in3=0&file3=control.parquet"
LINKABILITY = "&attack=linkability&left=age&left=pay&right=town&right=job"


@pytest.fixture(scope="module", autouse=True)
def tables(people: Path) -> Iterator[None]:
    """Write 150 original people, a control of as many, and synthetic records of which half repeat original people."""
    draw = np.random.default_rng(3)
    rows = [
        {"age": int(draw.integers(18, 90)), "pay": float(draw.normal(0, 2_000)), "town": str(draw.choice(list("abcd"))),
         "job": str(draw.choice(["Bartholomeus", "q", "r", "s", "t", "u"]))}
        for _ in range(450)
    ]  # fmt: skip
    parts = {"original": rows[:150], "control": rows[150:300], "synthetic": rows[75:150] + rows[300:375]}
    for name, part in parts.items():
        parquet.write_table(pa.Table.from_pylist(part), people / f"{name}.parquet")
    yield
    for name in parts:
        (people / f"{name}.parquet").unlink()


def test_the_tables_are_chosen_one_after_the_other(site: Site) -> None:
    assert 'href="/attack"' in site.text("/link")
    start = html.unescape(site.text("/attack"))
    assert 'href="/attack?in=0&file=synthetic.parquet"' in start
    second = html.unescape(site.text("/attack?in=0&file=synthetic.parquet"))
    assert f'href="/attack?{TWO}"' in second
    assert 'href="/attack?in=0&file=synthetic.parquet&in2=0&dir2=towns"' in second
    third = html.unescape(site.text(f"/attack?{TWO}"))
    assert f'href="/attack/columns?{THREE}"' in third
    assert f'href="/attack/columns?{TWO}"' in third
    assert "synthetic.parquet" in [entry["name"] for entry in site.data("/attack.json")["entries"]]


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", {"attack": "singling-out"}),
        (f"{LINKABILITY}&attacks=100",
         {"attack": "linkability", "left": "age,pay", "right": "town,job", "attacks": 100}),
        ("&attack=inference&infer=pay", {"attack": "inference", "infer": "pay"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("chosen", [TWO, THREE], ids=["alone", "control"])
def test_answers_are_those_of_the_command(site: Site, query: str, options: dict[str, object], chosen: str) -> None:
    control = site.folder / "control.parquet" if chosen == THREE else None
    expected = idbits.link(
        site.folder / "synthetic.parquet", original=site.folder / "original.parquet", control=control, **options
    )
    assert site.data(f"/attack/report.json?{chosen}{query}") == json.loads(expected.to_json())
    page = site.text(f"/attack/report?{chosen}{query}")
    text = sentences(page)
    verdict = expected.blocks()[0]
    assert all(sentence in text for sentence in (verdict.title, verdict.sentence, *verdict.more))
    assert "Experimental: the method may change." in text
    assert expected.blocks()[1].caption in text
    # Drawn for wide and for narrow pages.
    assert re.findall('<svg class="(?:drawing )?(wide|narrow)"', page) == ["wide", "narrow"]
    assert "Bartholomeus" not in page
    command = html.unescape(re.search(r"idbits link [^<]*", page)[0])
    assert f"--attack {options['attack']}" in command
    assert ("--control" in command) == (control is not None)
    # Back on the form, it is as it was filled in.
    form = html.unescape(site.text(f"/attack/columns?{chosen}{query}"))
    assert f'name="attack" value="{options["attack"]}" checked' in form
    halves = re.findall(r'<option value="([a-z]+\|[a-z]+)" selected', form)
    assert halves == (["left|age", "left|pay", "right|town", "right|job"] if "left" in options else [])
    assert ("<option selected>pay" in form) == ("infer" in options)


def test_the_answer_can_be_saved(site: Site) -> None:
    page = site.text(f"/attack/report?{TWO}&attacks=50")
    kinds = {"html": b"<!doctype html>", **({"pdf": b"%PDF-"} if is_pdf_possible() else {})}
    for kind, beginning in kinds.items():
        assert f'href="/attack/report.{kind}?' in page
        saved = site.get(f"/attack/report.{kind}?{TWO}&attacks=50")
        assert saved.headers["content-disposition"] == f'attachment; filename="attack.{kind}"'
        assert saved.content.startswith(beginning)
        assert b"Bartholomeus" not in saved.content


def test_a_form_is_sent_in_short(site: Site) -> None:
    fields = [("attack", "linkability"), ("half", "left|age"), ("half", ""), ("half", "right|town"), ("infer", ""),
              ("attacks", ""), ("where", "")]  # fmt: skip
    answer = site.get(f"/attack/report?{THREE}&{urlencode(fields)}", follow_redirects=False)
    expected = f"/attack/report?{THREE}&attack=linkability&left=age&right=town"
    assert (answer.status_code, answer.headers["location"]) == (303, expected)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("&attack=linkability", "Choose at least one column for each half of a person."),
        ("&attack=linkability&left=age", "Choose at least one column for each half of a person."),
        ("&attack=linkability&left=age&right=age", "Choose one half for each column."),
        ("&attack=inference", "Choose the column that is guessed."),
        ("&attacks=many", "Write the number of attacks as a whole number, such as 500."),
    ],
)
def test_what_is_missing_is_said_on_the_form(site: Site, query: str, sentence: str) -> None:
    page = html.unescape(site.text(f"/attack/report?{THREE}{query}", 400))
    assert re.search(rf'role="alert">{re.escape(sentence)}', page)
    assert site.data(f"/attack/report.json?{THREE}{query}", 400)["error"]


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("&attack=inference&infer=no", {"attack": "inference", "infer": "no"}),
        ("&attacks=151", {"attack": "singling-out", "attacks": 151}),
    ],
)
def test_errors_are_those_of_the_command(site: Site, query: str, options: dict[str, object]) -> None:
    with pytest.raises(IdbitsError) as raised:
        link(site.folder / "synthetic.parquet", original=site.folder / "original.parquet", **options)
    assert site.data(f"/attack/report.json?{TWO}{query}", 400) == {"error": str(raised.value)}
    page = html.unescape(site.text(f"/attack/report?{TWO}{query}", 400))
    assert as_sentence(str(raised.value)) in page
    assert "--" not in sentences(page)


def test_the_original_people_are_needed(site: Site) -> None:
    only_control = "in=0&file=synthetic.parquet&in3=0&file3=control.parquet"
    for query in ("in=0&file=synthetic.parquet", only_control):
        assert "the people from whom it was made" in html.unescape(site.text(f"/attack/columns?{query}", 400))


def test_a_source_shows_only_the_columns_that_were_set_up(
    configured_site: ConfiguredSite, people: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "idbits.toml"
    sets = [("made", "synthetic.parquet", '["age", "pay", "town"]'), ("real", "original.parquet", '["age", "town"]')]
    policy.write_text(
        'rules = ["k_min >= 1"]\n'
        + "".join(
            f'[[dataset]]\nname = "{name}"\nsource = "{people / file}"\nqid = ["age"]\ncolumns = {columns}\n'
            for name, file, columns in sets
        )
    )
    own = configured_site(policy)
    form = own.text("/attack/columns?set=made&set2=real")
    assert set(re.findall(r'value="left\|([a-z]+)"', form)) == {"age", "town"}
    assert own.data("/attack/report.json?set=made&set2=real&attack=inference&infer=age")["known"] == ["town"]
    error = own.data("/attack/report.json?set=made&set2=real&attack=linkability&left=age&right=job", 400)["error"]
    assert '"job"' in error
