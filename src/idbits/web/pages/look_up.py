"""Help for looking up questions: examples that find something, and what to fill in if a field is empty."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from idbits.errors import IdbitsError
from idbits.repository.entries import Entry
from idbits.repository.service import Repository
from idbits.web.api.common import read_pairs, read_qid
from idbits.web.pages.entry_view import population_in_words, qid_in_words

__all__ = ["LookUpChoice", "LookUpHelp", "look_up_choices", "look_up_help", "read_population"]

_MOST_READ = 200
_MOST_CHOICES = 12


@dataclass(frozen=True, slots=True)
class LookUpChoice:
    """Something to fill in, and the address of the answer."""

    label: str
    address: str


@dataclass(frozen=True, slots=True)
class LookUpHelp:
    """Examples in the fields of the page; with each of them the page finds an entry. Empty if there are no entries.

    Attributes:
        text: words to search for.
        qid, population: questions and people that are published together.
        populations: all populations as they are typed.
    """

    text: str = ""
    qid: str = ""
    population: str = ""
    populations: tuple[str, ...] = ()


def read_population(typed: str) -> dict[str, str]:
    """Return the pairs of a population as typed: ``City=Oslo, Country=Norway``."""
    return read_pairs([part for part in typed.split(",") if part.strip()])


def look_up_help(store: Repository) -> LookUpHelp:
    """Return examples from the entries of a repository: those about most people, with most questions."""
    entries = _entries_to_type(store)
    if not entries:
        return LookUpHelp()
    example = max(entries, key=lambda entry: (entry.statement.n_people, len(entry.statement.qid)))
    statement = example.statement
    words = (statement.qid[0].partition(":")[0], statement.population[0][1])
    populations = dict.fromkeys(_typed_population(entry) for entry in _largest_first(entries))
    return LookUpHelp(
        " ".join(words), ", ".join(statement.qid), _typed_population(example), tuple(populations)[:_MOST_READ]
    )


def look_up_choices(store: Repository, qid: str, population: str) -> tuple[LookUpChoice, ...]:
    """Return what could be filled in where the questions or the population are missing."""
    entries = _largest_first(_entries_to_type(store))
    try:
        if qid and not population:
            same = store.entries(read_qid(qid), limit=_MOST_READ).entries
            return _choices((entry for entry in _largest_first(same) if entry in entries), qid=qid)
        if population and not qid:
            same = store.entries(None, read_population(population), limit=_MOST_READ).entries
            return _choices(same, population=population)
    except IdbitsError:
        # What was typed cannot be read; the page says why.
        return ()
    return _choices(entries)


def _choices(entries: Iterable[Entry], *, qid: str = "", population: str = "") -> tuple[LookUpChoice, ...]:
    choices: dict[str, LookUpChoice] = {}
    for entry in entries:
        statement = entry.statement
        questions, people = qid_in_words(statement.qid), population_in_words(statement.population)
        label = people if qid else questions if population else f"{questions} in {people}"
        fields = {"qid": qid or ",".join(statement.qid), "population": population or _typed_population(entry)}
        choices.setdefault(label, LookUpChoice(label, f"/repository?{urlencode(fields)}"))
    return tuple(choices.values())[:_MOST_CHOICES]


def _entries_to_type(store: Repository) -> list[Entry]:
    """Return the newest current entries whose population can be typed: commas separate pairs."""
    entries = store.entries(limit=_MOST_READ).entries
    return [
        entry for entry in entries
        if not any(sign in name + value for name, value in entry.statement.population for sign in ",=")
    ]  # fmt: skip


def _largest_first(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: -entry.statement.n_people)


def _typed_population(entry: Entry) -> str:
    return ", ".join(f"{name.capitalize()}={value}" for name, value in entry.statement.population)
