"""Commands on small files start Spark without the second compiler of the JVM; programs, which go on, never do."""

import os

import pyarrow
import pyarrow.parquet
import pytest

import idbits
from idbits.cli import commands, main
from idbits.command_sources import add_sources, one_command, sources_of_command
from idbits.engines.spark import session, source
from idbits.engines.spark import table as tables


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


class StartedError(Exception):
    """Spark would start now."""


@pytest.fixture
def starts(tmp_path, monkeypatch):
    """Return whether a session would start for short work; the folder has a small and a large file."""
    pyarrow.parquet.write_table(pyarrow.table({"n": [1, 2]}), tmp_path / "small.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"n": list(range(5000))}), tmp_path / "large.parquet")
    monkeypatch.setattr(source, "_FEW_BYTES", 5_000)
    monkeypatch.setattr(tables.SparkSession, "getActiveSession", staticmethod(lambda: None))
    monkeypatch.chdir(tmp_path)
    seen = []

    def start(*_, is_short):
        seen.append(is_short)
        raise StartedError

    monkeypatch.setattr(tables, "start_session", start)

    def starting(work):
        # A command turns it into an exit code.
        with pytest.raises((StartedError, SystemExit)):
            work()
        return seen.pop()

    return starting


@pytest.mark.parametrize(
    ("words", "is_short"),
    [
        (["small.parquet"], True),
        (["large.parquet"], False),
        # The population is counted by the same JVM.
        (["small.parquet", "--population", "small.parquet"], True),
        (["small.parquet", "--population", "large.parquet"], False),
        (["small.parquet", "--population", "hdfs:///large"], False),
    ],
)
def test_a_command_knows_all_that_its_session_will_read(starts, words, is_short):
    words = ["measure", *words, "--qid", "n", "--engine", "spark"]
    assert starts(lambda: main._run(words)) is is_short
    assert sources_of_command() == ()


def test_a_policy_with_a_large_dataset_is_not_short(starts, tmp_path):
    for later, is_short in (("small", True), ("large", False)):
        policy = tmp_path / f"{later}.toml"
        policy.write_text("".join(
            f'[[dataset]]\nname = "{name}"\nsource = "{file}.parquet"\nengine = "spark"\n'
            'qid = ["n"]\nrules = ["k_min >= 1"]\n'
            for name, file in (("first", "small"), ("later", later))
        ))  # fmt: skip
        assert starts(lambda path=policy: main._run(["check", "--policy", str(path)])) is is_short


def test_a_program_goes_on_to_other_tables(starts):
    assert starts(lambda: idbits.measure("small.parquet", "n", engine="spark")) is False


def test_the_app_goes_on_to_other_tables(monkeypatch):
    def serving(**_):
        add_sources("small.parquet")
        return len(sources_of_command())

    monkeypatch.setattr(commands, "app_for", lambda _: serving)
    assert main._run(["serve"]) == 0
    assert main._run(["measure"]) == 1
    with one_command():
        assert sources_of_command() == ()
