"""The policy ``idbits.toml``: which datasets may be handed over under which rules, and who waived one until when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from idbits.engines.open import is_database
from idbits.errors import InputError
from idbits.reading import OPTIONS
from idbits.studies.check.rules import Rule, parse_rule
from idbits.studies.shared.serialisation import UncheckedData
from idbits.studies.shared.toml_file import read_toml
from idbits.wording import near_names

__all__ = ["READING", "Dataset", "Policy", "Waiver", "read_policy"]

READING = {name: option.type for name, option in OPTIONS.items() if option.in_policy}
"""Options of a dataset on how its table is read, with their types; they mean what they mean in Python."""

_LEVELS = ("fail", "warn")
_DATASET = {"name": str, "source": str, "qid": list, "person": str, "population": str, "population_count": str,
            "population_table": str, "gain": list, "attacker": str, "rules": list, "waivers": list}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Waiver:
    """Somebody's word that a rule may be broken for a while."""

    rule: str
    owner: str
    reason: str
    expires: date


@dataclass(frozen=True, slots=True)
class Dataset:
    """A table, what somebody may know of it, and the rules that it has to keep to.

    Attributes:
        gain: the columns whose information gain is measured; the quasi-identifier unless others are named.
    """

    name: str
    source: str
    qid: tuple[str, ...]
    rules: tuple[Rule, ...]
    waivers: tuple[Waiver, ...] = ()
    person: str | None = None
    population: str | None = None
    population_count: str | None = None
    population_table: str | None = None
    gain: tuple[str, ...] = ()
    attacker: str | None = None
    reading: UncheckedData = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Policy:
    """What a policy file says."""

    path: str
    datasets: tuple[Dataset, ...]


def read_policy(path: str | Path) -> Policy:
    """Read a policy file; whatever it says that means nothing is an error that names the place."""
    file = Path(path)
    if not file.exists():
        raise InputError(f'there is no policy "{file}"; idbits init SOURCE writes one')
    data = read_toml(file, f'the policy "{file}"')
    _only(data, {"version": int, "rules": list, "dataset": list}, "the policy")
    if data.get("version", 1) != 1:
        raise InputError("this idbits reads policies of version 1")
    common = _rules(data.get("rules", []), "rules")
    tables = data.get("dataset", [])
    if not tables:
        raise InputError("the policy names no dataset ([[dataset]])")
    datasets = tuple(_dataset(table, common, file.parent) for table in tables)
    names = [dataset.name for dataset in datasets]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f'the policy has two datasets "{name}"')
    return Policy(str(file), datasets)


def _dataset(table: Any, common: Sequence[Rule], folder: Path) -> Dataset:
    if not isinstance(table, dict):
        raise InputError("a dataset is a table: [[dataset]]")
    name = table.get("name")
    if not isinstance(name, str) or not name:
        raise InputError("each dataset has a name")
    context = f'dataset "{name}"'
    _only(table, {**_DATASET, **READING, "columns": list}, context)
    for key in ("source", "qid"):
        if not table.get(key):
            raise InputError(f"{context} has no {key}")
    rules = (*common, *_rules(table.get("rules", []), context))
    if not rules:
        raise InputError(f"{context} has no rules")
    waivers = tuple(_waiver(item, rules, context) for item in table.get("waivers", []))
    return Dataset(
        name=name,
        source=_located(table["source"], folder),
        qid=_names(table["qid"], f"{context}: qid"),
        rules=rules,
        waivers=waivers,
        person=table.get("person"),
        population=_located(table["population"], folder) if "population" in table else None,
        population_count=table.get("population_count"),
        population_table=table.get("population_table"),
        gain=_names(table.get("gain", []), f"{context}: gain"),
        attacker=table.get("attacker"),
        reading=_reading(table, context),
    )


def _reading(table: UncheckedData, context: str) -> UncheckedData:
    given = {option: table[option] for option in READING if option in table}
    if not all(isinstance(text, str) for text in given.get("null", [])):
        raise InputError(f"{context}: null is a list of texts")
    if "columns" in given:
        given["columns"] = list(_names(given["columns"], f"{context}: columns"))
    return given


def _located(source: str, folder: Path) -> str:
    """Return a source; a path is one beside the policy."""
    return source if is_database(source) else str(folder / source)


def _names(items: Any, context: str) -> tuple[str, ...]:
    if not isinstance(items, list) or not all(isinstance(item, str) and item for item in items):
        raise InputError(f"{context} is a list of columns")
    return tuple(items)


def _rules(items: Any, context: str) -> tuple[Rule, ...]:
    """Return rules: texts, or tables with a rule and a level."""
    rules = []
    for item in items:
        if isinstance(item, str):
            rules.append(parse_rule(item))
            continue
        if not isinstance(item, dict):
            raise InputError(f"{context}: a rule is a text, or a table with rule and level")
        _only(item, {"rule": str, "level": str}, f"a rule of {context}")
        level = item.get("level", "fail")
        if level not in _LEVELS or "rule" not in item:
            raise InputError(f'{context}: a rule has a rule, and a level that is "fail" or "warn"')
        rules.append(parse_rule(item["rule"], level))
    return tuple(rules)


def _waiver(item: Any, rules: Sequence[Rule], context: str) -> Waiver:
    if not isinstance(item, dict):
        raise InputError(f"{context}: a waiver is a table with rule, owner, reason and expires")
    _only(item, {"rule": str, "owner": str, "reason": str, "expires": date}, f"a waiver of {context}")
    for key in ("rule", "owner", "reason", "expires"):
        if not item.get(key):
            raise InputError(f"{context}: a waiver has no {key}; it names rule, owner, reason and expires (a date)")
    if item["rule"] not in [rule.text for rule in rules]:
        raise InputError(f'{context}: a waiver is for "{item["rule"]}", which is none of its rules')
    return Waiver(item["rule"], item["owner"], item["reason"], item["expires"])


def _only(table: UncheckedData, known: Mapping[str, type], context: str) -> None:
    for key, value in table.items():
        if key not in known:
            raise InputError(f'{context} has "{key}", which means nothing{near_names(key, known)}')
        # To Python, true is a whole number and a moment is a date.
        close_kin = {int: bool, date: datetime}.get(known[key], ())
        if not isinstance(value, known[key]) or isinstance(value, close_kin):
            raise InputError(f'{context}: "{key}" is {_TYPES[known[key]]}')


_TYPES = {
    str: "a text",
    list: "a list",
    int: "a whole number",
    bool: "true or false",
    date: "a date such as 2027-01-31",
}
