"""Questions counted in public statistics: those that come with idbits, or larger ones in a folder.

Only counts are kept. Everything is counted once, when it is first needed.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.errors import InputError
from idbits.examples.public import AMERICAN_BIRTHS, DUTCH_AGES, NORWEGIAN_AGES, PublicStatistic
from idbits.examples.public.condense import american_births, dutch_ages, norwegian_ages
from idbits.measures.crowd import Answers
from idbits.measures.distribution import Distribution
from idbits.progress import SILENT, Progress
from idbits.values.attributes import parse_attributes
from idbits.web.questions.bank import Bank, BankQuestion, CountedTable, Pick, Place, View

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "FILES", "ExampleBank", "QuestionToCount", "count_table", "examples_in", "postcode_table", "prefixes", "sex_asked",
    "shipped_examples",
]  # fmt: skip

NL_AGES = "nl-ages.csv"
NL_POSTCODES = "nl-postcode-age-sex.csv.gz"
NORWAY = "norway-municipality-ages.csv.gz"
US_BIRTHS = "us-births.csv"
US_CENSUS = "adult.csv"
FILES = (NL_AGES, NL_POSTCODES, NORWAY, US_BIRTHS, US_CENSUS)

NL_POSTCODES_SOURCE = (
    f"Statistics Netherlands (CBS), population by postcode, 5-year age band and sex, CC BY 4.0; counted from "
    f"{NL_POSTCODES}. The publisher rounds to multiples of 5; 95 means 95 years and older."
)
US_CENSUS_SOURCE = (
    f"US census of 1994, 30,162 adults (UCI Adult, CC BY 4.0); counted from {US_CENSUS}. It is a sample, so rare "
    "answers are rarer than it shows."
)
_YEARS = (
    ("", "in years"),
    ("band5", "in 5-year bands"),
    ("band10", "in 10-year bands"),
    ("band20", "in 20-year bands"),
)


class ExampleBank:
    """The questions to choose from, counted by the first request that needs them.

    Args:
        examples: a folder of public statistics; None for those that come with idbits.
        bank: the questions, if they have been counted already.
    """

    def __init__(self, examples: Path | None = None, bank: Bank | None = None) -> None:
        self._examples = examples
        self._bank = bank
        self._lock = threading.Lock()

    def bank(self, progress: Progress = SILENT) -> Bank:
        """Return the questions; the first call counts them."""
        with self._lock:
            if self._bank is None:
                self._bank = self._count(progress)
            return self._bank

    def _count(self, progress: Progress) -> Bank:
        if self._examples is None:
            with progress.step("counting public statistics"):
                return shipped_examples()
        bank = examples_in(self._examples, progress)
        if bank is None:
            raise InputError(f'"{self._examples}" contains none of the files {", ".join(FILES)} (--examples)')
        if not any(place.people for place in bank.places):
            # The files have answers, but not the size of any population.
            return _merged(bank, shipped_examples())
        return bank


def _age(column: str, *, finest: int = 0) -> QuestionToCount:
    ways = [(key, label, (f"{column}:{key}" if key else column,)) for key, label in _YEARS[finest:]]
    return QuestionToCount("age", "Age", "How old are you?", tuple(ways))


def sex_asked(column: str) -> QuestionToCount:
    """Return the question for the sex, with the answers in a column."""
    return QuestionToCount("sex", "Sex", "Are you a man or a woman?", (("", "as registered", (column,)),))


def prefixes(column: str, longest: int) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return the ways to ask for a code: all its digits, or fewer."""
    whole = ("", f"{longest} digits", (column,))
    shorter = ((f"prefix{n}", f"first {'digit' if n == 1 else f'{n} digits'}", (f"{column}:prefix{n}",))
               for n in range(longest - 1, 0, -1))  # fmt: skip
    return (whole, *shorter)


def postcode_table(path: Path) -> pa.Table:
    """Return the Dutch table with one row per postcode, age band and sex."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    wide = csv.read_csv(path)
    wide = wide.filter(pc.and_(pc.greater_equal(wide["postcode"], 1000), pc.is_valid(wide["inwoners_man"])))
    postcode = pc.cast(pc.cast(wide["postcode"], pa.int64()), pa.string())
    years = pc.cast(pc.replace_substring_regex(wide["leeftijd"], r"[-+].*", ""), pa.int64())
    parts = [
        pa.table({
            "postcode": postcode, "age": years, "sex": pa.array([sex] * len(wide)),
            "people": pc.cast(wide[column], pa.int64()),
        })
        for sex, column in (("man", "inwoners_man"), ("woman", "inwoners_vrouw"))
    ]  # fmt: skip
    return pa.concat_tables(parts)


def shipped_examples() -> Bank:
    """Count the questions of the public statistics that come with idbits."""
    bank = Bank((), (), ())
    for statistic, count in ((DUTCH_AGES, _netherlands_by_age), (NORWEGIAN_AGES, _norway), (AMERICAN_BIRTHS, _births)):
        bank = _merged(bank, count(statistic.table(), statistic.source))
    return bank


def examples_in(folder: Path, progress: Progress = SILENT) -> Bank | None:
    """Count the questions of all public statistics in a folder; None if it contains none of them."""
    bank = Bank((), (), ())
    steps: tuple[tuple[str, Callable[[Path], Bank]], ...] = (
        (NL_POSTCODES, _netherlands_by_postcode),
        (NL_AGES, lambda path: _netherlands_by_age(dutch_ages(path), _counted_from(path, DUTCH_AGES))),
        (NORWAY, lambda path: _norway(norwegian_ages(path), _counted_from(path, NORWEGIAN_AGES))),
        (US_BIRTHS, lambda path: _births(american_births(path), _counted_from(path, AMERICAN_BIRTHS))),
        (US_CENSUS, _census),
    )
    for name, count in steps:
        if (folder / name).is_file():
            with progress.step(f"counting {name}"):
                bank = _merged(bank, count(folder / name))
    return bank if bank.questions else None


def _counted_from(path: Path, statistic: PublicStatistic) -> str:
    return f"{statistic.source} Counted from {path.name}."


def _merged(first: Bank, second: Bank) -> Bank:
    """Merge banks; a question in both has the views of both."""
    known = {question.key: question for question in first.questions}
    for question in second.questions:
        old = known.get(question.key)
        if old is not None:
            views = dict.fromkeys((*question.views, *old.views))
            question = replace(question, views=tuple(views))
        known[question.key] = question
    places = {place.key: place for place in (*first.places, *second.places)}
    return Bank(tuple(places.values()), tuple(known.values()), (*first.counted, *second.counted))


_NETHERLANDS = Place("nl", "the Netherlands")
_NORWAY = Place("no", "Norway")
_USA = Place("us", "the United States")


def _netherlands_by_postcode(path: Path) -> Bank:
    asked = (
        QuestionToCount("postcode", "Postcode", "What is your postcode?", prefixes("postcode", 4)),
        _age("age", finest=1),
        sex_asked("sex"),
    )
    options = OpenOptions(count="people")
    return count_table(postcode_table(path), options, _NETHERLANDS, NL_POSTCODES_SOURCE, asked)


def _netherlands_by_age(table: pa.Table, source: str) -> Bank:
    return count_table(table, OpenOptions(count="people"), _NETHERLANDS, source, (_age("age"), sex_asked("sex")))


def _norway(table: pa.Table, source: str) -> Bank:
    where = (("", "municipality", ("municipality",)), ("county", "county", ("municipality:prefix2",)))
    asked = (QuestionToCount("home", "Home", "Where do you live?", where), _age("age"))
    return count_table(table, OpenOptions(count="people"), _NORWAY, source, asked)


def _births(table: pa.Table, source: str) -> Bank:
    ways = (("", "day and month", ("month", "day")), ("month", "month only", ("month",)))
    asked = (QuestionToCount("birthday", "Birthday", "When is your birthday?", ways),)
    return count_table(table, OpenOptions(count="births"), _USA, source, asked, everyone=False)


def _census(path: Path) -> Bank:
    def asking(key: str, column: str, name: str, text: str) -> QuestionToCount:
        return QuestionToCount(
            key,
            name,
            text,
            (("", "every answer", (column,)), ("top5", "the 5 most common answers, or another", (f"{column}:top5",))),
        )

    asked = (
        asking("marital", "marital-status", "Marital status", "Are you married?"),
        asking("education", "education", "Education", "What is your education?"),
        asking("work", "occupation", "Work", "What is your work?"),
        asking("birthplace", "native-country", "Country of birth", "Where were you born?"),
    )
    # Rare combinations in a sample say nothing about the population.
    return count_table(path, OpenOptions(), _USA, US_CENSUS_SOURCE, asked, together=False, everyone=False)


@dataclass(frozen=True, slots=True)
class QuestionToCount:
    """A question to count in a table.

    Attributes:
        key: its key in links, after that of the place: ``age``.
        ways: the ways to ask, the finest first: key, label, and the columns with the answers.
    """

    key: str
    name: str
    text: str
    ways: tuple[tuple[str, str, tuple[str, ...]], ...]


def count_table(
    table: Path | pa.Table,
    options: OpenOptions,
    place: Place,
    source: str,
    asked: Sequence[QuestionToCount],
    *,
    together: bool = True,
    everyone: bool = True,
) -> Bank:
    """Count the answers to the questions of a table.

    Args:
        table: the table, or its path.
        options: how to read it.
        place: where the people live; the number of people is counted here.
        source: a sentence about the source of the table.
        asked: the questions.
        together: whether to count questions together; otherwise each by itself.
        everyone: whether the table contains everyone who lives there, so that people can be counted.
    """
    with closing(open_table(table, options)) as opened:
        names = [name for question in asked for _, _, columns in question.ways for name in columns]
        opened.load(dict.fromkeys(attribute.column for attribute in parse_attributes(names, opened.columns)))
        place = replace(place, people=opened.n_people() if everyone else 0)
        questions = _questions(place, asked)
        columns = {
            Pick(question, view).key: names
            for question, to_count in zip(questions, asked, strict=True)
            for view, (_, _, names) in zip(question.views, to_count.ways, strict=True)
        }
        picks = [[Pick(question, view).key for view in question.views] for question in questions]
        wanted = {key: parse_attributes(names, opened.columns) for key, names in columns.items()}
        answers = {}
        for keys in _combinations(picks, together=together):
            spectrum = opened.spectrum([attribute for key in keys for attribute in wanted[key]])
            answers[frozenset(keys)] = Answers.of(Distribution.from_spectrum(spectrum))
    if together:
        return Bank((place,), questions, (CountedTable(source, frozenset(columns), answers),))
    alone = tuple(
        CountedTable(source, frozenset(keys), {frozenset([key]): answers[frozenset([key])] for key in keys})
        for keys in picks
    )
    return Bank((place,), questions, alone)


def _questions(place: Place, asked: Sequence[QuestionToCount]) -> tuple[BankQuestion, ...]:
    return tuple(
        BankQuestion(
            f"{place.key}.{question.key}", question.name, question.text,
            tuple(View(key, label) for key, label, _ in question.ways), place,
        )
        for question in asked
    )  # fmt: skip


def _combinations(picks: Sequence[Sequence[str]], *, together: bool) -> list[tuple[str, ...]]:
    """Return every combination of questions, with every choice of one way for each."""
    if not together:
        return [(key,) for keys in picks for key in keys]
    ways = itertools.product(*([None, *keys] for keys in picks))
    chosen = [tuple(key for key in way if key is not None) for way in ways]
    return [keys for keys in chosen if keys]
