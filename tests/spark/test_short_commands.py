"""Small files start Spark without the second compiler of the JVM, unless the user has set options of Java."""

import os

import pytest

from idbits.engines.spark import session, source


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "year=2001").mkdir()
    (tmp_path / "year=2001" / "part.parquet").write_bytes(b"x" * 600)
    (tmp_path / "small.parquet").write_bytes(b"x" * 100)
    return tmp_path


@pytest.mark.parametrize(
    ("names", "few"),
    [
        (["small.parquet"], True),
        (["small.parquet"] * 6, False),
        # Files below a folder count, too.
        (["."], False),
        (["missing.parquet"], False),
        (["small.parquet", "missing.parquet"], False),
    ],
)
def test_small_files_are_recognised(folder, monkeypatch, names, few):
    monkeypatch.setattr(source, "_FEW_BYTES", 500)
    assert source.has_few_bytes([str(folder / name) for name in names]) is few
    assert source.has_few_bytes([f"file://{folder / name}" for name in names]) is few


@pytest.mark.parametrize("path", ["hdfs:///people", "s3a://registry/people/", "people/*.parquet"])
def test_files_elsewhere_are_never_small(path):
    assert not source.has_few_bytes(path)


def test_options_are_set_while_spark_starts_unless_the_user_has_set_them(monkeypatch):
    monkeypatch.delenv("SPARK_SUBMIT_OPTS", raising=False)
    monkeypatch.setenv("SPARK_LAUNCHER_OPTS", "-Xmx1g")
    with session._environment(session._java_options(is_short=True)):
        assert os.environ["SPARK_SUBMIT_OPTS"] == "-XX:TieredStopAtLevel=1"
        assert os.environ["SPARK_LAUNCHER_OPTS"] == "-Xmx1g"
    assert "SPARK_SUBMIT_OPTS" not in os.environ
    assert "SPARK_SUBMIT_OPTS" not in session._java_options(is_short=False)
