"""The queue of work: work in processes of their own, which leave nothing behind however they end."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from idbits.errors import InputError
from idbits.examples.registry import write_registry
from idbits.web.work.queue import TooMuchWorkError, Work, WorkQueue

WAITING = "waiting for other work to finish"


def test_too_much_work_is_refused() -> None:
    queue = WorkQueue(0)
    for number in range(20):
        queue.work(str(number), {})
    with pytest.raises(InputError, match="too much work is waiting"):
        queue.work("one more", {})
    assert queue.work("3", {}).label == WAITING
    assert queue.cancel(queue.work("3", {}).ident)
    queue.work("one more", {})
    queue.close()


@pytest.mark.parametrize("end", [lambda queue, work: queue.cancel(work.ident), lambda queue, _: queue.close()])
def test_work_that_is_ended_leaves_no_file(
    end: Callable[[WorkQueue, Work], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, spilled = tmp_path / "large.csv", tmp_path / "spilled"
    write_registry(table, 100_000)
    spilled.mkdir()
    monkeypatch.setenv("TMPDIR", str(spilled))
    monkeypatch.setattr(tempfile, "tempdir", str(spilled))
    queue = WorkQueue(1)
    task = {"task": "columns", "source": str(table), "reading": {}, "show_names": False}
    work = queue.work("large", task)
    until = time.monotonic() + 60
    while not work.done.is_set() and time.monotonic() < until:
        if any(not path.name.startswith("idbits-work-") for path in spilled.rglob("*")):
            break
        time.sleep(0.005)
    end(queue, work)
    assert work.done.wait(60)
    assert list(spilled.iterdir()) == []


def test_a_file_in_the_current_folder_stands_in_for_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyarrow.py").write_text("raise RuntimeError")
    (tmp_path / "duckdb.py").write_text("raise RuntimeError")
    (tmp_path / "people.csv").write_text("age\n1\n2\n")
    monkeypatch.chdir(tmp_path)
    queue = WorkQueue(1)
    work = queue.work("people", {"task": "columns", "source": "people.csv", "reading": {}, "show_names": False})
    assert work.done.wait(60)
    assert work.error is None
    queue.close()


def test_work_ends_when_the_server_is_gone(tmp_path: Path) -> None:
    table, folder = tmp_path / "large.csv", tmp_path / "idbits-work-1"
    write_registry(table, 300_000)
    folder.mkdir()
    task = {"task": "columns", "source": str(table), "reading": {}, "show_names": False}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "idbits.web.work.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(task))
    process.stdin.close()
    assert "label" in json.loads(process.stdout.readline())
    process.stdout.close()
    assert process.wait(60) == 3
    assert not folder.exists()


def test_keys_wait_for_each_other_and_never_keep_the_owner_waiting() -> None:
    queue = WorkQueue(0)
    queue._at_once_each = 1
    works = [queue.work(f"a{number}", {}, "a") for number in range(4)]
    with pytest.raises(TooMuchWorkError, match="for this key"):
        queue.work("a4", {}, "a")
    works += [queue.work("b0", {}, "b"), queue.work("mine", {})]
    # What a key asked for first is the owner's as soon as the owner asks for it, too.
    assert queue.work("a3", {}) is works[3]
    order = []
    queue._at_once = 1
    while (work := queue._next()) is not None:
        queue._waiting.remove(work)
        order.append(next(key for key, known in queue._works.items() if known is work))
        if work.by is not None:
            queue._begun[work.by] = len(order)
    assert order == ["a3", "mine", "a0", "b0", "a1", "a2"]
    queue.close()


def test_results_for_keys_push_out_no_result_of_the_owner() -> None:
    queue = WorkQueue(0)
    kept = queue.work("mine", {})
    queue._waiting.remove(kept)
    kept.done.set()
    for number in range(100):
        work = queue.work(str(number), {}, f"key {number}")
        queue._waiting.remove(work)
        work.done.set()
    assert queue.work("mine", {}) is kept
    assert len(queue._works) <= 32
    queue.close()
