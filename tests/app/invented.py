"""Questions and entries of an invented country: small, quick to count, and with the same figures in every run."""

from dataclasses import replace

from idbits.engines.base import OpenOptions
from idbits.examples.registry import registry
from idbits.repository.publishing import PublicationDetails
from idbits.repository.service import Repository
from idbits.web.demo import _Holder
from idbits.web.questions.bank import Bank, Place
from idbits.web.questions.examples import QuestionToCount, count_table, prefixes, sex_asked


def invented_bank(people: int) -> Bank:
    """Count the questions of an invented country."""
    birth = (
        ("", "the day", ("birthdate",)), ("month", "month and year", ("birthdate:month",)),
        ("year", "year only", ("birthdate:year",)),
    )  # fmt: skip
    asked = (
        QuestionToCount("birthdate", "Date of birth", "When were you born?", birth),
        QuestionToCount("postcode", "Postcode", "What is your postcode?", prefixes("zip", 4)),
        sex_asked("gender"),
    )
    place = Place("example", "an invented country", made_up=True)
    return count_table(registry(people), OpenOptions(), place, "Invented: nobody in it is real.", asked)


def publish_invented(repository: Repository, people: int) -> None:
    """Publish entries of an invented country."""
    holder = _Holder(repository, "idbits example (made up)")
    details = PublicationDetails(
        date="2011-12-31", method="made up: nobody in it is real", source="idbits demo", names={"zip": "postcode"}
    )
    table = registry(people)
    for qid, whole in (
        (["gender"], True), (["birthdate:year"], True), (["zip:prefix2"], True), (["zip"], False),
        (["birthdate"], False), (["birthdate:year", "gender"], False), (["birthdate", "zip:prefix2", "gender"], False),
        (["birthdate", "zip", "gender"], False),
    ):  # fmt: skip
        holder.publish(table, qid, {"Country": "Example (made up)"}, replace(details, distribution=whole))
