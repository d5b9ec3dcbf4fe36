"""``idbits serve``: the repository and the app, on this machine."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from idbits.cli import options
from idbits.cli.browser import may_open_browser, open_in_browser
from idbits.cli.failures import failures
from idbits.cli.progress import progress_on_stderr
from idbits.storage import expand_home, temporary_folder

if TYPE_CHECKING:
    import socket

    import uvicorn

    from idbits.web.sessions import Sessions
    from idbits.web.settings import WebSettings
    from idbits.web.state import AppState

__all__ = ["serve_command"]

_PATIENCE_SECONDS = 20.0
_USUAL_PORT = 8765


def serve_command(
    port: Annotated[
        int | None,
        typer.Option(
            help="The port on this machine; 0 picks a free one. Default: 8765, or a free one.",
            min=0,
            max=65535,
            metavar="N",
        ),
    ] = None,
    host_name: Annotated[
        list[str] | None,
        typer.Option(
            help="The public name of a TLS proxy in front, with its port if not 443 (repeatable).",
            metavar="NAME",
        ),
    ] = None,
    database: Annotated[
        str | None, typer.Option(help="The repository's database: a SQLite file or a PostgreSQL URL.", metavar="URL")
    ] = None,
    floor: Annotated[int, typer.Option(help="The smallest population that may be published.", min=2)] = 100,
    folder: Annotated[
        list[Path] | None,
        typer.Option(
            help="A folder whose files the app may measure (repeatable); default: this one, Desktop, Documents and "
            "Downloads; with --host-name, this one.",
            metavar="FOLDER",
        ),
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(help="A policy whose datasets the app may measure as well.", metavar="FILE")
    ] = None,
    memory: options.Memory = None,
    downloads: Annotated[
        bool | None,
        typer.Option(
            "--downloads/--no-downloads",
            help="Whether treated tables can be downloaded; default: yes, but not with --host-name.",
        ),
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(help="The folder for decisions about tables; default: your data folder.", metavar="FOLDER"),
    ] = None,
    open_browser: Annotated[
        bool | None,
        typer.Option(
            "--open/--no-open",
            help="Whether to open the browser; default: in a terminal with a desktop, but not with --host-name.",
        ),
    ] = None,
    demo: Annotated[
        bool,
        typer.Option("--demo", help="Use an example repository; deleted at the end unless --database is given."),
    ] = False,
    examples: Annotated[
        Path | None,
        typer.Option(
            help="A folder of public statistics for the questions; default: those that come with idbits.",
            metavar="FOLDER",
        ),
    ] = None,
    open_reading: Annotated[bool, typer.Option("--open-reading", help="Allow reading without a key.")] = False,
    requests: Annotated[
        int, typer.Option("--requests", help="The most requests per minute from one caller; 0 for no limit.", min=0)
    ] = 6000,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the link.")] = False,
) -> None:
    """Open the app in your browser; no commands needed.

    Starts the app and the repository on this machine only, and prints the link that opens
    them.

    Examples:
        idbits serve
        idbits serve --demo
        idbits serve --folder /data/releases --policy idbits.toml --port 0
    """
    with failures():
        from idbits.errors import InputError
        from idbits.reading import read_memory

        read_memory(memory)
        try:
            from idbits.web.app import create_app
            from idbits.web.demo import fill
            from idbits.web.files import usual_folders
            from idbits.web.server import make_server
            from idbits.web.settings import WebSettings, read_host_name
        except ImportError as error:
            raise InputError(
                f"{error.name} is needed to serve the app; install it with pip install 'idbits[web]'"
            ) from error
        host_names = tuple(dict.fromkeys(map(read_host_name, host_name or [])))
        with temporary_folder("idbits-demo-") as spare, _listen(port) as listener:
            settings = WebSettings(
                port=listener.getsockname()[1],
                host_names=host_names,
                database=str(spare / "repository.sqlite") if demo and database is None else database,
                floor=floor,
                folders=tuple(folder or ([Path()] if host_names else usual_folders(Path(), Path(expand_home("~"))))),
                policy=policy,
                memory=memory,
                downloads=downloads,
                decisions=decisions or (spare / "decisions" if demo else None),
                keeps_decisions=decisions is not None or not demo,
                demo=demo,
                examples=examples,
                open_reading=open_reading,
                requests_a_minute=requests,
            )
            app = create_app(settings)
            counting = threading.Thread(target=_count_examples, args=(app.state,), name="idbits-examples", daemon=True)
            reading = threading.Thread(target=_read_ahead, args=(app.state,), name="idbits-ahead", daemon=True)
            try:
                with progress_on_stderr(quiet=quiet) as progress:
                    if examples is not None:
                        app.state.example_bank.bank(progress)
                    if demo and not app.state.repository.head()[0]:
                        fill(app.state.repository, examples, progress)
                server = make_server(app)
                with _stopped_by_signals(server):
                    reading.start()
                    if examples is None:
                        # Examples are ready before anyone opens the link; programs need not wait for them.
                        counting.start()
                    opens = (
                        may_open_browser() and not host_names and not quiet if open_browser is None else open_browser
                    )
                    _print_link(settings, app.state.sessions, spare if opens else None, quiet=quiet)
                    server.run(sockets=[listener])
            finally:
                app.state.work_queue.close()
                # Python crashes when it ends in the middle of a count.
                if counting.is_alive():
                    counting.join(_PATIENCE_SECONDS)
                app.state.example_repository.close()
                app.state.repository.close()


def _read_ahead(state: AppState) -> None:
    """Read and verify the stored entries, so that the first reader and the first publisher need not wait.

    If that fails, their requests say why.
    """
    from idbits.errors import IdbitsError

    with suppress(IdbitsError, OSError):
        state.repository.read_ahead()
        state.repository.verify_ahead()


def _count_examples(state: AppState) -> None:
    """Count the questions, and the entries to show if the repository has none; if that fails, their pages say why."""
    from idbits.errors import IdbitsError

    with suppress(IdbitsError, OSError):
        state.example_bank.bank()
        state.shown_repository()


@contextmanager
def _stopped_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let signals stop the server cleanly from before the link is printed: they must never interrupt an import.

    Another thread would wait for that import for ever. After the server has stopped, the first signal is raised again.
    """
    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        received.append(number)
        server.handle_exit(number, frame)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if received:
        signal.raise_signal(received[0])


def _listen(port: int | None) -> socket.socket:
    """Return a socket on a port; if none was named, on the usual one, or on a free one."""
    import socket

    from idbits.errors import InputError

    listener = socket.socket()
    # Where this option exists (Windows), the other one would let two programs listen on the same port.
    option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    listener.setsockopt(socket.SOL_SOCKET, option, 1)
    try:
        listener.bind(("127.0.0.1", _USUAL_PORT if port is None else port))
    except OSError as error:
        listener.close()
        if port is None:
            return _listen(0)
        raise InputError(f"port {port} cannot be used: {error.strerror} (--port 0 picks a free one)") from error
    listener.listen(2048)
    return listener


def _print_link(settings: WebSettings, sessions: Sessions, opening: Path | None, *, quiet: bool) -> None:
    """Print a link; also open it in the browser if there is a folder for the file that leads there."""

    def new_link() -> str:
        return f"{settings.address}/open?code={sessions.new_code()}"

    def say() -> None:
        sys.stdout.write(f"{new_link()}\n")
        sys.stdout.flush()

    opened = opening is not None and open_in_browser(new_link(), opening)
    if not quiet:
        first = "Your browser opens. If it does not, open this link in it" if opened else "Open this link in a browser"
        sys.stdout.write(f"{first}; it works once. Ctrl-C stops the server.\n")
    say()
    if sys.stdin is not None and sys.stdin.isatty():
        if not quiet:
            sys.stdout.write("Press Enter for a new link.\n")

        def on_enter() -> None:
            for _ in sys.stdin:
                say()

        threading.Thread(target=on_enter, daemon=True).start()
