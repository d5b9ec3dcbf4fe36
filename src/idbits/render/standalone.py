"""A drawing of a page as a file of its own: its classes become colours and sizes, and its title stands above it.

A style in the file would also apply to the page that the file is put into, such as a notebook.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from xml.etree import ElementTree

from idbits.render.drawing import label, room
from idbits.render.scales import coordinate
from idbits.render.svg import FONT_FAMILY
from idbits.render.text import safe

__all__ = ["colours_of", "standalone_svg", "title_lines"]

_SPACE = "http://www.w3.org/2000/svg"
_PADDING, _TITLE_LINE, _TITLE_SIZE = 12.0, 20.0, 15.0
_VARIABLE = re.compile(r"var\((--\w+)\)")
# Programs that draw SVG know two weights at least, and few know those between.
_WEIGHTS = {"650": "600"}
_LEFT_OUT = ("font-family",)


@cache
def colours_of(theme: str) -> dict[str, str]:
    """Return the colours of reports by the names of their variables."""
    style = (Path(__file__).parent / "templates" / "colours.css").read_text(encoding="utf-8")
    blocks = [dict(re.findall(r"(--\w+): ([^;]+);", block)) for block in style.split(":root {")[1:]]
    light, dark, _, aliases = blocks
    colours = light | (dark if theme == "dark" else {})
    return colours | {name: colours[_VARIABLE.sub(r"\1", value)] for name, value in aliases.items()}


def standalone_svg(drawing: str, theme: str, title: str, words: str) -> str:
    """Return a drawing as an SVG file, with a title above it on the paper of a theme.

    Args:
        drawing: a drawing, as its ``wide`` or ``narrow`` returns it.
        theme: ``light`` or ``dark``.
        title: what stands above it.
        words: what a screen reader says.
    """
    tree = ElementTree.fromstring(drawing)  # noqa: S314 (our own drawing)
    _, _, width, height = map(float, tree.attrib["viewBox"].split())
    colours = colours_of(theme)
    for element in tree.iter():
        _paint(element, colours)
    lines = title_lines(title, width)
    top = _PADDING + _TITLE_LINE * len(lines) + 6
    ink = colours["--ink"]
    titles = "".join(label(_PADDING, _PADDING + 13 + _TITLE_LINE * index, text) for index, text in enumerate(lines))
    size = f'width="{coordinate(width + 2 * _PADDING)}" height="{coordinate(top + height + _PADDING)}"'
    inner, spoken = "".join(_written(element) for element in tree), escape(safe(words))
    return (
        f'<svg xmlns="{_SPACE}" {size} viewBox="0 0 {coordinate(width + 2 * _PADDING)} '
        f'{coordinate(top + height + _PADDING)}" role="img" aria-label="{spoken}" font-family="{FONT_FAMILY}">'
        f'<rect width="100%" height="100%" fill="{colours["--paper"]}"/>'
        f'<g fill="{ink}" font-size="{coordinate(_TITLE_SIZE)}" font-weight="600">{titles}</g>'
        f'<g transform="translate({coordinate(_PADDING)} {coordinate(top)})">{inner}</g></svg>'
    )


def title_lines(title: str, width: float) -> list[str]:
    """Return a title in lines that fit into a width.

    >>> title_lines("How many people are unique", 150)
    ['How many', 'people are', 'unique']
    """
    lines = [""]
    for word in title.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and room(longer, bold=True, size=_TITLE_SIZE) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _paint(element: ElementTree.Element, colours: Mapping[str, str]) -> None:
    """Write what the style of a page says about an element into its attributes."""
    names = ["text"] if element.tag == "text" else []
    for name in [*names, *(f".{each}" for each in element.attrib.pop("class", "").split())]:
        for key, value in _rules().get(name, {}).items():
            if key not in _LEFT_OUT:
                element.set(key, _VARIABLE.sub(lambda found: colours[found[1]], _WEIGHTS.get(value, value)))


def _written(element: ElementTree.Element) -> str:
    return ElementTree.tostring(element, encoding="unicode")


@cache
def _rules() -> dict[str, dict[str, str]]:
    """Return what the style of a page says about texts and about each class of a drawing."""
    style = (Path(__file__).parent / "templates" / "drawings.css").read_text(encoding="utf-8")
    rules: dict[str, dict[str, str]] = {}
    for selectors, body in re.findall(r"([^{}@;]+)\{([^{}]*)\}", style.partition("@media")[0]):
        declared = {key.strip(): value.strip() for key, _, value in (each.partition(":") for each in body.split(";"))}
        for selector in selectors.split(","):
            name = selector.split()[-1]
            rules.setdefault(name, {}).update({key: value for key, value in declared.items() if key})
    return rules
