"""The desk: who is at work for whom, how far they are, and what they have found."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from idbits.errors import InputError
from idbits.temporary import temporary_folder
from idbits.web.work.worker import OWN_FOLDER

__all__ = ["Desk", "Work"]

_MOST_KEPT = 30
_MOST_WAITING = 20
_MOST_KEPT_BYTES = 64 * 1024 * 1024
_PATIENCE_SECONDS = 10.0
_ENDED = "the work was ended from outside ({code}), perhaps for want of memory; allow less with --memory"


@dataclass(eq=False)
class Work:
    """A piece of work.

    Attributes:
        ident: how it is called in addresses; not to be guessed.
        label: what is being done.
        part: how much of that is done, from 0 to 1; None where that is not known.
        result: what came out.
        error: why nothing did.
    """

    task: dict[str, Any]
    ident: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    label: str = "waiting for other work to end"
    part: float | None = None
    result: dict[str, Any] | None = None
    error: str | None = None
    exit_code: int = 0
    begun: bool = False
    cancelled: bool = False
    bytes: int = 0
    done: threading.Event = field(default_factory=threading.Event)
    process: subprocess.Popen[str] | None = None


class Desk:
    """Takes work, does as much of it at once as allowed, and keeps what was found last."""

    def __init__(self, at_once: int) -> None:
        self._places = threading.Semaphore(at_once)
        self._works: OrderedDict[str, Work] = OrderedDict()
        self._lock = threading.Lock()

    def work(self, key: str, task: dict[str, Any]) -> Work:
        """Return the work on a task: what is known under this key, or new work."""
        with self._lock:
            known = self._works.get(key)
            if known is not None:
                self._works.move_to_end(key)
                return known
            if sum(not work.done.is_set() for work in self._works.values()) >= _MOST_WAITING:
                raise InputError("too much work is waiting; stop some of it, or wait")
            made = self._works[key] = Work(task)
            self._tidy()
        threading.Thread(target=self._do, args=(made,), name="idbits-work", daemon=True).start()
        return made

    def has_done(self, key: str) -> bool:
        """Whether a result is here without any work."""
        with self._lock:
            known = self._works.get(key)
            return known is not None and known.result is not None

    def forget(self, key: str) -> None:
        """Forget what is known under a key, so that it is done anew."""
        with self._lock:
            work = self._works.pop(key, None)
        if work is not None:
            self._end(work)

    def cancel(self, ident: str) -> bool:
        """End a piece of work; return whether there was one."""
        word = ident.encode("utf-8", "surrogatepass")
        with self._lock:
            found = [
                (key, work) for key, work in self._works.items() if secrets.compare_digest(work.ident.encode(), word)
            ]
            for key, _ in found:
                del self._works[key]
        for _, work in found:
            self._end(work)
        return bool(found)

    def close(self) -> None:
        """End all work, and wait until nothing of it is left."""
        with self._lock:
            works = list(self._works.values())
            self._works.clear()
        for work in works:
            self._end(work)
        for work in works:
            if work.begun:
                work.done.wait(_PATIENCE_SECONDS)

    @staticmethod
    def _end(work: Work) -> None:
        work.cancelled = True
        process = work.process
        if process is not None and process.poll() is None:
            process.kill()

    def _tidy(self) -> None:
        """Forget the oldest results; work that goes on stays."""
        ended = [key for key, work in self._works.items() if work.done.is_set()]
        size = sum(self._works[key].bytes for key in ended)
        while ended and (len(self._works) > _MOST_KEPT or size > _MOST_KEPT_BYTES):
            size -= self._works.pop(ended.pop(0)).bytes

    def _do(self, work: Work) -> None:
        try:
            with self._places:
                work.begun = True
                if not work.cancelled:
                    # A process that is ended cannot tidy up: what it spilled is removed here.
                    with temporary_folder(OWN_FOLDER) as folder:
                        self._run(work, str(folder))
        finally:
            if work.result is None and work.error is None:
                work.error, work.exit_code = "stopped", 130
            work.done.set()

    def _run(self, work: Work, folder: str) -> None:
        work.label = "starting"
        own = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUTF8": "1"}
        own |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
        # What it is to do goes through a pipe: arguments are seen by everyone on the machine.
        process = subprocess.Popen(
            # Without -P a file in the current folder could stand in for a module.
            [sys.executable, "-P", "-m", "idbits.web.work.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=os.environ | own,
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
            said = json.loads(line)
        except ValueError:
            return
        if "label" in said:
            work.label, work.part = str(said["label"]), said["part"]
        elif "result" in said:
            work.bytes = len(line)
            work.result = said["result"]
        elif "error" in said:
            work.error, work.exit_code = str(said["error"]), int(said["exit_code"])
