"""The table of benchmarks as a page, ``docs/reference/benchmarks.md``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from results import Results, figure, shown, shown_figure

__all__ = ["is_busy", "page"]

BUSY_CORES = 0.3
INTRODUCTION = """# Benchmarks

`make bench` runs these benchmarks and writes this page and `bench/results.json`, which has all digits. Figures in other
pages are quoted from that file, and a test compares them.

idbits and a peer are measured in the same run, on the same machine. A ratio is our figure divided by the peer's: below
1, idbits is faster. *CPU* means processor seconds, which a busy machine changes less than the time by the clock. *Load*
is the load average of the minute before the benchmark began, which includes the benchmarks before it. *Other work* is
the number of cores that other programs used when we took a figure. Figures of a busy machine have the word `busy`.
"""


def page(results: Results, order: Sequence[str]) -> str:
    """Return the page; parts are in this order, then others by name."""
    rows = results["rows"]
    parts = dict.fromkeys([*order, *sorted(key.partition(".")[0] for key in rows)])
    text = [INTRODUCTION, *_summary(rows), *_failures(results["parts"])]
    for part in parts:
        of_part = {key: row for key, row in rows.items() if key.partition(".")[0] == part}
        if of_part:
            text += _section(part, of_part)
    return "\n".join([*text, *_machines(results["machines"])])


def _summary(rows: Mapping[str, Any]) -> Iterator[str]:
    goals = [(key, goal) for key, row in rows.items() for goal in row["goals"]]
    met = [goal for _, goal in goals if goal["met"]]
    unknown = [goal for _, goal in goals if goal["met"] is None]
    missed = [(key, goal) for key, goal in goals if goal["met"] is False]
    yield f"Of {len(goals)} goals, {len(met)} are met, {len(missed)} are not, and {len(unknown)} were not measured.\n"
    if missed:
        yield "Not met:\n"
        for key, goal in missed:
            row = rows[key]
            yield f"- {row['task']}: {_goal_value(row, goal)}, goal {_limit(row, goal)}"
        yield ""


def _failures(parts: Mapping[str, Any]) -> Iterator[str]:
    failed = {name: part for name, part in parts.items() if part.get("error")}
    for name, part in failed.items():
        yield f"The last run of `{name}` failed on {part['date'][:10]}; its rows may be older: {part['error']}\n"


def _section(part: str, rows: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {part}\n"
    yield "| task | idbits | compared with | ratio | goal | memory | measured |"
    yield "|---|---:|---|---:|---|---:|---|"
    for row in rows.values():
        yield f"| {' | '.join(_cells(row))} |"
    yield ""
    commands = dict.fromkeys(row["command"] for row in rows.values())
    yield f"Repeat with {', '.join(f'`{command}`' for command in commands)}.\n"


def _cells(row: Mapping[str, Any]) -> list[str]:
    unit = " CPU" if row["unit"] == "s CPU" else ""
    ours = "" if row["ours"] is None else f"{shown(row['ours'], row['unit'])}{unit}"
    return [
        _in_cell(row["task"] + (f" ({row['note']})" if row["note"] else "")),
        ours if row["unit"] != "times" else f"{ours} times",
        _in_cell(_peer(row)),
        shown_figure(row, "ratio") or "",
        "<br>".join(_goal(row, goal) for goal in row["goals"]),
        shown_figure(row, "memory_mb") or "",
        _when(row),
    ]


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _peer(row: Mapping[str, Any]) -> str:
    if row["peer"] is None:
        return ""
    versions = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
    name = row["peer"] + (f" ({versions})" if versions else "")
    if row["theirs"] is not None:
        return f"{name}: {shown(row['theirs'], row['unit'])}"
    return f"{name}: not measured, {row['error']}" if row["error"] else name


def _goal(row: Mapping[str, Any], goal: Mapping[str, Any]) -> str:
    verdict = {True: "met", False: "**not met**", None: "not measured"}[goal["met"]]
    return f"{_limit(row, goal)}: {verdict}"


def _limit(row: Mapping[str, Any], goal: Mapping[str, Any]) -> str:
    word, limit = ("at most", goal["at_most"]) if "at_most" in goal else ("at least", goal["at_least"])
    name = goal["figure"]
    if name == "speedup":
        return f"{word} {limit:g} times as fast"
    if name == "ratio":
        return f"ratio {word} {limit:g}"
    unit = {"memory_mb": "MB", "ours": row["unit"]}.get(name, "")
    label = "" if name in ("memory_mb", "ours") else f"{name.replace('_', ' ')} "
    return f"{label}{word} {limit:,g} {unit}".strip() if limit < 10**6 else f"{label}{word} {limit:,.0f} {unit}".strip()


def _goal_value(row: Mapping[str, Any], goal: Mapping[str, Any]) -> str:
    value = figure(row, goal["figure"])
    assert value is not None
    text = shown_figure(row, goal["figure"]) or ""
    return f"{text} times as fast" if goal["figure"] == "speedup" else text


def is_busy(row: Mapping[str, Any]) -> bool:
    """Say whether other programs worked when the figures of a row were taken."""
    return (row["busy_cores"] or 0) > BUSY_CORES


def _when(row: Mapping[str, Any]) -> str:
    if row["load_average"] is None:
        return f"{row['date'][:10]}, load not noted, {row['machine']}"
    busy = " busy" if is_busy(row) else ""
    return f"{row['date'][:10]}, load {row['load_average']}, other work {row['busy_cores']}{busy}, {row['machine']}"


def _machines(machines: Mapping[str, Any]) -> Iterator[str]:
    yield "## Machines\n"
    yield "| name | processor | cores | memory | system | Python | packages |"
    yield "|---|---|---:|---:|---|---|---|"
    for name, each in machines.items():
        packages = ", ".join(f"{package} {version}" for package, version in each["packages"].items())
        yield (
            f"| {name} | {each['processor']} | {each['cores']} | {each['memory_gb']} GB | {each['system']} "
            f"| {each['python']} | {packages} |"
        )
    yield ""
