"""An example repository: entries counted from public statistics if their files are available, otherwise made up.

Everything is counted from the files, signed with new keys, and published as any holder publishes: the rules of the
repository apply here too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from idbits._version import __version__
from idbits.errors import RefusedError
from idbits.progress import SILENT, Progress
from idbits.reading import Reading
from idbits.repository.publishing import PublicationDetails, publish
from idbits.repository.service import Repository
from idbits.signing import SigningKey
from idbits.web.questions import examples

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["fill"]

_OWNER = "idbits serve --demo"
_AMSTERDAM = "nl-amsterdam-2019.csv"
_NETHERLANDS, _NORWAY = {"Country": "Netherlands"}, {"Country": "Norway"}
# Ages from 95 on are combined: so few people are that old that their numbers could be worked out. The last town is so
# small that no age has enough people to be published.
_TOWNS = {
    "Oslo": ("municip0301", True), "Bergen": ("municip1201", True), "Trondheim": ("municip5001", True),
    "Utsira": ("municip1151", False),
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
    if folder is None:
        with progress.step("publishing made-up examples"):
            _made_up(repository)
    else:
        dutch, norwegian = _Holder(repository, "Statistics Netherlands"), _Holder(repository, "Statistics Norway")
        steps: tuple[tuple[str, Callable[[_Holder, Path], None], _Holder], ...] = (
            (examples.NL_AGES, _ages, dutch),
            (_AMSTERDAM, _amsterdam, dutch),
            (examples.NL_POSTCODES, _postcodes, dutch),
            (examples.NORWAY, _norway, norwegian),
        )
        for name, publishing, holder in steps:
            if (folder / name).is_file():
                with progress.step(f"publishing examples from {name}"):
                    publishing(holder, folder / name)
    return len(repository.entries(limit=1000).entries)


def _method(what: str) -> str:
    return f"{what}; an example counted with idbits {__version__} on this machine, not published by the holder"


def _ages(holder: _Holder, path: Path) -> None:
    details = PublicationDetails(
        date="2023-01-01", method=_method("population register, 100 years and older together"),
        source=f"Statistics Netherlands (CBS), population by age and sex, CC BY 4.0 ({path.name})",
        coverage=1.0, names={"leeftijd": "age", "geslacht": "gender"},
    )  # fmt: skip
    for qid in (["leeftijd"], ["leeftijd:band5"], ["leeftijd:band10"], ["geslacht"], ["leeftijd", "geslacht"]):
        holder.publish(
            path, qid, _NETHERLANDS, replace(details, distribution=True), where=examples.NL_AGES_WHERE, count="aantal"
        )


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


def _norway(holder: _Holder, path: Path) -> None:
    details = PublicationDetails(
        date="2019-01-01", method=_method("population register by municipality and single year of age"),
        source=f"Statistics Norway (SSB), population by municipality and age, NLOD 2.0 ({path.name})",
        coverage=1.0,
    )  # fmt: skip
    table = examples.norway_table(path)
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


def _made_up(repository: Repository, people: int = 50_000) -> None:
    from idbits.examples.registry import registry

    holder = _Holder(repository, "idbits example (made up)")
    details = PublicationDetails(
        date="2011-12-31", method=f"made up by idbits {__version__}: nobody in it is real",
        source="idbits demo", names={"zip": "postcode"},
    )  # fmt: skip
    table = registry(people)
    for qid, whole in (
        (["gender"], True), (["birthdate:year"], True), (["zip:prefix2"], True), (["zip"], False),
        (["birthdate"], False), (["birthdate:year", "gender"], False), (["birthdate", "zip:prefix2", "gender"], False),
        (["birthdate", "zip", "gender"], False),
    ):  # fmt: skip
        holder.publish(table, qid, {"Country": "Example (made up)"}, replace(details, distribution=whole))
