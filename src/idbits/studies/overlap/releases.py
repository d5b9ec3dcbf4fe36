"""Two releases of the same people: what is left when both groups of a person are known."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers, Value
from idbits.engines.base import OpenOptions, labels_to_compare
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, DataError, InputError
from idbits.kernels.distinct import distinct_rows
from idbits.measures.intersection import Intersection, ReleasedRecords, intersect
from idbits.studies.overlap.result import CandidateCount, JointGroups, MeanGains, ReleaseCertainty, ReleaseOverlap
from idbits.studies.shared.persons import require_one_row_per_person, require_other_columns
from idbits.values.attributes import parse_attribute, parse_attributes

__all__ = ["ReleaseQuestion", "overlap_of_releases"]


@dataclass(frozen=True, slots=True)
class ReleaseQuestion:
    """Who the people are, what someone may know of them in each release, and what is to stay secret."""

    person: str
    qid_a: tuple[str, ...]
    qid_b: tuple[str, ...]
    sensitive: str


@dataclass(frozen=True, slots=True, eq=False)
class _Release:
    """The rows of a release: group, person and value of each, and the texts of persons and values."""

    qid: tuple[str, ...]
    groups: Integers
    persons: NDArray[np.uint32]
    values: NDArray[np.uint32]
    person_texts: list[Value]
    value_texts: list[Value]
    notes: tuple[str, ...]


def overlap_of_releases(
    first: object,
    second: object,
    question: ReleaseQuestion,
    options: OpenOptions,
    second_options: OpenOptions | None = None,
) -> ReleaseOverlap:
    """Open two releases and intersect the groups of everyone who is in both.

    ``second_options`` say how the second release is read, if not like the first.
    """
    second_options = options if second_options is None else second_options
    if options.count is not None or second_options.count is not None:
        raise InputError("two releases are compared person by person, but with --count a row is many people")
    if all(isinstance(source, str) and source == "-" for source in (first, second)):
        raise InputError("only one of the two releases can come from standard input")
    releases = [
        _read(first, question.qid_a, "--qid-a", "first", question, options),
        _read(second, question.qid_b, "--qid-b", "second", question, second_options),
    ]
    with options.progress.step("comparing people"):
        persons = _shared_codes(*((release.persons, release.person_texts) for release in releases))
        values = _shared_codes(*((release.values, release.value_texts) for release in releases))
        _, *targets = np.intersect1d(persons[0], persons[1], assume_unique=True, return_indices=True)
        if not len(targets[0]):
            raise DataError(
                f'nobody is in both releases: no value of "{question.person}" occurs in both (--person must identify '
                "people in the same way)"
            )
        records = [
            ReleasedRecords(release.groups, codes, indices)
            for release, codes, indices in zip(releases, values, targets, strict=True)
        ]
        found = intersect(*records)
    counts = [len(codes) - found.n_people for codes in persons]
    notes = tuple(dict.fromkeys(note for release in releases for note in release.notes))
    answer = _answer(question, (releases[0].qid, releases[1].qid), found, (counts[0], counts[1]), notes)
    return replace(answer, filtered=options.where is not None or second_options.where is not None)


def _read(
    source: object, qid: Sequence[str], option: str, which: str, question: ReleaseQuestion, options: OpenOptions
) -> _Release:
    """Read one release; columns that it does not have are errors that say which release it is."""
    with closing(open_table(source, options)) as table:
        try:
            known = parse_attributes(qid, table.columns)
            person, secret = (parse_attribute(name, table.columns) for name in (question.person, question.sensitive))
        except ColumnNotFoundError as error:
            error.args = (f"in the {which} release, {error}",)
            raise
        require_other_columns(person.column, [attribute.column for attribute in known], option)
        if secret.column in [attribute.column for attribute in known]:
            raise InputError(f'"{secret.column}" cannot be both known and secret; take it out of {option}')
        if secret.column == person.column:
            raise InputError(f'"{secret.column}" cannot be both the person and the secret (--sensitive)')
        attributes = [*known, person, secret]
        table.load([attribute.column for attribute in attributes])
        if table.n_people() == 0:
            left = "no row is left after the filter" if options.where else "it has no rows"
            raise DataError(f"the {which} release has nobody in it: {left}")
        rows = table.linkable_rows(attributes)
        require_one_row_per_person(table, person.column)
        texts = [table.labels(person), table.labels(secret)]
        table.check_unchanged()
        notes = tuple(table.notes)
    *codes, persons, values = rows.codes
    known_rows = distinct_rows(CodedRows(tuple(codes), rows.sizes[: len(codes)]), with_indices=True)
    assert known_rows.indices is not None
    groups = np.unique(known_rows.indices, return_inverse=True)[1]
    return _Release(tuple(a.name for a in known), groups, persons, values, texts[0], texts[1], notes)


def _shared_codes(*sides: tuple[NDArray[np.uint32], list[Value]]) -> list[Integers]:
    """Return codes that are equal in both releases if the texts are.

    They follow the order of the texts, not that of the rows, so that sums over values have the same digits from every
    source.
    """
    labels = [[labels_to_compare((text,))[0] for text in texts] for _, texts in sides]
    in_order = sorted({text for texts in labels for text in texts}, key=lambda text: (text is None, text or ""))
    numbers = {text: number for number, text in enumerate(in_order)}
    return [
        np.array([numbers[text] for text in texts], np.int64)[codes]
        for texts, (codes, _) in zip(labels, sides, strict=True)
    ]


def _answer(
    question: ReleaseQuestion,
    qids: tuple[tuple[str, ...], tuple[str, ...]],
    found: Intersection,
    others: tuple[int, int],
    notes: tuple[str, ...],
) -> ReleaseOverlap:
    has_candidates = found.candidates > 0
    n_values = int(np.count_nonzero(found.prior))
    certain = ReleaseCertainty(
        first=found.count(found.values_first == 1),
        second=found.count(found.values_second == 1),
        both=found.count(found.is_certain),
        new=found.count(found.is_new),
        new_common=found.count(found.is_new & found.is_common),
    )
    gains = [found.mean(figures) or 0.0 for figures in (found.gains_first, found.gains_second, found.joint_gains)]
    columns = (found.values_first, found.values_second, found.candidates)
    return ReleaseOverlap(
        person=question.person,
        qid_a=qids[0],
        qid_b=qids[1],
        sensitive=question.sensitive,
        people=found.n_people,
        only_first=others[0],
        only_second=others[1],
        changed=found.changed,
        empty=found.count(~has_candidates),
        n_values=n_values,
        prior_entropy_bits=found.prior_entropy_bits,
        certain=certain,
        l_min=int(found.candidates[has_candidates].min()) if has_candidates.any() else None,
        gain_bits=MeanGains(gains[0], gains[1], found.mean(found.gains, has_candidates)),
        joint=JointGroups(
            k_min=int(found.people.min()),
            alone=found.count(found.people == 1),
            certain=found.count(found.joint_values == 1),
            gain_bits=gains[2],
        ),
        candidates=_by_number_of_values(columns, found.people),
        notes=notes,
    )


def _by_number_of_values(columns: Sequence[Integers], people: Integers) -> tuple[CandidateCount, ...]:
    """Return the people by the number of values left in the first release, in the second and in both."""
    totals = np.zeros((1 + max(int(column.max()) for column in columns), len(columns)), np.int64)
    for index, column in enumerate(columns):
        np.add.at(totals[:, index], column, people)
    return tuple(
        CandidateCount(number, *totals[number].tolist()) for number in np.flatnonzero(totals.any(axis=1)).tolist()
    )
