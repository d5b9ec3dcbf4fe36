"""The outward behaviour of idbits as text files: what programs and people rely on, frozen so that a change is seen.

``make freeze`` (``python tests/frozen/surface.py``) writes the files anew; ``test_frozen.py`` compares them. They are
in ``files/``: answers as JSON and text, ``help/`` of every command, ``python.txt`` (public names with their
signatures), ``exit-codes.txt``, ``keys.txt`` (every JSON key with its types), ``routes.txt``, and the schemas of
policies and surveys.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import io
import json
import math
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from frozen_commands import ANSWERS, FAILURES, REPOSITORY, SAVED_FILES, SHARED, TEXTS, write_tables

import idbits

FILES = Path(__file__).parent / "files"
SHARED_DATA = Path(os.environ.get("IDBITS_SHARED_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
_SCRUBBED = {
    "ref", "signature", "public_key", "hash", "head", "key", "key_id", "published_at", "created_at", "at", "made_at",
    "previous", "file", "seconds", "sha256", "digest",
}  # fmt: skip
"""Keys whose values are drawn anew each time, or tell the time. The version of this idbits is left out, too."""


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def run(command: str) -> Ended:
    """Run a command in this process, in the current folder."""
    from idbits.cli.main import main

    words = ["idbits", *(word.replace(SHARED, str(SHARED_DATA)) for word in shlex.split(command))]
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr("idbits.cli.progress._PATIENCE_SECONDS", 600.0)
        patch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            main()
    code = ended.value.code
    return Ended(
        code if isinstance(code, int) else 0, _without_this_place(out.getvalue()), _without_this_place(err.getvalue())
    )


def _without_this_place(text: str) -> str:
    shorter = text.replace(str(SHARED_DATA), SHARED).replace(str(Path.cwd()), "HERE")
    return shorter.replace(f"idbits {idbits.__version__}", "idbits VERSION")


@contextlib.contextmanager
def folder_of_tables() -> Iterator[Path]:
    """Give a folder with every table of the commands, as the current one; the repository is one of its own."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name), pytest.MonkeyPatch.context() as patch:
        for variable in [*os.environ]:
            if variable.startswith("IDBITS_") or variable in ("COLUMNS", "FORCE_COLOR"):
                patch.delenv(variable)
        patch.setenv("IDBITS_DATA", str(Path(name) / "data"))
        patch.setenv("COLUMNS", "100")
        write_tables(Path(name))
        yield Path(name)


def answer(command: str) -> Any:
    """Return the JSON of a command, without what differs from run to run; the files that it needs are written first."""
    for name, other in SAVED_FILES.items():
        if name in command:
            run(f"{other} --json --out {name}")
    ended = run(command if "--format json" in command else f"{command} --json")
    written = re.search(r" -o (\S+)", command)
    assert ended.code in (0, 1), f"{command}: {ended.err}"
    return _scrubbed(json.loads(Path(written[1]).read_text() if written and not ended.out else ended.out))


def _scrubbed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: f"<{key}>" if _changes(key, item) else _scrubbed(item) for key, item in value.items()}
    return [_scrubbed(item) for item in value] if isinstance(value, list) else value


def _changes(key: str, item: object) -> bool:
    return (key in _SCRUBBED and isinstance(item, str | float)) or (key == "version" and item == idbits.__version__)


def story() -> list[Any]:
    """Return the answers of the repository's commands, one after the other."""
    return [{"command": command, "answer": answer(command)} for command in REPOSITORY]


def text(command: str) -> str:
    """Return what a command prints, notes first; times of day are blanked."""
    ended = run(f"{command} --plain")
    notes = "".join(line for line in ended.err.splitlines(keepends=True) if line.startswith(("note: ", "idbits: ")))
    return re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?( UTC|Z)?", "TIME", f"$ idbits {command}\n{notes}{ended.out}")


def helps() -> dict[str, str]:
    """Return the help of every command by its name."""
    from typer.main import get_command

    from idbits.cli.main import app

    return {name: run(f"{name} --help").out for name in ["", *_names(get_command(app))]}


def _names(command: Any, above: str = "") -> Iterator[str]:
    for name, inner in getattr(command, "commands", {}).items():
        yield f"{above}{name}"
        yield from _names(inner, f"{above}{name} ")


def exit_codes() -> str:
    """Return how commands end: what was wrong, the exit code and the line."""
    lines = []
    for name, command in FAILURES.items():
        ended = run(command)
        lines += [f"{name}\n  $ idbits {command}\n  exit {ended.code}\n  {ended.err.strip()}".rstrip()]
    return "\n\n".join(lines) + "\n"


def python_names() -> str:
    """Return every public name with its signature; of classes their fields and methods."""
    lines = []
    for module in (idbits, idbits.predict, idbits.repository):
        for name in sorted(module.__all__):
            lines += _described(f"{module.__name__}.{name}", getattr(module, name))
    return "\n".join(lines) + "\n"


def _described(name: str, value: Any) -> list[str]:
    if isinstance(value, type):
        kind = "error" if issubclass(value, Exception) else "class"
        lines = [f"{kind} {name}({', '.join(base.__name__ for base in value.__bases__)})"]
        return lines + [f"    {member}" for member in _members(value)]
    return [f"def {name}{_signature(value)}"] if callable(value) else [f"{type(value).__name__} {name}"]


def _signature(value: Any) -> str:
    return re.sub(r"<(\S+) object at 0x\w+>", r"\1", str(inspect.signature(value)))


def _members(kind: type) -> list[str]:
    if issubclass(kind, Exception):
        return []
    members = (
        [f"{field.name}: {field.type}" for field in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []
    )
    for name, value in inspect.getmembers_static(kind):
        if name.startswith("_") or any(member.startswith(f"{name}:") for member in members):
            continue
        if value is vars(str).get(name):
            # What every text has.
            continue
        if isinstance(value, property):
            members.append(f"{name} (property)")
        elif callable(value) or isinstance(value, classmethod | staticmethod):
            members.append(f"{name}{_signature(getattr(kind, name))}")
    return members


def keys(answers: dict[str, Any]) -> str:
    """Return every key of the answers with the types of its values, by command."""
    found: dict[str, set[str]] = {}
    for value in answers.values():
        for item in value if isinstance(value, list) else [value]:
            one = item.get("answer", item)
            _note_keys(one, one.get("command", "?"), found)
    return "".join(f"{path}: {' | '.join(sorted(types))}\n" for path, types in sorted(found.items()))


def _note_keys(value: Any, path: str, found: dict[str, set[str]]) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            # Keys that are numbers or the user's own columns are not keys of the format.
            named = key if re.fullmatch(r"[a-z][a-z_0-9]*", key) and not path.endswith(("nulls", "figures")) else "*"
            found.setdefault(f"{path}.{named}", set()).add(_type(item))
            _note_keys(item, f"{path}.{named}", found)
    elif isinstance(value, list):
        for item in value:
            _note_keys(item, f"{path}[]", found)


def _type(value: Any) -> str:
    names = {dict: "object", list: "array", str: "text", bool: "boolean", int: "number", float: "number"}
    return "null" if value is None else names[type(value)]


def pretty(value: Any, indent: str = "") -> str:
    """Return JSON with short objects and lists on a line, so that a change is a short difference."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + len(indent) <= 110 or not isinstance(value, dict | list):
        return flat
    inner = indent + " "
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(key, ensure_ascii=False)}: {pretty(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    return "[\n" + ",\n".join(f"{inner}{pretty(item, inner)}" for item in value) + f"\n{indent}]"


def schemas() -> dict[str, str]:
    """Return the schemas that the package ships."""
    folder = Path(idbits.__file__).parent
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.schema.json"))}


def routes() -> str:
    """Return the addresses that the server answers, as its description for programs lists them."""
    from idbits.repository import Repository
    from idbits.web.app import create_app
    from idbits.web.settings import WebSettings

    store = Repository.open(str(Path.cwd() / "routes.db"))
    try:
        paths = create_app(WebSettings(), store).openapi()["paths"]
    finally:
        store.close()
    return "".join(f"{method.upper()} {path}\n" for path in sorted(paths) for method in sorted(paths[path]))


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield where two answers differ; the last digits of a logarithm depend on the processor."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if key not in new or key not in old:
                yield f"{path}.{key}: {'gone' if key not in new else 'new'}"
            else:
                yield from differences(old[key], new[key], f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, after, f"{path}[{index}]")
    elif isinstance(old, float) and isinstance(new, float):
        if not math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12):
            yield f"{path}: {old!r} became {new!r}"
    elif old != new or type(old) is not type(new):
        yield f"{path}: {old!r} became {new!r}"


def rewrite() -> None:
    """Write every frozen file anew, once all are computed; answers that differ in last digits only stay."""
    with folder_of_tables():
        answers = {name: answer(command) for name, command in ANSWERS.items()} | {"repository": story()}
        files = {f"json/{name}.json": _kept_or_new(name, value) for name, value in answers.items()}
        files |= {f"text/{name}.txt": text(command) for name, command in TEXTS.items()}
        files |= {f"help/{name.replace(' ', '-') or 'idbits'}.txt": shown for name, shown in helps().items()}
        files |= {"exit-codes.txt": exit_codes(), "python.txt": python_names(), "keys.txt": keys(answers)}
        files |= {"routes.txt": routes()} | schemas()
    shutil.rmtree(FILES, ignore_errors=True)
    for name, content in files.items():
        (FILES / name).parent.mkdir(parents=True, exist_ok=True)
        (FILES / name).write_text(content, encoding="utf-8")


def _kept_or_new(name: str, value: Any) -> str:
    file = FILES / "json" / f"{name}.json"
    frozen = file.read_text(encoding="utf-8") if file.exists() else "null"
    return pretty(value) + "\n" if [*differences(json.loads(frozen), value)] else frozen


if __name__ == "__main__":
    rewrite()
