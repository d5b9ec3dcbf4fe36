"""Statements, which publishers sign, and the checks on them.

The figures must be consistent: kappa = ln n_values - E ln 2, E is at most log2 of the values and of the people, and
cells add up to the people and give the entropy. This catches mistakes and makes false statements harder.

Implements: SPEC section 6; S2 7.1.3 (QID, population and KL distance, in a shared vocabulary).
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import Any

from idbits.errors import InputError
from idbits.measures.entropy import kappa_error_nats, kappa_from_entropy
from idbits.measures.entropy_bounds import left_out_bits, shares_entropy_bits
from idbits.measures.fitting_spectra import most_bits
from idbits.render.numbers import published
from idbits.repository.conditions import make_condition
from idbits.repository.counted_groups import GroupCount, day_number
from idbits.repository.vocabulary import BUILT_IN, Concept, Vocabulary, name_key, read_concept
from idbits.values.attributes import Kind

__all__ = [
    "FORMAT", "LEAST_DECIMALS", "MOST_CELLS", "MOST_DECIMALS", "Cell", "Cells", "Statement", "check_statement",
    "concept_names", "counts_in", "counts_of", "missing_concepts", "population_pairs", "population_text", "qid_names",
    "read_statement", "signed_kinds",
]  # fmt: skip

FORMAT = "idbits-entry/1"
LEAST_DECIMALS, MOST_DECIMALS = 2, 9
"""The fewest and the most decimals of a rounded entropy."""

MOST_CELLS = 2000
_MOST_QID = 12
_MOST_PAIRS = 8
_MOST_TEXT = 200
_MOST_METHOD = 1000
_MOST_PEOPLE = 10**11
_MOST_VALUES = 10**30
_TOLERANCE = 1e-9
_SHARE = "must be a share of the population, above 0 and at most 1"
_NOT_NEGATIVE = "must be a number, at least 0"
_REF = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of the quasi-identifier (one text per attribute, None for null) and the number of people with it."""

    value: tuple[str | None, ...]
    people: int


@dataclass(frozen=True, slots=True)
class Cells:
    """A published distribution: the values that enough people have, and totals for the other values.

    Attributes:
        cells: values with their numbers of people, most frequent first.
        rest_values: the number of values that are left out because too few people have them.
        rest_people: the number of people who have a left-out value.
    """

    cells: tuple[Cell, ...]
    rest_values: int = 0
    rest_people: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement about a quasi-identifier in a population, which a publisher signs.

    Attributes:
        qid: attributes of the vocabulary, sorted: ``("birthdate:year", "gender", "postcode")``.
        population: pairs of attribute and value, sorted: ``(("municipality", "Amsterdam"),)``.
        n_people: the number of people of the population who were counted.
        n_values: the number of possible values of the quasi-identifier.
        kappa_nats: the KL distance from equally likely values, nats.
        entropy_bits: the entropy of the quasi-identifier, bits.
        holder: the data holder.
        date: the day that the data describe, ``2019-01-01``.
        method: how the data were collected and counted.
        source: where the data can be found, if anywhere.
        coverage: the share of the population that was counted, if known.
        distribution: the distribution, if it is published.
        supersedes: the reference of the holder's entry that this one replaces.
        entropy_decimals: the number of decimals of an entropy that is rounded because some values are rare; None if it
            has all digits. Kappa is computed from the rounded entropy.
        kinds: pairs of attribute and kind of its values, for attributes that are not in every vocabulary: a repository
            that imports the entry takes the kind from what was signed.
    """

    qid: tuple[str, ...]
    population: tuple[tuple[str, str], ...]
    n_people: int
    n_values: int
    kappa_nats: float
    entropy_bits: float
    holder: str
    date: str
    method: str
    source: str = ""
    coverage: float | None = None
    distribution: Cells | None = None
    supersedes: str | None = None
    entropy_decimals: int | None = None
    kinds: tuple[tuple[str, str], ...] = ()

    @property
    def entropy_error_bits(self) -> float:
        """The largest possible rounding error of the entropy: one unit of its last decimal."""
        return 0.0 if self.entropy_decimals is None else 10.0**-self.entropy_decimals

    @property
    def k_hat(self) -> float:
        """The estimated anonymity, N / 2^E."""
        return float(self.n_people / 2.0**self.entropy_bits)

    def to_dict(self) -> dict[str, Any]:
        """Return the statement as plain data; publishers sign its canonical text."""
        data = asdict(self)
        data["qid"], data["population"] = list(self.qid), dict(self.population)
        if self.entropy_decimals is None:
            # Statements from before rounding existed have no such key; their text and reference must not change.
            del data["entropy_decimals"]
        del data["kinds"]
        if self.kinds:
            # Neither have most others.
            data["kinds"] = dict(self.kinds)
        if self.distribution is not None:
            data["distribution"] = {
                "cells": [[list(cell.value), cell.people] for cell in self.distribution.cells],
                "rest_values": self.distribution.rest_values,
                "rest_people": self.distribution.rest_people,
            }
        return {"format": FORMAT, **data}


_ROUNDED, _KINDS = "entropy_decimals", "kinds"
_OPTIONAL = frozenset({_ROUNDED, _KINDS})
_KEYS = frozenset(field.name for field in fields(Statement)) - _OPTIONAL | {"format"}


def qid_names(names: object, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the vocabulary names of a quasi-identifier, sorted."""
    if not isinstance(names, list | tuple) or not 1 <= len(names) <= _MOST_QID:
        raise InputError(f"a quasi-identifier must have 1 to {_MOST_QID} attributes")
    if not all(isinstance(name, str) for name in names):
        raise InputError("the attributes of a quasi-identifier must be names")
    resolved = {vocabulary.resolve(name).name for name in names}
    if len(resolved) < len(names):
        raise InputError("the quasi-identifier contains an attribute twice")
    return tuple(sorted(resolved))


def population_pairs(pairs: object, vocabulary: Vocabulary) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a population with their vocabulary names, sorted."""
    if not isinstance(pairs, Mapping) or not 1 <= len(pairs) <= _MOST_PAIRS:
        raise InputError(
            f"a population must have 1 to {_MOST_PAIRS} pairs of attribute and value, such as City=Amsterdam"
        )
    resolved = {vocabulary.resolve(str(name)).name: _text(value, "each value") for name, value in pairs.items()}
    if len(resolved) < len(pairs):
        raise InputError("the population contains an attribute twice")
    return tuple(sorted(resolved.items()))


def population_text(population: Iterable[tuple[str, str]]) -> str:
    """Return a population as readable text: ``municipality=Amsterdam, education=high``."""
    return ", ".join(f"{name}={value}" for name, value in population)


def read_statement(data: object) -> Statement:
    """Return a statement from plain data, after checking keys and types."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise InputError(f'the "format" of a statement must be "{FORMAT}"')
    if set(data) - _OPTIONAL != _KEYS:
        odd = min((set(data) - _OPTIONAL) ^ _KEYS)
        raise InputError(f'the key "{odd[:40]}" of the statement is {"missing" if odd in _KEYS else "unknown"}')
    qid, population = data["qid"], data["population"]
    if not isinstance(qid, list) or not isinstance(population, Mapping):
        raise InputError('"qid" must be a list of names, and "population" an object of attributes and values')
    supersedes, coverage = data["supersedes"], data["coverage"]
    if supersedes is not None and not (isinstance(supersedes, str) and _REF.fullmatch(supersedes)):
        raise InputError('"supersedes" must be the reference of an entry, 16 hexadecimal digits')
    return Statement(
        qid=tuple(_text(name, "each attribute") for name in qid),
        population=tuple(
            (_text(name, "each attribute"), _text(value, "each value")) for name, value in population.items()
        ),
        n_people=_whole(data["n_people"], "n_people", 1, _MOST_PEOPLE),
        n_values=_whole(data["n_values"], "n_values", 1, _MOST_VALUES),
        kappa_nats=_number(data["kappa_nats"], "kappa_nats", lambda x: x >= 0, _NOT_NEGATIVE),
        entropy_bits=_number(data["entropy_bits"], "entropy_bits", lambda x: x >= 0, _NOT_NEGATIVE),
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
        kinds=_kinds(data[_KINDS]) if _KINDS in data else (),
    )


def _kinds(data: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(data, Mapping) or not 1 <= len(data) <= _MOST_QID + _MOST_PAIRS:
        raise InputError('"kinds" must be an object of attributes and the kinds of their values')
    if not all(isinstance(kind, str) and kind in tuple(Kind) for kind in data.values()):
        raise InputError(f"each kind must be one of {', '.join(Kind)}")
    return tuple(sorted((_text(name, "each attribute"), str(kind)) for name, kind in data.items()))


def concept_names(qid: Iterable[str], population: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the names of the concepts that some attributes are views of.

    >>> concept_names(["age", "postcode:prefix4"], [("age:band10", "30")])
    ('age', 'postcode')
    """
    names = (*qid, *(name for name, _ in population))
    return tuple(dict.fromkeys(name.partition(":")[0] for name in names))


def signed_kinds(
    qid: Iterable[str], population: Iterable[tuple[str, str]], vocabulary: Vocabulary
) -> tuple[tuple[str, str], ...]:
    """Return the kinds to sign: those of attributes that other repositories may not have."""
    concepts = (vocabulary.concept(name) for name in concept_names(qid, population))
    built_in = {concept.name for concept in BUILT_IN}
    return tuple(
        sorted((each.name, str(each.kind)) for each in concepts if each is not None and each.name not in built_in)
    )


def missing_concepts(statement: Statement, vocabulary: Vocabulary) -> list[Concept]:
    """Return the concepts of a statement that a vocabulary does not have, with the kinds that the publisher signed.

    Only what was signed is used: another repository could say anything.
    """
    signed = dict(statement.kinds)
    names = concept_names(statement.qid, statement.population)
    missing = [name for name in names if name in signed and vocabulary.concept(name) is None]
    return [read_concept({"name": name, "kind": signed[name]}) for name in missing]


def check_statement(statement: Statement, vocabulary: Vocabulary) -> None:
    """Refuse a statement that does not use vocabulary names, or whose figures are inconsistent."""
    if statement.qid != qid_names(statement.qid, vocabulary):
        raise InputError("the quasi-identifier must use the vocabulary's own names, sorted")
    if statement.population != population_pairs(dict(statement.population), vocabulary):
        raise InputError("the population must use the vocabulary's own names, sorted")
    _check_kinds(statement, vocabulary)
    if statement.entropy_bits > most_bits(statement.n_people, statement.n_values) + _TOLERANCE:
        raise InputError("the entropy is higher than the number of values, or of people, allows")
    if statement.entropy_decimals is not None:
        _check_rounded(statement, statement.entropy_decimals)
    if kappa_error_nats(statement.kappa_nats, statement.entropy_bits, statement.n_values) > 1e-6:
        raise InputError("kappa and entropy are inconsistent: kappa must be ln(n_values) - entropy * ln 2")
    if statement.distribution is not None:
        _check_cells(statement, statement.distribution)


def _check_kinds(statement: Statement, vocabulary: Vocabulary) -> None:
    """Refuse kinds of attributes that the statement does not use, or that the vocabulary contradicts."""
    used = concept_names(statement.qid, statement.population)
    for name, kind in statement.kinds:
        concept = vocabulary.concept(name)
        if name not in used or concept is None or (concept.name, concept.kind) != (name, kind):
            raise InputError(f'the signed kind of "{name[:60]}" is not its kind in the vocabulary')


def _check_rounded(statement: Statement, decimals: int) -> None:
    """Refuse figures with more digits than stated."""
    if published(statement.entropy_bits, decimals, math.inf) != statement.entropy_bits:
        raise InputError("the entropy has more decimals than entropy_decimals states")
    if abs(statement.kappa_nats - kappa_from_entropy(statement.entropy_bits, statement.n_values)) > _TOLERANCE:
        raise InputError("kappa must be computed from the rounded entropy")


def _check_cells(statement: Statement, cells: Cells) -> None:
    listed = sum(cell.people for cell in cells.cells)
    if listed + cells.rest_people != statement.n_people:
        raise InputError("the cells and the left-out people of the distribution do not add up to n_people")
    if (cells.rest_people == 0) != (cells.rest_values == 0) or cells.rest_values > cells.rest_people:
        raise InputError("each left-out value of the distribution must have at least one person")
    if len(cells.cells) + cells.rest_values > statement.n_values:
        raise InputError("the distribution has more values than are possible")
    if len({cell.value for cell in cells.cells}) < len(cells.cells):
        raise InputError("the distribution lists a value twice")
    listed_bits = shares_entropy_bits(cell.people / statement.n_people for cell in cells.cells)
    least, most = left_out_bits(cells.rest_people / statement.n_people, cells.rest_values)
    error = 1e-6 + statement.entropy_error_bits
    if not listed_bits + least - error <= statement.entropy_bits <= listed_bits + most + error:
        raise InputError("the entropy does not match the distribution")


def counts_of(statement: Statement) -> tuple[GroupCount, ...]:
    """Return the counts that a statement publishes: its population, and the cells of its distribution."""
    cells = statement.distribution.cells if statement.distribution is not None else ()
    listed = ((cell.value, cell.people) for cell in cells)
    when_and_who = day_number(statement.date), name_key(statement.holder)
    return _counts(statement.population, statement.n_people, statement.qid, listed, *when_and_who)


def counts_in(text: str) -> tuple[GroupCount, ...] | None:
    """Return the counts in a signed text, much faster than reading all of it; None if it is not a statement."""
    try:
        data = json.loads(text)
        cells = data["distribution"]["cells"] if data["distribution"] is not None else ()
        when_and_who = day_number(data["date"]), name_key(data["holder"])
        return _counts(data["population"].items(), data["n_people"], data["qid"], cells, *when_and_who)
    except (ValueError, TypeError, LookupError, AttributeError):
        return None


def _counts(
    pairs: Iterable[tuple[str, str]],
    people: int,
    qid: Sequence[str],
    cells: Iterable[tuple[Sequence[str | None], int]],
    day: int,
    holder: str,
) -> tuple[GroupCount, ...]:
    population = frozenset(make_condition(name, value) for name, value in pairs)
    counts = [GroupCount(population, people, day, holder)]
    for values, cell_people in cells:
        group = population.union(make_condition(name, value) for name, value in zip(qid, values, strict=True))
        counts.append(GroupCount(group, cell_people, day, holder, is_cell=True))
    return tuple(counts)


def _cells(data: object, width: int) -> Cells:
    if not isinstance(data, Mapping) or set(data) != {"cells", "rest_values", "rest_people"}:
        raise InputError("a distribution must have cells, rest_values and rest_people, and nothing else")
    cells = data["cells"]
    if not isinstance(cells, list) or not 1 <= len(cells) <= MOST_CELLS:
        raise InputError(f"a distribution must have 1 to {MOST_CELLS:,} cells")
    checked = []
    for cell in cells:
        if not (isinstance(cell, list) and len(cell) == 2 and isinstance(cell[0], list) and len(cell[0]) == width):
            raise InputError("each cell must be a list of one value per attribute, and the number of people")
        values = tuple(None if value is None else _text(value, "each value", least=0) for value in cell[0])
        checked.append(Cell(values, _whole(cell[1], "the number of people in a cell", 1, _MOST_PEOPLE)))
    rest_people = _whole(data["rest_people"], "rest_people", 0, _MOST_PEOPLE)
    return Cells(tuple(checked), _whole(data["rest_values"], "rest_values", 0, _MOST_PEOPLE), rest_people)


def _text(value: object, what: str, most: int = _MOST_TEXT, least: int = 1) -> str:
    if not isinstance(value, str) or not least <= len(value) <= most:
        raise InputError(f"{what} must be a text of {least} to {most} characters")
    if value != unicodedata.normalize("NFC", value) or (value and not value.isprintable()) or value != value.strip():
        raise InputError(f"{what} must be one line of printable text in composed form (NFC), without spaces around it")
    return value


def _whole(value: object, what: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{what} must be a whole number, at least {least} and at most {most:,}")
    return value


def _number(value: object, what: str, fits: Callable[[float], bool], kind: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9 or not fits(value):
        raise InputError(f"{what} {kind}")
    return float(value)


def _day(value: object) -> str:
    if not isinstance(value, str) or re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value, flags=re.ASCII) is None:
        raise InputError("the date must be a day, written like 2019-01-31")
    try:
        date.fromisoformat(value)
    except ValueError:
        raise InputError("the date is not a day of the calendar") from None
    return value
