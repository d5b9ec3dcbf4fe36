"""Opening the app in the browser, without showing its link to others on the machine."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Mapping
from html import escape
from pathlib import Path

__all__ = ["may_open_browser", "open_in_browser"]


def may_open_browser(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a person sits before a desktop: a terminal, or none at all, and a screen on this machine."""
    if sys.stdout is not None and not sys.stdout.isatty():
        return False
    if sys.platform in ("win32", "darwin"):
        return "SSH_CONNECTION" not in environment
    # Without a screen, browsers for the terminal would take it over.
    has_screen = bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
    return has_screen and "SSH_CONNECTION" not in environment


def open_in_browser(link: str, folder: Path) -> bool:
    """Open a link, and return whether there is a browser.

    The browser gets the path of a private file that leads to the link: everyone on the machine can see arguments.
    """
    file = folder / "open.html"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as page:
        address = escape(link)
        page.write(
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>idbits</title>'
            f'<meta http-equiv="refresh" content="0;url={address}"></head>'
            f'<body><p><a href="{address}">Open idbits</a></p></body></html>'
        )
    try:
        return webbrowser.open(file.absolute().as_uri())
    except webbrowser.Error:
        return False
