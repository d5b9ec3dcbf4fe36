"""How a benchmark adds its rows to the table: ``add_json_option(parser)`` once, then ``record(..)`` for each figure.

    python bench/gain.py --json bench/results.json

Without ``--json`` nothing is written. A row is written at once, so that a run that fails later keeps what it measured;
it replaces the row with the same key and leaves all others.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import idbits
from machine import busy_cores, load_average, machine, source_digest
from peer import PeerUnavailable, pinned_version
from results import figure, is_met, load, save

__all__ = ["Goal", "add_json_option", "at_least", "at_most", "record", "row_without_peer"]

Goal = Mapping[str, Any]
LOAD_AT_START = load_average()
_target: Path | None = None


class _TargetAction(argparse.Action):
    def __call__(self, _parser: object, namespace: argparse.Namespace, value: object, _option: object = None) -> None:
        global _target
        _target = Path(str(value))
        setattr(namespace, self.dest, _target)


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Let a benchmark take ``--json FILE``."""
    parser.add_argument("--json", action=_TargetAction, metavar="FILE", help="also write the figures to this table")


def at_most(limit: float, figure: str = "ours") -> Goal:
    return {"figure": figure, "at_most": limit}


def at_least(limit: float, figure: str = "speedup") -> Goal:
    return {"figure": figure, "at_least": limit}


def record(
    key: str,
    task: str,
    ours: float | None,
    unit: str = "s",
    *,
    peer: str | None = None,
    theirs: float | None = None,
    goals: Sequence[Goal] = (),
    memory_mb: float | None = None,
    facts: Mapping[str, float] | None = None,
    uses: Sequence[str] = (),
    note: str | None = None,
    error: str | None = None,
) -> None:
    """Write one row to the table, if the benchmark was asked to.

    Args:
        key: part and name, such as ``gain.piflib``; never renamed, because pages quote it.
        task: what was done, with its size.
        ours: our figure in this unit: s, s CPU, ms, MB, times, or another word.
        peer: what it is compared with: another program, or a limit that no program can beat.
        theirs: the peer's figure in the same unit.
        goals: made by at_most and at_least.
        memory_mb: our peak memory.
        facts: other figures that pages quote; the ending of a name gives the unit (_s, _mb, _ms, _times).
        uses: peers with an environment in ``bench/peers``, whose versions are noted.
        note: what a reader must know, such as "recorded time, not measured in this run".
        error: why the peer has no figure.
    """
    if _target is None:
        return
    row: dict[str, Any] = {"task": task, "ours": ours, "unit": unit, "peer": peer, "theirs": theirs}
    row["ratio"] = figure(row, "ratio")
    row |= {"memory_mb": memory_mb, "facts": dict(facts or {})}
    row["goals"] = [{**goal, "met": is_met(row, goal)} for goal in goals]
    row |= {"note": note, "error": error, "versions": {name: pinned_version(name) for name in uses}}
    row |= {"command": _command(), "date": datetime.now(UTC).isoformat(timespec="minutes").replace("+00:00", "Z")}
    row |= {"idbits": idbits.__version__, "source": source_digest()}
    row |= {"load_average": LOAD_AT_START, "busy_cores": busy_cores()}
    this = machine()
    row["machine"] = hashlib.sha256(json.dumps(this, sort_keys=True).encode()).hexdigest()[:8]
    results = load(_target)
    results["machines"][row["machine"]] = this
    results["rows"][key] = row
    save(results, _target)


@contextmanager
def row_without_peer(key: str, task: str, peer: str, uses: str) -> Iterator[None]:
    """Go on if a peer cannot be installed or fails: print why, and write it into the row."""
    try:
        yield
    except PeerUnavailable as failure:
        print(f"{task}: {peer} is not available: {failure}")
        record(key, task, None, peer=peer, uses=(uses,), error=str(failure))


def _command() -> str:
    """Return the command line of this benchmark, without the table."""
    words = [f"bench/{Path(sys.argv[0]).name}"]
    given = iter(sys.argv[1:])
    for word in given:
        if word == "--json":
            next(given, None)
        elif not word.startswith("--json="):
            words.append(word)
    return shlex.join(["python", *words])
