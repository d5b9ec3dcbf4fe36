"""The app: measures a table in a process of its own, and records a decision; no temporary file is left.

``test_other_systems.py`` runs it in a process without what only POSIX has. The path is in the first argument.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from starlette.testclient import TestClient

import idbits
from idbits.examples.registry import write_registry
from idbits.repository.service import Repository
from idbits.web.app import create_app
from idbits.web.settings import WebSettings


def main(folder: Path) -> None:
    """Ask the app, then decide."""
    assert not hasattr(os, "fork")
    write_registry(folder / "people.csv", 500)
    repository = Repository.open(str(folder / "data" / "repository.db"))
    settings = WebSettings(folders=(folder,), decisions=folder)
    app = create_app(settings, repository)
    browser = TestClient(app, base_url=settings.address)
    browser.get(f"/open?code={app.state.sessions.new_code()}")
    address = "/measure/report.json?in=0&file=people.csv&q=zip:prefix1&q=gender"
    end = time.monotonic() + 60
    while (answer := browser.get(address)).status_code == 202 and time.monotonic() < end:
        time.sleep(0.1)
    assert answer.status_code == 200, answer.text
    (folder / "report.json").write_text(answer.text, encoding="utf-8")
    for number in range(2):
        idbits.decide(folder / "report.json", "refuse", by="A. Example", why=str(number))
    assert idbits.verify_decisions(folder).verified
    app.state.work_queue.close()
    repository.close()
    left = [path.name for path in Path(tempfile.gettempdir()).iterdir()]
    print(answer.json()["measurement"]["n_rows"], len(idbits.list_decisions(folder).records), left)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
