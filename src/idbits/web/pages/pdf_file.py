"""The page of an answer as a PDF, drawn in a separate process from the page that was shown."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import cast

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from idbits.errors import EngineError
from idbits.render.pdf import check_pdf, is_pdf_possible
from idbits.web.pages.waiting import PATIENCE_SECONDS, start_work
from idbits.web.work.queue import Work
from idbits.web.work.worker import PDF, PdfTask

__all__ = ["offers_pdf", "pdf_response"]

# Drawing takes a few seconds, and the browser shows that it waits.
_DRAWING_SECONDS = 60.0


@cache
def offers_pdf() -> bool:
    """Whether pages offer a PDF: the extra and its library are installed."""
    return is_pdf_possible()


def pdf_response(request: Request, answer: Work, name: str, back: str) -> Response:
    """Return the page of an answer as a PDF; go back to the page if it is not known any more.

    Args:
        request: the request for the file.
        answer: the work that made the page.
        name: the name of the file.
        back: the address of the page.
    """
    check_pdf()
    answer.done.wait(PATIENCE_SECONDS)
    if answer.result is None:
        return RedirectResponse(back, status_code=303)
    page, made_at = cast("str", answer.result["html"]), cast("str", answer.result["made_at"])
    task: PdfTask = {"task": "pdf", "html": page, "made_at": made_at}
    drawing = start_work(request, f"pdf {made_at} {hashlib.sha256(page.encode()).hexdigest()}", task)
    drawing.done.wait(_DRAWING_SECONDS)
    path = drawing.file(PDF)
    if path is None and drawing.error is not None:
        raise EngineError(drawing.error)
    if path is None:
        return RedirectResponse(back, status_code=303)
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(path.read_bytes(), media_type="application/pdf", headers=disposition)
