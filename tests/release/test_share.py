"""The manual pages and completion scripts in the wheel are those of the commands as they are now."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest
from typer.main import get_command

from generate import SHARE, generated, leaf_commands
from idbits.cli.main import app

ROOT: Any = get_command(app)
COMMANDS = dict(leaf_commands(ROOT))
FILES = generated()


def test_the_files_are_those_of_the_commands() -> None:
    paths = [path for path in SHARE.rglob("*") if path.is_file()]
    written = {path.relative_to(SHARE).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    assert written == FILES, "make freeze writes them anew, if the change is meant"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_has_every_option_of_its_command(name: str) -> None:
    page = FILES[f"man/man1/idbits-{name.replace(' ', '-')}.1"].replace("\\-", "-")
    options = [option for param in COMMANDS[name].params for option in param.opts if option.startswith("--")]
    assert [option for option in options if f"{option} " not in page and f"{option}\n" not in page] == []


def test_the_overview_has_every_command() -> None:
    page = FILES["man/man1/idbits.1"]
    assert [name for name in ROOT.commands if f"\n.B {name}\n" not in page] == []


def test_the_pages_are_well_formed() -> None:
    program = shutil.which("groff")
    if program is None:
        pytest.skip("groff is not installed (Debian: apt-get install groff)")
    pages = sorted(map(str, SHARE.rglob("*.1")))
    ended = subprocess.run(
        [program, "-man", "-Tutf8", "-ww", "-z", *pages], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
