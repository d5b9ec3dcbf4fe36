"""Two inventories: which columns each holder has, and which questions each questionnaire asks.

Matching them shows which quasi-identifiers are worth publishing: those that are asked for and that a holder can count.

Implements: SPEC section 6; S2 7.3.1.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeGuard

from idbits.errors import InputError
from idbits.repository.conditions import exclude_each_other, is_finer, make_condition
from idbits.repository.statements import population_pairs, qid_names
from idbits.repository.vocabulary import Vocabulary

__all__ = ["HolderTable", "Match", "Questions", "match_inventories", "read_holder_table", "read_questions"]

_MOST_ATTRIBUTES = 200
_MOST_TEXT = 200
_MOST_PEOPLE = 10**11


@dataclass(frozen=True, slots=True)
class HolderTable:
    """A table that a holder has: its columns by their vocabulary names, its population and size."""

    name: str
    holder: str
    columns: tuple[str, ...]
    population: tuple[tuple[str, str], ...]
    size: int

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return _plain(self)


@dataclass(frozen=True, slots=True)
class Questions:
    """A questionnaire: its questions, where it is used, and how many people answer it, if known."""

    name: str
    where: str
    questions: tuple[str, ...]
    population: tuple[tuple[str, str], ...] = ()
    people: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the questionnaire as plain data."""
        return _plain(self)


@dataclass(frozen=True, slots=True)
class Match:
    """A quasi-identifier that questionnaires ask for and a holder could publish.

    Attributes:
        qid: the attributes.
        population: the population of the tables that have it.
        asked_in: the questionnaires that ask for all attributes.
        people_asked: the number of people they ask, as far as the questionnaires state it.
        held_by: the tables that have all attributes, as ``holder: table``.
        size: the number of people in the largest of these tables.
        published: the references of current entries of this quasi-identifier and population.
    """

    qid: tuple[str, ...]
    population: tuple[tuple[str, str], ...]
    asked_in: tuple[str, ...]
    people_asked: int
    held_by: tuple[str, ...]
    size: int
    published: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the match as plain data."""
        return _plain(self)


def _plain(record: HolderTable | Questions | Match) -> dict[str, object]:
    lists = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(record).items()}
    return lists | {"population": dict(record.population)}


def read_holder_table(data: Mapping[str, object], vocabulary: Vocabulary) -> HolderTable:
    """Return a holder's table from plain data."""
    size = data.get("size")
    if not _is_number_of_people(size):
        raise InputError('a table in the inventory needs "size", the number of people in it')
    return HolderTable(
        _line(data, "name"),
        _line(data, "holder"),
        _attributes(data.get("columns"), vocabulary),
        population_pairs(data.get("population"), vocabulary),
        size,
    )


def read_questions(data: Mapping[str, object], vocabulary: Vocabulary) -> Questions:
    """Return a questionnaire from plain data."""
    people, population = data.get("people"), data.get("population")
    if people is not None and not _is_number_of_people(people):
        raise InputError('"people" of a questionnaire must be a whole number of people, at least 1; or leave it out')
    pairs = population_pairs(population, vocabulary) if population else ()
    return Questions(
        _line(data, "name"), _line(data, "where"), _attributes(data.get("questions"), vocabulary), pairs, people
    )


def _is_number_of_people(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST_PEOPLE


def _line(data: Mapping[str, object], key: str) -> str:
    text = data.get(key)
    if not isinstance(text, str) or not 1 <= len(text) <= _MOST_TEXT or not text.isprintable() or text != text.strip():
        raise InputError(f'"{key}" must be one line of 1 to {_MOST_TEXT} characters')
    return text


def _attributes(names: object, vocabulary: Vocabulary) -> tuple[str, ...]:
    if not isinstance(names, list | tuple) or not 1 <= len(names) <= _MOST_ATTRIBUTES:
        raise InputError(f"columns and questions must be lists of 1 to {_MOST_ATTRIBUTES} names of the vocabulary")
    return tuple(sorted({name for given in names for name in qid_names([given], vocabulary)}))


def match_inventories(tables: Sequence[HolderTable], questionnaires: Sequence[Questions]) -> list[Match]:
    """Return the quasi-identifiers that are asked for and could be counted, most exposed first.

    A quasi-identifier is more exposed if more questionnaires ask for all of it, if they ask more people, and if it has
    more attributes. Candidates are the attributes that a questionnaire and a table share, and those that two such
    candidates share.
    """
    matches = []
    for population in dict.fromkeys(table.population for table in tables):
        held = [table for table in tables if table.population == population]
        asking = [asked for asked in questionnaires if _may_meet(asked.population, population)]
        common = {_common(asked.questions, table.columns) for asked in asking for table in held}
        common |= {_shared(a, b) for a, b in itertools.combinations(sorted(common), 2)}
        matches += [_match(qid, population, asking, held) for qid in common if qid]
    return sorted(matches, key=_exposure)


def _exposure(match: Match) -> tuple[int, int, int, int, tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the sort key of a match: most exposed first, then by name."""
    return (-len(match.asked_in), -match.people_asked, -len(match.qid), -match.size, match.qid, match.population)


def _match(
    qid: tuple[str, ...],
    population: tuple[tuple[str, str], ...],
    asking: Sequence[Questions],
    held: Sequence[HolderTable],
) -> Match:
    asked = [form for form in asking if _determine(form.questions, qid)]
    able = [table for table in held if _determine(table.columns, qid)]
    return Match(
        qid,
        population,
        tuple(f"{form.name} ({form.where})" for form in asked),
        sum(form.people or 0 for form in asked),
        tuple(f"{table.holder}: {table.name}" for table in able),
        max(table.size for table in able),
    )


def _determine(names: Sequence[str], qid: Sequence[str]) -> bool:
    """Return whether the named attributes determine all attributes of a quasi-identifier."""
    return all(any(is_finer(name, wanted) for name in names) for wanted in qid)


def _common(questions: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Return the questions whose answers a table can count."""
    return tuple(sorted(name for name in questions if any(is_finer(column, name) for column in columns)))


def _shared(mine: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    """Return the attributes that both lists determine: the coarser of two views of the same concept.

    >>> _shared(["gender", "postcode"], ["age", "gender", "postcode:prefix4"])
    ('gender', 'postcode:prefix4')
    """
    return tuple(sorted({*_common(mine, theirs), *_common(theirs, mine)}))


def _may_meet(mine: Sequence[tuple[str, str]], theirs: Sequence[tuple[str, str]]) -> bool:
    """Return whether two populations may share people: no condition of one contradicts one of the other."""
    return not any(
        exclude_each_other(make_condition(*pair), make_condition(*other)) for pair in mine for other in theirs
    )
