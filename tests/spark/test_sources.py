"""What Spark opens, what it refuses in one sentence, and what its types mean: the same as in DuckDB."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import clusters
import idbits

TYPES = pyarrow.table(
    {
        "moment": pyarrow.array([datetime(2005, 1, 1, 23, 30), None, datetime(2005, 1, 2)], pyarrow.timestamp("us")),
        "utc": pyarrow.array(
            [datetime(2005, 10, 30, hour, 30, tzinfo=UTC) for hour in (5, 6, 5)], pyarrow.timestamp("us", "UTC")
        ),
        "short": pyarrow.array([0.1, float("nan"), 0.1], pyarrow.float32()),
        "exact": pyarrow.array([Decimal("1.50"), Decimal("-0.05"), None], pyarrow.decimal128(12, 2)),
        "wide": pyarrow.array([2**64 - 1, 0, None], pyarrow.uint64()),
        "yes": [True, None, False],
        "bytes": [b"\x00a", b"", None],
        "list": [["a, b"], ["a", "b"], ["a", "b"]],
        "record": [{"a": 1, "b": None}, {"a": None, "b": 1}, {"a": 1, "b": None}],
        "moments": pyarrow.array(
            [[datetime(2005, 1, 1, microsecond=micros)] for micros in (1, 2, 1)], pyarrow.list_(pyarrow.timestamp("us"))
        ),
    }
)
QIDS = [
    ["moment"], ["moment:month"], ["utc"], ["utc:day"], ["short"], ["short:band0.1"], ["exact"], ["exact:band1"],
    ["wide"], ["wide:band10"], ["wide:prefix2"], ["yes"], ["bytes"], ["list"], ["record"], ["moments"],
    ["exact:top1"],
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of Parquet files by year."""
    for year in (2004, 2005):
        (tmp_path / f"year={year}").mkdir()
        frame = pyarrow.table({"zip": ["1011", str(year)], "sex": ["F", "M"]})
        pyarrow.parquet.write_table(frame, tmp_path / f"year={year}" / "part.parquet")
    return tmp_path


def test_parquet_types(tmp_path, same):
    clusters.spark()
    pyarrow.parquet.write_table(TYPES, tmp_path / "types.parquet")
    path = tmp_path / "types.parquet"
    ours = idbits.measure(path, QIDS, engine="spark")
    for one, other in zip(ours.measurements, idbits.measure(path, QIDS).measurements, strict=True):
        same(one, other)


def test_a_session_in_another_time_zone_gives_the_same(tmp_path, same):
    spark = clusters.spark()
    pyarrow.parquet.write_table(TYPES, tmp_path / "types.parquet")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        frame = spark.read.parquet(str(tmp_path / "types.parquet"))
        qid, asked = "utc:day,moment:day", {"where": "utc >= '2005-10-30 06:00:00'", "values": True, "reveal": True}
        same(idbits.measure(frame, qid, **asked), idbits.measure(tmp_path / "types.parquet", qid, **asked))
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_folders_globs_and_addresses(folder, same):
    clusters.spark()
    theirs = idbits.measure(folder, "zip,year", values=True, reveal=True)
    for source in (folder, f"file:{folder}", f"file://{folder}/*"):
        ours = idbits.measure(source, "zip", engine="spark")
        assert ours.figures.n_rows == 4
    same(idbits.measure(folder, "zip,year", values=True, reveal=True, engine="spark"), theirs)


def test_the_session_of_the_user_goes_on(frame):
    context = frame.sparkSession.sparkContext
    context.setJobGroup("mine", "my own work")
    try:
        idbits.measure(frame, "zip")
        named = [context.getLocalProperty(f"spark.job{word}") for word in ("Group.id", ".description")]
        assert named == ["mine", "my own work"]
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
        context.setLocalProperty("spark.job.description", None)
    assert frame.sparkSession.range(3).count() == 3
    assert frame.sparkSession.sparkContext._jsc.getPersistentRDDs().isEmpty()


@pytest.mark.parametrize(
    ("source", "options", "error", "said"),
    [
        ("nowhere.parquet", {}, idbits.InputError, "cannot find this path"),
        ("people.csv", {}, idbits.InputError, "Parquet"),
        ("-", {}, idbits.InputError, "standard input"),
        ("people.parquet", {"delimiter": ";"}, idbits.InputError, "delimiter="),
        ("people.parquet", {"header_row": 2}, idbits.InputError, "header_row="),
        ("people.zip", {}, idbits.InputError, "Parquet"),
        ("people.parquet", {"query": "SELECT 1"}, idbits.InputError, "query="),
        ("people.parquet", {"master": "spark://127.0.0.1:1"}, idbits.InputError, "another master"),
        ("s3x://bucket/people", {}, idbits.InputError, "kind of address"),
        ("damaged.parquet", {}, idbits.DataError, "damaged"),
    ],
)
def test_what_cannot_be_opened_is_said_in_one_sentence(tmp_path, monkeypatch, source, options, error, said):
    clusters.spark()
    monkeypatch.chdir(tmp_path)
    pyarrow.parquet.write_table(TYPES.select(["yes"]), tmp_path / "people.parquet")
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 this is no Parquet at all PAR1")
    path = source if "://" in source or source == "-" else str(tmp_path / source)
    with pytest.raises(error, match=said) as refusal:
        idbits.measure(path, "yes", engine="spark", **options)
    assert "\n" not in str(refusal.value)
    assert "java" not in str(refusal.value).lower()


def test_files_that_do_not_fit_together(tmp_path):
    clusters.spark()
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "1.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"a": ["x"]}), tmp_path / "2.parquet")
    with pytest.raises(idbits.DataError, match="different types"):
        idbits.measure(tmp_path, "a", engine="spark")


def test_a_master_without_an_engine_and_an_engine_that_is_none():
    with pytest.raises(idbits.InputError, match="engine='spark'"):
        idbits.measure(TYPES, "yes", master="local[1]")
    with pytest.raises(idbits.InputError, match="engine="):
        idbits.measure(TYPES, "yes", engine="flink")
    with pytest.raises(idbits.InputError, match="Spark frames"):
        idbits.measure(TYPES, "yes", engine="spark")
