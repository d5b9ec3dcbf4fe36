"""Code that runs on every system: what only POSIX has is asked for by name, and text files say how they are written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "idbits"
MODULES = {
    "crypt", "fcntl", "grp", "msvcrt", "nis", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty",
    "winreg",
}  # fmt: skip
NAMES = {
    "os": {
        "O_BINARY", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "chown", "fchmod", "fchown", "fork", "geteuid", "getgid",
        "getgroups", "getloadavg", "getuid", "killpg", "lchown", "link", "mkfifo", "nice", "pread", "pwrite",
        "sched_getaffinity", "setsid", "statvfs", "symlink", "sysconf", "umask", "uname",
    },
    "signal": {
        "SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGUSR1", "SIGUSR2", "alarm", "setitimer",
    },
    "socket": {"AF_UNIX", "SO_EXCLUSIVEADDRUSE", "SO_REUSEPORT"},
}  # fmt: skip
"""What some system that idbits runs on does not have: it needs ``getattr``, ``hasattr`` or ``except``."""
GUARDED = {
    ("engines/sources/foreign.py", "os.sysconf"): "except AttributeError",
    ("storage.py", "os.getuid"): "after hasattr",
    ("storage.py", "os.umask"): "after hasattr",
}
TEXT_METHODS = ("open", "fdopen", "read_text", "write_text", "TextIOWrapper")
TREES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")
}


NODES = {path: list(ast.walk(tree)) for path, tree in TREES.items()}


def test_names_that_some_system_lacks_are_guarded() -> None:
    used = {
        (path, f"{node.value.id}.{node.attr}")
        for path, nodes in NODES.items()
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.attr in NAMES.get(node.value.id, ())
    }
    assert used == set(GUARDED)


def test_modules_that_some_system_lacks_are_imported_with_a_way_out() -> None:
    for path, nodes in NODES.items():
        guarded = {
            inner
            for node in nodes
            if isinstance(node, ast.Try) and any("ImportError" in ast.unparse(part) for part in node.handlers)
            for inner in ast.walk(node)
        }
        for node in nodes:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            assert not MODULES & set(names) or node in guarded, f"{path}:{getattr(node, 'lineno', 0)}"


def text_files(nodes: list[ast.AST]) -> Iterator[tuple[ast.Call, str]]:
    """Yield calls that open a text file, with the mode."""
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name not in TEXT_METHODS or (isinstance(call.func, ast.Attribute) and _is_other_open(call.func)):
            continue
        if name in ("read_text", "write_text"):
            yield call, name[0]
            continue
        texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        mode = next((text for text in texts if set(text) <= set("rwxabt+")), "r")
        if "b" not in mode:
            yield call, mode


def _is_other_open(function: ast.Attribute) -> bool:
    """Whether it opens something else than a text file: a number, a database, an archive, a browser, a help text."""
    owner = ast.unparse(function.value)
    if owner == "formatter":
        return True
    return function.attr == "open" and (
        owner in ("os", "archive", "webbrowser", "cls") or owner[:1].isupper() or "jvm" in owner
    )


@pytest.mark.parametrize("path", sorted(path for path, nodes in NODES.items() if any(text_files(nodes))))
def test_text_files_have_an_encoding_and_line_ends(path: str) -> None:
    for call, mode in text_files(NODES[path]):
        given = {keyword.arg for keyword in call.keywords}
        assert "encoding" in given, f"{path}:{call.lineno}"
        if set(mode) & set("wax"):
            assert "newline" in given, f"{path}:{call.lineno}: the file would differ on Windows"


def test_the_rules_find_something() -> None:
    bad = ast.parse("path.write_text(text, encoding='utf-8')\nopen(name)\nos.open(name, 0)\nfile.open('rb')")
    assert [mode for _, mode in text_files([*ast.walk(bad)])] == ["w", "r"]
    assert sum(len(list(text_files(nodes))) for nodes in NODES.values()) > 20
