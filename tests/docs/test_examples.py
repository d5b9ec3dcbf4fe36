"""The examples of the documentation run, and print what the pages show.

A page is run from top to bottom in a folder of its own that holds ``demo/people.parquet`` with 200,000 people, unless
the page makes it with ``idbits demo``:

- ``console`` blocks: each ``$ idbits ...`` is run and must end with exit code 0, or with the one that a following
  ``$ echo $?`` shows; its output is compared. ``[...]`` stands for any lines, or for any part of a line.
- ``python`` blocks are run one after the other; a ``text`` block right below shows what they print.
- ``sh`` blocks that call idbits are run by bash.
- The database of the examples is a real PostgreSQL with those people in it.

After a change of the output, ``python tests/docs/test_examples.py [PAGE ..]`` writes what the commands print now into
the pages: whole sections, those that a page already shows.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pyarrow.parquet
import pytest
from typer.main import get_command

import idbits
from idbits.cli.main import app, main
from idbits.examples.registry import write_registry

ROOT = Path(__file__).parents[2]
SHARED_DATA = Path(os.environ.get("IDBITS_SHARED_DATA") or ROOT.parent / "shared" / "data")
DOCS = ROOT / "docs"
TOP_PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
PAGES = [*TOP_PAGES, *sorted(DOCS.rglob("*.md"))]
# tests/golden/test_errata.py runs this one.
RUN_ELSEWHERE = DOCS / "explanation" / "errata.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OMITTED = "[...]"
WIDTH = 80
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]
PEOPLE = 200_000
EXAMPLE_DATABASE = "postgresql://analyst@db.example.org/registry"
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())

Shown = Callable[[str, str], str]
"""Takes what a page shows and what was printed; returns what the page should show."""


def run_idbits(words: list[str]) -> tuple[int, str]:
    """Run the command in this process; return its exit code and what it prints, progress left out."""
    if EXAMPLE_DATABASE in words:
        code, printed = run_idbits([_database() if word == EXAMPLE_DATABASE else word for word in words])
        return code, printed.replace(shlex.quote(_database()), EXAMPLE_DATABASE)
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", ["idbits", *words])
        with pytest.raises(SystemExit) as left:
            main()
    said = [folded(line) for line in err.getvalue().splitlines() if line.startswith(("note: ", "idbits: "))]
    return int(left.value.code or 0), "".join(said) + out.getvalue()


def folded(message: str) -> str:
    """Return a message as pages show it: folded at 80 columns, so that nothing is cut at the right."""
    return textwrap.fill(message, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"


def run_console(block: str, shown: Shown) -> str:
    """Run the commands of a block; return the block with the outputs that ``shown`` makes of them."""
    pieces, code = [], 0
    for command, output in re.findall(r"^\$ ((?:.*\\\n)*.*\n)((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        if command == "echo $?\n":
            printed, code = f"{code}\n", 0
        else:
            assert code == 0, f"a command of this block ends with exit code {code}"
            name, *words = shlex.split(command.replace("\\\n", " "))
            assert name == "idbits", "console blocks hold idbits commands only"
            code, printed = run_idbits(words)
        pieces.append(f"$ {command}{shown(output, printed)}")
    assert code == 0, f"the last command of this block ends with exit code {code}"
    return "".join(pieces)


def run_python(block: str, namespace: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(block, "page", "exec"), namespace)
    return out.getvalue()


def run_shell(block: str) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path}
    block, _, serve = block.partition("idbits serve")
    subprocess.run(["bash", "-eu", "-c", block], check=True, env=environment)
    if not serve:
        return
    # A server does not end by itself: it has started when it prints its link.
    words = ["idbits", "serve", *shlex.split(serve), "--port", "0", "--quiet"]
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        try:
            assert "/open?code=" in server.stdout.readline()
        finally:
            server.terminate()


def run_page(text: str, shown: Shown) -> str:
    """Run the blocks of a page in the current folder; return the page with its outputs."""
    namespace: dict[str, Any] = {}
    printed: str | None = None
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        kind, block = fence.groups()
        between = text[end : fence.start()]
        if kind == "console":
            block = run_console(block, shown)
        elif kind == "text" and printed is not None and not between.strip():
            block = shown(block, printed)
        elif kind == "sh" and re.search(rf"\bidbits ({'|'.join(COMMANDS)})\b", block):
            run_shell(block)
        printed = run_python(block, namespace) if kind == "python" else None
        parts += [between, f"```{kind}\n{block}```"]
        end = fence.end()
    return "".join([*parts, text[end:]])


def compared(page: str, printed: str) -> str:
    """Fail where a page shows something else than was printed."""
    patterns = [
        r"(?:.*\n)*?" if line == OMITTED else ".*".join(map(re.escape, line.split(OMITTED))) + r" *\n"
        for line in page.splitlines()
    ]
    if not re.fullmatch("".join(patterns), printed):
        pytest.fail(
            f"the page shows\n{page}\nbut this is printed (python tests/docs/test_examples.py updates)\n{printed}"
        )
    return page


def updated(page: str, printed: str) -> str:
    """Return what a page should show: the same sections, and the same lines of shortened ones."""
    now = _sections(printed)
    by_title = {_title(section): section for section in reversed(now)}
    whole_title = {section[0]: section for section in reversed(now) if section}
    sections = []
    for position, section in enumerate(_sections(page) or [[]]):
        same = whole_title.get(section[0]) if section else None
        new = now[0] if position == 0 and section != [OMITTED] and now else by_title.get(_title(section), section)
        new = same if same is not None and position > 0 else new
        if OMITTED in section and section != [OMITTED]:
            before = section.index(OMITTED)
            after = len(section) - before - 1
            new = [*new[:before], OMITTED, *new[len(new) - after :]]
        sections.append([OMITTED] if section == [OMITTED] else new)
    return "\n\n".join("\n".join(section) for section in sections) + "\n" if now else ""


def _sections(text: str) -> list[list[str]]:
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return [section.splitlines() for section in re.split(r"\n\n+", lines.strip("\n")) if section]


def _title(section: list[str]) -> str:
    if section and section[0].startswith("--"):  # why a statement is run
        return section[0]
    return " ".join(re.sub(r"[\d,.]+", "", section[0]).split()[:2]) if section else ""


# Removed when the process ends, not when this file's tests do: xdist may run tests of other files in between.
FOLDER = tempfile.TemporaryDirectory(prefix="idbits-docs-")


@functools.cache
def _registry() -> Path:
    path = Path(FOLDER.name) / "people.parquet"
    write_registry(path, PEOPLE)
    return path


@functools.cache
def _database() -> str:
    """Return the address of a PostgreSQL server that holds the demo registry in the table people."""
    sys.path.append(str(ROOT / "tests"))  # where this file is run as a script
    import databases

    address = databases.postgresql_address()
    people = pyarrow.parquet.read_table(_registry())
    with psycopg.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS people")
        cursor.execute("CREATE TABLE people (birthdate date, zip text, gender text)")
        with cursor.copy("COPY people (birthdate, zip, gender) FROM STDIN") as copy:
            for row in zip(*(people[name].to_pylist() for name in ("birthdate", "zip", "gender")), strict=True):
                copy.write_row(row)
    return address


def _link_public_data(folder: Path) -> None:
    if not SHARED_DATA.is_dir():
        pytest.skip(f"real data are not there: no folder {SHARED_DATA} (IDBITS_SHARED_DATA says where it is)")
    folder.mkdir()
    for path in (*SHARED_DATA.iterdir(), SHARED_DATA.parent / "golden" / "link" / "adult_subset.csv"):
        (folder / path.name).symlink_to(path)


@contextlib.contextmanager
def page_folder(page: Path, text: str) -> Iterator[Path]:
    """Give a folder for a page, as the current one: with the demo registry in it, unless the page makes that itself.

    Case studies find public data in the folder ``data``.
    """
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        if page.parent.name == "case-studies":
            _link_public_data(Path("data"))
        if not re.search(r"^(\$ )?idbits demo\b", text, re.MULTILINE):
            Path("demo").mkdir()
            shutil.copy(_registry(), "demo/people.parquet")
        yield Path(name)


@by_page
def test_the_examples_run_and_print_what_the_page_shows(page: Path) -> None:
    if page != RUN_ELSEWHERE:
        text = page.read_text(encoding="utf-8")
        with page_folder(page, text):
            run_page(text, compared)


@by_page
def test_every_idbits_example_is_in_a_block_that_is_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for kind, block in FENCE.findall(text):
        if kind != "console":
            assert not re.search(r"^\$ idbits ", block, re.MULTILINE), f"make this a console block:\n{block}"
        if kind not in ("console", "sh"):
            assert not re.search(rf"^idbits ({'|'.join(COMMANDS)}) ", block, re.MULTILINE), f"this is not run:\n{block}"
    assert text.count("```") == 2 * len(FENCE.findall(text)), "a block is not closed, or does not say what it holds"


def update_pages(pages: list[Path]) -> None:
    """Write what the commands print now into the pages."""
    for page in pages:
        if page == RUN_ELSEWHERE:
            continue
        shown = page.read_text(encoding="utf-8")
        try:
            with page_folder(page, shown):
                fresh = run_page(shown, updated)
        except (AssertionError, idbits.IdbitsError, subprocess.CalledProcessError) as error:
            print(f"left as it is: {page.relative_to(ROOT)} ({type(error).__name__}: {error})")
            continue
        if fresh != shown:
            page.write_text(fresh, encoding="utf-8")
            print(f"updated: {page.relative_to(ROOT)}")


if __name__ == "__main__":
    update_pages([Path(name).resolve() for name in sys.argv[1:]] or PAGES)
