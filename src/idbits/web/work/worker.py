"""The process that reads a table: ``python -m idbits.web.work.worker``, a task on stdin, JSON lines on stdout.

A separate process can be stopped at any moment, returns all its memory, and cannot crash the server. It writes
``{"label": ..., "part": ...}`` now and then, and finally ``{"result": ...}`` or ``{"error": ..., "exit_code": ...}``.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias, TypedDict

from idbits.errors import IdbitsError
from idbits.progress import Progress, WatchedProgress

if TYPE_CHECKING:
    from idbits.reading import Reading
    from idbits.studies.predict.known import Given
    from idbits.studies.shared.serialisation import Json, JsonObject

__all__ = [
    "OWN_FOLDER",
    "PDF",
    "ApplyTask",
    "AttackTask",
    "ColumnFacts",
    "ColumnsTask",
    "EventsTask",
    "ForecastTask",
    "LinkTask",
    "MatchTask",
    "OverlapTask",
    "PdfTask",
    "PersonArguments",
    "PersonFacts",
    "PopulationOnPage",
    "RecordOnPage",
    "ReportTask",
    "Task",
    "TreatTask",
    "main",
    "report_body",
]

OWN_FOLDER = "idbits-work-"
"""The prefix of the temporary folder of a process, which is removed when the process ends."""

PDF = "report.pdf"
"""The name of a PDF in that folder."""

_SECONDS = 0.25


class ColumnsTask(TypedDict):
    """Describe the columns of a table."""

    task: Literal["columns"]
    source: str
    reading: Reading
    show_names: bool


class PersonArguments(TypedDict, total=False):
    """Who is a person, as arguments of ``idbits.report``; what is not given has its default."""

    person: str
    household: str
    knows: str
    null_person: str
    multiset: bool
    rows_are_people: bool


class ReportTask(TypedDict):
    """Measure a table."""

    task: Literal["report"]
    source: str
    reading: Reading
    qid: list[str]
    by: str | None
    persons: PersonArguments
    people: str | None
    fraction: float | None
    sensitive: list[str]
    reveal: bool
    decision: RecordOnPage | None
    population: PopulationOnPage | None


class PopulationOnPage(TypedDict):
    """The table of the population; ``stamp`` changes when its file does, ``count`` is its column of people per row."""

    source: str
    stamp: str
    count: str | None


class RecordOnPage(TypedDict):
    """A recorded decision to show on the page of a report: the folder of the records, and the number."""

    folder: str
    number: int


class EventsTask(TypedDict):
    """Measure events over time."""

    task: Literal["events"]
    source: str
    name: str
    reading: Reading
    person: str
    time: str
    attributes: list[str]


class OverlapTask(TypedDict):
    """Compare two zonings of a table, or two releases; the lists have one entry for each table."""

    task: Literal["overlap"]
    sources: list[str]
    names: list[str]
    readings: list[Reading]
    zones: list[str]
    below: int
    person: str | None
    rows_are_people: bool
    qids: list[list[str]]
    sensitive: str | None
    reveal: bool


class MatchTask(TypedDict):
    """Find the columns of a release and of a second table that belong together."""

    task: Literal["match"]
    sources: list[str]
    readings: list[Reading]


class LinkTask(TypedDict):
    """Link a release with a second table; ``truth`` is empty or has a column of each.

    ``by_odds`` weighs all columns together, with the least probability of a claim, if one is given.
    """

    task: Literal["link"]
    sources: list[str]
    names: list[str]
    readings: list[Reading]
    on: list[str]
    coverage: float | None
    truth: list[str]
    sensitive: list[str]
    by_odds: bool
    threshold: float | None


class AttackTask(TypedDict):
    """Attack the original people of a synthetic table, and people of a control table if there is one."""

    task: Literal["attack"]
    sources: list[str]
    names: list[str]
    readings: list[Reading]
    attack: str
    left: list[str]
    right: list[str]
    infer: str | None
    attacks: int | None


class ForecastTask(TypedDict):
    """Predict how unique ``k`` people are."""

    task: Literal["forecast"]
    k: int
    drawn_from: Given


class TreatTask(TypedDict):
    """Find the treatments that reach a goal."""

    task: Literal["treat"]
    source: str
    reading: Reading
    qid: list[str]
    persons: PersonArguments
    goal: list[str]
    withhold: str
    keep: list[str]


class ApplyTask(TypedDict):
    """Write a treated file and its receipt; ``plan`` is a plan as JSON, ``rest`` the word for merged values."""

    task: Literal["apply"]
    source: str
    reading: Reading
    persons: PersonArguments
    plan: str
    rest: str
    drop: list[str]
    keep: list[str]


class PdfTask(TypedDict):
    """Draw a page as a PDF; ``made_at`` is the time of the page."""

    task: Literal["pdf"]
    html: str
    made_at: str


Task: TypeAlias = (
    ColumnsTask
    | ReportTask
    | EventsTask
    | OverlapTask
    | MatchTask
    | LinkTask
    | AttackTask
    | TreatTask
    | ApplyTask
    | PdfTask
    | ForecastTask
)


class ColumnFacts(TypedDict):
    """The part of the result of a ``ColumnsTask`` about a column that pages use."""

    column: str
    kind: str
    reads_as: str
    role: str
    reason: str
    evidence: list[str]
    suggested: str | None
    distinct: int
    nulls: int
    unique: int
    odd: list[str]


class PersonFacts(TypedDict):
    """A column in which people seem to repeat, and the number of its values."""

    column: str
    values: int | None
    names_people: bool


def main() -> None:
    """Do the task on stdin."""
    out = sys.stdout
    # Output of libraries must not mix with the JSON lines.
    sys.stdout = sys.stderr
    task: Task = json.loads(sys.stdin.read())
    progress = _WrittenProgress(out)
    with progress.watched():
        last = _outcome(task, progress)
    from idbits.studies.shared.serialisation import to_json

    try:
        out.write(to_json(last) + "\n")
        out.flush()
    except OSError:
        _give_up()


class _WrittenProgress(WatchedProgress):
    """Progress that is written a few times per second."""

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
    """Exit at once and remove the temporary files: the server is gone, and nobody waits for the answer."""
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
        return {
            "error": "memory ran out; ask the person who started idbits to lower its memory limit, so that the work "
            "uses the disk (--memory)",
            "exit_code": 3,
        }
    except Exception as error:  # noqa: BLE001 (any error becomes a sentence without values)
        return {"error": f"internal error ({type(error).__name__}); please report it", "exit_code": 3}


_WORK = {
    "report": ("idbits.web.work.answer", "measure_table"),
    "events": ("idbits.web.work.over_time", "measure_events"),
    "overlap": ("idbits.web.work.overlap", "compare_publications"),
    "match": ("idbits.web.work.link", "find_matches"),
    "link": ("idbits.web.work.link", "link_tables"),
    "attack": ("idbits.web.work.attack", "attack_tables"),
    "treat": ("idbits.web.treating", "find_treatments"),
    "apply": ("idbits.web.treating", "write_treated"),
    "pdf": ("idbits.web.work.pdf", "draw_pdf"),
}
"""The function for each task; its module is imported when it is needed."""


def _do(task: Task, progress: Progress) -> JsonObject:
    if task["task"] == "columns":
        return _columns(task, progress)
    if task["task"] == "forecast":
        return _forecast(task, progress)
    module, name = _WORK[task["task"]]
    do: Callable[[Task, Progress], JsonObject] = getattr(import_module(module), name)
    return do(task, progress)


def _forecast(task: ForecastTask, progress: Progress) -> JsonObject:
    from idbits.web.forecasting import forecast

    with progress.step(f"predicting for {task['k']:,} people"):
        return forecast(task["k"], task["drawn_from"])


def _columns(task: ColumnsTask, progress: Progress) -> JsonObject:
    """Describe the columns of a table, without any values."""
    from idbits.engines.open import open_table
    from idbits.reading import open_options
    from idbits.studies.inspect.study import inspect

    reading: Reading = {**task["reading"], "progress": progress}
    inspection = inspect(task["source"], **reading)
    withheld = inspection.names_withheld
    persons: list[Json] = [
        {"column": each.column, "values": each.n_values, "names_people": each.subject == "person"}
        for each in inspection.persons
    ]
    if withheld and task["show_names"]:
        with closing(open_table(task["source"], open_options(reading))) as table:
            names = [name for name in table.columns if name != reading.get("count")]
        renamed = (replace(column, column=name) for column, name in zip(inspection.columns, names, strict=True))
        inspection, withheld = replace(inspection, columns=tuple(renamed)), False
    views: list[Json] = [list(column.views) for column in inspection.columns]
    return inspection.to_dict() | {"withheld": withheld, "views": views, "persons": persons}


def report_body(html: str) -> str:
    """Return the body of a report as a part of a page, which has the style.

    Everything from a table is escaped, so these tags come from the template.

    >>> report_body("<html><body>\\n<main>a</main><footer>b</footer></body></html>")
    '<div>a</div><div class="foot">b</div>'
    """
    body = html.partition("<body>")[2].rpartition("</body>")[0]
    for tag, instead in (("main", "<div>"), ("footer", '<div class="foot">')):
        body = body.replace(f"<{tag}>", instead, 1).replace(f"</{tag}>", "</div>", 1)
    return body.strip()


if __name__ == "__main__":
    main()
