"""Baselines: the figures that a check saves for a dataset, and what changed since."""

from __future__ import annotations

from typing import Any

from idbits.render.numbers import to_places
from idbits.studies.check.column_rules import DatasetColumns, column_changes
from idbits.studies.shared.serialisation import UncheckedData

__all__ = ["baseline_entry", "changes", "columns_of_entry", "is_baseline_entry"]

_FIGURES = (
    "unit", "n_rows", "n_people", "n_sets", "k_min", "singletons", "entropy_bits", "k_hat", "mean_risk", "people_below",
    "rig", "mics", "pif",
)  # fmt: skip
_COLUMN = ("column", "entropy_bits", "n_sets", "singletons")
# Smaller differences are not worth a sentence.
_TELLING_BITS = 0.05
_TELLING_SHARE = 0.2


def baseline_entry(figures: UncheckedData, columns: DatasetColumns) -> UncheckedData:
    """Return what a baseline keeps of a dataset: figures, and the columns with their types and contents; no values."""
    kept = {key: figures[key] for key in _FIGURES if key in figures}
    kept["columns"] = [{key: column[key] for key in _COLUMN if key in column} for column in figures["columns"]]
    kept["table_columns"] = {} if columns.may_be_data else dict(columns.types)
    kept["column_contents"] = {} if columns.may_be_data else dict(columns.contents)
    return kept


def columns_of_entry(entry: UncheckedData) -> DatasetColumns | None:
    """Return the columns; None if the baseline has none, as those of earlier versions."""
    types = entry.get("table_columns")
    return DatasetColumns(types, entry.get("column_contents", {})) if types else None


def is_baseline_entry(entry: Any) -> bool:
    """Whether data read from a file is what a check saves for a dataset."""
    if not isinstance(entry, dict) or not isinstance(columns := entry.get("columns"), list):
        return False
    numbers = [entry.get(key) for key in ("n_rows", "entropy_bits")]
    for column in columns:
        if not isinstance(column, dict) or not isinstance(column.get("column"), str):
            return False
        numbers += [column.get(key) for key in ("entropy_bits", "n_sets")]
    for key in ("table_columns", "column_contents"):
        words = entry.get(key, {})
        if not isinstance(words, dict) or not all(isinstance(word, str) for word in words.values()):
            return False
    return all(isinstance(number, int | float) for number in numbers)


def changes(before: UncheckedData, now: UncheckedData) -> tuple[UncheckedData, list[str]]:
    """Return the differences between the figures, and sentences about the large ones.

    >>> old = {"entropy_bits": 2.0, "columns": [{"column": "zip", "entropy_bits": 2.0, "n_sets": 9}]}
    >>> new = {"entropy_bits": 3.5, "columns": [{"column": "zip", "entropy_bits": 3.5, "n_sets": 80}]}
    >>> changes(old, new)[1]
    ['zip went from 9 to 80 values: +1.5 bits', 'together the columns give away 3.5 bits instead of 2.0 (+1.5)']
    """
    old_columns, new_columns = columns_of_entry(before), columns_of_entry(now)
    sentences = column_changes(old_columns, new_columns) if old_columns and new_columns else []
    sentences += _column_changes(before, now)
    old, new = before.get("entropy_bits"), now.get("entropy_bits")
    if old is not None and new is not None and abs(new - old) >= _TELLING_BITS:
        gained = to_places(new - old, 1, signed=True)
        now_and_before = f"{to_places(new, 1)} bits instead of {to_places(old, 1)}"
        sentences.append(f"together the columns give away {now_and_before} ({gained})")
    key, unit = ("n_people", "people") if now.get("unit") == "people" and "n_people" in before else ("n_rows", "rows")
    rows, rows_before = now.get(key), before.get(key)
    if rows and rows_before and abs(rows - rows_before) >= _TELLING_SHARE * rows_before:
        sentences.append(f"the table has {rows:,} {unit}, {rows_before:,} before")
    return _differences(before, now), sentences


def _column_changes(before: UncheckedData, now: UncheckedData) -> list[str]:
    old = {column["column"]: column for column in before.get("columns", [])}
    new = {column["column"]: column for column in now.get("columns", [])}
    sentences = []
    for name, column in new.items():
        same = old.get(name) or _same_column(name, old, new)
        if same is None:
            sentences.append(f"{name} is new: {to_places(column['entropy_bits'], 1)} bits")
            continue
        bits = column["entropy_bits"] - same["entropy_bits"]
        if abs(bits) >= _TELLING_BITS:
            what = name if same["column"] == name else f"{same['column']} became {name} and"
            gained = to_places(bits, 1, signed=True)
            sentences.append(f"{what} went from {same['n_sets']:,} to {column['n_sets']:,} values: {gained} bits")
    gone = [name for name in old if name not in new and _same_column(name, new, old) is None]
    return [*sentences, *(f"{name} was removed: -{to_places(old[name]['entropy_bits'], 1)} bits" for name in gone)]


def _same_column(name: str, others: UncheckedData, ours: UncheckedData) -> Any:
    """Return the same column, coarsened differently: zip:prefix3 for zip:prefix5."""
    base = name.split(":")[0]
    alike = [other for other in others if other.split(":")[0] == base and other not in ours]
    return others[alike[0]] if len(alike) == 1 else None


def _differences(before: UncheckedData, now: UncheckedData) -> UncheckedData:
    differences: UncheckedData = {}
    for key, value in now.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            differences[key] = _differences(old, value)
        elif isinstance(value, int | float) and isinstance(old, int | float):
            differences[key] = value - old
    return differences
