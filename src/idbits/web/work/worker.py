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
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from idbits.errors import IdbitsError
from idbits.progress import Fraction

__all__ = ["OWN_FOLDER", "main"]

OWN_FOLDER = "idbits-work-"
"""How the name of the folder begins that a process may spill to, and that ends with it."""

_SECONDS = 0.25


def main() -> None:
    """Do the task that stands on stdin."""
    out = sys.stdout
    # Whatever a library prints must not stand among the lines.
    sys.stdout = sys.stderr
    task = json.loads(sys.stdin.read())
    told = _Told(out)
    thread = threading.Thread(target=told.watch, daemon=True)
    thread.start()
    try:
        last: dict[str, Any] = {"result": _TASKS[task.pop("task")](task, told)}
    except IdbitsError as error:
        last = {"error": str(error), "exit_code": error.exit_code}
    except MemoryError:
        last = {"error": "there is not enough memory; allow less, so that the work spills to disk", "exit_code": 3}
    except Exception as error:  # noqa: BLE001 (whatever it is, it becomes a sentence without a value in it)
        last = {"error": f"internal error ({type(error).__name__}); please report it", "exit_code": 3}
    told.finished.set()
    thread.join()
    from idbits.studies.shared.serialisation import to_json

    out.write(to_json(last) + "\n")
    out.flush()


class _Told:
    """A progress that writes where the work is, a few times a second."""

    def __init__(self, out: TextIO) -> None:
        self.finished = threading.Event()
        self._out = out
        self._lock = threading.Lock()
        self._label = "opening the table"
        self._fraction: Fraction | None = None

    @contextmanager
    def step(self, label: str, fraction: Fraction | None = None) -> Iterator[None]:
        with self._lock:
            self._label, self._fraction = label, fraction
        try:
            yield
        finally:
            # Under the lock: the watcher never asks a query that is over.
            with self._lock:
                self._fraction = None

    def watch(self) -> None:
        while not self.finished.wait(_SECONDS):
            with self._lock:
                part = self._fraction() if self._fraction is not None else None
                label = self._label
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


def _columns(task: dict[str, Any], progress: Any) -> dict[str, Any]:
    """Say what a table holds, without a value of it."""
    from idbits.engines.open import open_table
    from idbits.reading import open_options
    from idbits.studies.inspect.study import inspect

    reading = task["reading"] | {"progress": progress}
    seen = inspect(task["source"], **reading)
    withheld = seen.names_withheld
    if withheld and task["show_names"]:
        with closing(open_table(task["source"], open_options(reading))) as table:
            names = [name for name in table.columns if name != reading.get("count")]
        renamed = (replace(column, column=name) for column, name in zip(seen.columns, names, strict=True))
        seen, withheld = replace(seen, columns=tuple(renamed)), False
    return seen.to_dict() | {"withheld": withheld}


def _report(task: dict[str, Any], progress: Any) -> dict[str, Any]:
    """Measure a table; return the page as a part of ours, as a file of its own, and as data."""
    from idbits.studies.report.study import report
    from idbits.web.work.report_part import report_part

    reading = task["reading"] | {"progress": progress}
    reveal = bool(task["reveal"])
    found = report(task["source"], task["qid"], task["by"], task["person"], internal=reveal, reveal=reveal, **reading)
    with progress.step("drawing the report"):
        html = found.to_html()
        return {
            "title": found.page.title,
            "part": report_part(html),
            "html": html,
            "json": found.to_json(),
            "level": str(found.verdict.level),
            "verdict": found.verdict.title,
            "notes": list(found.notes),
        }


def _forecast(task: dict[str, Any], progress: Any) -> dict[str, Any]:
    """Predict with an entry of the repository."""
    from idbits.web.forecasting import forecast

    with progress.step(f"predicting for {task['k']:,} people"):
        return forecast(task["k"], task["drawn_from"])


_TASKS = {"columns": _columns, "report": _report, "forecast": _forecast}

if __name__ == "__main__":
    main()
