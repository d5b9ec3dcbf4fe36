"""A page as one HTML file: no script, nothing loaded from elsewhere, for screens, paper and screen readers."""

from __future__ import annotations

from markupsafe import Markup

from idbits.render.html import environment
from idbits.render.page import Figure, Page
from idbits.render.svg import to_svg

__all__ = ["to_html"]


def to_html(page: Page) -> str:
    """Return a page as one file that stands alone."""

    def drawn(figure: Figure, name: str) -> Markup:
        # Every text in a picture has been escaped by whoever drew it.
        return Markup(to_svg(figure.chart, name))  # noqa: S704

    return environment().get_template("report.html").render(page=page, drawn=drawn)
