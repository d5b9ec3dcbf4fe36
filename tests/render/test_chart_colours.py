"""The style of a page in its charts: what a browser would compute, written into attributes."""

from typing import Any

import pytest

from idbits.render.chart_colours import style_charts

cssselect2 = pytest.importorskip("cssselect2", reason="the extra idbits[pdf] is not installed")
tinyhtml5 = pytest.importorskip("tinyhtml5", reason="the extra idbits[pdf] is not installed")

STYLE = """
:root { --ink: #111111; --line: var(--ink); --tone: #222222; }
@media (prefers-color-scheme: dark) { :root { --ink: #eeeeee; } }
@media screen { .bar { fill: #ff0000; } }
@media print { :root { --ink: #000000; } .part .bar { fill: var(--tone); stroke-width: 2px; } }
.part { --tone: #b0370b; color: var(--tone); }
svg text { font-family: Arial; font-size: 13px; fill: var(--ink); }
.halo { stroke: #ffffff; stroke-width: 5px; paint-order: stroke; }
.bar { fill: var(--unknown, #333333); width: 50%; }
"""
BODY = """
<p id="words">What it <b>shows</b>,
  in words.</p>
<div class="part"><svg role="img" aria-labelledby="words"><rect class="bar" stroke="var(--line)"/>
<text class="halo" font-family="Times" style="opacity: 1; fill: var(--line)">label</text></svg></div>
<svg aria-hidden="true"><rect class="bar"/></svg>
"""


@pytest.fixture
def charts() -> list[Any]:
    page = tinyhtml5.parse(
        f"<!doctype html><html><head><style>{STYLE}</style></head><body>{BODY}</body></html>",
        namespace_html_elements=False,
    )
    style_charts(cssselect2.ElementWrapper.from_html_root(page), "Some Font")
    return list(page.iter("{http://www.w3.org/2000/svg}svg"))


def child(chart: Any, name: str) -> Any:
    return chart.find(f"{{http://www.w3.org/2000/svg}}{name}")


def test_rules_for_paper_and_variables_of_the_part(charts: list[Any]) -> None:
    bar = child(charts[0], "rect")
    assert (bar.get("fill"), bar.get("stroke"), bar.get("stroke-width")) == ("#b0370b", "#000000", "2px")
    assert bar.get("width") is None
    assert child(charts[1], "rect").get("fill") == "#333333"


def test_the_colour_of_the_text_around_a_chart(charts: list[Any]) -> None:
    assert [chart.get("color") for chart in charts] == ["#b0370b", "#000000"]


def test_texts_have_the_font_of_the_page_and_no_halo_over_them(charts: list[Any]) -> None:
    text = child(charts[0], "text")
    assert (text.get("font-family"), text.get("font-size"), text.get("fill")) == (None, "13px", "#000000")
    assert charts[0].get("font-family") == "Some Font"
    assert text.get("stroke") is None
    assert text.get("style") == "opacity: 1; fill: #000000"


def test_a_chart_has_the_words_that_describe_it(charts: list[Any]) -> None:
    assert child(charts[0], "title").text == "What it shows, in words."
    assert child(charts[1], "title") is None
