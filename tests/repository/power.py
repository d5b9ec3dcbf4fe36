"""A power cut: each sector that a program wrote but did not sync may be there or not.

``strace`` records every write, sync and name of a program. The files are then rebuilt as they could be on disk after a
cut at any moment: what was synced is there; of the rest, any sectors of 512 bytes; of names in the folder that were
not synced, the first few.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512
STRACE = shutil.which("strace")
_CALLS = "open,openat,creat,write,pwrite64,writev,pwritev,ftruncate,fallocate,fsync,fdatasync,sync_file_range"
_NAMES = "unlink,unlinkat,rename,renameat,renameat2,link,linkat"
_LINE = re.compile(r"(?P<call>\w+)\((?P<given>.*)\)\s+= (?P<result>-?\d+)")
_DESCRIPTOR = re.compile(r"\d+<(?P<path>[^>]*)>")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass
class Content:
    """A file: its bytes at the last sync, and the writes since."""

    synced: bytearray = field(default_factory=bytearray)
    since: list[tuple[int, bytes | None]] = field(default_factory=list)

    def sync(self) -> None:
        self.synced = self.after(random.Random(0), keep=1.0)
        self.since.clear()

    def after(self, chance: random.Random, keep: float) -> bytearray:
        """Return the bytes on disk if a share of the unsynced sectors was written."""
        found = bytearray(self.synced)
        for offset, data in self.since:
            if data is None:
                if chance.random() < keep:
                    del found[offset:]
                    found.extend(bytes(offset - len(found)))
                continue
            end = offset + len(data)
            for start in range(offset - offset % SECTOR, end, SECTOR):
                if chance.random() >= keep:
                    continue
                first, last = max(start, offset), min(start + SECTOR, end)
                found.extend(bytes(max(0, last - len(found))))
                found[first:last] = data[first - offset : last - offset]
        return found


@dataclass
class Disk:
    """A folder: its files by name at the last sync of the folder, and the changes of names since."""

    names: dict[str, Content] = field(default_factory=dict)
    synced: dict[str, Content] = field(default_factory=dict)
    since: list[dict[str, Content]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def note_names(self) -> None:
        self.since.append(dict(self.names))

    def rebuild(self, folder: Path, chance: random.Random, keep: float) -> None:
        """Write the files as they may be after a power cut."""
        states = [self.synced, *self.since]
        names = states[-1] if keep == 1.0 else chance.choice(states)
        for name, content in names.items():
            (folder / name).write_bytes(content.after(chance, keep))


@dataclass(frozen=True)
class Call:
    """One call of the recorded program that concerns its folder."""

    name: str
    path: str
    other: str = ""
    offset: int = 0
    data: bytes = b""


def record(command: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> list[Call]:
    """Run a program, and return the calls that concern files in a folder."""
    assert STRACE is not None
    trace = folder.with_name(f"{folder.name}.trace")
    watched = [STRACE, "-y", "-xx", "-s", "1000000", "-e", f"trace={_CALLS},{_NAMES}", "-e", "signal=none"]
    done = subprocess.run(
        [*watched, "-o", str(trace), *command], capture_output=True, env={**os.environ, **(environment or {})}
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    with trace.open() as lines:
        found = [call for line in lines for call in _calls(line, str(folder.resolve()))]
    trace.unlink()
    return found


def _calls(line: str, folder: str) -> list[Call]:
    matched = _LINE.match(line)
    if matched is None or matched["result"].startswith("-"):
        return []
    call, given, result = matched["call"], matched["given"], int(matched["result"])
    texts = [_decoded(text) for text in _TEXT.findall(given)]
    if call in ("open", "openat", "creat"):
        path = texts[0].decode()
        new = "O_CREAT" in given or call == "creat"
        return [Call("create", path[len(folder) + 1 :])] if new and path.startswith(f"{folder}/") else []
    if call in _NAMES.split(","):
        paths = [text.decode() for text in texts]
        if not all(path.startswith(f"{folder}/") for path in paths):
            return []
        short = [path[len(folder) + 1 :] for path in paths]
        kind = re.match("unlink|rename|link", call)
        assert kind is not None
        return [Call(kind[0], short[0], short[-1])]
    named = _DESCRIPTOR.match(given)
    path = named["path"] if named is not None else ""
    path = _decoded(path).decode() if path.startswith("\\x") else path
    if path == folder:
        return [Call("sync folder", "")] if call in ("fsync", "fdatasync") else []
    if not path.startswith(f"{folder}/"):
        return []
    return [_file_call(call, path[len(folder) + 1 :], given, texts, result)]


def _file_call(call: str, name: str, given: str, texts: list[bytes], result: int) -> Call:
    if call in ("fsync", "fdatasync"):
        return Call("sync", name)
    if call == "ftruncate":
        return Call("truncate", name, offset=int(given.rpartition(", ")[2]))
    if call == "pwrite64":
        assert len(texts[-1]) == result, "a write was recorded in part"
        return Call("write", name, offset=int(given.rpartition(", ")[2]), data=texts[-1])
    if call == "write":
        return Call("append", name, data=texts[-1])
    raise AssertionError(f"{call} is not known here")


def _decoded(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def replay(calls: Sequence[Call], disk: Disk, *, syncs: bool = True) -> None:
    """Apply calls to a disk; without syncs, nothing is safe."""
    for call in calls:
        if syncs or call.name not in ("sync", "sync folder"):
            _ACTIONS[call.name](disk, call)


def _create(disk: Disk, call: Call) -> None:
    if call.path not in disk.names:
        disk.names[call.path] = Content()
        disk.note_names()


def _rename(disk: Disk, call: Call) -> None:
    content = disk.names[call.path] if call.name == "link" else disk.names.pop(call.path)
    if call.name != "unlink":
        disk.names[call.other] = content
    disk.note_names()


def _sync_folder(disk: Disk, _: Call) -> None:
    disk.synced, disk.since = dict(disk.names), []


_ACTIONS: dict[str, Callable[[Disk, Call], None]] = {
    "create": _create,
    "unlink": _rename,
    "rename": _rename,
    "link": _rename,
    "sync folder": _sync_folder,
    "sync": lambda disk, call: disk.names[call.path].sync(),
    "truncate": lambda disk, call: disk.names[call.path].since.append((call.offset, None)),
    "write": lambda disk, call: disk.names[call.path].since.append((call.offset, call.data)),
    # Only the test itself appends, to its receipts.
    "append": lambda disk, call: disk.said.append(call.data.decode()),
}


def program(function: str, *given: str) -> list[str]:
    """Return the command that runs a function of this folder's modules in a separate process."""
    module, name = function.split(".")
    words = f"import {module}, sys; {module}.{name}(*sys.argv[1:])"
    return [sys.executable, "-c", words, *given]
