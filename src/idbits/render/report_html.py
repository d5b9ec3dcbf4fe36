"""A page as one HTML file: no script, nothing loaded from elsewhere, for screens, paper and screen readers."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from idbits.render.html import environment
from idbits.render.page import Figure, Page
from idbits.render.svg import to_svg
from idbits.render.text import safe

__all__ = ["to_html"]

_NAMES = re.compile("\u2068([^\u2068\u2069]*)\u2069")


def to_html(page: Page) -> str:
    """Return a page as one file that stands alone."""

    def drawn(figure: Figure, name: str) -> Markup:
        # Every text in a picture has been escaped by whoever drew it.
        return Markup(to_svg(figure.chart, name))  # noqa: S704

    return environment().get_template("report.html").render(page=page, drawn=drawn, prose=_prose)


def _prose(sentence: str) -> Markup:
    """Return a sentence with each name in it in an element of its own; everything else is escaped."""
    pieces = _NAMES.split(sentence)
    told = [Markup("<bdi>{}</bdi>").format(safe(piece)) if place % 2 else escape(safe(piece))
            for place, piece in enumerate(pieces)]  # fmt: skip
    return Markup("").join(told)
