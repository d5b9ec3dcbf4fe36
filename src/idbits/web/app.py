"""The app: pages and JSON interface behind one guard."""

from __future__ import annotations

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

from idbits._version import __version__
from idbits.render.html import style_within
from idbits.repository.database import data_folder
from idbits.repository.service import Repository
from idbits.studies.check.policy import read_policy
from idbits.web import api, pages
from idbits.web.decisions import DecisionFolder
from idbits.web.demo import ExampleRepository
from idbits.web.failures import add_failures
from idbits.web.files import OfferedFolders
from idbits.web.questions.examples import ExampleBank
from idbits.web.recent import RecentPages
from idbits.web.security import Caller, Guard, exchange_code
from idbits.web.sessions import Sessions
from idbits.web.settings import WebSettings
from idbits.web.state import AppState
from idbits.web.work.queue import WorkQueue

__all__ = ["create_app"]

_KEY_READERS = 8


def create_app(
    settings: WebSettings, repository: Repository | None = None, example_bank: ExampleBank | None = None
) -> FastAPI:
    """Return the app. ``app.state`` is an ``AppState``.

    Args:
        settings: the settings of the server.
        repository: an open repository; opened from the settings if not given.
        example_bank: the questions of the first page; counted as the settings say if not given.
    """
    app = FastAPI(
        title="idbits repository",
        version=__version__,
        summary="How uneven quasi-identifiers are in populations: published, signed, never overwritten.",
        openapi_url="/api/openapi.json",
        # Its pages load scripts from other servers.
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
    )
    app.state = state = AppState()
    state.settings = settings
    state.sessions = Sessions(session_seconds=settings.session_seconds, code_seconds=settings.code_seconds)
    state.offered_folders = OfferedFolders(settings.folders)
    state.datasets = tuple(read_policy(settings.policy).datasets) if settings.policy is not None else ()
    state.decisions = DecisionFolder(settings.decisions or data_folder() / "decisions")
    state.repository = repository or Repository.open(settings.database, floor=settings.floor)
    state.example_repository = ExampleRepository(settings.examples)
    state.example_bank = example_bank or ExampleBank(settings.examples)
    state.work_queue = WorkQueue(settings.most_work)
    state.recent_pages = RecentPages()

    # Separate threads: someone who guesses keys must not block the threads that answer.
    key_readers = ThreadPoolExecutor(_KEY_READERS, "idbits-keys")

    async def authenticate(key: str) -> Caller | None:
        find = functools.partial(state.repository.authenticate, key)
        account = await asyncio.get_running_loop().run_in_executor(key_readers, find)
        return Caller(account.name, account.role, key_account=account) if account is not None else None

    app.add_middleware(Guard, settings=settings, sessions=state.sessions, authenticate=authenticate)

    @app.get("/open", include_in_schema=False)
    async def open_link(request: Request) -> Response:
        return exchange_code(request, settings, state.sessions)

    @app.get("/health", include_in_schema=False)
    async def health() -> Response:
        return PlainTextResponse("ok\n")

    @app.get("/static/report.css", include_in_schema=False)
    async def report_style() -> Response:
        return Response(style_within(".report"), media_type="text/css")

    app.mount("/static", StaticFiles(directory=str(files("idbits.web") / "static")), name="static")
    for router in (*api.routers(), *pages.routers()):
        app.include_router(router)
    add_failures(app)
    return app
