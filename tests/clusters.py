"""Spark for the tests: one session in local mode a process, and a real cluster on loopback that a test starts."""

import atexit
import functools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import running
from databases import free_port
from idbits.engines.spark import session as sessions
from idbits.progress import SILENT

# Tables of a few rows: compiling code for them, and spreading them over partitions, would take most of the time.
SHORT = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.join.preferSortMergeJoin": "false",
}


def needs_java() -> None:
    """Skip where there is no Java."""
    running.needs("spark")
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        pytest.skip("Java is not installed (Debian: apt-get install default-jre-headless)")


@functools.cache
def spark() -> Any:
    """Return the session that all tests of this process share."""
    needs_java()
    folder = Path(tempfile.mkdtemp(prefix="idbits-spark-"))
    settings = sessions._SETTINGS | SHORT | {"spark.master": "local[2]", "spark.local.dir": str(folder)}
    settings["spark.sql.warehouse.dir"] = str(folder / "warehouse")
    with sessions._environment({"PYSPARK_PYTHON": sys.executable}):
        started = sessions.ClusterSession(sessions._started(settings), SILENT, started_here=True)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(started.close)
    return started.spark


def frame_of(table: pyarrow.Table, folder: Path) -> Any:
    """Return a frame of Spark with these rows: from a Parquet file where only that keeps their types."""
    types = {column.type for column in table.schema}
    few = table.num_columns < 100 and not types & {pyarrow.uint64(), pyarrow.timestamp("us")}
    if few and table.num_rows and len({name.casefold() for name in table.column_names}) == table.num_columns:
        return spark().createDataFrame(table)
    path = folder / "table.parquet"
    pyarrow.parquet.write_table(table, path)
    return spark().read.parquet(str(path))


@dataclass
class Cluster:
    """A master and its workers, each a process of its own."""

    master: str
    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def workers(self) -> list[int]:
        """The process ids of the workers."""
        return [process.pid for process in self.processes[1:]]


def _launch(folder: Path, name: str, *words: str) -> subprocess.Popen[bytes]:
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = os.environ | {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen([str(home / "bin" / "spark-class"), *words], stdout=log, stderr=log, env=environment)


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """Start a master and workers of one core each on loopback, and stop them."""
    needs_java()
    port = free_port()
    made = Cluster(f"spark://127.0.0.1:{port}", folder)
    try:
        made.processes.append(
            _launch(folder, "master", "org.apache.spark.deploy.master.Master",
                    "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        )  # fmt: skip
        _wait_for(port)
        for number in range(workers):
            made.processes.append(
                _launch(folder, f"worker-{number}", "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1",
                        "--cores", "1", "--memory", "2g", "--webui-port", "0", "--work-dir", str(folder / "work"),
                        made.master)
            )  # fmt: skip
        yield made
    finally:
        for process in reversed(made.processes):
            process.kill()
            process.wait(30)


def _wait_for(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the master did not start")


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a process that runs idbits on this machine's cluster; settings go into the folder."""
    settings = SHORT | {"spark.sql.shuffle.partitions": "4", "spark.default.parallelism": "4"}
    settings["spark.executor.extraJavaOptions"] = SHORT["spark.driver.extraJavaOptions"]
    (folder / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    source = str(Path(sessions.__file__).parents[3])
    path = os.pathsep.join([source, str(Path(__file__).parent)])
    return os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1",
                         "PYTHONPATH": path, "SPARK_CONF_DIR": str(folder)}  # fmt: skip


def children(parent: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name stands in parentheses, and may hold blanks.
            if int(stat.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(stat.parent.name))
    return found
