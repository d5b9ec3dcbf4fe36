"""A report as a part of a page: the same content, without the style that its own file carries."""

from __future__ import annotations

__all__ = ["report_part"]


def report_part(html: str) -> str:
    """Return what stands in the body of a report's file; the page around it brings the style.

    Everything that comes from a table is escaped in it, so these tags are the template's own.

    >>> report_part("<html><body>\\n<main>a</main><footer>b</footer></body></html>")
    '<div>a</div><div class="foot">b</div>'
    """
    body = html.partition("<body>")[2].rpartition("</body>")[0]
    for tag, instead in (("main", "<div>"), ("footer", '<div class="foot">')):
        body = body.replace(f"<{tag}>", instead, 1).replace(f"</{tag}>", "</div>", 1)
    return body.strip()
