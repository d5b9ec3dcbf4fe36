"""What do two publications of the same people give away together? The study behind ``idbits overlap``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack, cast, overload

from idbits.errors import InputError
from idbits.file_guard import guarded_files
from idbits.reading import Names, Reading, name_list, open_options
from idbits.studies.overlap.options import OverlapOptions
from idbits.studies.overlap.releases import ReleaseQuestion, overlap_of_releases
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.overlap.zones import check_threshold, overlap_of_zones, zones_of_table
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.rules import CheckedRule, Rule, parse_rule, satisfies, value_of
from idbits.wording import counted, near_names

__all__ = ["check_threshold", "overlap", "require_known_smallest", "why_unconfirmed", "zones_of_table"]

SMALLEST = "smallest"
"""The figure that does not exist if differencing isolates no small group."""


@overload
def overlap(
    source: object, other: object = None, *, zones: Names, **options: Unpack[OverlapOptions]
) -> ZoneOverlap: ...


@overload
def overlap(
    source: object, other: object = None, *, zones: None = None, **options: Unpack[OverlapOptions]
) -> ReleaseOverlap: ...


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

    Examples:
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
        return replace(answer, rules=_checked(limits, answer.to_dict(), answer.n_people))
    question = _release_question(other, person, qid_a, qid_b, sensitive)
    found = overlap_of_releases(source, other, question, options)
    return replace(found, rules=_checked(limits, found.to_dict(), found.people))


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


def _checked(rules: Sequence[Rule], figures: Any, n_people: int) -> tuple[CheckedRule, ...]:
    return tuple(_checked_rule(rule, figures, n_people) for rule in rules)


def _checked_rule(rule: Rule, figures: Any, n_people: int) -> CheckedRule:
    if rule.keys[0] not in figures:
        close = near_names(rule.figure, figures) or "; idbits overlap --json lists them"
        raise InputError(f'no figure of overlap is named "{rule.figure}"{close}')
    value = value_of(rule, figures)
    if value is None and rule.figure == SMALLEST:
        # Without a small group, the smallest one is not below any limit.
        value = float("inf")
    passed = value is not None and satisfies(rule, value, n_people)
    reason = "this figure does not exist for these tables" if value is None else None
    if passed and rule.keys[0] in (SMALLEST, "isolated"):
        reason = why_unconfirmed(figures["not_searched"]["atoms"])
    shown = None if value is None or reason is not None else value / n_people if rule.of_people else value
    return CheckedRule(rule.text, shown, float(rule.limit), passed and reason is None, rule.percent, reason)


def why_unconfirmed(n_unsearched: int) -> str | None:
    """Return why a limit that is met so far is not confirmed, if some zones were not searched completely."""
    if not n_unsearched:
        return None
    return (
        f"{counted(n_unsearched, 'pair')} of zones are in parts of the map that are too large to search; choose larger "
        "zones or a smaller threshold"
    )
