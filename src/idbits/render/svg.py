"""Vega-Lite specs as static SVG in the colours of the page: no scripts, nothing loaded, no network.

Colours are CSS variables, so that one chart serves light, dark and print.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from idbits.render.text import safe

__all__ = ["CHART_STYLE", "FONT_FAMILY", "VEGA_LITE", "WIDTHS", "VegaLite", "fitted_specification", "to_svg"]

VegaLite = Mapping[str, object]
"""A chart as a Vega-Lite specification."""

VEGA_LITE = "5.20"
"""The version of Vega-Lite that charts are drawn with."""
WIDTHS = {"wide": 720, "narrow": 342}
"""The widths at which charts are drawn."""
FONT_FAMILY = "sans-serif"
_FONT = 13
_LEGEND = {
    "labelColor": "var(--ink)",
    "titleColor": "var(--soft)",
    "labelFontSize": _FONT,
    "titleFontSize": _FONT,
    "titleFontWeight": "normal",
}
_LEGEND_ABOVE = {
    "orient": "top",
    "columns": 1,
    "gradientDirection": "horizontal",
    "gradientLength": 180,
}
CHART_STYLE: dict[str, object] = {
    "aria": False,
    "background": None,
    "font": FONT_FAMILY,
    "padding": {"left": 10, "top": 6, "right": 6, "bottom": 2},
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--ink)",
        "titleColor": "var(--soft)",
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelFontSize": _FONT,
        "titleFontSize": _FONT,
        "titleFontWeight": "normal",
        "labelLimit": 130,
        "tickCount": 5,
    },
    "legend": _LEGEND,
    "bar": {"color": "var(--cloud)"},
    "line": {"color": "var(--ink)", "strokeWidth": 2},
    "rule": {"color": "var(--second)"},
    "text": {"color": "var(--ink)", "fontSize": _FONT},
}
# Specs that are also drawn elsewhere have fixed colours.
_COLOURS = {"#2166ac": "var(--first)", "#d95f02": "var(--second)", "#4c78a8": "var(--first)"}
_NOISE = re.compile(
    r' (?:class|aria-[a-z]+|role|pointer-events|font-family|xmlns(?::xlink)?|version|stroke-miterlimit)="[^"]*"'
    r'| opacity="1"'
)
_EMPTY = re.compile(r'<path(?: d="(?:M0,0h0v0h0Z)?"| display="none")+/>|<g>\s*</g>')
_LONG_NUMBERS = re.compile(r"(?<![\w#.])(-?\d+\.\d{2})\d+")
_INSIDE_TAGS = re.compile(r"<[^>]*>")
# The library that draws charts ends the whole process at a character that XML does not have. It fails at the
# separators of lines and paragraphs, which end a text in its expressions.
_NOT_DRAWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def to_svg(chart: VegaLite, name: str, kind: str = "wide") -> str:
    """Return a chart as an SVG element; ``name`` makes its ids different from those of other charts.

    It is drawn as wide as it is read, so that its type has the size of the page. To a screen reader it is one image,
    described by the element ``<name>-words`` of the page.
    """
    import vl_convert

    spec = fitted_specification(chart, kind)
    spec.pop("title", None)
    drawn: str = vl_convert.vegalite_to_svg(
        spec | {"config": CHART_STYLE | spec.get("config", {})}, vl_version=VEGA_LITE, allowed_base_urls=[]
    )
    drawn = _INSIDE_TAGS.sub(lambda tag: _tidy(tag.group(), f"{name}-{kind}"), drawn)
    previous = None
    while drawn != previous:
        previous, drawn = drawn, _EMPTY.sub("", drawn)
    width, height, rest = _split_size(drawn)
    head = f'<svg class="{kind}" role="img" aria-labelledby="{name}-words" viewBox="0 0 {width} {height}"'
    # If the page is too narrow, the chart stays at the left.
    head += ' preserveAspectRatio="xMinYMin meet"'
    return f'{head} width="{width}" height="{height}">{rest}'


def fitted_specification(chart: VegaLite, kind: str = "wide") -> dict[str, Any]:
    """Return a chart that is as wide as it is read."""
    spec: dict[str, Any] = _drawable(json.loads(json.dumps(chart)))
    if "facet" not in spec:
        # The panels of a facet have a width of their own.
        spec |= {"width": WIDTHS[kind], "autosize": {"type": "fit-x", "contains": "padding"}}
    if kind == "narrow":
        # Beside the bars, it would leave them no room.
        spec["config"] = spec.get("config", {}) | {"legend": _LEGEND | _LEGEND_ABOVE}
    return spec


def _drawable(part: Any) -> Any:
    """Return a part of a specification in which characters that no drawing can have are shown by their codes."""
    if isinstance(part, str):
        return _NOT_DRAWN.sub(lambda found: safe(found[0]), part)
    if isinstance(part, list):
        return [_drawable(each) for each in part]
    if isinstance(part, dict):
        return {_drawable(name): _drawable(each) for name, each in part.items()}
    return part


def _tidy(tag: str, name: str) -> str:
    tag = _NOISE.sub("", tag)
    tag = _LONG_NUMBERS.sub(r"\1", tag)
    for given, variable in _COLOURS.items():
        tag = tag.replace(given, variable)
    tag = re.sub(r'\bid="([^"]*)"', rf'id="{name}-\1"', tag)
    return re.sub(r"url\(#([^)]*)\)", rf"url(#{name}-\1)", tag)


def _split_size(drawn: str) -> tuple[str, str, str]:
    opening, _, rest = drawn.partition(">")
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', opening)
    assert size is not None
    return size[1], size[2], rest
