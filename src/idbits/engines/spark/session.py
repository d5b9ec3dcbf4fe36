"""A Spark session: the user's, which is never stopped, or one started here and stopped with the table."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import DataFrame, Row, SparkSession

from idbits.engines.open import NO_PYSPARK
from idbits.engines.spark.failures import NO_JAVA, spark_errors
from idbits.errors import EngineError, InputError
from idbits.progress import Progress

__all__ = ["ClusterSession", "start_session"]

Made = TypeVar("Made")

_REACH_SECONDS = 5.0
_WORKER_SECONDS = 60
_LEAST_MEMORY = 512 * 1024**2
_FETCH = "spark.idbits.fetch"
_PARTS = "spark.sql.shuffle.partitions"
_PART_ROWS = 250_000
_MOST_PARTS = 4_000
# Short work is done before the second compiler of the JVM pays off, and compiling would take half of the time.
_FIRST_COMPILER = "-XX:TieredStopAtLevel=1"
_JAVA_OPTIONS = ("SPARK_SUBMIT_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")
_NUMBERS = itertools.count(1)
_SHIPPED: set[str] = set()
_OF_JOBS = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
_SETTINGS = {
    "spark.app.name": "idbits",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    # Names that differ only in case are different columns, and timestamps are in UTC.
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
}


class ClusterSession:
    """Runs jobs, shows their progress, and cancels them on an interrupt."""

    def __init__(self, spark: SparkSession, progress: Progress, *, started_here: bool) -> None:
        self.spark = spark
        self.progress = progress
        self._started_here = started_here
        self._users = 1
        self._group = f"idbits-{os.getpid()}-{next(_NUMBERS)}"
        self._most_rows = 0

    @property
    def context(self) -> SparkContext:
        """The Spark context."""
        return self.spark.sparkContext

    @property
    def may_fetch(self) -> bool:
        """Whether rows that fit in memory may be fetched although the cluster could count them."""
        return str(self.spark.conf.get(_FETCH, "true")).lower() != "false"

    @property
    def shuffle_parts(self) -> int:
        """Into how many parts Spark divides rows that it sends."""
        return int(str(self.spark.conf.get(_PARTS)))

    def most_result_bytes(self) -> int | None:
        """Return how many bytes a job may send to the driver; None if any number."""
        written = self.context.getConf().get("spark.driver.maxResultSize", "1g")
        jvm = self.context._jvm  # noqa: SLF001
        assert jvm is not None
        return int(jvm.org.apache.spark.network.util.JavaUtils.byteStringAsBytes(written)) or None

    def expect_rows(self, n_rows: int) -> None:
        """Split rows into as many parts as their number needs, unless the session or this setting is the user's."""
        self._most_rows = max(n_rows, self._most_rows)
        if self._started_here and not self.context.getConf().contains(_PARTS):
            parts = max(self.context.defaultParallelism, 1 + self._most_rows // _PART_ROWS)
            self.spark.conf.set(_PARTS, str(min(_MOST_PARTS, parts)))

    @contextlib.contextmanager
    def planning(self, name: str, value: str) -> Iterator[None]:
        """Set an option while frames are planned that the executors will cache; nothing is computed meanwhile."""
        before = self.spark.conf.get(name, None)
        self.spark.conf.set(name, value)
        try:
            yield
        finally:
            # The session may be the user's.
            if before is None:
                self.spark.conf.unset(name)
            else:
                self.spark.conf.set(name, before)

    def shared(self) -> ClusterSession:
        """Return the session for one more table."""
        self._users += 1
        return self

    def run(self, work: Callable[[], Made], label: str = "counting") -> Made:
        """Do some work on the cluster; an interrupt cancels its jobs."""
        context = self.context
        before = {name: context.getLocalProperty(name) for name in _OF_JOBS}
        with self.progress.step(label, self._fraction), spark_errors():
            context.setJobGroup(self._group, "idbits", interruptOnCancel=True)
            try:
                return work()
            except BaseException:
                with contextlib.suppress(Exception):
                    context.cancelJobGroup(self._group)
                raise
            finally:
                # The session and the next jobs may be the user's.
                with contextlib.suppress(Exception):
                    for name, value in before.items():
                        # None removes it, although PySpark's types do not allow None.
                        context.setLocalProperty(name, cast("str", value))

    def rows(self, frame: DataFrame, label: str = "counting") -> list[Row]:
        """Return the rows of a small frame."""
        return self.run(frame.collect, label)

    def only_row(self, frame: DataFrame, label: str = "counting") -> Row:
        """Return the only row of a frame."""
        return self.rows(frame, label)[0]

    def _fraction(self) -> float | None:
        """Return the share of the running stages that is done."""
        try:
            tracker = self.context.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            tasks = sum(stage.numTasks for stage in stages if stage is not None)
            return sum(stage.numCompletedTasks for stage in stages if stage is not None) / tasks if tasks else None
        except Exception:  # noqa: BLE001 (the context may be stopping)
            return None

    def ship(self) -> None:
        """Send this package to the workers, once, if they are other machines."""
        context = self.context
        if str(context.master).startswith("local") or context.applicationId in _SHIPPED:
            return
        package = Path(__file__).resolve().parents[2]
        folder = Path(tempfile.mkdtemp(prefix="idbits-"))
        # Workers fetch the file when they first need it, so it stays until this process ends.
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        target = folder / "idbits.zip"
        with zipfile.ZipFile(target, "w") as archive:
            for path in sorted(package.rglob("*.py")):
                archive.write(path, Path(package.name) / path.relative_to(package))
        with spark_errors():
            context.addPyFile(str(target))
        _SHIPPED.add(context.applicationId)

    def close(self) -> None:
        """Stop the session when the last table is closed, if it was started here."""
        self._users -= 1
        if self._users == 0 and self._started_here:
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.spark.stop()


def start_session(
    master: str | None, memory: int | None, threads: int | None, progress: Progress, *, is_short: bool = False
) -> ClusterSession:
    """Start a session, or raise an error within seconds; ``is_short`` if the table is small."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if int(pyspark.__version__.split(".")[0]) < 4:
            raise InputError(NO_PYSPARK)
        _check_java()
        settings = _settings(master, memory, threads)
        logging.getLogger().addFilter(_is_not_py4j)
        python = {} if not (master or "local").startswith("local") else {"PYSPARK_PYTHON": sys.executable}
        java = {} if any(name in os.environ for name in _JAVA_OPTIONS) else _java_options(is_short=is_short)
        with progress.step("starting Spark"), spark_errors(), _environment(python | java):
            spark = _started(settings)
    session = ClusterSession(spark, progress, started_here=True)
    try:
        _wait_for_workers(session)
    except BaseException:
        session.close()
        raise
    return session


def _is_not_py4j(record: logging.LogRecord) -> bool:
    """Whether a message does not come from the bridge to Java, which reports interrupted calls at length."""
    return "py4j" not in record.pathname


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    is_there = (Path(home) / "bin" / "java").is_file() if home else shutil.which("java") is not None
    if not is_there and "PYSPARK_GATEWAY_PORT" not in os.environ:
        raise InputError(NO_JAVA)


def _settings(master: str | None, memory: int | None, threads: int | None) -> dict[str, str]:
    settings = dict(_SETTINGS)
    if master is not None:
        settings["spark.master"] = _checked_master(master, threads)
    if threads is not None and not (master or "local").startswith("local"):
        settings["spark.cores.max"] = str(threads)
    elif threads is not None and master is None:
        settings["spark.master"] = f"local[{threads}]"
    if memory is not None:
        if memory < _LEAST_MEMORY:
            raise InputError("Spark's driver needs at least 512MiB of memory (--memory)")
        settings["spark.driver.memory"] = f"{memory // 1024**2}m"
    return settings


def _checked_master(master: str, threads: int | None) -> str:
    if re.fullmatch(r"local(\[(\*|[0-9]+)(,[0-9]+)?\])?", master):
        return f"local[{threads}]" if threads is not None else master
    if master == "yarn" or master.startswith("k8s://"):
        return master
    if not master.startswith("spark://"):
        raise InputError(
            "the master must be like local[4], spark://host:7077, yarn or k8s://https://host:443 (--master)"
        )
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise InputError("write the address of a Spark master like spark://host:7077 (--master)")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH_SECONDS).close()
        except OSError:
            continue
        return master
    raise EngineError(f'the Spark master "{master}" does not answer; check its address and that it is running')


def _java_options(*, is_short: bool) -> dict[str, str]:
    """Return the options of the program that starts Spark, which is always short, and of Spark itself."""
    options = {"SPARK_LAUNCHER_OPTS": _FIRST_COMPILER}
    return options | {"SPARK_SUBMIT_OPTS": _FIRST_COMPILER} if is_short else options


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Set variables for the processes that are started, unless the user has set them."""
    added = [name for name in variables if name not in os.environ]
    os.environ.update({name: variables[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def _started(settings: dict[str, str]) -> SparkSession:
    if SparkContext._active_spark_context is None and SparkContext._gateway is None:  # noqa: SLF001
        conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
        try:
            # Messages of the JVM before its log is off would be mixed with the answer.
            silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            launch: Callable[..., Any] = launch_gateway
            gateway = launch(conf, silent)
        except PySparkRuntimeError as error:
            raise InputError(NO_JAVA) from error
        SparkContext._ensure_initialized(gateway=gateway)  # noqa: SLF001
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _wait_for_workers(session: ClusterSession) -> None:
    """Wait until a standalone cluster provides an executor: without one, jobs would wait forever."""
    context = session.context
    if not str(context.master).startswith("spark://"):
        return
    end = time.monotonic() + _WORKER_SECONDS
    with session.progress.step("waiting for a worker"), spark_errors():
        while time.monotonic() < end:
            # The driver is one of them.
            if context._jsc.sc().getExecutorMemoryStatus().size() > 1:  # noqa: SLF001
                return
            time.sleep(0.2)
    raise EngineError(
        f"the Spark master provided no worker within {_WORKER_SECONDS} seconds: none is free or has enough memory"
    )
