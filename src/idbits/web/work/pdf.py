"""A page drawn as a PDF: work of a separate process."""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from idbits.render.pdf import to_pdf
from idbits.web.work.worker import PDF

if TYPE_CHECKING:
    from idbits.progress import Progress
    from idbits.studies.shared.serialisation import JsonObject
    from idbits.web.work.worker import PdfTask

__all__ = ["draw_pdf"]


def draw_pdf(task: PdfTask, progress: Progress) -> JsonObject:
    """Write a page as a PDF to the folder of this process; the server keeps it."""
    with progress.step("drawing the report"):
        (Path(tempfile.gettempdir()) / PDF).write_bytes(to_pdf(task["html"], datetime.fromisoformat(task["made_at"])))
    return {"files": [PDF]}
