"""The distributed engine: Apache Spark counts with the DataFrame API and returns only counts."""

from idbits.engines.spark.table import SparkTable

__all__ = ["SparkTable"]
