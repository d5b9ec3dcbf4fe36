"""A web page as a PDF: tagged, with bookmarks, the same bytes for the same page; nothing is loaded from anywhere.

The extra ``idbits[pdf]`` has the renderer, WeasyPrint, which uses the library Pango.
"""

from __future__ import annotations

import contextlib
import html as markup
import io
import logging
import re
import sys
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from idbits._version import __version__
from idbits.errors import EngineError, InputError
from idbits.render.chart_colours import style_charts
from idbits.render.html import environment

__all__ = ["check_pdf", "is_pdf_possible", "to_pdf"]

_FAMILY = '"Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif'
_WEIGHT = re.compile(r"(font-weight:\s*)(\d)(?!00)\d\d\b")
# How closely the first sheet is set; each is tried only if the one before takes more than a page.
_DENSITIES = ("", "dense", "dense tight", "dense tight tightest")
_MOST_ROWS_TOGETHER = 24
_EVIDENCE = "evidence"


def check_pdf() -> None:
    """Say what to install if no PDF can be written."""
    try:
        # WeasyPrint prints advice of many lines if it misses a library, and crashes if there is no font.
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.filterwarnings("error", ".*FontConfig", UserWarning)
            import weasyprint  # noqa: F401
    except ImportError:
        raise InputError("PDF support is not installed; run pip install 'idbits[pdf]'") from None
    except UserWarning:
        raise InputError(
            "a PDF needs a font, and none is installed; on Debian and Ubuntu run apt-get install fonts-dejavu-core"
        ) from None
    except OSError:
        raise InputError(
            "a PDF needs the library Pango, which is not installed; on Debian and Ubuntu run "
            "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
        ) from None


def is_pdf_possible() -> bool:
    """Whether a PDF can be written here."""
    try:
        check_pdf()
    except InputError:
        return False
    return True


def to_pdf(page: str, made_at: datetime) -> bytes:
    """Return a page of ``to_html`` as a PDF.

    Args:
        page: the page; its first sheet is set on exactly one page of paper.
        made_at: the time in the properties of the file.
    """
    check_pdf()
    with _failing_renderer():
        prepared = _prepared(page, made_at)
        for density in _DENSITIES['<div class="sheet dense">' in page :]:
            document = _laid_out(prepared, density)
            if _has_first_sheet_on_one_page(document):
                break
        written: bytes = document.write_pdf(finisher=_hide_decorations, pdf_tags=True)
    return written


def _prepared(page: str, made_at: datetime) -> str:
    """Return the page with the style for this renderer and the properties of the file."""
    style = environment().get_template("pdf.css").render(family=_FAMILY)
    moment = made_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    head = (
        f'<meta name="dcterms.created" content="{moment}"><meta name="dcterms.modified" content="{moment}">'
        f'<meta name="generator" content="{markup.escape(f"idbits {__version__}")}"><style>{style}</style>'
    )
    start, style_tag, rest = page.partition("<style>")
    style_of_page, end_of_head, rest = rest.partition("</head>")
    # WeasyPrint knows only weights in hundreds.
    style_of_page = _WEIGHT.sub(lambda found: f"{found[1]}{int(found[2]) + 1}00", style_of_page)
    return "".join((start, style_tag, style_of_page, head, end_of_head, rest))


def _laid_out(page: str, density: str) -> Any:
    from weasyprint import HTML
    from weasyprint.urls import URLFetcher

    parsed = HTML(string=page, url_fetcher=URLFetcher(allowed_protocols=("data",), allow_redirects=False))
    for element in list(parsed.wrapper_element.iter_subtree()):
        if "sheet" in element.classes:
            _add_class(element, density)
        elif element.local_name == "div" and "evidence" in element.classes:
            element.etree_element.set("id", _EVIDENCE)
        elif element.local_name == "table":
            _allow_breaks(element)
    style_charts(parsed.wrapper_element, _FAMILY)
    return parsed.render(pdf_tags=True)


def _add_class(element: Any, name: str) -> None:
    node = element.etree_element
    node.set("class", f"{node.get('class', '')} {name}".strip())


def _allow_breaks(table: Any) -> None:
    """Let a long table, and the parts of its section around it, go on over the end of a page."""
    if sum(1 for _ in table.etree_element.iter("tr")) <= _MOST_ROWS_TOGETHER:
        return
    element = table
    while element is not None and element.local_name not in ("main", "body"):
        _add_class(element, "long")
        element = element.parent


def _has_first_sheet_on_one_page(document: Any) -> bool:
    """Whether the evidence begins on the second page, or on the first because there is no such sheet."""
    places = [number for number, page in enumerate(document.pages) if _EVIDENCE in page.anchors]
    return not places or places[0] <= 1


def _hide_decorations(_: Any, pdf: Any) -> None:
    """Tell screen readers to pass over pictures without a description: the words beside them say the same."""
    for part in pdf.objects:
        if isinstance(part, dict) and part.get("S") == "/Figure" and "Alt" not in part:
            part["S"] = "/NonStruct"
            part.pop("A", None)


class _Raising(logging.Handler):
    """Raises what the renderer would only log: a chart that failed, or Ctrl-C while it drew one."""

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 (the record may contain values)
        """Raise the exception that is being handled, or an error without it."""
        caught = sys.exception()
        if caught is not None and not isinstance(caught, Exception):
            raise caught
        raise EngineError("the PDF could not be drawn completely; write the report as .html and print it") from caught


@contextlib.contextmanager
def _failing_renderer() -> Iterator[None]:
    logger, handler = logging.getLogger("weasyprint"), _Raising(logging.ERROR)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
