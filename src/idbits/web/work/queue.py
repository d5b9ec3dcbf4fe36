"""The queue of long work: what is running for whom, its progress, and the latest results.

The owner of the machine and the holders of keys have separate queues, so that no key keeps the owner waiting; among
keys, the one that has waited longest since its last work is next.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from idbits.errors import InputError
from idbits.storage import TemporaryFolder, temporary_folder
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.work.worker import OWN_FOLDER, Task

__all__ = ["TooMuchWorkError", "Work", "WorkQueue"]

_MOST_KEPT = 30
# Most unfinished pieces of work: of the owner or of all keys together, and of one key.
_MOST_WAITING = 20
_MOST_WAITING_EACH = 4
_MOST_STOPPED = 1000
_MOST_KEPT_BYTES = 64 * 1024 * 1024
# Treated files stay on disk as long as their results are kept; all of them together take at most this much.
_MOST_FILE_BYTES = 4 * 1024**3
_TOO_LARGE = "the treated file is larger than the app keeps (4 GB); the command idbits apply writes it"
_PATIENCE_SECONDS = 10.0
_ENDED = (
    "the system ended the work ({code}), perhaps because memory ran out; ask the person who started idbits to lower "
    "its memory limit (--memory)"
)


class TooMuchWorkError(InputError):
    """The caller has too much work waiting. Attributes: retry_after_seconds."""

    retry_after_seconds = 10


@dataclass(eq=False)
class Work:
    """A piece of work.

    Attributes:
        by: the name of the account that asked for it; None for the owner of the machine.
        ident: its name in addresses, which cannot be guessed.
        label: the current step.
        part: how much of the step is done, from 0 to 1; None if that is not known.
        result: the result.
        error: why there is no result.
        kept: the folder with the files that the work has written, which are removed with the result.
    """

    task: Task
    by: str | None = None
    ident: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    label: str = "waiting for other work to finish"
    part: float | None = None
    result: JsonObject | None = None
    error: str | None = None
    exit_code: int = 0
    begun: bool = False
    cancelled: bool = False
    bytes: int = 0
    done: threading.Event = field(default_factory=threading.Event)
    process: subprocess.Popen[str] | None = None
    kept: TemporaryFolder | None = None
    file_bytes: int = 0

    def file(self, name: str) -> Path | None:
        """Return a file that the work has written, if it is still there."""
        path = self.kept.path / name if self.kept is not None else None
        return path if path is not None and path.is_file() else None

    def remove_files(self) -> None:
        """Remove the files that the work has written."""
        if self.kept is not None:
            self.kept.remove()
            self.kept = None


class WorkQueue:
    """Takes work, runs as much at once as allowed, and keeps the latest results."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        # One key must leave room for the others.
        self._at_once_each = min(at_once, max(1, at_once - 1))
        self._works: OrderedDict[str, Work] = OrderedDict()
        self._waiting: list[Work] = []
        self._running: list[Work] = []
        self._begun: dict[str, int] = {}
        self._stopped: OrderedDict[str, None] = OrderedDict()
        self._number = 0
        self._lock = threading.Lock()

    def work(self, key: str, task: Task, by: str | None = None) -> Work:
        """Return the work on a task: the work with this key, or new work.

        Args:
            key: a key that is unique to this task.
            task: the task for ``worker.py``.
            by: the name of the account that asks; None for the owner of the machine.
        """
        with self._lock:
            known = self._works.get(key)
            if known is not None:
                self._works.move_to_end(key)
                if by is None and not known.begun:
                    known.by = None
                    self._begin()
                return known
            self._check_quota(by)
            self._stopped.pop(key, None)
            work = self._works[key] = Work(task, by)
            self._waiting.append(work)
            self._tidy(work)
            self._begin()
        return work

    def _check_quota(self, by: str | None) -> None:
        unfinished = [work.by for work in (*self._waiting, *self._running)]
        if by is None and unfinished.count(None) >= _MOST_WAITING:
            raise TooMuchWorkError("too much work is waiting; stop some of it, or try again later")
        others = len(unfinished) - unfinished.count(None)
        if by is not None and (unfinished.count(by) >= _MOST_WAITING_EACH or others >= _MOST_WAITING):
            raise TooMuchWorkError("too much work is waiting for this key; try again when some of it is done")

    def _begin(self) -> None:
        """Start the work there is room for; the caller has the lock."""
        while (work := self._next()) is not None:
            self._waiting.remove(work)
            self._running.append(work)
            work.begun = True
            self._number += 1
            if work.by is not None:
                self._begun[work.by] = self._number
            threading.Thread(target=self._do, args=(work,), name="idbits-work", daemon=True).start()

    def _next(self) -> Work | None:
        running = [work.by for work in self._running]
        if running.count(None) < self._at_once:
            for work in self._waiting:
                if work.by is None:
                    return work
        if len(running) - running.count(None) >= self._at_once:
            return None
        keys = dict.fromkeys(work.by for work in self._waiting if work.by is not None)
        free = [by for by in keys if running.count(by) < self._at_once_each]
        if not free:
            return None
        patient = min(free, key=lambda by: self._begun.get(by, 0))
        return next(work for work in self._waiting if work.by == patient)

    def has_done(self, key: str) -> bool:
        """Whether the result is known already."""
        with self._lock:
            known = self._works.get(key)
            return known is not None and known.result is not None

    def known(self, key: str) -> Work | None:
        """Return the work with a key, without starting any."""
        with self._lock:
            return self._works.get(key)

    def was_stopped(self, key: str) -> bool:
        """Whether the work with this key was stopped and not requested since."""
        with self._lock:
            return key in self._stopped

    def forget(self, key: str) -> None:
        """Forget the work with a key, so that it is done again."""
        with self._lock:
            work = self._works.pop(key, None)
            if work is not None:
                self._end(work)
                work.remove_files()

    def cancel(self, ident: str) -> bool:
        """Stop a piece of work; return whether there was one."""
        word = ident.encode("utf-8", "surrogatepass")
        with self._lock:
            matches = [
                (key, work) for key, work in self._works.items() if secrets.compare_digest(work.ident.encode(), word)
            ]
            for key, work in matches:
                del self._works[key]
                self._end(work)
                work.remove_files()
                self._stopped[key] = None
            while len(self._stopped) > _MOST_STOPPED:
                self._stopped.popitem(last=False)
        return bool(matches)

    def close(self) -> None:
        """Stop all work, and wait until it has ended."""
        with self._lock:
            works = [*self._waiting, *self._running]
            for work in self._works.values():
                work.remove_files()
            self._works.clear()
            for work in works:
                self._end(work)
        for work in works:
            work.done.wait(_PATIENCE_SECONDS)

    def _end(self, work: Work) -> None:
        """Stop a piece of work; the caller has the lock."""
        work.cancelled = True
        if work in self._waiting:
            self._waiting.remove(work)
            _finish(work)
        process = work.process
        if process is not None and process.poll() is None:
            process.kill()

    def _tidy(self, new: Work) -> None:
        """Forget the oldest results, of the owner or of the keys; running work stays."""
        mine = [(key, work) for key, work in self._works.items() if (work.by is None) == (new.by is None)]
        ended = [(key, work) for key, work in mine if work.done.is_set()]
        number, size = len(mine), sum(work.bytes for _, work in ended)
        on_disk = sum(work.file_bytes for _, work in ended)
        for key, work in ended:
            if number <= _MOST_KEPT and size <= _MOST_KEPT_BYTES and on_disk <= _MOST_FILE_BYTES:
                return
            del self._works[key]
            work.remove_files()
            number, size, on_disk = number - 1, size - work.bytes, on_disk - work.file_bytes

    def _do(self, work: Work) -> None:
        try:
            if not work.cancelled:
                # A killed process cannot clean up, so its temporary files are removed here.
                with temporary_folder(OWN_FOLDER) as folder:
                    self._run(work, str(folder))
                    self._keep_files(work, folder)
        finally:
            _finish(work)
            with self._lock:
                self._running.remove(work)
                self._begin()

    def _keep_files(self, work: Work, folder: Path) -> None:
        """Move the files of a result out of the folder of its process; they stay as long as the result."""
        names = cast("list[str]", work.result.get("files", [])) if work.result is not None else []
        if not names:
            return
        size = sum((folder / name).stat().st_size for name in names)
        if size > _MOST_FILE_BYTES:
            work.result, work.error, work.exit_code = None, _TOO_LARGE, 3
            return
        kept = TemporaryFolder(OWN_FOLDER)
        kept.make()
        try:
            for name in names:
                os.replace(folder / name, kept.path / name)  # noqa: PTH105 (names come from our own worker)
        except OSError:
            kept.remove()
            work.result, work.error, work.exit_code = None, "the treated file cannot be kept on this disk", 3
            return
        with self._lock:
            work.kept, work.file_bytes = kept, size
            # Nobody can ask for the files of work that was stopped meanwhile.
            if work.cancelled:
                work.remove_files()

    def _run(self, work: Work, folder: str) -> None:
        work.label = "starting"
        environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUTF8": "1"}
        environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
        # The task goes through a pipe: everyone on the machine can see arguments.
        process = subprocess.Popen(
            # Without -P a file in the current folder could replace a module.
            [sys.executable, "-P", "-m", "idbits.web.work.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=os.environ | environment,
        )
        work.process = process
        if work.cancelled:
            process.kill()
        try:
            with process:
                assert process.stdin is not None
                assert process.stdout is not None
                try:
                    process.stdin.write(json.dumps(work.task))
                    process.stdin.close()
                except BrokenPipeError:
                    pass
                for line in process.stdout:
                    self._hear(work, line)
        finally:
            if process.poll() is None:
                process.kill()
        if work.result is None and work.error is None and not work.cancelled:
            work.error, work.exit_code = _ENDED.format(code=process.returncode), 3

    @staticmethod
    def _hear(work: Work, line: str) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return
        if "label" in message:
            work.label, work.part = str(message["label"]), message["part"]
        elif "result" in message:
            work.bytes = len(line)
            work.result = message["result"]
        elif "error" in message:
            work.error, work.exit_code = str(message["error"]), int(message["exit_code"])


def _finish(work: Work) -> None:
    if work.result is None and work.error is None:
        work.error, work.exit_code = "stopped", 130
    work.done.set()
