"""Run studies on a cluster and, in the middle of counting pairs, kill a worker with its executor; print what came out.

python lose_a_worker.py MASTER PEOPLE.parquet VISITS.parquet WORKER_PID
"""

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession

import idbits
from clusters import children
from idbits.engines.spark.session import start_session
from idbits.progress import SILENT


class Killer:
    """Shows no progress, but waits for the pairs to be counted, and kills when some tasks are done."""

    def __init__(self, worker: int) -> None:
        self.worker = worker
        self.done: dict[str, Any] = {}
        self.thread: threading.Thread | None = None

    @contextlib.contextmanager
    def step(self, label: str, fraction: Any = None) -> Iterator[None]:
        if label == "counting pairs" and self.thread is None:
            self.thread = threading.Thread(
                target=self._kill, args=(SparkSession.getActiveSession().sparkContext,), daemon=True
            )
            self.thread.start()
        yield

    def _kill(self, context: Any) -> None:
        tracker = context.statusTracker()
        while True:
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            for stage in stages:
                if stage is not None and 0 < stage.numCompletedTasks < stage.numTasks:
                    executors = children(self.worker)
                    for process in (self.worker, *executors):
                        os.kill(process, signal.SIGKILL)
                    self.done = {
                        "tasks_done": stage.numCompletedTasks,
                        "tasks": stage.numTasks,
                        "killed": len(executors),
                    }
                    return
            time.sleep(0.005)


def main() -> None:
    master, people, visits, worker = sys.argv[1:]
    killer = Killer(int(worker))
    reading: dict[str, Any] = {"engine": "spark", "master": master}
    # A session that the studies share: they find it active, and leave it running.
    session = start_session(master, None, None, SILENT)
    gained = idbits.gain(people, columns=["zip", "income:band0.5"], **reading)
    # Many tasks, so that there is a middle.
    session.spark.conf.set("spark.sql.shuffle.partitions", "12")
    counted = idbits.events(visits, "patient", "date", "place", progress=killer, **reading)
    answers = {"gain": gained.to_dict(), "events": counted.to_dict()}
    assert killer.thread is not None
    killer.thread.join(1)
    print(json.dumps({"answers": answers, "killed": killer.done}))
    session.close()


if __name__ == "__main__":
    main()
