"""Reading what publishers state: everything is checked before it is believed.

Figures must fit each other: kappa = ln n_values - E ln 2, E at most log2 of the values and of the people, cells that
add up and give the entropy. That stands against mistakes, and makes lies harder.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date
from typing import Any

from idbits.errors import InputError
from idbits.measures.entropy import kappa_from_entropy
from idbits.render.numbers import published
from idbits.repository.conditions import condition
from idbits.repository.counted_groups import Count, day_number
from idbits.repository.figures import LEAST_DECIMALS, MOST_DECIMALS
from idbits.repository.model import FORMAT, Cell, Cells, Statement
from idbits.repository.vocabulary import Vocabulary, name_key

__all__ = ["MOST_CELLS", "check_statement", "counts_of", "population_pairs", "qid_names", "read_statement"]

MOST_CELLS = 2000
_MOST_QID = 12
_MOST_PAIRS = 8
_MOST_TEXT = 200
_MOST_METHOD = 1000
_MOST_PEOPLE = 10**11
_MOST_VALUES = 10**30
_TOLERANCE = 1e-9
_SHARE = "a share of the population, above 0 and at most 1"
_REF = re.compile(r"[0-9a-f]{16}")

_ROUNDED = "entropy_decimals"
_KEYS = frozenset(field.name for field in fields(Statement)) - {_ROUNDED} | {"format"}


def qid_names(names: Any, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the names of a quasi-identifier in the vocabulary's words, sorted."""
    if not isinstance(names, list | tuple) or not 1 <= len(names) <= _MOST_QID:
        raise InputError(f"a quasi-identifier has 1 to {_MOST_QID} attributes")
    if not all(isinstance(name, str) for name in names):
        raise InputError("the attributes of a quasi-identifier are names")
    found = {vocabulary.resolve(name).name for name in names}
    if len(found) < len(names):
        raise InputError("an attribute is named twice")
    return tuple(sorted(found))


def population_pairs(pairs: Any, vocabulary: Vocabulary) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a population in the vocabulary's words, sorted."""
    if not isinstance(pairs, Mapping) or not 1 <= len(pairs) <= _MOST_PAIRS:
        raise InputError(f"a population has 1 to {_MOST_PAIRS} pairs of attribute and value, such as City=Amsterdam")
    found = {vocabulary.resolve(str(name)).name: _text(value, "a value of it") for name, value in pairs.items()}
    if len(found) < len(pairs):
        raise InputError("a population gives one attribute two values")
    return tuple(sorted(found.items()))


def read_statement(data: Any) -> Statement:
    """Return the statement in plain data that has the shape of one."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise InputError(f'a statement has the format "{FORMAT}"')
    if set(data) - {_ROUNDED} != _KEYS:
        odd = min((set(data) - {_ROUNDED}) ^ _KEYS)
        raise InputError(f'a statement has exactly its keys; "{odd[:40]}" is missing or too much')
    qid, population = data["qid"], data["population"]
    if not isinstance(qid, list) or not isinstance(population, Mapping):
        raise InputError("qid is a list of names, population an object of attributes and values")
    supersedes, coverage = data["supersedes"], data["coverage"]
    if supersedes is not None and not (isinstance(supersedes, str) and _REF.fullmatch(supersedes)):
        raise InputError("supersedes is the reference of an entry, 16 hexadecimal digits")
    return Statement(
        qid=tuple(_text(name, "an attribute") for name in qid),
        population=tuple((_text(name, "an attribute"), _text(value, "a value")) for name, value in population.items()),
        n_people=_whole(data["n_people"], "n_people", 1, _MOST_PEOPLE),
        n_values=_whole(data["n_values"], "n_values", 1, _MOST_VALUES),
        kappa_nats=_number(data["kappa_nats"], "kappa_nats", lambda x: x >= 0, "a number, 0 or more"),
        entropy_bits=_number(data["entropy_bits"], "entropy_bits", lambda x: x >= 0, "a number, 0 or more"),
        holder=_text(data["holder"], "holder"),
        date=_day(data["date"]),
        method=_text(data["method"], "method", _MOST_METHOD),
        source=_text(data["source"], "source", _MOST_METHOD, least=0),
        coverage=None if coverage is None else _number(coverage, "coverage", lambda x: 0 < x <= 1, _SHARE),
        distribution=None if data["distribution"] is None else _cells(data["distribution"], len(qid)),
        supersedes=supersedes,
        entropy_decimals=(
            _whole(data[_ROUNDED], _ROUNDED, LEAST_DECIMALS, MOST_DECIMALS) if _ROUNDED in data else None
        ),
    )


def check_statement(said: Statement, vocabulary: Vocabulary) -> None:
    """Refuse a statement that is not in the vocabulary's words or whose figures do not fit each other."""
    if said.qid != qid_names(said.qid, vocabulary):
        raise InputError("the quasi-identifier is not written in the vocabulary's own words, sorted")
    if said.population != population_pairs(dict(said.population), vocabulary):
        raise InputError("the population is not written in the vocabulary's own words, sorted")
    most = math.log2(min(said.n_values, said.n_people))
    if said.entropy_bits > most + _TOLERANCE:
        raise InputError("the entropy is more than so many values, or so few people, can have")
    if said.entropy_decimals is not None:
        _check_rounded(said, said.entropy_decimals)
    if abs(said.kappa_nats - (math.log(said.n_values) - said.entropy_bits * math.log(2))) > 1e-6:
        raise InputError("kappa and entropy do not fit each other: kappa = ln(n_values) - entropy * ln 2")
    if said.distribution is not None:
        _check_cells(said, said.distribution)


def _check_rounded(said: Statement, decimals: int) -> None:
    """Refuse figures that give more digits than they claim to."""
    if published(said.entropy_bits, decimals, math.inf) != said.entropy_bits:
        raise InputError("the entropy has more decimals than the statement says")
    if abs(said.kappa_nats - kappa_from_entropy(said.entropy_bits, said.n_values)) > _TOLERANCE:
        raise InputError("kappa does not follow from the rounded entropy")


def _check_cells(said: Statement, cells: Cells) -> None:
    listed = sum(cell.people for cell in cells.cells)
    if listed + cells.rest_people != said.n_people:
        raise InputError("the cells of the distribution do not add up to the people")
    if (cells.rest_people == 0) != (cells.rest_values == 0) or cells.rest_values > cells.rest_people:
        raise InputError("what is left out of the distribution has at least one person a value")
    if len(cells.cells) + cells.rest_values > said.n_values:
        raise InputError("the distribution has more values than are possible")
    if len({cell.value for cell in cells.cells}) < len(cells.cells):
        raise InputError("the distribution lists a value twice")
    parts = [cell.people / said.n_people for cell in cells.cells]
    known = math.fsum(-part * math.log2(part) for part in parts)
    rest = cells.rest_people / said.n_people
    # The values that are left out have at least one person each and lie between all alike and one for nearly all.
    least = -rest * math.log2(rest) if rest else 0.0
    most = least + rest * math.log2(cells.rest_values) if rest else 0.0
    error = 1e-6 + said.entropy_error_bits
    if not known + least - error <= said.entropy_bits <= known + most + error:
        raise InputError("the distribution does not have this entropy")


def counts_of(said: Statement) -> tuple[Count, ...]:
    """Return the counts that an entry publishes: its population, and the cells of its distribution."""
    day, holder = day_number(said.date), name_key(said.holder)
    population = frozenset(condition(name, value) for name, value in said.population)
    counts = [Count(population, said.n_people, day, holder)]
    for cell in said.distribution.cells if said.distribution is not None else ():
        own = {condition(name, value) for name, value in zip(said.qid, cell.value, strict=True)}
        counts.append(Count(population | own, cell.people, day, holder, is_cell=True))
    return tuple(counts)


def _cells(data: Any, width: int) -> Cells:
    if not isinstance(data, Mapping) or set(data) != {"cells", "rest_values", "rest_people"}:
        raise InputError("a distribution has cells, rest_values and rest_people")
    cells = data["cells"]
    if not isinstance(cells, list) or not 1 <= len(cells) <= MOST_CELLS:
        raise InputError(f"a distribution has 1 to {MOST_CELLS:,} cells")
    found = []
    for cell in cells:
        if not (isinstance(cell, list) and len(cell) == 2 and isinstance(cell[0], list) and len(cell[0]) == width):
            raise InputError("a cell is a list of one value for each attribute, and its people")
        values = tuple(None if value is None else _text(value, "a value", least=0) for value in cell[0])
        found.append(Cell(values, _whole(cell[1], "people of a cell", 1, _MOST_PEOPLE)))
    rest_people = _whole(data["rest_people"], "rest_people", 0, _MOST_PEOPLE)
    return Cells(tuple(found), _whole(data["rest_values"], "rest_values", 0, _MOST_PEOPLE), rest_people)


def _text(value: Any, what: str, most: int = _MOST_TEXT, least: int = 1) -> str:
    if not isinstance(value, str) or not least <= len(value) <= most:
        raise InputError(f"{what} is a text of {least} to {most} characters")
    if value != unicodedata.normalize("NFC", value) or (value and not value.isprintable()) or value != value.strip():
        raise InputError(f"{what} is one line of printable text in the composed form (NFC), without blanks around it")
    return value


def _whole(value: Any, what: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{what} is a whole number, at least {least}")
    return value


def _number(value: Any, what: str, fits: Callable[[float], bool], kind: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9 or not fits(value):
        raise InputError(f"{what} is {kind}")
    return float(value)


def _day(value: Any) -> str:
    if not isinstance(value, str) or re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value, flags=re.ASCII) is None:
        raise InputError("date is a day, written like 2019-01-31")
    try:
        date.fromisoformat(value)
    except ValueError:
        raise InputError("date is not a day of the calendar") from None
    return value
