"""The charts of links have the figures of the answer, in the command and in a report."""

import random
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import idbits
from idbits.render.html import to_html
from idbits.render.numbers import bar_share
from idbits.studies.link.result import Linkage
from idbits.studies.report.link_page import link_page
from idbits.studies.report.link_section import link_section
from idbits.studies.report.saved import answer_from, read_saved
from idbits.studies.report.saved_text import saved_section


@pytest.fixture(scope="module")
def answer() -> Linkage:
    """Link 300 people with a second table that has typing errors."""
    draw = random.Random(2)
    rows = [
        {
            "id": n,
            "name": f"name{draw.randrange(150)}",
            "zip": str(1000 + draw.randrange(80)),
            "day": draw.randrange(365),
        }
        for n in range(400)
    ]
    wrong = [{**row, "zip": str(1000 + draw.randrange(80))} if draw.random() < 0.2 else row for row in rows]
    found = idbits.link(
        pa.Table.from_pylist(rows[:300]),
        pa.Table.from_pylist(wrong[50:]),
        "name,zip,day",
        probabilistic=True,
        truth="id",
    )
    assert isinstance(found, Linkage)
    return found


def test_calibration_is_drawn_in_ten_bins(answer: Linkage) -> None:
    assert answer.calibration is not None
    values = answer.charts()["calibration"]["data"]["values"]
    assert len(values) == 20
    for bin_, (expected, right) in zip(answer.calibration, zip(values[::2], values[1::2], strict=True), strict=True):
        assert (expected["pairs"], right["pairs"]) == ("right, expected", "right")
        if not bin_.pairs:
            assert expected["share"] is right["share"] is None
            continue
        assert expected["share"] * bin_.pairs == pytest.approx(bin_.expected)
        assert right["share"] * bin_.pairs == pytest.approx(bin_.right)
        assert bin_.low - 1e-9 <= expected["share"] <= bin_.high + 1e-9
    assert sum(bin_.pairs for bin_ in answer.calibration) > 200


def test_a_report_draws_what_the_answer_has(answer: Linkage) -> None:
    section = link_section(answer, "link", "Links")
    assert [figure.words.partition(":")[0] for figure in section.figures][-2:] == [
        "What the columns add to the odds of a claim, on average",
        "Pairs by their probability",
    ]
    # Each chart is drawn at two widths.
    assert to_html(link_page(answer, ["released", "known"])).count("<svg") == 2 * len(section.figures)
    claims = answer.thresholds[0].claims
    assert section.title == f"People can be named: {bar_share(claims / 300)} of the records claim a person"
    titles = [table.title for table in section.tables]
    assert titles[2:4] == ["Claims by their probability", "What each agreement tells"]
    cells = [cell for table in section.tables for row in table.rows for cell in row]
    assert not any("\u2068" in cell for cell in cells)


def test_without_the_truth_there_is_no_calibration() -> None:
    table = pa.table({"zip": ["1", "2", "2"], "sex": ["F", "M", "F"]})
    assert set(idbits.link(table, table, "zip,sex").charts()) == {"records", "candidates", "columns"}


def test_a_saved_answer_is_shown_as_it_was_given(answer: Linkage, tmp_path: Path) -> None:
    file = tmp_path / "link.json"
    file.write_text(answer.to_json(), encoding="utf-8")
    saved = read_saved(file, internal=False)
    rebuilt = answer_from(saved.answer)
    assert rebuilt is not None
    assert rebuilt.to_dict() == answer.to_dict()
    section, given = saved_section(saved, 1), link_section(answer, "saved-1", "Links")
    assert (section.tables, section.figures) == (given.tables, given.figures)
    assert section.text[: len(given.text)] == given.text


def test_a_page_of_odds_does_not_speak_of_even_guesses(answer: Linkage) -> None:
    page = link_page(answer, ["released", "known"])
    assert [tile.label for tile in page.tiles[:2]] == ["of the records claim a person", "of the claims are right"]
    unchecked = link_page(replace(answer, truth=None, calibration=None), ["released", "known"])
    tile = unchecked.tiles[1]
    assert (tile.label, tile.value) == ("right claims expected", answer.thresholds[0].expected_right)
    assert not any("guess" in text for section in unchecked.sections for text in section.text)
