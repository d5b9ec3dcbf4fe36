"""A chart of an answer is the chart of its report: the same drawing, and the same figures in Vega-Lite."""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from real_answers import PEOPLE, VISITS, answer
from test_plots import values_in

import idbits
from idbits.render.chart import Chart
from idbits.render.html import to_html
from idbits.render.page import Section
from idbits.studies.report.attack_section import attack_section
from idbits.studies.report.link_section import link_section
from idbits.studies.report.overlap_sections import releases_section, zones_section
from idbits.studies.report.saved_text import events_section, leak_section, subsets_section
from idbits.studies.shared.presentation import Answer

SECTIONS: dict[type, Any] = {
    idbits.Events: events_section,
    idbits.Leak: leak_section,
    idbits.ColumnSubsets: subsets_section,
    idbits.Linkage: link_section,
    idbits.SyntheticAttack: lambda result, name, _: attack_section(result, name),
    idbits.ZoneOverlap: zones_section,
    idbits.ReleaseOverlap: releases_section,
}
NOT_IN_A_REPORT = {"subsets", "contribution", "lattice", "left_out"}
"""Charts of combinations of columns that a report of saved answers leaves out."""
SAVED = [
    "Events", "Events by week", "Leak", "ColumnSubsets", "ColumnSubsets of people", "Linkage", "Linkage with coverage",
    "SyntheticAttack", "ZoneOverlap", "ReleaseOverlap",
]  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"
PLACES = {"x", "y", "width", "height", "x1", "x2", "y1", "y2", "cx", "cy", "r", "points", "d", "transform"}


def shapes(part: ElementTree.Element) -> list[tuple[str, ...]]:
    """Return the marks of a drawing with their places and their words, without groups and colours."""
    marks = []
    for element in part.iter():
        tag = element.tag.removeprefix(SVG)
        if tag in ("g", "svg", "defs", "clipPath", "title"):
            continue
        places = [f"{name}={value}" for name, value in sorted(element.attrib.items()) if name in PLACES]
        marks.append((tag, *places, "".join(element.itertext())))
    return marks


def drawing_of(chart: Chart) -> list[tuple[str, ...]]:
    """Return the marks of a chart without its paper and its title."""
    root = ElementTree.fromstring(chart.to_svg())
    return shapes(list(root)[-1])


def drawings(html: str) -> list[list[tuple[str, ...]]]:
    return [
        shapes(ElementTree.fromstring(svg)) for svg in re.findall(r"<svg class=\"drawing.*?</svg>", html, re.DOTALL)
    ]


def page_with(*sections: Section) -> str:
    report = answer("Report")
    assert isinstance(report, idbits.Report)
    return to_html(replace(report.page, sections=sections, first=None))


def check_drawings(result: Answer, names: list[str], html: str) -> None:
    drawn = drawings(html)
    for name in names:
        for size in ("wide", "narrow"):
            chart = result.plot(name, size=size)
            if chart.drawing is not None:
                assert drawing_of(chart) in drawn, (name, size)
            assert chart.title in re.sub("</?bdi>|[\u2066-\u2069]", "", html).replace("&#39;", "'") or name == "shares"


@pytest.mark.parametrize("name", SAVED)
def test_a_section_of_a_report_has_the_charts_of_the_answer(name: str) -> None:
    result = answer(name)
    section = SECTIONS[type(result)](result, "saved-1", "topic")
    names = [each for each in result.plot_names if each not in NOT_IN_A_REPORT]
    assert len(section.figures) == len(names)
    check_drawings(result, names, page_with(section))


REPORTS: dict[str, Any] = {
    "rows": lambda: idbits.report(PEOPLE, ["birthdate:year", "gender"], sensitive="zip:prefix2", people=5_000),
    "categories": lambda: idbits.report(PEOPLE, ["birthdate:year"], by="gender"),
    "people": lambda: idbits.report(VISITS, ["place", "date:month"], person="patient"),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_plots_the_charts_of_its_page(name: str) -> None:
    report: idbits.Report = REPORTS[name]()
    html = report.to_html()
    assert len(report.plot_names) >= 6
    check_drawings(report, list(report.plot_names), html)
    # Every drawing of the page can be plotted.
    plotted = [drawing_of(report.plot(each, size=size)) for each in report.plot_names for size in ("wide", "narrow")]
    assert all(each in plotted for each in drawings(html))


@pytest.mark.parametrize("name", [*SAVED, "Measurement", "Measurement by category", "Gain", "Disclosure", "Report",
                                  "Gain of a sweep", "PopulationAnswer", "Advice", "Measurements"])  # fmt: skip
def test_vega_lite_says_what_the_drawing_says(name: str) -> None:
    """Every figure that a drawing shows as a text is in the data of the specification, and the other way round."""
    result = answer(name)
    for chosen in result.plot_names:
        chart = result.plot(chosen)
        if chart.drawing is None:
            continue
        keys = ("name", "column", "who", "people", "size", "shown", "first_shown", "second_shown", "words", "more")
        said = numbers(str(row[key]) for row in values_in(chart.to_vega_lite()) for key in keys if row.get(key))
        drawn = numbers(text for *_, text in drawing_of(chart))
        shown = numbers(
            str(row[key])
            for row in values_in(chart.to_vega_lite())
            for key in keys
            if "shown" in key or key == "words"
            if row.get(key)
        )
        assert shown
        assert shown <= drawn, chosen
        # What is drawn besides are the numbers of axes and of further columns.
        assert len(drawn - said) <= 12, (chosen, drawn - said)


def numbers(texts: Iterable[str]) -> set[str]:
    return {number.rstrip(".,") for text in texts for number in re.findall(r"\d[\d.,]*%?", text)}


def test_a_drawing_in_a_notebook_has_no_style_of_its_own(tmp_path: Path) -> None:
    """A style would also apply to the page around the chart, and programs that know no CSS would draw it black."""
    chart = answer("Measurement").plot("sizes")
    svg = chart.to_svg()
    assert not re.search("<style|class=|var\\(|--", svg)
    colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg))
    assert {"#b0370b", "#f0b795", "#ffffff", "#1b5c9c"} <= colours
    assert all(re.fullmatch("none|#[0-9a-f]{6}", colour) for colour in colours)
    dark = set(re.findall(r'(?:fill|stroke)="([^"]*)"', chart.with_theme("dark").to_svg()))
    assert {"#ff9c6e", "#15181d"} <= dark
    assert not dark & colours


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_long_title_takes_several_lines(size: str) -> None:
    chart = replace(answer("Measurement").plot("bits", size=size), specification={"title": "a long title " * 20})
    root = ElementTree.fromstring(chart.to_svg())
    lines = [part for part in list(root)[1] if part.tag == f"{SVG}text"]
    assert " ".join("".join(part.itertext()) for part in lines) == " ".join(["a long title"] * 20)
    assert len(lines) > 1
    assert max(float(part.attrib["y"]) for part in lines) < float(root.attrib["height"])
