"""How fast is `idbits events` beside scikit-mobility's attack by places and times? In one run.

    python bench/mobility.py [--people 20] [--visits 5]

An attacker knows two visits of a person, with their days and places. For each pair of visits of each person, both
programs count the people who made both visits, and must agree. scikit-mobility compares every pair with every person,
so the table is small. Times are CPU seconds from loaded frames, the best of three for idbits. scikit-mobility runs in a
separate environment, which is created on first use.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow
import pyarrow.csv

import idbits
from peer import run_peer
from rows import add_json_option, at_least, record, row_without_peer
from timing import best_of

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
PEER = "scikit-mobility, LocationTimeAttack with two visits"

SKMOB = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import pandas, skmob
from skmob.privacy import attacks
frame = pandas.read_csv(sys.argv[1], parse_dates=["day"])
frame["lat"], frame["lng"] = frame["place"] / 100.0, 0.0
columns = {"latitude": "lat", "longitude": "lng", "datetime": "day", "user_id": "person"}
trajectories = skmob.TrajDataFrame(frame[["lat", "lng", "day", "person"]], **columns)
attack = attacks.LocationTimeAttack(knowledge_length=2, time_precision="Day")
start = time.process_time()
found = attack.assess_risk(trajectories, force_instances=True)
seconds = time.process_time() - start
first = found[found["instance_elem"] == 1]
print(json.dumps([seconds, (1 / first["prob"]).round().astype(int).tolist()]))
"""


def visits(people: int, visits_each: int) -> pyarrow.Table:
    """Make up visits of people to a few places on a few days, none of them twice."""
    draw = np.random.default_rng(0)
    days, places = 5, 3
    points = np.stack([draw.permutation(days * places)[:visits_each] for _ in range(people)])
    person = np.repeat(np.arange(people), visits_each)
    day = np.datetime64("2026-01-01", "ms") + (points.ravel() // places).astype("timedelta64[D]")
    return pyarrow.table({"person": person, "day": day, "place": points.ravel() % places})


def sharing(table: pyarrow.Table) -> Counter[int]:
    """Return, for the pairs of all people, how many people share the pair: the number of pairs by people."""
    period = idbits.events(table, "person", "day", "place").period
    assert period.spectrum is not None
    return Counter({people: people * sets for people, sets in period.spectrum.pairs()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--visits", type=int, default=5)
    add_json_option(parser)
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    table = visits(options.people, options.visits)
    path = FOLDER / f"mobility-{options.people}x{options.visits}.csv"
    pyarrow.csv.write_csv(table, path)
    task = f"`events`, pairs of {table.num_rows:,} visits of {options.people:,} people"
    ours, counted = best_of(3, lambda: sharing(table), time.process_time)
    print(f"{task}: {ours:.3f} s of CPU")
    with row_without_peer("mobility.skmob", task, PEER, "scikit-mobility"):
        seconds, people = cast("tuple[float, list[int]]", run_peer("scikit-mobility", SKMOB, str(path)))
        if Counter(people) != counted:
            raise SystemExit(f"idbits and scikit-mobility count different pairs: {counted}, {Counter(people)}")
        print(f"  scikit-mobility {seconds:.2f} s, {seconds / ours:.0f} times as long; same counts")
        record("mobility.skmob", task, ours, "s CPU", peer=PEER, theirs=seconds, goals=[at_least(1)],
               facts={"pairs": len(people)}, uses=["scikit-mobility"])  # fmt: skip


if __name__ == "__main__":
    main()
