"""The policy ``idbits.toml``: which datasets may be handed over under which rules, and who waived one until when.

A rule is a figure, a comparison and a limit, such as ``k_min >= 5`` or ``people_below.5 <= 1%``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from idbits.engines.open import is_database
from idbits.errors import InputError
from idbits.reading import OPTIONS
from idbits.studies.shared.documents import read_toml
from idbits.studies.shared.serialisation import UncheckedData
from idbits.wording import near_names

__all__ = ["READING", "Dataset", "Policy", "Rule", "Waiver", "parse_rule", "read_policy", "satisfies", "value_of"]

READING = {name: option.type for name, option in OPTIONS.items() if option.in_policy}
"""Options of a dataset on how its table is read, with their types; they mean what they mean in Python."""

_LEVELS = ("fail", "warn")
_DATASET = {"name": str, "source": str, "qid": list, "person": str, "population": str, "population_count": str,
            "population_table": str, "gain": list, "attacker": str, "rules": list, "waivers": list}  # fmt: skip
_OPERATORS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq}
_GRAMMAR = re.compile(
    r"\s*([a-z_0-9]+(?:\.[a-z_0-9]+)*)\s*(>=|<=|==|=|>|<)\s*(-?[0-9]{1,18}(?:\.[0-9]{1,30})?)\s*(%?)\s*", re.ASCII
)
_COUNTS = re.compile(
    r"singletons|n_sets|k_max|guaranteed_singletons|people_(below|at_most|exactly)\.[0-9]+|rows_at_pif"
)
_SHARES = re.compile(r"mean_risk|max_risk|degree_of_anonymity|(period\.)?share")
CHANGE = "change"
"""The figures of ``change.`` are differences to the baseline."""
_LOOK = "; idbits measure --json and idbits gain --json show those that there are"


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


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        text: the rule as it stands in the policy.
        figure: the figure, with dots between the keys of a result.
        comparison: >=, <=, >, < or ==.
        limit: the limit as an exact number; of a percentage, the share.
        percent: whether the limit is a share.
    """

    text: str
    figure: str
    comparison: str
    limit: Fraction
    percent: bool
    level: str = "fail"

    @property
    def of_people(self) -> bool:
        """Whether the limit is a share of the people."""
        return self.percent and _COUNTS.fullmatch(self.figure) is not None


def parse_rule(text: str, level: str = "fail") -> Rule:
    """Return the rule that a text stands for.

    >>> parse_rule("people_below.5 <= 1%").limit
    Fraction(1, 100)
    """
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        raise InputError(f'"{text}" is no rule; one is written like "k_min >= 5" or "people_below.5 <= 1%"')
    figure, comparison, number, percent = match.groups()
    limit = Fraction(number) / (100 if percent else 1)
    rule = Rule(text, figure, "==" if comparison == "=" else comparison, limit, bool(percent), level)
    if percent and not rule.of_people and _SHARES.fullmatch(figure) is None:
        raise InputError(f'"{figure}" in "{text}" is no number of people and no share: its limit has no percent sign')
    return rule


def value_of(rule: Rule, figures: UncheckedData) -> int | float | None:
    """Return the figure of a rule in the data of a result; None where it does not exist for this table."""
    value: Any = figures
    for key in rule.figure.split("."):
        if not isinstance(value, dict) or key not in value:
            names = [name for name in _numbers(figures) if not name.startswith(f"{CHANGE}.")]
            raise InputError(f'there is no figure "{rule.figure}"{near_names(rule.figure, names) or _LOOK}')
        value = value[key]
    if value in ("inf", "-inf"):
        return float(value)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise InputError(f'"{rule.figure}" is no number, so "{rule.text}" is no rule')
    return value


def _numbers(figures: UncheckedData, before: str = "") -> list[str]:
    names = []
    for key, value in figures.items():
        if isinstance(value, dict):
            names += _numbers(value, f"{before}{key}.")
        elif isinstance(value, int | float):
            names.append(f"{before}{key}")
    return names


def satisfies(rule: Rule, value: int | float, n_people: int) -> bool:
    """Whether a figure keeps to its rule: counts are compared exactly, a share as people times hundred.

    A figure with a fraction is the double next to it, and so is compared with the double next to the limit: a mean
    risk of one in ten keeps to 10%, although no double is a tenth.

    >>> satisfies(parse_rule("mean_risk <= 10%"), 1 / 10, 10)
    True
    """
    limit = rule.limit * n_people if rule.of_people else rule.limit
    return bool(_OPERATORS[rule.comparison](value, limit if isinstance(value, int) else float(limit)))
