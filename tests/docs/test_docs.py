"""The documentation is complete, its links live, and its examples print what they show.

A page is run from top to bottom in a folder of its own that holds ``demo/people.parquet`` with 200,000 people:

- ``console`` blocks: each ``$ idbits ...`` is run and must end with exit code 0, or with the one that a following
  ``$ echo $?`` shows; its output is compared. ``[...]`` stands for any lines, or for any part of a line.
- ``python`` blocks are run one after the other; a ``text`` block right below shows what they print.
- ``sh`` blocks that call idbits are run by bash.

After a change of the output, ``python tests/docs/test_docs.py`` writes what the commands print now into the pages:
whole sections, those that a page already shows.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import idbits
from idbits.cli.main import app, main
from idbits.examples.registry import registry, write_registry

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TOP_PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
PAGES = [*TOP_PAGES, *sorted(DOCS.rglob("*.md"))]
# tests/golden/test_errata.py runs this one.
RUN_ELSEWHERE = DOCS / "explanation" / "errata.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OMITTED = "[...]"
PEOPLE = 200_000
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())

Shown = Callable[[str, str], str]
"""Takes what a page shows and what was printed; returns what the page should show."""


def run_idbits(words: list[str]) -> tuple[int, str]:
    """Run the command in this process; return its exit code and what it prints, progress left out."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", ["idbits", *words])
        patch.setenv("COLUMNS", "100")
        with pytest.raises(SystemExit) as left:
            main()
    said = [line for line in err.getvalue().splitlines(keepends=True) if line.startswith(("note: ", "idbits: "))]
    return int(left.value.code or 0), "".join(said) + out.getvalue()


def run_console(block: str, shown: Shown) -> str:
    """Run the commands of a block; return the block with the outputs that ``shown`` makes of them."""
    pieces, code = [], 0
    for command, output in re.findall(r"^\$ ((?:.*\\\n)*.*\n)((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        if command == "echo $?\n":
            printed, code = f"{code}\n", 0
        else:
            assert code == 0, f"a command of this block ends with exit code {code}"
            name, *words = shlex.split(command)
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
    subprocess.run(["bash", "-eu", "-c", block], check=True, env=os.environ | {"PATH": path})


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
        elif kind == "sh" and re.search(r"^(if )?idbits ", block, re.MULTILINE):
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
        pytest.fail(f"the page shows\n{page}\nbut this is printed (python tests/docs/test_docs.py updates)\n{printed}")
    return page


def updated(page: str, printed: str) -> str:
    """Return what a page should show: the same sections, and the same lines of shortened ones."""
    now = _sections(printed)
    by_title = {_title(section): section for section in reversed(now)}
    sections = []
    for position, section in enumerate(_sections(page) or [[]]):
        new = now[0] if position == 0 and section != [OMITTED] and now else by_title.get(_title(section), section)
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
    return " ".join(re.sub(r"[\d,.]+", "", section[0]).split()[:2]) if section else ""


@functools.cache
def _registry() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="idbits-docs-"))
    write_registry(folder / "people.parquet", PEOPLE)
    return folder / "people.parquet"


@contextlib.contextmanager
def page_folder() -> Iterator[Path]:
    """Give a folder with the demo registry in it, as the current one."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        Path("demo").mkdir()
        shutil.copy(_registry(), "demo/people.parquet")
        yield Path(name)


@pytest.fixture(scope="module", autouse=True)
def _clean() -> Iterator[None]:
    yield
    if _registry.cache_info().currsize:
        shutil.rmtree(_registry().parent)


@by_page
def test_the_examples_run_and_print_what_the_page_shows(page: Path) -> None:
    if page != RUN_ELSEWHERE:
        with page_folder():
            run_page(page.read_text(encoding="utf-8"), compared)


@by_page
def test_every_idbits_example_is_in_a_block_that_is_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for kind, block in FENCE.findall(text):
        if kind != "console":
            assert not re.search(r"^\$ idbits ", block, re.MULTILINE), f"make this a console block:\n{block}"
        if kind not in ("console", "sh"):
            assert not re.search(r"^idbits (measure|demo)", block, re.MULTILINE), f"this is not run:\n{block}"
    assert text.count("```") == 2 * len(FENCE.findall(text)), "a block is not closed, or does not say what it holds"


def sections_of(page: Path) -> dict[str, str]:
    """Return the text below each heading of level 2 of a page."""
    pieces = re.split(r"^## (.*)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def rows_of(text: str) -> dict[str, str]:
    """Return the rows of the tables in a text by each name in code in their first cell."""
    rows = re.findall(r"^\| (`.*?) \|(.*)$", text, re.MULTILINE)
    return {name: rest for cell, rest in rows for name in re.findall(r"`([^` ]+)[^`]*`", cell)}


COMMANDS = get_command(app).commands  # type: ignore[attr-defined]


def test_every_command_is_documented_and_no_other() -> None:
    sections = sections_of(DOCS / "reference" / "cli.md")
    documented = {title.split("`idbits ")[1].rstrip("`") for title in sections if "`idbits " in title}
    assert documented == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_documented_with_its_default_and_no_other(command: str) -> None:
    section = sections_of(DOCS / "reference" / "cli.md")[f"`idbits {command}`"]
    rows = rows_of(section)
    options = {name: param for param in COMMANDS[command].params for name in param.opts if name.startswith("--")}
    assert set(options) == {name for name in rows if name.startswith("--")}
    for name, param in options.items():
        if param.default not in (None, False):
            assert f"`{param.default}`" in rows[name], f"the default of {name} is {param.default}"
    arguments = [param.name.upper() for param in COMMANDS[command].params if param.param_type_name == "argument"]
    assert all(f"`{name}`" in section for name in arguments)


def json_keys(value: Any, parent: str = "") -> Iterator[tuple[str, str]]:
    """Yield each key with the key above it; the keys of ``nulls`` are the user's own names."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key, parent
            if key != "nulls":
                yield from json_keys(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from json_keys(item, parent)


def real_answers() -> Iterator[Any]:
    people = registry(2_000)
    qid = ["birthdate:year", "gender"]
    everything = {"values": True, "suppress": 5, "possible_values": 1_000, "columns": ["birthdate", "gender", "zip"]}
    yield idbits.measure(people, qid, by="zip:prefix2", where="gender = 'F'", **everything)
    yield idbits.measure(people, qid, by="zip:prefix1", reveal=True, suppress=5_000, **everything | {"suppress": 5_000})
    yield idbits.measure(people, [qid, ["zip"]])
    yield idbits.measure(people.slice(0, 50), qid, population=people.slice(10), missing="unbounded", suppress=2)
    yield idbits.measure(people.slice(0, 1), qid, by="gender")


def test_every_json_key_is_documented_and_no_other() -> None:
    text = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
    documented = set(rows_of(text))
    real = {pair for answer in real_answers() for pair in json_keys(json.loads(answer.to_json()))}
    missing = sorted(pair for pair in real if not documented & {pair[0], f"{pair[1]}.{pair[0]}"})
    assert not missing
    names = {key for key, _ in real} | {f"{parent}.{key}" for key, parent in real}
    assert documented <= names


def test_the_navigation_names_every_page_and_no_other() -> None:
    def entries(items: Any) -> Iterator[str]:
        for item in items if isinstance(items, list) else [items]:
            if isinstance(item, str):
                yield item
            else:
                for value in item.values():
                    yield from entries(value)

    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    named = list(entries(settings["project"]["nav"]))
    assert all((DOCS / name).exists() for name in named)
    folders = tuple(name for name in named if name.endswith("/"))
    files = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert not {name for name in files if name not in named and not name.startswith(folders or ("//",))}
    assert all(any(file.startswith(folder) for file in files) for folder in folders)


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as the site generator names them."""
    anchors: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE):
        words = re.sub(r"\[(.*?)\]\(.*?\)|[`*]", r"\1", heading)
        plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
        anchors.add(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower()))
    return anchors


@by_page
def test_no_internal_link_is_dead(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        linked = (page.parent / name).resolve() if name else page
        assert linked.exists(), f"{target} does not exist"
        assert DOCS not in page.parents or DOCS in linked.parents, f"{target} is not part of the site"
        if anchor:
            assert anchor in anchors_of(linked), f"{target}: no such heading"


MACHINE = re.compile(
    r"(?<![\w.])/(home|root|tmp|work|Users|opt|srv|mnt|var)/|[A-Z]:\\|localhost"
    r"|(index|find)[-_]url|/simple\b",
    re.IGNORECASE,
)
BUILD_FILES = [ROOT / name for name in ("Makefile", "pyproject.toml", "constraints.txt", "zensical.toml")]


@pytest.mark.parametrize("page", [*PAGES, *BUILD_FILES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_machine_path_and_no_address_of_a_package_registry(page: Path) -> None:
    assert not MACHINE.search(page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    for one in PAGES:
        if one != RUN_ELSEWHERE:
            with page_folder():
                before = one.read_text(encoding="utf-8")
                after = run_page(before, updated)
                if after != before:
                    one.write_text(after, encoding="utf-8")
                    print("updated", one.relative_to(ROOT))
    shutil.rmtree(_registry().parent)
