"""The state that all routes of a server share."""

from __future__ import annotations

from starlette.datastructures import State
from starlette.requests import Request

from idbits.repository.service import Repository
from idbits.studies.check.policy import Dataset
from idbits.web.decisions import DecisionFolder
from idbits.web.demo import ExampleRepository
from idbits.web.files import OfferedFolders
from idbits.web.questions.examples import ExampleBank
from idbits.web.recent import RecentPages
from idbits.web.sessions import Sessions
from idbits.web.settings import WebSettings
from idbits.web.work.queue import WorkQueue

__all__ = ["AppState", "state_of"]

_EVERY_STATUS = ("current", "superseded", "retracted")


class AppState(State):
    """The state that all routes of a server share: ``app.state``.

    Attributes:
        settings: the settings of the server.
        sessions: the signed-in browsers.
        repository: the repository, open.
        example_repository: the entries that pages show while the repository has none.
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
    example_repository: ExampleRepository
    example_bank: ExampleBank
    offered_folders: OfferedFolders
    datasets: tuple[Dataset, ...]
    work_queue: WorkQueue
    recent_pages: RecentPages
    decisions: DecisionFolder

    @property
    def shows_examples(self) -> bool:
        """Whether pages show example entries: the repository has none, and only this machine can reach it."""
        if self.settings.host_names:
            return False
        listing = self.repository.entries(status=_EVERY_STATUS, limit=1)
        return not listing.entries and not listing.unverified

    def shown_repository(self) -> Repository:
        """Return the repository whose entries pages show."""
        return self.example_repository.opened() if self.shows_examples else self.repository


def state_of(request: Request) -> AppState:
    """Return the shared state."""
    state: AppState = request.app.state
    return state
