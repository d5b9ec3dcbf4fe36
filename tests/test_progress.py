"""Progress: a Ctrl-C that a library has swallowed ends the work at its next step."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from idbits.progress import INTERRUPTED, SILENT, Progress, WatchedProgress


@pytest.fixture
def interrupted() -> Iterator[None]:
    INTERRUPTED.set()
    yield
    INTERRUPTED.clear()


@pytest.mark.parametrize("progress", [SILENT, WatchedProgress()], ids=["silent", "watched"])
@pytest.mark.usefixtures("interrupted")
def test_no_step_begins_after_an_interrupt(progress: Progress) -> None:
    with pytest.raises(KeyboardInterrupt), progress.step("counting"):
        pytest.fail("the work went on")
    INTERRUPTED.clear()
    with progress.step("counting"):
        pass


@pytest.mark.usefixtures("interrupted")
def test_steps_of_other_threads_go_on() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: SILENT.step("counting").__enter__()).result() is None


SWALLOWED = """
import signal, sys
from idbits.cli import commands, main
from idbits.progress import SILENT

def work(*_, **__):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        pass
    with SILENT.step("the next step"):
        print("went on")

commands.app_for = lambda _: work
sys.argv = ["idbits", "measure"]
main.main()
"""


@pytest.mark.process
def test_a_command_remembers_an_interrupt_that_was_swallowed() -> None:
    ended = subprocess.run([sys.executable, "-c", SWALLOWED], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "idbits: stopped\n")
