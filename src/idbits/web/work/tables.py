"""What the work on one or two tables returns: a page as a part, as a file and as data, of files that did not change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from idbits.engines.open import is_database
from idbits.engines.sources.files import sha256_of
from idbits.errors import DataError
from idbits.render.html import to_html
from idbits.render.page import Page, Term
from idbits.studies.report.made import moment_of_report
from idbits.studies.shared.serialisation import JsonObject

__all__ = ["input_term", "page_result", "same_files"]


@contextmanager
def same_files(sources: Sequence[str]) -> Iterator[list[Path]]:
    """Yield those of the sources that are files; it is an error if one of them changes meanwhile."""
    files = [Path(source) for source in sources if not is_database(source) and Path(source).is_file()]
    before = [path.stat().st_mtime_ns for path in files]
    yield files
    if [path.stat().st_mtime_ns for path in files] != before:
        raise DataError("a file changed while it was read; try again")


def input_term(files: Sequence[Path]) -> Term:
    """Return what identifies the files of an answer."""
    digest = sha256_of(files)
    which = "of the file" if len(files) == 1 else f"of the hashes of {'both' if len(files) == 2 else 'all'} files"
    return Term("Input", f"SHA-256 {which}: {digest}" if digest is not None else "none: there is no file to hash")


def page_result(page: Page, data: str) -> JsonObject:
    """Return a page as a part and as a file, with the answer as data."""
    from idbits.web.work.worker import report_body

    html = to_html(page)
    return {
        "title": page.title,
        "part": report_body(html),
        "html": html,
        "made_at": moment_of_report().isoformat(),
        "json": data,
        "verdict": page.verdict.title,
    }
