"""Measuring events for the tab Over time, in the process of the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.progress import Progress
from idbits.render.page import Term
from idbits.studies.events.study import events
from idbits.studies.report.events_page import events_page
from idbits.web.work.tables import input_term, page_result, same_files

if TYPE_CHECKING:
    from idbits.reading import Reading
    from idbits.studies.shared.serialisation import JsonObject
    from idbits.web.work.worker import EventsTask

__all__ = ["KNOWN_POINTS", "measure_events"]

KNOWN_POINTS = "1..4"
"""How many events of a person an attacker may know."""


def measure_events(task: EventsTask, progress: Progress) -> JsonObject:
    """Measure how identifying events are; return the page as a part, as a file, and as data."""
    reading: Reading = {**task["reading"], "progress": progress}
    with same_files([task["source"]]) as files:
        answer = events(
            task["source"], task["person"], task["time"], task["attributes"], points=KNOWN_POINTS, **reading
        )
        with progress.step("drawing the page"):
            terms: list[Term] = [input_term(files)] if files else []
            page = events_page(answer, task["name"], terms)
    return page_result(page, answer.to_json())
