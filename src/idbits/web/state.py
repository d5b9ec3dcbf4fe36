"""The state that all routes of a server share."""

from __future__ import annotations

from starlette.datastructures import State
from starlette.requests import Request

from idbits.repository.service import Repository
from idbits.studies.check.policy import Dataset
from idbits.web.decisions import DecisionFolder
from idbits.web.files import OfferedFolders
from idbits.web.questions.examples import ExampleBank
from idbits.web.recent import RecentPages
from idbits.web.sessions import Sessions
from idbits.web.settings import WebSettings
from idbits.web.work.queue import WorkQueue

__all__ = ["AppState", "state_of"]


class AppState(State):
    """The state that all routes of a server share: ``app.state``.

    Attributes:
        settings: the settings of the server.
        sessions: the signed-in browsers.
        repository: the repository, open.
        example_bank: the questions of the first page.
        offered_folders: the folders whose files may be measured.
        datasets: the configured sources that may be measured.
        work_queue: the queue of tables to measure.
        recent_pages: the tables that were looked at last.
        decisions: where decisions about tables are recorded.
    """

    settings: WebSettings
    sessions: Sessions
    repository: Repository
    example_bank: ExampleBank
    offered_folders: OfferedFolders
    datasets: tuple[Dataset, ...]
    work_queue: WorkQueue
    recent_pages: RecentPages
    decisions: DecisionFolder


def state_of(request: Request) -> AppState:
    """Return the shared state."""
    state: AppState = request.app.state
    return state
