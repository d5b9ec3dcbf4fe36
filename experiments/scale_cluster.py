"""A simulated cluster: a master and three workers on this machine, of which one is slowed and one is killed.

    python experiments/scale_cluster.py FOLDER

The same question is asked three times in one session: undisturbed, while a worker's executor stands still for some
seconds, and while another worker and its executor are killed in the middle of a stage. Each answer is compared with
DuckDB's, and each run's jobs and tasks are counted. The result goes to experiments/scale.json.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

import scale  # noqa: E402
import scale_runs  # noqa: E402

import clusters  # noqa: E402 (folders of scripts)
import spark_costs  # noqa: E402

ROWS = 100_000
STILL_SECONDS = 5.0


class Disturbance:
    """Acts once, when some tasks of a stage are done and others are not."""

    def __init__(self, context: Any, act: Callable[[], None]) -> None:
        self.tasks: tuple[int, int] | None = None
        self._context, self._act = context, act
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        tracker = self._context.statusTracker()
        while self.tasks is None:
            for stage in [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]:
                if stage is not None and 0 < stage.numCompletedTasks < stage.numTasks:
                    self._act()
                    self.tasks = (stage.numCompletedTasks, stage.numTasks)
                    return
            time.sleep(0.01)


def stand_still(worker: int) -> None:
    """Stop the executors of a worker for some seconds."""
    executors = clusters.children(worker)
    for process in executors:
        os.kill(process, signal.SIGSTOP)
    time.sleep(STILL_SECONDS)
    for process in executors:
        os.kill(process, signal.SIGCONT)


def kill(worker: int) -> None:
    for process in (worker, *clusters.children(worker)):
        os.kill(process, signal.SIGKILL)


def main() -> None:
    import idbits
    from idbits.engines.spark.session import start_session
    from idbits.progress import SILENT

    folder = Path(sys.argv[1])
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    path, columns = str(folder / f"people-{ROWS}"), scale_runs.GROUPS["subsets"]["fine"]
    expected = idbits.columns(path, columns).to_dict()
    settings = {"spark.idbits.fetch": "false", "spark.executor.memory": "700m", "spark.sql.shuffle.partitions": "12"}
    settings["spark.sql.adaptive.coalescePartitions.enabled"] = "false"
    runs = []
    with clusters.cluster(folder, 3) as made, spark_costs.logged(folder / "cluster", settings) as events:
        session = start_session(made.master, 10**9, None, SILENT)
        acts: dict[str, Callable[[], None] | None] = {
            "warm-up": None,
            "undisturbed": None,
            "one stands still": lambda: stand_still(made.workers[0]),
            "one is killed": lambda: kill(made.workers[1]),
        }
        for name, act in acts.items():
            disturbance = Disturbance(session.context, act) if act is not None else None
            begin = time.time()
            answer = idbits.columns(path, columns, engine="spark").to_dict()
            end = time.time()
            costs = spark_costs.costs_between(session.spark, events, begin, end)
            runs.append({
                "what": name, "same_answer": same(answer, expected), "jobs": costs.jobs, "stages": costs.stages,
                "tasks": costs.tasks, "shuffle_rows": costs.shuffle_rows, "wall_seconds": round(end - begin, 1),
                "tasks_done_before": disturbance.tasks if disturbance is not None else None,
            })  # fmt: skip
            print(runs[-1], flush=True)
        session.close()
    results = scale.load()
    results["cluster"] = {"workers": 3, "rows": ROWS, "runs": runs[1:]}
    scale.save(results)


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two answers are equal, except for the source and what is said about how it was read."""
    left_out = ("source", "notes")
    return {key: value for key, value in one.items() if key not in left_out} == {
        key: value for key, value in other.items() if key not in left_out
    }


if __name__ == "__main__":
    main()
