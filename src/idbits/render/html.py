"""Blocks as HTML for notebooks, and a page as one file: everything escaped, no scripts, nothing loaded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from idbits.render.blocks import Block
from idbits.render.first_page import SizeBars
from idbits.render.page import Figure, Page
from idbits.render.size_bars import narrow_size_bars, wide_size_bars
from idbits.render.svg import to_svg
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
        return Markup(to_svg(figure.chart, name))  # noqa: S704

    def size_bars(bars: SizeBars, words_id: str) -> Markup:
        return Markup(wide_size_bars(bars, words_id) + narrow_size_bars(bars, words_id))  # noqa: S704

    def running(line: str) -> Markup:
        return Markup(_page_foot(line))  # noqa: S704

    return (
        environment()
        .get_template("report.html")
        .render(page=page, drawn=drawn, prose=_prose, size_bars=size_bars, running=running)
    )


_FOOT = '8pt "Segoe UI", system-ui, Arial, sans-serif; color: #555a62'


def _page_foot(line: str) -> str:
    """Return the style of the foot of printed pages; every character of the text is escaped, whatever it is."""
    text = "".join(f"\\{ord(character):06x}" for character in safe(line))
    return (
        f'@page {{ @bottom-left {{ content: "{text}"; font: {_FOOT}; }} '
        f'@bottom-right {{ content: "Page " counter(page) " of " counter(pages); font: {_FOOT}; }} }}'
    )


def style_within(selector: str) -> str:
    """Return the colours of a page and the style of its first sheet, for a page that is part of another one."""
    styles = [environment().get_template(name).render() for name in ("colours.css", "first_page.css")]
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
