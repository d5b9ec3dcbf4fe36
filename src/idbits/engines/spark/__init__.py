"""The distributed engine: Apache Spark counts, with the DataFrame API; what comes back are counts."""

from idbits.engines.spark.table import SparkTable

__all__ = ["SparkTable"]
