"""The request in an address of the page Measure: a table, how to read it, and the columns someone may know."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast
from urllib.parse import urlencode

from idbits.engines.open import is_database
from idbits.engines.where import columns_named
from idbits.errors import InputError
from idbits.reading import OPTIONS as READING_OPTIONS
from idbits.reading import Reading
from idbits.studies.check.policy import Dataset
from idbits.studies.shared.persons import ALL_RECORDS, ONE_RECORD, PersonOptions
from idbits.web.files import OfferedFolders
from idbits.web.work.worker import Task

__all__ = [
    "OPTIONS", "PERSON_OPTIONS", "OfferedTable", "TableRequest", "check_size", "choose_table",
    "labelled_views", "table_fields",
]  # fmt: skip

_READING = tuple(name for name, option in READING_OPTIONS.items() if option.in_app)
PERSON_OPTIONS = {"rows-are-people": "", "knows": ONE_RECORD, "household": "", "null-person": "error"}
"""Options about people besides their column, with what they mean if they are not given."""

# The order of saved addresses.
OPTIONS = (
    "count",
    "person",
    *PERSON_OPTIONS,
    "by",
    "people",
    "sampled",
    "sensitive",
    *(name for name in _READING if name != "count"),
)
_MOST_TEXT = 1000
_MOST_COLUMNS = 1000


@dataclass(frozen=True, slots=True)
class TableRequest:
    """The request in an address.

    Attributes:
        root, file: a file in an offered folder.
        dataset: the name of a configured source instead.
        qid: the columns someone may know, with transforms.
        options: how to read and measure the table.
        header: whether the first row of a text file has names.
        show_names: whether to show names although they may be data.
        reveal: whether to show values that few people have.
    """

    root: str = ""
    file: str = ""
    dataset: str = ""
    qid: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    header: bool = True
    show_names: bool = False
    reveal: bool = False

    @classmethod
    def read(cls, parameters: Sequence[tuple[str, str]]) -> TableRequest:
        """Return the request in the parameters of an address."""
        check_size(parameters)
        given = dict(parameters) | _who(parameters)
        return cls(
            given.get("in", ""),
            given.get("file", ""),
            given.get("set", ""),
            _qid(parameters, given.get("person")),
            _options(given),
            given.get("header") != "no",
            given.get("names") == "shown",
            given.get("reveal") == "yes",
        )

    def option(self, name: str) -> str | None:
        """Return an option, or None."""
        return dict(self.options).get(name)

    @property
    def has_more_options(self) -> bool:
        """Whether there are options besides those about people."""
        return any(name not in ("person", *PERSON_OPTIONS) for name, _ in self.options)

    def persons(self, configured: PersonOptions) -> PersonOptions:
        """Return who is a person and what an attacker knows of them; what is not asked is as configured."""
        column = self.option("person") or configured.column
        knows = self.option("knows") or configured.knows
        rows_are_people = configured.rows_are_people or self.option("rows-are-people") == "yes"
        household = self.option("household") or configured.household
        if column is None:
            # Nothing else can be known of a person whose rows are not known.
            return PersonOptions(household=household, rows_are_people=rows_are_people)
        return PersonOptions(
            column=column,
            knows=knows,
            null_person=self.option("null-person") or configured.null_person,
            multiset=configured.multiset and knows == ALL_RECORDS,
            household=household,
        )

    def fraction(self) -> float | None:
        """Return the share of the population that is in the table; None if it was not given."""
        typed = (self.option("sampled") or "").strip().removesuffix("%").strip().replace(",", ".")
        if not typed:
            return None
        if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,9})?", typed) is None or not 0 < float(typed) <= 100:
            raise InputError("write the share of the population that is in the table in percent, such as 5")
        return float(typed) / 100

    def without(self, *names: str) -> TableRequest:
        """Return the same request without some options."""
        return replace(self, options=tuple((name, text) for name, text in self.options if name not in names))

    def having(self, name: str, text: str) -> TableRequest:
        """Return the same request with another option, in the order of addresses."""
        given = {**dict(self.options), name: text}
        return replace(self, options=tuple((each, given[each]) for each in OPTIONS if given.get(each)))

    def query(self, *, qid: bool = True) -> str:
        """Return the request as the end of an address."""
        pairs = [("set", self.dataset)] if self.dataset else [("in", self.root), ("file", self.file)]
        pairs += list(self.options)
        pairs += [("header", "no")] if not self.header else []
        pairs += [("names", "shown")] if self.show_names else []
        pairs += [("q", name) for name in self.qid] if qid else []
        pairs += [("reveal", "yes")] if self.reveal and qid else []
        return urlencode(pairs)

    def without_reveal(self) -> TableRequest:
        """Return the same request without values that few people have."""
        return replace(self, reveal=False)


def table_fields(table: TableRequest) -> list[tuple[str, str]]:
    """Return the name of a table as parameters of an address; none if it has none."""
    if table.dataset:
        return [("set", table.dataset)]
    return [("in", table.root), ("file", table.file)] if table.file else []


def check_size(parameters: Sequence[tuple[str, str]]) -> None:
    """Refuse fields that are too long, and too many of them."""
    if any(len(value) > _MOST_TEXT for _, value in parameters) or len(parameters) > 3 * _MOST_COLUMNS:
        raise InputError(f"a field may have at most {_MOST_TEXT:,} characters, and a table {_MOST_COLUMNS:,} columns")


def _options(given: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the options that say something; a configured source may have other defaults."""
    defaults = PERSON_OPTIONS if not given.get("set") else {}
    return tuple((name, given[name]) for name in OPTIONS if given.get(name) and given[name] != defaults.get(name))


def _who(parameters: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return who a person is, as it is in addresses.

    The form sends ``who=rows`` if each row is a person, ``who=column`` and ``whose=patient`` if a column identifies
    them, and ``who=count`` and ``counted=number`` if a row stands for several people.

    >>> _who([("who", "column"), ("whose", "patient")]), _who([("who", "rows"), ("whose", "patient")])
    ({'person': 'patient', 'count': ''}, {'rows-are-people': 'yes', 'person': '', 'count': ''})
    >>> _who([("who", "column|patient")]), _who([("who", "")])
    ({'person': 'patient', 'count': ''}, {})
    """
    given = dict(parameters)
    kind, _, column = given.get("who", "").partition("|")
    return {
        "column": {"person": column or given.get("whose", ""), "count": ""},
        "rows": {"rows-are-people": "yes", "person": "", "count": ""},
        "count": {"count": given.get("counted", ""), "person": ""},
    }.get(kind, {})


def _qid(parameters: Sequence[tuple[str, str]], person: str | None) -> tuple[str, ...]:
    """Return the chosen columns; the column that identifies people is not among those that someone may know.

    The form sends ``pick=3|zip`` for a ticked box and ``view=3|prefix2`` for its coarser view; addresses have
    ``q=zip:prefix2``.
    """
    views = dict(value.partition("|")[::2] for name, value in parameters if name == "view")
    names = [value for name, value in parameters if name == "q" and value]
    for name, value in parameters:
        if name == "pick":
            index, _, column = value.partition("|")
            if column != person:
                names.append(f"{column}:{views[index]}" if views.get(index) else column)
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class OfferedTable:
    """A table that may be opened.

    Attributes:
        source: the path or address that the engine opens.
        label: its name on the page.
        reading: how to read it.
        stamp: changes when the file does.
        bytes: the size of the file; None for databases.
        suggested: the columns someone may know, if they were set up.
        person: who is a person, if that was set up.
        sensitive: the columns that must not be learnt, if they were set up.
    """

    source: str
    label: str
    reading: Reading
    stamp: str
    bytes: int | None
    suggested: tuple[str, ...] = ()
    person: PersonOptions = field(default_factory=PersonOptions)
    sensitive: tuple[str, ...] = ()

    def secrets(self, asked: TableRequest) -> list[str]:
        """Return the columns that must not be learnt: the chosen one, or those that were set up and are not known."""
        chosen = asked.option("sensitive")
        if chosen:
            return [chosen]
        known = {name.partition(":")[0] for name in asked.qid}
        return [name for name in self.sensitive if name.partition(":")[0] not in known]

    def key(self, task: Task) -> str:
        """Return a key that is unique to this task on this table."""
        return json.dumps([self.stamp, task], sort_keys=True)


def choose_table(
    asked: TableRequest, folders: OfferedFolders, datasets: Sequence[Dataset], memory: str | None
) -> OfferedTable:
    """Return the requested table; one that is not offered is refused."""
    options: dict[str, object] = {name: _typed(name, text) for name in _READING if (text := asked.option(name))}
    options |= {} if asked.header else {"header": False}
    options |= {"memory": memory} if memory else {}
    reading = cast("Reading", options)
    if asked.dataset:
        dataset = next((dataset for dataset in datasets if dataset.name == asked.dataset), None)
        if dataset is None:
            raise InputError("this source is not among those that were set up")
        reading = _within(dataset, reading)
        source = dataset.source
        stamp, size = (source, None) if is_database(source) else _stamp(Path(source))
        return OfferedTable(source, dataset.name, reading, stamp, size, dataset.qid, dataset.person, dataset.sensitive)
    path = folders.file(asked.root, asked.file)
    stamp, size = _stamp(path)
    return OfferedTable(os.fspath(path), path.name, reading, stamp, size)


def _typed(name: str, text: str) -> object:
    """Return a number for an option that is one; other texts are refused when the table is opened."""
    is_number = READING_OPTIONS[name].type is int and re.fullmatch("[0-9]{1,9}", text)
    return int(text) if is_number else text


def _within(dataset: Dataset, asked: Reading) -> Reading:
    """Return how to read a configured source: as configured, with a filter that may narrow its rows."""
    configured, typed = dict(dataset.reading), dict(asked)
    filters = [configured.pop("where", None), typed.pop("where", None)]
    if any(name in configured and configured[name] != value for name, value in typed.items()):
        raise InputError("this source was set up with other settings; leave the fields about reading the table empty")
    shown = dataset.reading.get("columns")
    if shown is not None:
        named = {*columns_named(filters[1] or ""), *filter(None, [asked.get("count")])}
        if not named <= set(shown):
            raise InputError("the filter or the number of people per row uses a column that this source does not show")
    # Each filter is parsed by itself: joined texts could have another meaning.
    given = [text for text in filters if text]
    where = {"where": given[0] if len(given) == 1 else given} if given else {}
    return cast("Reading", {**configured, **typed, **where})


def _stamp(path: Path) -> tuple[str, int | None]:
    """Return a text that changes whenever one of the files does, and their size in bytes."""
    files = [path]
    if not path.is_file():
        files = sorted(path.rglob("*") if path.is_dir() else map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207
    marks, size = [str(path)], 0
    for file in files:
        with contextlib.suppress(OSError):
            status = file.stat()
            if stat.S_ISREG(status.st_mode):
                marks.append(f"{file}:{status.st_size}:{status.st_mtime_ns}")
                size += status.st_size
    return "\n".join(marks), size if len(marks) > 1 else None


_VIEW_LABELS = {"day": "day", "month": "month and year", "quarter": "quarter", "year": "year only"}
_NUMBERED_VIEW_LABELS = {
    "band": "steps of {}",
    "year:band": "years in steps of {}",
    "round": "to the nearest {}",
    "prefix": "first {} characters",
    "top": "{} most common, rest together",
}
_MOST_VIEWS = 6
# The list does not know the range of the numbers, so it offers the most common widths.
_USUAL_ROUNDINGS = ("round0.1", "round1", "round10", "round100", "round1000")


def labelled_views(ladder: Sequence[str]) -> list[tuple[str, str]]:
    """Return the coarser views of a column to choose from, each with a plain name.

    >>> labelled_views(["year", "year:band5"])
    [('year', 'year only'), ('year:band5', 'years in steps of 5')]
    >>> labelled_views(["prefix2", "prefix1"])
    [('prefix2', 'first 2 characters'), ('prefix1', 'first character')]
    """
    if ladder and ladder[0].startswith("round"):
        ladder = [view for view in ladder if view in _USUAL_ROUNDINGS]
    return [(view, _view_label(view)) for view in ladder[:_MOST_VIEWS]]


def _view_label(view: str) -> str:
    match = re.fullmatch(r"([a-z:]+?)([0-9.]+)", view)
    if match is None:
        return _VIEW_LABELS.get(view, view)
    label = _NUMBERED_VIEW_LABELS.get(match[1], view).format(match[2])
    return label.replace("first 1 characters", "first character")
