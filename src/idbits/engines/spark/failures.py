"""Translates Spark's errors into messages without cell values and Java tracebacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from idbits.errors import DataError, EngineError, IdbitsError, InputError

__all__ = ["NO_JAVA", "spark_errors"]

NO_JAVA = (
    "Spark needs Java 17 or newer, which was not found; install it (Debian: apt-get install "
    "default-jre-headless) or set JAVA_HOME"
)

_NO_PATH = InputError("Spark cannot find this path; name a Parquet file or folder that all its machines can read")
_CASE = DataError("the table has columns whose names differ only in case; set spark.sql.caseSensitive to true")
_MIXED = DataError("a column has different types in different files; convert the files to the same types")
_TYPE = DataError("a column has a type that Spark cannot read; convert it to text or another type")
_DAMAGED = DataError("the files cannot be read as Parquet: one of them is damaged, or not Parquet")
_NO_READER = InputError(
    "Spark cannot read this kind of address; add the package for it (spark.jars.packages in its settings)"
)
_NOT_ALLOWED = InputError("Spark has no permission to read this path; grant it or name another path")
_NO_MODULE = EngineError(
    "the Python of Spark's workers lacks NumPy or pyarrow; install them, or name another Python with PYSPARK_PYTHON"
)
_MEMORY = EngineError("Spark ran out of memory; give its executors more memory (spark.executor.memory, --memory)")
_FULL = EngineError("Spark's temporary disk is full; free space there (spark.local.dir)")
_GONE = EngineError("the connection to Spark was lost; its application ended or was killed")

# Spark's error classes, and words in its messages, which are not repeated: they may contain cells.
_CONDITIONS: tuple[tuple[str, IdbitsError], ...] = (
    ("PATH_NOT_FOUND", _NO_PATH),
    ("FAILED_READ_FILE.FILE_NOT_EXIST", _NO_PATH),
    ("COLUMN_ALREADY_EXISTS", _CASE),
    ("CANNOT_MERGE_SCHEMAS", _MIXED),
    ("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE", _MIXED),
    ("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH", _MIXED),
    ("PARQUET_TYPE", _TYPE),
    ("UNSUPPORTED_TIME_TYPE", _TYPE),
    ("FAILED_READ_FILE", _DAMAGED),
    ("CANNOT_READ_FILE_FOOTER", _DAMAGED),
    ("UNABLE_TO_INFER_SCHEMA", _DAMAGED),
)
_WORDS: tuple[tuple[str, IdbitsError], ...] = (
    ("UnknownHostException", _NO_PATH),
    ("Found duplicate field", _CASE),
    ("Failed to merge", _MIXED),
    ("is not a Parquet file", _DAMAGED),
    ("No FileSystem for scheme", _NO_READER),
    ("ClassNotFoundException: Class org.apache.hadoop.fs", _NO_READER),
    ("AccessDenied", _NOT_ALLOWED),
    ("AccessControlException", _NOT_ALLOWED),
    ("ModuleNotFoundError", _NO_MODULE),
    ("OutOfMemoryError", _MEMORY),
    ("No space left", _FULL),
    ("stopped SparkContext", _GONE),
    ("SparkContext was shut down", _GONE),
    ("corrupted file", _DAMAGED),
    ("org.apache.parquet", _DAMAGED),
)
_LOST = ("Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError")


@contextmanager
def spark_errors() -> Iterator[None]:
    """Translate Spark's errors into one sentence."""
    try:
        yield
    except (IdbitsError, KeyboardInterrupt, MemoryError, AssertionError):
        raise
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark.", "py4j.")) and not isinstance(error, OSError):
            raise
        raise _translated(error) from error


def _translated(error: Exception) -> IdbitsError:
    condition, message = _condition(error), str(error)
    known = next((meaning for name, meaning in _CONDITIONS if condition.startswith(name)), None)
    known = known or next((meaning for words, meaning in _WORDS if words in message), None)
    if known is None and type(error).__name__ in _LOST:
        known = _GONE
    if known is None:
        return EngineError(f"Spark failed ({condition or type(error).__name__}); see Spark's log")
    # A new error each time: raising the same one again would keep its old traceback.
    return type(known)(str(known))


def _condition(error: Exception) -> str:
    get = getattr(error, "getCondition", None)
    try:
        return str(get() or "") if get is not None else ""
    except Exception:  # noqa: BLE001 (asking a Java object that may be gone)
        return ""
