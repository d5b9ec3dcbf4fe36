"""Example entries of a repository: counted from the public statistics that come with idbits, or from those in a folder.

Everything is counted, signed with new keys, and published as any holder publishes: the rules of the repository apply
here too.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from idbits._version import __version__
from idbits.errors import RefusedError
from idbits.examples.public import DUTCH_AGES, NORWEGIAN_AGES, PublicStatistic
from idbits.examples.public.condense import dutch_ages, norwegian_ages
from idbits.progress import SILENT, Progress
from idbits.reading import Reading
from idbits.repository.publishing import PublicationDetails, publish
from idbits.repository.service import Repository
from idbits.signing import SigningKey
from idbits.storage import temporary_folder
from idbits.web.questions import examples

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ExampleRepository", "fill"]

_OWNER = "idbits serve --demo"
_AMSTERDAM = "nl-amsterdam-2019.csv"
_NETHERLANDS, _NORWAY = {"Country": "Netherlands"}, {"Country": "Norway"}
# Ages from 95 on are combined: so few people are that old that their numbers could be worked out. The last town is so
# small that no age has enough people to be published.
_TOWNS = {
    "Oslo": ("0301", True), "Bergen": ("1201", True), "Trondheim": ("5001", True),
    "Utsira": ("1151", False),
}  # fmt: skip


@dataclass(frozen=True)
class _Holder:
    """A publisher: an account with its own key."""

    repository: Repository
    name: str
    key: SigningKey = field(default_factory=SigningKey.generate)

    def __post_init__(self) -> None:
        account = f"{re.sub('[^A-Za-z ]', '', self.name)} - example"
        self.repository.add_account(account, "publisher", by=_OWNER, public_key=self.key.public_key, holder=self.name)

    def publish(
        self,
        source: Path | pa.Table,
        qid: list[str],
        population: dict[str, str],
        details: PublicationDetails,
        **reading: Unpack[Reading],
    ) -> None:
        """Publish, unless a rule of the repository forbids it."""
        try:
            publish(source, qid, population, self.repository, self.key, details, **reading)
        except RefusedError:
            # The rules apply to examples too; a refused one is left out.
            return


def fill(repository: Repository, folder: Path | None, progress: Progress = SILENT) -> int:
    """Publish examples into an empty repository; return the number of its entries."""
    dutch, norwegian = _Holder(repository, "Statistics Netherlands"), _Holder(repository, "Statistics Norway")
    if folder is None:
        with progress.step("publishing examples from public statistics"):
            _ages(dutch, DUTCH_AGES.table(), DUTCH_AGES.source)
            _norway(norwegian, NORWEGIAN_AGES.table(), NORWEGIAN_AGES.source)
    else:
        _fill_from(folder, dutch, norwegian, progress)
    return len(repository.entries(limit=1000).entries)


class ExampleRepository:
    """Example entries to look at while the user's own repository has none; they are published when first needed.

    Args:
        folder: a folder of public statistics; None for those that come with idbits.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._kept = ExitStack()
        self._repository: Repository | None = None

    def opened(self) -> Repository:
        """Return the repository; the first call publishes the examples into a temporary file."""
        with self._lock:
            if self._repository is None:
                place = self._kept.enter_context(temporary_folder("idbits-examples-"))
                repository = self._kept.enter_context(closing(Repository.open(str(place / "examples.sqlite"))))
                fill(repository, self._folder)
                self._repository = repository
            return self._repository

    def close(self) -> None:
        """Close the repository and delete its file."""
        with self._lock:
            self._repository = None
            self._kept.close()


def _fill_from(folder: Path, dutch: _Holder, norwegian: _Holder, progress: Progress) -> None:
    """Publish what the files in a folder have."""
    steps: tuple[tuple[str, Callable[[Path], None]], ...] = (
        (examples.NL_AGES, lambda path: _ages(dutch, dutch_ages(path), _named(DUTCH_AGES, path))),
        (_AMSTERDAM, lambda path: _amsterdam(dutch, path)),
        (examples.NL_POSTCODES, lambda path: _postcodes(dutch, path)),
        (examples.NORWAY, lambda path: _norway(norwegian, norwegian_ages(path), _named(NORWEGIAN_AGES, path))),
    )
    for name, publishing in steps:
        if (folder / name).is_file():
            with progress.step(f"publishing examples from {name}"):
                publishing(folder / name)


def _named(statistic: PublicStatistic, path: Path) -> str:
    return f"{statistic.source} ({path.name})"


def _method(what: str) -> str:
    return f"{what}; an example counted with idbits {__version__} on this machine, not published by the holder"


def _ages(holder: _Holder, table: pa.Table, source: str) -> None:
    details = PublicationDetails(
        date="2023-01-01", method=_method("population register, 100 years and older together"), source=source,
        coverage=1.0, names={"sex": "gender"},
    )  # fmt: skip
    for qid in (["age"], ["age:band5"], ["age:band10"], ["sex"], ["age", "sex"]):
        holder.publish(table, qid, _NETHERLANDS, replace(details, distribution=True), count="people")


def _amsterdam(holder: _Holder, path: Path) -> None:
    details = PublicationDetails(
        date="2019-01-01", method=_method("population register, 95 years and older together"),
        source=f"Statistics Netherlands (CBS), population of Amsterdam by age and sex, CC BY 4.0 ({path.name})",
        coverage=1.0, distribution=True,
    )  # fmt: skip
    table = _amsterdam_table(path)
    for qid in (["age"], ["gender"], ["age", "gender"]):
        holder.publish(table, qid, {"City": "Amsterdam", **_NETHERLANDS}, details, count="people")


def _amsterdam_table(path: Path) -> pa.Table:
    """Return people by age and sex; the file has codes: 10010 and 10100, 10200, ... for 0, 1, 2, ... years."""
    import csv

    import pyarrow as pa

    ages, sexes, people = [], [], []
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file, delimiter=";"):
            code, sex = int(row["Leeftijd"]), row["Geslacht"].strip()
            if sex.startswith("T") or not (10010 <= code <= 19905 or code == 22300):
                continue
            years = 0 if code == 10010 else 105 if code == 22300 else (code - 10000) // 100 + code % 100
            ages.append(min(years, 95))
            sexes.append({"3000": "man", "4000": "woman"}[sex])
            people.append(int(row["BevolkingOp1Januari_1"]))
    return pa.table({"age": ages, "gender": sexes, "people": people})


def _postcodes(holder: _Holder, path: Path) -> None:
    details = PublicationDetails(
        date="2021-01-01",
        method=_method(
            "population register by postcode, rounded to multiples of 5 by the holder; the file names no year, but its "
            "total differs from that of 1 January 2021 by at most 0.02%"
        ),
        source=f"Statistics Netherlands (CBS), population by postcode, age and sex, CC BY 4.0 ({path.name})",
        coverage=1.0, names={"sex": "gender"},
    )  # fmt: skip
    table = examples.postcode_table(path)
    for qid, whole in (
        (["postcode:prefix1"], True), (["postcode:prefix2"], True), (["postcode:prefix4"], False),
        (["postcode:prefix4", "sex"], False), (["postcode:prefix4", "age:band5", "sex"], False),
        (["postcode:prefix2", "age:band5", "sex"], False), (["age:band5"], False),
    ):  # fmt: skip
        holder.publish(table, qid, _NETHERLANDS, replace(details, distribution=whole), count="people")


def _norway(holder: _Holder, table: pa.Table, source: str) -> None:
    details = PublicationDetails(
        date="2019-01-01", method=_method("population register by municipality and single year of age"), source=source,
        coverage=1.0,
    )  # fmt: skip
    for qid, whole in (
        (["age"], True), (["age:band5"], True), (["municipality"], True), (["municipality", "age"], False),
        (["municipality", "age:band5"], False),
    ):  # fmt: skip
        holder.publish(table, qid, _NORWAY, replace(details, distribution=whole), count="people")
    for town, (code, whole) in _TOWNS.items():
        holder.publish(
            table, ["age:cap95" if whole else "age"], {"City": town, **_NORWAY}, replace(details, distribution=whole),
            where=f"municipality = '{code}'", count="people",
        )  # fmt: skip
