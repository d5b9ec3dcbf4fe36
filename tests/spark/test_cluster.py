"""A master and two workers, started and stopped here: the same answers, also when a worker dies in the middle."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import clusters
import idbits
from clusters import children
from idbits.examples.visits import visits


def without_source(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key not in ("source", "notes")}


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, capture_output=True, text=True, cwd=folder, env=clusters.environment(folder), timeout=500
    )


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with clusters.cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


def test_the_command_on_a_cluster(cluster, people, tmp_path):
    pyarrow.parquet.write_table(people, tmp_path / "people.parquet")
    words = [sys.executable, "-m", "idbits.cli.main", "measure", "people.parquet", "--qid", "born:year,zip", "--json"]
    ours = run([*words, "--engine", "spark", "--master", cluster.master], tmp_path)
    assert (ours.returncode, "Traceback" in ours.stderr) == (0, False), ours.stderr
    theirs = run(words, tmp_path)
    one, other = json.loads(ours.stdout), json.loads(theirs.stdout)
    # Other columns are tried on this machine only.
    for answer in (one, other):
        answer.pop("added", None)
    assert one == other


def test_the_pair_study_survives_the_loss_of_a_worker(cluster, people, tmp_path):
    pyarrow.parquet.write_table(people, tmp_path / "people.parquet")
    events = visits(200)
    pyarrow.parquet.write_table(events, tmp_path / "visits.parquet")
    script = Path(__file__).with_name("lose_a_worker.py")
    done = run(
        [sys.executable, str(script), cluster.master, "people.parquet", "visits.parquet", str(cluster.workers[-1])],
        tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["killed"]["killed"] >= 1
    assert 0 < found["killed"]["tasks_done"] < found["killed"]["tasks"]
    assert cluster.processes[-1].wait(30) != 0
    theirs = {
        "gain": idbits.gain(people, columns=["zip", "income:band0.5"]),
        "events": idbits.events(events, "patient", "date", "place"),
    }
    for name, answer in theirs.items():
        expected = json.loads(json.dumps(without_source(answer.to_dict())))
        assert without_source(found["answers"][name]) == expected


def test_ctrl_c_stops_the_job_and_the_session(tmp_path):
    clusters.needs_java()
    pyarrow.parquet.write_table(visits(400), tmp_path / "visits.parquet")
    words = ["events", "visits.parquet", "--person", "patient", "--time", "date", "--attributes", "place"]
    words += ["--points", "1,2", "--engine", "spark", "--master", "local[1]"]
    process = subprocess.Popen(
        [sys.executable, "-m", "idbits.cli.main", *words],
        cwd=tmp_path, env=clusters.environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "counting" in line or "reading events" in line:
            break
    started = children(process.pid)
    assert started
    process.send_signal(signal.SIGINT)
    said, told = process.communicate(timeout=120)
    assert process.returncode == 130, told
    assert said == ""
    assert told.splitlines()[-1] == "idbits: stopped"
    assert "Traceback" not in told
    end = time.monotonic() + 60
    while time.monotonic() < end and any(Path(f"/proc/{java}").exists() for java in started):
        time.sleep(0.1)
    assert not any(Path(f"/proc/{java}").exists() for java in started)
