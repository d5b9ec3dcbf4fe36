"""Examples: questions counted in public statistics where their files are at hand, else among made-up people.

The files are read where they are; only counts are kept of them. Everything is counted once, when it is first needed.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.errors import InputError
from idbits.measures.crowd import Answers
from idbits.measures.distribution import Distribution
from idbits.progress import SILENT, Progress
from idbits.values.attributes import parse_attributes
from idbits.web.questions.bank import Bank, BankQuestion, CountedTable, Pick, Place, View

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "FILES", "ExampleBank", "QuestionToCount", "count_table", "made_up", "norway_table", "postcode_table",
    "real_examples",
]  # fmt: skip

NL_AGES = "nl-ages.csv"
NL_POSTCODES = "nl-postcode-age-sex.csv.gz"
NORWAY = "norway-municipality-ages.csv.gz"
US_BIRTHS = "us-births.csv"
US_CENSUS = "adult.csv"
FILES = (NL_AGES, NL_POSTCODES, NORWAY, US_BIRTHS, US_CENSUS)

NL_AGES_SOURCE = (
    f"Statistics Netherlands (CBS), population by age and sex in 2023, CC BY 4.0; counted from {NL_AGES}. "
    "100 stands for 100 years and older."
)
NL_POSTCODES_SOURCE = (
    f"Statistics Netherlands (CBS), population by postcode, 5-year age band and sex, CC BY 4.0; counted from "
    f"{NL_POSTCODES}. The publisher rounds to multiples of 5; 95 stands for 95 years and older."
)
NORWAY_SOURCE = f"Statistics Norway (SSB), population by municipality and age in 2019, NLOD 2.0; counted from {NORWAY}."
US_BIRTHS_SOURCE = (
    f"US Social Security Administration, births per day from 2000 to 2014, public domain; counted from {US_BIRTHS}."
)
US_CENSUS_SOURCE = (
    f"US census of 1994, 30,162 adults (UCI Adult, CC BY 4.0); counted from {US_CENSUS}. It is a sample, so rare "
    "answers are rarer than it shows."
)
MADE_UP_SOURCE = "Made up by idbits: nobody in it is real. Only the shapes follow a published study of Hungary."

NL_AGES_WHERE = "jaar = 2023 and geslacht <> 'T'"

_YEARS = (
    ("", "in years"),
    ("band5", "in 5-year bands"),
    ("band10", "in 10-year bands"),
    ("band20", "in 20-year bands"),
)


class ExampleBank:
    """The questions to pick from, counted by the first request that needs them.

    Args:
        examples: the folder of public statistics; None for made-up people.
        bank: the questions themselves, where they have been counted already.
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
            with progress.step("making up people for the examples"):
                return made_up()
        bank = real_examples(self._examples, progress)
        if bank is None:
            raise InputError(f'"{self._examples}" holds none of the files {", ".join(FILES)} (--examples)')
        if not any(place.people for place in bank.places):
            # Answers without people to hide among.
            return bank.with_more(made_up())
        return bank


def _age(column: str, *, finest: int = 0) -> QuestionToCount:
    ways = [(key, label, (f"{column}:{key}" if key else column,)) for key, label in _YEARS[finest:]]
    return QuestionToCount("age", "Age", "How old are you?", tuple(ways))


def _sex(column: str) -> QuestionToCount:
    return QuestionToCount("sex", "Sex", "Are you a man or a woman?", (("", "as registered", (column,)),))


def _prefixes(column: str, longest: int) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    whole = ("", f"{longest} digits", (column,))
    shorter = ((f"prefix{n}", f"first {'digit' if n == 1 else f'{n} digits'}", (f"{column}:prefix{n}",))
               for n in range(longest - 1, 0, -1))  # fmt: skip
    return (whole, *shorter)


def postcode_table(path: Path) -> pa.Table:
    """Return the Dutch table with one row for each postcode, age band and sex."""
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


def norway_table(path: Path) -> pa.Table:
    """Return the Norwegian table of 2019, the last year that was not filled in: municipality, age, people."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    options = csv.ConvertOptions(include_columns=["year", "location_code", "level", "age", "pop"])
    every = csv.read_csv(path, convert_options=options)
    rows = every.filter(pc.and_(pc.equal(every["year"], 2019), pc.equal(every["level"], "municipality")))
    return pa.table({
        "municipality": rows["location_code"], "age": pc.cast(rows["age"], pa.int64()),
        "people": pc.cast(rows["pop"], pa.int64()),
    })  # fmt: skip


def real_examples(folder: Path, progress: Progress = SILENT) -> Bank | None:
    """Count the questions of all public statistics that a folder holds; None where it holds none of them."""
    bank = Bank((), (), ())
    steps = (
        (NL_POSTCODES, _netherlands_by_postcode), (NL_AGES, _netherlands_by_age), (NORWAY, _norway),
        (US_BIRTHS, _births), (US_CENSUS, _census),
    )  # fmt: skip
    for name, count in steps:
        if (folder / name).is_file():
            with progress.step(f"counting {name}"):
                bank = _merged(bank, count(folder / name))
    return bank if bank.questions else None


def _merged(first: Bank, second: Bank) -> Bank:
    """Put banks together; a question that both have is asked in the ways of either."""
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
        QuestionToCount("postcode", "Postcode", "What is your postcode?", _prefixes("postcode", 4)),
        _age("age", finest=1),
        _sex("sex"),
    )
    options = OpenOptions(count="people")
    return count_table(postcode_table(path), options, _NETHERLANDS, NL_POSTCODES_SOURCE, asked)


def _netherlands_by_age(path: Path) -> Bank:
    options = OpenOptions(where=NL_AGES_WHERE, count="aantal")
    return count_table(path, options, _NETHERLANDS, NL_AGES_SOURCE, (_age("leeftijd"), _sex("geslacht")))


def _norway(path: Path) -> Bank:
    where = (("", "municipality", ("municipality",)), ("county", "county", ("municipality:prefix9",)))
    asked = (QuestionToCount("home", "Home", "Where do you live?", where), _age("age"))
    return count_table(norway_table(path), OpenOptions(count="people"), _NORWAY, NORWAY_SOURCE, asked)


def _births(path: Path) -> Bank:
    ways = (("", "day and month", ("month", "date_of_month")), ("month", "month only", ("month",)))
    asked = (QuestionToCount("birthday", "Birthday", "When is your birthday?", ways),)
    return count_table(path, OpenOptions(count="births"), _USA, US_BIRTHS_SOURCE, asked, everyone=False)


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
    # Rare combinations of a sample say nothing about those of everyone.
    return count_table(path, OpenOptions(), _USA, US_CENSUS_SOURCE, asked, together=False, everyone=False)


def made_up(people: int = 200_000) -> Bank:
    """Count the questions of a made-up country."""
    from idbits.examples.registry import registry

    place = Place("example", "an invented country", made_up=True)
    birth = (
        ("", "the day", ("birthdate",)), ("month", "month and year", ("birthdate:month",)),
        ("year", "year only", ("birthdate:year",)),
    )  # fmt: skip
    asked = (
        QuestionToCount("birthdate", "Date of birth", "When were you born?", birth),
        QuestionToCount("postcode", "Postcode", "What is your postcode?", _prefixes("zip", 4)),
        _sex("gender"),
    )
    return count_table(registry(people), OpenOptions(), place, MADE_UP_SOURCE, asked)


@dataclass(frozen=True, slots=True)
class QuestionToCount:
    """A question to be counted in a table.

    Attributes:
        key: its name in links, after the place's: ``age``.
        ways: for each way to ask, the finest first: its key, how it is said, and the columns it is answered by.
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
    """Count what the questions of a table leave.

    Args:
        table: what can be opened as a table.
        options: how it is read.
        place: where the people live; how many they are is counted here.
        source: a sentence on where the table comes from.
        asked: the questions.
        together: whether questions are counted together; else each is counted on its own.
        everyone: whether the table holds everyone who lives there, so that it says how many they are.
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
    """Return every choice of one way for each question of every set of questions."""
    if not together:
        return [(key,) for keys in picks for key in keys]
    ways = itertools.product(*([None, *keys] for keys in picks))
    chosen = [tuple(key for key in way if key is not None) for way in ways]
    return [keys for keys in chosen if keys]
