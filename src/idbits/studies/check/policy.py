"""The policy ``idbits.toml``: datasets, the rules for handing them over, and who waived which rule until when.

A rule is a figure, a comparison and a limit, such as ``k_min >= 5`` or ``people_below.5 <= 1%``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from idbits.canonical import LATER
from idbits.engines.open import is_database
from idbits.errors import InputError
from idbits.reading import OPTIONS
from idbits.storage import expand_home
from idbits.studies.shared.documents import read_toml
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.rules import CHANGE, Rule, parse_rule, satisfies, value_of
from idbits.studies.shared.serialisation import UncheckedData
from idbits.wording import listed_names, near_names

__all__ = [
    "ALLOWED_COLUMNS", "CHANGE", "FORBID_IDENTIFIERS", "LINKED_SOURCES", "OVERLAP", "READING", "SAMPLE",
    "UNCHANGED_COLUMNS", "Dataset", "Policy", "Rule", "Waiver", "parse_rule", "read_policy", "satisfies", "value_of",
    "with_sources",
]  # fmt: skip

READING = {name: option.type for name, option in OPTIONS.items() if option.in_policy}
"""Options for reading the table of a dataset, with their types; the same as in Python."""

_LEVELS = ("fail", "warn")
_DATASET = {
    "name": str, "source": str, "qid": list, "person": str, "knows": str, "null_person": str, "multiset": bool,
    "household": str, "rows_are_people": bool, "population": str, "population_count": str, "population_table": str,
    "population_person": str, "gain": list, "attacker": str, "sensitive": list, "allowed_columns": list,
    "allowed_changes": list, "forbid_identifiers": bool, "sample": dict, "overlap": dict, "disclosure": dict,
    "link": dict, "rules": list, "waivers": list,
}  # fmt: skip
ALLOWED_COLUMNS, FORBID_IDENTIFIERS, UNCHANGED_COLUMNS = "allowed_columns", "forbid_identifiers", "unchanged_columns"
"""Rules about the columns of a table, under which they are reported and waived."""
_SAMPLE = {"people": int, "fraction": float, "weight": str, "strata": str, "stratum_sizes": str, "level": float}
_OVERLAP = {"zones": list, "below": int}
_DISCLOSURE = {"near": dict, "secret": dict, "ranks": dict, "hierarchy": dict}
_LINK = {
    "second": str, "on": list, "coverage": float, "truth": str, "truth_a": str, "truth_b": str, "nulls": str,
    "max_pairs": int, "where": str, "count": str, "table": str, "probabilistic": bool, "block": list, "levels": list,
    "threshold": float,
}  # fmt: skip
_ATTACK = {
    "original": str, "control": str, "attack": str, "left": list, "right": list, "neighbours": int, "infer": str,
    "known": list, "tolerance": float, "attacks": int, "seed": int,
}  # fmt: skip
LINKED_SOURCES = ("second", "original", "control")
"""The keys of ``[dataset.link]`` that name tables."""
OVERLAP = "overlap"
"""Figures that start with ``overlap.`` are about what subtracting counts of two zonings isolates."""
LINK = "link"
"""Figures that start with ``link.`` are about what a second table tells about the records."""
SAMPLE = "sample"
"""Figures that start with ``sample.`` are estimates for the population that the table is a sample of."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """Permission to break a rule until a date, with the person who gave it and why."""

    rule: str
    owner: str
    reason: str
    expires: date


@dataclass(frozen=True, slots=True)
class Dataset:
    """A table, the columns someone may know, and the rules that apply to it.

    Attributes:
        person: who is a person, and what an attacker knows of their records.
        gain: the columns for information gain; the quasi-identifier if empty.
        sensitive: the columns that must not be learnt from a group.
        allowed_columns: the only columns that the table may have; None for any.
        allowed_changes: columns that may appear, disappear or change their type against the baseline.
        forbid_identifiers: whether columns that identify people break a rule.
        sample: how large the population is, if the table is a sample of it.
        overlap: the two columns of zones for which counts are published, and below how many people a group is small.
        disclosure: options about single sensitive columns, as keywords of ``idbits.disclosure``.
        link: a second table, the columns that both have, and what is known about it; or the people from whom the
            dataset was synthesised, and the attack on them.
    """

    name: str
    source: str
    qid: tuple[str, ...]
    rules: tuple[Rule, ...]
    waivers: tuple[Waiver, ...] = ()
    person: PersonOptions = field(default_factory=PersonOptions)
    population: str | None = None
    population_count: str | None = None
    population_table: str | None = None
    population_person: str | None = None
    gain: tuple[str, ...] = ()
    attacker: str | None = None
    sensitive: tuple[str, ...] = ()
    allowed_columns: tuple[str, ...] | None = None
    allowed_changes: tuple[str, ...] = ()
    forbid_identifiers: bool = False
    sample: UncheckedData | None = None
    overlap: UncheckedData | None = None
    disclosure: UncheckedData = field(default_factory=dict)
    link: UncheckedData | None = None
    reading: UncheckedData = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Policy:
    """The contents of a policy file."""

    path: str
    datasets: tuple[Dataset, ...]


def read_policy(path: str | Path) -> Policy:
    """Read a policy file; anything unknown in it is an error that says where it is."""
    file = Path(expand_home(path))
    if not file.exists():
        raise InputError(f'the policy "{file}" does not exist; idbits init SOURCE writes one')
    data = read_toml(file, f'the policy "{file}"')
    _only(data, {"version": int, "rules": list, "dataset": list}, "the policy")
    if data.get("version", 1) != 1:
        raise InputError(f'the policy: "version" must be 1; a policy with a larger one {LATER}')
    common = _rules(data.get("rules", []), "rules")
    tables = data.get("dataset", [])
    if not tables:
        raise InputError("the policy has no dataset; add one with [[dataset]]")
    datasets = tuple(_dataset(table, common, file.parent) for table in tables)
    names = [dataset.name for dataset in datasets]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f'the policy has two datasets named "{name}"; give each its own name')
    return Policy(str(file), datasets)


def with_sources(policy: Policy, data: Mapping[str, str | Path] | Sequence[str]) -> Policy:
    """Return a policy with other sources for some datasets; paths are relative to the current folder."""
    sources = dict(data) if isinstance(data, Mapping) else _pairs([data] if isinstance(data, str) else data)
    names = [dataset.name for dataset in policy.datasets]
    for name in sources:
        if name not in names:
            raise InputError(f'no dataset is named "{name}"{near_names(name, names) or listed_names(names)} (--data)')
    return replace(
        policy,
        datasets=tuple(
            replace(dataset, source=expand_home(str(sources[dataset.name]))) if dataset.name in sources else dataset
            for dataset in policy.datasets
        ),
    )


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    sources: dict[str, str] = {}
    for text in texts:
        name, equals, source = text.partition("=")
        if not equals or not name or not source:
            raise InputError("--data must be written like people=week47.parquet")
        if name in sources:
            raise InputError(f'"{name}" has two sources; for several files name a folder or a glob (--data)')
        sources[name] = source
    return sources


def _dataset(table: Any, common: Sequence[Rule], folder: Path) -> Dataset:
    if not isinstance(table, dict):
        raise InputError("the policy: write each dataset as a table, [[dataset]]")
    name = table.get("name")
    if not isinstance(name, str) or not name:
        raise InputError('the policy: each dataset needs a "name"')
    context = f'dataset "{name}"'
    _only(table, {**_DATASET, **READING, "columns": list}, context)
    for key in ("source", "qid"):
        if not table.get(key):
            raise InputError(f'{context}: "{key}" is missing')
    rules = (*common, *_rules(table.get("rules", []), context))
    if not rules:
        raise InputError(f'{context} has no rules; add at least one, such as "k_min >= 5"')
    known = [*(rule.text for rule in rules), ALLOWED_COLUMNS, FORBID_IDENTIFIERS, UNCHANGED_COLUMNS]
    waivers = tuple(_waiver(item, known, context) for item in table.get("waivers", []))
    return Dataset(
        name=name,
        source=_located(table["source"], folder),
        qid=_names(table["qid"], f"{context}: qid"),
        rules=rules,
        waivers=waivers,
        person=_person(table),
        population=_located(table["population"], folder) if "population" in table else None,
        population_count=table.get("population_count"),
        population_table=table.get("population_table"),
        population_person=table.get("population_person"),
        gain=_names(table.get("gain", []), f"{context}: gain"),
        attacker=table.get("attacker"),
        sensitive=_names(table.get("sensitive", []), f"{context}: sensitive"),
        allowed_columns=(
            _names(table["allowed_columns"], f"{context}: allowed_columns") if "allowed_columns" in table else None
        ),
        allowed_changes=_names(table.get("allowed_changes", []), f"{context}: allowed_changes"),
        forbid_identifiers=table.get("forbid_identifiers", False),
        sample=_sample(table["sample"], folder, context) if "sample" in table else None,
        overlap=_overlap(table["overlap"], context) if OVERLAP in table else None,
        disclosure=_disclosure(table, folder, context),
        link=_link(table["link"], folder, context) if LINK in table else None,
        reading=_reading(table, context),
    )


def _sample(table: UncheckedData, folder: Path, context: str) -> UncheckedData:
    _only(table, _SAMPLE, f"the sample of {context}")
    sizes = {"stratum_sizes": _located(table["stratum_sizes"], folder)} if "stratum_sizes" in table else {}
    return {**table, **sizes}


def _overlap(table: UncheckedData, context: str) -> UncheckedData:
    _only(table, _OVERLAP, f"the overlap of {context}")
    zones = _names(table.get("zones", []), f"{context}: zones")
    if len(zones) != 2:
        raise InputError(f'{context}: "zones" of [dataset.overlap] must be two columns')
    return {**table, "zones": zones}


def _disclosure(table: UncheckedData, folder: Path, context: str) -> UncheckedData:
    """Return the options about single sensitive columns; no message contains a value of them."""
    options = table.get("disclosure", {})
    _only(options, _DISCLOSURE, f"the disclosure of {context}")
    if options and not table.get("sensitive"):
        raise InputError(f'{context}: [dataset.disclosure] is about sensitive columns; list them in "sensitive"')
    for key, fits, words in _COLUMN_OPTIONS:
        for column, value in options.get(key, {}).items():
            if not fits(value):
                raise InputError(f'{context}: "{key}" of column "{column}" must be {words}')
    located = {column: _located(path, folder) for column, path in options.get("hierarchy", {}).items()}
    return {**options, **({"hierarchy": located} if located else {})}


def _is_distance(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _is_text_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)


_COLUMN_OPTIONS: tuple[tuple[str, Callable[[object], bool], str], ...] = (
    ("near", _is_distance, 'a number, or a share such as "5%"'),
    ("secret", _is_text_list, "a list of texts"),
    ("ranks", _is_text_list, "a list of texts"),
    ("hierarchy", lambda value: isinstance(value, str), "the path of a file"),
)
"""What the options about single columns must be."""


def _link(table: UncheckedData, folder: Path, context: str) -> UncheckedData:
    """Return a second table and how it is compared, or the original people of synthetic data and an attack on them."""
    shares = {key: float(table[key]) for key in ("coverage", "threshold", "tolerance") if type(table.get(key)) is int}
    given = {**table, **shares}
    _only(given, _ATTACK if "original" in given else _LINK, f"the link of {context}")
    if "original" not in given and ("second" not in given or not given.get("on")):
        raise InputError(
            f'{context}: [dataset.link] needs "second", the second table, and "on", the columns of both; for synthetic '
            'data it needs "original", the people from whom they were made'
        )
    names = {key: _names(given[key], f"{context}: {key}") for key, value in given.items() if isinstance(value, list)}
    return {**given, **names, **{key: _located(given[key], folder) for key in LINKED_SOURCES if key in given}}


def _person(table: UncheckedData) -> PersonOptions:
    keys = ("knows", "null_person", "multiset", "household", "rows_are_people")
    return PersonOptions(column=table.get("person"), **{key: table[key] for key in keys if key in table})


def _reading(table: UncheckedData, context: str) -> UncheckedData:
    given = {option: table[option] for option in READING if option in table}
    if not all(isinstance(text, str) for text in given.get("null", [])):
        raise InputError(f'{context}: "null" must be a list of texts')
    if "columns" in given:
        given["columns"] = list(_names(given["columns"], f"{context}: columns"))
    return given


def _located(source: str, folder: Path) -> str:
    """Return a source; paths are relative to the policy."""
    return source if is_database(source) else str(folder / expand_home(source))


def _names(items: Any, context: str) -> tuple[str, ...]:
    if not isinstance(items, list) or not all(isinstance(item, str) and item for item in items):
        raise InputError(f"{context} must be a list of columns")
    return tuple(items)


def _rules(items: Any, context: str) -> tuple[Rule, ...]:
    """Return rules, each from a text or from a table with a rule and a level."""
    rules = []
    for item in items:
        if isinstance(item, str):
            rules.append(parse_rule(item))
            continue
        if not isinstance(item, dict):
            raise InputError(f"{context}: a rule must be a text, or a table with rule and level")
        _only(item, {"rule": str, "level": str}, f"a rule of {context}")
        level = item.get("level", "fail")
        if level not in _LEVELS or "rule" not in item:
            raise InputError(f'{context}: a rule needs a "rule" and may have a "level", "fail" or "warn"')
        rules.append(parse_rule(item["rule"], level))
    return tuple(rules)


def _waiver(item: Any, rules: Sequence[str], context: str) -> Waiver:
    if not isinstance(item, dict):
        raise InputError(f"{context}: a waiver must be a table with rule, owner, reason and expires")
    _only(item, {"rule": str, "owner": str, "reason": str, "expires": date}, f"a waiver of {context}")
    for key in ("rule", "owner", "reason", "expires"):
        if not item.get(key):
            raise InputError(f"{context}: a waiver has no {key}; it needs rule, owner, reason and expires (a date)")
    if item["rule"] not in rules:
        raise InputError(f'{context}: a waiver names the rule "{item["rule"]}", which this dataset does not have')
    return Waiver(item["rule"], item["owner"], item["reason"], item["expires"])


def _only(table: UncheckedData, known: Mapping[str, type], context: str) -> None:
    for key, value in table.items():
        if key not in known:
            raise InputError(f'{context}: unknown key "{key}"{near_names(key, known)}')
        # In Python, True is an int and a datetime is a date.
        subclass = {int: bool, date: datetime}.get(known[key], ())
        if not isinstance(value, known[key]) or isinstance(value, subclass):
            raise InputError(f'{context}: "{key}" must be {_TYPES[known[key]]}')


_TYPES = {
    str: "a text",
    list: "a list",
    int: "a whole number",
    bool: "true or false",
    float: "a number with decimals, such as 0.05",
    dict: "a table",
    date: "a date such as 2027-01-31",
}
