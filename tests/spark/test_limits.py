"""Starting Spark fails in one sentence and in bounded time; the driver holds no more than it must; no value leaks."""

import sys
import time
from typing import Any

import pyarrow
import pytest

import clusters
import idbits
from databases import free_port
from idbits.engines.open import open_table
from idbits.engines.spark import driver_rows, ranking
from idbits.engines.spark import session as sessions
from idbits.engines.spark import table as tables
from idbits.engines.spark.failures import spark_errors
from idbits.progress import SILENT
from idbits.values.attributes import parse_attributes


def test_without_pyspark(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("idbits.engines.spark")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(idbits.InputError, match=r"pip install 'idbits\[spark\]'"):
        idbits.measure("people.parquet", "zip", engine="spark")


@pytest.mark.parametrize("home", [None, "/nowhere"])
def test_without_java(monkeypatch, tmp_path, home):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("JAVA_HOME", home)
    with pytest.raises(idbits.InputError, match="apt-get install default-jre-headless"):
        sessions.start_session("local[1]", None, None, SILENT)


@pytest.mark.parametrize("master", ["spark://127.0.0.1:{port}", "spark://127.0.0.1:{port},127.0.0.1:{port}"])
def test_a_master_that_does_not_answer(master):
    begin = time.monotonic()
    with pytest.raises(idbits.EngineError, match="does not answer"):
        sessions._settings(master.format(port=free_port()), None, None)
    assert time.monotonic() - begin < 4 * sessions._REACH_SECONDS


@pytest.mark.parametrize("master", ["", "host:7077", "spark://", "spark://host", "spark://host:port", "http://host:1"])
def test_a_master_that_is_none(master):
    with pytest.raises(idbits.InputError, match="--master"):
        sessions._settings(master, None, None)


def test_memory_and_threads():
    assert sessions._settings("local[*]", 10**9, 3)["spark.master"] == "local[3]"
    assert sessions._settings(None, 10**9, None)["spark.driver.memory"] == "953m"
    assert sessions._settings("yarn", None, 8)["spark.cores.max"] == "8"
    with pytest.raises(idbits.InputError, match="512MiB"):
        sessions._settings("local", 10**8, None)


def test_more_values_than_the_driver_holds_are_refused(frame, monkeypatch):
    monkeypatch.setattr(tables, "_MOST_ROWS", 5)
    with pytest.raises(idbits.EngineError, match="more than 5 values"):
        idbits.measure(frame, "age", values=True, reveal=True)
    with pytest.raises(idbits.EngineError, match="more than 5 values"):
        idbits.measure(frame, "zip", by="age")
    assert idbits.measure(frame, "age").figures.n_rows == 400


def test_distinct_rows_beyond_the_memory_are_refused(frame, monkeypatch):
    monkeypatch.setattr(driver_rows, "_MEMORY_BYTES", 1_000)
    with pytest.raises(idbits.EngineError, match="--memory"):
        idbits.gain(frame, columns=["zip", "sex", "age"], attacker="knows:1")


@pytest.mark.parametrize(("few", "buckets"), [(200_000, 1_000), (12, 10), (3, 4), (1, 2)])
def test_ranking_finds_the_values_at_all_places(frame, monkeypatch, few, buckets):
    rows = open_table(frame)
    counted = rows.counting.grouped(parse_attributes(["age"], rows.columns)).withColumnRenamed("g0", "age")
    people = [value for value, number in counted.collect() for _ in range(int(number))]
    assert len(people) == 400
    in_order = sorted(float("-inf") if age is None else age / 7.0 for age in people)
    counted = counted.withColumn("age", counted["age"] / 7.0).dropna()
    missing = in_order.count(float("-inf"))
    monkeypatch.setattr(ranking, "_FEW", few)
    monkeypatch.setattr(ranking, "_BUCKETS", buckets)
    ranked = ranking.FrameRanking(rows.session, counted, "age")
    places = [398 - missing, 0, 1, 57, 1, 200, *range(300, 400 - missing)]
    assert ranked.at(places) == [in_order[missing + place] for place in places]


def test_the_jobs_of_a_ranking_do_not_grow_with_the_places(frame, monkeypatch):
    rows = open_table(frame)
    counted = rows.counting.grouped(parse_attributes(["age"], rows.columns)).withColumnRenamed("g0", "age").dropna()
    monkeypatch.setattr(ranking, "_FEW", 40)
    monkeypatch.setattr(ranking, "_BUCKETS", 100)
    ranked = ranking.FrameRanking(rows.session, counted, "age")
    scheduler, numbers = clusters.spark().sparkContext._jsc.sc().dagScheduler(), []
    for places in ([200], [0, 10, 57, 199, 200, 201, 300, 350]):
        before = int(scheduler.numTotalJobs())
        ranked.at(places)
        numbers.append(int(scheduler.numTotalJobs()) - before)
    assert numbers[0] == numbers[1]


def test_no_value_of_a_cell_is_in_an_error(tmp_path):
    spark = clusters.spark()
    frame = spark.createDataFrame(pyarrow.table({"n": ["SECRET-4711"]}))
    with pytest.raises(idbits.EngineError) as refusal, spark_errors():
        frame.selectExpr("cast(n as int)").collect()
    told: Any = refusal.value
    assert "CAST_INVALID_INPUT" in str(told)
    assert "SECRET" not in str(told)


def test_python_is_not_started_for_plain_counts(frame, monkeypatch, on_cluster):
    monkeypatch.setattr("idbits.engines.spark.remote.mapped", None)
    monkeypatch.setattr("idbits.engines.spark.cells.mapped", None)
    monkeypatch.setattr("idbits.engines.spark.cohorts.mapped", None)
    monkeypatch.setattr("idbits.engines.spark.gain_priors.mapped", None)
    monkeypatch.setattr("idbits.engines.spark.packed_gains.mapped", None)
    idbits.measure(frame, "born:year,zip:prefix2,age:band5", by="sex")
    idbits.gain(frame, columns=["zip", "sex"])
