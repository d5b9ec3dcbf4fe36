"""Opens a table in Spark."""

from __future__ import annotations

from pyspark.sql import SparkSession

from idbits.engines.base import OpenOptions, Table
from idbits.engines.sources.files import is_file_source
from idbits.engines.spark.failures import spark_errors
from idbits.engines.spark.session import ClusterSession, start_session
from idbits.engines.spark.source import check_paths, frame_source, path_source
from idbits.engines.spark.table import SparkTable
from idbits.errors import InputError

__all__ = ["open_spark"]


def open_spark(source: object, options: OpenOptions, beside: Table | None = None) -> SparkTable:
    """Open a Spark frame in its session, or Parquet files in the active session or a new one."""
    if not is_file_source(source) and type(source).__module__.startswith("pyspark."):
        if options.query is not None or options.master is not None:
            raise InputError("a Spark frame already has a session; leave out --master and --query")
        with spark_errors():
            opened = frame_source(source, in_order=options.in_order)
            spark = opened.frame.sparkSession
        session = _shared(beside, spark) or ClusterSession(spark, options.progress, started_here=False)
        return SparkTable(session, opened, options)
    if not is_file_source(source):
        raise InputError("--engine spark reads Parquet files and Spark frames; name one of these")
    check_paths(source, options)
    session = _session(options, beside)
    try:
        return SparkTable(session, path_source(session, source, in_order=options.in_order), options)
    except BaseException:
        session.close()
        raise


def _shared(beside: Table | None, spark: SparkSession) -> ClusterSession | None:
    if isinstance(beside, SparkTable) and beside.session.spark is spark:
        return beside.session.shared()
    return None


def _session(options: OpenOptions, beside: Table | None) -> ClusterSession:
    if isinstance(beside, SparkTable):
        return beside.session.shared()
    spark = SparkSession.getActiveSession()
    if spark is not None:
        if options.master is not None and options.master != spark.sparkContext.master:
            raise InputError("a Spark session with another master is already running; leave out --master")
        return ClusterSession(spark, options.progress, started_here=False)
    return start_session(options.master, options.memory, options.threads, options.progress)
