"""Pages and data that wait for work: the result, how far the work is, or why it failed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from idbits.render.numbers import nearest
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browser import comes_from_script, render_page
from idbits.web.security import caller_of
from idbits.web.state import state_of
from idbits.web.work.queue import Work
from idbits.web.work.worker import Task

__all__ = ["PATIENCE_SECONDS", "WaitingPage", "data_of_work", "start_work"]

# Small tables are done before a progress bar would appear.
PATIENCE_SECONDS = 1.0
_REFRESH = Response(headers={"HX-Refresh": "true"})
# htmx stops polling at this status. A poll sent before Stop was pressed must not start the work again.
_STOPPED = Response(status_code=286)


def start_work(request: Request, key: str, task: Task) -> Work:
    """Return the work with a key; it is started if nobody has asked for it."""
    return state_of(request).work_queue.work(key, task, caller_of(request).account)


@dataclass(frozen=True, slots=True)
class WaitingPage:
    """A page that shows the result of work.

    Attributes:
        title: what is being done, shown while it takes long.
        show: makes the page of the result.
        fail: makes the page that says why there is none, with a status.
        stop: where the button Stop is sent to, and with which fields.
    """

    title: str
    show: Callable[[JsonObject], Response]
    fail: Callable[[str, int], Response]
    stop: str = "/measure/cancel"
    stop_fields: Mapping[str, str] = field(default_factory=dict)

    def response(self, request: Request, key: str, task: Task) -> Response:
        """Return the result, or the progress of the work; a polling script loads the page when the work is done."""
        if self._was_stopped(request, key):
            return _STOPPED
        work = start_work(request, key, task)
        if work.done.wait(PATIENCE_SECONDS) and work.result is not None and not comes_from_script(request):
            return self.show(work.result)
        # Stop may have been pressed while this poll waited.
        if self._was_stopped(request, key):
            return _STOPPED
        if not work.done.is_set():
            return self._progress(request, work)
        if comes_from_script(request):
            return _REFRESH
        return self.fail(work.error or "", _status(work))

    @staticmethod
    def _was_stopped(request: Request, key: str) -> bool:
        """Whether a script polls for work that was stopped."""
        return comes_from_script(request) and state_of(request).work_queue.was_stopped(key)

    def _progress(self, request: Request, work: Work) -> Response:
        percent = None if work.part is None else nearest(100 * work.part)
        address = f"{request.url.path}?{request.url.query}"
        return render_page(request, "working.html", page=self, work=work, percent=percent, address=address)


def data_of_work(work: Work, to_text: Callable[[JsonObject], str]) -> Response:
    """Return a result as JSON; 202 with the progress while the work goes on."""
    if not work.done.wait(PATIENCE_SECONDS):
        return JSONResponse({"working": work.label, "part": work.part, "work": work.ident}, 202)
    if work.result is None:
        return JSONResponse({"error": work.error}, _status(work))
    return Response(to_text(work.result), media_type="application/json")


def _status(work: Work) -> int:
    return 400 if work.exit_code == 2 else 422
