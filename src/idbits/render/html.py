"""Blocks as HTML for notebooks, and a page as one file: everything escaped, no scripts, nothing loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from idbits.render.blocks import Block
from idbits.render.drawing import Drawing
from idbits.render.first_page import FirstPage, SizeBars
from idbits.render.page import Figure, Page
from idbits.render.size_bars import narrow_size_bars, wide_size_bars
from idbits.render.svg import VegaLite, to_svg
from idbits.render.text import safe

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["environment", "style_within", "to_fragment", "to_html"]

_NAMES = re.compile("\u2068([^\u2068\u2069]*)\u2069")


def to_fragment(blocks: Sequence[Block]) -> str:
    """Return blocks as an HTML fragment that includes its style."""
    kinds = [(type(block).__name__.lower(), block) for block in blocks]
    return environment().get_template("fragment.html").render(blocks=kinds)


def to_html(page: Page) -> str:
    """Return a page as one self-contained file, for screens, paper and screen readers."""
    from markupsafe import Markup

    def drawn(figure: Figure, name: str) -> Markup:
        # The drawing has already escaped every text in it.
        return Markup("".join(_drawings(figure.chart, name)))  # noqa: S704

    def size_bars(bars: SizeBars, words_id: str) -> Markup:
        return Markup(wide_size_bars(bars, words_id) + narrow_size_bars(bars, words_id))  # noqa: S704

    def page_frame(first: FirstPage) -> Markup:
        return Markup(_page_frame(first))  # noqa: S704

    return (
        environment()
        .get_template("report.html")
        .render(page=page, drawn=drawn, prose=_prose, size_bars=size_bars, page_frame=page_frame)
    )


def _drawings(chart: VegaLite | Drawing, name: str) -> tuple[str, str]:
    """Return a chart for wide and for narrow pages; the style of the page shows one of them."""
    if isinstance(chart, Mapping):
        return to_svg(chart, name, "wide"), to_svg(chart, name, "narrow")
    return chart.wide(f"{name}-words"), chart.narrow(f"{name}-words")


_FONT = '"Segoe UI", system-ui, Arial, sans-serif; color: #555a62'


def _page_frame(first: FirstPage) -> str:
    """Return the style of the head and foot of printed pages: the dataset, the date, the report and the page.

    The first page has its own head.
    """
    head = f"@top-left {{ content: {_css_text(first.dataset)}; font: 600 8.4pt {_FONT}; }} "
    head += f"@top-right {{ content: {_css_text(f'Evidence · {first.day}')}; font: 8.4pt {_FONT}; }}"
    foot = f"@bottom-left {{ content: {_css_text(first.running)}; font: 8pt {_FONT}; }} "
    foot += f'@bottom-right {{ content: "Page " counter(page) " of " counter(pages); font: 8pt {_FONT}; }}'
    return f"@page {{ {foot} }}\n@page evidence {{ margin: 19mm 16mm 15mm; {head} }}"


def _css_text(text: str) -> str:
    """Return a text for a style, every character escaped, whatever it is."""
    return '"' + "".join(f"\\{ord(character):06x}" for character in safe(text)) + '"'


def style_within(selector: str) -> str:
    """Return the style of a page, for a page that is part of another one."""
    names = ("colours.css", "drawings.css", "first_page.css", "evidence.css")
    styles = [environment().get_template(name).render() for name in names]
    return f"{selector} {{\n{''.join(styles).replace(':root', '&')}\n}}\n"


def _prose(sentence: str) -> Markup:
    """Return a sentence, escaped, with each name in a separate element."""
    from markupsafe import Markup, escape

    pieces = [escape(safe(piece)) for piece in _NAMES.split(sentence)]
    # The pattern has one group, so names are the odd pieces.
    pieces[1::2] = [Markup("<bdi>{}</bdi>").format(name) for name in pieces[1::2]]
    return Markup("").join(pieces)


@cache
def environment(package: str = "idbits.render") -> Environment:
    """Return the templates of a package, which escape everything and show control characters."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda shown: safe(shown) if type(shown) is str else shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
