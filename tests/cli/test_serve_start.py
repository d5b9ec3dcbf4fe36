"""Starting the app: the browser opens only before a desktop, the link is shown to nobody else, and a port is found."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from idbits.cli import browser, serve
from idbits.errors import InputError
from idbits.web.files import OfferedFolders, usual_folders
from idbits.web.sessions import Sessions
from idbits.web.settings import WebSettings

DESKTOP = {"DISPLAY": ":0"}


class Terminal:
    """Standard output as it is in a terminal, or in a pipe."""

    def __init__(self, *, is_terminal: bool) -> None:
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.mark.parametrize(
    ("platform", "is_terminal", "environment", "opens"),
    [
        ("linux", True, DESKTOP, True),
        ("linux", True, {"WAYLAND_DISPLAY": "wayland-0"}, True),
        # No screen: a browser for the terminal would take it over.
        ("linux", True, {}, False),
        ("linux", False, DESKTOP, False),
        ("linux", True, {**DESKTOP, "SSH_CONNECTION": "10.0.0.1"}, False),
        ("darwin", True, {}, True),
        ("win32", True, {"SSH_CONNECTION": "10.0.0.1"}, False),
        # Started by an icon, without a terminal.
        ("win32", None, {}, True),
    ],
)
def test_the_browser_opens_before_a_desktop_only(
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    is_terminal: bool | None,
    environment: dict[str, str],
    opens: bool,
) -> None:
    monkeypatch.setattr(browser.sys, "platform", platform)
    out = None if is_terminal is None else Terminal(is_terminal=is_terminal)
    monkeypatch.setattr(browser.sys, "stdout", out)
    assert browser.may_open_browser(environment) is opens


def test_the_link_is_in_a_private_file_and_not_in_an_argument(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setattr(browser.webbrowser, "open", lambda address: opened.append(address) or True)
    assert browser.open_in_browser("http://127.0.0.1:1/open?code=a&b", tmp_path)
    file = tmp_path / "open.html"
    assert opened == [file.as_uri()]
    assert "code=a&amp;b" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_without_a_browser_the_link_is_printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(address: str) -> bool:
        raise browser.webbrowser.Error("no browser")

    monkeypatch.setattr(browser.webbrowser, "open", fail)
    assert not browser.open_in_browser("http://127.0.0.1:1/open?code=a", tmp_path)


@pytest.mark.parametrize("opens", [True, False])
def test_the_printed_link_works_beside_the_one_that_opened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, opens: bool
) -> None:
    used: list[str] = []
    monkeypatch.setattr(serve, "open_in_browser", lambda link, folder: used.append(link) or True)
    monkeypatch.setattr("sys.stdin", None)
    sessions = Sessions(session_seconds=60, code_seconds=None)
    serve._print_link(WebSettings(), sessions, tmp_path if opens else None, quiet=False)
    said, link = capsys.readouterr().out.splitlines()
    assert said.startswith("Your browser opens." if opens else "Open this link in a browser")
    assert "it works once" in said
    assert bool(used) is opens
    assert all(sessions.exchange(each.partition("code=")[2]) for each in (*used, link))


def test_a_link_stays_good_until_it_is_used() -> None:
    now = [0.0]
    sessions = Sessions(session_seconds=100, code_seconds=WebSettings().code_seconds, clock=lambda: now[0])
    code = sessions.new_code()
    now[0] = 10 * 365 * 24 * 3600.0
    assert sessions.exchange(code) is not None
    assert sessions.exchange(code) is None


def test_a_free_port_is_found_unless_one_was_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} cannot be used"):
            serve._listen(port)
        usual, serve._USUAL_PORT = serve._USUAL_PORT, port
        try:
            with serve._listen(None) as found:
                assert found.getsockname()[1] not in (0, port)
        finally:
            serve._USUAL_PORT = usual


def test_folders_in_which_people_keep_their_files_are_offered(tmp_path: Path) -> None:
    here, home = tmp_path / "here", tmp_path / "home"
    for folder in (here, home / "Documents", home / "Downloads" / "more"):
        folder.mkdir(parents=True)
    offered = usual_folders(here, home)
    assert [folder.name for folder in OfferedFolders(offered).folders] == ["here", "Documents", "Downloads"]
    # They are not offered twice.
    assert usual_folders(home, home) == (home,)
