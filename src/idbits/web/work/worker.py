"""The process that reads a table: ``python -m idbits.web.work.worker``, a task on stdin, JSON lines on stdout.

A process of its own can be ended at any moment, gives all its memory back, and takes nobody down with it. It writes
``{"label": ..., "part": ...}`` now and then, and at last ``{"result": ...}`` or ``{"error": ..., "exit_code": ...}``.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias, TypedDict

from idbits.errors import IdbitsError
from idbits.progress import Progress, WatchedProgress

if TYPE_CHECKING:
    from idbits.reading import Reading
    from idbits.studies.predict.known import Given
    from idbits.studies.shared.serialisation import Json, JsonObject

__all__ = ["OWN_FOLDER", "ColumnFacts", "ColumnsTask", "ForecastTask", "ReportTask", "Task", "main", "report_body"]

OWN_FOLDER = "idbits-work-"
"""How the name of the folder begins that a process may spill to, and that ends with it."""

_SECONDS = 0.25


class ColumnsTask(TypedDict):
    """Say what a table holds."""

    task: Literal["columns"]
    source: str
    reading: Reading
    show_names: bool


class ReportTask(TypedDict):
    """Measure a table."""

    task: Literal["report"]
    source: str
    reading: Reading
    qid: list[str]
    by: str | None
    person: str | None
    reveal: bool


class ForecastTask(TypedDict):
    """Predict how unique ``k`` people are."""

    task: Literal["forecast"]
    k: int
    drawn_from: Given


Task: TypeAlias = ColumnsTask | ReportTask | ForecastTask


class ColumnFacts(TypedDict):
    """What the result of a ``ColumnsTask`` says about a column, as far as pages use it."""

    column: str
    kind: str
    reads_as: str
    role: str
    distinct: int
    unique: int
    odd: list[str]


def main() -> None:
    """Do the task that stands on stdin."""
    out = sys.stdout
    # Whatever a library prints must not stand among the lines.
    sys.stdout = sys.stderr
    task: Task = json.loads(sys.stdin.read())
    progress = _WrittenProgress(out)
    with progress.watched():
        last = _outcome(task, progress)
    from idbits.studies.shared.serialisation import to_json

    out.write(to_json(last) + "\n")
    out.flush()


class _WrittenProgress(WatchedProgress):
    """A progress that writes where the work is, a few times a second."""

    def __init__(self, out: TextIO) -> None:
        super().__init__("opening the table")
        self._out = out

    def watch(self) -> None:
        while not self.finished.wait(_SECONDS):
            label, part, _ = self.now()
            try:
                self._out.write(json.dumps({"label": label, "part": part}) + "\n")
                self._out.flush()
            except OSError:
                _give_up()


def _give_up() -> None:
    """End at once, with what was spilled: the server is gone, and nobody waits for the answer."""
    folder = Path(tempfile.gettempdir())
    if folder.name.startswith(OWN_FOLDER):
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(3)


def _outcome(task: Task, progress: Progress) -> JsonObject:
    """Return the result, or why there is none."""
    try:
        return {"result": _do(task, progress)}
    except IdbitsError as error:
        return {"error": str(error), "exit_code": error.exit_code}
    except MemoryError:
        return {"error": "there is not enough memory; allow less, so that the work spills to disk", "exit_code": 3}
    except Exception as error:  # noqa: BLE001 (whatever it is, it becomes a sentence without a value in it)
        return {"error": f"internal error ({type(error).__name__}); please report it", "exit_code": 3}


def _do(task: Task, progress: Progress) -> JsonObject:
    if task["task"] == "columns":
        return _columns(task, progress)
    if task["task"] == "report":
        return _report(task, progress)
    from idbits.web.forecasting import forecast

    with progress.step(f"predicting for {task['k']:,} people"):
        return forecast(task["k"], task["drawn_from"])


def _columns(task: ColumnsTask, progress: Progress) -> JsonObject:
    """Say what a table holds, without a value of it."""
    from idbits.engines.open import open_table
    from idbits.reading import open_options
    from idbits.studies.inspect.study import inspect

    reading: Reading = {**task["reading"], "progress": progress}
    inspection = inspect(task["source"], **reading)
    withheld = inspection.names_withheld
    if withheld and task["show_names"]:
        with closing(open_table(task["source"], open_options(reading))) as table:
            names = [name for name in table.columns if name != reading.get("count")]
        renamed = (replace(column, column=name) for column, name in zip(inspection.columns, names, strict=True))
        inspection, withheld = replace(inspection, columns=tuple(renamed)), False
    views: list[Json] = [list(column.views) for column in inspection.columns]
    return inspection.to_dict() | {"withheld": withheld, "views": views}


def _report(task: ReportTask, progress: Progress) -> JsonObject:
    """Measure a table; return the page as a part of ours, as a file of its own, and as data."""
    from idbits.studies.report.study import report

    reading: Reading = {**task["reading"], "progress": progress}
    reveal = task["reveal"]
    answer = report(task["source"], task["qid"], task["by"], task["person"], internal=reveal, reveal=reveal, **reading)
    with progress.step("drawing the report"):
        html = answer.to_html()
        return {
            "title": answer.page.title,
            "part": report_body(html),
            "html": html,
            "json": answer.to_json(),
            "level": str(answer.verdict.level),
            "verdict": answer.verdict.title,
            "notes": list(answer.notes),
        }


def report_body(html: str) -> str:
    """Return a report as a part of a page: what stands in the body of its file; the page around it brings the style.

    Everything that comes from a table is escaped in it, so these tags are the template's own.

    >>> report_body("<html><body>\\n<main>a</main><footer>b</footer></body></html>")
    '<div>a</div><div class="foot">b</div>'
    """
    body = html.partition("<body>")[2].rpartition("</body>")[0]
    for tag, instead in (("main", "<div>"), ("footer", '<div class="foot">')):
        body = body.replace(f"<{tag}>", instead, 1).replace(f"</{tag}>", "</div>", 1)
    return body.strip()


if __name__ == "__main__":
    main()
