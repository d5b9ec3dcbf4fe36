"""What do two publications of the same people give away together? The study behind ``idbits overlap``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack, cast

from idbits.errors import DataError, InputError
from idbits.file_guard import guarded_files
from idbits.reading import Names, Reading, name_list, open_options
from idbits.studies.overlap.releases import ReleaseQuestion, overlap_of_releases
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.overlap.zones import check_threshold, overlap_of_zones, zones_of_table
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.rules import Rule, RuleOutcome, parse_rule, satisfies, value_of
from idbits.wording import counted

__all__ = ["check_threshold", "overlap", "require_complete_search", "require_known_smallest", "zones_of_table"]

SMALLEST = "smallest"
"""The figure that does not exist if differencing isolates no small group."""


@guarded_files()
def overlap(
    source: object,
    other: object = None,
    *,
    zones: Names | None = None,
    below: int = 10,
    person: str | None = None,
    qid_a: Names | None = None,
    qid_b: Names | None = None,
    sensitive: str | None = None,
    rules: str | Sequence[str] = (),
    rows_are_people: bool = False,
    reveal: bool = False,
    **reading: Unpack[Reading],
) -> ZoneOverlap | ReleaseOverlap:
    """Find what two publications of the same people give away together: two zonings, or two releases.

    Args:
        source: a table with two columns of zones, or the first release: a path, a database or a frame.
        other: the second release; None for two zonings.
        zones: the two columns of zones, ``["municipality", "postcode"]``: a table of counts is published for each.
        below: groups of fewer people are small.
        person: the column that identifies people, one row each; needed for two releases.
        qid_a: the columns of the first release that someone may know.
        qid_b: those of the second release.
        sensitive: the column of both releases that is to stay secret.
        rules: limits, such as ``"isolated.people <= 0"`` or ``"certain.both <= 1%"``.
        rows_are_people: whether each row is known to be a person.
        reveal: whether to name the zones of small groups.
        reading: how the tables are read, see ``idbits.reading.Reading``.

    >>> import pyarrow
    >>> blocks = pyarrow.table({"town": ["a1", "a1", "a2"], "post": ["b1", "b2", "b2"], "n": [50, 3, 40]})
    >>> overlap(blocks, zones="town,post", count="n").smallest
    3
    """
    limits = [parse_rule(rule) for rule in ([rules] if isinstance(rules, str) else rules)]
    options = open_options(reading)
    if zones is not None:
        if other is not None or qid_a or qid_b or sensitive is not None:
            raise InputError(
                "--zones compares two columns of one table; leave out the second table, --qid-a, --qid-b and "
                "--sensitive, or leave out --zones"
            )
        for limit in limits:
            require_known_smallest(limit, below)
        persons = PersonOptions(column=person, rows_are_people=rows_are_people)
        answer = overlap_of_zones(source, name_list(zones), below, persons, options, reveal=reveal)
        return replace(answer, rules=_outcomes(limits, answer.to_dict(), answer.n_people))
    question = _release_question(other, person, qid_a, qid_b, sensitive)
    found = overlap_of_releases(source, other, question, options)
    return replace(found, rules=_outcomes(limits, found.to_dict(), found.people))


def _release_question(
    other: object, person: str | None, qid_a: Names | None, qid_b: Names | None, sensitive: str | None
) -> ReleaseQuestion:
    needed = {"--person": person, "--qid-a": qid_a, "--qid-b": qid_b, "--sensitive": sensitive}
    missing = [option for option, value in needed.items() if not value]
    if other is None:
        raise InputError(
            "name two columns of zones (--zones municipality,postcode), or two releases with --person, --qid-a, "
            "--qid-b and --sensitive"
        )
    if missing:
        raise InputError(f"two releases need {', '.join(needed)}; {missing[0]} is missing")
    return ReleaseQuestion(
        cast("str", person),
        tuple(name_list(cast("Names", qid_a))),
        tuple(name_list(cast("Names", qid_b))),
        cast("str", sensitive),
    )


def require_known_smallest(rule: Rule, below: int) -> None:
    """Refuse a limit on the smallest group that is above the threshold up to which groups are searched."""
    if rule.figure.split(".")[-1] == SMALLEST and rule.limit > below:
        raise InputError(
            f'"{rule.text}" needs groups of up to {rule.limit} people; search for groups below {rule.limit} (--below)'
        )


def _outcomes(rules: Sequence[Rule], figures: Any, n_people: int) -> tuple[RuleOutcome, ...]:
    outcomes = []
    for rule in rules:
        value = value_of(rule, figures, "; idbits overlap --json lists them")
        if value is None and rule.figure != SMALLEST:
            raise DataError(f'"{rule.text}" cannot be checked: this figure does not exist for these tables')
        # Without a small group, the smallest one is not below any limit.
        passed = rule.comparison in (">", ">=") if value is None else satisfies(rule, value, n_people)
        if passed and rule.figure.split(".")[0] in (SMALLEST, "isolated"):
            require_complete_search(rule, figures["not_searched"]["atoms"])
        outcomes.append(RuleOutcome(rule.text, value, passed))
    return tuple(outcomes)


def require_complete_search(rule: Rule, n_unsearched: int) -> None:
    """Refuse to call a rule met if some zones were not searched completely."""
    if n_unsearched:
        raise DataError(
            f'"{rule.text}" cannot be confirmed: {counted(n_unsearched, "pair")} of zones are in parts of the map that '
            "are too large to search; choose larger zones or a smaller --below"
        )
