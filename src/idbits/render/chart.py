"""A chart that stands alone: in a notebook, or as an SVG, PNG or Vega-Lite file, in the colours of reports."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, cast

from idbits.errors import InputError
from idbits.render.svg import CHART_STYLE, VEGA_LITE, VegaLite
from idbits.storage import expand_home, whole_file

__all__ = ["THEMES", "Chart"]

THEMES = ("light", "dark")
_WIDTH = 480
_SCALE = 2.0
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
    """A chart of an answer.

    A notebook shows it. It never loads anything from elsewhere.

    Attributes:
        name: which chart of the answer it is.
        specification: the chart in Vega-Lite, without a theme.
        theme: ``light`` or ``dark``.
    """

    name: str
    specification: VegaLite
    theme: str = "light"

    def __post_init__(self) -> None:
        if self.theme not in THEMES:
            raise InputError(f'no theme is named "{self.theme}"; choose {" or ".join(THEMES)}')
        if _has_address(self.specification):
            raise InputError('a chart includes its data and has no links; remove the keys "url" and "href"')

    def __repr__(self) -> str:
        return f"Chart(name={self.name!r}, title={self.title!r}, theme={self.theme!r})"

    @property
    def title(self) -> str:
        """What the chart shows, in a few words."""
        given = self.specification.get("title") or self.specification.get("description") or self.name
        return str(given["text"] if isinstance(given, dict) else given)

    def with_theme(self, theme: str) -> Chart:
        """Return the same chart in another theme."""
        return replace(self, theme=theme)

    def to_vega_lite(self) -> dict[str, Any]:
        """Return the chart as a Vega-Lite specification that includes its data and its colours."""
        chart = dict(self.specification)
        if "width" not in chart and "facet" not in chart:
            chart["width"] = _WIDTH
        if "title" not in chart:
            chart["title"] = self.title
        style = CHART_STYLE | {
            "background": "var(--paper)",
            "padding": 12,
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
        made: dict[str, Any] = json.loads(json.dumps(chart))
        return cast("dict[str, Any]", _coloured(made, _colours(self.theme)))

    def to_svg(self) -> str:
        """Return the chart as an SVG file."""
        import vl_convert

        chart = self.to_vega_lite()
        drawn: str = vl_convert.vegalite_to_svg(chart, vl_version=VEGA_LITE, allowed_base_urls=[])
        # A notebook shows several charts on one page, where ids must differ; each drawing would number them anew.
        own = hashlib.sha256(json.dumps(chart).encode()).hexdigest()[:8]
        numbers: dict[str, int] = {}

        def renamed(found: re.Match[str]) -> str:
            number = numbers.setdefault(found[1] or found[2], len(numbers))
            return f'id="c{own}-{number}"' if found[1] else f"url(#c{own}-{number})"

        drawn = _INSIDE_TAGS.sub(lambda tag: _ID.sub(renamed, tag[0]), drawn)
        return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(self.title)}" ', 1)

    def to_png(self, scale: float = _SCALE) -> bytes:
        """Return the chart as a PNG file; ``scale`` is the number of pixels per unit."""
        import vl_convert

        png: bytes = vl_convert.vegalite_to_png(
            self.to_vega_lite(), vl_version=VEGA_LITE, scale=scale, allowed_base_urls=[]
        )
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


@cache
def _colours(theme: str) -> dict[str, str]:
    """Return the colours of reports by the names of their variables."""
    style = (Path(__file__).parent / "templates" / "colours.css").read_text(encoding="utf-8")
    blocks = [dict(re.findall(r"(--\w+): ([^;]+);", block)) for block in style.split(":root {")[1:]]
    light, dark, _, aliases = blocks
    colours = light | (dark if theme == "dark" else {})
    return colours | {name: colours[_VARIABLE.sub(r"\1", value)] for name, value in aliases.items()}
