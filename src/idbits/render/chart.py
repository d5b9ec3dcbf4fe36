"""A chart that stands alone: in a notebook, or as an SVG, PNG or Vega-Lite file, in the colours of reports."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from idbits.errors import InputError
from idbits.render.drawing_specifications import specification_of
from idbits.render.page import plain
from idbits.render.standalone import colours_of, standalone_svg, title_lines
from idbits.render.svg import CHART_STYLE, VEGA_LITE, WIDTHS, VegaLite, fitted_specification
from idbits.render.text import safe
from idbits.storage import expand_home, whole_file

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart
    from idbits.render.drawing import Drawing

__all__ = ["SIZES", "THEMES", "Chart", "chart_of"]

THEMES = ("light", "dark")
SIZES = ("wide", "narrow")
_SCALE = 2.0
_MOST_SCALE = 20
# Browsers may draw labels in a wider font than the one that they were measured in.
_ROOM = 18
# Specifications have fixed colours, for any program that draws them; axis titles call them blue and orange.
_FIXED = {
    "#2166ac": "goal", "#4c78a8": "goal", "#d95f02": "risk", "#9aa0a6": "edge", "#1b1f24": "ink", "#92c5de": "goal2",
    "#67a9cf": "goal2", "#d1e5f0": "cloud",
}  # fmt: skip
_VARIABLE = re.compile(r"var\((--\w+)\)")
_INSIDE_TAGS = re.compile(r"<[^>]*>")
# The only keys with colours: names and values in a table may look like a colour, too.
_COLOURED = re.compile("background|category|fill|ramp|range|stroke|value|color|[a-z]+Color")
_ROWS = ("data", "datasets")
_ADDRESSES = ("url", "href")
_ID = re.compile(r'\bid="([^"]*)"|url\(#([^)]*)\)')


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart of an answer, drawn as in a report.

    A notebook shows it. It never loads anything from elsewhere.

    Attributes:
        name: which chart of the answer it is.
        specification: the chart in Vega-Lite, without a theme.
        theme: ``light`` or ``dark``.
        size: ``wide`` (720 units) or ``narrow`` (342 units): another layout, not a smaller one.
        words: what the chart shows, for people who cannot see it.
        drawing: the drawing of the report; None if the report draws the specification.
    """

    name: str
    specification: VegaLite
    theme: str = "light"
    size: str = "wide"
    words: str = ""
    drawing: Drawing | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for what, given, known in (("theme", self.theme, THEMES), ("size", self.size, SIZES)):
            if given not in known:
                raise InputError(f'no {what} is named "{given}"; choose {" or ".join(known)}')
        if _has_address(self.specification):
            raise InputError('a chart includes its data and has no links; remove the keys "url" and "href"')

    def __repr__(self) -> str:
        size = f", size={self.size!r}" if self.size != SIZES[0] else ""
        return f"Chart(name={self.name!r}, title={self.title!r}, theme={self.theme!r}{size})"

    @property
    def title(self) -> str:
        """What the chart shows, in a few words."""
        given = self.specification.get("title") or self.specification.get("description") or self.name
        return str(given["text"] if isinstance(given, dict) else given)

    @property
    def alternative_text(self) -> str:
        """The title and the words, for people who cannot see the chart."""
        return f"{self.title}. {self.words}" if self.words else self.title

    def with_theme(self, theme: str) -> Chart:
        """Return the same chart in another theme."""
        return replace(self, theme=theme)

    def with_size(self, size: str) -> Chart:
        """Return the same chart in another size: ``wide`` or ``narrow``."""
        return replace(self, size=size)

    def to_vega_lite(self) -> dict[str, Any]:
        """Return the chart as a Vega-Lite specification that includes its data and its colours."""
        chart = fitted_specification(self.specification, self.size)
        chart["title"] = {"text": title_lines(self.title, WIDTHS[self.size] - 24)}
        style = CHART_STYLE | {
            "background": "var(--paper)",
            "padding": {"left": 12 + _ROOM, "right": 12 + _ROOM, "top": 12, "bottom": 12},
            "title": {"color": "var(--ink)", "anchor": "start", "fontSize": 15, "fontWeight": 600},
            "point": {"size": 60},
            "mark": {"color": "var(--goal)"},
            "range": {
                "category": [f"var(--{name})" for name in ("goal", "risk", "learn", "judge", "edge")],
                "ramp": ["var(--goal2)", "var(--goal)"],
            },
            "header": {"labelColor": "var(--ink)", "titleColor": "var(--soft)"},
        }
        chart["config"] = style | cast("dict[str, object]", chart.get("config", {}))
        return cast("dict[str, Any]", _coloured(chart, colours_of(self.theme)))

    def to_svg(self) -> str:
        """Return the chart as an SVG file."""
        if self.drawing is not None:
            drawn = self.drawing.wide("words") if self.size == "wide" else self.drawing.narrow("words")
            return standalone_svg(drawn, self.theme, self.title, self.alternative_text)
        import vl_convert

        chart = self.to_vega_lite()
        drawn = vl_convert.vegalite_to_svg(chart, vl_version=VEGA_LITE, allowed_base_urls=[])
        # A notebook shows several charts on one page, where ids must differ; each drawing would number them anew.
        own = hashlib.sha256(json.dumps(chart).encode()).hexdigest()[:8]
        numbers: dict[str, int] = {}

        def renamed(found: re.Match[str]) -> str:
            number = numbers.setdefault(found[1] or found[2], len(numbers))
            return f'id="c{own}-{number}"' if found[1] else f"url(#c{own}-{number})"

        drawn = _INSIDE_TAGS.sub(lambda tag: _ID.sub(renamed, tag[0]), drawn)
        return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(safe(self.alternative_text))}" ', 1)

    def to_png(self, scale: float = _SCALE) -> bytes:
        """Return the chart as a PNG file; ``scale`` is the number of pixels per unit."""
        import vl_convert

        if not 0 < scale <= _MOST_SCALE:
            raise InputError(f"scale must be above 0 and at most {_MOST_SCALE}")
        png: bytes = vl_convert.svg_to_png(self.to_svg(), scale=scale)
        return png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chart to a file; its name ends with ``.svg``, ``.png`` or ``.json`` (Vega-Lite)."""
        file = Path(expand_home(path))
        kind = file.suffix.lower()
        if kind == ".svg":
            content = self.to_svg().encode()
        elif kind == ".png":
            content = self.to_png()
        elif kind == ".json":
            content = f"{json.dumps(self.to_vega_lite(), ensure_ascii=False)}\n".encode()
        else:
            raise InputError("the name of a chart's file must end with .svg, .png or .json (Vega-Lite)")
        with whole_file(file) as draft:
            draft.write_bytes(content)

    def _repr_svg_(self) -> str:
        return self.to_svg()


def chart_of(name: str, described: DescribedChart, theme: str = "light", size: str = "wide") -> Chart:
    """Return the chart that a report shows."""
    words, title, drawing = plain(described.words), plain(described.title), None
    if isinstance(described.chart, Mapping):
        specification = dict(described.chart)
    else:
        drawing = described.chart
        specification = dict(specification_of(drawing))
    return Chart(name, {**specification, "title": title, "description": words}, theme, size, words, drawing)


def _has_address(part: Any) -> bool:
    """Return whether a part of a specification loads something or links to it; rows of data may have any key."""
    if isinstance(part, list):
        return any(map(_has_address, part))
    if not isinstance(part, dict):
        return False
    rows = ("values", "datasets")
    return not part.keys().isdisjoint(_ADDRESSES) or any(_has_address(part[name]) for name in part if name not in rows)


def _coloured(part: Any, colours: dict[str, str]) -> Any:
    """Return a part of a specification with the colours of a theme."""
    if isinstance(part, list):
        return [_coloured(each, colours) for each in part]
    if not isinstance(part, dict):
        return part
    made = {name: each if name in _ROWS else _coloured(each, colours) for name, each in part.items()}
    for name in filter(_COLOURED.fullmatch, part):
        one, several = made[name], isinstance(made[name], list)
        made[name] = [_colour(each, colours) for each in one] if several else _colour(one, colours)
    return made


def _colour(value: Any, colours: dict[str, str]) -> Any:
    """Return the colour that a variable or a fixed colour of a specification has in a theme; others stay."""
    if not isinstance(value, str):
        return value
    variable = _VARIABLE.fullmatch(value)
    name = variable[1] if variable is not None else f"--{_FIXED.get(value)}"
    return colours.get(name, value)
