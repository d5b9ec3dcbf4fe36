"""The table of all benchmarks, ``bench/results.json``: its rows, their figures, and how a figure is written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["RESULTS", "ROOT", "Results", "figure", "is_met", "load", "save", "shown", "shown_figure"]

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results.json"

Results = dict[str, dict[str, Any]]
SECTIONS = ("machines", "parts", "rows")


def load(path: Path = RESULTS) -> Results:
    """Read the table; an empty one if there is no file."""
    if not path.exists():
        return {section: {} for section in SECTIONS}
    found: Results = json.loads(path.read_text(encoding="utf-8"))
    return found


def save(results: Results, path: Path = RESULTS) -> None:
    """Write the table completely or not at all, without machines that no row names."""
    used = {row["machine"] for row in results["rows"].values()}
    results["machines"] = {name: each for name, each in sorted(results["machines"].items()) if name in used}
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    draft.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)


def figure(row: Mapping[str, Any], name: str) -> float | None:
    """Return a figure of a row: ours, theirs, ratio, speedup, memory_mb, or one of its facts.

    >>> row = {"ours": 2.0, "theirs": 5.0, "facts": {"groups": 7}}
    >>> figure(row, "ratio"), figure(row, "speedup"), figure(row, "groups")
    (0.4, 2.5, 7)
    """
    if name in ("ratio", "speedup"):
        ours, theirs = row.get("ours"), row.get("theirs")
        if not ours or not theirs:
            return None
        return float(ours / theirs if name == "ratio" else theirs / ours)
    if name in ("ours", "theirs", "memory_mb"):
        value: float | None = row.get(name)
        return value
    fact: float | None = row.get("facts", {}).get(name)
    return fact


def is_met(row: Mapping[str, Any], goal: Mapping[str, Any]) -> bool | None:
    """Say whether a row reaches a goal; None if the figure was not measured."""
    value = figure(row, goal["figure"])
    if value is None:
        return None
    return bool(value <= goal["at_most"]) if "at_most" in goal else bool(value >= goal["at_least"])


def shown(value: float, unit: str) -> str:
    """Write a figure with about three digits, and its unit.

    >>> shown(0.6966, "s"), shown(272.49, "s CPU"), shown(1500, "s"), shown(0.0004, "s"), shown(262.3, "MB")
    ('0.70 s', '272 s', '25 min', '0.40 ms', '262 MB')
    >>> shown(4.204, "times"), shown(521.3, "times"), shown(48721, "")
    ('4.20', '521', '48,721')
    """
    if unit in ("s", "s CPU"):
        if value >= 600:
            return f"{value / 60:.0f} min"
        return f"{1000 * value:.2f} ms" if value < 0.001 else f"{_three_digits(value)} s"
    if unit == "MB" or (not unit and float(value).is_integer()):
        return f"{value:,.0f} {unit}".strip()
    return _three_digits(value) if unit == "times" else f"{_three_digits(value)} {unit}".strip()


def _three_digits(value: float) -> str:
    decimals = next((digits for limit, digits in ((99.95, 0), (9.995, 1), (0.0995, 2)) if abs(value) >= limit), 3)
    return f"{value:,.{decimals}f}"


def shown_figure(row: Mapping[str, Any], name: str) -> str | None:
    """Write a figure of a row as pages quote it; None if the row does not have it."""
    value = figure(row, name)
    if value is None:
        return None
    units = {"ours": row["unit"], "theirs": row["unit"], "ratio": "times", "speedup": "times", "memory_mb": "MB"}
    return shown(value, units.get(name) or _unit_of_fact(name))


def _unit_of_fact(name: str) -> str:
    endings = {"_s": "s", "_cpu_s": "s", "_mb": "MB", "_ms": "ms", "_times": "times"}
    return next((unit for ending, unit in endings.items() if name.endswith(ending)), "")
