"""What Spark's work costs, from its event log: jobs, bytes and rows read and shuffled, and processor time of the tasks.

Other programs on a busy machine make tasks wait, but add little to their processor time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["SparkCosts", "costs_between", "costs_of_log", "logged"]


@dataclass
class SparkCosts:
    """The costs of some jobs; seconds are processor time of all tasks together."""

    jobs: int = 0
    stages: int = 0
    tasks: int = 0
    input_bytes: int = 0
    input_rows: int = 0
    shuffle_rows: int = 0
    shuffle_bytes: int = 0
    spilled_bytes: int = 0
    result_bytes: int = 0
    cpu_seconds: float = 0.0
    run_seconds: float = 0.0
    gc_seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {name: round(value, 3) for name, value in asdict(self).items()}

    def add_task(self, metrics: dict[str, Any]) -> None:
        self.tasks += 1
        self.input_bytes += metrics["Input Metrics"]["Bytes Read"]
        self.input_rows += metrics["Input Metrics"]["Records Read"]
        self.shuffle_rows += metrics["Shuffle Write Metrics"]["Shuffle Records Written"]
        self.shuffle_bytes += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
        self.spilled_bytes += metrics["Disk Bytes Spilled"]
        self.result_bytes += metrics["Result Size"]
        self.cpu_seconds += metrics["Executor CPU Time"] / 1e9
        self.run_seconds += metrics["Executor Run Time"] / 1e3
        self.gc_seconds += metrics["JVM GC Time"] / 1e3


@contextmanager
def logged(folder: Path, settings: dict[str, str]) -> Iterator[Path]:
    """Let every Spark session that starts meanwhile write its events into a folder, and use some settings."""
    events = folder / "events"
    events.mkdir(parents=True, exist_ok=True)
    everything = settings | {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.resolve().as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.local.dir": str(folder / "local"),
    }
    lines = "".join(f"{name} {value}\n" for name, value in everything.items())
    (folder / "spark-defaults.conf").write_text(lines, encoding="utf-8")
    before = os.environ.get("SPARK_CONF_DIR")
    os.environ["SPARK_CONF_DIR"] = str(folder)
    try:
        yield events
    finally:
        if before is None:
            del os.environ["SPARK_CONF_DIR"]
        else:
            os.environ["SPARK_CONF_DIR"] = before


def costs_between(spark: Any, events: Path, begin: float, end: float) -> SparkCosts:
    """Return the costs of the jobs of a running session that began between two times in seconds."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()  # noqa: SLF001
    name = spark.sparkContext.applicationId
    (path,) = [path for path in events.iterdir() if path.name.startswith(name)]
    return costs_of_log(path, begin, end)


def costs_of_log(path: Path, begin: float = 0.0, end: float = float("inf")) -> SparkCosts:
    """Add up the costs in an event log, of the stages that began between two times in seconds."""
    costs = SparkCosts()
    stages: set[tuple[int, int]] = set()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            # The last line of a session that is running may be incomplete.
            if not line.endswith("\n"):
                break
            if '"SparkListenerTaskEnd"' in line:
                event = json.loads(line)
                stage = (event["Stage ID"], event["Stage Attempt ID"])
                if begin <= event["Task Info"]["Launch Time"] / 1e3 <= end and event.get("Task Metrics"):
                    stages.add(stage)
                    costs.add_task(event["Task Metrics"])
            elif '"SparkListenerJobStart"' in line:
                costs.jobs += begin <= json.loads(line)["Submission Time"] / 1e3 <= end
    costs.stages = len(stages)
    return costs
